//===- Result.cpp - What one run of a benchmark measured ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Result.h"

#include "Statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace nnhal;
using namespace nnhal::tools;

std::string RunName::text() const {
  return fmt::format("{} {} {} {} {}", model, data, device, way, threads);
}

double RunResult::totalSeconds() const {
  return std::accumulate(latencies.begin(), latencies.end(), 0.0) / 1e6;
}

double RunResult::mean() const { return meanOf(latencies); }

double RunResult::standardDeviation() const {
  return standardDeviationOf(latencies);
}

double RunResult::median() const {
  return latencies.empty() ? 0.0 : medianOf(latencies);
}

const EvaluatorValue *RunResult::find(std::string_view key) const {
  auto found = std::ranges::find(evaluators, key, &EvaluatorValue::key);
  return found == evaluators.end() ? nullptr : &*found;
}

const RunResult *Report::find(const RunName &name) const {
  auto found = std::ranges::find(runs, name, &RunResult::name);
  return found == runs.end() ? nullptr : &*found;
}

const RunResult *tools::baselineOf(const Report &report, const RunResult &run) {
  const RunResult *best = nullptr;
  int bestRank = -1;
  for (const RunResult &other : report.runs) {
    if (other.name.model != run.name.model ||
        other.name.data != run.name.data ||
        other.name.device != report.baseline || other.hasFailed())
      continue;
    int rank = 2 * (other.name.way == run.name.way) +
               (other.name.threads == run.name.threads);
    if (rank > bestRank) {
      bestRank = rank;
      best = &other;
    }
  }
  return best;
}

std::map<std::string, double> tools::bundleOf(const RunResult &run,
                                              const std::string &test) {
  std::map<std::string, double> bundle;
  if (run.hasFailed() || run.latencies.empty())
    return bundle;
  double iterations = double(run.latencies.size());
  bundle[test + "_avg"] = run.mean() / 1e3;
  bundle[test + "_std_dev"] = run.standardDeviation() / 1e3;
  bundle[test + "_total_time"] = run.totalSeconds() * 1e3;
  bundle[test + "_mean_square_error"] = run.sumOfMeanSquareErrors / iterations;
  bundle[test + "_max_single_error"] = run.maxSingleError;
  bundle[test + "_iterations"] = iterations;
  for (const EvaluatorValue &value : run.evaluators)
    bundle[test + "_" + value.key] = value.value;
  return bundle;
}

std::vector<MeasuredCapability>
tools::capabilitiesOf(const Report &report, const std::string &device) {
  std::vector<MeasuredCapability> measured = {{"TENSOR_FLOAT32"},
                                              {"TENSOR_QUANT8_ASYMM"}};
  for (const RunResult &run : report.runs) {
    if (run.name.device != device || run.hasFailed())
      continue;
    RunName same = run.name;
    same.device = report.baseline;
    const RunResult *base = report.find(same);
    if (!base || base->hasFailed() || base->median() <= 0.0)
      continue;
    MeasuredCapability &entry = measured[run.isQuantized ? 1 : 0];
    entry.execTime += std::log(run.median() / base->median());
    ++entry.models;
  }
  std::erase_if(measured, [](const auto &entry) { return entry.models == 0; });
  for (MeasuredCapability &entry : measured)
    entry.execTime = std::exp(entry.execTime / double(entry.models));
  return measured;
}
