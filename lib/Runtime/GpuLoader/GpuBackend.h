//===- GpuBackend.h - The backends of GPUs ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_GPULOADER_GPUBACKEND_H
#define NNHAL_LIB_RUNTIME_GPULOADER_GPUBACKEND_H

#include "GpuDriver.h"

#include "nnhal/Runtime/Compiler.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nnhal::rt {

/// The compiler that the devices of GPUs ask.
struct GpuCompiler {
  /// LazyCompiler::get().
  std::function<Result<std::shared_ptr<const Compiler>>()> get;
  /// LazyCompiler::identity().
  std::function<Result<std::string>()> identity;
};

/// Makes the backend of the device that executes through \p driver, which has
/// opened \p deviceNodes.
std::unique_ptr<Backend>
createGpuBackend(std::shared_ptr<const GpuDriver> driver, GpuCompiler compiler,
                 std::vector<std::string> deviceNodes = {});

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_GPULOADER_GPUBACKEND_H
