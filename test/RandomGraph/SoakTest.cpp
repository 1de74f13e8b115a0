//===- SoakTest.cpp - Where a long run stands -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Soak.h"

#include "nnhal/Runtime/ReferenceDevice.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace nnhal;
using namespace nnhal::randomgraph;

static const rt::Device &reference() {
  static const std::unique_ptr<rt::Device> device = rt::createReferenceDevice();
  return *device;
}

static SoakState someState() {
  SoakState state;
  state.device = "nnhal-reference";
  state.version = reference().version();
  state.begin = 5;
  state.end = 50;
  state.next = 17;
  state.totals.graphs = 12;
  state.totals.executed = {{"ADD", 3}, {"MUL", 4}};
  state.totals.dropped = {{"RNN", 2}};
  state.failures.push_back({9, "comparison", "wrong", "a.json", "ADD"});
  return state;
}

class SoakTest : public testing::Test {
protected:
  SoakTest() { options.begin = 5, options.end = 80; }
  ~SoakTest() override { std::filesystem::remove(path); }

  std::string path = testing::TempDir() + "random_graph_soak_test.json";
  SoakOptions options;
};

TEST_F(SoakTest, StartsAtTheBeginning) {
  auto state = readState(path, options, reference());
  ASSERT_TRUE(state.isOk());
  EXPECT_EQ(state->next, 5u);
  EXPECT_EQ(state->totals.graphs, 0u);
}

TEST_F(SoakTest, GoesOnWhereItStopped) {
  ASSERT_TRUE(writeState(path, someState()).isOk());
  auto state = readState(path, options, reference());
  ASSERT_TRUE(state.isOk()) << state.status().message();
  EXPECT_EQ(state->next, 17u);
  EXPECT_EQ(state->end, 80u);
  EXPECT_EQ(state->totals.executed, someState().totals.executed);
  ASSERT_EQ(state->failures.size(), 1u);
  EXPECT_EQ(state->failures[0].file, "a.json");
}

TEST_F(SoakTest, KeepsToItsDeviceAndRange) {
  SoakState other = someState();
  other.device = "nnhal-cpu";
  ASSERT_TRUE(writeState(path, other).isOk());
  EXPECT_EQ(readState(path, options, reference()).status().message(),
            "'" + path +
                "' is of seeds from 5 on nnhal-cpu, not from 5 on "
                "nnhal-reference");
  std::ofstream(path) << "{}";
  EXPECT_TRUE(readState(path, options, reference())
                  .status()
                  .message()
                  .starts_with("'" + path + "' is no state of a soak: "));
}

TEST_F(SoakTest, SummaryHidesNothing) {
  std::string text = summary(someState());
  EXPECT_NE(text.find("operations executed: ADD 3, MUL 4\n"),
            std::string::npos);
  EXPECT_NE(text.find("operations dropped: RNN 2\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("11 passed, 1 failed\n")) << text;
}
