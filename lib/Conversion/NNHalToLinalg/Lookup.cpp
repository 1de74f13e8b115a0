//===- Lookup.cpp - Lookups of any type and shape -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataMovement.h"

using namespace mlir;
using namespace nnhal;
using rt::OperationType;

static LogicalResult lowerEmbeddingLookup(OperationLowering &op) {
  Tensor lookups = op.input(0), values = op.input(1);
  SmallVector<Scalar> extents = values.extents();
  Scalar rows = extents[0];
  checkIndices(op, 0, rows);
  extents[0] = lookups.extent(0);
  op.setOutput(op.define(op.outputType(), extents, [&](Indices at) {
    SmallVector<Scalar> from(at);
    from[0] = op.indexFrom(lookups, {at[0]}, rows);
    return values.stored(from);
  }));
  return success();
}

static constexpr LoweringRow rows[] = {
    {OperationType::EMBEDDING_LOOKUP, lowerEmbeddingLookup},
};

std::span<const LoweringRow> nnhal::lookupRows() { return rows; }
