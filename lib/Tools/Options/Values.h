//===- Values.h - Values of options -----------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_OPTIONS_VALUES_H
#define NNHAL_LIB_TOOLS_OPTIONS_VALUES_H

#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/PrepareOptions.h"
#include "nnhal/Runtime/Rounding.h"
#include "nnhal/Runtime/Status.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nnhal::tools {

/// Reads a decimal number from \p min to \p max. Fails with invalidArgument,
/// which names both.
rt::Result<uint64_t> parseCount(std::string_view text, uint64_t min,
                                uint64_t max);

/// Reads a real number from \p min to \p max. Fails with invalidArgument, which
/// names both.
rt::Result<double> parseReal(std::string_view text, double min, double max);

/// A word that stands for a value.
template <typename Value> struct Choice {
  std::string_view word;
  Value value;
};

/// Returns invalidArgument: \p text is not one of \p words.
rt::Status notAmong(std::string_view text,
                    std::span<const std::string_view> words);

/// Returns the value that \p text stands for among \p choices. Fails with
/// invalidArgument, which names them.
template <typename Value>
rt::Result<Value> parseChoice(std::string_view text,
                              std::span<const Choice<Value>> choices) {
  std::vector<std::string_view> words;
  for (const Choice<Value> &choice : choices) {
    if (choice.word == text)
      return choice.value;
    words.push_back(choice.word);
  }
  return notAmong(text, words);
}

/// Return what "low", "medium" and "high", what "low-power",
/// "fast-single-answer" and "sustained-speed", and what "double", "single" and
/// "float" stand for. Fail with invalidArgument, which names the words.
rt::Result<rt::Priority> parsePriority(std::string_view text);
rt::Result<rt::ExecutionPreference> parsePreference(std::string_view text);
rt::Result<rt::Rounding> parseRounding(std::string_view text);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_OPTIONS_VALUES_H
