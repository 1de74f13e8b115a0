//===- SettingsTest.cpp - Recorded settings of compilations ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal-run/Settings.h"

#include "Tools/Check/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace nnhal;
using namespace nnhal::run;
using rt::ExecutionPreference;
using rt::Priority;

namespace {

class SettingsTest : public ::testing::Test {
protected:
  /// The flags of a command line with \p more, where the file has \p text.
  Flags apply(const std::string &text,
              std::vector<std::string_view> more = {}) {
    auto folder = tools::TemporaryFolder::create();
    EXPECT_TRUE(folder.isOk());
    std::string file = folder->path() + "/settings.json";
    std::ofstream(file) << text;
    std::string option = "--settings=" + file;
    more.insert(more.end(), {"m.json", option});
    auto flags = parseFlags(more);
    EXPECT_EQ(flags.status().message(), "");
    EXPECT_EQ(applySettings(*flags).message(), "");
    return *std::move(flags);
  }
};

constexpr const char *everything =
    R"({"devices":["nnapi-reference","vendor-npu"],"preference":"LOW_POWER",
        "priority":"HIGH","timeoutNanoseconds":5000000,"cached":true})";

TEST_F(SettingsTest, TheFileCounts) {
  Flags flags = apply(everything);
  EXPECT_EQ(flags.devices.several,
            (std::vector<std::string>{"vendor-npu", "nnhal-reference"}));
  EXPECT_TRUE(flags.devices.isRequired);
  for (const tools::Preparation *preparation :
       {&flags.load.preparation, &flags.cases.preparation}) {
    EXPECT_EQ(preparation->preference, ExecutionPreference::lowPower);
    EXPECT_EQ(preparation->priority, Priority::high);
    EXPECT_EQ(preparation->timeLimit, 5'000'000u);
  }
  // The time of an execution is not that of the compilation.
  EXPECT_FALSE(flags.run.timeLimit);
  EXPECT_FALSE(flags.cases.timeLimit);
  EXPECT_TRUE(flags.cachesForNow);
}

TEST_F(SettingsTest, TheCommandLineCountsBeforeTheFile) {
  Flags flags =
      apply(everything, {"--devices=a,b", "--preference=sustained-speed",
                         "--priority=low", "--deadline-ms=1", "--no-cache"});
  EXPECT_EQ(flags.devices.several, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(flags.devices.isRequired);
  EXPECT_EQ(flags.load.preparation.preference,
            ExecutionPreference::sustainedSpeed);
  EXPECT_EQ(flags.load.preparation.priority, Priority::low);
  EXPECT_EQ(flags.load.preparation.timeLimit, 1'000'000u);
  EXPECT_FALSE(flags.cachesForNow);
  flags = apply(everything, {"--device=a", "--cache-dir=cache"});
  EXPECT_TRUE(flags.devices.several.empty());
  EXPECT_EQ(flags.devices.device, "a");
  EXPECT_FALSE(flags.cachesForNow);
}

TEST_F(SettingsTest, ProgramsThatLeaveTheChoice) {
  Flags flags = apply(R"({"devices":[],"preference":"FAST_SINGLE_ANSWER",
      "priority":"MEDIUM","timeoutNanoseconds":9223372036854775807,
      "cached":false})");
  EXPECT_TRUE(flags.devices.several.empty());
  EXPECT_EQ(flags.devices.device, tools::allDevices);
  EXPECT_FALSE(flags.load.preparation.timeLimit);
  EXPECT_FALSE(flags.cachesForNow);
}

TEST_F(SettingsTest, WithoutAFileNothingChanges) {
  auto flags = parseFlags(std::vector<std::string_view>{"m.json"});
  ASSERT_TRUE(flags.isOk());
  EXPECT_TRUE(applySettings(*flags).isOk());
  EXPECT_EQ(flags->devices.device, "nnhal-cpu");
}

} // namespace
