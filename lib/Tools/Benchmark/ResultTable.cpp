//===- ResultTable.cpp - Results as a table of text -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResultTable.h"

#include "Statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

using namespace nnhal;
using namespace nnhal::tools;

std::string tools::timeText(double microseconds) {
  if (microseconds < 1e3)
    return fmt::format("{:.4g} us", microseconds);
  if (microseconds < 1e6)
    return fmt::format("{:.4g} ms", microseconds / 1e3);
  return fmt::format("{:.4g} s", microseconds / 1e6);
}

std::string tools::sizeText(uint64_t bytes) {
  if (bytes < 1000)
    return fmt::format("{} B", bytes);
  if (bytes < 1000000)
    return fmt::format("{:.3g} kB", double(bytes) / 1e3);
  return fmt::format("{:.4g} MB", double(bytes) / 1e6);
}

std::string tools::accuracyText(const RunResult &run) {
  if (run.evaluators.empty())
    return run.maxSingleError > 0.0
               ? fmt::format("max error {:.3g}", run.maxSingleError)
               : std::string();
  const EvaluatorValue &value = run.evaluators.front();
  if (value.key.starts_with("top_"))
    return fmt::format("{} {:.2f} %", value.key, 100 * value.value);
  return fmt::format("{} {:.4g}", value.key, value.value);
}

static std::vector<std::string> rowOf(const Report &report,
                                      const RunResult &run) {
  std::vector<std::string> row = {run.name.model, run.name.data,
                                  run.name.device, run.name.way,
                                  fmt::format("{}", run.name.threads)};
  if (run.hasFailed()) {
    row.push_back(run.benchmarkError);
    return row;
  }
  Interval interval = bootstrapMedian(run.latencies);
  row.push_back(timeText(run.median()));
  row.push_back(
      fmt::format("{}-{}", timeText(interval.low), timeText(interval.high)));
  const RunResult *base = baselineOf(report, run);
  row.push_back(base && base != &run && run.median() > 0.0
                    ? fmt::format("{:.2f}x", base->median() / run.median())
                    : "-");
  row.push_back(timeText(run.cold.total()));
  row.push_back(run.warm ? timeText(run.warm->total()) : "-");
  row.push_back(sizeText(run.peakMemory));
  std::string accuracy = accuracyText(run);
  row.push_back(accuracy.empty() ? "-" : accuracy);
  return row;
}

std::string tools::tableOf(const Report &report) {
  std::vector<std::vector<std::string>> rows = {
      {"model", "data", "device", "way", "threads", "median", "95 % interval",
       "speed-up", "cold start", "warm start", "memory", "accuracy"}};
  std::vector<size_t> widths(rows[0].size());
  for (const RunResult &run : report.runs)
    rows.push_back(rowOf(report, run));
  // The reason of a failure is the last cell of its row, however long.
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      if (row.size() == widths.size() || i + 1 < row.size())
        widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      fmt::format_to(std::back_inserter(line), "{:<{}}  ", row[i],
                     i + 1 < row.size() ? widths[i] : 0);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  // What is not as it should be, below the numbers.
  for (const RunResult &run : report.runs)
    for (const std::string &error : run.validationErrors)
      text += fmt::format("{}: {}\n", run.name.text(), error);
  return text;
}
