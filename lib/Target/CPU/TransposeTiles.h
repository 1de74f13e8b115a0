//===- TransposeTiles.h - Transpositions in registers -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_TRANSPOSETILES_H
#define NNHAL_LIB_TARGET_CPU_TRANSPOSETILES_H

#include "CostModel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace nnhal {

/// Emits \p op in front of itself as loops over square tiles, each of which is
/// read along the contiguous dimension of the input and written along that of
/// the output, and over what tiles leave, element by element. Fails, and emits
/// nothing, where it does not copy a buffer with its dimensions in another
/// order, the last one included, or no tile fits.
llvm::LogicalResult emitTransposeTiles(mlir::OpBuilder &builder,
                                       mlir::linalg::LinalgOp op,
                                       const kernel::CostModel &costs);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_TRANSPOSETILES_H
