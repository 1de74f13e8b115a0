//===- Values.cpp - Values of options -------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "Runtime/Support/Errors.h"

#include <charconv>

using namespace nnhal;
using rt::badData;

rt::Result<uint64_t> tools::parseCount(std::string_view text, uint64_t min,
                                       uint64_t max) {
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < min ||
      value > max)
    return badData("'{}' is not a number from {} to {}", text, min, max);
  return value;
}

rt::Result<double> tools::parseReal(std::string_view text, double min,
                                    double max) {
  double value = 0.0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  // A value that is no number is in no range.
  if (error != std::errc() || end != text.data() + text.size() ||
      !(value >= min && value <= max))
    return badData("'{}' is not a number from {} to {}", text, min, max);
  return value;
}

rt::Status tools::notAmong(std::string_view text,
                           std::span<const std::string_view> words) {
  std::string list;
  for (size_t i = 0; i < words.size(); ++i)
    list += fmt::format("{}{}",
                        i == 0                  ? ""
                        : i + 1 == words.size() ? " or "
                                                : ", ",
                        words[i]);
  return badData("'{}' is not {}", text, list);
}

rt::Result<rt::Priority> tools::parsePriority(std::string_view text) {
  static constexpr Choice<rt::Priority> choices[] = {
      {"low", rt::Priority::low},
      {"medium", rt::Priority::medium},
      {"high", rt::Priority::high}};
  return parseChoice<rt::Priority>(text, choices);
}

rt::Result<rt::ExecutionPreference>
tools::parsePreference(std::string_view text) {
  using rt::ExecutionPreference;
  static constexpr Choice<ExecutionPreference> choices[] = {
      {"low-power", ExecutionPreference::lowPower},
      {"fast-single-answer", ExecutionPreference::fastSingleAnswer},
      {"sustained-speed", ExecutionPreference::sustainedSpeed}};
  return parseChoice<ExecutionPreference>(text, choices);
}

rt::Result<rt::Rounding> tools::parseRounding(std::string_view text) {
  static constexpr Choice<rt::Rounding> choices[] = {
      {"double", rt::Rounding::doubleRounding},
      {"single", rt::Rounding::singleRounding},
      {"float", rt::Rounding::floatRounding}};
  return parseChoice<rt::Rounding>(text, choices);
}
