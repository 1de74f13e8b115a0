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

static std::string listText(std::initializer_list<size_t> values) {
  std::string text;
  for (const size_t *it = values.begin(); it != values.end(); ++it) {
    if (it != values.begin())
      text += it + 1 == values.end() ? " or " : ", ";
    text += std::to_string(*it);
  }
  return text;
}

Status Reader::expectCounts(std::initializer_list<size_t> counts,
                            size_t outputs) {
  if (std::find(counts.begin(), counts.end(), inputCount()) ==
      counts.end()) // signature C1
    return badData("found {} inputs, expected {}", inputCount(),
                   listText(counts));
  if (outputCount() != outputs) // signature C2
    return badData("found {} outputs, expected {}", outputCount(), outputs);
  return Status::ok();
}

Status Reader::expectPresent(std::initializer_list<size_t> optional) {
  for (size_t i = 0; i < inputCount(); ++i)
    if (!hasInput(i) && std::find(optional.begin(), optional.end(), i) ==
                            optional.end()) // signature C3
      return badData("input {} is omitted, but it is not optional", i);
  return Status::ok();
}

Status Reader::expectNonEmpty() const {
  for (size_t i = 0; i < inputCount(); ++i)
    if (hasInput(i) &&
        std::ranges::count(input(i).dimensions, 0) > 0) // signature C7
      return badData("input {} of shape {} is zero-sized", i,
                     shapeText(input(i)));
  return Status::ok();
}

static Status checkType(const OperandView &operand, size_t index,
                        std::string_view name, OperandType expected) {
  if (operand.isOmitted)
    return badData("input {} ({}) is omitted, but it is not optional", index,
                   name);
  if (operand.type.type != expected) // signature C4
    return badData("input {} ({}) has type {}, expected {}", index, name,
                   nameOf(operand.type.type), nameOf(expected));
  return Status::ok();
}

/// The first element of \p value, which is of size sizeof(T) at least.
template <typename T> static T loadScalar(std::span<const std::byte> value) {
  T result{};
  std::memcpy(&result, value.data(), std::min(sizeof result, value.size()));
  return result;
}

Result<int32_t> Reader::int32(size_t index, std::string_view name,
                              int32_t fallback) {
  const OperandView &operand = operation.inputs[index];
  NNHAL_RETURN_IF_ERROR(checkType(operand, index, name, OperandType::INT32));
  if (operand.value)
    return loadScalar<int32_t>(*operand.value);
  complete = false;
  return fallback;
}

Result<bool> Reader::boolean(size_t index, std::string_view name) {
  const OperandView &operand = operation.inputs[index];
  NNHAL_RETURN_IF_ERROR(checkType(operand, index, name, OperandType::BOOL));
  if (operand.value)
    return loadScalar<uint8_t>(*operand.value) != 0;
  complete = false;
  return false;
}

Result<float> Reader::real(size_t index, std::string_view name,
                           OperandType like, float fallback) {
  const OperandView &operand = operation.inputs[index];
  bool isHalf = like == OperandType::TENSOR_FLOAT16;
  NNHAL_RETURN_IF_ERROR(
      checkType(operand, index, name,
                isHalf ? OperandType::FLOAT16 : OperandType::FLOAT32));
  if (!operand.value) {
    complete = false;
    return fallback;
  }
  return isHalf ? floatFromFloat16(loadScalar<uint16_t>(*operand.value))
                : loadScalar<float>(*operand.value);
}

Result<std::optional<std::vector<int64_t>>>
Reader::int32Tensor(size_t index, std::string_view name) {
  const OperandView &operand = operation.inputs[index];
  NNHAL_RETURN_IF_ERROR(
      checkType(operand, index, name, OperandType::TENSOR_INT32));
  if (!operand.value) {
    complete = false;
    return std::optional<std::vector<int64_t>>();
  }
  std::vector<int64_t> values(operand.value->size() / sizeof(int32_t));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] =
        loadScalar<int32_t>(operand.value->subspan(i * sizeof(int32_t)));
  return std::optional(std::move(values));
}

Result<std::optional<std::vector<int64_t>>>
Reader::int32List(size_t index, std::string_view name) {
  const TensorType &type = operation.inputs[index].type;
  if (type.isRanked && type.rank() != 1) // signature C5
    return badData("input {} ({}) has rank {}, expected 1", index, name,
                   type.rank());
  return int32Tensor(index, name);
}

Result<bool> Reader::layout(size_t index) { return boolean(index, "layout"); }

Result<FusedActivation> Reader::activation(size_t index) {
  NNHAL_ASSIGN_OR_RETURN(int32_t value, int32(index, "activation", 0));
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

void signatures::requireForType(Reader &reader, std::span<const TypeRow> rows,
                                OperandType type) {
  for (const TypeRow &row : rows)
    if (row.type == type)
      reader.require(row.since);
}

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
