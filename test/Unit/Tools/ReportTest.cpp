//===- ReportTest.cpp - What goes to standard output ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Report/Report.h"
#include "Tools/Report/Explanation.h"

#include "nnhal/Runtime/CpuDevice.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

using namespace nnhal;
using namespace nnhal::tools;

namespace {

TEST(ReportTest, Outputs) {
  float values[3] = {0.1f, 2.0f, -3.5f};
  OutputTensor output = {"y",
                         rt::OperandType::TENSOR_FLOAT32,
                         {1, 3},
                         std::as_bytes(std::span(values))};
  EXPECT_EQ(describeOutput(output, 0, 10),
            "output 0 ('y') TENSOR_FLOAT32 [1,3]: 0.1 2 -3.5");
  EXPECT_EQ(describeOutput(output, 0, 2),
            "output 0 ('y') TENSOR_FLOAT32 [1,3]: 0.1 2 ...");
  const std::byte codes[] = {std::byte(255), std::byte(7)};
  output = {"", rt::OperandType::TENSOR_QUANT8_ASYMM_SIGNED, {2}, codes};
  EXPECT_EQ(describeOutput(output, 1, 10),
            "output 1 TENSOR_QUANT8_ASYMM_SIGNED [2]: -1 7");
}

TEST(ReportTest, TimesAsJson) {
  LoadOutcome loaded;
  loaded.loadMicroseconds = 3;
  loaded.compileMicroseconds = 4;
  loaded.threads = 2;
  Executed executed;
  executed.first.total = 9.0;
  for (int i = 1; i <= 200; ++i)
    executed.measured.push_back(
        {double(i), {uint64_t(i + 1000), uint64_t(i + 2000)}});
  auto json = nlohmann::json::parse(
      describeTimes(loaded, std::span(&executed, 1), TimeFormat::json));
  nlohmann::json expected = {{"load_us", 3},
                             {"compile_us", 4},
                             {"cache", "off"},
                             {"first_us", 9.0},
                             {"median_us", 100.0},
                             {"min_us", 1.0},
                             {"p99_us", 198.0},
                             {"runs", 200},
                             {"threads", 2},
                             {"device_us", 1100},
                             {"driver_us", 2100},
                             {"mode", "sync"},
                             {"copied_bytes", 0},
                             // The model is not there.
                             {"arena_bytes", 0},
                             {"arena_lower_bound_bytes", 0},
                             {"artifact_bytes", 0},
                             {"input_bytes", 0},
                             {"output_bytes", 0}};
  EXPECT_GT(json["peak_rss_bytes"], 0);
  json.erase("peak_rss_bytes");
  EXPECT_EQ(json, expected);
  executed.measured = {{1.0, {}}};
  json = nlohmann::json::parse(
      describeTimes(loaded, std::span(&executed, 1), TimeFormat::json));
  EXPECT_EQ(json["device_us"], -1);
}

TEST(ReportTest, TimesOfPhases) {
  LoadOutcome loaded;
  loaded.compilePhases = {{"import", 70}, {"codegen", 1234}};
  Executed executed;
  executed.measured = {{1.0, {}}};
  auto json = nlohmann::json::parse(
      describeTimes(loaded, std::span(&executed, 1), TimeFormat::json));
  EXPECT_EQ(json["compile_phases_us"],
            nlohmann::json({{"import", 70}, {"codegen", 1234}}));
  std::string text =
      describeTimes(loaded, std::span(&executed, 1), TimeFormat::text);
  EXPECT_NE(text.find("compile              0 us\n"
                      "  import            70 us\n"
                      "  codegen         1234 us\n"
                      "threads"),
            std::string::npos)
      << text;
}

// E-037: a hit is told from a miss, and a miss has a reason.
TEST(ReportTest, TimesSayWhatTheCacheDid) {
  LoadOutcome loaded;
  Executed executed;
  executed.measured = {{1.0, {}}};
  auto json = [&] {
    return nlohmann::json::parse(
        describeTimes(loaded, std::span(&executed, 1), TimeFormat::json));
  };
  auto text = [&] {
    return describeTimes(loaded, std::span(&executed, 1), TimeFormat::text);
  };
  EXPECT_EQ(text().find("cache"), std::string::npos);
  loaded.cache.outcome = rt::CacheOutcome::hit;
  EXPECT_EQ(json()["cache"], "hit");
  EXPECT_FALSE(json().contains("cache_reason"));
  EXPECT_NE(text().find("cache              hit\n"), std::string::npos);
  loaded.cache.outcome = rt::CacheOutcome::missModelChanged;
  EXPECT_EQ(json()["cache"], "miss");
  EXPECT_EQ(json()["cache_reason"], "model-changed");
  EXPECT_NE(text().find("cache             miss (model-changed)\n"),
            std::string::npos);
}

TEST(ReportTest, TimesAsOneTable) {
  LoadOutcome loaded;
  Executed executions[2];
  executions[0].measured = {{1.5, {1, 2}}};
  executions[1].measured = {{2.5, {}}, {3.5, {}}};
  executions[1].mode = ExecutionMode::fenced;
  executions[1].copiedBytes = 64;
  std::string text = describeTimes(loaded, executions, TimeFormat::text);
  auto row = [&](std::string_view start) {
    size_t begin = text.find("\n" + std::string(start)) + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(row("sync"), "sync       1        0.0        1.5        1.5        "
                         "1.5          1          2             0");
  EXPECT_EQ(row("fenced"), "fenced     2        0.0        2.5        2.5      "
                           "  3.5          -          -            64");
  EXPECT_EQ(row("mode").size(), row("sync").size());
}

TEST(ReportTest, ExplainsEveryOperation) {
  rt::Operand operand;
  operand.type = rt::OperandType::TENSOR_FLOAT32;
  operand.dimensions = {1};
  operand.lifetime = rt::OperandLifeTime::SUBGRAPH_INPUT;
  operand.numberOfConsumers = 1;
  rt::AnnotatedModel model;
  model.model.main.operands = {operand, operand};
  model.model.main.operands[1].lifetime = rt::OperandLifeTime::SUBGRAPH_OUTPUT;
  model.model.main.operands[1].numberOfConsumers = 0;
  model.model.main.operations = {{rt::OperationType::FLOOR, {0}, {1}}};
  model.model.main.inputIndexes = {0};
  model.model.main.outputIndexes = {1};
  auto device = rt::createCpuDevice();
  auto explanation = Explanation::create(model, *device);
  ASSERT_TRUE(explanation.isOk()) << explanation.status().message();
  EXPECT_EQ(explanation->text(ExplainFormat::text),
            "operation 0 FLOOR: nnhal-cpu\n");
  explanation->addRemark(7, "of a graph that is not the main one");
  EXPECT_EQ(explanation->text(ExplainFormat::text),
            "operation 0 FLOOR: nnhal-cpu, compiled: no "
            "code of its own\n");
  explanation->addRemark(0, "linalg.generic");
  EXPECT_EQ(explanation->text(ExplainFormat::text),
            "operation 0 FLOOR: nnhal-cpu, compiled: linalg.generic\n");

  model.model.main.operations[0].type = rt::OperationType::OEM_OPERATION;
  explanation = Explanation::create(model, *device);
  ASSERT_TRUE(explanation.isOk()) << explanation.status().message();
  explanation->addRemark(0, "unheard");
  EXPECT_EQ(explanation->text(ExplainFormat::text),
            "operation 0 OEM_OPERATION: no device, "
            "OEM_OPERATION is not compiled for CPUs\n");
}

TEST(ReportTest, ExplainsADivision) {
  rt::AnnotatedModel model;
  model.model.main.operations = {{rt::OperationType::FLOOR, {0}, {1}},
                                 {rt::OperationType::ADD, {1, 1, 2}, {3}},
                                 {rt::OperationType::RELU, {3}, {4}}};
  rt::PartitionPlan plan;
  plan.candidates.resize(3);
  plan.candidates[0].name = "fast";
  plan.candidates[1].name = "unused";
  plan.candidates[2].name = "slow";
  plan.steps.resize(2);
  plan.steps[0].device = 2;
  plan.steps[1].device = 0;
  plan.assignments = {{2, 0, rt::AssignmentReason::parameter, "fast: no FLOOR"},
                      {0, 1, rt::AssignmentReason::cost, "0.5 in place of 1"},
                      {0, 1, rt::AssignmentReason::cost, ""}};
  plan.estimate = 1.5;
  plan.singleDeviceEstimate = std::numeric_limits<double>::infinity();
  Explanation explanation = Explanation::create(model, plan);
  EXPECT_EQ(explanation.text(ExplainFormat::text),
            "2 of 3 operations on fast, 1 step, because cost (2: ADD RELU; "
            "0.5 in place of 1)\n"
            "1 of 3 operations on slow, 1 step, because parameter (1: FLOOR; "
            "fast: no FLOOR)\n"
            "operation 0 FLOOR: slow, step 0, parameter: fast: no FLOOR\n"
            "operation 1 ADD: fast, step 1, cost: 0.5 in place of 1\n"
            "operation 2 RELU: fast, step 1, cost\n");
  auto json = nlohmann::json::parse(explanation.text(ExplainFormat::json));
  EXPECT_EQ(json["estimate"], 1.5);
  EXPECT_TRUE(json["single_device_estimate"].is_null());
  ASSERT_EQ(json["devices"].size(), 3u);
  EXPECT_EQ(json["devices"][2]["device"], "slow");
  EXPECT_EQ(json["devices"][2]["reasons"][0]["reason"], "parameter");
  EXPECT_EQ(json["devices"][2]["reasons"][0]["operations"], 1);
  ASSERT_EQ(json["operations"].size(), 3u);
  EXPECT_EQ(json["operations"][2]["step"], 1);
  EXPECT_EQ(json["operations"][1]["detail"], "0.5 in place of 1");
}

} // namespace
