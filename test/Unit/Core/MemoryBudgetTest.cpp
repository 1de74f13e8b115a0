//===- MemoryBudgetTest.cpp - A limit for the bytes of a device -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/MemoryBudget.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

using namespace nnhal::rt;

namespace {

constexpr uint64_t unlimited = std::numeric_limits<uint64_t>::max();

Reservation mustReserve(MemoryBudget &budget, uint64_t bytes) {
  auto reservation = budget.reserve(bytes);
  EXPECT_TRUE(reservation.isOk()) << reservation.status().message();
  return reservation.isOk() ? *std::move(reservation) : Reservation();
}

// C-042, C-052: what can never fit is told from what does not fit now.
TEST(MemoryBudgetTest, RefusesWithTheStatusThatSaysWhetherToRetry) {
  MemoryBudget budget(100);
  Reservation first = mustReserve(budget, 60);
  auto tooMuch = budget.reserve(41);
  EXPECT_EQ(tooMuch.status().code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(tooMuch.status().message(),
            "41 bytes do not fit: 60 of 100 are in use");
  auto never = budget.reserve(101);
  EXPECT_EQ(never.status().code(), StatusCode::resourceExhaustedPersistent);
  EXPECT_EQ(never.status().message(), "101 bytes exceed the limit of 100");
  EXPECT_EQ(budget.reserve(unlimited).status().code(),
            StatusCode::resourceExhaustedPersistent);
  EXPECT_EQ(budget.inUse(), 60u);
  first.release();
  EXPECT_EQ(mustReserve(budget, 100).bytes(), 100u);
  EXPECT_EQ(budget.inUse(), 0u);
  EXPECT_EQ(budget.peak(), 100u);
  EXPECT_EQ(budget.limit(), 100u);
}

int timesAsked = 0;
uint64_t findLimit() {
  ++timesAsked;
  return 100;
}

TEST(MemoryBudgetTest, FindsTheLimitWhenItMatters) {
  timesAsked = 0;
  MemoryBudget budget(/*unasked=*/50, findLimit);
  Reservation first = mustReserve(budget, 20);
  Reservation second = mustReserve(budget, 30);
  EXPECT_EQ(timesAsked, 0);
  Reservation third = mustReserve(budget, 1);
  EXPECT_EQ(timesAsked, 1);
  EXPECT_EQ(budget.reserve(50).status().message(),
            "50 bytes do not fit: 51 of 100 are in use");
  EXPECT_EQ(budget.reserve(unlimited).status().message(),
            "18446744073709551615 bytes exceed the limit of 100");
  EXPECT_EQ(mustReserve(budget, 49).bytes(), 49u);
  EXPECT_EQ(timesAsked, 1);

  MemoryBudget another(/*unasked=*/50, findLimit);
  EXPECT_EQ(another.limit(), 100u);
  EXPECT_EQ(timesAsked, 2);
}

TEST(MemoryBudgetTest, GivesAFewBytesWithoutAsking) {
  MemoryBudget budget(/*unasked=*/200, findLimit);
  Reservation first = mustReserve(budget, 150);
  EXPECT_EQ(budget.reserve(51).status().message(),
            "51 bytes do not fit: 150 of 100 are in use");
}

TEST(MemoryBudgetTest, ReservationsMove) {
  MemoryBudget budget(10);
  Reservation first = mustReserve(budget, 4);
  Reservation second = std::move(first);
  EXPECT_EQ(second.bytes(), 4u);
  Reservation third = mustReserve(budget, 6);
  third = std::move(second); // Gives 6 back, takes 4 over.
  EXPECT_EQ(budget.inUse(), 4u);
  Reservation &alias = third;
  third = std::move(alias);
  EXPECT_EQ(third.bytes(), 4u);
  third.release();
  third.release();
  EXPECT_EQ(third.bytes(), 0u);
  EXPECT_EQ(budget.inUse(), 0u);
}

TEST(MemoryBudgetTest, SumsDoNotOverflow) {
  MemoryBudget budget(unlimited);
  Reservation most = mustReserve(budget, unlimited - 1);
  EXPECT_EQ(budget.reserve(2).status().code(),
            StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(mustReserve(budget, 1).bytes(), 1u);
  MemoryBudget nothing(0);
  EXPECT_EQ(mustReserve(nothing, 0).bytes(), 0u);
  EXPECT_EQ(nothing.reserve(1).status().code(),
            StatusCode::resourceExhaustedPersistent);
}

TEST(MemoryBudgetTest, ManyThreadsStayWithinTheLimit) {
  MemoryBudget budget(5);
  std::atomic<uint64_t> inside{0};
  std::atomic<int> tooMany{0};
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (uint64_t i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      uint64_t bytes = 1 + i % 3;
      for (int round = 0; round < 10'000; ++round) {
        auto reservation = budget.reserve(bytes);
        if (!reservation.isOk())
          continue;
        tooMany += inside.fetch_add(bytes) + bytes > 5;
        inside.fetch_sub(bytes);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(tooMany, 0);
  EXPECT_EQ(budget.inUse(), 0u);
  EXPECT_LE(budget.peak(), 5u);
}

} // namespace
