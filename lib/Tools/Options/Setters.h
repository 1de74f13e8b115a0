//===- Setters.h - How options store their values ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions for the member `apply` of rows of options (OptionRows.h). Each
// stores into the member at the end of the path \p Members, which begins in
// what a program parses its command line into:
//
//   .apply = tools::setText<&Options::settings, &Settings::socket>,
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_OPTIONS_SETTERS_H
#define NNHAL_LIB_TOOLS_OPTIONS_SETTERS_H

#include "Values.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::tools {

/// Stores the text of the value.
template <auto... Members>
inline constexpr auto setText = [](auto &flags, std::string_view value) {
  (flags.*....*Members) = value;
  return rt::Status::ok();
};

/// Adds the text of the value to a list, for options that may be repeated.
template <auto... Members>
inline constexpr auto addText = [](auto &flags, std::string_view value) {
  (flags.*....*Members).emplace_back(value);
  return rt::Status::ok();
};

/// Stores \p Value, for an option without a value.
template <auto Value, auto... Members>
inline constexpr auto setTo = [](auto &flags, std::string_view) {
  (flags.*....*Members) = Value;
  return rt::Status::ok();
};

/// Stores that the option is there.
template <auto... Members>
inline constexpr auto setTrue = setTo<true, Members...>;

/// Stores a decimal number from \p Min to \p Max; another one is refused.
template <uint64_t Min, uint64_t Max, auto... Members>
inline constexpr auto setCount =
    [](auto &flags, std::string_view value) -> rt::Status {
  NNHAL_ASSIGN_OR_RETURN((flags.*....*Members), parseCount(value, Min, Max));
  return rt::Status::ok();
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_OPTIONS_SETTERS_H
