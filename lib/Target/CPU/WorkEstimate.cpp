//===- WorkEstimate.cpp - How long a loop nest runs -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkEstimate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace nnhal {

using namespace mlir;

/// What \p value is where it is a constant or computed of them; see the header.
/// Looks at most \p depth operations back, because each has two operands.
static std::optional<int64_t> typicalValue(Value value, unsigned depth = 8) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return constant;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2 || depth == 0)
    return std::nullopt;
  std::optional<int64_t> left = typicalValue(op->getOperand(0), depth - 1);
  std::optional<int64_t> right = typicalValue(op->getOperand(1), depth - 1);
  bool isMin = isa<arith::MinSIOp>(op);
  if (isMin || isa<arith::MaxSIOp>(op)) {
    if (left && right)
      return isMin ? std::min(*left, *right) : std::max(*left, *right);
    return left ? left : right;
  }
  if (!left || !right)
    return std::nullopt;
  int64_t result = 0;
  if (isa<arith::AddIOp>(op) && !llvm::AddOverflow(*left, *right, result))
    return result;
  if (isa<arith::MulIOp>(op) && !llvm::MulOverflow(*left, *right, result))
    return result;
  return std::nullopt;
}

/// The typical value of a bound of a loop: a constant attribute or a value.
static std::optional<int64_t> typicalBound(OpFoldResult bound) {
  if (auto value = dyn_cast<Value>(bound))
    return typicalValue(value);
  return getConstantIntValue(bound);
}

static std::optional<int64_t> trips(std::optional<int64_t> lower,
                                    std::optional<int64_t> upper,
                                    std::optional<int64_t> step) {
  int64_t length = 0;
  if (!lower || !upper || !step || *step < 1 ||
      llvm::SubOverflow(*upper, *lower, length))
    return std::nullopt;
  return length <= 0 ? 0 : llvm::divideCeil(length, *step);
}

std::optional<int64_t> constantTrips(LoopLikeOpInterface loop) {
  std::optional<OpFoldResult> lower = loop.getSingleLowerBound();
  std::optional<OpFoldResult> upper = loop.getSingleUpperBound();
  std::optional<OpFoldResult> step = loop.getSingleStep();
  if (!lower || !upper || !step)
    return std::nullopt;
  return trips(getConstantIntValue(*lower), getConstantIntValue(*upper),
               getConstantIntValue(*step));
}

/// Registers of \p bits that a value of \p type takes.
static double registersOf(Type type, int64_t bits) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || !vector.getElementType().isIntOrFloat())
    return 1.0;
  return double(llvm::divideCeil(
      vector.getNumElements() * vector.getElementTypeBitWidth(), bits));
}

namespace {
/// Operations on registers in one block.
struct Counts {
  double computed = 0.0;
  double loaded = 0.0;
  double stored = 0.0;
  /// Cycles of what is not counted in operations.
  double other = 0.0;
  const kernel::CostModel &costs;

  void add(Operation &op);
  double cycles() const {
    return std::max({computed / 2, loaded / 2, stored}) + other;
  }
};
} // namespace

static double loopCycles(LoopLikeOpInterface loop,
                         const kernel::CostModel &costs);

void Counts::add(Operation &op) {
  auto registers = [&](Type type) {
    return registersOf(type, costs.estimatedRegister);
  };
  if (isa<scf::ForOp, scf::ForallOp>(op)) {
    other += loopCycles(cast<LoopLikeOpInterface>(op), costs);
    return;
  }
  for (Region &region : op.getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        add(inner);
  if (isa<vector::StoreOp, vector::MaskedStoreOp, memref::StoreOp>(op)) {
    Value stored = op.getOperand(
        isa<vector::MaskedStoreOp>(op) ? op.getNumOperands() - 1 : 0);
    this->stored += registers(stored.getType());
    return;
  }
  if (op.getNumResults() != 1 || op.hasTrait<OpTrait::ConstantLike>() ||
      op.getResult(0).getType().isIndex())
    return;
  Type type = op.getResult(0).getType();
  // A broadcast is part of the load before it.
  if (isa<ViewLikeOpInterface, vector::BroadcastOp>(op))
    return;
  if (hasEffect<MemoryEffects::Read>(&op))
    loaded += registers(type);
  else
    computed += registers(type);
  if (isa_and_present<math::MathDialect>(op.getDialect()) ||
      isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp>(op))
    if (!isa<math::FmaOp, math::AbsFOp, math::AbsIOp>(op))
      other += double(costs.estimatedFunction) * registers(type);
}

static double loopCycles(LoopLikeOpInterface loop,
                         const kernel::CostModel &costs) {
  Counts counts{.costs = costs};
  for (Operation &op : loop.getLoopRegions().front()->front())
    counts.add(op);
  double rounds = 1.0;
  for (auto [lower, upper, step] :
       llvm::zip_equal(*loop.getLoopLowerBounds(), *loop.getLoopUpperBounds(),
                       *loop.getLoopSteps()))
    rounds *= double(
        trips(typicalBound(lower), typicalBound(upper), typicalBound(step))
            .value_or(costs.estimatedRounds));
  return rounds * (counts.cycles() + 1.0);
}

double estimateNanoseconds(LoopLikeOpInterface loop,
                           const kernel::CostModel &costs) {
  return loopCycles(loop, costs) / (double(costs.estimatedClock) / 1000);
}

} // namespace nnhal
