//===- Element.cpp - Types of elements ------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Element.h"

#include "nnhal/Backend/ExtensionBackend.h"

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
