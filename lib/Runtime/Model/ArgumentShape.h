//===- ArgumentShape.h - Shapes that requests state -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_MODEL_ARGUMENTSHAPE_H
#define NNHAL_LIB_RUNTIME_MODEL_ARGUMENTSHAPE_H

#include "nnhal/Runtime/Interface.h"
#include "nnhal/Runtime/Status.h"

namespace nnhal::rt {

/// Returns "input 2 ('scores')"; without the name where the model has none.
std::string argumentLabel(bool isInput, size_t index,
                          const InterfaceTensor &tensor);

/// One input or output of an interface.
struct Argument {
  bool isInput = false;
  size_t index = 0;
  const InterfaceTensor &tensor;

  std::string label() const { return argumentLabel(isInput, index, tensor); }
};

/// Checks that \p stated, the shape that a request gives \p argument, does not
/// contradict the model's; empty where it gives none. The extents of inputs are
/// known by whoever has their bytes, so that a 0 contradicts the model's; that
/// of an output leaves it to the model (B-084). An argument of unknown rank may
/// have any shape. Fails with invalidArgument.
Status checkStatedShape(const Argument &argument,
                        std::span<const uint32_t> stated);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_MODEL_ARGUMENTSHAPE_H
