//===- Comparison.h - What changed between benchmarks -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_COMPARISON_H
#define NNHAL_LIB_TOOLS_BENCHMARK_COMPARISON_H

#include "Result.h"
#include "Statistics.h"

#include <string>
#include <vector>

namespace nnhal::tools {

/// What became of a run.
enum class Verdict {
  same,
  faster,
  slower,
  /// An evaluator found less, or more where less is better.
  lessAccurate,
  /// It ended before and failed after; the other way around.
  broken,
  repaired,
  /// One of the two does not have it.
  added,
  removed
};
std::string_view toString(Verdict verdict);

/// One run in both benchmarks.
struct Change {
  RunName name;
  Verdict verdict = Verdict::same;
  /// The median after divided by that before, and its interval; 0 where one of
  /// them is missing.
  double ratio = 0.0;
  Interval interval;
  /// What an evaluator found before and after, or the reason of a failure.
  std::string detail;
};

/// What changed from \p before to \p after, in the order of \p after. A run is
/// slower when the whole interval of its ratio is beyond 1 and the ratio itself
/// beyond 1 + \p threshold: of values that were measured in one go the interval
/// does not know how they differ from one go to the next.
std::vector<Change> compareReports(const Report &before, const Report &after,
                                   double threshold);

/// Whether something is slower, less accurate or broken.
bool isWorse(const std::vector<Change> &changes);

/// A line per change, those that are the same last and counted only.
std::string describeChanges(const std::vector<Change> &changes);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_COMPARISON_H
