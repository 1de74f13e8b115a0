//===- PlaceBranchResults.cpp - Buffers for results of branches -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"

namespace nnhal {
#define GEN_PASS_DEF_PLACEBRANCHRESULTS
#include "nnhal/Target/GPU/Passes.h.inc"

using namespace mlir;

namespace {
struct PlaceBranchResultsPass
    : impl::PlaceBranchResultsBase<PlaceBranchResultsPass> {
  void runOnOperation() override;

private:
  void placeResults(scf::IfOp branch);
};
} // namespace

/// An `scf.if` in the place of \p select, which chooses between tensors.
static scf::IfOp toBranch(arith::SelectOp select) {
  OpBuilder builder(select);
  Location loc = select.getLoc();
  auto yield = [](Value value) {
    return [value](OpBuilder &nested, Location loc) {
      scf::YieldOp::create(nested, loc, value);
    };
  };
  auto branch = scf::IfOp::create(builder, loc, select.getCondition(),
                                  yield(select.getTrueValue()),
                                  yield(select.getFalseValue()));
  select.replaceAllUsesWith(branch.getResult(0));
  select.erase();
  return branch;
}

/// The type of a buffer for what has \p type; null where there is none.
static MemRefType bufferOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return nullptr;
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// Lets both sides of \p branch write what they yield for \p result to a new
/// buffer.
static void place(OpResult result, MemRefType type, scf::IfOp branch) {
  Location loc = branch.getLoc();
  OpBuilder builder(branch);
  Value buffer = memref::AllocOp::create(builder, loc, type);
  for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
    builder.setInsertionPoint(yield);
    bufferization::MaterializeInDestinationOp::create(
        builder, loc, /*result=*/Type(),
        yield.getOperand(result.getResultNumber()), buffer,
        /*restrict=*/true, /*writable=*/true);
  }
  builder.setInsertionPointAfter(branch);
  Value read = bufferization::ToTensorOp::create(builder, loc, result.getType(),
                                                 buffer, /*restrict=*/true);
  result.replaceAllUsesWith(read);
}

void PlaceBranchResultsPass::placeResults(scf::IfOp branch) {
  llvm::BitVector placed(branch.getNumResults());
  for (OpResult result : branch.getResults()) {
    if (MemRefType type = bufferOf(result.getType())) {
      place(result, type, branch);
      placed.set(result.getResultNumber());
    }
  }
  if (placed.none())
    return;
  numPlaced += placed.count();
  for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()})
    yield->eraseOperands(placed);
  SmallVector<Value> left;
  for (OpResult result : branch.getResults())
    if (!placed.test(result.getResultNumber()))
      left.push_back(result);
  OpBuilder builder(branch);
  auto rest = scf::IfOp::create(
      builder, branch.getLoc(), ValueRange(left).getTypes(),
      branch.getCondition(), /*addThenBlock=*/false, /*addElseBlock=*/false);
  rest.getThenRegion().takeBody(branch.getThenRegion());
  rest.getElseRegion().takeBody(branch.getElseRegion());
  for (auto [old, result] : llvm::zip_equal(left, rest.getResults()))
    old.replaceAllUsesWith(result);
  branch.erase();
}

void PlaceBranchResultsPass::runOnOperation() {
  SmallVector<scf::IfOp> branches;
  getOperation().walk([&](Operation *op) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      branches.push_back(branch);
    else if (auto select = dyn_cast<arith::SelectOp>(op);
             select && bufferOf(select.getType()) &&
             select.getCondition().getType().isInteger(1))
      branches.push_back(toBranch(select));
  });
  for (scf::IfOp branch : branches)
    placeResults(branch);
}

} // namespace nnhal
