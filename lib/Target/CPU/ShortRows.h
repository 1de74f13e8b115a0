//===- ShortRows.h - Reductions of short rows -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_SHORTROWS_H
#define NNHAL_LIB_TARGET_CPU_SHORTROWS_H

#include "CostModel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace nnhal {

/// Emits \p op, which reduces contiguous rows of 2, 4, 8 or 16 elements, in
/// front of itself as loops over as many rows as a vector has lanes. Fails, and
/// emits nothing, where it is something else, or there are few rows.
llvm::LogicalResult emitShortRows(mlir::OpBuilder &builder,
                                  mlir::linalg::LinalgOp op,
                                  const kernel::KernelTarget &target);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_SHORTROWS_H
