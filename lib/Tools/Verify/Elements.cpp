//===- Elements.cpp - Tensors element by element --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "Tools/Tensors/Npy.h"

#include "Runtime/Support/Float16.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace nnhal;
using namespace nnhal::verify;
using rt::OperandType;

bool verify::isFloat(OperandType type) {
  using enum OperandType;
  return type == FLOAT32 || type == FLOAT16 || type == TENSOR_FLOAT32 ||
         type == TENSOR_FLOAT16;
}

bool verify::isAsymmetric(OperandType type) {
  return type == OperandType::TENSOR_QUANT8_ASYMM ||
         type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
}

uint64_t verify::elementCount(std::span<const uint32_t> shape) {
  uint64_t count = 1;
  for (uint32_t extent : shape)
    count *= extent;
  return count;
}

ElementRange verify::elementRange(OperandType type) {
  using enum OperandType;
  switch (type) {
  case BOOL:
  case TENSOR_BOOL8:
    return {0, 1};
  case TENSOR_QUANT8_ASYMM:
    return {0, 255};
  case TENSOR_QUANT8_SYMM:
  case TENSOR_QUANT8_SYMM_PER_CHANNEL:
    return {-127, 127};
  case TENSOR_QUANT8_ASYMM_SIGNED:
    return {-128, 127};
  case TENSOR_QUANT16_SYMM:
    return {-32768, 32767};
  case TENSOR_QUANT16_ASYMM:
    return {0, 65535};
  case UINT32:
    return {0, std::numeric_limits<uint32_t>::max()};
  default:
    return {std::numeric_limits<int32_t>::min(),
            std::numeric_limits<int32_t>::max()};
  }
}

double verify::loadElement(OperandType type, std::span<const uint8_t> bytes,
                           uint64_t index) {
  const tools::ElementFormat &format = tools::formatOf(type);
  return format.load(std::as_bytes(bytes).data() + index * format.size);
}

template <typename T>
static void put(std::span<uint8_t> bytes, uint64_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

void verify::storeElement(OperandType type, std::span<uint8_t> bytes,
                          uint64_t index, double value) {
  using enum OperandType;
  if (type == FLOAT32 || type == TENSOR_FLOAT32)
    return put(bytes, index, float(value));
  if (type == FLOAT16 || type == TENSOR_FLOAT16)
    return put(bytes, index, rt::float16FromDouble(value));
  ElementRange range = elementRange(type);
  auto integer =
      int64_t(std::clamp(value, double(range.low), double(range.high)));
  switch (tools::formatOf(type).size) {
  case 1:
    return put(bytes, index, uint8_t(integer));
  case 2:
    return put(bytes, index, uint16_t(integer));
  default:
    return put(bytes, index, uint32_t(integer));
  }
}

TestTensor verify::makeTensor(OperandType type, Shape shape,
                              std::span<const double> elements) {
  TestTensor tensor;
  tensor.dimensions = std::move(shape);
  tensor.bytes.resize(elements.size() * tools::formatOf(type).size);
  for (size_t i = 0; i < elements.size(); ++i)
    storeElement(type, tensor.bytes, i, elements[i]);
  return tensor;
}

TestTensor verify::fillTensor(Random &random, OperandType type, Shape shape,
                              const Values &values) {
  std::vector<double> elements(elementCount(shape));
  ElementRange range = elementRange(type);
  if (!isQuantized(type) && range.low < 0)
    range = {values.lowInteger, values.highInteger};
  for (double &element : elements)
    element = isFloat(type) ? random.real(values.low, values.high)
                            : double(random.between(range.low, range.high));
  return makeTensor(type, std::move(shape), elements);
}
