//===- Options.h - The command line of nnhal-cache --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_CACHE_OPTIONS_H
#define NNHAL_TOOLS_NNHAL_CACHE_OPTIONS_H

#include "Tools/Options/OptionRows.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::cachetool {

enum class Command { help, version, list, verify, prune, warm };

struct Options {
  Command command = Command::help;
  std::string directory;
  /// The entries that prune removes.
  std::optional<int64_t> maxAgeSeconds;
  std::optional<uint64_t> maxBytes;
  bool removeInvalid = false;
  bool isDryRun = false;
  /// The models that warm compiles, and how.
  std::vector<std::string> models;
  std::string stateDirectory;
  std::string rounding = "double";
};

/// A row of the table of options.
struct Option {
  std::string_view name;
  tools::Takes takes = tools::Takes::nothing;
  std::string_view valueName = {};
  std::string_view help;
  rt::Status (*apply)(Options &options, std::string_view value) = nullptr;
  /// The command whose option it is; help and version are commands themselves.
  Command command = Command::prune;
};

/// All options, in the order of the help.
std::span<const Option> allOptions();

/// Reads \p arguments, the program's name not among them. Fails with
/// invalidArgument, which names the argument that is wrong.
rt::Result<Options> parseOptions(std::span<const std::string_view> arguments);

/// Returns the text that --help prints.
std::string helpText();

} // namespace nnhal::cachetool

#endif // NNHAL_TOOLS_NNHAL_CACHE_OPTIONS_H
