//===- KernelMemory.h - Buffers of kernels as SPIR-V has them ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_KERNELMEMORY_H
#define NNHAL_LIB_TARGET_GPU_KERNELMEMORY_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace nnhal {

/// Makes storage buffers of one dimension of the arguments of \p kernel, and
/// variables of its allocations. Accesses through views become accesses of
/// those; copies become loops. Fails after an error that names what it cannot
/// convert.
llvm::LogicalResult flattenBuffers(mlir::gpu::GPUFuncOp kernel);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_GPU_KERNELMEMORY_H
