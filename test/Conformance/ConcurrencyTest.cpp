//===- ConcurrencyTest.cpp - Many executions at once ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "nnhal/Runtime/Scheduler.h"

#include <atomic>
#include <filesystem>
#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

using ConcurrencyTest = ConformanceTest;

constexpr Mode allModes[] = {Mode::sync, Mode::async, Mode::fenced};

/// Executes \p model \p count times in every mode, each time with other values.
void executeOften(const PreparedModel &model, int seed, int count) {
  FloatArguments arguments(model);
  for (int i = 0; i < count; ++i) {
    float value = float(seed * count + i);
    arguments.inputs[0].assign(arguments.inputs[0].size(), value);
    Mode mode = allModes[size_t(seed + i) % 3];
    Executed executed = executeIn(mode, model, arguments.request);
    EXPECT_EQ(executed.status.message(), "");
    for (size_t k = 0; k < arguments.outputs[0].size(); ++k)
      ASSERT_EQ(arguments.outputs[0][k], flow(value, arguments.inputs[1][k]));
  }
}

void executeOnThreads(const std::vector<PreparedModelRef> &models, int count) {
  std::vector<std::thread> threads;
  threads.reserve(models.size());
  for (size_t t = 0; t < models.size(); ++t)
    threads.emplace_back([&, t] { executeOften(*models[t], int(t), count); });
  for (std::thread &thread : threads)
    thread.join();
}

// D-005, D-008, D-009, L-016, M-031.
TEST_F(ConcurrencyTest, oneModelServesManyThreads) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({16}));
  executeOnThreads(std::vector<PreparedModelRef>(10, prepared), 150);
}

// D-009: also when the device does one thing at a time.
TEST_F(ConcurrencyTest, oneSlotServesManyThreads) {
  NNHAL_SKIP_REMOTE(*device);
  DeviceServices services;
  services.executions = Scheduler::create({.slots = 1});
  device = createDeviceUnderTest(services);
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({16}));
  executeOnThreads(std::vector<PreparedModelRef>(8, prepared), 60);
  EXPECT_EQ(services.executions->stats().peakRunning, 1u);
}

// C-056, D-005, L-016: each of several threads has a model of its own.
TEST_F(ConcurrencyTest, manyModelsServeManyThreads) {
  std::vector<PreparedModelRef> models;
  for (uint32_t i = 0; i < 10; ++i) {
    NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({i / 2 + 1, 3}));
    models.push_back(prepared);
  }
  executeOnThreads(models, 60);
}

// D-005: launched together, without a wait in between.
TEST_F(ConcurrencyTest, executionsMayBeLaunchedFaster) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({16}));
  constexpr int count = 200;
  std::vector<std::unique_ptr<FloatArguments>> arguments;
  Notified<StatusCode> notified;
  std::vector<std::shared_ptr<FencedExecution>> fenced;
  for (int i = 0; i < count; ++i) {
    arguments.push_back(std::make_unique<FloatArguments>(*prepared));
    arguments.back()->inputs[0].assign(16, float(i));
    const Request &request = arguments.back()->request;
    if (i % 2 == 0) {
      Status launched = prepared->executeAsync(
          request, [&](const Status &status, const ExecutionResult &) {
            notified.notify(status.code());
          });
      EXPECT_EQ(launched.message(), "");
      continue;
    }
    auto launched = prepared->executeFenced(request);
    ASSERT_TRUE(launched.isOk()) << launched.status().message();
    fenced.push_back(*launched);
  }
  for (const auto &execution : fenced)
    EXPECT_EQ(execution->fence()->wait(noDeadline).message(), "");
  EXPECT_TRUE(eventually([&] { return notified.count() == count / 2; }));
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(arguments[size_t(i)]->outputs[0][15], flow(float(i), 16));
}

// D-008, D-009: a callback launches the next execution.
TEST_F(ConcurrencyTest, callbacksMayLaunch) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  constexpr int count = 100;
  std::atomic<int> left = count;
  Notified<StatusCode> notified;
  ExecutionCallback next = [&](const Status &status, const ExecutionResult &) {
    EXPECT_EQ(status.message(), "");
    if (--left == 0)
      return notified.notify(status.code());
    Status launched = prepared->executeAsync(arguments.request, next);
    EXPECT_EQ(launched.message(), "");
  };
  Status launched = prepared->executeAsync(arguments.request, next);
  EXPECT_EQ(launched.message(), "");
  EXPECT_EQ(notified.wait(), StatusCode::none);
  EXPECT_EQ(left, 0);
}

size_t threadCount() {
  size_t count = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator("/proc/self/task"))
    count += !entry.path().empty();
  return count;
}

/// A device with its only prepared model.
struct Client {
  std::unique_ptr<Device> device;
  PreparedModelRef model;
};

/// The destructors run on threads of the device itself: of the scheduler of
/// its executions, of that of its preparations, of its reactor. They must
/// neither wait for themselves nor leave a thread behind.
class LastReferenceTest : public ConformanceTest {
protected:
  static constexpr int rounds = 50;

  void SetUp() override {
    reason = unsupportedReason(*device, addModel());
    device.reset();
    threads = threadCount();
  }
  void TearDown() override {
    // What the system still counts of joined threads may go in between.
    EXPECT_TRUE(eventually([&] { return threadCount() <= threads; }))
        << threadCount() << " threads, before " << threads;
  }
  static std::shared_ptr<Client> createClient() {
    auto client = std::make_shared<Client>();
    client->device = createDeviceUnderTest();
    auto prepared = client->device->prepareModel(addModel());
    EXPECT_TRUE(prepared.isOk()) << prepared.status().message();
    client->model = *prepared;
    return client;
  }

  std::optional<std::string> reason;
  size_t threads = 0;
};

// C-041, C-057, D-005.
TEST_F(LastReferenceTest, inTheCallbackOfAnExecution) {
  if (reason)
    GTEST_SKIP() << *reason;
  for (int i = 0; i < rounds; ++i) {
    std::shared_ptr<Client> client = createClient();
    FloatArguments arguments(*client->model);
    std::weak_ptr<PreparedModel> observer = client->model;
    Notified<StatusCode> notified;
    // The launch itself needs a reference; the callback releases the others.
    PreparedModel *model = client->model.get();
    PreparedModelRef launching = i % 2 == 0 ? client->model : nullptr;
    Status launched = model->executeAsync(
        arguments.request,
        [client, &notified](const Status &status, const ExecutionResult &) {
          client->device.reset();
          client->model.reset();
          notified.notify(status.code());
        });
    EXPECT_EQ(launched.message(), "");
    launching.reset();
    client.reset();
    EXPECT_EQ(notified.wait(), StatusCode::none);
    EXPECT_TRUE(eventually([&] { return observer.expired(); }));
  }
}

// C-041, C-057.
TEST_F(LastReferenceTest, inTheCallbackOfAPreparation) {
  if (reason)
    GTEST_SKIP() << *reason;
  for (int i = 0; i < rounds; ++i) {
    auto owner = std::make_shared<Client>();
    owner->device = createDeviceUnderTest();
    Notified<StatusCode> notified;
    Status launched = owner->device->prepareModelAsync(
        std::make_shared<AnnotatedModel>(addModel()), {},
        [owner, &notified](Result<PreparedModelRef> result) {
          StatusCode code = result.status().code();
          owner->device.reset();
          result = PreparedModelRef();
          notified.notify(code);
        });
    EXPECT_EQ(launched.message(), "");
    owner.reset();
    EXPECT_EQ(notified.wait(), StatusCode::none);
  }
}

// C-057, D-059: the fenced execution is the last to hold the model; it ends on
// a worker when its fence signals and on the reactor's thread when that fails.
TEST_F(LastReferenceTest, inAFencedExecution) {
  if (reason)
    GTEST_SKIP() << *reason;
  for (int i = 0; i < rounds; ++i) {
    std::shared_ptr<Client> client = createClient();
    FloatArguments arguments(*client->model);
    std::weak_ptr<PreparedModel> observer = client->model;
    auto start = Fence::create();
    ASSERT_TRUE(start.isOk()) << start.status().message();
    auto execution = client->model->executeFenced(arguments.request, {*start});
    ASSERT_TRUE(execution.isOk()) << execution.status().message();
    client.reset();
    EXPECT_FALSE(observer.expired());
    bool succeeds = i % 2 == 0;
    (*start)->complete(succeeds ? Status::ok()
                                : Status(StatusCode::generalFailure, "lost"));
    EXPECT_EQ((*execution)->fence()->wait(noDeadline).isOk(), succeeds);
    EXPECT_TRUE(eventually([&] { return observer.expired(); }));
  }
}

} // namespace
