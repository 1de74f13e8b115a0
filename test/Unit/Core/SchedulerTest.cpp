//===- SchedulerTest.cpp - Who runs next on a device ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Scheduler.h"

#include "Faults/Allocations.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

using namespace nnhal::rt;

namespace {

constexpr int64_t millisecond = 1'000'000;

Slot mustEnter(Scheduler &scheduler, const Ticket &ticket = {}) {
  auto slot = scheduler.enter(ticket);
  EXPECT_TRUE(slot.isOk()) << slot.status().message();
  return *std::move(slot);
}

void mustSubmit(Scheduler &scheduler, const Ticket &ticket,
                std::function<void(Status)> job) {
  Status status = scheduler.submit(ticket, std::move(job));
  EXPECT_TRUE(status.isOk()) << status.message();
}

void awaitQueued(const Scheduler &scheduler, unsigned count) {
  while (scheduler.stats().queued != count)
    std::this_thread::yield();
}

/// Jobs that write down the order in which they ran.
class Record {
public:
  std::function<void(Status)> job(std::string name) {
    return [this, name = std::move(name)](const Status &status) {
      std::lock_guard lock(mutex);
      text += (status.isOk() ? "" : "!") + name + " ";
    };
  }
  std::string get() {
    std::lock_guard lock(mutex);
    return text;
  }

private:
  std::mutex mutex;
  std::string text;
};

void fail(const Status &) { ADD_FAILURE() << "called after a failure"; }

TEST(SchedulerTest, ACallerTakesAFreeSlotWithoutAllocating) {
  Scheduler scheduler({.slots = 2});
  size_t before = allocationsOfThisThread();
  for (int i = 0; i < 100; ++i) {
    auto first = scheduler.enter({});
    auto second = scheduler.enter({.client = 7, .deadline = noDeadline - 1});
    EXPECT_TRUE(first.isOk() && second.isOk());
  }
  EXPECT_EQ(allocationsOfThisThread(), before);
  Scheduler::Stats stats = scheduler.stats();
  EXPECT_EQ(stats.slots, 2u);
  EXPECT_EQ(stats.running, 0u);
  EXPECT_EQ(stats.peakRunning, 2u);
  EXPECT_EQ(stats.peakQueued, 0u);
}

TEST(SchedulerTest, SlotsMove) {
  Scheduler scheduler({.slots = 2});
  Slot first = mustEnter(scheduler);
  Slot second = std::move(first);
  EXPECT_EQ(scheduler.stats().running, 1u);
  Slot third = mustEnter(scheduler);
  third = std::move(second);
  EXPECT_EQ(scheduler.stats().running, 1u);
  third.release();
  third.release();
  EXPECT_EQ(scheduler.stats().running, 0u);
}

TEST(SchedulerTest, UsesTheHardwareThreadsByDefault) {
  Scheduler scheduler({});
  EXPECT_EQ(scheduler.stats().slots,
            std::max(1u, std::thread::hardware_concurrency()));
}

// C-053: within one client by priority, then by arrival.
TEST(SchedulerTest, OrdersOneClientByPriorityThenArrival) {
  Record record;
  Scheduler scheduler({.slots = 1});
  Slot slot = mustEnter(scheduler);
  auto add = [&](Priority priority, std::string name) {
    mustSubmit(scheduler, {.priority = priority}, record.job(std::move(name)));
  };
  add(Priority::low, "low1");
  add(Priority::medium, "medium1");
  add(Priority::high, "high1");
  add(Priority::low, "low2");
  add(Priority::high, "high2");
  add(Priority::medium, "medium2");
  EXPECT_EQ(scheduler.stats().queued, 6u);
  std::promise<void> done;
  mustSubmit(scheduler, {.priority = Priority::low},
             [&](const Status &) { done.set_value(); });
  slot.release();
  done.get_future().get();
  EXPECT_EQ(record.get(), "high1 high2 medium1 medium2 low1 low2 ");
}

// C-053, C-059: clients take turns, whatever their priorities.
TEST(SchedulerTest, ClientsTakeTurns) {
  Record record;
  Scheduler scheduler({.slots = 1});
  Slot slot = mustEnter(scheduler);
  for (int i = 0; i < 4; ++i)
    mustSubmit(scheduler, {.client = 1, .priority = Priority::high},
               record.job(fmt::format("a{}", i)));
  for (int i = 0; i < 2; ++i)
    mustSubmit(scheduler, {.client = 2, .priority = Priority::low},
               record.job(fmt::format("b{}", i)));
  mustSubmit(scheduler, {.client = 3}, record.job("c0"));
  std::promise<void> done;
  mustSubmit(scheduler, {.client = 1, .priority = Priority::low},
             [&](const Status &) { done.set_value(); });
  slot.release();
  done.get_future().get();
  EXPECT_EQ(record.get(), "a0 b0 c0 a1 b1 a2 a3 ");
}

// Callers and jobs stand in the same line.
TEST(SchedulerTest, CallersAndJobsShareTheOrder) {
  Record record;
  Scheduler scheduler({.slots = 1});
  Slot slot = mustEnter(scheduler);
  mustSubmit(scheduler, {.priority = Priority::low}, record.job("job2"));
  std::thread caller([&] {
    Slot mine = mustEnter(scheduler, {.priority = Priority::medium});
    record.job("caller")(Status::ok());
  });
  awaitQueued(scheduler, 2);
  mustSubmit(scheduler, {.priority = Priority::high}, record.job("job1"));
  std::promise<void> done;
  mustSubmit(scheduler, {.priority = Priority::low},
             [&](const Status &) { done.set_value(); });
  slot.release();
  done.get_future().get();
  caller.join();
  EXPECT_EQ(record.get(), "job1 caller job2 ");
}

// C-053: a stream of high priorities does not starve a low one.
TEST(SchedulerTest, ALowPriorityHasItsTurnAtLast) {
  // Jobs that still wait at the end are called by the scheduler's destructor.
  std::atomic<int> before{0};
  std::promise<int> low;
  Scheduler scheduler({.slots = 1});
  Slot slot = mustEnter(scheduler);
  mustSubmit(scheduler, {.priority = Priority::low},
             [&](const Status &) { low.set_value(before); });
  for (int i = 0; i < 200; ++i)
    mustSubmit(scheduler, {.priority = Priority::high},
               [&](const Status &) { ++before; });
  slot.release();
  EXPECT_EQ(low.get_future().get(), 64);
}

// C-042: the bound of the queue counts callers and jobs.
TEST(SchedulerTest, AFullQueueRefuses) {
  Record record;
  std::thread caller;
  {
    Scheduler scheduler({.slots = 1, .queueLimit = 2});
    Slot slot = mustEnter(scheduler);
    mustSubmit(scheduler, {}, record.job("job"));
    caller = std::thread([&] { mustEnter(scheduler).release(); });
    awaitQueued(scheduler, 2);
    Status status = scheduler.submit({}, fail);
    EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
    EXPECT_EQ(status.message(), "2 executions are waiting, the limit is 2");
    EXPECT_EQ(scheduler.enter({.client = 5}).status().code(),
              StatusCode::resourceExhaustedTransient);
    EXPECT_EQ(scheduler.stats().rejected, 2u);
    EXPECT_EQ(scheduler.stats().peakQueued, 2u);
    slot.release();
    caller.join();
    awaitQueued(scheduler, 0);
  }
  EXPECT_EQ(record.get(), "job ");
}

TEST(SchedulerTest, AQueueOfNoneStillAdmits) {
  Scheduler scheduler({.slots = 1, .queueLimit = 0});
  Slot slot = mustEnter(scheduler);
  EXPECT_EQ(scheduler.enter({}).status().message(),
            "0 executions are waiting, the limit is 0");
  slot.release();
  mustEnter(scheduler).release();
}

// D-024, D-079, K-046: passed before the call, equality included.
TEST(SchedulerTest, ADeadlineInThePastIsPersistent) {
  std::atomic<int64_t> now{1000};
  Scheduler scheduler({.slots = 1, .clock = [&] { return now.load(); }});
  for (Deadline deadline : {int64_t(-1), int64_t(0), int64_t(1000)}) {
    Status status = scheduler.enter({.deadline = deadline}).status();
    EXPECT_EQ(status.code(), StatusCode::missedDeadlinePersistent);
    EXPECT_EQ(status.message(), "the deadline had passed before the call");
    EXPECT_EQ(scheduler.submit({.deadline = deadline}, fail).code(),
              StatusCode::missedDeadlinePersistent);
  }
  mustEnter(scheduler, {.deadline = 1001}).release();
  EXPECT_EQ(scheduler.stats().missed, 6u);
}

// C-052, D-074: passed while waiting; nothing stays in the queue.
TEST(SchedulerTest, ADeadlineThatPassesInTheQueueIsTransient) {
  std::atomic<int64_t> now{0};
  Scheduler scheduler({.slots = 1, .clock = [&] { return now.load(); }});
  Slot slot = mustEnter(scheduler);
  std::promise<Status> job;
  mustSubmit(scheduler, {.deadline = millisecond},
             [&](Status status) { job.set_value(std::move(status)); });
  std::thread caller([&] {
    Status status = scheduler.enter({.deadline = millisecond}).status();
    EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
    EXPECT_EQ(status.message(),
              "the deadline passed before the device had time");
  });
  awaitQueued(scheduler, 2);
  now = millisecond;
  caller.join();
  // The job is told as well, although the slot stays taken.
  EXPECT_EQ(job.get_future().get().code(), StatusCode::missedDeadlineTransient);
  EXPECT_EQ(scheduler.stats().queued, 0u);
  EXPECT_EQ(scheduler.stats().running, 1u);
  EXPECT_EQ(scheduler.stats().missed, 2u);
  slot.release();
  mustEnter(scheduler).release();
}

TEST(SchedulerTest, MissedDeadlinesAreReportedWhileAllSlotsRunJobs) {
  std::atomic<int64_t> now{0};
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
  Scheduler scheduler({.slots = 2, .clock = [&] { return now.load(); }});
  for (int i = 0; i < 2; ++i)
    mustSubmit(scheduler, {}, [released](const Status &) { released.get(); });
  for (int i = 1; i <= 3; ++i) {
    std::promise<Status> job;
    mustSubmit(scheduler, {.deadline = i * millisecond},
               [&](Status status) { job.set_value(std::move(status)); });
    now = i * millisecond;
    EXPECT_EQ(job.get_future().get().code(),
              StatusCode::missedDeadlineTransient);
  }
  release.set_value();
}

// A slot that is free goes to the first whose deadline has not passed.
TEST(SchedulerTest, LateEntriesDoNotTakeTheSlot) {
  std::atomic<int64_t> now{0};
  Record record;
  std::promise<void> done;
  {
    Scheduler scheduler({.slots = 1, .clock = [&] { return now.load(); }});
    Slot slot = mustEnter(scheduler);
    mustSubmit(scheduler, {.deadline = noDeadline - 1}, record.job("far"));
    mustSubmit(scheduler, {.deadline = 3600'000'000'000}, record.job("late"));
    std::thread caller([&] {
      EXPECT_EQ(scheduler.enter({.deadline = 3600'000'000'000}).status().code(),
                StatusCode::missedDeadlineTransient);
    });
    awaitQueued(scheduler, 3);
    mustSubmit(scheduler, {}, [&](const Status &) { done.set_value(); });
    now = 3600'000'000'000;
    slot.release();
    done.get_future().get();
    caller.join();
  }
  std::string order = record.get();
  EXPECT_TRUE(order == "far !late " || order == "!late far ") << order;
}

// Those who wait learn that their turn will not come; the others finish.
TEST(SchedulerTest, TheDestructorEndsWhatIsQueued) {
  std::vector<Status> statuses;
  std::atomic<bool> hasRun{false};
  std::promise<void> started;
  std::promise<void> queued;
  std::optional<Scheduler> scheduler;
  scheduler.emplace(Scheduler::Options{.slots = 1});
  mustSubmit(*scheduler, {}, [&](const Status &status) {
    started.set_value();
    queued.get_future().get();
    // The destructor begins meanwhile.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    hasRun = status.isOk();
  });
  started.get_future().get();
  Scheduler &stopping = *scheduler;
  for (int i = 0; i < 2; ++i)
    mustSubmit(*scheduler, {.deadline = noDeadline - 1}, [&](Status status) {
      statuses.push_back(std::move(status));
      statuses.push_back(stopping.submit({}, fail));
    });
  std::thread caller([&] {
    auto slot = stopping.enter({});
    EXPECT_EQ(slot.status().code(), StatusCode::generalFailure);
    EXPECT_EQ(slot.status().message(), "the scheduler has stopped");
  });
  awaitQueued(*scheduler, 3);
  queued.set_value();
  scheduler.reset();
  EXPECT_TRUE(hasRun);
  ASSERT_EQ(statuses.size(), 4u);
  for (const Status &status : statuses) {
    EXPECT_EQ(status.code(), StatusCode::generalFailure);
    EXPECT_EQ(status.message(), "the scheduler has stopped");
  }
  caller.join();
}

TEST(SchedulerTest, TheDestructorWaitsForSlots) {
  std::atomic<bool> isReleased{false};
  std::promise<void> entered;
  std::thread holder;
  {
    Scheduler scheduler({.slots = 2});
    holder = std::thread([&] {
      Slot slot = mustEnter(scheduler);
      entered.set_value();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      isReleased = true;
    });
    entered.get_future().get();
  }
  EXPECT_TRUE(isReleased);
  holder.join();
}

// A job may submit the next one; its captures are gone when the scheduler is.
TEST(SchedulerTest, JobsMaySubmitJobs) {
  std::atomic<int> count{0};
  auto captured = std::make_shared<int>(0);
  {
    Scheduler scheduler({.slots = 1});
    std::promise<void> done;
    std::function<void(Status)> next = [&, captured](const Status &status) {
      EXPECT_TRUE(status.isOk());
      if (++count < 100)
        mustSubmit(scheduler, {}, next);
      else
        done.set_value();
    };
    mustSubmit(scheduler, {}, next);
    done.get_future().get();
    EXPECT_EQ(scheduler.stats().peakRunning, 1u);
  }
  EXPECT_EQ(count, 100);
  EXPECT_EQ(captured.use_count(), 1);
}

// C-059: callers and jobs of many clients at once; never more than the slots
// run, every job is called once, every caller returns.
TEST(SchedulerTest, ManyThreadsShareTheSlots) {
  constexpr unsigned slots = 3;
  constexpr int threadCount = 6;
  constexpr int rounds = 1500;
  std::atomic<unsigned> inside{0};
  std::atomic<int> tooMany{0};
  std::atomic<int> entered{0};
  std::atomic<int> ran{0};
  auto work = [&] {
    tooMany += inside.fetch_add(1) + 1 > slots;
    std::this_thread::yield();
    inside.fetch_sub(1);
  };
  {
    Scheduler scheduler({.slots = slots, .queueLimit = 1'000'000});
    std::vector<std::thread> threads;
    threads.reserve(threadCount);
    for (int i = 0; i < threadCount; ++i)
      threads.emplace_back([&, i] {
        for (int round = 0; round < rounds; ++round) {
          Ticket ticket{.client = static_cast<uint64_t>(i % 3),
                        .priority = static_cast<Priority>(round % 3)};
          if ((round + i) % 3 == 0) {
            mustSubmit(scheduler, ticket, [&](const Status &status) {
              work();
              ran += status.isOk();
            });
            continue;
          }
          Slot slot = mustEnter(scheduler, ticket);
          work();
          ++entered;
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    while (scheduler.stats().queued + scheduler.stats().running != 0)
      std::this_thread::yield();
    EXPECT_LE(scheduler.stats().peakRunning, slots);
  }
  EXPECT_EQ(tooMany, 0);
  EXPECT_EQ(ran, threadCount * rounds / 3);
  EXPECT_EQ(entered, threadCount * rounds * 2 / 3);
}

// With deadlines and a small queue each attempt ends in exactly one way.
TEST(SchedulerTest, EveryAttemptHasOneOutcomeUnderLoad) {
  constexpr int threadCount = 6;
  constexpr int rounds = 800;
  std::atomic<int> ok{0};
  std::atomic<int> missed{0};
  std::atomic<int> rejected{0};
  std::atomic<int> other{0};
  auto count = [&](const Status &status) {
    if (status.isOk())
      ++ok;
    else if (status.code() == StatusCode::resourceExhaustedTransient)
      ++rejected;
    else if (status.code() == StatusCode::missedDeadlineTransient ||
             status.code() == StatusCode::missedDeadlinePersistent)
      ++missed;
    else
      ++other;
  };
  Scheduler::Stats stats;
  {
    Scheduler scheduler({.slots = 1, .queueLimit = 3});
    std::vector<std::thread> threads;
    threads.reserve(threadCount);
    for (int i = 0; i < threadCount; ++i)
      threads.emplace_back([&, i] {
        for (int round = 0; round < rounds; ++round) {
          Ticket ticket{.client = static_cast<uint64_t>(i),
                        .deadline = steadyNow() + (round % 50) * 1000};
          if (round % 2 == 0) {
            Status status = scheduler.submit(ticket, count);
            if (!status.isOk())
              count(status);
            continue;
          }
          auto slot = scheduler.enter(ticket);
          count(slot.status());
          std::this_thread::yield();
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    while (scheduler.stats().queued + scheduler.stats().running != 0)
      std::this_thread::yield();
    stats = scheduler.stats();
  }
  EXPECT_EQ(ok + missed + rejected, threadCount * rounds);
  EXPECT_EQ(other, 0);
  EXPECT_EQ(stats.missed, static_cast<uint64_t>(missed));
  EXPECT_EQ(stats.rejected, static_cast<uint64_t>(rejected));
  EXPECT_LE(stats.peakQueued, 3u);
}

TEST(SchedulerTest, AJobMayReleaseASchedulerThatWasCreated) {
  for (int i = 0; i < 200; ++i) {
    struct Owner {
      std::shared_ptr<Scheduler> scheduler;
    };
    auto owner = std::make_shared<Owner>();
    std::promise<void> ran;
    // Tells when the scheduler, which destroys the clock, is gone.
    auto alive = std::make_shared<int>(0);
    std::weak_ptr<int> life = alive;
    owner->scheduler = Scheduler::create(
        {.slots = 2, .clock = [alive = std::move(alive)] { return *alive; }});
    Scheduler *scheduler = owner->scheduler.get();
    mustSubmit(*scheduler, {}, [owner, &ran](const Status &status) {
      EXPECT_TRUE(status.isOk()) << status.message();
      owner->scheduler.reset();
      ran.set_value();
    });
    owner.reset();
    ran.get_future().wait();
    while (!life.expired())
      std::this_thread::yield();
  }
}

TEST(SchedulerTest, OthersReleaseASchedulerThatWasCreatedAtOnce) {
  auto scheduler = Scheduler::create({.slots = 1});
  std::atomic<bool> hasRun = false;
  mustSubmit(*scheduler, {}, [&](const Status &) { hasRun = true; });
  while (!hasRun)
    std::this_thread::yield();
  scheduler.reset(); // Joins.
}

} // namespace
