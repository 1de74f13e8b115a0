//===- OptionsTest.cpp - The command line of nnhal-benchmark --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal-benchmark/Options.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace nnhal;
using namespace nnhal::benchmark;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string_view>;

std::string messageFor(const Words &words) {
  return parseOptions(words).status().message();
}

TEST(BenchmarkOptionsTest, OptionsReplaceWhatTheFileSays) {
  std::string path = testing::TempDir() + "suite.json";
  std::ofstream(path) << R"({"models": ["a.tflite"], "iterations": 3,
                             "warmup": 4, "devices": ["auto"]})";
  std::string description = "--description=" + path;
  auto options = parseOptions(
      Words{description, "--iterations=5", "--device=nnhal-cpu,A+B",
            "--baseline=nnhal-reference", "--way=burst", "--threads=1,2",
            "--seconds=0.25", "--time-limit=3", "--plugin=p.so", "--roofs"});
  ASSERT_TRUE(options.isOk()) << options.status().message();
  auto described = describe(*options);
  ASSERT_TRUE(described.isOk()) << described.status().message();
  EXPECT_EQ(described->effort.iterations, 5u);
  EXPECT_EQ(described->effort.warmup, 4u);
  EXPECT_EQ(described->effort.seconds, 0.25);
  EXPECT_EQ(described->effort.timeLimitSeconds, 3.0);
  EXPECT_EQ(described->devices,
            (std::vector<std::string>{"nnhal-cpu", "A+B", "nnhal-reference"}));
  EXPECT_EQ(described->baseline, "nnhal-reference");
  EXPECT_EQ(described->ways[0].name(), "burst");
  EXPECT_EQ(described->threads, (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(described->plugins, std::vector<std::string>{"p.so"});
  EXPECT_TRUE(described->roofs);
}

TEST(BenchmarkOptionsTest, PhotosTakeTheirClassesFromTheirFolder) {
  std::string folder = testing::TempDir() + "nnhal-benchmark-options";
  fs::create_directories(folder);
  std::ofstream(folder + "/labels.txt") << "x\n";
  std::string photos = "--photos=" + folder;
  auto options = parseOptions(
      Words{"a.tflite", photos, "--limit=9", "--preprocessing=as-published"});
  ASSERT_TRUE(options.isOk()) << options.status().message();
  auto described = describe(*options);
  ASSERT_TRUE(described.isOk()) << described.status().message();
  ASSERT_EQ(described->data.size(), 1u);
  EXPECT_EQ(described->data[0].name, "photos as-published");
  EXPECT_EQ(described->data[0].photos.labels, folder + "/labels.txt");
  EXPECT_EQ(described->data[0].photos.groundTruth, "");
  EXPECT_EQ(described->data[0].photos.limit, 9u);
  EXPECT_TRUE(described->data[0].evaluators.empty());
  std::ofstream(folder + "/ground_truth_labels.txt") << "x\n";
  described = describe(*options);
  EXPECT_EQ(described->data[0].photos.groundTruth,
            folder + "/ground_truth_labels.txt");
  EXPECT_EQ(described->data[0].evaluators.size(), 1u);
  fs::remove_all(folder);
}

TEST(BenchmarkOptionsTest, WhatIsWrongIsNamed) {
  EXPECT_EQ(messageFor({}), "no models: a file, a folder or "
                            "--description=FILE is missing; try --help");
  EXPECT_EQ(messageFor({"--description=a", "b.tflite"}),
            "option '--description' does not go with 'b.tflite'");
  EXPECT_EQ(messageFor({"--compare", "a.json"}),
            "option '--compare' needs two files of results, and there are 1");
  EXPECT_EQ(messageFor({"a.tflite", "--device=a,,b"}),
            "option '--device': 'a,,b' has an empty name of a device");
  EXPECT_EQ(messageFor({"a.tflite", "--seconds=-1"}),
            "option '--seconds': '-1' is not a number from 0 to 1000000");
  EXPECT_EQ(messageFor({"a.tflite", "--threads=1025"}),
            "option '--threads': '1025' is not a number from 1 to 1024");
  EXPECT_EQ(messageFor({"a.tflite", "--preprocessing=nice"}),
            "option '--preprocessing': 'nice' is not correct or as-published");
}

} // namespace
