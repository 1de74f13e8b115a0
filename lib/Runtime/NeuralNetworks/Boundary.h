//===- Boundary.h - Where C++ ends and C begins -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_BOUNDARY_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_BOUNDARY_H

#include "CallerState.h"

#include "nnhal/Runtime/Status.h"

#include <android/NeuralNetworks.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

namespace nnhal::ndk {

/// Returns the result of \p function, which returns a result code. Nothing is
/// thrown through the C functions (J-110): memory that there is not, or a list
/// longer than memory can be, is OUT_OF_MEMORY (J-112), everything else
/// OP_FAILED. No floating-point operation ends the process.
template <typename Function> int guarded(Function &&function) noexcept {
  WithoutFloatTraps untrapped;
  try {
    return std::forward<Function>(function)();
  } catch (const std::bad_alloc &) {
    return ANEURALNETWORKS_OUT_OF_MEMORY;
  } catch (const std::length_error &) {
    return ANEURALNETWORKS_OUT_OF_MEMORY;
  } catch (const std::exception &) {
    return ANEURALNETWORKS_OP_FAILED;
  }
}

/// Returns what guarded() does for a function that may write files or shared
/// memory of the caller, whose length the process may have limited.
template <typename Function>
int guardedWithFiles(Function &&function) noexcept {
  WithoutFileSizeSignal unsignaled;
  return guarded(std::forward<Function>(function));
}

/// Makes an object for the caller of a C function; null when that fails
/// (J-075).
template <typename Object, typename... Args>
int create(Object **result, Args &&...args) {
  *result = nullptr;
  return guarded([&] {
    *result = new Object(std::forward<Args>(args)...);
    return int(ANEURALNETWORKS_NO_ERROR);
  });
}

/// Returns the result code for the status of a device (J-111, C-093 to C-100).
int resultCodeOf(const rt::Status &status);

} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_BOUNDARY_H
