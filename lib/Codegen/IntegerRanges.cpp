//===- IntegerRanges.cpp - Ranges of the integers of a module -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerRanges.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

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

bool IntegerRanges::isNonNegative(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant >= 0;
  std::optional<ConstantIntRanges> range =
      value.getType().isIntOrIndex() ? of(value) : std::nullopt;
  return range && range->smin().isNonNegative();
}
