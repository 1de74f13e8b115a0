//===- ElementKernel.h - An invocation for each element ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_ELEMENTKERNEL_H
#define NNHAL_LIB_TARGET_GPU_ELEMENTKERNEL_H

#include "Kernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace nnhal::nngpu {

/// Whether invocations of \p op, one for each element of its parallel loops,
/// write to different elements and read none that others write.
bool hasElementKernel(mlir::linalg::LinalgOp op);

/// The iterations of the parallel loops of \p op, whose extents are known.
int64_t countElements(mlir::linalg::LinalgOp op);

/// The first values of the sums of an operation, one for each output; null
/// where the output's element is.
using FirstValues = llvm::SmallVector<mlir::Value>;

/// Emits the work of one invocation of \p op, for which hasElementKernel()
/// holds, into \p kernel: the reductions in order, with their sums in
/// registers. Rounds of a scan store elements of their own.
llvm::LogicalResult emitElement(Kernel &kernel, mlir::linalg::LinalgOp op,
                                const FirstValues &firstValues);

/// Whether the invocations of a workgroup may share the sum that \p op computes
/// for an element: numbers are added up, or the largest or least one is found.
bool canShareSums(mlir::linalg::LinalgOp op);
/// The number of values that \p op takes into the sum of an element.
int64_t countReduced(mlir::linalg::LinalgOp op);
/// Emits \p op, for which canShareSums() holds, into \p kernel with a workgroup
/// of \p invocations invocations for each element.
llvm::LogicalResult emitShared(Kernel &kernel, mlir::linalg::LinalgOp op,
                               const FirstValues &firstValues,
                               int64_t invocations);

} // namespace nnhal::nngpu

#endif // NNHAL_LIB_TARGET_GPU_ELEMENTKERNEL_H
