//===- WorkPoolTest.cpp - Threads that share the work of a loop -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/WorkPool.h"

#include "Runtime/Core/FloatControl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <ctime>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace nnhal::rt;

namespace {
std::unique_ptr<WorkPool> makePool(unsigned threads) {
  auto pool = WorkPool::create(threads);
  EXPECT_TRUE(pool.isOk());
  return *std::move(pool);
}

/// Counts how often each round is run, and remembers the pieces.
struct Rounds {
  explicit Rounds(size_t count) : runs(count) {}

  static void run(void *self, int64_t begin, int64_t end) {
    auto *rounds = static_cast<Rounds *>(self);
    {
      std::lock_guard lock(rounds->mutex);
      rounds->pieces.push_back({begin, end});
    }
    for (int64_t i = begin; i < end; ++i)
      ++rounds->runs[size_t(i)]; // Not atomic: each is one thread's.
  }

  bool eachRanOnce() const {
    return std::ranges::all_of(runs, [](int n) { return n == 1; });
  }

  std::vector<int> runs;
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> pieces;
};
} // namespace

TEST(WorkPoolTest, HasTheThreadsThatItWasAskedFor) {
  EXPECT_EQ(makePool(1)->threads(), 1u);
  EXPECT_EQ(makePool(3)->threads(), 3u);
  EXPECT_GE(makePool(0)->threads(), 1u);
  EXPECT_EQ(WorkPool::create(1025).status().message(),
            "a pool of 1025 threads is larger than 1024");
}

TEST(WorkPoolTest, RunsNothingForNoRounds) {
  auto pool = makePool(2);
  Rounds rounds(1);
  pool->run(Rounds::run, &rounds, 0, 1);
  pool->run(Rounds::run, &rounds, -5, 1);
  EXPECT_TRUE(rounds.pieces.empty());
}

TEST(WorkPoolTest, RunsOneRoundOnce) {
  auto pool = makePool(2);
  Rounds rounds(1);
  pool->run(Rounds::run, &rounds, 1, 1);
  EXPECT_TRUE(rounds.eachRanOnce());
  EXPECT_EQ(rounds.pieces.size(), 1u);
}

TEST(WorkPoolTest, CoversEveryRoundForAnyThreadsAndGrain) {
  for (unsigned threads : {1u, 2u, 3u, 7u}) {
    auto pool = makePool(threads);
    for (int64_t count : {1, 2, 3, 5, 64, 1000, 4099})
      for (int64_t grain : {0, 1, 2, 3, 100, 5000}) {
        Rounds rounds((size_t(count)));
        pool->run(Rounds::run, &rounds, count, grain);
        ASSERT_TRUE(rounds.eachRanOnce()) << threads << ' ' << count;
        for (auto [begin, end] : rounds.pieces)
          ASSERT_GE(end - begin, std::min(grain, count)) << count;
        if (threads == 1) {
          ASSERT_EQ(rounds.pieces.size(), 1u);
        }
      }
  }
}

TEST(WorkPoolTest, WorksThroughTheEntryAbi) {
  auto pool = makePool(2);
  NNHalParallelFor function = WorkPool::parallelFor;
  Rounds rounds(100);
  function(pool.get(), Rounds::run, &rounds, 100, 1);
  EXPECT_TRUE(rounds.eachRanOnce());
}

namespace {
struct Nest {
  WorkPool &pool;
  Rounds inner;
  std::atomic<int> outerRounds = 0;
};
TEST(WorkPoolTest, NeedsThreads) {
  // No machine has room for this stack.
  pthread_attr_t before, huge;
  ASSERT_EQ(::pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(::pthread_attr_init(&huge), 0);
  ASSERT_EQ(::pthread_attr_setstacksize(&huge, size_t(1) << 47), 0);
  ASSERT_EQ(::pthread_setattr_default_np(&huge), 0);
  Status status = WorkPool::create(2).status();
  ASSERT_EQ(::pthread_setattr_default_np(&before), 0);
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(),
            "cannot start a thread: Resource temporarily unavailable");
  ::pthread_attr_destroy(&before);
  ::pthread_attr_destroy(&huge);
}

} // namespace

// The pool is busy with the outer loop.
TEST(WorkPoolTest, RunsNestedLoopsAlone) {
  auto pool = makePool(2);
  Nest nest{*pool, Rounds(50)};
  auto outer = [](void *self, int64_t begin, int64_t end) {
    auto *nest = static_cast<Nest *>(self);
    nest->outerRounds += int(end - begin);
    if (begin == 0)
      nest->pool.run(Rounds::run, &nest->inner, 50, 1);
  };
  pool->run(outer, &nest, 8, 1);
  EXPECT_EQ(nest.outerRounds, 8);
  EXPECT_TRUE(nest.inner.eachRanOnce());
  EXPECT_EQ(nest.inner.pieces.size(), 1u);
}

TEST(WorkPoolTest, ServesManyCallersAtOnce) {
  auto pool = makePool(3);
  std::vector<std::thread> callers;
  std::atomic<int> failures = 0;
  callers.reserve(6);
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 400; ++i) {
        // On the stack, and gone when run() has returned.
        Rounds rounds(size_t(1 + (i * 7 + caller) % 97));
        pool->run(Rounds::run, &rounds, int64_t(rounds.runs.size()), 1);
        failures += rounds.eachRanOnce() ? 0 : 1;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(failures, 0);
}

// Loops of different bodies and sizes one after the other, some after the
// workers have gone to sleep: a worker that is late must not mix them up.
TEST(WorkPoolTest, TellsLoopsApart) {
  auto pool = makePool(4);
  struct Marks {
    std::vector<int> values;
  };
  auto addOne = [](void *self, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      static_cast<Marks *>(self)->values[size_t(i)] += 1;
  };
  auto addTen = [](void *self, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      static_cast<Marks *>(self)->values[size_t(i)] += 10;
  };
  for (int i = 0; i < 3000; ++i) {
    Marks small{std::vector<int>(size_t(2 + i % 5))};
    Marks large{std::vector<int>(size_t(10 + i % 50))};
    pool->run(addOne, &small, int64_t(small.values.size()), 1);
    pool->run(addTen, &large, int64_t(large.values.size()), 1);
    ASSERT_TRUE(std::ranges::all_of(small.values, [](int v) { return v == 1; }))
        << i;
    ASSERT_TRUE(std::ranges::all_of(large.values, [](int v) {
      return v == 10;
    })) << i;
    if (i % 500 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(WorkPoolTest, EndsWhileItIsIdle) {
  for (int i = 0; i < 20; ++i) {
    auto unused = makePool(3);
    auto used = makePool(3);
    Rounds rounds(30);
    used->run(Rounds::run, &rounds, 30, 1);
    if (i % 2)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Both threads must be in the loop at once for it to end.
TEST(WorkPoolTest, RunsPiecesAtTheSameTime) {
  auto pool = makePool(2);
  for (int i = 0; i < 3; ++i) {
    std::atomic<int> inside = 0;
    auto meet = [](void *self, int64_t begin, int64_t end) {
      auto &inside = *static_cast<std::atomic<int> *>(self);
      inside += int(end - begin);
      while (inside < 2)
        std::this_thread::yield();
    };
    pool->run(meet, &inside, 2, 1);
    EXPECT_EQ(inside, 2);
  }
}

TEST(WorkPoolTest, WorkersComputeAsTheCallerDoes) {
  auto pool = makePool(2);
  struct Seen {
    std::atomic<int> inside = 0;
    uint64_t controls[2] = {};
  };
  auto look = [](void *self, int64_t begin, int64_t end) {
    auto *seen = static_cast<Seen *>(self);
    seen->inside += int(end - begin);
    while (seen->inside < 2)
      std::this_thread::yield();
    for (int64_t i = begin; i < end; ++i)
      seen->controls[i] = readFloatControl();
  };
  uint64_t before = readFloatControl();
  for (int mode : {FE_UPWARD, FE_TONEAREST}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    uint64_t mine = readFloatControl();
    Seen seen;
    pool->run(look, &seen, 2, 1);
    EXPECT_EQ(seen.controls[0], mine);
    EXPECT_EQ(seen.controls[1], mine);
  }
  EXPECT_EQ(readFloatControl(), before);
}

static int64_t processCpuNanoseconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

TEST(WorkPoolTest, CostsNothingBetweenExecutions) {
  auto pool = makePool(4);
  Rounds rounds(8);
  pool->run(Rounds::run, &rounds, 8, 1);
  // They look out for 80 us, however slow the machine is.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  int64_t begin = processCpuNanoseconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(processCpuNanoseconds() - begin, 20'000'000);
}

#if !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NNHAL_NO_DEATH_TESTS
#endif
#endif
#else
#define NNHAL_NO_DEATH_TESTS
#endif

#ifndef NNHAL_NO_DEATH_TESTS
TEST(WorkPoolDeathTest, ExceptionsDoNotLeaveALoop) {
  static_assert(
      noexcept(std::declval<WorkPool &>().run(nullptr, nullptr, 0, 0)));
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto raise = [](void *, int64_t, int64_t) {
    throw std::runtime_error("a piece raised");
  };
  EXPECT_DEATH(makePool(1)->run(raise, nullptr, 1, 1), "");
}
#endif
