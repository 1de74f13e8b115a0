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

/// Induction variables are the only block arguments that are inferred here; the
/// analysis follows the others.
IntegerRanges::Local IntegerRanges::inferArgument(BlockArgument argument,
                                                  unsigned depth) {
  Local unknown = {rangeOfType(argument), /*isFinal=*/false};
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument != loop.getInductionVar() || loop.getUnsignedCmp())
    return unknown;
  Local first = local(loop.getLowerBound(), depth);
  Local end = local(loop.getUpperBound(), depth);
  // A body that is executed has a value below the end, and above the first one
  // where the variable grows.
  if (first.range.smin().sge(end.range.smax()) ||
      !local(loop.getStep(), depth).range.smin().isStrictlyPositive())
    return unknown;
  return {
      ConstantIntRanges::fromSigned(first.range.smin(), end.range.smax() - 1),
      first.isFinal && end.isFinal};
}

IntegerRanges::Local IntegerRanges::infer(Value value, unsigned depth) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return inferArgument(argument, depth);
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
      // The analysis follows integers in vectors, too.
      result.isFinal &= !isa<VectorType>(operand.getType());
      continue;
    }
    Local known = local(operand, depth);
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

IntegerRanges::Local IntegerRanges::local(Value value, unsigned depth) {
  auto known = locals.find(value);
  if (known != locals.end())
    return known->second;
  Local unknown = {rangeOfType(value), /*isFinal=*/false};
  // Chains may be long in a text; the analysis does not recurse.
  constexpr unsigned deepest = 32;
  if (depth == deepest)
    return unknown;
  // Values of unreachable blocks may depend on themselves.
  locals.insert({value, unknown});
  Local inferred = infer(value, depth + 1);
  locals.find(value)->second = inferred;
  return inferred;
}

bool IntegerRanges::holds(
    Value value, llvm::function_ref<bool(const ConstantIntRanges &)> isTrue) {
  Local known = local(value, /*depth=*/0);
  if (known.isFinal || isTrue(known.range))
    return isTrue(known.range);
  std::optional<ConstantIntRanges> range = of(value);
  return range && isTrue(*range);
}

bool IntegerRanges::isWithin(Value value, int64_t low, int64_t high) {
  return holds(value, [&](const ConstantIntRanges &range) {
    return range.smin().sge(low) && range.smax().sle(high);
  });
}

bool IntegerRanges::isNonNegative(Value value) {
  return value.getType().isIntOrIndex() &&
         holds(value, [](const ConstantIntRanges &range) {
           return range.smin().isNonNegative();
         });
}
