//===- QualityOfServiceTest.cpp - A device under load ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "nnhal/Runtime/MemoryBudget.h"
#include "nnhal/Runtime/Scheduler.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

/// A device that does one thing at a time, with a short queue.
class QualityOfServiceTest : public ConformanceTest {
protected:
  void SetUp() override { NNHAL_SKIP_REMOTE(*device); }
  QualityOfServiceTest() {
    services.executions = Scheduler::create({.slots = 1, .queueLimit = 4});
    services.preparations = Scheduler::create({.slots = 1, .queueLimit = 1});
    services.memory = std::make_shared<MemoryBudget>(1 << 20);
    device = createDeviceUnderTest(services);
  }

  /// While it is held nothing is executed.
  static Slot block(Scheduler &scheduler) {
    auto slot = scheduler.enter({});
    EXPECT_TRUE(slot.isOk()) << slot.status().message();
    return *std::move(slot);
  }
  void awaitQueued(unsigned count) {
    EXPECT_TRUE(eventually(
        [&] { return services.executions->stats().queued == count; }));
  }

  DeviceServices services;
};

/// What ended in which order.
class Order {
public:
  ExecutionCallback noting(const std::string &name) {
    return [this, name](const Status &status, const ExecutionResult &) {
      EXPECT_EQ(status.message(), "");
      std::lock_guard lock(mutex);
      text += name;
      ++count;
    };
  }
  std::string await(int number) {
    EXPECT_TRUE(eventually([&] {
      std::lock_guard lock(mutex);
      return count == number;
    }));
    std::lock_guard lock(mutex);
    return text;
  }

private:
  std::mutex mutex;
  std::string text;
  int count = 0;
};

// C-042, C-052, D-015, D-054: what does not fit the queue may be tried again.
TEST_F(QualityOfServiceTest, refusesWhatTheQueueCannotHold) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  Slot slot = block(*services.executions);
  Order order;
  for (int i = 0; i < 4; ++i) {
    Status launched =
        prepared->executeAsync(arguments.request, order.noting("x"));
    EXPECT_EQ(launched.message(), "");
  }
  for (Mode mode : {Mode::sync, Mode::async, Mode::fenced}) {
    Executed executed = executeIn(mode, *prepared, arguments.request);
    EXPECT_EQ(executed.status.code(), StatusCode::resourceExhaustedTransient);
    EXPECT_EQ(executed.status.message(),
              "4 executions are waiting, the limit is 4");
    EXPECT_TRUE(executed.result.outputShapes.empty());
    EXPECT_EQ(executed.result.timing, Timing());
  }
  auto notified = std::make_shared<Notified<Executed>>();
  Status launched =
      prepared->executeAsync(arguments.request, notifying(notified));
  EXPECT_EQ(launched.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(notified->count(), 1);
  EXPECT_EQ(services.executions->stats().rejected, 4u);
  slot.release();
  EXPECT_EQ(order.await(4), "xxxx");
  for (Mode mode : {Mode::sync, Mode::async, Mode::fenced}) {
    Executed executed = executeIn(mode, *prepared, arguments.request);
    EXPECT_EQ(executed.status.message(), "");
  }
}

// C-038, C-052: the same for preparations.
TEST_F(QualityOfServiceTest, refusesPreparationsThatTheQueueCannotHold) {
  auto model = std::make_shared<AnnotatedModel>(addModel());
  if (auto reason = unsupportedReason(*device, *model))
    GTEST_SKIP() << *reason;
  Slot slot = block(*services.preparations);
  Notified<Result<PreparedModelRef>> first;
  Notified<Result<PreparedModelRef>> second;
  Status launched = device->prepareModelAsync(
      model, {}, [&](auto result) { first.notify(std::move(result)); });
  EXPECT_EQ(launched.message(), "");
  launched = device->prepareModelAsync(
      model, {}, [&](auto result) { second.notify(std::move(result)); });
  EXPECT_EQ(launched.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(second.wait().status().code(),
            StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(second.count(), 1);
  EXPECT_EQ(device->prepareModel(*model).status().code(),
            StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(first.count(), 0);
  slot.release();
  EXPECT_TRUE(first.wait().isOk());
  auto prepared = device->prepareModel(*model);
  EXPECT_EQ(prepared.status().message(), "");
}

// C-049, C-052: a deadline passes while the preparation waits.
TEST_F(QualityOfServiceTest, dropsPreparationsThatWaitTooLong) {
  auto model = std::make_shared<AnnotatedModel>(addModel());
  if (auto reason = unsupportedReason(*device, *model))
    GTEST_SKIP() << *reason;
  Slot slot = block(*services.preparations);
  PrepareOptions options;
  options.deadline = steadyNow() + 50 * millisecond;
  Notified<Result<PreparedModelRef>> notified;
  Status launched = device->prepareModelAsync(
      model, options, [&](auto result) { notified.notify(std::move(result)); });
  EXPECT_EQ(launched.message(), "");
  EXPECT_EQ(notified.wait().status().code(),
            StatusCode::missedDeadlineTransient);
  options.deadline = steadyNow() + 20 * millisecond;
  EXPECT_EQ(device->prepareModel(*model, options).status().code(),
            StatusCode::missedDeadlineTransient);
}

// C-053: within a client the more urgent go first.
TEST_F(QualityOfServiceTest, prioritiesOrderTheQueue) {
  std::vector<PreparedModelRef> models;
  for (Priority priority : {Priority::low, Priority::medium, Priority::high}) {
    PrepareOptions options;
    options.priority = priority;
    NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel(), options);
    models.push_back(prepared);
  }
  FloatArguments arguments(*models[0]);
  Slot slot = block(*services.executions);
  Order order;
  const char *names[] = {"l", "m", "h"};
  for (size_t i : {0, 1, 2, 1}) {
    Status launched =
        models[i]->executeAsync(arguments.request, order.noting(names[i]));
    EXPECT_EQ(launched.message(), "");
  }
  slot.release();
  EXPECT_EQ(order.await(4), "hmml");
}

// C-053, C-059: no client can keep another one waiting by what it launches.
TEST_F(QualityOfServiceTest, clientsTakeTurns) {
  std::vector<PreparedModelRef> models;
  for (uint64_t client : {1, 2}) {
    PrepareOptions options;
    options.client = client;
    options.priority = client == 1 ? Priority::high : Priority::low;
    NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel(), options);
    models.push_back(prepared);
  }
  FloatArguments arguments(*models[0]);
  Slot slot = block(*services.executions);
  Order order;
  for (int i = 0; i < 3; ++i) {
    Status launched =
        models[0]->executeAsync(arguments.request, order.noting("a"));
    EXPECT_EQ(launched.message(), "");
  }
  Status launched =
      models[1]->executeAsync(arguments.request, order.noting("b"));
  EXPECT_EQ(launched.message(), "");
  slot.release();
  EXPECT_EQ(order.await(4), "abaa");
}

// D-016, D-017, D-052, D-059, D-073: a deadline passes in the queue.
TEST_F(QualityOfServiceTest, dropsExecutionsThatWaitTooLong) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  Slot slot = block(*services.executions);
  for (Mode mode : {Mode::sync, Mode::async, Mode::fenced}) {
    FloatArguments arguments(*prepared);
    arguments.request.measureTiming = true;
    arguments.request.deadline = steadyNow() + 50 * millisecond;
    Executed executed = executeIn(mode, *prepared, arguments.request);
    EXPECT_EQ(executed.status.code(), StatusCode::missedDeadlineTransient)
        << executed.status.message();
    EXPECT_TRUE(executed.result.outputShapes.empty());
    EXPECT_EQ(executed.result.timing, Timing());
    EXPECT_NE(arguments.outputs[0], flowOfCounts(4));
  }
  awaitQueued(0);
  // The duration after the fences counts in the queue as well (D-060).
  FloatArguments arguments(*prepared);
  auto launched = prepared->executeFenced(arguments.request, {}, 20'000'000);
  ASSERT_TRUE(launched.isOk()) << launched.status().message();
  EXPECT_EQ((*launched)->fence()->wait(noDeadline).code(),
            StatusCode::missedDeadlineTransient);
}

// D-046, D-048: waiting for the device counts for the driver, not for the
// hardware.
TEST_F(QualityOfServiceTest, measuresTheTimeInTheQueue) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  arguments.request.measureTiming = true;
  Slot slot = block(*services.executions);
  auto notified = std::make_shared<Notified<Executed>>();
  Status launched =
      prepared->executeAsync(arguments.request, notifying(notified));
  EXPECT_EQ(launched.message(), "");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  slot.release();
  Executed executed = notified->wait();
  EXPECT_EQ(executed.status.message(), "");
  EXPECT_GE(executed.result.timing.timeInDriver, 20'000u);
  EXPECT_LE(executed.result.timing.timeOnDevice + 20'000,
            executed.result.timing.timeInDriver);
}

/// A pool that is copied, because its holder could shorten it.
std::shared_ptr<SharedMemory> unsealedPool(uint64_t size) {
  UniqueFd fd(::memfd_create("nnhal-test", MFD_CLOEXEC));
  EXPECT_EQ(::ftruncate(fd.get(), off_t(size)), 0);
  auto pool = SharedMemory::adopt(PoolKind::mmapFd, std::move(fd), size,
                                  PROT_READ | PROT_WRITE);
  EXPECT_TRUE(pool.isOk()) << pool.status().message();
  return *pool;
}

Request requestOver(const std::shared_ptr<SharedMemory> &pool, uint64_t size) {
  Request request;
  for (int i = 0; i < 2; ++i)
    request.inputs.push_back({Memory::region(pool, 0, size), {}});
  request.outputs.push_back({OutputMemory::region(pool, 0, size), {}});
  return request;
}

// C-042, C-052, C-059, D-015: memory that the device has not now, or never.
TEST_F(QualityOfServiceTest, refusesWhatTheMemoryCannotHold) {
  constexpr uint32_t small = 100 << 10;
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({small / 4}));
  NNHAL_PREPARE_OR_SKIP(larger, *device, addModel({1 << 20}));
  auto pool = unsealedPool(small);
  auto largerPool = unsealedPool(4 << 20);
  for (Mode mode : {Mode::sync, Mode::async, Mode::fenced}) {
    Executed executed =
        executeIn(mode, *larger, requestOver(largerPool, 4 << 20));
    EXPECT_EQ(executed.status.code(), StatusCode::resourceExhaustedPersistent)
        << executed.status.message();
    auto taken = services.memory->reserve((1 << 20) - small);
    ASSERT_TRUE(taken.isOk()) << taken.status().message();
    executed = executeIn(mode, *prepared, requestOver(pool, small));
    EXPECT_EQ(executed.status.code(), StatusCode::resourceExhaustedTransient)
        << executed.status.message();
    taken->release();
    executed = executeIn(mode, *prepared, requestOver(pool, small));
    EXPECT_EQ(executed.status.message(), "");
  }
}

// C-042, C-073, F-030: the same for buffers.
TEST_F(QualityOfServiceTest, refusesBuffersThatTheMemoryCannotHold) {
  NNHAL_PREPARE_OR_SKIP(small, *device, addModel({100 << 10}));
  NNHAL_PREPARE_OR_SKIP(large, *device, addModel({1 << 20}));
  const BufferRole role = {0, 0, 1.0f};
  auto allocate = [&](const PreparedModelRef &model) {
    return device->allocate({}, std::span(&model, 1), std::span(&role, 1), {});
  };
  EXPECT_EQ(allocate(large).status().code(),
            StatusCode::resourceExhaustedPersistent);
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (int i = 0; i < 2; ++i) { // 400 KiB each of 1 MiB.
    auto buffer = allocate(small);
    ASSERT_TRUE(buffer.isOk()) << buffer.status().message();
    buffers.push_back(*buffer);
  }
  EXPECT_EQ(allocate(small).status().code(),
            StatusCode::resourceExhaustedTransient);
  buffers.pop_back();
  EXPECT_EQ(allocate(small).status().message(), "");
}

// D-101: what has been read for the last time makes room.
TEST_F(QualityOfServiceTest, executesLongChainsInLittleMemory) {
  constexpr uint32_t count = 16 << 10; // 64 KiB each, 50 of them: 3 MiB.
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addChainModel({count}, 50));
  FloatArguments arguments(*prepared);
  for (Mode mode : {Mode::sync, Mode::async, Mode::fenced}) {
    Executed executed = executeIn(mode, *prepared, arguments.request);
    EXPECT_EQ(executed.status.message(), "");
    EXPECT_EQ(arguments.outputs[0], flowOfCounts(count, 50));
  }
  EXPECT_LE(services.memory->peak(), services.memory->limit());
}

} // namespace
