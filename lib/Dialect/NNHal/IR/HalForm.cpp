//===- HalForm.cpp - Operations turned back into the HAL's form -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/HalForm.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Float16.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstring>
#include <limits>

using namespace mlir;
using namespace nnhal;

/// Larger splats are not expanded: no rule reads that many elements.
static constexpr uint64_t expansionLimit = 1024;

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

Attribute nnhal::enumeratorAttr(MLIRContext *context, HalInput::Kind kind,
                                int64_t code) {
  if (code < 0 || code > std::numeric_limits<int32_t>::max())
    return nullptr;
  switch (kind) {
  case HalInput::recurrentActivation:
    if (auto value = symbolizeRecurrentActivation(uint32_t(code)))
      return RecurrentActivationAttr::get(context, *value);
    return nullptr;
  case HalInput::softNmsKernel:
    if (auto value = symbolizeSoftNmsKernel(uint32_t(code)))
      return SoftNmsKernelAttr::get(context, *value);
    return nullptr;
  case HalInput::lshKind:
    if (auto value = symbolizeLshKind(uint32_t(code)))
      return LshKindAttr::get(context, *value);
    return nullptr;
  default:
    return nullptr;
  }
}

/// The HAL's code of \p attribute, which ODS has let pass.
static int64_t codeOf(Attribute attribute) {
  return llvm::TypeSwitch<Attribute, int64_t>(attribute)
      .Case<RecurrentActivationAttr, SoftNmsKernelAttr, LshKindAttr>(
          [](auto enumerator) { return int64_t(enumerator.getValue()); })
      .Default([](Attribute) { return int64_t(0); });
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// A scalar, or a tensor without dimensions, as rules see it.
static rt::Result<rt::TensorType> undimensioned(Type type) {
  if (isa<ExtensionType>(getElementTypeOrSelf(type)))
    return rt::badData("it is of an extension, which the operation is not");
  NNHAL_ASSIGN_OR_RETURN(rt::Operand operand, operandOfType(type, {}));
  rt::TensorType result = rt::TensorType::of(operand);
  result.isRanked |= rt::isScalar(operand.type);
  return result;
}

rt::TensorType HalView::typeOf(Type type, bool isStated, StringRef what,
                               size_t index) {
  // An operand does not tell extent 0 from an unknown one.
  auto ranked = dyn_cast<RankedTensorType>(type);
  rt::Result<rt::TensorType> result =
      ranked && !isStated
          ? undimensioned(UnrankedTensorType::get(ranked.getElementType()))
          : undimensioned(type);
  if (!result.isOk()) {
    if (status.isOk())
      status = rt::badData("{} {}: {}", what.str(), index,
                           result.status().message());
    return {};
  }
  if (ranked && !isStated) {
    result->isRanked = true;
    for (int64_t extent : ranked.getShape())
      result->dimensions.push_back(
          ShapedType::isDynamic(extent) ? rt::unknownExtent : extent);
  }
  return *std::move(result);
}

Attribute nnhal::definingConstant(Value value) {
  if (auto constant = value.getDefiningOp<ConstantOp>())
    return constant.getValueAttr();
  if (auto copy = value.getDefiningOp<ConstantCopyOp>())
    return copy.getValueAttr();
  return nullptr;
}

std::optional<std::span<const std::byte>> HalView::valueOf(Value value) {
  Attribute attribute = definingConstant(value);
  std::optional<uint64_t> size = byteSizeOfType(value.getType());
  if (!attribute || !size)
    return std::nullopt;
  std::optional<ArrayRef<char>> bytes = borrowBytes(attribute);
  if (!bytes && *size <= expansionLimit) {
    std::vector<uint8_t> expanded;
    if (appendBytes(attribute, expanded).isOk()) {
      storage.push_back(std::move(expanded));
      bytes = ArrayRef(reinterpret_cast<const char *>(storage.back().data()),
                       storage.back().size());
    }
  }
  // The constant may not have been verified yet.
  if (!bytes || bytes->size() != *size)
    return std::nullopt;
  return std::as_bytes(std::span(bytes->data(), bytes->size()));
}

void HalView::addInput(Value value) { addInput(value, /*isStated=*/false); }

void HalView::addStatedInput(Value value) {
  addInput(value, /*isStated=*/true);
}

void HalView::addInput(Value value, bool isStated) {
  rt::OperandView view;
  view.type =
      typeOf(value.getType(), isStated, "input", operation.inputs.size());
  view.isOmitted = bool(value.getDefiningOp<NoValueOp>());
  view.value = valueOf(value);
  operation.inputs.push_back(std::move(view));
}

void HalView::addReference() {
  rt::OperandView view;
  view.type.type = rt::OperandType::SUBGRAPH;
  operation.inputs.push_back(std::move(view));
}

void HalView::addOutput(Type type) {
  operation.outputs.push_back(
      {typeOf(type, /*isStated=*/false, "output", operation.outputs.size())});
}

void HalView::addStatedOutput(Type type) {
  operation.outputs.push_back(
      {typeOf(type, /*isStated=*/true, "output", operation.outputs.size())});
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

template <typename T> void HalView::addScalar(rt::OperandType type, T value) {
  std::vector<uint8_t> &bytes = storage.emplace_back(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  rt::OperandView view;
  view.type.type = type;
  view.value = std::as_bytes(std::span(bytes));
  operation.inputs.push_back(std::move(view));
}

void HalView::addInteger(StringRef name, int64_t value) {
  constexpr int64_t low = std::numeric_limits<int32_t>::min();
  constexpr int64_t high = std::numeric_limits<int32_t>::max();
  if ((value < low || value > high) && status.isOk())
    status = rt::badData("{} is {}, expected {} to {}", name.str(), value, low,
                         high);
  addScalar(rt::OperandType::INT32, int32_t(value));
}

void HalView::addReal(double value) {
  if (operation.inputs.front().type.type == rt::OperandType::TENSOR_FLOAT16)
    addScalar(rt::OperandType::FLOAT16, rt::float16FromDouble(value));
  else
    addScalar(rt::OperandType::FLOAT32, float(value));
}

void HalView::addAttribute(const HalInput &input, Attribute attribute) {
  switch (input.kind) {
  case HalInput::integer:
    return addInteger(input.name, attribute
                                      ? cast<IntegerAttr>(attribute).getInt()
                                      : int64_t(input.fallback.value_or(0)));
  case HalInput::real:
    return addReal(attribute ? cast<FloatAttr>(attribute).getValueAsDouble()
                             : input.fallback.value_or(0));
  case HalInput::flag:
    return addScalar(
        rt::OperandType::BOOL,
        uint8_t(attribute && cast<BoolAttr>(attribute).getValue()));
  case HalInput::numberFlag:
    return addScalar(
        rt::OperandType::INT32,
        int32_t(attribute && cast<BoolAttr>(attribute).getValue()));
  case HalInput::recurrentActivation:
  case HalInput::softNmsKernel:
  case HalInput::lshKind:
    return addInteger(input.name, attribute ? codeOf(attribute) : 0);
  case HalInput::layout:
    return addScalar(rt::OperandType::BOOL, uint8_t(false));
  case HalInput::operand:
  case HalInput::spatial:
  case HalInput::optional:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult nnhal::verifyHalForm(Operation *op, HalView &view) {
  for (Type type : op->getResultTypes())
    view.addOutput(type);
  if (!view.getStatus().isOk())
    return verifyStatus(op, view.getStatus());
  return verifyStatus(op, rt::checkOperation(view.getOperation()).status());
}

RuleResult nnhal::inferHalForm(HalView &view, unsigned resultCount) {
  view.setOutputCount(resultCount);
  NNHAL_RETURN_IF_ERROR(rt::Status(view.getStatus()));
  NNHAL_ASSIGN_OR_RETURN(rt::OperationFacts facts,
                         rt::inferOperation(view.getOperation()));
  return std::move(facts.results);
}

LogicalResult nnhal::verifyStatedUse(OperationOp op, rt::OperationType type) {
  HalView view;
  view.setType(type);
  for (Value input : op.getInputs())
    view.addStatedInput(input);
  for (Type output : op.getResultTypes())
    view.addStatedOutput(output);
  if (!view.getStatus().isOk())
    return verifyStatus(op, view.getStatus());
  return verifyStatus(op, rt::checkOperation(view.getOperation()).status());
}

//===----------------------------------------------------------------------===//
// Operations in the HAL's form
//===----------------------------------------------------------------------===//

rt::Status nnhal::readHalForm(OperationOp op, HalView &view) {
  const rt::OperationInfo *info =
      rt::lookUpOperation(std::string_view(op.getHalName()));
  if (!info)
    return rt::badData("{} is no operation of the HAL", op.getHalName().str());
  view.setType(info->type);
  for (Value input : op.getInputs())
    view.addInput(input);
  for (Type output : op.getResultTypes())
    view.addOutput(output);
  return view.getStatus();
}

rt::Status nnhal::refineResultTypes(OperationOp op) {
  HalView view;
  NNHAL_RETURN_IF_ERROR(readHalForm(op, view));
  NNHAL_ASSIGN_OR_RETURN(rt::OperationFacts facts,
                         rt::checkOperation(view.getOperation()));
  for (auto [result, type] : llvm::zip(op->getResults(), facts.results))
    result.setType(withInferredExtents(result.getType(), type));
  return rt::Status::ok();
}
