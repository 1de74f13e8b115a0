//===- ExpandMatrices.h - Products of matrices one by one -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_EXPANDMATRICES_H
#define NNHAL_LIB_TARGET_GPU_EXPANDMATRICES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace nnhal {

/// Lets each invocation of \p kernel compute its elements of the matrices that
/// a subgroup multiplies (`gpu.subgroup_mma_compute`): what devices without
/// such an instruction execute. Factors are read where they are multiplied, so
/// that there may be no barrier between their load and that. Fails after an
/// error at an operation that is not of this form.
llvm::LogicalResult expandMatrices(mlir::gpu::GPUFuncOp kernel);

/// Counts the subgroups of \p kernel by the numbers of their invocations: what
/// a device does whose subgroups are as large as those of the kernel, and what
/// makes no difference where matrices are expanded.
void expandSubgroupIds(mlir::gpu::GPUFuncOp kernel);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_GPU_EXPANDMATRICES_H
