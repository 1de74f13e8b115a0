//===- OptionRows.cpp - Tables of options ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionRows.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
using rt::Status;

OptionArgument tools::splitOption(std::string_view argument) {
  std::string_view text = argument.substr(2);
  size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return {text, std::nullopt};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Status tools::checkValue(const OptionText &option,
                         const OptionArgument &argument) {
  if (option.takes == Takes::nothing && argument.value)
    return badData("option '--{}' takes no value", option.name);
  if (option.takes == Takes::value && argument.value.value_or("").empty())
    return badData("option '--{}' needs a value: --{}={}", option.name,
                   option.name, option.valueName);
  return Status::ok();
}

Status tools::unknownOption(std::string_view name) {
  return badData("unknown option '--{}'; try --help", name);
}

Status tools::inOption(Status status, std::string_view name) {
  return std::move(status).withContext(fmt::format("option '--{}'", name));
}

std::string tools::usageOf(const OptionText &option) {
  switch (option.takes) {
  case Takes::nothing:
    break;
  case Takes::value:
    return fmt::format("--{}={}", option.name, option.valueName);
  case Takes::optionalValue:
    return fmt::format("--{}[={}]", option.name, option.valueName);
  }
  return fmt::format("--{}", option.name);
}

std::string tools::optionHelp(std::span<const OptionText> options,
                              size_t column) {
  std::string text;
  for (const OptionText &option : options) {
    std::string right(option.help);
    for (size_t at = 0; (at = right.find('\n', at)) != std::string::npos;)
      right.insert(++at, column, ' ');
    std::string left = "  " + usageOf(option);
    if (left.size() >= column)
      left += '\n' + std::string(column, ' ');
    text += fmt::format("{:<{}}{}\n", left, column, right);
  }
  return text;
}

/// \p text on one line, such that Markdown shows every character of it.
static std::string escapeMarkdown(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (std::string_view("<>|*").find(c) != std::string_view::npos)
      escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string tools::optionMarkdown(std::span<const OptionText> options) {
  std::string text = "| option | meaning |\n|---|---|\n";
  for (const OptionText &option : options)
    text += fmt::format("| `{}` | {} |\n", usageOf(option),
                        escapeMarkdown(option.help));
  return text;
}
