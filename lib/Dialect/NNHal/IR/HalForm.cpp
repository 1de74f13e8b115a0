//===- HalForm.cpp - Operations turned back into the HAL's form -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Canonical operations have operands, attributes and result types where the HAL
// has a list of operands. The list of NNHal_FormOp tells for each HAL input
// what states it here; a view is filled input by input from it. An operand adds
// its type, and its value if it is defined by a constant. An attribute adds a
// constant of the HAL's type: numbers, flags and enumerators as INT32 or BOOL,
// lists as TENSOR_INT32, pads as explicit ones or the scheme. What only result
// types state, such as the sizes of a resize or a shape, is read back from
// them; several unknown extents leave the value unknown.
//
// Rules and verifiers then see what they see of a HAL model: verification,
// inference of types and refinement all hand the view to the functions that
// validate models, so that both levels have one set of rules. The first failure
// of filling a view is kept in it, and reported in place of any other.
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
// Forms
//===----------------------------------------------------------------------===//

unsigned nnhal::countInputs(const HalInput &input,
                            const rt::InputPlaces &places, size_t at) {
  auto rows = places.rows().subspan(std::min(at, places.rows().size()));
  auto count = [&](auto belongs) {
    return unsigned(llvm::find_if_not(rows, belongs) - rows.begin());
  };
  switch (input.kind) {
  case HalInput::variadic:
    return count([&](const rt::InputRow *row) { return row == rows.front(); });
  case HalInput::size:
    return 2;
  case HalInput::pads:
  case HalInput::transposedPads:
    // The pads themselves, or what stands for them.
    return count([](const rt::InputRow *row) {
      return row->form != rt::InputForm::every;
    });
  default:
    return 1;
  }
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

Attribute nnhal::enumeratorAttr(MLIRContext *context, HalInput::Kind kind,
                                int64_t code) {
  if (code < 0 || code > std::numeric_limits<int32_t>::max())
    return nullptr;
  switch (kind) {
  case HalInput::activation:
    if (auto value = symbolizeFusedActivation(uint32_t(code)))
      return FusedActivationAttr::get(context, *value);
    return nullptr;
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
      .Case<FusedActivationAttr, RecurrentActivationAttr, SoftNmsKernelAttr,
            LshKindAttr>(
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

rt::OperandView &HalView::addView(rt::OperandView view,
                                  std::optional<unsigned> operand) {
  operandNumbers.push_back(operand);
  return operation.inputs.emplace_back(std::move(view));
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
  addView(std::move(view), operandCount++);
}

void HalView::addReference() {
  rt::OperandView view;
  view.type.type = rt::OperandType::SUBGRAPH;
  addView(std::move(view));
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
  view.type.isRanked = true;
  view.value = std::as_bytes(std::span(bytes));
  addView(std::move(view));
}

/// \p value as the HAL's INT32; a failure of \p view where it is none.
static int32_t toInt32(HalView &view, StringRef name, int64_t value) {
  constexpr int64_t low = std::numeric_limits<int32_t>::min();
  constexpr int64_t high = std::numeric_limits<int32_t>::max();
  if (value < low || value > high)
    view.fail(rt::badData("{} is {}, expected {} to {}", name.str(), value, low,
                          high));
  return int32_t(value);
}

void HalView::addInteger(StringRef name, int64_t value) {
  addScalar(rt::OperandType::INT32, toInt32(*this, name, value));
}

void HalView::addReal(double value) {
  // Only FILL has no operand: there the result tells.
  bool hasOperand = operandCount != 0;
  rt::OperandType like = hasOperand || operation.outputs.empty()
                             ? operation.inputs.front().type.type
                             : operation.outputs.front().type.type;
  if (like == rt::OperandType::TENSOR_FLOAT16)
    addScalar(rt::OperandType::FLOAT16, rt::float16FromDouble(value));
  else
    addScalar(rt::OperandType::FLOAT32, float(value));
}

void HalView::addNumber(StringRef name, Attribute attribute) {
  if (auto real = dyn_cast<FloatAttr>(attribute))
    return addReal(real.getValueAsDouble());
  addInteger(name, cast<IntegerAttr>(attribute).getInt());
}

void HalView::addIntegers(StringRef name, std::vector<int64_t> shape,
                          std::optional<ArrayRef<int64_t>> values) {
  rt::OperandView view;
  view.type.type = rt::OperandType::TENSOR_INT32;
  view.type.isRanked = true;
  view.type.dimensions = std::move(shape);
  if (values) {
    std::vector<uint8_t> &bytes =
        storage.emplace_back(values->size() * sizeof(int32_t));
    for (auto [index, value] : llvm::enumerate(*values)) {
      int32_t element = toInt32(*this, name, value);
      std::memcpy(bytes.data() + index * sizeof element, &element,
                  sizeof element);
    }
    view.value = std::as_bytes(std::span(bytes));
  }
  addView(std::move(view));
}

void HalView::addSize(StringRef name, ArrayRef<int64_t> size) {
  constexpr int64_t ones[] = {1, 1};
  if (size.size() != 2) {
    fail(
        rt::badData("{} has {} elements, expected 2", name.str(), size.size()));
    size = ones;
  }
  addInteger(name, size[1]);
  addInteger(name, size[0]);
}

/// The HAL's padding scheme SAME.
static constexpr int32_t samePadding = 1;

void HalView::addPads(const HalInput &input, DenseI64ArrayAttr pads) {
  if (!pads) {
    if (input.kind == HalInput::transposedPads)
      addResultShape(/*isSpatial=*/true);
    return addScalar(rt::OperandType::INT32, samePadding);
  }
  ArrayRef<int64_t> values = pads.asArrayRef();
  constexpr int64_t none[] = {0, 0, 0, 0};
  if (values.size() != 4) {
    fail(rt::badData("pads has {} elements, expected 4", values.size()));
    values = none;
  }
  for (unsigned side : {2, 3, 0, 1})
    addInteger(input.name, values[side]);
}

void HalView::addResultExtent(const HalInput &input, FloatAttr factor) {
  if (factor)
    return addReal(factor.getValueAsDouble());
  const rt::TensorType &type = operation.outputs.front().type;
  size_t dimension = input.kind == HalInput::height ? 1 : 2;
  bool isKnown = type.isRanked && type.rank() == 4 &&
                 type.dimensions[dimension] != rt::unknownExtent;
  if (isKnown)
    return addInteger("the extent of the result", type.dimensions[dimension]);
  // The rule answers for what is wrong with the rank.
  if (!type.isRanked || type.rank() == 4)
    fail(rt::badData("{} is left out, but the {} of the result is unknown",
                     input.name,
                     input.kind == HalInput::height ? "height" : "width"));
  addInteger("the extent of the result", 1);
}

/// An unknown extent is what remains, where that is one; several make the shape
/// unknown. Of a shape that \p isSpatial only height and width count.
void HalView::addResultShape(bool isSpatial) {
  if (operation.outputs.empty())
    return addIntegers("shape", {rt::unknownExtent}, std::nullopt);
  const rt::TensorType &type = operation.outputs.front().type;
  std::vector<int64_t> values = type.dimensions;
  auto count = int64_t(values.size());
  if (isSpatial && count == 4)
    for (size_t dimension : {0, 3})
      if (values[dimension] == rt::unknownExtent)
        values[dimension] = 1;
  auto unknown = llvm::count(values, rt::unknownExtent);
  bool isKnown =
      type.isRanked && (unknown == 0 || (unknown == 1 && !isSpatial));
  llvm::replace(values, rt::unknownExtent, int64_t(-1));
  addIntegers(
      "the extent of the result", {type.isRanked ? count : rt::unknownExtent},
      isKnown ? std::optional<ArrayRef<int64_t>>(values) : std::nullopt);
}

void HalView::addParameter(const HalInput &input, Attribute attribute) {
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
  case HalInput::positiveFlag:
    return addScalar(
        rt::OperandType::INT32,
        int32_t(attribute && cast<BoolAttr>(attribute).getValue()));
  case HalInput::number:
    return addNumber(input.name, attribute);
  case HalInput::integers:
  case HalInput::unitAxes:
  case HalInput::permutation: {
    ArrayRef<int64_t> values = cast<DenseI64ArrayAttr>(attribute).asArrayRef();
    return addIntegers(input.name, {int64_t(values.size())}, values);
  }
  case HalInput::pairs: {
    ArrayRef<int64_t> values = cast<DenseI64ArrayAttr>(attribute).asArrayRef();
    if (values.size() % 2 != 0)
      fail(rt::badData("{} has {} elements, expected an even number",
                       input.name, values.size()));
    return addIntegers(input.name, {int64_t(values.size() / 2), 2},
                       values.drop_back(values.size() % 2));
  }
  case HalInput::activation:
  case HalInput::recurrentActivation:
  case HalInput::softNmsKernel:
  case HalInput::lshKind:
    return addInteger(input.name, attribute ? codeOf(attribute) : 0);
  case HalInput::size: {
    auto standIn = int64_t(input.fallback.value_or(0));
    if (!attribute)
      return addSize(input.name, {standIn, standIn});
    return addSize(input.name, cast<DenseI64ArrayAttr>(attribute));
  }
  case HalInput::pads:
  case HalInput::transposedPads:
    return addPads(input, cast_if_present<DenseI64ArrayAttr>(attribute));
  case HalInput::width:
  case HalInput::height:
    return addResultExtent(input, cast_if_present<FloatAttr>(attribute));
  case HalInput::resultShape:
    return addResultShape(/*isSpatial=*/false);
  case HalInput::resultCount:
    return addInteger("the number of results",
                      int64_t(operation.outputs.size()));
  case HalInput::layout:
    return addScalar(rt::OperandType::BOOL, uint8_t(false));
  case HalInput::operand:
  case HalInput::spatial:
  case HalInput::optional:
  case HalInput::variadic:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult nnhal::verifyHalForm(Operation *op) {
  HalView view;
  rt::Status status = cast<HalFormOpInterface>(op).readHalForm(view);
  if (status.isOk())
    status = rt::checkOperation(view.getOperation()).status();
  return verifyStatus(op, status);
}

void HalView::setOutputCount(unsigned count) {
  operation.outputs.resize(count);
  for (rt::OperandView &output : operation.outputs)
    output.type.isQuantizationFree = true;
}

RuleResult nnhal::inferHalForm(const HalView &view) {
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

std::optional<rt::OperationType> OperationOp::getOperationType() {
  const rt::OperationInfo *info = getHalOperation().getInfo();
  return info ? std::optional(info->type) : std::nullopt;
}

rt::Status OperationOp::readHalForm(HalView &view) {
  std::optional<rt::OperationType> type = getOperationType();
  if (!type)
    return rt::badData("{} is no operation of the HAL", getHalName());
  view.setType(*type);
  for (Value input : getInputs())
    view.addInput(input);
  for (Type output : getResultTypes())
    view.addOutput(output);
  return rt::Status(view.getStatus());
}

const rt::InputRow *nnhal::inputRowOf(OpOperand &use) {
  auto op = dyn_cast<OperationOp>(use.getOwner());
  HalView view;
  if (!op || !op.readHalForm(view).isOk())
    return nullptr;
  rt::InputPlaces places(view.getOperation());
  unsigned index = use.getOperandNumber();
  return index < places.rows().size() ? places.rows()[index] : nullptr;
}

rt::Status nnhal::refineResultTypes(Operation *op) {
  HalView view;
  NNHAL_RETURN_IF_ERROR(cast<HalFormOpInterface>(op).readHalForm(view));
  NNHAL_ASSIGN_OR_RETURN(rt::OperationFacts facts,
                         rt::checkOperation(view.getOperation()));
  for (auto [result, type] : llvm::zip(op->getResults(), facts.results))
    result.setType(withInferredExtents(result.getType(), type));
  return rt::Status::ok();
}
