//===- Options.h - The command line of nnhal-stress -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_STRESS_OPTIONS_H
#define NNHAL_TOOLS_NNHAL_STRESS_OPTIONS_H

#include "Tools/Options/OptionRows.h"

#include <cstdint>

namespace nnhal::stress {

struct Options {
  std::vector<std::string> models;
  std::vector<std::string> devices = {"nnhal-cpu"};
  std::string service;
  std::vector<std::string> plugins;
  /// A regular expression; empty for all tests.
  std::string filter;
  uint64_t seconds = 2;
  uint64_t threads = 2;
  uint64_t processes = 3;
  /// Processes of 100 that end abruptly.
  uint64_t deaths = 40;
  uint64_t compileThreads = 5;
  /// In percent of the mean time without compilations.
  uint64_t slowdown = 200;
  /// Seconds after the duration of a test after which it hangs.
  uint64_t patience = 60;
  uint64_t seed = 1;
  /// Where results are kept, and taken up again; may be empty.
  std::string state;
  std::string html;
  bool list = false;
  /// The test of which this process is a client; empty for the program itself.
  std::string client;
  bool help = false;
  bool version = false;
};

using Option = tools::OptionRow<Options>;

/// All options, in the order of the help.
std::span<const Option> allOptions();

/// Reads \p arguments, the program's name not among them. invalidArgument names
/// the argument that is wrong.
rt::Result<Options> parseOptions(std::span<const std::string_view> arguments);

/// The arguments of a client of \p test on \p device that \p options give.
std::vector<std::string> clientArguments(const Options &options,
                                         std::string_view test,
                                         std::string_view device);

/// The text that --help prints.
std::string helpText();

} // namespace nnhal::stress

#endif // NNHAL_TOOLS_NNHAL_STRESS_OPTIONS_H
