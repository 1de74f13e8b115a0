//===- ReactorTest.cpp - Waits for fences and times without blocking ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Reactor.h"

#include "Faults/SystemCalls.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <future>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;

namespace {

constexpr int64_t millisecond = 1'000'000;

FenceRef mustCreate() {
  auto fence = Fence::create();
  EXPECT_TRUE(fence.isOk()) << fence.status().message();
  return *std::move(fence);
}

/// The outcome of a wait that a test starts.
class Outcome {
public:
  std::function<void(Status)> handler() {
    return [promise = promise](Status status) {
      promise->set_value(std::move(status));
    };
  }
  Status get() { return future.get(); }
  bool isThere() const {
    return future.wait_for(std::chrono::seconds(0)) ==
           std::future_status::ready;
  }

private:
  std::shared_ptr<std::promise<Status>> promise =
      std::make_shared<std::promise<Status>>();
  std::future<Status> future = promise->get_future();
};

void mustWait(Reactor &reactor, std::vector<FenceRef> fences, Deadline deadline,
              std::function<void(Status)> handler) {
  Status status =
      reactor.whenAll(std::move(fences), deadline, std::move(handler));
  EXPECT_TRUE(status.isOk()) << status.message();
}

uint64_t mustStart(Reactor &reactor, Deadline time,
                   std::function<void()> function) {
  auto timer = reactor.at(time, std::move(function));
  EXPECT_TRUE(timer.isOk()) << timer.status().message();
  return *timer;
}

/// Returns when the reactor has done all that was due before.
void settle(Reactor &reactor) {
  for (int i = 0; i < 2; ++i) {
    Outcome outcome;
    mustWait(reactor, {}, noDeadline, outcome.handler());
    EXPECT_TRUE(outcome.get().isOk());
  }
}

size_t openDescriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto &entry :
       std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

// D-061: an execution can wait for its fences without a thread of its own.
TEST(ReactorTest, CallsWhenAllFencesAreSignalled) {
  Reactor reactor;
  FenceRef first = mustCreate();
  UniqueFd event(::eventfd(0, EFD_CLOEXEC));
  int number = event.get();
  auto second = Fence::adopt(std::move(event));
  ASSERT_TRUE(second.isOk());
  Outcome outcome;
  mustWait(reactor, {first, nullptr, *second}, noDeadline, outcome.handler());
  first->complete(Status::ok());
  settle(reactor);
  EXPECT_FALSE(outcome.isThere());
  EXPECT_EQ(::eventfd_write(number, 1), 0);
  EXPECT_TRUE(outcome.get().isOk());
}

TEST(ReactorTest, NothingToWaitForIsSignalled) {
  Reactor reactor;
  FenceRef signaled = mustCreate();
  signaled->complete(Status::ok());
  Outcome outcome;
  std::thread::id runner;
  mustWait(reactor, {nullptr, signaled}, 0,
           [&, handler = outcome.handler()](Status status) {
             runner = std::this_thread::get_id();
             handler(std::move(status));
           });
  EXPECT_TRUE(outcome.get().isOk());
  EXPECT_NE(runner, std::this_thread::get_id());
}

// D-052: the first failure is reported, without waiting for the others.
TEST(ReactorTest, ReportsTheFirstFailure) {
  Reactor reactor;
  FenceRef never = mustCreate();
  FenceRef bad = mustCreate();
  Outcome later;
  mustWait(reactor, {never, bad}, noDeadline, later.handler());
  bad->complete({StatusCode::deviceUnavailable, "gone"});
  Status status = later.get();
  EXPECT_EQ(status.code(), StatusCode::deviceUnavailable);
  EXPECT_EQ(status.message(), "gone");
  Outcome before;
  mustWait(reactor, {never, bad}, noDeadline, before.handler());
  EXPECT_EQ(before.get().message(), "gone");
}

// D-059: the reactor does not keep a fence alive whose producer has gone.
TEST(ReactorTest, ADroppedFenceFails) {
  Reactor reactor;
  FenceRef fence = mustCreate();
  Outcome outcome;
  mustWait(reactor, {fence}, noDeadline, outcome.handler());
  fence.reset();
  Status status = outcome.get();
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(), "the fence was dropped before it was signalled");
  // Completed, then dropped: the outcome stays what it was.
  fence = mustCreate();
  Outcome good;
  mustWait(reactor, {fence}, noDeadline, good.handler());
  fence->complete(Status::ok());
  fence.reset();
  EXPECT_TRUE(good.get().isOk());
}

// D-060: deadlines in the past, near and at the end of time (C-051).
TEST(ReactorTest, ReportsAMissedDeadline) {
  Reactor reactor;
  FenceRef fence = mustCreate();
  Outcome endless;
  mustWait(reactor, {fence}, noDeadline - 1, endless.handler());
  int64_t start = steadyNow();
  for (Deadline deadline : {std::numeric_limits<int64_t>::min(), int64_t(0),
                            int64_t(1), start, start + 3 * millisecond}) {
    Outcome outcome;
    mustWait(reactor, {fence, fence}, deadline, outcome.handler());
    Status status = outcome.get();
    EXPECT_GE(steadyNow(), deadline);
    EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
    EXPECT_EQ(status.message(),
              "the fences were not signalled before the deadline");
  }
  EXPECT_FALSE(endless.isThere());
  fence->complete(Status::ok());
  EXPECT_TRUE(endless.get().isOk());
}

TEST(ReactorTest, OneFenceServesManyWaits) {
  Reactor reactor;
  FenceRef fence = mustCreate();
  std::vector<Outcome> outcomes(20);
  for (Outcome &outcome : outcomes)
    mustWait(reactor, {fence, fence}, noDeadline, outcome.handler());
  fence->complete(Status::ok());
  for (Outcome &outcome : outcomes)
    EXPECT_TRUE(outcome.get().isOk());
}

TEST(ReactorTest, StrayBytesAreNotTheOutcomeOfAnOwnFence) {
  Reactor reactor;
  FenceRef fence = mustCreate();
  Outcome outcome;
  mustWait(reactor, {fence}, noDeadline, outcome.handler());
  UniqueFd pipe(
      ::open(fmt::format("/proc/self/fd/{}", fence->fd()).c_str(), O_WRONLY));
  ASSERT_TRUE(pipe.isValid());
  EXPECT_EQ(::write(pipe.get(), "x", 1), 1);
  settle(reactor);
  EXPECT_FALSE(outcome.isThere());
  pipe.reset();
  fence->complete({StatusCode::generalFailure, "broken"});
  EXPECT_EQ(outcome.get().message(), "broken");
}

// D-074: timers end executions whose deadline passes.
TEST(ReactorTest, TimersRunInOrderAndNotEarly) {
  Reactor reactor;
  int64_t start = steadyNow();
  std::mutex mutex;
  std::vector<int> order;
  std::promise<void> done;
  auto append = [&](int number) {
    std::lock_guard lock(mutex);
    order.push_back(number);
  };
  mustStart(reactor, start + 60 * millisecond, [&] {
    append(2);
    done.set_value();
  });
  mustStart(reactor, start + 30 * millisecond, [&] { append(1); });
  mustStart(reactor, -1, [&] { append(0); });
  EXPECT_EQ(mustStart(reactor, noDeadline, [&] { append(9); }), 0u);
  done.get_future().get();
  EXPECT_GE(steadyNow(), start + 60 * millisecond);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

TEST(ReactorTest, ACancelledTimerNeverRuns) {
  Reactor reactor;
  std::promise<void> started;
  std::promise<void> release;
  mustWait(reactor, {}, noDeadline, [&](const Status &) {
    started.set_value();
    release.get_future().get();
  });
  started.get_future().get();
  // The thread is busy: both are due, and neither has run.
  std::atomic<int> count{0};
  auto captured = std::make_shared<int>(0);
  uint64_t timer = mustStart(reactor, 0, [&, captured] { ++count; });
  mustStart(reactor, 0, [&] { count += 10; });
  EXPECT_EQ(captured.use_count(), 2);
  reactor.cancel(timer);
  EXPECT_EQ(captured.use_count(), 1);
  reactor.cancel(timer);
  reactor.cancel(0);
  reactor.cancel(12345);
  release.set_value();
  settle(reactor);
  EXPECT_EQ(count, 10);
}

// After cancel() the function does not touch what it captured.
TEST(ReactorTest, CancelWaitsForTheRunningFunction) {
  Reactor reactor;
  std::promise<void> started;
  std::atomic<bool> isOver{false};
  uint64_t timer = mustStart(reactor, 0, [&] {
    started.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    isOver = true;
  });
  started.get_future().get();
  reactor.cancel(timer);
  EXPECT_TRUE(isOver);
}

TEST(ReactorTest, HandlersMayCallTheReactor) {
  Reactor reactor;
  std::promise<void> done;
  std::atomic<uint64_t> own{0};
  std::atomic<int> count{0};
  std::promise<void> isKnown;
  own = mustStart(reactor, 0, [&] {
    isKnown.get_future().get();
    reactor.cancel(own); // Its own timer: returns at once.
    uint64_t other = mustStart(reactor, 0, [&] { ++count; });
    reactor.cancel(other);
    mustWait(reactor, {}, noDeadline, [&](const Status &status) {
      EXPECT_TRUE(status.isOk());
      done.set_value();
    });
  });
  isKnown.set_value();
  done.get_future().get();
  EXPECT_EQ(count, 0);
}

// Dependencies become one fence.
TEST(ReactorTest, JoinsFences) {
  Reactor reactor;
  auto join = [&](std::vector<FenceRef> fences) {
    auto joined = reactor.join(std::move(fences));
    EXPECT_TRUE(joined.isOk()) << joined.status().message();
    return *std::move(joined);
  };
  FenceRef signaled = mustCreate();
  signaled->complete(Status::ok());
  EXPECT_EQ(join({}), nullptr);
  EXPECT_EQ(join({nullptr, signaled}), nullptr);
  FenceRef first = mustCreate();
  FenceRef second = mustCreate();
  EXPECT_EQ(join({signaled, first}), first);
  FenceRef both = join({first, second, nullptr});
  FenceRef withBoth = join({both, first});
  first->complete(Status::ok());
  settle(reactor);
  EXPECT_EQ(both->poll(), FenceState::active);
  second->complete(Status::ok());
  EXPECT_TRUE(withBoth->wait(noDeadline).isOk());
  EXPECT_EQ(both->poll(), FenceState::signaled);
  FenceRef bad = mustCreate();
  bad->complete({StatusCode::generalFailure, "broken"});
  FenceRef open = mustCreate();
  EXPECT_EQ(join({open, bad})->wait(noDeadline).message(), "broken");
}

// Whoever waits learns that nothing will come any more.
TEST(ReactorTest, TheDestructorEndsWhatIsPending) {
  FenceRef fence = mustCreate();
  FenceRef other = mustCreate();
  Outcome outcome;
  Outcome refused;
  FenceRef joined;
  std::atomic<int> timers{0};
  auto captured = std::make_shared<int>(0);
  {
    Reactor reactor;
    mustWait(reactor, {fence}, noDeadline,
             [&, handler = outcome.handler()](Status status) {
               refused.handler()(
                   reactor.whenAll({}, noDeadline, [](const Status &) {
                     ADD_FAILURE() << "called after a failure";
                   }));
               EXPECT_EQ(reactor.at(0, [] {}).status().message(),
                         "the reactor has stopped");
               handler(std::move(status));
             });
    auto result = reactor.join({fence, other});
    ASSERT_TRUE(result.isOk());
    joined = *std::move(result);
    mustStart(reactor, noDeadline - 1, [&, captured] { ++timers; });
  }
  Status status = outcome.get();
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(), "the reactor has stopped");
  EXPECT_EQ(refused.get().message(), "the reactor has stopped");
  EXPECT_EQ(joined->wait(noDeadline).message(), "the reactor has stopped");
  EXPECT_EQ(timers, 0);
  EXPECT_EQ(captured.use_count(), 1);
}

TEST(ReactorTest, StartsNothingBeforeItIsUsed) {
  size_t before = openDescriptors();
  Reactor reactor;
  EXPECT_EQ(openDescriptors(), before);
}

TEST(ReactorTest, RunsOutOfDescriptorsWithAStatus) {
  FenceRef first = mustCreate();
  FenceRef second = mustCreate();
  Reactor unused;
  Reactor used;
  settle(used);
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = {0, before.rlim_max};
  auto fail = [](const Status &) { ADD_FAILURE() << "called after a failure"; };
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  Status noReactor = unused.whenAll({first}, noDeadline, fail);
  Status noDuplicate = used.whenAll({first, second}, noDeadline, fail);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(noReactor.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(noReactor.message(), "cannot wait for fences: Too many open files");
  EXPECT_EQ(noDuplicate.code(), StatusCode::resourceExhaustedTransient);
  settle(unused);
}

// D-072: thousands of waits from several threads; none is lost, none is called
// twice, and no descriptor stays open.
TEST(ReactorTest, ManyThreadsWaitAtOnce) {
  constexpr int threadCount = 4;
  constexpr int rounds = 500;
  size_t before = openDescriptors();
  std::atomic<int> good{0};
  std::atomic<int> bad{0};
  std::atomic<int> missed{0};
  std::atomic<int> timers{0};
  std::atomic<int> other{0};
  {
    Reactor reactor;
    std::vector<std::thread> threads;
    threads.reserve(threadCount);
    for (int i = 0; i < threadCount; ++i)
      threads.emplace_back([&] {
        auto count = [&](const Status &status) {
          if (status.isOk())
            ++good;
          else if (status.message() == "broken")
            ++bad;
          else if (status.code() == StatusCode::missedDeadlineTransient)
            ++missed;
          else
            ++other;
        };
        for (int round = 0; round < rounds; ++round) {
          FenceRef first = mustCreate();
          FenceRef second = mustCreate();
          FenceRef never = mustCreate();
          std::promise<void> ended;
          mustWait(reactor, {first, second}, noDeadline, count);
          mustWait(reactor, {second, first}, steadyNow() + 3600'000'000'000,
                   count);
          mustWait(reactor, {never, first}, steadyNow(),
                   [&](const Status &status) {
                     count(status);
                     ended.set_value();
                   });
          uint64_t timer =
              mustStart(reactor, steadyNow() + 1000, [&] { ++timers; });
          first->complete(Status::ok());
          if (round % 2 == 0)
            second->complete(Status::ok());
          else
            second->complete({StatusCode::generalFailure, "broken"});
          reactor.cancel(timer);
          ended.get_future().get();
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    settle(reactor);
  }
  EXPECT_EQ(good, threadCount * rounds);
  EXPECT_EQ(bad, threadCount * rounds);
  EXPECT_EQ(missed, threadCount * rounds);
  EXPECT_LE(timers, threadCount * rounds);
  EXPECT_EQ(other, 0);
  EXPECT_EQ(openDescriptors(), before);
}

TEST(ReactorTest, AHandlerMayReleaseAReactorThatWasCreated) {
  for (int i = 0; i < 200; ++i) {
    auto holder = std::make_shared<std::shared_ptr<Reactor>>(Reactor::create());
    Outcome released;
    FenceRef fence = mustCreate();
    Outcome pending;
    mustWait(**holder, {mustCreate()}, noDeadline, [](const Status &) {});
    mustWait(**holder, {fence}, noDeadline, pending.handler());
    auto timer =
        (*holder)->at(steadyNow(), [holder, handler = released.handler()] {
          holder->reset();
          handler(Status::ok());
        });
    EXPECT_TRUE(timer.isOk()) << timer.status().message();
    holder.reset();
    EXPECT_TRUE(released.get().isOk());
    // By the destructor, on whichever thread.
    EXPECT_EQ(pending.get().message(), "the reactor has stopped");
  }
}

TEST(ReactorTest, ReportsWhatTheSystemRefuses) {
  Reactor reactor;
  settle(reactor); // Its thread runs.
  FenceRef fence = mustCreate();
  SystemCallFailure failure(SystemCall::epollControl, ENOSPC);
  Status status = reactor.whenAll({fence}, noDeadline, [](const Status &) {
    ADD_FAILURE() << "the handler of a wait that did not begin";
  });
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  // The reactor waits for a duplicate of the fence's descriptor.
  EXPECT_TRUE(status.message().starts_with("cannot wait for descriptor "));
  EXPECT_TRUE(status.message().ends_with(": No space left on device"))
      << status.message();
}

} // namespace
