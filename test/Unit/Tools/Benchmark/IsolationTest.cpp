//===- IsolationTest.cpp - Runs in processes of their own -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Benchmark/Isolation.h"
#include "Tools/Benchmark/ServiceProcess.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::tools;

namespace {

using Text = rt::Result<std::string>;

TEST(IsolationTest, TextComesBackAndMemoryDoesNot) {
  int changed = 0;
  auto text = runIsolated(
      [&]() -> Text {
        changed = 1;
        return std::string(1000000, 'x');
      },
      60);
  ASSERT_TRUE(text.isOk()) << text.status().message();
  EXPECT_EQ(*text, std::string(1000000, 'x'));
  EXPECT_EQ(changed, 0);
}

TEST(IsolationTest, FailuresAndExceptionsComeBack) {
  EXPECT_EQ(runIsolated(
                [] {
                  return Text(rt::Status(rt::StatusCode::invalidArgument,
                                         "not this one"));
                },
                60)
                .status()
                .message(),
            "not this one");
  EXPECT_EQ(
      runIsolated([]() -> Text { throw std::runtime_error("thrown"); }, 60)
          .status()
          .message(),
      "thrown");
  EXPECT_EQ(runIsolated([]() -> Text { throw std::bad_alloc(); }, 60)
                .status()
                .message(),
            "out of memory");
}

TEST(IsolationTest, DeathIsAFailure) {
  EXPECT_EQ(runIsolated(
                []() -> Text {
                  ::raise(SIGKILL);
                  return std::string();
                },
                60)
                .status()
                .message(),
            "its process was ended by signal 9 (Killed)");
  EXPECT_EQ(runIsolated([]() -> Text { ::_exit(3); }, 60).status().message(),
            "its process ended with status 3 and said nothing");
}

TEST(IsolationTest, WithoutDescriptorsThereIsNoProcess) {
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = {3, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  auto text = runIsolated([] { return Text(std::string("x")); }, 60);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(text.status().message(),
            "cannot start a process: Too many open files");
}

TEST(IsolationTest, WhatTakesTooLongIsEnded) {
  int waited = 0;
  auto begin = std::chrono::steady_clock::now();
  auto text = runIsolated(
      []() -> Text {
        std::this_thread::sleep_for(std::chrono::minutes(1));
        return std::string();
      },
      0.5, [&] { ++waited; });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(text.status().code(), rt::StatusCode::missedDeadlineTransient);
  EXPECT_EQ(text.status().message(), "it took longer than 0.5 s and was ended");
  EXPECT_GE(waited, 2);
}

TEST(ServiceProcessTest, ServiceThatEndsSaysWhy) {
  auto service = ServiceProcess::start({{"nosuch"}, {}, testing::TempDir()});
  ASSERT_FALSE(service.isOk());
  // The program is beside this test where all is built.
  const std::string message = service.status().message();
  if (message.starts_with("cannot start the service '")) {
    EXPECT_TRUE(message.ends_with("nnhal-service': No such file or directory"))
        << message;
    return;
  }
  EXPECT_TRUE(message.starts_with("the service ended with status 1 before it "
                                  "had devices: error: unknown device "
                                  "'nosuch'"))
      << message;
}

} // namespace
