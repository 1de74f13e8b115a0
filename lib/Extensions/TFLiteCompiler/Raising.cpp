//===- Raising.cpp - Operations of the extension to the dialect -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

#include "TFLiteDialect.h"

#include "nnhal/Dialect/NNHal/IR/HalForm.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// RESHAPE, SQUEEZE and EXPAND_DIMS; the last one has a second tensor always.
constexpr uint32_t reshapeCode = 22, squeezeCode = 43, expandDimsCode = 70;
/// SELECT, which is SELECT_V2 but for conditions of one dimension.
constexpr uint32_t selectCode = 64;

/// How many of an operation's operands are tensors that the raised operation
/// takes, and what stands behind them.
struct Form {
  size_t tensors = 0;
  /// The tensors behind them that only say the shape of the result.
  size_t shapes = 0;
  size_t options = 0;
};

std::optional<Form> formOf(uint32_t number) {
  if (number == reshapeCode || number == expandDimsCode)
    return Form{1, 1, 0};
  if (number == squeezeCode)
    return Form{1, 0, 0};
  std::optional<Function> function = symbolizeFunction(number);
  if (number == selectCode)
    function = Function::select_v2;
  if (!function)
    return std::nullopt;
  size_t tensors = inputsOf(*function);
  switch (*function) {
  case Function::add:
  case Function::sub:
  case Function::mul:
  case Function::leaky_relu:
    return Form{tensors, 0, 1};
  case Function::broadcast_to:
    return Form{tensors, 1, 0};
  case Function::cast:
    return Form{tensors, 0, 2};
  default:
    return Form{tensors, 0, 0};
  }
}

bool isKnown(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked && ranked.hasStaticShape();
}

/// The condition of SELECT may have one element for each of the values' first
/// dimension, which is not how others broadcast.
bool broadcasts(OperationOp op) {
  if (op.getHalOperation().getCode() != selectCode)
    return true;
  auto condition = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto values = cast<RankedTensorType>(op.getInputs()[1].getType());
  return condition.getRank() != 1 || values.getRank() == 1 ||
         condition.getNumElements() == 1;
}

/// Says why \p op is left to the runtime; the empty text where it is not.
StringRef whyCalled(OperationOp op, const Form &form) {
  if (op.getInputs().size() != form.tensors + form.shapes + form.options ||
      op->getNumResults() != 1)
    return "it has not the operator's number of operands";
  for (Value input : op.getInputs().take_front(form.tensors))
    if (!isKnown(input.getType()) || input.getDefiningOp<NoValueOp>())
      return "extents are known to an execution only";
  if (!isKnown(op->getResult(0).getType()))
    return "extents are known to an execution only";
  for (Value shape : op.getInputs().slice(form.tensors, form.shapes))
    if (!definingConstant(shape) && !shape.getDefiningOp<NoValueOp>())
      return "the shape is computed";
  for (Value option : op.getInputs().take_back(form.options))
    if (!definingConstant(option))
      return "an option is not a constant";
  if (!broadcasts(op))
    return "the condition is for the first dimension";
  return "";
}

} // namespace

FailureOr<SmallVector<Value>> TFLiteRaising::raise(OperationOp op,
                                                   OpBuilder &builder,
                                                   std::string &reason) const {
  uint32_t number = op.getHalOperation().getCode();
  std::optional<Form> form = formOf(number);
  StringRef why = form ? whyCalled(op, *form) : "the runtime computes it";
  if (!why.empty()) {
    reason = why;
    return failure();
  }
  Type result = op->getResult(0).getType();
  if (number == reshapeCode || number == squeezeCode ||
      number == expandDimsCode) {
    Value input = op.getInputs().front();
    if (getElementTypeOrSelf(input.getType()) != getElementTypeOrSelf(result)) {
      reason = "the result has another type of elements";
      return failure();
    }
    return SmallVector<Value>{
        tflite::ReshapeOp::create(builder, op.getLoc(), result, input)};
  }
  Function function =
      number == selectCode ? Function::select_v2 : *symbolizeFunction(number);
  ValueRange inputs = op.getInputs().take_front(form->tensors);
  why = whyNotLowered(function, inputs.getTypes(), result);
  if (!why.empty()) {
    reason = why;
    return failure();
  }
  uint32_t activation = 0;
  APFloat alpha(0.0f);
  if (form->options == 1) {
    Attribute option = definingConstant(op.getInputs().back());
    if (auto integer = dyn_cast<IntegerAttr>(option))
      activation = uint32_t(integer.getInt());
    else if (auto real = dyn_cast<FloatAttr>(option))
      alpha = real.getValue();
  }
  return SmallVector<Value>{ElementwiseOp::create(
      builder, op.getLoc(), result, function, inputs, activation, alpha)};
}

void TFLiteRaising::populateLowering(const TypeConverter &converter,
                                     RewritePatternSet &patterns,
                                     ConversionTarget &) const {
  populateElementwiseLowering(converter, patterns);
  populateReshapeLowering(converter, patterns);
}
