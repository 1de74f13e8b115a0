//===- BurstTest.cpp - Executions over the queues of a burst --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Burst.h"

#include "SampleModel.h"

#include "Faults/Allocations.h"

#include "Runtime/Burst/BurstServer.h"
#include "Runtime/Burst/BurstSlots.h"
#include "Runtime/Burst/Staging.h"

#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <filesystem>
#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::test;
using namespace std::chrono_literals;

namespace {

/// Passes everything on to another model, and lets a test look and wait.
class WatchedModel final : public PreparedModel {
public:
  const Interface &interface() const override { return model->interface(); }
  Status execute(const Request &request,
                 ExecutionResult &result) const override {
    ++executions;
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !isHeld; });
    return model->execute(request, result);
  }
  Status executeAsync(Request, ExecutionCallback) const override { return {}; }
  Result<std::shared_ptr<FencedExecution>>
  executeFenced(Request, std::vector<FenceRef>,
                std::optional<uint64_t>) const override {
    return Status(StatusCode::generalFailure, "not used");
  }
  Result<std::unique_ptr<BurstContext>>
  configureBurst(std::shared_ptr<BurstCallback> callback,
                 BurstChannels channels) const override {
    if (!canBurst)
      return PreparedModel::configureBurst(std::move(callback),
                                           std::move(channels));
    this->callback = callback;
    std::shared_ptr<const PreparedModel> self(std::shared_ptr<void>(), this);
    return serveBurst(createBurstExecutor(self, BurstCache::memories),
                      std::move(callback), std::move(channels));
  }
  void hold(bool value) {
    std::lock_guard lock(mutex);
    isHeld = value;
    changed.notify_all();
  }

  PreparedModelRef model = prepareSum();
  bool canBurst = true;
  mutable std::atomic<int> executions = 0;
  /// That of the last burst.
  mutable std::shared_ptr<BurstCallback> callback;

private:
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  bool isHeld = false;
};

size_t countThreads() {
  size_t count = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator("/proc/self/task"))
    count += entry.is_directory();
  return count;
}

/// A thread that was joined is listed for a moment more.
void expectThreads(size_t count) {
  for (int i = 0; i < 5000 && countThreads() != count; ++i)
    std::this_thread::sleep_for(1ms);
  EXPECT_EQ(countThreads(), count);
}

size_t countDescriptors() {
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
    count += !entry.path().empty();
  return count;
}

TEST(BurstOptionsTest, BothEndsPollFor50Microseconds) { // G-050
  EXPECT_EQ(BurstOptions().pollingWindow, 50us);
  EXPECT_EQ(BurstServerOptions().pollingWindow, 50us);
}

class BurstTest : public testing::Test {
protected:
  BurstTest() {
    // The first execution of a device starts a thread of the device.
    EXPECT_TRUE(model->execute(pool.request(), result).isOk());
    model->executions = 0;
  }

  void start(const BurstOptions &options = {}) {
    auto made = Burst::create(model, options);
    ASSERT_TRUE(made.isOk()) << made.status().message();
    burst = *std::move(made);
  }

  std::shared_ptr<WatchedModel> model = std::make_shared<WatchedModel>();
  std::unique_ptr<Burst> burst;
  SumPool pool;
  ExecutionResult result;
};

TEST_F(BurstTest, ArgumentsInPools) { // G-070
  start();
  for (int i = 0; i < 3; ++i) {
    pool.fill(float(i));
    ASSERT_EQ(burst->execute(pool.request(), result).message(), "");
    EXPECT_TRUE(pool.hasSum(float(i)));
    ASSERT_EQ(result.outputShapes.size(), 1u);
    EXPECT_EQ(result.outputShapes[0].dimensions, (std::vector<uint32_t>{2, 3}));
    EXPECT_EQ(result.copiedBytes, 0u);
    EXPECT_EQ(result.timing, Timing());
  }
  Request measured = pool.request();
  measured.measureTiming = true;
  ASSERT_TRUE(burst->execute(measured, result).isOk());
  EXPECT_NE(result.timing.timeInDriver, noTiming);
  EXPECT_EQ(burst->ordinaryExecutions(), 0u);
}

TEST_F(BurstTest, BorrowedArguments) {
  start();
  const std::array<float, 6> left = {1, 2, 3, 4, 5, 6};
  std::array<float, 8> out;
  out.fill(-1);
  Request request = pool.request();
  request.inputs[0].memory = Memory::borrow(std::as_bytes(std::span(left)));
  request.outputs[0].memory =
      OutputMemory::borrow(std::as_writable_bytes(std::span(out)));
  ASSERT_EQ(burst->execute(request, result).message(), "");
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(out[size_t(i)], 1 + 11 * float(i));
  EXPECT_EQ(out[6], -1) << "only the bytes of the output are written";
  EXPECT_EQ(result.copiedBytes, 2 * sumBytes);
  EXPECT_EQ(burst->ordinaryExecutions(), 0u);
}

TEST_F(BurstTest, WhatPacketsCannotState) { // G-037, G-059, G-067
  start();
  std::vector<Request> requests(4, pool.request());
  requests[0].deadline = steadyNow() + 60'000'000'000;
  requests[1].loopTimeout = 1'000'000;
  requests[2].measureOperations = true;
  requests[3].inputs[0].memory = Memory::region(pool.pool, 0, sumBytes, 8);
  for (size_t i = 0; i < requests.size(); ++i) {
    pool.fill(1);
    ASSERT_EQ(burst->execute(requests[i], result).message(), "") << i;
    EXPECT_TRUE(pool.hasSum());
    EXPECT_EQ(burst->ordinaryExecutions(), i + 1);
  }
  Request token = pool.request();
  token.inputs[0].memory = Memory::device(77);
  EXPECT_EQ(burst->execute(token, result).code(), StatusCode::invalidArgument);
  EXPECT_EQ(burst->ordinaryExecutions(), 5u);
}

TEST_F(BurstTest, PacketsLongerThanTheQueue) { // G-016
  start({.capacity = 5});
  ASSERT_EQ(burst->execute(pool.request(), result).message(), "");
  EXPECT_TRUE(pool.hasSum());
  EXPECT_EQ(burst->ordinaryExecutions(), 1u);
}

TEST_F(BurstTest, ErrorsOfTheServerAreFinal) { // G-059
  start();
  Request wrong = pool.request();
  wrong.inputs[0].dimensions = {3, 2};
  Status status = burst->execute(wrong, result);
  EXPECT_EQ(status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(status.message(),
            "the server of the burst answered INVALID_ARGUMENT");
  EXPECT_EQ(model->executions, 1);
  Request small = pool.request();
  small.outputs[0].memory = OutputMemory::region(pool.pool, 128, 20);
  EXPECT_EQ(burst->execute(small, result).code(),
            StatusCode::outputInsufficientSize);
  ASSERT_EQ(result.outputShapes.size(), 1u);
  EXPECT_FALSE(result.outputShapes[0].isSufficient);
  EXPECT_EQ(burst->ordinaryExecutions(), 0u);
  EXPECT_TRUE(burst->execute(pool.request(), result).isOk());
}

// D-044: the server finds room in the burst's own pool for an output that the
// client gave no bytes for, and measures what it computes there.
TEST_F(BurstTest, NoDurationsForOutputsWithoutBytes) {
  start();
  Request request = pool.request();
  request.measureTiming = true;
  // The execution before left the pool as large as the output is.
  std::vector<float> whole(6);
  request.outputs[0].memory =
      OutputMemory::borrow(std::as_writable_bytes(std::span(whole)));
  ASSERT_EQ(burst->execute(request, result).message(), "");
  request.outputs[0].memory = OutputMemory::borrow({});
  EXPECT_EQ(burst->execute(request, result).code(),
            StatusCode::outputInsufficientSize);
  ASSERT_EQ(result.outputShapes.size(), 1u);
  EXPECT_FALSE(result.outputShapes[0].isSufficient);
  EXPECT_EQ(result.timing, Timing());
  EXPECT_EQ(burst->ordinaryExecutions(), 0u);
}

TEST_F(BurstTest, OneExecutionAtATime) { // G-054
  start();
  model->hold(true);
  std::thread first(
      [&] { EXPECT_TRUE(burst->execute(pool.request(), result).isOk()); });
  while (model->executions == 0)
    std::this_thread::yield();
  ExecutionResult other;
  EXPECT_EQ(burst->execute(pool.request(), other).message(),
            "another execution of the burst has not ended");
  model->hold(false);
  first.join();
}

TEST_F(BurstTest, InvalidatedWhileItWaits) { // G-057, G-058
  start();
  model->hold(true);
  Status status;
  std::thread client([&] { status = burst->execute(pool.request(), result); });
  while (model->executions == 0)
    std::this_thread::yield();
  burst->invalidate();
  client.join();
  EXPECT_EQ(status.code(), StatusCode::deadObject);
  EXPECT_EQ(status.message(), "the queue was closed");
  EXPECT_EQ(burst->execute(pool.request(), result).message(),
            "the burst was invalidated");
  model->hold(false);
}

TEST_F(BurstTest, EndsWhenTheContextDies) { // G-011, G-057, G-058, G-065
  start();
  model->hold(true);
  Status status;
  std::thread client([&] { status = burst->execute(pool.request(), result); });
  while (model->executions == 0)
    std::this_thread::yield();
  model->callback->contextDied();
  client.join();
  EXPECT_EQ(status.code(), StatusCode::deadObject);
  EXPECT_EQ(burst->execute(pool.request(), result).code(),
            StatusCode::deadObject);
  model->hold(false);
  // Nobody is told any more.
  burst.reset();
  model->callback->contextDied();
}

TEST_F(BurstTest, MemoriesOfOneRequest) { // G-026
  start();
  SumPool other(5);
  Request request = pool.request();
  request.inputs[0].memory = Memory::region(other.pool, 0, sumBytes);
  ASSERT_EQ(burst->execute(request, result).message(), "");
  EXPECT_TRUE(pool.hasSum(5));
  request.inputs[0].memory = Memory::region(pool.pool, 0, sumBytes);
  request.inputs[1].memory = Memory::region(other.pool, 64, sumBytes);
  ASSERT_EQ(burst->execute(request, result).message(), "");
  EXPECT_TRUE(pool.hasSum());
}

TEST_F(BurstTest, NoMemory) {
  start();
  const std::array<float, 6> left = {1, 2, 3, 4, 5, 6};
  Request request = pool.request();
  request.inputs[0].memory = Memory::borrow(std::as_bytes(std::span(left)));
  auto failures = failuresWithoutMemory([&] {
    pool.fill(7);
    Status status = burst->execute(request, result);
    EXPECT_TRUE(!status.isOk() || pool.hasSum());
    return status;
  });
  if (AllocationFailure::isPossible())
    EXPECT_EQ(failures,
              std::set<std::string>{"RESOURCE_EXHAUSTED_TRANSIENT: no memory "
                                    "for a request of a burst"});
  EXPECT_TRUE(burst->execute(pool.request(), result).isOk());
}

TEST_F(BurstTest, ModelsWithoutBursts) { // G-003
  model->canBurst = false;
  start();
  ASSERT_EQ(burst->execute(pool.request(), result).message(), "");
  EXPECT_TRUE(pool.hasSum());
  burst->freeMemory(*pool.pool);
  EXPECT_EQ(burst->ordinaryExecutions(), 1u);
  EXPECT_EQ(Burst::create(model, {.capacity = 0}).status().message(),
            "the capacity of a queue is 0 elements, expected 1 to 1048576");
}

TEST(BurstOptionsTest, TheEnvironmentStatesTheWindow) { // G-049, G-051
  const char *value = nullptr;
  auto windowOf = [&](const char *text,
                      ExecutionPreference preference =
                          ExecutionPreference::fastSingleAnswer) {
    value = text;
    return burstOptions(preference,
                        [&](const char *name) {
                          EXPECT_STREQ(name, "NNHAL_BURST_POLLING_WINDOW");
                          return value;
                        })
        .pollingWindow;
  };
  EXPECT_EQ(windowOf(nullptr), 50us);
  EXPECT_EQ(windowOf("7"), 7us);
  EXPECT_EQ(windowOf("0"), 0us);
  EXPECT_EQ(windowOf("-3"), 0us);
  EXPECT_EQ(windowOf(""), 50us);
  EXPECT_EQ(windowOf("7us"), 50us);
  EXPECT_EQ(windowOf("99999999999999999999"), 50us);
  EXPECT_EQ(windowOf("9999999999"), 1s);
  EXPECT_EQ(windowOf("7", ExecutionPreference::lowPower), 0us);
}

TEST_F(BurstTest, MemoriesAreLetGo) { // G-044, G-045, G-069
  start();
  ASSERT_TRUE(burst->execute(pool.request(), result).isOk());
  const size_t before = countDescriptors();
  for (int i = 0; i < 100; ++i) {
    SumPool other;
    ASSERT_TRUE(burst->execute(other.request(), result).isOk());
    EXPECT_TRUE(other.hasSum());
    if (i % 2 == 0)
      burst->freeMemory(*other.pool);
  }
  ASSERT_TRUE(burst->execute(pool.request(), result).isOk());
  EXPECT_EQ(countDescriptors(), before);
  // The memory outlives the burst, too.
  burst.reset();
  EXPECT_TRUE(pool.hasSum());
  EXPECT_EQ(countDescriptors(), before - 5)
      << "two ends of two queues, and a memory of the server";
}

TEST_F(BurstTest, LargerArgumentsMoveToALargerPool) { // G-069
  start();
  const size_t before = countDescriptors();
  std::vector<std::byte> large(1 << 20);
  const std::array<float, 6> left = {1, 2, 3, 4, 5, 6};
  for (size_t size = sumBytes; size <= large.size(); size *= 4) {
    Request request = pool.request();
    request.inputs[0].memory = Memory::borrow(std::as_bytes(std::span(left)));
    request.outputs[0].memory =
        OutputMemory::borrow(std::span(large).first(size));
    ASSERT_EQ(burst->execute(request, result).message(), "");
  }
  ASSERT_TRUE(burst->execute(pool.request(), result).isOk());
  // Only the last pool is left, here and at the server, and the test's own
  // pool at the server.
  EXPECT_EQ(countDescriptors(), before + 3);
}

TEST_F(BurstTest, ThousandBurstsLeaveNothing) { // G-012, G-055, G-056
  const size_t threads = countThreads();
  const size_t descriptors = countDescriptors();
  for (int i = 0; i < 1000; ++i) {
    start({.pollingWindow = 0us});
    expectThreads(threads + 1);
    if (i % 10 == 0)
      ASSERT_TRUE(burst->execute(pool.request(), result).isOk());
    burst.reset();
  }
  expectThreads(threads);
  EXPECT_EQ(countDescriptors(), descriptors);
}

TEST(StagingTest, RefusesShapesThatAreNotOfItsOutputs) {
  PreparedModelRef model = prepareSum();
  Staging staging(model->interface());
  std::array<float, 6> a = {}, b = {}, sum = {};
  Request request;
  request.inputs.resize(2);
  request.outputs.resize(1);
  request.inputs[0].memory = Memory::borrow(std::as_bytes(std::span(a)));
  request.inputs[1].memory = Memory::borrow(std::as_bytes(std::span(b)));
  request.outputs[0].memory =
      OutputMemory::borrow(std::as_writable_bytes(std::span(sum)));
  ASSERT_EQ(staging.stage(request).message(), "");
  EXPECT_EQ(staging.collect(request, {}).message(),
            "the server answered 0 outputs, expected 1");
  OutputShape shape;
  shape.dimensions = {2, 4};
  Status status = staging.collect(request, std::span(&shape, 1));
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(),
            "the server answered 32 bytes for output 0, expected at most 24");
  shape.dimensions = {2, 3};
  EXPECT_EQ(staging.collect(request, std::span(&shape, 1)).message(), "");
}

/// A region of size 0 is the whole pool, in which a server may find room.
TEST(StagingTest, OutputsWithoutBytes) {
  PreparedModelRef model = prepareSum();
  Staging staging(model->interface());
  Request request;
  request.outputs.resize(1);
  request.outputs[0].memory = OutputMemory::borrow({});
  ASSERT_EQ(staging.stage(request).message(), "");
  OutputShape shape;
  shape.dimensions = {2, 3};
  Status status = staging.collect(request, std::span(&shape, 1));
  EXPECT_EQ(status.code(), StatusCode::outputInsufficientSize);
  EXPECT_EQ(status.message(), "output 0 of 24 bytes does not fit its 0");
  EXPECT_FALSE(shape.isSufficient);
}

TEST(BurstSlotsTest, SlotsAreUsedAgain) { // G-039, G-041
  BurstSlots slots;
  std::vector<std::shared_ptr<SharedMemory>> pools;
  for (int i = 0; i < 3; ++i) {
    pools.push_back(*SharedMemory::createAshmem(4096));
    EXPECT_EQ(slots.slotOf(pools.back()), i);
  }
  EXPECT_EQ(slots.slotOf(pools[1]), 1);
  EXPECT_EQ(slots.free(*pools[0]), 0);
  EXPECT_EQ(slots.free(*pools[0]), std::nullopt);
  EXPECT_EQ(slots.free(*pools[1]), 1);
  EXPECT_EQ(slots.slotOf(pools[0]), 1) << "the slot that was freed last";
  EXPECT_EQ(slots.count(), 2u);
  for (int32_t slot : {0, 3, -1, INT32_MAX}) {
    const std::array<int32_t, 2> asked = {2, slot};
    EXPECT_EQ(slots.getMemories(asked).status().message(),
              "slot " + std::to_string(slot) + " of a burst has no memory");
  }
  const std::array<int32_t, 2> known = {2, 1};
  auto memories = slots.getMemories(known);
  ASSERT_TRUE(memories.isOk());
  ASSERT_EQ(memories->size(), 2u);
  EXPECT_NE((*memories)[0]->fd(), pools[2]->fd());
  pools.pop_back();
  std::vector<int32_t> expired;
  slots.freeExpired(expired);
  EXPECT_EQ(expired, std::vector<int32_t>{2});
  slots.freeExpired(expired);
  EXPECT_TRUE(expired.empty()) << "a slot is freed once, others may have it";
}

} // namespace
