//===- ResultTest.cpp - Results, their CSV and their JSON -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Benchmark/Result.h"
#include "Tools/Benchmark/Csv.h"
#include "Tools/Benchmark/ResultJson.h"
#include "Tools/Benchmark/ResultTable.h"
#include "Tools/Benchmark/SuiteProgress.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

using namespace nnhal::tools;

namespace {

RunResult runOf(const std::string &device, std::vector<double> latencies) {
  RunResult run;
  run.name = {"model", "data", device, "sync", 1};
  run.latencies = std::move(latencies);
  run.testSetSize = 2;
  run.sumOfMeanSquareErrors = 4.0;
  run.maxSingleError = 0.5;
  run.evaluators = {{"top_1", 0.25}, {"top_2", 0.5}};
  run.validationErrors = {"too bad, really"};
  run.cold = {1.0, 2.0, 3.0};
  run.warm = StartTimes{1.0, 1.0, 1.0};
  run.peakMemory = 1000000;
  run.operations = {{"ADD", device, 0, 17}, {"MUL", device, 1, std::nullopt}};
  run.arithmetic = 100.0;
  run.traffic = 10.0;
  return run;
}

Report reportOf(std::vector<RunResult> runs) {
  return {"2026-01-31T12:00:00Z", "1.2.3", "machine", "base", {1, 2, 3},
          std::move(runs)};
}

// L-088.
TEST(ResultTest, FieldsOfAResult) {
  RunResult run = runOf("cpu", {1e6, 3e6});
  EXPECT_EQ(run.mean(), 2e6);
  EXPECT_EQ(run.totalSeconds(), 4.0);
  EXPECT_EQ(run.standardDeviation(), 1e6);
  EXPECT_EQ(run.find("top_2")->value, 0.5);
  EXPECT_EQ(run.find("top_9"), nullptr);
}

std::string repeated(const std::string &text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i)
    all += text;
  return all;
}

// L-090.
TEST(ResultTest, CsvHasTheFieldsInOrder) {
  std::string text = csvOf(reportOf({runOf("cpu", {1e6, 32e6})}));
  size_t first = text.find('\n'), second = text.find('\n', first + 1);
  EXPECT_EQ(text.substr(0, first), "2026-01-31T12:00:00Z,1.2.3");
  EXPECT_EQ(text[first + 1], '#');
  EXPECT_EQ(text.substr(second + 1),
            "model data,cpu sync x1,2,33,0.5,2,1,1,2,32,1,top_1,top_2,0.25,0.5,"
            "1" +
                repeated(",0", 30) + ",1,too bad  really\n");
}

// L-092.
TEST(ResultTest, RunThatFailedIsAnEmptyLineOfTheCsv) {
  RunResult failed;
  failed.name = {"other", "data", "cpu", "sync", 1};
  failed.benchmarkError = "operation 0 is not supported";
  std::string text = csvOf(reportOf({failed, runOf("cpu", {1.0})}));
  EXPECT_NE(text.find("\n\nmodel data,cpu"), std::string::npos) << text;
}

// L-091.
TEST(ResultTest, BundleIsInMilliseconds) {
  auto bundle = bundleOf(runOf("cpu", {1000.0, 3000.0}), "net");
  EXPECT_EQ(bundle["net_avg"], 2.0);
  EXPECT_EQ(bundle["net_std_dev"], 1.0);
  EXPECT_EQ(bundle["net_total_time"], 4.0);
  EXPECT_EQ(bundle["net_mean_square_error"], 2.0);
  EXPECT_EQ(bundle["net_max_single_error"], 0.5);
  EXPECT_EQ(bundle["net_iterations"], 2.0);
  EXPECT_EQ(bundle["net_top_1"], 0.25);
  EXPECT_EQ(bundle.size(), 8u);
}

// L-087.
TEST(ResultTest, BaselineIsTheRunThatIsMostAlike) {
  RunResult burst = runOf("cpu", {1.0});
  burst.name.way = "burst";
  RunResult base = runOf("base", {4.0}), twoThreads = runOf("base", {2.0});
  twoThreads.name.threads = 2;
  Report report = reportOf({runOf("cpu", {2.0}), burst, twoThreads, base});
  EXPECT_EQ(baselineOf(report, report.runs[0])->median(), 4.0);
  EXPECT_EQ(baselineOf(report, report.runs[1])->median(), 4.0);
  report.runs.pop_back();
  EXPECT_EQ(baselineOf(report, report.runs[0])->median(), 2.0);
  report.runs.back().benchmarkError = "broken";
  EXPECT_EQ(baselineOf(report, report.runs[0]), nullptr);
  std::string table = tableOf(reportOf({runOf("cpu", {2.0}), base}));
  EXPECT_NE(table.find("2.00x"), std::string::npos) << table;
}

// L-094.
TEST(ResultTest, CapabilitiesAreMeansOverModels) {
  std::vector<RunResult> runs;
  for (int i = 0; i < 2; ++i)
    for (const char *device : {"cpu", "base"}) {
      RunResult run = runOf(device, {i == 0 ? 1.0 : 4.0});
      if (device == std::string("base"))
        run.latencies = {8.0};
      run.name.model = i == 0 ? "small" : "large";
      runs.push_back(run);
    }
  auto measured = capabilitiesOf(reportOf(runs), "cpu");
  ASSERT_EQ(measured.size(), 1u);
  EXPECT_EQ(measured[0].type, "TENSOR_FLOAT32");
  EXPECT_DOUBLE_EQ(measured[0].execTime, 0.25);
  EXPECT_EQ(measured[0].models, 2u);
  for (RunResult &run : runs)
    run.isQuantized = true;
  EXPECT_EQ(capabilitiesOf(reportOf(runs), "cpu")[0].type,
            "TENSOR_QUANT8_ASYMM");
}

nnhal::rt::Result<Report> readText(const std::string &text) {
  std::string path = testing::TempDir() + "report.json";
  std::ofstream(path) << text;
  return readReport(path);
}

TEST(ResultTest, JsonReadsBackTheSame) {
  RunResult failed;
  failed.name = {"other", "data", "cpu", "burst", 2};
  failed.benchmarkError = "\"no\" \xff";
  RunResult infinite = runOf("cpu", {1.0});
  infinite.maxSingleError = std::numeric_limits<double>::infinity();
  Report report = reportOf({infinite, failed});
  auto read = readText(jsonOf(report));
  ASSERT_TRUE(read.isOk()) << read.status().message();
  // Bytes that are no text become the sign for that.
  report.runs[1].benchmarkError = "\"no\" \xef\xbf\xbd";
  EXPECT_EQ(*read, report);
  auto run = readRun(jsonOf(report.runs[0]));
  ASSERT_TRUE(run.isOk()) << run.status().message();
  EXPECT_EQ(*run, report.runs[0]);
}

std::string messageFor(std::string text, const std::string &from,
                       const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  auto read = readText(text);
  EXPECT_FALSE(read.isOk());
  std::string message = read.status().message();
  return message.substr(message.find("': ") + 3);
}

TEST(ResultTest, WhatIsWrongWithAFileIsNamed) {
  std::string text = jsonOf(reportOf({runOf("cpu", {1.0, 2.0})}));
  EXPECT_EQ(messageFor(text, "\"nnhal-benchmark\"", "\"other\""),
            "format: expected \"nnhal-benchmark\", found \"other\"");
  EXPECT_EQ(messageFor(text, "\"version\": 1", "\"version\": 9"),
            "version: 9 must be from 1 to 1");
  EXPECT_EQ(messageFor(text, "\"threads\": 1", "\"threads\": -1"),
            "runs[0].threads: -1 must be from 0 to 9007199254740992");
  EXPECT_EQ(messageFor(text, "    1.0,\n", "    -1.0,\n"),
            "runs[0].latencies_us[0]: expected a time of 0 or more, found -1");
  EXPECT_EQ(messageFor(text, "\"latencies_us\": [\n    1.0,\n    2.0\n   ]",
                       "\"latencies_us\": []"),
            "runs[0].latencies_us: expected at least one latency, found none");
  size_t end = text.rfind("  }\n ]");
  std::string twice = text.substr(0, end + 3) + "," +
                      text.substr(text.find("  {\n   \"model\"") + 2);
  EXPECT_EQ(messageFor(twice, "", ""),
            "runs[1]: the run 'model data cpu sync 1' is there twice");
}

TEST(ResultTest, TextsForPeople) {
  EXPECT_EQ(timeText(412.04), "412 us");
  EXPECT_EQ(timeText(1250.0), "1.25 ms");
  EXPECT_EQ(timeText(2.1e6), "2.1 s");
  EXPECT_EQ(sizeText(12), "12 B");
  EXPECT_EQ(sizeText(1500), "1.5 kB");
  EXPECT_EQ(sizeText(1500000), "1.5 MB");
  RunResult run = runOf("cpu", {1.0});
  EXPECT_EQ(accuracyText(run), "top_1 25.00 %");
  run.evaluators = {{"max_log_f0_error", 0.002}};
  EXPECT_EQ(accuracyText(run), "max_log_f0_error 0.002");
  run.evaluators.clear();
  EXPECT_EQ(accuracyText(run), "max error 0.5");
  run.maxSingleError = 0.0;
  EXPECT_EQ(accuracyText(run), "");
}

TEST(ResultTest, ProgressTellsTheTimeThatIsLeft) {
  RunName name = {"m", "d", "cpu", "sync", 1};
  EXPECT_EQ(progressText(0, 4, name, 10), "m d cpu sync 1 (1/4)");
  EXPECT_EQ(progressText(2, 4, name, 10), "m d cpu sync 1 (3/4, 10 s left)");
  EXPECT_EQ(progressText(1, 4, name, 25),
            "m d cpu sync 1 (2/4, 1 min 15 s left)");
}

} // namespace
