//===- Elements.cpp - Elements of tensors in JSON -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "Runtime/Support/Float16.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

using namespace nnhal;
using namespace nnhal::serving;

namespace {
/// Writes a value.
struct Visitor {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::string *text) const {
    constexpr size_t shown = 64;
    return fmt::format("'{}'", text->substr(0, shown));
  }
  std::string operator()(auto number) const {
    return fmt::format("{}", number);
  }
};
} // namespace

std::string serving::textOf(const JsonValue &value) {
  return std::visit(Visitor(), value);
}

template <typename Element>
static bool append(Element element, std::vector<std::byte> &elements) {
  const auto *bytes = reinterpret_cast<const std::byte *>(&element);
  elements.insert(elements.end(), bytes, bytes + sizeof element);
  return true;
}

template <typename Element>
static bool appendInteger(const JsonValue &value,
                          std::vector<std::byte> &elements) {
  if (const auto *number = std::get_if<int64_t>(&value))
    return std::in_range<Element>(*number) &&
           append(Element(*number), elements);
  if (const auto *number = std::get_if<uint64_t>(&value))
    return std::in_range<Element>(*number) &&
           append(Element(*number), elements);
  // 2.0 is a whole number. The bounds of 64 bits are not exact as doubles.
  const auto *number = std::get_if<double>(&value);
  constexpr double exact =
      double(int64_t(1) << std::numeric_limits<double>::digits);
  return number && std::trunc(*number) == *number &&
         std::abs(*number) <= exact &&
         std::in_range<Element>(int64_t(*number)) &&
         append(Element(int64_t(*number)), elements);
}

static std::optional<double> numberOf(const JsonValue &value) {
  if (const auto *number = std::get_if<double>(&value))
    return *number;
  if (const auto *number = std::get_if<int64_t>(&value))
    return double(*number);
  if (const auto *number = std::get_if<uint64_t>(&value))
    return double(*number);
  return std::nullopt;
}

/// Whether \p value is within the finite numbers of FP32.
static bool isFloat(double value) { return std::isfinite(float(value)); }

bool serving::appendElement(const JsonValue &value, DataType type,
                            std::vector<std::byte> &elements) {
  switch (type) {
  case DataType::boolean:
    if (const auto *flag = std::get_if<bool>(&value))
      return append(uint8_t(*flag), elements);
    if (const auto *number = std::get_if<uint64_t>(&value))
      return *number <= 1 && append(uint8_t(*number), elements);
    return false;
  case DataType::uint8:
    return appendInteger<uint8_t>(value, elements);
  case DataType::uint16:
    return appendInteger<uint16_t>(value, elements);
  case DataType::uint32:
    return appendInteger<uint32_t>(value, elements);
  case DataType::uint64:
    return appendInteger<uint64_t>(value, elements);
  case DataType::int8:
    return appendInteger<int8_t>(value, elements);
  case DataType::int16:
    return appendInteger<int16_t>(value, elements);
  case DataType::int32:
    return appendInteger<int32_t>(value, elements);
  case DataType::int64:
    return appendInteger<int64_t>(value, elements);
  case DataType::fp16: {
    std::optional<double> number = numberOf(value);
    uint16_t half = rt::float16FromDouble(number.value_or(0.0));
    return number && std::isfinite(rt::floatFromFloat16(half)) &&
           append(half, elements);
  }
  case DataType::fp32: {
    std::optional<double> number = numberOf(value);
    return number && isFloat(*number) && append(float(*number), elements);
  }
  case DataType::fp64: {
    std::optional<double> number = numberOf(value);
    return number && append(*number, elements);
  }
  }
  return false;
}

/// Appends each element of \p bytes by \p write, which says whether it can.
template <typename Element, typename Write>
static bool appendAll(std::span<const std::byte> bytes, std::string &text,
                      const Write &write) {
  for (size_t at = 0; at + sizeof(Element) <= bytes.size();
       at += sizeof(Element)) {
    Element element;
    std::memcpy(&element, bytes.data() + at, sizeof element);
    if (at > 0)
      text += ',';
    if (!write(element))
      return false;
  }
  return true;
}

template <typename Element>
static bool appendNumbers(std::span<const std::byte> bytes, std::string &text) {
  return appendAll<Element>(bytes, text, [&](Element element) {
    if constexpr (std::is_floating_point_v<Element>)
      if (!std::isfinite(element))
        return false;
    // A character is no number to {fmt}.
    fmt::format_to(std::back_inserter(text), "{}", +element);
    return true;
  });
}

bool serving::appendJson(DataType type, std::span<const std::byte> bytes,
                         std::string &text) {
  switch (type) {
  case DataType::boolean:
    return appendAll<uint8_t>(bytes, text, [&](uint8_t element) {
      text += element ? "true" : "false";
      return true;
    });
  case DataType::uint8:
    return appendNumbers<uint8_t>(bytes, text);
  case DataType::uint16:
    return appendNumbers<uint16_t>(bytes, text);
  case DataType::uint32:
    return appendNumbers<uint32_t>(bytes, text);
  case DataType::uint64:
    return appendNumbers<uint64_t>(bytes, text);
  case DataType::int8:
    return appendNumbers<int8_t>(bytes, text);
  case DataType::int16:
    return appendNumbers<int16_t>(bytes, text);
  case DataType::int32:
    return appendNumbers<int32_t>(bytes, text);
  case DataType::int64:
    return appendNumbers<int64_t>(bytes, text);
  case DataType::fp16:
    return appendAll<uint16_t>(bytes, text, [&](uint16_t element) {
      float number = rt::floatFromFloat16(element);
      if (!std::isfinite(number))
        return false;
      fmt::format_to(std::back_inserter(text), "{}", number);
      return true;
    });
  case DataType::fp32:
    return appendNumbers<float>(bytes, text);
  case DataType::fp64:
    return appendNumbers<double>(bytes, text);
  }
  return false;
}
