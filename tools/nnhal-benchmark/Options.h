//===- Options.h - The command line of nnhal-benchmark ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_BENCHMARK_OPTIONS_H
#define NNHAL_TOOLS_NNHAL_BENCHMARK_OPTIONS_H

#include "Tools/Benchmark/Description.h"
#include "Tools/Options/OptionRows.h"

namespace nnhal::benchmark {

struct Options {
  /// The arguments that are no options: models and folders of them, or results
  /// to be compared.
  std::vector<std::string> paths;
  /// The file that says everything; options replace what it says.
  std::string description;
  std::vector<std::string> devices;
  std::string baseline;
  std::vector<tools::BenchmarkWay> ways;
  std::vector<uint64_t> threads;
  std::vector<std::string> plugins;
  tools::PhotosRequest photos;
  std::vector<tools::Quantizing> preprocessing = {
      tools::Quantizing::correct, tools::Quantizing::asPublished};
  std::optional<uint64_t> warmup;
  std::optional<uint64_t> iterations;
  std::optional<double> seconds;
  std::optional<double> timeLimitSeconds;
  bool roofs = false;
  std::string json;
  std::string csv;
  std::string html;
  /// Results of earlier runs, for the page.
  std::vector<std::string> against;
  bool compare = false;
  /// Changes of medians that are smaller than this part are none.
  double threshold = 0.05;
  bool help = false;
  bool version = false;
};

using Option = tools::OptionRow<Options>;

/// All options, in the order of the help.
std::span<const Option> allOptions();

/// Reads \p arguments, the program's name not among them. invalidArgument names
/// the argument that is wrong.
rt::Result<Options> parseOptions(std::span<const std::string_view> arguments);

/// What \p options ask for: the description, or the models of the command line,
/// with what options say in the place of what the file does. Fails with what
/// the file is wrong with, and for a folder without models.
rt::Result<tools::Description> describe(const Options &options);

/// The text that --help prints.
std::string helpText();

} // namespace nnhal::benchmark

#endif // NNHAL_TOOLS_NNHAL_BENCHMARK_OPTIONS_H
