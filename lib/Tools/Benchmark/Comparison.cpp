//===- Comparison.cpp - What changed from one benchmark to another --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"

#include <fmt/format.h>

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tools;

std::string_view tools::toString(Verdict verdict) {
  switch (verdict) {
  case Verdict::same:
    return "same";
  case Verdict::faster:
    return "faster";
  case Verdict::slower:
    return "slower";
  case Verdict::lessAccurate:
    return "less accurate";
  case Verdict::broken:
    return "broken";
  case Verdict::repaired:
    return "repaired";
  case Verdict::added:
    return "added";
  case Verdict::removed:
    break;
  }
  return "removed";
}

/// Whether an evaluator counts hits under \p key; errors are under others.
static bool isHitRate(std::string_view key) { return key.starts_with("top_"); }

/// The first value that became worse; empty for none. Sums of floats may differ
/// in their last digits.
static std::string lossOf(const RunResult &before, const RunResult &after) {
  constexpr double tolerance = 1e-3;
  for (const EvaluatorValue &old : before.evaluators) {
    const EvaluatorValue *found = after.find(old.key);
    if (!found)
      return fmt::format("{} was {:.4g} and is missing", old.key, old.value);
    double loss = isHitRate(old.key) ? old.value - found->value
                                     : found->value - old.value;
    if (!(loss <= tolerance * std::max(1.0, old.value)))
      return fmt::format("{} was {:.4g} and is {:.4g}", old.key, old.value,
                         found->value);
  }
  return {};
}

static Change compareRuns(const RunResult &before, const RunResult &after,
                          double threshold) {
  Change change;
  change.name = after.name;
  if (after.hasFailed()) {
    change.verdict = before.hasFailed() ? Verdict::same : Verdict::broken;
    change.detail = after.benchmarkError;
    return change;
  }
  if (before.hasFailed()) {
    change.verdict = Verdict::repaired;
    change.detail = before.benchmarkError;
    return change;
  }
  if (before.median() > 0.0) {
    change.ratio = after.median() / before.median();
    change.interval = bootstrapMedianRatio(before.latencies, after.latencies);
    if (change.interval.low > 1.0 && change.ratio > 1.0 + threshold)
      change.verdict = Verdict::slower;
    else if (change.interval.high < 1.0 &&
             change.ratio < 1.0 / (1.0 + threshold))
      change.verdict = Verdict::faster;
  }
  change.detail = lossOf(before, after);
  if (!change.detail.empty())
    change.verdict = Verdict::lessAccurate;
  return change;
}

std::vector<Change> tools::compareReports(const Report &before,
                                          const Report &after,
                                          double threshold) {
  std::vector<Change> changes;
  for (const RunResult &run : after.runs) {
    if (const RunResult *old = before.find(run.name)) {
      changes.push_back(compareRuns(*old, run, threshold));
      continue;
    }
    Change &change = changes.emplace_back();
    change.name = run.name;
    change.verdict = Verdict::added;
    change.detail = run.benchmarkError;
  }
  for (const RunResult &run : before.runs) {
    if (after.find(run.name))
      continue;
    Change &change = changes.emplace_back();
    change.name = run.name;
    change.verdict = Verdict::removed;
  }
  return changes;
}

static bool isWorse(Verdict verdict) {
  return verdict == Verdict::slower || verdict == Verdict::lessAccurate ||
         verdict == Verdict::broken;
}

bool tools::isWorse(const std::vector<Change> &changes) {
  return std::ranges::any_of(
      changes, [](const Change &change) { return ::isWorse(change.verdict); });
}

std::string tools::describeChanges(const std::vector<Change> &changes) {
  std::string text;
  size_t same = 0;
  for (const Change &change : changes) {
    if (change.verdict == Verdict::same) {
      ++same;
      continue;
    }
    text +=
        fmt::format("{:<14}{}", toString(change.verdict), change.name.text());
    if (change.ratio > 0.0)
      text +=
          fmt::format(": {:.3f} times the time ({:.3f} to {:.3f})",
                      change.ratio, change.interval.low, change.interval.high);
    if (!change.detail.empty())
      text += fmt::format(": {}", change.detail);
    text += "\n";
  }
  return text +
         fmt::format("{} of {} runs are the same\n", same, changes.size());
}
