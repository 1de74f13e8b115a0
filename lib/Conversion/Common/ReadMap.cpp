//===- ReadMap.cpp - Reads of elements as indexing maps -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadMap.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

AffineMap nnhal::mapOfRead(linalg::GenericOp op, RankedTensorType type,
                           ValueRange indices) {
  SmallVector<int64_t> loops = op.getStaticLoopRanges();
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> results;
  llvm::SmallBitVector used(loops.size());
  for (auto [dim, index] : llvm::enumerate(indices)) {
    int64_t extent = type.getDimSize(dim);
    bool isFirst = extent == 1 && isZeroInteger(index);
    std::optional<unsigned> position;
    if (auto loop = index.getDefiningOp<linalg::IndexOp>())
      position = loop.getDim();
    else if (isFirst && int64_t(loops.size()) == type.getRank())
      position = dim; // This loop has one round and completes a permutation.
    if (position && loops[*position] == extent && !used[*position]) {
      used.set(*position);
      results.push_back(getAffineDimExpr(*position, context));
    } else if (isFirst) {
      results.push_back(getAffineConstantExpr(0, context));
    } else {
      return {};
    }
  }
  return AffineMap::get(loops.size(), 0, results, context);
}
