//===- OptionRows.h - Tables of options -------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program lists its options as rows of a table. The rows are parsed, printed
// by --help and written to docs/Using/Options.md by what is declared here, so
// that the three cannot disagree. The rows are of type OptionRow, or of one of
// the program's own that has the same members and whatever else the program
// wants to know about an option.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_OPTIONS_OPTIONROWS_H
#define NNHAL_LIB_TOOLS_OPTIONS_OPTIONROWS_H

#include "nnhal/Runtime/Status.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::tools {

/// Whether an option takes "=VALUE".
enum class Takes { nothing, value, optionalValue };

/// The texts that people read about an option.
struct OptionText {
  /// The name without the dashes.
  std::string_view name;
  Takes takes = Takes::nothing;
  /// The name of the value in the help; empty for an option without one.
  std::string_view valueName;
  /// The lines of the help.
  std::string_view help;
};

/// A row of the table of a program whose command line is parsed into `Flags`.
template <typename Flags> struct OptionRow {
  /// The members of OptionText that --help prints.
  std::string_view name;
  Takes takes = Takes::nothing;
  std::string_view valueName = {};
  std::string_view help;
  /// Stores a value, which is empty for an option without one (Setters.h).
  /// Fails with invalidArgument, which says what is wrong with the value.
  rt::Status (*apply)(Flags &flags, std::string_view value) = nullptr;
};

/// An argument that begins with two dashes.
struct OptionArgument {
  std::string_view name;
  /// The value is absent where the argument has no "=".
  std::optional<std::string_view> value;
};

/// Splits \p argument, which begins with two dashes.
OptionArgument splitOption(std::string_view argument);

/// Fails with invalidArgument, which names the option, when \p argument has a
/// value and \p option takes none, or the other way around.
rt::Status checkValue(const OptionText &option, const OptionArgument &argument);

/// "--name=VALUE", "--name[=VALUE]" or "--name".
std::string usageOf(const OptionText &option);

/// One paragraph per option, its text from \p column on.
std::string optionHelp(std::span<const OptionText> options, size_t column);

/// A Markdown table of \p options.
std::string optionMarkdown(std::span<const OptionText> options);

template <typename Row> OptionText textOf(const Row &row) {
  return {row.name, row.takes, row.valueName, row.help};
}

template <typename Row>
std::vector<OptionText> textsOf(std::span<const Row> rows) {
  std::vector<OptionText> texts;
  for (const Row &row : rows)
    texts.push_back(textOf(row));
  return texts;
}

/// The row for \p name among \p rows; null when there is none.
template <typename Row>
const Row *findRow(std::span<const Row> rows, std::string_view name) {
  auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

/// Returns invalidArgument: there is no such option.
rt::Status unknownOption(std::string_view name);

/// Returns \p status, the failure of option \p name, with that name.
rt::Status inOption(rt::Status status, std::string_view name);

/// Stores the value of \p argument, which begins with two dashes, in \p flags,
/// and returns its row of \p rows. Fails with invalidArgument, which names the
/// option and what is wrong.
template <typename Row, typename Flags>
rt::Result<const Row *> applyOption(std::span<const Row> rows, Flags &flags,
                                    std::string_view argument) {
  OptionArgument parts = splitOption(argument);
  const Row *row = findRow(rows, parts.name);
  if (!row)
    return unknownOption(parts.name);
  NNHAL_RETURN_IF_ERROR(checkValue(textOf(*row), parts));
  NNHAL_RETURN_IF_ERROR(
      inOption(row->apply(flags, parts.value.value_or("")), row->name));
  return row;
}

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_OPTIONS_OPTIONROWS_H
