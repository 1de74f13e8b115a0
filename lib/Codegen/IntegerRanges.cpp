//===- IntegerRanges.cpp - Ranges of the integers of a module -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerRanges.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace nnhal;

std::optional<ConstantIntRanges> IntegerRanges::of(Value value) {
  if (!solver) {
    solver = std::make_unique<DataFlowSolver>();
    dataflow::loadBaselineAnalyses(*solver);
    solver->load<dataflow::IntegerRangeAnalysis>();
    hasRanges = succeeded(solver->initializeAndRun(module));
  }
  auto *state =
      hasRanges ? solver->lookupState<dataflow::IntegerValueRangeLattice>(value)
                : nullptr;
  if (!state || state->getValue().isUninitialized())
    return std::nullopt;
  return state->getValue().getValue();
}

/// Any value of the type of \p value.
static ConstantIntRanges rangeOfType(Value value) {
  return ConstantIntRanges::maxRange(
      ConstantIntRanges::getStorageBitwidth(value.getType()));
}

/// Block arguments are known to the analysis, but for those of loops.
IntegerRanges::Local IntegerRanges::inferArgument(BlockArgument argument) {
  Local unknown = {rangeOfType(argument), /*isFinal=*/false};
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument != loop.getInductionVar() || loop.getUnsignedCmp())
    return unknown;
  Local first = local(loop.getLowerBound()), end = local(loop.getUpperBound());
  // A body that is executed has a value below the end.
  if (first.range.smin().sge(end.range.smax()))
    return unknown;
  return {
      ConstantIntRanges::fromSigned(first.range.smin(), end.range.smax() - 1),
      first.isFinal && end.isFinal};
}

IntegerRanges::Local IntegerRanges::infer(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return inferArgument(argument);
  Operation *definition = value.getDefiningOp();
  auto inferable = dyn_cast<InferIntRangeInterface>(definition);
  bool isFlow =
      definition->getNumRegions() != 0 || isa<CallOpInterface>(definition);
  Local result = {rangeOfType(value), !isFlow};
  if (isFlow || !inferable)
    return result;
  SmallVector<IntegerValueRange> operands;
  for (Value operand : definition->getOperands()) {
    if (!operand.getType().isIntOrIndex()) {
      operands.push_back(IntegerValueRange::getMaxRange(operand));
      continue;
    }
    Local known = local(operand);
    operands.emplace_back(known.range);
    result.isFinal &= known.isFinal;
  }
  inferable.inferResultRangesFromOptional(
      operands, [&](Value inferred, const IntegerValueRange &range) {
        if (inferred == value && !range.isUninitialized())
          result.range = range.getValue();
      });
  return result;
}

/// Chains of operations that indices are computed by are short.
IntegerRanges::Local IntegerRanges::local(Value value) {
  auto known = locals.find(value);
  if (known != locals.end())
    return known->second;
  // Values of unreachable blocks may depend on themselves.
  locals.insert({value, {rangeOfType(value), /*isFinal=*/false}});
  Local inferred = infer(value);
  locals.find(value)->second = inferred;
  return inferred;
}

static bool isFrom(const ConstantIntRanges &range, int64_t low, int64_t high) {
  return range.smin().getSExtValue() >= low &&
         range.smax().getSExtValue() <= high;
}

bool IntegerRanges::isWithin(Value value, int64_t low, int64_t high) {
  Local known = local(value);
  if (known.isFinal || isFrom(known.range, low, high))
    return isFrom(known.range, low, high);
  std::optional<ConstantIntRanges> range = of(value);
  return range && isFrom(*range, low, high);
}

bool IntegerRanges::isNonNegative(Value value) {
  return value.getType().isIntOrIndex() &&
         isWithin(value, 0, std::numeric_limits<int64_t>::max());
}
