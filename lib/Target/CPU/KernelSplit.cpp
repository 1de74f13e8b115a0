//===- KernelSplit.cpp - Loop nests in pieces -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSplit.h"

#include "WorkEstimate.h"

#include "nnhal/Codegen/EntryFunction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>
#include <cmath>

namespace nnhal {

using namespace mlir;

namespace {
/// Loops of one depth.
using Level = SmallVector<scf::ForOp>;
} // namespace

static bool isSplittable(scf::ForOp loop) {
  return loop->hasAttr(parallelLoopAttrName) && loop.getNumResults() == 0 &&
         loop.getInductionVar().getType().isIndex() &&
         constantTrips(loop).value_or(0) > 0;
}

/// The loops directly inside of \p level. Empty when there is something beside
/// them that each piece would do again.
static Level innerLevel(const Level &level) {
  Level inner;
  for (scf::ForOp loop : level)
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (auto next = dyn_cast<scf::ForOp>(op);
          next && next.getNumResults() == 0)
        inner.push_back(next);
      else if (!isMemoryEffectFree(&op) &&
               !hasSingleEffect<MemoryEffects::Read>(&op))
        return {};
    }
  return inner;
}

static int64_t mostTrips(const Level &level) {
  int64_t most = 0;
  for (scf::ForOp loop : level)
    most = std::max(most, *constantTrips(loop));
  return most;
}

std::optional<KernelSplit> planSplit(scf::ForOp nest,
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
  return KernelSplit{std::move(best), count, grain};
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
  // Of fewer rounds than the range is long a piece has some or none: rounding
  // down at both ends covers each round once.
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
