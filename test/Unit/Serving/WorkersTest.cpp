//===- WorkersTest.cpp - Threads for calls that block ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Serving/Core/Workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

using namespace nnhal;
using namespace nnhal::serving;

TEST(WorkersTest, RefusesWhatNoThreadIsFreeFor) {
  std::promise<void> gate;
  std::shared_future<void> opened = gate.get_future().share();
  std::atomic<int> runs = 0;
  auto work = [&] {
    opened.wait();
    ++runs;
  };
  Workers workers("test", 2);
  EXPECT_TRUE(workers.tryRun(work));
  EXPECT_TRUE(workers.tryRun(work));
  EXPECT_FALSE(workers.tryRun(work));
  workers.awaitIdle(rt::steadyNow() + 1'000'000);
  EXPECT_EQ(runs, 0);
  gate.set_value();
  workers.awaitIdle(rt::noDeadline);
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(workers.tryRun(work));
}

TEST(WorkersTest, EndsAfterWhatItHasTaken) {
  std::atomic<int> runs = 0;
  {
    Workers workers("test", 4);
    for (int i = 0; i < 4; ++i)
      EXPECT_TRUE(workers.tryRun([&] { ++runs; }));
  }
  EXPECT_EQ(runs, 4);
}
