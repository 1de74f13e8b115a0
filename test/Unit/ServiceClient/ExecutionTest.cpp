//===- ExecutionTest.cpp - Executions by a service ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientTesting.h"

#include "Faults/Allocations.h"
#include "Runtime/Burst/Packets.h"
#include "Runtime/Fifo/Fifo.h"
#include "nnhal/Runtime/Fence.h"
#include "nnhal/Runtime/Log.h"

#include <future>
#include <mutex>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using namespace nnhal::service::test;
using rt::ExecutionResult;
using rt::Request;
using rt::Status;
using rt::StatusCode;

using ExecutionTest = ClientTest;

TEST_F(ExecutionTest, PoolsAreNotCopiedAndMadeKnownOnce) {
  prepare();
  for (int i = 0; i < 3; ++i) {
    pool.fill(float(i));
    ASSERT_EQ(model->execute(pool.request(), result).message(), "");
    EXPECT_TRUE(pool.hasSum(float(i)));
    EXPECT_EQ(result.copiedBytes, 0u);
    ASSERT_EQ(result.outputShapes.size(), 1u);
    EXPECT_EQ(result.outputShapes[0].dimensions, (std::vector<uint32_t>{2, 3}));
  }
  EXPECT_EQ(service.seen.imports, 1);
}

TEST_F(ExecutionTest, PoolsThatAreGoneAreForgotten) {
  prepare();
  for (int i = 0; i < 10; ++i) {
    rt::test::SumPool other;
    ASSERT_EQ(model->execute(other.request(), result).message(), "");
  }
  ASSERT_EQ(model->execute(pool.request(), result).message(), "");
  EXPECT_EQ(service.seen.imports, 11);
  EXPECT_TRUE(holds([&] { return service.seen.memories == 1; }));
}

TEST_F(ExecutionTest, BorrowedMemoryIsCopiedThroughOneStaging) {
  prepare();
  BorrowedSum sum;
  for (int i = 0; i < 3; ++i) {
    sum.a[0] = float(i);
    ASSERT_EQ(model->execute(sum.request(), result).message(), "");
    EXPECT_TRUE(sum.isRight());
    EXPECT_EQ(result.copiedBytes, 3 * rt::test::sumBytes);
  }
  EXPECT_EQ(service.seen.imports, 1);
}

TEST_F(ExecutionTest, FailuresAreThoseOfTheDevice) {
  prepare();
  Request request = pool.request();
  request.inputs.resize(1);
  EXPECT_EQ(model->execute(request, result).code(),
            StatusCode::invalidArgument);
  request = pool.request();
  request.deadline = 1;
  EXPECT_EQ(model->execute(request, result).code(),
            StatusCode::missedDeadlinePersistent);
  BorrowedSum sum;
  request = sum.request();
  request.outputs[0].memory = rt::OutputMemory::borrow(
      std::as_writable_bytes(std::span(sum.sum)).first(8));
  EXPECT_EQ(model->execute(request, result).code(),
            StatusCode::outputInsufficientSize);
  ASSERT_EQ(result.outputShapes.size(), 1u);
  EXPECT_FALSE(result.outputShapes[0].isSufficient);
  EXPECT_EQ(model->execute(pool.request(), result).message(), "");
}

TEST_F(ExecutionTest, ManyAtOnce) {
  prepare();
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i) {
        BorrowedSum sum;
        sum.a[3] = float(1000 * thread + i);
        ExecutionResult own;
        right += model->execute(sum.request(), own).isOk() && sum.isRight();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 200);
}

/// Executes asynchronously and returns both statuses.
static std::pair<Status, Status> executeAsync(const rt::PreparedModel &model,
                                              const Request &request) {
  std::promise<Status> ended;
  Status launched = model.executeAsync(
      request, [&](const Status &status, const ExecutionResult &) {
        ended.set_value(status);
      });
  return {launched, ended.get_future().get()};
}

TEST_F(ExecutionTest, Asynchronously) { // D-012, D-016
  prepare();
  BorrowedSum sum;
  auto [launched, ended] = executeAsync(*model, sum.request());
  EXPECT_EQ(launched.message(), "");
  EXPECT_EQ(ended.message(), "");
  EXPECT_TRUE(sum.isRight());
  Request request = pool.request();
  request.inputs.resize(1);
  std::tie(launched, ended) = executeAsync(*model, request);
  EXPECT_EQ(launched.code(), StatusCode::invalidArgument);
  EXPECT_EQ(ended.code(), StatusCode::invalidArgument);
  EXPECT_EQ(model->executeAsync(pool.request(), nullptr).message(),
            "an asynchronous execution needs a callback");
  // A service that does not say that work begins is waited for.
  service.conduct.tellsLaunch = false;
  std::tie(launched, ended) = executeAsync(*model, pool.request());
  EXPECT_EQ(launched.message(), "");
  EXPECT_EQ(ended.message(), "");
}

TEST_F(ExecutionTest, ReturnsBeforeAnAsynchronousExecutionEnds) {
  prepare();
  service.conduct.hangsIn = "execute";
  std::promise<Status> ended;
  EXPECT_TRUE(model
                  ->executeAsync(pool.request(),
                                 [&](const Status &status, const auto &) {
                                   ended.set_value(status);
                                 })
                  .isOk());
  service.killDevice();
  EXPECT_EQ(ended.get_future().get().code(), StatusCode::deadObject);
}

TEST_F(ExecutionTest, CallbacksMayCallTheDeviceAndReleaseIt) {
  prepare();
  std::promise<Status> ended;
  auto held = std::make_shared<rt::PreparedModelRef>(model);
  ASSERT_TRUE(model
                  ->executeAsync(
                      pool.request(),
                      [&, held](const Status &, const auto &) mutable {
                        ExecutionResult own;
                        Status status = (*held)->execute(pool.request(), own);
                        held.reset();
                        ended.set_value(status);
                      })
                  .isOk());
  held.reset();
  model.reset();
  device.reset();
  EXPECT_EQ(ended.get_future().get().message(), "");
  EXPECT_TRUE(holds([&] { return service.seen.models == 0; }));
}

TEST_F(ExecutionTest, Fenced) { // D-053, D-056, D-058
  prepare();
  BorrowedSum sum;
  rt::FenceRef start = *rt::Fence::create();
  auto execution = model->executeFenced(sum.request(), {start, nullptr});
  ASSERT_TRUE(execution.isOk()) << execution.status().message();
  rt::FenceRef end = (*execution)->fence();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->poll(), rt::FenceState::active);
  EXPECT_EQ((*execution)->executionInfo().status.code(),
            StatusCode::generalFailure);
  start->complete(Status::ok());
  EXPECT_EQ(end->wait(rt::noDeadline).message(), "");
  EXPECT_TRUE(sum.isRight());
  EXPECT_EQ((*execution)->executionInfo().status.message(), "");
}

TEST_F(ExecutionTest, FencedAfterAFailure) { // D-052, D-059
  prepare();
  rt::FenceRef start = *rt::Fence::create();
  auto execution = model->executeFenced(pool.request(), {start});
  ASSERT_TRUE(execution.isOk());
  start->complete(Status(StatusCode::generalFailure, "no"));
  // The reason is that of the service: the descriptor does not tell.
  Status status = (*execution)->fence()->wait(rt::noDeadline);
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(), (*execution)->executionInfo().status.message());
}

TEST_F(ExecutionTest, FencedWithTooManyFences) {
  prepare();
  std::vector<rt::FenceRef> fences(254, *rt::Fence::create());
  EXPECT_EQ(model->executeFenced(pool.request(), fences).status().message(),
            "an execution waits for 254 fences, expected at most 253");
}

TEST_F(ExecutionTest, OverABurst) { // G-001, G-002, G-012
  prepare();
  auto burst = rt::Burst::create(model);
  ASSERT_TRUE(burst.isOk()) << burst.status().message();
  for (int i = 0; i < 10; ++i) {
    pool.fill(float(i));
    ASSERT_EQ((*burst)->execute(pool.request(), result).message(), "");
    EXPECT_TRUE(pool.hasSum(float(i)));
  }
  EXPECT_EQ((*burst)->ordinaryExecutions(), 0u);
  EXPECT_EQ(service.seen.executions, 0);
  (*burst)->freeMemory(*pool.pool);
  EXPECT_TRUE(holds([&] { return service.seen.freedSlots == 1; }));
  EXPECT_EQ(model->configureBurst(nullptr, {}).status().message(),
            "a burst has no callback");
}

namespace {
/// Gives one memory for all slots.
class OneMemory final : public rt::BurstCallback {
public:
  explicit OneMemory(std::shared_ptr<rt::SharedMemory> memory)
      : memory(std::move(memory)) {}
  rt::Result<std::vector<std::shared_ptr<rt::SharedMemory>>>
  getMemories(std::span<const int32_t> slots) override {
    return std::vector(slots.size(), memory);
  }

private:
  const std::shared_ptr<rt::SharedMemory> memory;
};
} // namespace

// The process that serves the burst asks for more than a message carries.
TEST_F(ExecutionTest, OverABurstWithTooManyMemories) {
  std::mutex mutex;
  std::string logged;
  auto log = std::make_shared<rt::Log>(rt::maskOf(rt::LogTag::execution),
                                       [&](std::string_view line) {
                                         std::lock_guard lock(mutex);
                                         logged += line;
                                       });
  rt::ReferenceDeviceOptions options;
  options.services.log = log;
  TestService other(rt::createReferenceDevice(std::move(options)));
  auto devices = connectDevices(other.path(), {});
  ASSERT_TRUE(devices.isOk()) << devices.status().message();
  auto prepared = (*devices)[0]->prepareModel(rt::test::sumModel());
  ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
  auto requests = rt::FifoMemory::create(1024, sizeof(rt::RequestDatum));
  auto results = rt::FifoMemory::create(1024, sizeof(rt::ResultDatum));
  ASSERT_TRUE(requests.isOk() && results.isOk());
  auto burst = (*prepared)->configureBurst(
      std::make_shared<OneMemory>(pool.pool),
      {*rt::duplicate(requests->fd()), *rt::duplicate(results->fd())});
  ASSERT_TRUE(burst.isOk()) << burst.status().message();
  rt::BurstRequest request;
  for (int32_t slot = 0; slot < 254; ++slot)
    request.slots.push_back(slot);
  std::vector<rt::RequestDatum> packet;
  writePacket(request, packet);
  rt::FifoWriter<rt::RequestDatum> writer(*std::move(requests));
  ASSERT_EQ(writer.tryWrite(packet).message(), "");
  EXPECT_TRUE(holds([&] {
    std::lock_guard lock(mutex);
    return logged.find("254 memories of a burst are asked for at once, "
                       "expected at most 253") != std::string::npos;
  })) << logged;
}

TEST_F(ExecutionTest, NoMemory) {
  if (!rt::AllocationFailure::isPossible())
    GTEST_SKIP() << "another library brings operator new";
  prepare();
  const Request request = pool.request();
  const rt::PreparedModelRef models[] = {model};
  Status execution;
  Status call;
  {
    rt::AllocationFailure failure(0);
    execution = model->execute(request, result);
  }
  {
    rt::AllocationFailure failure(0);
    call = device->allocate({}, models, {}, {}).status();
  }
  EXPECT_EQ(execution.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(execution.message(), "no memory for an execution");
  EXPECT_EQ(call.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(call.message(), "no memory for a call of a service");
}

TEST_F(ExecutionTest, ModelsAndDevicesAreReleased) {
  prepare();
  EXPECT_EQ(service.seen.models, 1);
  model.reset();
  EXPECT_TRUE(holds([&] { return service.seen.models == 0; }));
}

TEST_F(ExecutionTest, MemoryUseIsThatOfNow) {
  prepare();
  EXPECT_EQ(model->memoryUse().arena, 77u);
}
