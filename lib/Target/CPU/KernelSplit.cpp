//===- KernelSplit.cpp - Loop nests in pieces -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSplit.h"

#include "WorkEstimate.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>
#include <cmath>

namespace nnhal {

using namespace mlir;

namespace {
/// Loops of one depth, scf.for and scf.forall.
using Level = SmallVector<LoopLikeOpInterface>;
} // namespace

scf::ForallOp createPieceLoop(OpBuilder &builder, Location location,
                              OpFoldResult lower, OpFoldResult upper,
                              OpFoldResult step) {
  ArrayAttr mapping =
      builder.getArrayAttr({kernel::PieceAttr::get(builder.getContext())});
  auto folded = [](OpFoldResult bound) {
    auto value = dyn_cast<Value>(bound);
    return value ? getAsOpFoldResult(value) : bound;
  };
  return scf::ForallOp::create(builder, location, folded(lower), folded(upper),
                               folded(step), /*outputs=*/ValueRange(), mapping);
}

namespace {
/// Constants of index type at the beginning of a function. Upstream's
/// conversion would make three for each loop, where it stands.
class IndexConstants {
public:
  /// The constants are those of the function that \p loop is in.
  explicit IndexConstants(Operation *loop) {
    Region *region = loop->getParentRegion();
    while (!region->getParentOp()->hasTrait<OpTrait::IsIsolatedFromAbove>())
      region = region->getParentOp()->getParentRegion();
    block = &region->front();
    // No loop stands before what has regions.
    for (Operation &op : *block) {
      if (op.getNumRegions() != 0)
        break;
      if (auto constant = dyn_cast<arith::ConstantIndexOp>(op))
        known.try_emplace(constant.value(), constant);
    }
  }

  SmallVector<Value> get(Location location, ArrayRef<OpFoldResult> bounds) {
    return llvm::map_to_vector(bounds, [&](OpFoldResult bound) -> Value {
      if (auto value = dyn_cast<Value>(bound))
        return value;
      Value &constant = known[*getConstantIntValue(bound)];
      if (!constant) {
        OpBuilder builder = OpBuilder::atBlockBegin(block);
        constant = arith::ConstantIndexOp::create(builder, location,
                                                  *getConstantIntValue(bound));
      }
      return constant;
    });
  }

private:
  Block *block;
  llvm::DenseMap<int64_t, Value> known;
};
} // namespace

static SmallVector<scf::ForOp> makeSequential(RewriterBase &rewriter,
                                              scf::ForallOp loop,
                                              IndexConstants &constants) {
  DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
  Location location = loop.getLoc();
  SmallVector<int64_t> dynamic(loop.getRank(), ShapedType::kDynamic);
  SmallVector<Value> lower = constants.get(location, loop.getMixedLowerBound());
  SmallVector<Value> upper = constants.get(location, loop.getMixedUpperBound());
  SmallVector<Value> step = constants.get(location, loop.getMixedStep());
  loop.getDynamicLowerBoundMutable().assign(lower);
  loop.getDynamicUpperBoundMutable().assign(upper);
  loop.getDynamicStepMutable().assign(step);
  loop.setStaticLowerBound(dynamic);
  loop.setStaticUpperBound(dynamic);
  loop.setStaticStep(dynamic);
  SmallVector<Operation *> results;
  [[maybe_unused]] LogicalResult converted =
      scf::forallToForLoop(rewriter, loop, &results);
  assert(succeeded(converted) && "a loop without results can be converted");
  SmallVector<scf::ForOp> loops;
  for (Operation *result : results) {
    result->setDiscardableAttrs(attributes);
    loops.push_back(cast<scf::ForOp>(result));
  }
  return loops;
}

SmallVector<scf::ForOp> makeSequential(RewriterBase &rewriter,
                                       scf::ForallOp loop) {
  IndexConstants constants(loop);
  return makeSequential(rewriter, loop, constants);
}

void makeAllSequential(Operation *root) {
  IRRewriter rewriter(root->getContext());
  SmallVector<scf::ForallOp> loops;
  root->walk([&](scf::ForallOp loop) {
    if (loop.getNumResults() == 0)
      loops.push_back(loop);
  });
  std::optional<IndexConstants> constants;
  Operation *function = nullptr;
  for (scf::ForallOp loop : loops) {
    Operation *parent =
        loop->getParentWithTrait<OpTrait::IsIsolatedFromAbove>();
    if (parent != function)
      constants.emplace(loop);
    function = parent;
    makeSequential(rewriter, loop, *constants);
  }
}

static bool isMappedToPieces(scf::ForallOp loop) {
  std::optional<ArrayAttr> mapping = loop.getMapping();
  return mapping && mapping->size() == 1 &&
         isa<kernel::PieceAttr>((*mapping)[0]);
}

static bool isSplittable(LoopLikeOpInterface loop) {
  auto forall = dyn_cast<scf::ForallOp>(loop.getOperation());
  return forall && isMappedToPieces(forall) && forall.getNumResults() == 0 &&
         constantTrips(loop).value_or(0) > 0;
}

/// The loops directly inside of \p level. Empty when there is something beside
/// them that each piece would do again.
static Level innerLevel(const Level &level) {
  Level inner;
  for (LoopLikeOpInterface loop : level)
    for (Operation &op :
         loop.getLoopRegions().front()->front().without_terminator()) {
      if (isa<scf::ForOp, scf::ForallOp>(op) && op.getNumResults() == 0)
        inner.push_back(cast<LoopLikeOpInterface>(op));
      else if (!isMemoryEffectFree(&op) &&
               !hasSingleEffect<MemoryEffects::Read>(&op))
        return {};
    }
  return inner;
}

static int64_t mostTrips(const Level &level) {
  int64_t most = 0;
  for (LoopLikeOpInterface loop : level)
    most = std::max(most, *constantTrips(loop));
  return most;
}

std::optional<KernelSplit> planSplit(LoopLikeOpInterface nest,
                                     const kernel::CostModel &costs) {
  Level best;
  int64_t count = 1;
  for (Level level = {nest}; !level.empty() && count < costs.splitPieces;
       level = innerLevel(level)) {
    if (!llvm::all_of(level, isSplittable))
      continue;
    int64_t trips = mostTrips(level);
    // Deeper pieces repeat what is around them: not for little.
    if (trips >= 2 * count) {
      best = level;
      count = trips;
    }
  }
  double work = estimateNanoseconds(nest, costs);
  if (best.empty() || work < double(costs.splitWork))
    return std::nullopt;
  auto grain =
      int64_t(std::ceil(double(costs.splitPiece) * double(count) / work));
  grain = std::max<int64_t>(grain, 1);
  if (grain > count / 2)
    return std::nullopt;
  auto loops = llvm::map_to_vector(best, [](LoopLikeOpInterface loop) {
    return cast<scf::ForallOp>(loop.getOperation());
  });
  return KernelSplit{std::move(loops), count, grain};
}

void restrictToRange(scf::ForOp loop, int64_t count, Value begin, Value end,
                     OpBuilder &builder) {
  Location loc = loop.getLoc();
  int64_t trips = *constantTrips(loop);
  int64_t lower = *getConstantIntValue(loop.getLowerBound());
  int64_t step = *getConstantIntValue(loop.getStep());
  constexpr auto noWrap = arith::IntegerOverflowFlags::nsw;
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto multiply = [&](Value value, int64_t factor) -> Value {
    if (factor == 1)
      return value;
    return arith::MulIOp::create(builder, loc, value, index(factor), noWrap);
  };
  // A piece has some or none of the rounds where these are fewer than the range
  // is long: rounding down at both ends covers each round once.
  auto bound = [&](Value at) -> Value {
    if (trips != count)
      at = arith::DivUIOp::create(builder, loc, multiply(at, trips),
                                  index(count));
    at = multiply(at, step);
    if (lower == 0)
      return at;
    return arith::AddIOp::create(builder, loc, at, index(lower), noWrap);
  };
  loop.setLowerBound(bound(begin));
  loop.setUpperBound(bound(end));
}

bool isPassedToPieces(Type type) {
  if (auto buffer = dyn_cast<MemRefType>(type)) {
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    return buffer.hasStaticShape() && !buffer.getMemorySpace() &&
           succeeded(buffer.getStridesAndOffset(strides, offset)) &&
           !ShapedType::isDynamic(offset) &&
           llvm::none_of(strides, ShapedType::isDynamic);
  }
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getRank() == 1 && !vector.isScalable() &&
           vector.getElementType().isIntOrFloat();
  return type.isIntOrIndexOrFloat() || isa<LLVM::LLVMPointerType>(type);
}

} // namespace nnhal
