//===- Scans.cpp - Results that rounds of a reduction write ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scans.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nnhal;

bool nnhal::isScanned(linalg::LinalgOp op, OpOperand &output) {
  AffineMap map = op.getMatchingIndexingMap(&output);
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  return llvm::any_of(reduced,
                      [&](unsigned dim) { return map.isFunctionOfDim(dim); });
}

bool nnhal::isScan(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInitsMutable(),
                      [&](OpOperand &output) { return isScanned(op, output); });
}

/// The buffer that \p value shows whole.
static Value wholeOf(Value value) {
  while (auto *op = value.getDefiningOp()) {
    if (!isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(
            op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool nnhal::readsOutputs(linalg::LinalgOp op) {
  SmallVector<std::pair<Value, AffineMap>> outputs;
  for (OpOperand &output : op.getDpsInitsMutable())
    outputs.push_back({output.get(), op.getMatchingIndexingMap(&output)});
  auto isOutput = [&](Value value) {
    return isa<BaseMemRefType>(value.getType()) &&
           llvm::any_of(outputs, [&](const auto &output) {
             return wholeOf(output.first) == wholeOf(value);
           });
  };
  for (OpOperand *input : op.getDpsInputOperands())
    if (isOutput(input->get()) &&
        !llvm::is_contained(
            outputs, std::pair(input->get(), op.getMatchingIndexingMap(input))))
      return true;
  return op.getBlock()
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(), isOutput)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}
