//===- KernelToVector.h - Micro-kernels to loops ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_KERNELTOVECTOR_KERNELTOVECTOR_H
#define NNHAL_LIB_TARGET_CPU_KERNELTOVECTOR_KERNELTOVECTOR_H

#include "../CostModel.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

namespace mlir {
class RewritePatternSet;
class RewriterBase;
} // namespace mlir

namespace nnhal::kernel {

/// Attaches KernelLoweringInterface to the kernels of the dialect.
void registerKernelLoweringModels(mlir::DialectRegistry &registry);

/// Replaces `op`, on memrefs of static shape with a contiguous last dimension,
/// by loops. Fails with a diagnostic on the operation, leaving it in place,
/// where an operand's layout is not supported.
llvm::LogicalResult lowerKernel(KernelOpInterface op,
                                mlir::RewriterBase &rewriter,
                                const KernelTarget &target);

} // namespace nnhal::kernel

#endif // NNHAL_LIB_TARGET_CPU_KERNELTOVECTOR_KERNELTOVECTOR_H
