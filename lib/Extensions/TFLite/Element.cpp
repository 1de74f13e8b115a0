//===- Element.cpp - Types of elements ------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Element.h"

#include "nnhal/Backend/ExtensionBackend.h"

#include <cmath>
#include <limits>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

struct ElementRow {
  std::string_view name;
  uint32_t size;
};

/// The rows are in the order of Element.
constexpr ElementRow elementRows[] = {
    {"FLOAT32", 4},  {"FLOAT16", 2}, {"INT8", 1},   {"UINT8", 1},
    {"INT16", 2},    {"INT32", 4},   {"BOOL", 1},   {"INT64", 8},
    {"UINT32", 4},   {"UINT16", 2},  {"UINT64", 8}, {"FLOAT64", 8},
    {"COMPLEX64", 8}};

} // namespace

std::optional<Element> tflite::elementOf(const rt::TensorType &type) {
  switch (type.type) {
  case rt::OperandType::TENSOR_FLOAT32:
    return Element::float32;
  case rt::OperandType::TENSOR_FLOAT16:
    return Element::float16;
  case rt::OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
  case rt::OperandType::TENSOR_QUANT8_SYMM:
  case rt::OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
    return Element::int8;
  case rt::OperandType::TENSOR_QUANT8_ASYMM:
    return Element::uint8;
  case rt::OperandType::TENSOR_QUANT16_SYMM:
    return Element::int16;
  case rt::OperandType::TENSOR_QUANT16_ASYMM:
    return Element::uint16;
  case rt::OperandType::TENSOR_INT32:
    return Element::int32;
  case rt::OperandType::TENSOR_BOOL8:
    return Element::boolean;
  default:
    break;
  }
  for (uint16_t number = 0; number <= uint16_t(OwnType::complex64); ++number)
    if (type.type == rt::ownOperandType(number))
      return Element(uint8_t(Element::int64) + number);
  return std::nullopt;
}

uint32_t tflite::sizeOf(Element element) {
  return elementRows[size_t(element)].size;
}

std::string_view tflite::nameOf(Element element) {
  return elementRows[size_t(element)].name;
}

std::string tflite::nameOf(ElementSet elements) {
  std::string result;
  for (size_t index = 0; index < std::size(elementRows); ++index)
    if (contains(elements, Element(index)))
      result.append(result.empty() ? "" : ", ").append(elementRows[index].name);
  return result;
}

float tflite::floatOfHalf(uint16_t half) {
  int32_t exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
  float value = exponent == 0
                    ? std::ldexp(float(fraction), -24)
                    : std::ldexp(float(fraction + 1024), exponent - 25);
  if (exponent == 31)
    value = fraction ? std::numeric_limits<float>::quiet_NaN()
                     : std::numeric_limits<float>::infinity();
  return half & 0x8000 ? -value : value;
}

uint16_t tflite::halfOfFloat(float value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const float size = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7E00;
  // The middle between the greatest number and the next power of two.
  if (size >= 65520.0f)
    return sign | 0x7C00;
  if (size < 0x1p-14f)
    return uint16_t(sign | int(std::nearbyint(size * 0x1p24f)));
  int exponent = 0;
  const float fraction = std::frexp(size, &exponent);
  // A fraction that is rounded up to 2048 makes the exponent one more.
  return uint16_t(sign | (((exponent + 14) << 10) +
                          int(std::nearbyint(fraction * 2048.0f)) - 1024));
}
