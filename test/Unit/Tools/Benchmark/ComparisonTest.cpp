//===- ComparisonTest.cpp - What changed between benchmarks ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Benchmark/Comparison.h"

#include <gtest/gtest.h>

using namespace nnhal::tools;

namespace {

RunResult runOf(double median, double top1 = 0.5) {
  RunResult run;
  run.name = {"m", "d", "cpu", "sync", 1};
  for (int i = -10; i <= 10; ++i)
    run.latencies.push_back(median * (1.0 + 0.002 * i));
  run.evaluators = {{"top_1", top1}, {"max_log_f0_error", 1.0 - top1}};
  return run;
}

Report reportOf(RunResult run) {
  Report report;
  report.runs.push_back(std::move(run));
  return report;
}

Change changeOf(RunResult before, RunResult after, double threshold = 0.05) {
  auto changes = compareReports(reportOf(std::move(before)),
                                reportOf(std::move(after)), threshold);
  EXPECT_EQ(changes.size(), 1u);
  return changes.front();
}

TEST(ComparisonTest, ChangesBeyondNoiseAndThresholdCount) {
  EXPECT_EQ(changeOf(runOf(100), runOf(120)).verdict, Verdict::slower);
  EXPECT_EQ(changeOf(runOf(100), runOf(80)).verdict, Verdict::faster);
  EXPECT_EQ(changeOf(runOf(100), runOf(100)).verdict, Verdict::same);
  // Beyond noise, but small.
  EXPECT_EQ(changeOf(runOf(100), runOf(104)).verdict, Verdict::same);
  EXPECT_EQ(changeOf(runOf(100), runOf(104), 0.02).verdict, Verdict::slower);
  EXPECT_EQ(changeOf(runOf(100), runOf(96), 0.02).verdict, Verdict::faster);
}

TEST(ComparisonTest, LargeChangeWithinNoiseIsNone) {
  RunResult before = runOf(100), after = runOf(100);
  before.latencies = {50, 60, 100, 150, 200};
  after.latencies = {40, 80, 110, 190, 220};
  EXPECT_GT(changeOf(before, after).ratio, 1.05);
  EXPECT_EQ(changeOf(before, after).verdict, Verdict::same);
}

TEST(ComparisonTest, AccuracyCountsBeforeSpeed) {
  Change change = changeOf(runOf(100, 0.5), runOf(50, 0.4));
  EXPECT_EQ(change.verdict, Verdict::lessAccurate);
  EXPECT_EQ(change.detail, "top_1 was 0.5 and is 0.4");
  // More hits and less of an error.
  EXPECT_EQ(changeOf(runOf(100, 0.4), runOf(100, 0.5)).verdict, Verdict::same);
  RunResult without = runOf(100);
  without.evaluators.clear();
  EXPECT_EQ(changeOf(runOf(100), without).detail,
            "top_1 was 0.5 and is missing");
}

TEST(ComparisonTest, FailuresAndRunsOfOneSideOnly) {
  RunResult failed;
  failed.name = runOf(1).name;
  failed.benchmarkError = "no such device";
  EXPECT_EQ(changeOf(runOf(1), failed).verdict, Verdict::broken);
  EXPECT_EQ(changeOf(runOf(1), failed).detail, "no such device");
  EXPECT_EQ(changeOf(failed, runOf(1)).verdict, Verdict::repaired);
  EXPECT_EQ(changeOf(failed, failed).verdict, Verdict::same);
  RunResult other = runOf(1);
  other.name.threads = 2;
  auto changes = compareReports(reportOf(runOf(1)), reportOf(other), 0.05);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].verdict, Verdict::added);
  EXPECT_EQ(changes[1].verdict, Verdict::removed);
  EXPECT_FALSE(isWorse(changes));
}

TEST(ComparisonTest, TextHasALinePerChange) {
  std::vector<Change> changes = {changeOf(runOf(100), runOf(120)),
                                 changeOf(runOf(100), runOf(100))};
  EXPECT_TRUE(isWorse(changes));
  EXPECT_EQ(toString(Verdict::lessAccurate), "less accurate");
  std::string text = describeChanges(changes);
  EXPECT_TRUE(text.starts_with(
      "slower        m d cpu sync 1: 1.200 times the time (1."))
      << text;
  EXPECT_TRUE(text.ends_with("\n1 of 2 runs are the same\n")) << text;
}

} // namespace
