//===- Operator.cpp - What custom operators are made of -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operator.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tflite_custom;

Result<std::span<const uint8_t>> Use::options() const {
  const OperandView &operand = view->inputs[tensors()];
  if (operand.isOmitted)
    return std::span<const uint8_t>();
  if (operand.type.type != OperandType::TENSOR_QUANT8_ASYMM)
    return refuse("the custom options have type ",
                  rt::nameOf(operand.type.type),
                  ", expected TENSOR_QUANT8_ASYMM");
  if (!operand.value)
    return refuse("the custom options must be a constant");
  return std::span(reinterpret_cast<const uint8_t *>(operand.value->data()),
                   operand.value->size());
}

Status Use::checkCounts(size_t tensorCount, size_t resultCount) const {
  if (tensors() != tensorCount)
    return refuse("has ", tensors(), " tensors, expected ", tensorCount);
  if (results() != resultCount)
    return refuse("has ", results(), " results, expected ", resultCount);
  return Status::ok();
}

/// The name of \p type, which may be one of the extension.
static std::string typeText(OperandType type) {
  if (type == tensorUint32)
    return "UINT32";
  return type == tensorUint64 ? "UINT64" : std::string(rt::nameOf(type));
}

static std::string textOf(std::initializer_list<int64_t> extents) {
  TensorType type;
  type.dimensions = extents;
  return rt::shapeText(type);
}

Status Use::checkReal(size_t index, std::string_view name,
                      std::initializer_list<int64_t> extents) const {
  if (!has(index))
    return refuse(name, " are omitted");
  const TensorType &type = input(index);
  if (type.type != floatType && type.type != OperandType::TENSOR_QUANT8_ASYMM &&
      type.type != OperandType::TENSOR_QUANT8_ASYMM_SIGNED)
    return refuse(name, " have type ", rt::nameOf(type.type),
                  ", expected TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM or "
                  "TENSOR_QUANT8_ASYMM_SIGNED");
  return checkExtents(index, name, extents);
}

Status Use::checkType(size_t index, std::string_view name, OperandType type,
                      size_t leastRank) const {
  if (!has(index))
    return refuse(name, " are omitted");
  const TensorType &found = input(index);
  if (found.type != type)
    return refuse(name, " have type ", typeText(found.type), ", expected ",
                  typeText(type));
  if (!found.isRanked || found.dimensions.size() < leastRank)
    return refuse(name, " have shape ", rt::shapeText(found), ", but ",
                  leastRank, " dimensions are needed");
  return Status::ok();
}

Status Use::checkTensor(size_t index, std::string_view name, OperandType type,
                        std::initializer_list<int64_t> extents) const {
  NNHAL_RETURN_IF_ERROR(checkType(index, name, type));
  return checkExtents(index, name, extents);
}

Status Use::checkExtents(size_t index, std::string_view name,
                         std::initializer_list<int64_t> extents) const {
  const TensorType &type = input(index);
  bool isEqual =
      type.isRanked && std::ranges::equal(type.dimensions, extents,
                                          [](int64_t found, int64_t expected) {
                                            return found == expected ||
                                                   found == unknownExtent ||
                                                   expected == unknownExtent;
                                          });
  if (!isEqual)
    return refuse(name, " have shape ", rt::shapeText(type), ", expected ",
                  textOf(extents));
  return Status::ok();
}

TensorType tflite_custom::typeOf(OperandType type, Extents extents) {
  TensorType result;
  result.type = type;
  result.dimensions = std::move(extents);
  result.isQuantizationFree = rt::isQuantized(type);
  return result;
}

TensorType tflite_custom::stateOf(OperandType type, Extents extents) {
  TensorType state;
  state.type = type;
  state.dimensions = std::move(extents);
  state.scale = type == int16Type ? 1.0f : 0.0f;
  return state;
}

template <typename T>
static void dequantize(const std::byte *bytes, const TensorType &type,
                       float factor, std::span<float> to) {
  const auto *elements = reinterpret_cast<const T *>(bytes);
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = realOf(type, elements[i], factor);
}

void tflite_custom::readReals(const Use &use, size_t tensor, size_t begin,
                              std::span<float> to, float factor) {
  const std::byte *bytes = use.bytes(tensor).data();
  const TensorType &type = use.input(tensor);
  if (type.type == OperandType::TENSOR_QUANT8_ASYMM)
    return dequantize<uint8_t>(bytes + begin, type, factor, to);
  if (type.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED)
    return dequantize<int8_t>(bytes + begin, type, factor, to);
  const auto *elements = reinterpret_cast<const float *>(bytes) + begin;
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = elements[i] * factor;
}

std::vector<float> tflite_custom::realsOf(const Use &use, size_t tensor,
                                          float factor) {
  bool isFloat = use.input(tensor).type == floatType;
  std::vector<float> reals(use.bytes(tensor).size() /
                           (isFloat ? sizeof(float) : 1));
  readReals(use, tensor, 0, reals, factor);
  return reals;
}
