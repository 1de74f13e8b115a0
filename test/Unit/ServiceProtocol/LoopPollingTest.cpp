//===- LoopPollingTest.cpp - Polling ends ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Service/Protocol/LoopPolling.h"

#include <kj/async-io.h>

#include <gtest/gtest.h>

#include <ctime>

using namespace nnhal::service;
using namespace std::chrono_literals;

namespace {

std::chrono::nanoseconds processorTimeOfThread() {
  timespec time{};
  EXPECT_EQ(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time), 0);
  return std::chrono::seconds(time.tv_sec) +
         std::chrono::nanoseconds(time.tv_nsec);
}

/// An event loop that waits for 400 ms.
struct WaitingLoop {
  std::chrono::nanoseconds processorTimeOfAWait() {
    auto before = processorTimeOfThread();
    io.provider->getTimer()
        .afterDelay(400 * kj::MILLISECONDS)
        .wait(io.waitScope);
    return processorTimeOfThread() - before;
  }

  kj::AsyncIoContext io = kj::setupAsyncIo();
  LoopPolling polling{io.waitScope};
};

// G-048: a loop polls for the window and then sleeps.
TEST(LoopPollingTest, EndsWithItsWindow) {
  WaitingLoop loop;
  loop.polling.begin();
  EXPECT_LT(loop.processorTimeOfAWait(), 100ms);
}

TEST(LoopPollingTest, BeginsAgain) {
  WaitingLoop loop;
  for (int i = 0; i < 3; ++i) {
    loop.polling.begin();
    loop.polling.begin();
    EXPECT_LT(loop.processorTimeOfAWait(), 100ms);
  }
}

TEST(LoopPollingTest, EndsWhenItIsToldTo) {
  WaitingLoop loop;
  loop.polling.begin();
  loop.polling.end();
  EXPECT_LT(loop.processorTimeOfAWait(), 100ms);
}

} // namespace
