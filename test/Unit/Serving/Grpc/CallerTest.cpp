//===- CallerTest.cpp - Names and deadlines of clients --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Serving/Grpc/Caller.h"

#include <gtest/gtest.h>

using namespace nnhal;
using namespace nnhal::serving;

TEST(GrpcCallerTest, ClientIsTheAddressWithoutThePort) {
  EXPECT_EQ(clientOf("ipv4:192.0.2.7:51234"), "192.0.2.7");
  EXPECT_EQ(clientOf("ipv6:%5B::1%5D:51234"), "::1");
  EXPECT_EQ(clientOf("ipv6:[2001:db8::5]:80"), "2001:db8::5");
  EXPECT_EQ(clientOf("ipv6:%5Bfe80::1%25eth0%5D:80"), "fe80::1%eth0");
  EXPECT_EQ(clientOf("unix:/run/models.sock"), "unix");
  EXPECT_EQ(clientOf("unix:"), "unix");
  EXPECT_EQ(clientOf("unknown"), "unknown");
}

TEST(GrpcCallerTest, DeadlinesBecomeTimesOfTheRuntime) {
  constexpr rt::Deadline second = 1'000'000'000;
  for (gpr_clock_type clock : {GPR_CLOCK_MONOTONIC, GPR_CLOCK_REALTIME}) {
    gpr_timespec inTen =
        gpr_time_add(gpr_now(clock), gpr_time_from_seconds(10, GPR_TIMESPAN));
    rt::Deadline deadline = deadlineOf(inTen);
    EXPECT_GT(deadline, rt::steadyNow() + 9 * second);
    EXPECT_LE(deadline, rt::steadyNow() + 10 * second);
    EXPECT_EQ(deadlineOf(gpr_inf_future(clock)), rt::noDeadline);
    EXPECT_LE(deadlineOf(gpr_time_0(clock)), rt::steadyNow());
  }
}

TEST(GrpcCallerTest, DeadlineBeyondAllTimesIsNone) {
  gpr_timespec far = gpr_now(GPR_CLOCK_MONOTONIC);
  // The longest that a call can state: 99,999,999 hours.
  far.tv_sec += int64_t(99'999'999) * 3600;
  EXPECT_EQ(deadlineOf(far), rt::noDeadline);
}
