//===- SeparateDestinations.cpp - A place of its own for each result ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/Passes.h"

#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/NNHal/IR/Target.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/TypeSwitch.h"

namespace nnhal {
#define GEN_PASS_DEF_SEPARATEDESTINATIONS
#include "nnhal/Codegen/Passes.h.inc"

using namespace mlir;

/// The numbers of the region of \p op that \p inner is in, and of the block of
/// that region.
static std::pair<unsigned, unsigned> placeIn(Operation *op, Operation *inner) {
  while (inner->getParentOp() != op)
    inner = inner->getParentOp();
  return {inner->getParentRegion()->getRegionNumber(),
          inner->getBlock()->computeBlockNumber()};
}

/// Whether \p a is written before \p b.
static bool isBefore(Operation *a, Operation *b) {
  for (Operation *outer = a; outer; outer = outer->getParentOp()) {
    Operation *other = outer->getBlock()->findAncestorOpInBlock(*b);
    if (!other)
      continue;
    if (outer != other)
      return outer->isBeforeInBlock(other);
    return outer != b && (outer == a || placeIn(outer, a) < placeIn(outer, b));
  }
  return false;
}

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

/// Whether \p size elements from \p offset on are known to be among the first
/// \p extent ones: the offset is a number, or counted by a loop.
static bool isInside(OpFoldResult offset, int64_t size, int64_t extent) {
  if (getConstantIntValue(offset))
    return true;
  auto loop = scf::getForInductionVarOwner(dyn_cast<Value>(offset));
  if (!loop || ShapedType::isDynamic(size))
    return false;
  std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
  return begin && end && *begin >= 0 && *end - 1 + size <= extent;
}

/// Whether \p insert writes to a place that only a run can tell.
static bool isAtComputedPlace(tensor::InsertSliceOp insert) {
  if (!insert.getDestType().hasStaticShape() || !insert.hasUnitStride())
    return true;
  return !llvm::all_of_zip(insert.getMixedOffsets(), insert.getStaticSizes(),
                           insert.getDestType().getShape(), isInside);
}

/// Whether \p insert puts the result of a micro-kernel into what a loop
/// carries, whose rows may be at any distances once it is a buffer.
static bool isOfKernelInLoop(tensor::InsertSliceOp insert) {
  if (isa<func::FuncOp>(insert->getParentOp()))
    return false;
  Operation *source = insert.getSource().getDefiningOp();
  while (isa_and_present<tensor::CastOp, tensor::CollapseShapeOp,
                         tensor::ExpandShapeOp>(source))
    source = source->getOperand(0).getDefiningOp();
  return isa_and_present<kernel::KernelOpInterface>(source);
}

/// The operands that results of \p op are computed in or are views of.
static SmallVector<Value> findOrigins(Operation *op) {
  if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
          tensor::ExtractSliceOp, tensor::ReshapeOp>(op))
    return {op->getOperand(0)};
  SmallVector<OpOperand *> destinations;
  findDestinations(op, destinations);
  SmallVector<Value> origins;
  for (OpOperand *destination : destinations)
    origins.push_back(destination->get());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (op->getNumResults() != 0 && !block.empty() &&
          isa<RegionBranchOpInterface>(op))
        llvm::append_range(origins, block.back().getOperands());
  return origins;
}

/// The buffer that \p part becomes: a view where bufferization makes one, and
/// memory without gaps otherwise.
static MemRefType findBuffer(Value part) {
  auto type = cast<RankedTensorType>(part.getType());
  auto whole = MemRefType::get(type.getShape(), type.getElementType());
  Operation *definition = part.getDefiningOp();
  if (!definition)
    return whole;
  return llvm::TypeSwitch<Operation *, MemRefType>(definition)
      .Case([&](tensor::CastOp op) {
        if (!isa<RankedTensorType>(op.getSource().getType()))
          return whole;
        MemRefType source = findBuffer(op.getSource());
        return MemRefType::get(type.getShape(), type.getElementType(),
                               source.getLayout());
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        return memref::SubViewOp::inferRankReducedResultType(
            type.getShape(), findBuffer(slice.getSource()),
            slice.getMixedOffsets(), slice.getMixedSizes(),
            slice.getMixedStrides());
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        MemRefType source = findBuffer(collapse.getSrc());
        auto groups = collapse.getReassociationIndices();
        if (!memref::CollapseShapeOp::isGuaranteedCollapsible(source, groups))
          return whole;
        return memref::CollapseShapeOp::computeCollapsedType(source, groups);
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        FailureOr<MemRefType> view = memref::ExpandShapeOp::computeExpandedType(
            findBuffer(expand.getSrc()), type.getShape(),
            expand.getReassociationIndices());
        return succeeded(view) ? *view : whole;
      })
      .Default(whole);
}

/// Whether micro-kernels of \p policy cannot read \p part where it is:
/// neighbors along a dimension are at distances that only a run can tell, or
/// those along the last one, as in a slice with a step, apart.
static bool isApart(Value part, const LoweringPolicy &policy) {
  MemRefType buffer = findBuffer(part);
  if (!buffer.hasStaticShape() || buffer.getRank() == 0)
    return false;
  SmallVector<int64_t> strides;
  int64_t offset;
  return failed(buffer.getStridesAndOffset(strides, offset)) ||
         llvm::any_of(strides, ShapedType::isDynamic) ||
         (!policy.readsChannelsApart() && buffer.getShape().back() > 1 &&
          strides.back() != 1);
}

namespace {
struct SeparateDestinationsPass
    : impl::SeparateDestinationsBase<SeparateDestinationsPass> {
  void runOnOperation() override {
    std::unique_ptr<LoweringPolicy> policy = loweringPolicyOf(getOperation());
    if (!policy)
      return signalPassFailure();
    copies.clear();
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
    getOperation().walk([&](tensor::InsertSliceOp insert) {
      if (isAtComputedPlace(insert) || isOfKernelInLoop(insert))
        giveMemory(insert.getSource());
    });
    getOperation().walk(
        [&](kernel::KernelOpInterface op) { copyApart(op, *policy); });
  }

private:
  /// A copy of \p op, which has one result, for each use but the last. The
  /// order is that of the program: that of the list of uses depends on which
  /// passes ran before, and a module that is written and read forgets it.
  void separate(Operation *op) {
    if (op->getNumResults() != 1 || op->use_empty() || op->hasOneUse())
      return;
    SmallVector<OpOperand *> uses =
        llvm::map_to_vector(op->getUses(), [](OpOperand &use) { return &use; });
    llvm::sort(uses, [](OpOperand *a, OpOperand *b) {
      Operation *first = a->getOwner(), *second = b->getOwner();
      return first == second ? a->getOperandNumber() > b->getOperandNumber()
                             : isBefore(second, first);
    });
    OpBuilder builder(op);
    for (OpOperand *use : llvm::drop_begin(uses)) {
      use->set(builder.clone(*op)->getResult(0));
      ++numSeparated;
    }
  }

  /// Memory of its own for what \p part is computed in.
  void giveMemory(Value part) {
    SmallVector<Value> worklist = {part};
    DenseSet<Operation *> seen;
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val().getDefiningOp();
      if (!op || !seen.insert(op).second)
        continue;
      auto empty = dyn_cast<tensor::EmptyOp>(op);
      if (!empty) {
        llvm::append_range(worklist, findOrigins(op));
        continue;
      }
      OpBuilder builder(empty);
      Value memory = bufferization::AllocTensorOp::create(
          builder, empty.getLoc(), empty.getType(), empty.getDynamicSizes());
      empty.getResult().replaceAllUsesWith(memory);
      ++numSeparated;
    }
  }

  /// Copies operands of \p op whose channels are apart, where micro-kernels
  /// load several of them at once.
  void copyApart(kernel::KernelOpInterface op, const LoweringPolicy &policy) {
    auto copy = [&](OpOperand &operand) {
      Value part = operand.get();
      if (!isa<RankedTensorType>(part.getType()) || !isApart(part, policy))
        return;
      Value &copied = copies[part];
      if (!copied) {
        OpBuilder builder(op.getContext());
        builder.setInsertionPointAfterValue(part);
        copied = bufferization::AllocTensorOp::create(
            builder, part.getLoc(), cast<RankedTensorType>(part.getType()),
            /*dynamicSizes=*/ValueRange(), /*copy=*/part);
        ++numSeparated;
      }
      operand.set(copied);
    };
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() != op.getDestination())
        copy(operand);
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

  /// The copies that copyApart() has made, by what they are copies of.
  DenseMap<Value, Value> copies;
};
} // namespace

} // namespace nnhal
