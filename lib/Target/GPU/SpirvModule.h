//===- SpirvModule.h - SPIR-V modules of kernels ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_SPIRVMODULE_H
#define NNHAL_LIB_TARGET_GPU_SPIRVMODULE_H

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

#include <cstdint>
#include <string>

namespace nnhal {

/// The words of \p module as Vulkan reads them, without names of values and
/// locations. Fails after an error that says what has no encoding.
mlir::FailureOr<mlir::SmallVector<uint32_t>>
serializeKernels(mlir::spirv::ModuleOp module);

/// The capabilities that \p module declares as "+Float64,+Int8,+Shader", in the
/// order of their names.
std::string featuresOf(mlir::spirv::ModuleOp module);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_GPU_SPIRVMODULE_H
