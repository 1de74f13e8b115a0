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
  const OperandView &operand = view->inputs.back();
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
  if (type.type != OperandType::TENSOR_FLOAT32 &&
      type.type != OperandType::TENSOR_QUANT8_ASYMM &&
      type.type != OperandType::TENSOR_QUANT8_ASYMM_SIGNED)
    return refuse(name, " have type ", rt::nameOf(type.type),
                  ", expected TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM or "
                  "TENSOR_QUANT8_ASYMM_SIGNED");
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

TensorType tflite_custom::floatType(Extents extents) {
  TensorType type;
  type.type = OperandType::TENSOR_FLOAT32;
  type.dimensions = std::move(extents);
  return type;
}

template <typename T>
static void dequantize(const std::byte *bytes, const TensorType &type,
                       float factor, std::span<float> to) {
  const auto *elements = reinterpret_cast<const T *>(bytes);
  float scale = type.scale * factor, zeroPoint = float(type.zeroPoint);
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = (float(elements[i]) - zeroPoint) * scale;
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
  bool isFloat = use.input(tensor).type == OperandType::TENSOR_FLOAT32;
  std::vector<float> reals(use.bytes(tensor).size() /
                           (isFloat ? sizeof(float) : 1));
  readReals(use, tensor, 0, reals, factor);
  return reals;
}

Result<std::span<float>>
tflite_custom::allocateFloats(ExtensionOutputs &outputs, size_t index,
                              const Extents &extents) {
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> memory,
                         outputs.allocate(index, extents));
  std::span floats(reinterpret_cast<float *>(memory.data()),
                   memory.size() / sizeof(float));
  std::ranges::fill(floats, 0.0f);
  return floats;
}
