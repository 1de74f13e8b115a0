//===- DeathTest.cpp - What is left when a service dies -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientTesting.h"

#include "nnhal/Runtime/Fence.h"

#include <future>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using namespace nnhal::service::test;
using rt::Status;
using rt::StatusCode;

namespace {
class DeathTest : public ClientTest {
protected:
  using Clock = std::chrono::steady_clock;

  /// Calls \p call, which hangs, on a thread; ends the service in the middle,
  /// and returns what the call returned. It takes less than 100 ms.
  template <typename Call> Status dieDuring(Call call) {
    const int before = service.seen.hanging;
    Status status;
    std::thread thread([&] { status = call(); });
    EXPECT_TRUE(holds([&] { return service.seen.hanging > before; }));
    Clock::time_point begin = Clock::now();
    service.die();
    thread.join();
    EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(100));
    return status;
  }

  const std::string death = "the service of device 'nnhal-reference' has "
                            "ended, or the connection to it is lost";
};
} // namespace

TEST_F(DeathTest, DuringAnExecution) { // C-077, C-083
  prepare();
  service.conduct.hangsIn = "execute";
  Status status =
      dieDuring([&] { return model->execute(pool.request(), result); });
  EXPECT_EQ(status.code(), StatusCode::deadObject);
  EXPECT_EQ(status.message(), death);
}

TEST_F(DeathTest, DuringAnAsynchronousExecution) { // C-077
  prepare();
  service.conduct.hangsIn = "execute";
  Status ended = dieDuring([&] {
    std::promise<Status> end;
    Status launched = model->executeAsync(
        pool.request(),
        [&](const Status &status, const auto &) { end.set_value(status); });
    EXPECT_TRUE(launched.isOk());
    return end.get_future().get();
  });
  EXPECT_EQ(ended.code(), StatusCode::deadObject);
}

TEST_F(DeathTest, DuringAnAsynchronousExecutionThatHasNotBegun) {
  prepare();
  service.conduct.hangsIn = "execute";
  service.conduct.tellsLaunch = false;
  std::promise<Status> told;
  Status launched = dieDuring([&] {
    return model->executeAsync(
        pool.request(),
        [&](const Status &status, const auto &) { told.set_value(status); });
  });
  EXPECT_EQ(launched.code(), StatusCode::deadObject);
  EXPECT_EQ(told.get_future().get().code(), StatusCode::deadObject);
}

TEST_F(DeathTest, DuringTheImportOfMemory) {
  prepare();
  service.conduct.hangsIn = "importMemory";
  EXPECT_EQ(
      dieDuring([&] { return model->execute(pool.request(), result); }).code(),
      StatusCode::deadObject);
}

TEST_F(DeathTest, DuringPreparations) { // C-048, C-077, C-079
  connect();
  service.conduct.hangsIn = "prepareModel";
  Status status = dieDuring(
      [&] { return device->prepareModel(rt::test::sumModel()).status(); });
  EXPECT_EQ(status.message(), death);
  service.conduct.hangsIn = "prepareModel before it begins";
  service.restart();
  status = dieDuring(
      [&] { return device->prepareModel(rt::test::sumModel()).status(); });
  // Nothing has begun, so the service is looked for once more.
  EXPECT_EQ(status.code(), StatusCode::deadObject);
  EXPECT_EQ(status.message(), death + ": cannot reach the service '" +
                                  service.path() + "': Connection refused");
}

TEST_F(DeathTest, DuringAnAsynchronousPreparation) { // C-077
  connect();
  service.conduct.hangsIn = "prepareModel";
  Status ended = dieDuring([&] {
    std::promise<Status> end;
    Status launched = device->prepareModelAsync(
        std::make_shared<rt::AnnotatedModel>(rt::test::sumModel()), {},
        [&](const auto &prepared) { end.set_value(prepared.status()); }, {});
    EXPECT_TRUE(launched.isOk());
    return end.get_future().get();
  });
  EXPECT_EQ(ended.message(), death);
}

TEST_F(DeathTest, DuringOtherCallsOfTheDevice) { // C-077
  connect();
  service.conduct.hangsIn = "supportedOperations";
  EXPECT_EQ(dieDuring([&] {
              return device->supportedOperations(rt::test::sumModel()).status();
            }).code(),
            StatusCode::deadObject);
  service.restart();
  service.conduct.hangsIn = "allocate";
  EXPECT_EQ(dieDuring([&] {
              return device->allocate({}, {}, {}, {}).status();
            }).code(),
            StatusCode::deadObject);
}

TEST_F(DeathTest, OfFencedExecutions) { // C-077
  prepare();
  rt::FenceRef start = *rt::Fence::create();
  auto execution = model->executeFenced(pool.request(), {start});
  ASSERT_TRUE(execution.isOk());
  service.die();
  Status status = (*execution)->fence()->wait(rt::steadyNow() + 10'000'000'000);
  EXPECT_FALSE(status.isOk());
  EXPECT_NE(status.code(), StatusCode::missedDeadlineTransient);
  EXPECT_EQ((*execution)->executionInfo().status.code(),
            StatusCode::deadObject);
}

TEST_F(DeathTest, FencesThatNobodySignalsAnyMore) { // C-077
  prepare();
  // The descriptor of this service outlives it.
  rt::FenceRef theirs = *rt::Fence::create();
  service.conduct.fenced = [&](auto results) {
    results.setFence(makeDescriptor(*theirs->share()));
  };
  auto execution = model->executeFenced(pool.request());
  ASSERT_TRUE(execution.isOk());
  service.die();
  EXPECT_EQ(
      (*execution)->fence()->wait(rt::steadyNow() + 10'000'000'000).code(),
      StatusCode::deadObject);
  EXPECT_EQ((*execution)->fence()->wait(rt::noDeadline).message(), death);
}

TEST_F(DeathTest, OfABurst) { // G-011, G-057, G-058, G-065
  prepare();
  auto burst = rt::Burst::create(model);
  ASSERT_TRUE(burst.isOk());
  ASSERT_EQ((*burst)->execute(pool.request(), result).message(), "");
  service.die();
  EXPECT_TRUE(holds([&] {
    return (*burst)->execute(pool.request(), result).message() ==
           "the burst was invalidated";
  }));
  EXPECT_EQ((*burst)->execute(pool.request(), result).code(),
            StatusCode::deadObject);
  EXPECT_EQ(rt::Burst::create(model).status().message(), death);
}

TEST_F(DeathTest, DuringTheStartOfABurst) { // G-065
  prepare();
  service.conduct.hangsIn = "configureBurst";
  EXPECT_EQ(dieDuring([&] { return rt::Burst::create(model).status(); }).code(),
            StatusCode::deadObject);
}

TEST_F(DeathTest, TheDeviceIsOffline) { // C-009, C-077
  connect();
  service.die();
  EXPECT_EQ(device->status(), rt::DeviceStatus::offline);
  EXPECT_EQ(device->prepareModel(rt::test::sumModel()).status().code(),
            StatusCode::deadObject);
  service.restart();
  EXPECT_EQ(device->status(), rt::DeviceStatus::available);
}

TEST_F(DeathTest, ARestartedServiceIsFound) { // C-079, C-080, C-082
  prepare();
  rt::PreparedModelRef old = model;
  service.die();
  service.restart();
  auto prepared = device->prepareModel(rt::test::sumModel());
  ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
  EXPECT_EQ((*prepared)->execute(pool.request(), result).message(), "");
  EXPECT_TRUE(pool.hasSum());
  // Models that the old one had prepared stay dead.
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(old->execute(pool.request(), result).message(), death);
  rt::BufferRole role;
  EXPECT_EQ(device->allocate({}, std::span(&old, 1), std::span(&role, 1), {})
                .status()
                .message(),
            death);
}

TEST_F(DeathTest, TokensOfBothProcessesDiffer) { // C-071
  connect();
  auto old = device->allocate({}, {}, {}, {});
  ASSERT_TRUE(old.isOk());
  service.killDevice();
  uint32_t last = 0;
  service.conduct.allocated = [&](auto results) { results.setToken(++last); };
  auto buffer = device->allocate({}, {}, {}, {});
  ASSERT_TRUE(buffer.isOk()) << buffer.status().message();
  EXPECT_EQ((*old)->token(), 1u);
  EXPECT_EQ((*buffer)->token(), 2u);
  EXPECT_EQ((*old)->copyTo(*pool.pool).message(), death);
}

TEST_F(DeathTest, ARestartedDeviceIsFound) { // C-079
  prepare();
  service.killDevice();
  EXPECT_EQ(model->execute(pool.request(), result).code(),
            StatusCode::deadObject);
  auto again = device->prepareModel(rt::test::sumModel());
  ASSERT_TRUE(again.isOk()) << again.status().message();
  EXPECT_EQ((*again)->execute(pool.request(), result).message(), "");
  EXPECT_EQ(service.seen.connections, 2);
}

TEST_F(DeathTest, AnotherDeviceIsNotTheOneThatWasThere) { // C-080
  connect();
  const rt::Capabilities before = device->capabilities();
  service.die();
  service.conduct.describe = [](DeviceDescription &description) {
    description.version = "other";
  };
  service.restart();
  EXPECT_EQ(device->status(), rt::DeviceStatus::offline);
  Status status = device->supportedOperations(rt::test::sumModel()).status();
  EXPECT_EQ(status.code(), StatusCode::deadObject);
  EXPECT_EQ(status.message(),
            death +
                ": the service came back with device 'nnhal-reference' of "
                "version 'other' and HAL " +
                std::string(toString(device->halVersion())) +
                ", expected 'nnhal-reference', '" +
                std::string(device->version()) + "' and " +
                std::string(toString(device->halVersion())));
  // Other properties may change, and are not read again.
  service.die();
  service.conduct.describe = [](DeviceDescription &description) {
    description.type = rt::DeviceType::gpu;
    description.capabilities = rt::uniformCapabilities({3, 3});
  };
  service.restart();
  EXPECT_EQ(device->status(), rt::DeviceStatus::available);
  EXPECT_NE(device->type(), rt::DeviceType::gpu);
  EXPECT_EQ(device->capabilities(), before);
}

TEST_F(DeathTest, ExecutionsAreNotRepeated) { // C-079
  prepare();
  service.conduct.hangsIn = "execute";
  std::thread thread([&] {
    EXPECT_EQ(model->execute(pool.request(), result).code(),
              StatusCode::deadObject);
  });
  EXPECT_TRUE(holds([&] { return service.seen.hanging == 1; }));
  // Another process is there at once.
  service.killDevice();
  thread.join();
  EXPECT_EQ(service.seen.executions, 1);
}
