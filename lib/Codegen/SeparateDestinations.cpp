//===- SeparateDestinations.cpp - A place of its own for each result ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/Passes.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace nnhal {
#define GEN_PASS_DEF_SEPARATEDESTINATIONS
#include "nnhal/Codegen/Passes.h.inc"

using namespace mlir;

/// Whether \p op gives each element the same value, which it has from no
/// tensor: linalg.fill, or what a lowering makes of one.
static bool isFill(Operation *op) {
  if (isa<linalg::FillOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic->getNumResults() == 1 &&
         generic.getNumDpsInputs() == 0 &&
         generic.getBody()->getOperations().size() == 1 &&
         !generic.payloadUsesValueFromOperand(generic.getDpsInitOperand(0));
}

/// The operands of \p op whose buffers its results may become.
static void findDestinations(Operation *op,
                             SmallVectorImpl<OpOperand *> &found) {
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    found.push_back(&insert.getDestMutable());
  else if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    for (OpOperand &init : style.getDpsInitsMutable())
      found.push_back(&init);
  else if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    for (OpOperand &init : loop.getInitsMutable())
      found.push_back(&init);
}

/// Whether the result of \p op becomes a part of a tensor of unknown extents,
/// in which its rows would be at distances that micro-kernels do not know.
static bool isPartOfDynamic(kernel::KernelOpInterface op) {
  for (Operation *user = op.getOperation(); user->hasOneUse();) {
    user = *user->user_begin();
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(user))
      return !insert.getDestType().hasStaticShape();
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(
            user))
      return false;
  }
  return false;
}

namespace {
struct SeparateDestinationsPass
    : impl::SeparateDestinationsBase<SeparateDestinationsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> worklist;
    // Fills before the places that they fill: copies of fills use those again.
    getOperation().walk([&](Operation *op) {
      if (isFill(op))
        worklist.push_back(op);
    });
    getOperation().walk([&](tensor::EmptyOp op) { worklist.push_back(op); });
    for (Operation *op : worklist)
      separate(op);
    SmallVector<OpOperand *> destinations;
    getOperation().walk(
        [&](Operation *op) { findDestinations(op, destinations); });
    for (OpOperand *destination : destinations)
      copyShared(*destination);
    getOperation().walk([&](kernel::KernelOpInterface op) {
      if (isPartOfDynamic(op))
        giveMemory(op);
    });
  }

private:
  /// A copy of \p op, which has one result, for each use but the first.
  void separate(Operation *op) {
    if (op->getNumResults() != 1 || op->use_empty())
      return;
    OpBuilder builder(op);
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(op->getUses()))) {
      use.set(builder.clone(*op)->getResult(0));
      ++numSeparated;
    }
  }

  /// Memory of its own for the result of \p op.
  void giveMemory(kernel::KernelOpInterface op) {
    auto empty = op.getDestination().getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      return;
    OpBuilder builder(op);
    Value memory = bufferization::AllocTensorOp::create(
        builder, op.getLoc(), empty.getType(), empty.getDynamicSizes());
    cast<DestinationStyleOpInterface>(op.getOperation())
        .setDpsInitOperand(0, memory);
    ++numSeparated;
  }

  /// A computed tensor that is both written over and read elsewhere: the copy
  /// that bufferization would make comes before empty tensors are eliminated.
  void copyShared(OpOperand &destination) {
    Value value = destination.get();
    Operation *definition = value.getDefiningOp();
    if (!isa<RankedTensorType>(value.getType()) || !definition ||
        value.hasOneUse() || isa<bufferization::ToTensorOp>(definition) ||
        definition->hasTrait<OpTrait::ConstantLike>())
      return;
    OpBuilder builder(destination.getOwner());
    destination.set(bufferization::AllocTensorOp::create(
        builder, definition->getLoc(), cast<RankedTensorType>(value.getType()),
        /*dynamicSizes=*/ValueRange(), /*copy=*/value));
    ++numSeparated;
  }
};
} // namespace

} // namespace nnhal
