//===- Element.h - Types of elements ----------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_ELEMENT_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_ELEMENT_H

#include "nnhal/Backend/Rules.h"

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace nnhal::tflite {

/// What an element of a tensor is, whatever its quantization.
enum class Element : uint8_t {
  float32,
  float16,
  int8,
  uint8,
  int16,
  int32,
  boolean,
  int64,
  uint32,
  uint16,
  uint64,
  float64,
  complex64
};

/// The operand types of the extension, by number.
enum class OwnType : uint16_t {
  int64 = 0,
  uint32 = 1,
  uint16 = 2,
  uint64 = 3,
  float64 = 4,
  complex64 = 5
};

using ElementSet = uint32_t;
template <typename... Elements>
constexpr ElementSet elementSet(Elements... elements) {
  return (ElementSet(0) | ... | (ElementSet(1) << unsigned(elements)));
}
constexpr bool contains(ElementSet set, Element element) {
  return set >> unsigned(element) & 1;
}

inline constexpr ElementSet anyElement = (ElementSet(1) << 13) - 1;
inline constexpr ElementSet indexElements =
    elementSet(Element::int32, Element::int64);

/// Returns what the elements of \p type are; nothing for types that no operator
/// takes.
std::optional<Element> elementOf(const rt::TensorType &type);
uint32_t sizeOf(Element element);
/// Returns "FLOAT32", TensorFlow Lite's name.
std::string_view nameOf(Element element);
/// Returns "INT16, INT32".
std::string nameOf(ElementSet elements);

/// Calls \p function with a value of the C++ type of \p element, which is a
/// number of at least 8 bits. Others, float16 and complex64, have none.
template <typename Function>
decltype(auto) withNumber(Element element, Function &&function) {
  switch (element) {
  case Element::int8:
    return function(int8_t());
  case Element::uint8:
    return function(uint8_t());
  case Element::int16:
    return function(int16_t());
  case Element::int32:
    return function(int32_t());
  case Element::boolean:
    return function(bool());
  case Element::int64:
    return function(int64_t());
  case Element::uint32:
    return function(uint32_t());
  case Element::uint16:
    return function(uint16_t());
  case Element::uint64:
    return function(uint64_t());
  case Element::float64:
    return function(double());
  default:
    return function(float());
  }
}

/// Calls \p function with an unsigned integer as wide as an element: what moves
/// elements needs no more.
template <typename Function>
decltype(auto) withStorage(uint32_t size, Function &&function) {
  switch (size) {
  case 1:
    return function(uint8_t());
  case 2:
    return function(uint16_t());
  case 4:
    return function(uint32_t());
  default:
    return function(uint64_t());
  }
}

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_ELEMENT_H
