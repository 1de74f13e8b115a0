//===- OperationPattern.cpp - Operations in the HAL's form ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationLowering.h"

#include "../Patterns.h"
#include "../WithoutRoutines.h"

#include <array>

using namespace mlir;
using namespace nnhal;

/// The lowerings of targets that have routines of the runtime, or do not.
static std::array<LoweringFunction, rt::operationCount>
makeTable(bool hasRoutines) {
  std::array<LoweringFunction, rt::operationCount> table{};
  auto add = [&](std::span<const LoweringRow> rows) {
    for (const LoweringRow &row : rows)
      table[size_t(row.type)] = row.lower;
  };
  for (std::span<const LoweringRow> family :
       {activationRows(), contractionRows(), dataMovementRows(),
        detectionRows(), elementwiseRows(), lookupRows(), normalizationRows(),
        recurrentRows(), reductionRows(), resizeRows(), shapeRows(),
        windowRows()})
    add(family);
  if (hasRoutines)
    add(routineRows());
  else
    for (std::span<const LoweringRow> family :
         {searchRows(), suppressionRows()})
      add(family);
  return table;
}

/// The lowering of \p type for \p policy; null where there is none.
static LoweringFunction lookUpLowering(rt::OperationType type,
                                       const LoweringPolicy &policy) {
  static const std::array tables = {makeTable(false), makeTable(true)};
  const auto &table = tables[policy.hasRoutines() ? 1 : 0];
  return size_t(type) < table.size() ? table[size_t(type)] : nullptr;
}

namespace {
/// An operation of the HAL, in whatever form -> tensors of expressions.
/// One is made per operation: among patterns of one operation the benefit
/// decides, but not between these and a pattern of an interface.
struct OperationPattern : ConversionPattern {
  OperationPattern(const TypeConverter &converter, OperationName name,
                   LinalgLowering &lowering)
      : ConversionPattern(converter, name.getStringRef(), /*benefit=*/1,
                          name.getContext()),
        lowering(lowering) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    OperationLowering operation(cast<HalFormOpInterface>(op), operands,
                                rewriter, lowering);
    if (failed(operation.prepare()))
      return failure();
    LoweringFunction lower =
        lookUpLowering(operation.type(), operation.policy());
    if (!lower)
      return operation.fail("no lowering for this operation");
    if (failed(lower(operation)))
      return failure();
    return operation.finish(*getTypeConverter());
  }

private:
  LinalgLowering &lowering;
};
} // namespace

void nnhal::populateOperationPatterns(const TypeConverter &converter,
                                      RewritePatternSet &patterns,
                                      LinalgLowering &lowering) {
  for (RegisteredOperationName name :
       patterns.getContext()->getRegisteredOperations())
    if (name.hasInterface<HalFormOpInterface>())
      patterns.add<OperationPattern>(converter, name, lowering);
}
