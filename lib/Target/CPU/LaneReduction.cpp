//===- LaneReduction.cpp - What is joined along a dimension ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneReduction.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace nnhal;

/// One operation of two operands, such as a sum.
static std::optional<LaneReduction> matchOperation(linalg::LinalgOp op) {
  SmallVector<Operation *> combiners;
  Value element = matchReduction(op.getRegionOutputArgs(), 0, combiners);
  if (!element || combiners.size() != 1)
    return std::nullopt;
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiners[0]);
  if (!neutral)
    return std::nullopt;
  return LaneReduction{.carried = op.getRegionOutputArgs().front(),
                       .element = element,
                       .combiners = {combiners[0]},
                       .neutral = *neutral};
}

/// The extremum of floats as nnhal::max() and nnhal::min() state it, which
/// upstream's matching does not know: a select by a comparison of the same
/// values. The element comes first, so that a NaN is passed over wherever it
/// stands, and no lane ever has one.
static std::optional<LaneReduction> matchExtremum(linalg::LinalgOp op) {
  BlockArgument carried = op.getRegionOutputArgs().front();
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  auto select = yielded.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>()
                        : arith::CmpFOp();
  if (!compare || !llvm::hasNItems(carried.getUses(), 2) ||
      compare.getLhs() != select.getTrueValue() ||
      compare.getRhs() != carried || select.getFalseValue() != carried)
    return std::nullopt;
  bool isMax = compare.getPredicate() == arith::CmpFPredicate::OGT;
  if (!isMax && compare.getPredicate() != arith::CmpFPredicate::OLT)
    return std::nullopt;
  auto type = cast<FloatType>(carried.getType());
  auto neutral = FloatAttr::get(
      type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/isMax));
  return LaneReduction{.carried = carried,
                       .element = compare.getLhs(),
                       .combiners = {compare, select},
                       .neutral = neutral};
}

std::optional<LaneReduction> LaneReduction::match(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return std::nullopt;
  std::optional<LaneReduction> found = matchOperation(op);
  return found ? found : matchExtremum(op);
}
