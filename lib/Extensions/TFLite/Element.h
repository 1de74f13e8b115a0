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

/// The type of the elements of a tensor, whatever their quantization.
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

/// Returns the number that the bits of a FLOAT16 are.
float floatOfHalf(uint16_t half);
/// Returns the bits of the FLOAT16 next to \p value, halves to even.
uint16_t halfOfFloat(float value);

/// The elements that have a C++ type: all but float16 and complex64.
inline constexpr ElementSet numberElements =
    anyElement & ~elementSet(Element::float16, Element::complex64);

/// Calls \p function with a value of the C++ type of \p element, which is one
/// of \p set, and for no other type. The set has float32, int32 or both.
template <ElementSet set = numberElements, typename Function>
decltype(auto) withNumber(Element element, Function &&function) {
  switch (element) {
  case Element::int8:
    if constexpr (contains(set, Element::int8))
      return function(int8_t());
    break;
  case Element::uint8:
    if constexpr (contains(set, Element::uint8))
      return function(uint8_t());
    break;
  case Element::int16:
    if constexpr (contains(set, Element::int16))
      return function(int16_t());
    break;
  case Element::boolean:
    if constexpr (contains(set, Element::boolean))
      return function(bool());
    break;
  case Element::int64:
    if constexpr (contains(set, Element::int64))
      return function(int64_t());
    break;
  case Element::uint32:
    if constexpr (contains(set, Element::uint32))
      return function(uint32_t());
    break;
  case Element::uint16:
    if constexpr (contains(set, Element::uint16))
      return function(uint16_t());
    break;
  case Element::uint64:
    if constexpr (contains(set, Element::uint64))
      return function(uint64_t());
    break;
  case Element::float64:
    if constexpr (contains(set, Element::float64))
      return function(double());
    break;
  case Element::int32:
    if constexpr (contains(set, Element::int32))
      return function(int32_t());
    break;
  default:
    break;
  }
  if constexpr (contains(set, Element::float32))
    return function(float());
  else
    return function(int32_t());
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
