//===- Csv.cpp - Results as comma-separated values ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Csv.h"

#include "Statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

using namespace nnhal;
using namespace nnhal::tools;

static constexpr std::string_view columns =
    "#test,backend,iterations,totalSeconds,maxSingleError,testSetSize,"
    "histogramStartSeconds,histogramStepSeconds,evaluatorCount,bucketCount,"
    "validationErrorCount,evaluatorKey1,...,evaluatorValue1,...,bucket1,...,"
    "validationError1,...\n";

/// \p text without what ends a field or a line.
static std::string field(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == ',' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

static std::string lineOf(const RunResult &run) {
  if (run.hasFailed())
    return "\n";
  Histogram histogram = histogramOf(run.latencies);
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{} {},{} {} x{},{},{},{},{},{},{},{},{},{}",
                 field(run.name.model), field(run.name.data),
                 field(run.name.device), run.name.way, run.name.threads,
                 run.latencies.size(), run.totalSeconds(), run.maxSingleError,
                 run.testSetSize, histogram.start / 1e6, histogram.step / 1e6,
                 run.evaluators.size(), histogram.buckets.size(),
                 run.validationErrors.size());
  for (const EvaluatorValue &value : run.evaluators)
    fmt::format_to(out, ",{}", field(value.key));
  for (const EvaluatorValue &value : run.evaluators)
    fmt::format_to(out, ",{}", value.value);
  for (uint64_t bucket : histogram.buckets)
    fmt::format_to(out, ",{}", bucket);
  for (const std::string &error : run.validationErrors)
    fmt::format_to(out, ",{}", field(error));
  return text + "\n";
}

std::string tools::csvOf(const Report &report) {
  std::string text = fmt::format("{},{}\n{}", field(report.time),
                                 field(report.build), columns);
  for (const RunResult &run : report.runs)
    text += lineOf(run);
  return text;
}
