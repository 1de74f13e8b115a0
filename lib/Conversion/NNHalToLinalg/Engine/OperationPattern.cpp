//===- OperationPattern.cpp - Operations in the HAL's form ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationLowering.h"

#include "../Patterns.h"

#include <array>

using namespace mlir;
using namespace nnhal;

/// The lowering of \p type; null where there is none.
static GeneralLowering lookUpLowering(rt::OperationType type) {
  static const std::array<GeneralLowering, rt::operationCount> table = [] {
    std::array<GeneralLowering, rt::operationCount> rows{};
    for (std::span<const GeneralLoweringRow> family :
         {generalActivationRows(), generalContractionRows(),
          generalDataMovementRows(), generalDetectionRows(),
          generalElementwiseRows(), generalLookupRows(),
          generalNormalizationRows(), generalRecurrentRows(),
          generalReductionRows(), generalResizeRows(), generalShapeRows(),
          generalWindowRows(), routineRows()})
      for (const GeneralLoweringRow &row : family)
        rows[size_t(row.type)] = row.lower;
    return rows;
  }();
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
    if (failed(operation.prepare()) || failed(checkRanks(op, operation)))
      return failure();
    GeneralLowering lower = lookUpLowering(operation.type());
    if (!lower)
      return operation.fail("no lowering for this operation");
    if (failed(lower(operation)))
      return failure();
    return operation.finish(*getTypeConverter());
  }

private:
  /// Every operand that is given must have a known rank: loops and checks are
  /// made for each dimension.
  static LogicalResult checkRanks(Operation *op, OperationLowering &lowering) {
    for (auto [index, input] : llvm::enumerate(op->getOperands()))
      if (isa<UnrankedTensorType>(input.getType()) &&
          !input.getDefiningOp<NoValueOp>())
        return lowering.fail("input " + std::to_string(index) +
                             " has an unknown rank");
    return success();
  }

  LinalgLowering &lowering;
};
} // namespace

void nnhal::populateGeneralPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns,
                                    LinalgLowering &lowering) {
  for (RegisteredOperationName name :
       patterns.getContext()->getRegisteredOperations())
    if (name.hasInterface<HalFormOpInterface>())
      patterns.add<OperationPattern>(converter, name, lowering);
}
