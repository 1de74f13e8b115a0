//===- RuleUse.cpp - Shapes by the rules of an operation ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleUse.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

RuleUse::RuleUse(OperationType type) {
  view.type = type;
  OperandView output;
  output.type.isRanked = false;
  view.outputs.push_back(std::move(output));
}

RuleUse &RuleUse::add(OperandType type, const Shape &shape,
                      std::span<const std::byte> value) {
  OperandView operand;
  operand.type.type = type;
  operand.type.dimensions.assign(shape.begin(), shape.end());
  operand.value = values.emplace_back(value.begin(), value.end());
  view.inputs.push_back(std::move(operand));
  return *this;
}

RuleUse &RuleUse::tensor(const Shape &shape) {
  add(OperandType::TENSOR_FLOAT32, shape.empty() ? Shape{1} : shape, {});
  view.inputs.back().value.reset();
  return *this;
}

RuleUse &RuleUse::int32(int32_t value) {
  return add(OperandType::INT32, {}, std::as_bytes(std::span(&value, 1)));
}

RuleUse &RuleUse::boolean(bool value) {
  uint8_t byte = value;
  return add(OperandType::BOOL, {}, std::as_bytes(std::span(&byte, 1)));
}

RuleUse &RuleUse::list(std::span<const int32_t> list) {
  return this->list(list, {uint32_t(list.size())});
}

RuleUse &RuleUse::optionalList(std::span<const int32_t> list) {
  this->list(list);
  view.inputs.back().isOmitted = list.empty();
  return *this;
}

RuleUse &RuleUse::list(std::span<const int32_t> list, const Shape &shape) {
  return add(OperandType::TENSOR_INT32, shape, std::as_bytes(list));
}

Result<Shape> RuleUse::shapeOfOutput() const {
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts, inferOperation(view));
  if (std::ranges::count(facts.results[0].dimensions, 0) > 0)
    return badData("output 0 of shape {} has no elements",
                   shapeText(facts.results[0]));
  return makeShape(facts.results[0].dimensions);
}

Result<std::vector<Shape>> RuleUse::shapes(bool isScalar) const {
  NNHAL_ASSIGN_OR_RETURN(Shape shape, shapeOfOutput());
  return std::vector<Shape>{isScalar ? Shape() : std::move(shape)};
}

} // namespace nnhal::rt::tflite
