//===- Reader.cpp - Decodes the operands of an operation ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

#include "../Rules/Checks.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Float16.h"

#include <algorithm>
#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

//===----------------------------------------------------------------------===//
// Reader
//===----------------------------------------------------------------------===//

template <typename List> static std::string listText(const List &values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0)
      text += i + 1 == values.size() ? " or " : ", ";
    text += std::to_string(values[i]);
  }
  return text;
}

Reader::Reader(const OperationView &operation)
    : operation(operation), signature(signatureOf(operation.type)),
      places(operation) {}

static Status wrongInputCount(const OperationView &operation,
                              const Signature &signature) {
  std::vector<size_t> counts = inputCountsOf(signature);
  return badData("found {} inputs, expected {}{}", operation.inputs.size(),
                 hasRepeatedInputs(signature) ? "at least " : "",
                 listText(counts));
}

Status Reader::checkCounts() {
  bool isOpen = signature->outputs.empty() && hasRepeatedInputs(*signature);
  if (isOpen && (places.rows().empty() || outputCount() < 1)) // control_flow C1
    return badData("found {} inputs and {} outputs, expected at least {} and 1",
                   inputCount(), outputCount(), inputCountsOf(*signature)[0]);
  if (places.rows().empty()) // signature C1, concatenation C7
    return wrongInputCount(operation, *signature);
  if (signature->outputs.empty())
    return Status::ok();
  auto found =
      std::ranges::find(signature->outputs, outputCount(), &OutputCount::count);
  if (found == signature->outputs.end()) { // signature C2, sequence C3
    std::vector<size_t> counts;
    for (const OutputCount &output : signature->outputs)
      counts.push_back(output.count);
    return badData("found {} outputs, expected {}", outputCount(),
                   listText(counts));
  }
  require(found->since);
  return Status::ok();
}

static Status omitted(size_t index, std::string_view name) {
  return badData("input {} ({}) is omitted, but it is not optional", index,
                 name); // signature C3
}

Status Reader::checkPresence() const {
  // Whether an input names a graph is checked with the graphs.
  for (size_t i = 0; i < inputCount(); ++i)
    if (!hasInput(i) && !places.rows()[i]->isOmittable &&
        places.rows()[i]->kind != InputKind::subgraph)
      return omitted(i, places.rows()[i]->name);
  return Status::ok();
}

Status Reader::checkSizes() const {
  if (signature->takesEmpty)
    return Status::ok();
  for (size_t i = 0; i < inputCount(); ++i)
    if (hasInput(i) &&
        std::ranges::count(input(i).dimensions, 0) > 0) // signature C7
      return badData("input {} of shape {} is zero-sized", i,
                     shapeText(input(i)));
  return Status::ok();
}

Status Reader::checkOperands() {
  NNHAL_RETURN_IF_ERROR(checkCounts());
  NNHAL_RETURN_IF_ERROR(checkPresence());
  NNHAL_RETURN_IF_ERROR(checkSizes());
  require(lookUp(operation.type)->since);
  for (size_t i = 0; i < inputCount(); ++i) {
    require(places.rows()[i]->since);
    // Types that no row has are left to the rules.
    auto type = std::ranges::find(places.rows()[i]->types, inputType(i),
                                  &TypeSince::type);
    if (type != places.rows()[i]->types.end() && hasInput(i))
      require(type->since);
  }
  return Status::ok();
}

size_t Reader::indexOf(std::string_view name) const {
  return std::min(places.indexOf(name), inputCount());
}

bool Reader::states(std::string_view name) const {
  return hasInput(indexOf(name));
}

bool Reader::knows(std::string_view name) const {
  size_t index = indexOf(name);
  return index < inputCount() && operation.inputs[index].value;
}

Result<Reader::Place> Reader::find(std::string_view name) const {
  if (places.rows().empty())
    return signature ? wrongInputCount(operation, *signature)
                     : badData("{} is not an operation of the HAL",
                               nameOf(operation.type));
  if (size_t index = indexOf(name); index < inputCount()) {
    if (operation.inputs[index].isOmitted)
      return omitted(index, name);
    return Place{places.rows()[index], &operation.inputs[index], index};
  }
  auto row = std::ranges::find(signature->inputs, name, &InputRow::name);
  if (row == signature->inputs.end() || !row->defaultValue)
    return badData("{} of {} inputs has no input '{}'", nameOf(operation.type),
                   inputCount(), name);
  return Place{&*row, nullptr, 0};
}

Result<Reader::Place> Reader::find(std::string_view name,
                                   OperandType expected) const {
  NNHAL_ASSIGN_OR_RETURN(Place place, find(name));
  bool isNumberToo =
      place.row->kind == InputKind::extent && expected != OperandType::INT32;
  if (place.operand && place.operand->type.type != expected) // signature C4
    return badData("input {} ({}) has type {}, expected {}{}", place.index,
                   name, nameOf(place.operand->type.type),
                   isNumberToo ? "INT32 or " : "", nameOf(expected));
  return place;
}

/// The first element of \p value, which is of size sizeof(T) at least.
template <typename T> static T loadScalar(std::span<const std::byte> value) {
  T result{};
  std::memcpy(&result, value.data(), std::min(sizeof result, value.size()));
  return result;
}

Result<int32_t> Reader::int32(std::string_view name, int32_t fallback) {
  NNHAL_ASSIGN_OR_RETURN(Place place, find(name, OperandType::INT32));
  if (!place.operand)
    return *place.row->defaultValue;
  if (place.operand->value)
    return loadScalar<int32_t>(*place.operand->value);
  complete = false;
  return fallback;
}

Result<bool> Reader::boolean(std::string_view name) {
  NNHAL_ASSIGN_OR_RETURN(Place place, find(name, OperandType::BOOL));
  if (!place.operand)
    return *place.row->defaultValue != 0;
  if (place.operand->value)
    return loadScalar<uint8_t>(*place.operand->value) != 0;
  complete = false;
  return false;
}

Result<float> Reader::real(std::string_view name, float fallback) {
  bool isHalf = inputCount() > 0 && inputType(0) == OperandType::TENSOR_FLOAT16;
  NNHAL_ASSIGN_OR_RETURN(
      Place place,
      find(name, isHalf ? OperandType::FLOAT16 : OperandType::FLOAT32));
  if (place.operand && place.operand->value)
    return isHalf
               ? floatFromFloat16(loadScalar<uint16_t>(*place.operand->value))
               : loadScalar<float>(*place.operand->value);
  complete = false;
  return fallback;
}

Status Reader::element(std::string_view name, OperandType type) {
  if (rules::isFloat(type))
    return find(name, type == OperandType::TENSOR_FLOAT16
                          ? OperandType::FLOAT16
                          : OperandType::FLOAT32)
        .status();
  NNHAL_ASSIGN_OR_RETURN(Place place, find(name, OperandType::INT32));
  if (!place.operand || !place.operand->value || !rules::isAsymmetric(type))
    return Status::ok();
  auto value = loadScalar<int32_t>(*place.operand->value);
  bool isSigned = type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
  int32_t low = isSigned ? -128 : 0, high = isSigned ? 127 : 255;
  if (value < low || value > high) // fill_value C2
    return badData("value {} is outside [{}, {}]", value, low, high);
  return Status::ok();
}

Result<std::optional<std::vector<int64_t>>>
Reader::int32Tensor(std::string_view name) {
  NNHAL_ASSIGN_OR_RETURN(Place place, find(name, OperandType::TENSOR_INT32));
  if (!place.operand || !place.operand->value) {
    complete = false;
    return std::optional<std::vector<int64_t>>();
  }
  std::span<const std::byte> bytes = *place.operand->value;
  std::vector<int64_t> values(bytes.size() / sizeof(int32_t));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = loadScalar<int32_t>(bytes.subspan(i * sizeof(int32_t)));
  return std::optional(std::move(values));
}

Result<std::optional<std::vector<int64_t>>>
Reader::int32List(std::string_view name) {
  NNHAL_ASSIGN_OR_RETURN(Place place, find(name));
  if (place.operand && place.operand->type.isRanked &&
      place.operand->type.rank() != 1) // signature C5
    return badData("input {} ({}) has rank {}, expected 1", place.index, name,
                   place.operand->type.rank());
  return int32Tensor(name);
}

Result<FusedActivation> Reader::activation() {
  NNHAL_ASSIGN_OR_RETURN(int32_t value, int32("activation", 0));
  NNHAL_RETURN_IF_ERROR(rules::checkActivation(FusedActivation(value)));
  return FusedActivation(value);
}

//===----------------------------------------------------------------------===//
// Layouts and paddings
//===----------------------------------------------------------------------===//

TensorType signatures::toNhwc(TensorType type, bool isNchw) {
  if (isNchw && type.isRanked && type.rank() == 4)
    std::rotate(type.dimensions.begin() + 1, type.dimensions.begin() + 2,
                type.dimensions.end());
  return type;
}

TensorType signatures::fromNhwc(TensorType type, bool isNchw) {
  if (isNchw && type.isRanked && type.rank() == 4)
    std::rotate(type.dimensions.begin() + 1, type.dimensions.begin() + 3,
                type.dimensions.end());
  return type;
}

Result<PaddingScheme> signatures::paddingScheme(int32_t value) {
  if (value < 0 || value > 2) // signature C6
    return badData("padding scheme is {}, expected 0 to 2", value);
  return PaddingScheme(value);
}

AxisPads signatures::implicitPads(PaddingScheme scheme, int64_t input,
                                  int64_t stride, int64_t effectiveFilter) {
  if (scheme != PaddingScheme::same || stride <= 0)
    return {};
  int64_t extent = (input + stride - 1) / stride;
  int64_t total =
      std::max<int64_t>(0, (extent - 1) * stride + effectiveFilter - input);
  return {total / 2, total - total / 2};
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

TensorType signatures::shapeless(const TensorType &type) {
  return type.isRanked ? rules::withShape(type, std::vector<int64_t>(
                                                    type.rank(), unknownExtent))
                       : type;
}

Result<OperationFacts> signatures::factsOf(const Reader &reader,
                                           std::vector<TensorType> results) {
  if (!reader.isComplete())
    for (TensorType &result : results)
      result = shapeless(result);
  return OperationFacts{reader.since(), std::move(results)};
}

Result<OperationFacts> signatures::factsOf(const Reader &reader,
                                           Result<TensorType> result) {
  if (!result.isOk())
    return std::move(result).takeStatus();
  return factsOf(reader, std::vector<TensorType>{*std::move(result)});
}

Result<OperationFacts> signatures::shapeFactsOf(const Reader &reader,
                                                Result<TensorType> result) {
  if (!result.isOk())
    return std::move(result).takeStatus();
  return OperationFacts{reader.since(), {*std::move(result)}};
}
