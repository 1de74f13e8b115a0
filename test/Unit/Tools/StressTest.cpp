//===- StressTest.cpp - Options and results of nnhal-stress ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal-stress/Options.h"
#include "nnhal-stress/Results.h"

#include "Tools/Check/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace nnhal;
using namespace nnhal::stress;

namespace {

StressState someState() {
  return {"1.2.3",
          "--seconds=1 m.tflite",
          {{"npu", "slowdown", "FAILURE", "a < b & \"c\"", "alive", 1.25},
           {"npu", "compilation", "SUCCESS", "5 repetitions", "alive", 2.0}}};
}

TEST(StressTest, ClientsGetWhatTheTestNeeds) {
  const std::string_view words[] = {"m.tflite",        "--devices=a,b",
                                    "--seconds=7",     "--threads=3",
                                    "--service=/s",    "--plugin=p.so",
                                    "--slowdown=150",  "--compile-threads=4",
                                    "--filter=a/para", "--seed=9"};
  auto options = parseOptions(words);
  ASSERT_TRUE(options.isOk()) << options.status().message();
  EXPECT_EQ(options->devices, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options->filter, "a/para");
  auto again = clientArguments(*options, "slowdown", "b");
  std::vector<std::string_view> views(again.begin(), again.end());
  auto client = parseOptions(views);
  ASSERT_TRUE(client.isOk()) << client.status().message();
  EXPECT_EQ(client->client, "slowdown");
  EXPECT_EQ(client->devices, (std::vector<std::string>{"b"}));
  EXPECT_EQ(client->models, options->models);
  EXPECT_EQ(client->seconds, 7u);
  EXPECT_EQ(client->threads, 3u);
  EXPECT_EQ(client->compileThreads, 4u);
  EXPECT_EQ(client->slowdown, 150u);
  EXPECT_EQ(client->seed, 9u);
  EXPECT_EQ(client->service, "/s");
  EXPECT_EQ(client->plugins, (std::vector<std::string>{"p.so"}));
}

TEST(StressTest, StatesAreTakenUpAgain) {
  auto folder = tools::TemporaryFolder::create();
  ASSERT_TRUE(folder.isOk());
  std::string path = folder->path() + "/state.json";
  StressState fresh = {"1.2.3", "--seconds=1 m.tflite", {}};
  // There is no file yet.
  auto none = readState(path, fresh);
  ASSERT_TRUE(none.isOk());
  EXPECT_TRUE(none->results.empty());
  ASSERT_EQ(writeState(path, someState()).message(), "");
  auto read = readState(path, fresh);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  ASSERT_EQ(read->results.size(), 2u);
  const TestResult *found = read->find("npu", "slowdown");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->message, "a < b & \"c\"");
  EXPECT_EQ(found->outcome, "FAILURE");
  EXPECT_EQ(found->seconds, 1.25);
  EXPECT_EQ(read->find("cpu", "slowdown"), nullptr);
  EXPECT_EQ(read->find("npu", "random-graphs"), nullptr);
}

TEST(StressTest, BytesThatAreNoTextAreKeptReadable) {
  auto folder = tools::TemporaryFolder::create();
  ASSERT_TRUE(folder.isOk());
  std::string path = folder->path() + "/state.json";
  StressState state = someState();
  state.results[0].message = "model \xff";
  ASSERT_EQ(writeState(path, state).message(), "");
  auto read = readState(path, {"1.2.3", "--seconds=1 m.tflite", {}});
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_EQ(read->results[0].message, "model \xef\xbf\xbd");
}

TEST(StressTest, OtherStatesAreRefused) {
  auto folder = tools::TemporaryFolder::create();
  ASSERT_TRUE(folder.isOk());
  std::string path = folder->path() + "/state.json";
  ASSERT_EQ(writeState(path, someState()).message(), "");
  EXPECT_EQ(
      readState(path, {"2.0.0", "--seconds=1 m.tflite", {}}).status().message(),
      "'" + path + "' is of version 1.2.3, this is 2.0.0");
  EXPECT_EQ(readState(path, {"1.2.3", "n.tflite", {}}).status().message(),
            "'" + path +
                "' is of the arguments '--seconds=1 m.tflite', these are "
                "'n.tflite'");
  std::ofstream(path) << R"({"version": 1})";
  EXPECT_EQ(readState(path, {"1.2.3", "", {}}).status().message(),
            "'" + path + "' is not a state of nnhal-stress");
}

TEST(StressTest, PageNeedsNothingElse) {
  std::string page = htmlOf(someState());
  EXPECT_NE(page.find("<p>1 of 2 tests ended as SUCCESS.</p>"),
            std::string::npos);
  EXPECT_NE(page.find("<td class=\"FAILURE\">FAILURE</td><td>1.2</td>"
                      "<td>alive</td><td>a &lt; b &amp; &quot;c&quot;</td>"),
            std::string::npos)
      << page;
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
}

TEST(StressTest, OutcomesHaveTheNamesOfTheReport) {
  EXPECT_EQ(nameOf(Outcome::success), "SUCCESS");
  EXPECT_EQ(nameOf(Outcome::failure), "FAILURE");
  EXPECT_EQ(nameOf(Outcome::hang), "HANG");
  EXPECT_EQ(nameOf(Outcome::crash), "CRASH");
}

} // namespace
