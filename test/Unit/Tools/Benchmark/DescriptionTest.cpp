//===- DescriptionTest.cpp - Descriptions of benchmarks -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Benchmark/Description.h"
#include "Tools/Benchmark/Suite.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace nnhal;
using namespace nnhal::tools;
namespace fs = std::filesystem;

namespace {

const std::string path = testing::TempDir() + "description.json";

rt::Result<Description> read(const std::string &text) {
  std::ofstream(path) << text;
  return readDescription(path);
}

std::string messageFor(const std::string &text) {
  auto description = read(text);
  EXPECT_FALSE(description.isOk()) << text;
  std::string message = description.status().message();
  EXPECT_TRUE(message.starts_with("'" + path + "': ")) << message;
  return message.substr(path.size() + 4);
}

ModelEntry entryOf(const std::string &name, const std::string &file) {
  ModelEntry entry;
  entry.name = name;
  entry.file = file;
  return entry;
}

/// A description with \p rest behind its models.
std::string withModel(const std::string &rest) {
  return R"({"models": ["a.tflite"])" + rest + "}";
}

TEST(DescriptionTest, EverythingIsRead) {
  auto description = read(R"({
    "models": ["a.tflite",
               {"file": "/b.json", "name": "B", "data": ["photos"],
                "expected_top1": 0.5, "input_scale": 0.25,
                "input_zero_point": 3, "shapes": {"0": [1, 2]}}],
    "data": {
      "photos": {"kind": "photos", "directory": "p", "ground_truth": "t",
                 "labels": "l", "preprocessing": ["as-published", "correct"],
                 "crop": 0.5, "mean": [1, 2, 3], "deviation": 4, "limit": 7,
                 "class_offset": -1},
      "files": {"kind": "tensors", "inputs": {"0": "in"},
                "outputs": {"y": "out"}},
      "folder": {"kind": "tensors", "directory": "d", "input_suffix": ".a",
                 "output_suffix": ".b", "frames": true, "limit": 2,
                 "evaluators": [{"kind": "mel-cep-log-f0",
                                 "mean_and_deviation": "m",
                                 "mel_cep_limit": 1, "log_f0_limit": 2},
                                {"kind": "phone-error-rate",
                                 "phone_error_limit": 3}]},
      "random": {"kind": "random", "seed": 5}},
    "devices": ["nnhal-cpu", "auto"], "baseline": "nnhal-reference",
    "ways": ["burst", "service-burst"], "threads": [1, 2], "warmup": 3,
    "iterations": 4, "seconds": 0.5, "time_limit_seconds": 9, "roofs": true,
    "plugins": ["p.so"]})");
  ASSERT_TRUE(description.isOk()) << description.status().message();
  const std::string folder = fs::path(path).parent_path().string() + "/";
  ASSERT_EQ(description->models.size(), 2u);
  EXPECT_EQ(description->models[0].file, folder + "a.tflite");
  EXPECT_EQ(description->models[0].name, "a");
  const ModelEntry &model = description->models[1];
  EXPECT_EQ(model.file, "/b.json");
  EXPECT_EQ(model.data, (std::vector<std::string>{"photos as-published",
                                                  "photos correct"}));
  EXPECT_EQ(model.expectedTop1, 0.5);
  EXPECT_EQ(model.inputScale, 0.25);
  EXPECT_EQ(model.inputZeroPoint, 3.0);
  EXPECT_EQ(model.shapes.at("0"), (std::vector<uint32_t>{1, 2}));
  ASSERT_EQ(description->data.size(), 5u);
  const DataEntry &files = description->data[0];
  EXPECT_EQ(files.tensors.outputs[0], (NamedFile{"y", folder + "out"}));
  const DataEntry &sequences = description->data[1];
  EXPECT_TRUE(sequences.tensors.frames);
  ASSERT_EQ(sequences.evaluators.size(), 2u);
  EXPECT_EQ(sequences.evaluators[0].logF0Limit, 2.0);
  EXPECT_EQ(sequences.evaluators[1].phoneErrorLimit, 3.0);
  const DataEntry &photos = description->data[2];
  EXPECT_EQ(photos.photos.preprocessing.quantizing, Quantizing::asPublished);
  EXPECT_EQ(photos.photos.preprocessing.normalization.mean[2], 3.0);
  EXPECT_EQ(photos.photos.preprocessing.normalization.deviation[1], 4.0);
  EXPECT_EQ(photos.photos.classOffset, -1);
  EXPECT_EQ(photos.evaluators.size(), 1u);
  EXPECT_EQ(description->data[4].seed, 5u);
  EXPECT_EQ(description->baseline, "nnhal-reference");
  EXPECT_EQ(description->ways[1].name(), "service-burst");
  EXPECT_EQ(description->effort.iterations, 4u);
  EXPECT_TRUE(description->roofs);
  // a: 5 data sets, b: 2, each on 2 devices in 2 ways on 2 numbers of threads.
  EXPECT_EQ(planRuns(*description).size(), size_t(7 * 2 * 2 * 2));
}

TEST(DescriptionTest, ExamplesAreNoDataOfTheirOwn) {
  DataEntry entry;
  entry.name = "examples";
  entry.kind = DataKind::examples;
  EXPECT_EQ(openDataSet(entry, {}).status().message(),
            "the examples of 'examples' are those of a test case");
}

TEST(DescriptionTest, ModelsWithoutDataHaveRandomInputs) {
  auto description = read(withModel(""));
  ASSERT_TRUE(description.isOk()) << description.status().message();
  description->models.push_back(entryOf("case", "case.json"));
  description->models.back().testCase = 0;
  std::vector<RunPlan> plans = planRuns(*description);
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_EQ(plans[0].name.text(), "a random nnhal-cpu sync 1");
  EXPECT_EQ(plans[1].data.kind, DataKind::examples);
}

TEST(DescriptionTest, WhatIsWrongWithModelsIsNamed) {
  EXPECT_EQ(messageFor("{}"), "the description: key \"models\" is missing");
  EXPECT_EQ(messageFor(R"({"models": []})"),
            "models: expected at least one element, found none");
  EXPECT_EQ(messageFor(R"({"models": ["a.onnx"]})"),
            "models[0]: expected a .tflite or .json file, found \"" +
                (fs::path(path).parent_path() / "a.onnx").string() + "\"");
  EXPECT_EQ(messageFor(R"({"models": ["a.tflite", "b/a.tflite"]})"),
            "models[1]: there are two models called \"a\"");
  EXPECT_EQ(messageFor(R"({"models": [{"file": "a.tflite", "name": ""}]})"),
            "models[0].name: expected a text, found an empty one");
  EXPECT_EQ(
      messageFor(R"({"models": [{"file": "a.tflite", "expected_top1": 1.5}]})"),
      "models[0].expected_top1: expected a number from 0 to 1, found 1.5");
  EXPECT_EQ(
      messageFor(R"({"models": [{"file": "a.tflite", "data": ["x"]}]})"),
      "the description: model 'a' names data 'x', and there is no such key in "
      "data");
}

TEST(DescriptionTest, WhatIsWrongWithDataIsNamed) {
  auto data = [](const std::string &entry) {
    return messageFor(withModel(R"(, "data": {"d": )" + entry + "}"));
  };
  EXPECT_EQ(messageFor(withModel(R"(, "data": [])")),
            "data: expected an object");
  EXPECT_EQ(data(R"({"kind": "sounds"})"),
            "data.d.kind: expected photos, tensors or random, found "
            "\"sounds\"");
  EXPECT_EQ(data(R"({"kind": "tensors"})"),
            "data.d: expected either directory or inputs");
  EXPECT_EQ(data(R"({"kind": "photos", "directory": "p",
                     "preprocessing": ["nice"]})"),
            "data.d.preprocessing[0]: expected correct or as-published, found "
            "\"nice\"");
  EXPECT_EQ(data(R"({"kind": "photos", "directory": "p", "mean": [1, 2]})"),
            "data.d.mean: expected a number, or 3 of them, found 2");
  EXPECT_EQ(data(R"({"kind": "photos", "directory": "p", "crop": 0})"),
            "data.d.crop: expected a number from 0.001 to 1, found 0");
  EXPECT_EQ(
      data(R"({"kind": "photos", "directory": "p", "deviation": [1, 0, 1]})"),
      "data.d.deviation[1]: expected a number from 1e-06 to 1000000, found 0");
  EXPECT_EQ(data(R"({"kind": "random", "evaluators": [{"kind": "luck"}]})"),
            "data.d.evaluators[0].kind: expected top-k, mel-cep-log-f0 or "
            "phone-error-rate, found \"luck\"");
}

TEST(DescriptionTest, WhatIsWrongWithSettingsIsNamed) {
  EXPECT_EQ(messageFor(withModel(R"(, "ways": ["fast"])")),
            "ways[0]: 'fast' is not sync, async, fenced, burst or service, nor "
            "one of service-async, service-fenced and service-burst");
  EXPECT_EQ(messageFor(withModel(R"(, "threads": [0])")),
            "threads[0]: 0 must be from 1 to 1024");
  EXPECT_EQ(messageFor(withModel(R"(, "speed": 1)")),
            "the description: unknown key \"speed\"");
}

// L-085: the models and the data of Android's benchmark, as far as they are
// published.
TEST(DescriptionTest, SuiteOfAndroidIsDescribed) {
  auto suite = readDescription(NNHAL_TEST_DATA "/../benchmarks/mlts.json");
  ASSERT_TRUE(suite.isOk()) << suite.status().message();
  std::vector<std::string> runs;
  for (const RunPlan &plan : planRuns(*suite))
    runs.push_back(plan.name.model + ": " + plan.data.name);
  EXPECT_EQ(runs,
            (std::vector<std::string>{
                "mlts_mobilenet_v1_0.25_128: photos as-published",
                "mlts_mobilenet_v1_0.25_128: photos correct",
                "mlts_mobilenet_v1_0.75_192_quant: photos as-published",
                "mlts_mobilenet_v1_0.75_192_quant: photos correct",
                "mlts_mobilenet_v2_1.0_224_quant: photos as-published",
                "mlts_mobilenet_v2_1.0_224_quant: photos correct",
                "mlts_tts_float: synthesis", "mlts_asr_float: recognition"}));
  EXPECT_EQ(suite->data[1].evaluators[0].kind, EvaluatorKind::topK);
}

class FindModelsTest : public testing::Test {
protected:
  FindModelsTest() {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~FindModelsTest() override { fs::remove_all(folder); }

  const std::string folder = testing::TempDir() + "nnhal-find-models";
};

TEST_F(FindModelsTest, FoldersAreTheirFiles) {
  for (const char *name : {"b.tflite", "a.tflite", "c.txt"})
    std::ofstream(folder + "/" + name) << "x";
  std::vector<std::string> paths = {folder, "x.json"};
  auto models = findModels(paths);
  ASSERT_TRUE(models.isOk()) << models.status().message();
  ASSERT_EQ(models->size(), 3u);
  EXPECT_EQ((*models)[0].name, "a");
  EXPECT_EQ((*models)[2].name, "x");
}

TEST_F(FindModelsTest, WhatIsNoModelIsNamed) {
  std::vector<std::string> paths = {folder};
  EXPECT_EQ(findModels(paths).status().message(),
            "there is no .tflite file in '" + folder + "'");
  paths = {"model.onnx"};
  EXPECT_EQ(findModels(paths).status().message(),
            "'model.onnx' is not a .tflite or .json file, and no folder");
}

TEST_F(FindModelsTest, FilesOfTestCasesAreTheirCases) {
  std::vector<ModelEntry> models = {
      entryOf("basic", NNHAL_TEST_DATA "/Cases/basic.json"),
      entryOf("missing", folder + "/missing.json")};
  ASSERT_TRUE(expandTestCases(models).isOk());
  ASSERT_GT(models.size(), 2u);
  EXPECT_EQ(models[0].testCase, 0u);
  EXPECT_EQ(models[1].testCase, 1u);
  EXPECT_TRUE(models[0].name.starts_with("basic "));
  EXPECT_FALSE(models.back().testCase);
  std::string empty = folder + "/empty.json";
  std::ofstream(empty) << R"({"cases": []})";
  models = {entryOf("empty", empty)};
  EXPECT_EQ(expandTestCases(models).message(),
            "'" + empty + "': there is no test case");
}

} // namespace
