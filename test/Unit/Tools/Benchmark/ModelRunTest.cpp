//===- ModelRunTest.cpp - Models from their file to their results ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Benchmark/ModelRun.h"
#include "Tools/Benchmark/Suite.h"

#include <gtest/gtest.h>

#include <filesystem>

using namespace nnhal;
using namespace nnhal::tools;
namespace fs = std::filesystem;

namespace {

class ModelRunTest : public testing::Test {
protected:
  ModelRunTest() {
    fs::remove_all(plan.folder);
    fs::create_directories(plan.folder);
    plan.name = {"basic", "examples", "nnhal-reference", "sync", 1};
    plan.model.file = NNHAL_TEST_DATA "/Cases/basic.json";
    plan.model.testCase = 0;
    plan.data.kind = DataKind::examples;
    plan.effort.iterations = 7;
    plan.effort.seconds = 0;
  }
  ~ModelRunTest() override { fs::remove_all(plan.folder); }

  std::string message() const { return measureRun(plan).status().message(); }

  RunPlan plan = {.name = {},
                  .model = {},
                  .data = {},
                  .way = {},
                  .effort = {},
                  .plugins = {},
                  .folder = testing::TempDir() + "nnhal-model-run"};
};

TEST_F(ModelRunTest, TestCaseIsExecutedAndCompared) {
  auto run = measureRun(plan);
  ASSERT_TRUE(run.isOk()) << run.status().message();
  EXPECT_EQ(run->latencies.size(), 7u);
  EXPECT_EQ(run->testSetSize, 1u);
  EXPECT_EQ(run->maxSingleError, 0.0);
  EXPECT_GT(run->cold.total(), 0.0);
  EXPECT_GT(run->peakMemory, 0u);
  ASSERT_FALSE(run->operations.empty());
  EXPECT_EQ(run->operations[0].type, "ADD");
  EXPECT_EQ(run->operations[0].device, "nnhal-reference");
}

TEST_F(ModelRunTest, NothingIsCachedForADeviceThatCompilesNothing) {
  ASSERT_TRUE(measureRun(plan).isOk());
  auto warm = measureWarmStart(plan);
  ASSERT_TRUE(warm.isOk()) << warm.status().message();
  EXPECT_FALSE(*warm);
}

TEST_F(ModelRunTest, WhatKeepsARunFromItsEndIsNamed) {
  plan.model.testCase = 9999;
  EXPECT_TRUE(message().ends_with("test cases, none of number 9999"))
      << message();
  plan.model.testCase = 0;
  plan.name.threads = 2;
  EXPECT_EQ(message(), "device nnhal-reference executes on one thread, and 2 "
                       "threads are asked for");
  plan.name.threads = 1;
  plan.model.testCase.reset();
  plan.model.file = NNHAL_TEST_DATA "/Models/small_cnn.tflite";
  EXPECT_EQ(message(), "'" + plan.model.file +
                           "' has no examples, which only test cases have");
  plan.name.device = "nosuch";
  EXPECT_TRUE(message().starts_with("unknown device 'nosuch'")) << message();
}

// L-092.
TEST_F(ModelRunTest, FailureIsAResultOfTheSuite) {
  std::vector<RunPlan> plans = {plan, plan};
  plans[0].model.file = "missing.tflite";
  plans[0].name.model = "missing";
  std::vector<std::string> ended;
  SuiteObserver observer;
  observer.ended = [&](const RunResult &run) {
    ended.push_back(run.name.model + (run.hasFailed() ? " failed" : " ended"));
  };
  auto report = runSuite(plans, false, observer);
  ASSERT_TRUE(report.isOk()) << report.status().message();
  EXPECT_EQ(ended, (std::vector<std::string>{"missing failed", "basic ended"}));
  EXPECT_EQ(report->runs[0].benchmarkError,
            "cannot open 'missing.tflite': No such file or directory");
  EXPECT_EQ(report->runs[1].latencies.size(), 7u);
}

} // namespace
