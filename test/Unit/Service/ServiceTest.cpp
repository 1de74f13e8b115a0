//===- ServiceTest.cpp - Devices of a service, and its death --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceProcess.h"

#include "Burst/SampleModel.h"

#include <csignal>
#include <ctime>
#include <future>
#include <sys/wait.h>
#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::test;
using namespace std::chrono_literals;

namespace {

constexpr const char *reference = "nnhal-reference";

/// The longest time in which a call may notice a death.
constexpr auto deathNoticed = 100ms;

class ServiceTest : public testing::Test {
protected:
  PreparedModelRef prepare(const Device &device) {
    auto made = device.prepareModel(sumModel());
    EXPECT_TRUE(made.isOk()) << made.status().message();
    return made.isOk() ? *made : nullptr;
  }

  ServiceProcess service{{"--device=nnhal-reference"}};
  std::unique_ptr<Device> device = service.connect(reference);
  SumPool pool;
  ExecutionResult result;
};

TEST_F(ServiceTest, ExecutesInEveryWay) {
  PreparedModelRef model = prepare(*device);
  EXPECT_TRUE(device->traits().isRemote);
  ASSERT_EQ(model->execute(pool.request(), result).message(), "");
  EXPECT_TRUE(pool.hasSum());
  EXPECT_EQ(result.copiedBytes, 0u);

  pool.fill(2);
  std::promise<Status> ended;
  ASSERT_TRUE(model
                  ->executeAsync(pool.request(),
                                 [&](Status status, const ExecutionResult &) {
                                   ended.set_value(status);
                                 })
                  .isOk());
  EXPECT_EQ(ended.get_future().get().message(), "");
  EXPECT_TRUE(pool.hasSum(2));

  pool.fill(3);
  auto start = Fence::create();
  ASSERT_TRUE(start.isOk());
  auto fenced = model->executeFenced(pool.request(), {*start});
  ASSERT_TRUE(fenced.isOk()) << fenced.status().message();
  EXPECT_FALSE(pool.hasSum(3));
  (*start)->complete(Status::ok());
  FenceRef end = (*fenced)->fence();
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->wait(noDeadline).message(), "");
  EXPECT_TRUE(pool.hasSum(3));
  EXPECT_EQ((*fenced)->executionInfo().status.message(), "");

  auto burst = Burst::create(model);
  ASSERT_TRUE(burst.isOk()) << burst.status().message();
  for (int i = 0; i < 3; ++i) {
    pool.fill(float(4 + i));
    ASSERT_EQ((*burst)->execute(pool.request(), result).message(), "");
    EXPECT_TRUE(pool.hasSum(float(4 + i)));
    EXPECT_EQ(result.copiedBytes, 0u);
  }
  EXPECT_EQ((*burst)->ordinaryExecutions(), 0u);
}

TEST_F(ServiceTest, EndsOrderlyAndRemovesItsSocket) {
  EXPECT_EQ(service.stop(SIGTERM), 0);
  EXPECT_FALSE(std::filesystem::exists(service.socket()));
}

TEST_F(ServiceTest, IsFoundAgainAfterItsDeath) { // C-079, C-080, C-082
  PreparedModelRef model = prepare(*device);
  const auto capabilities = device->capabilities();
  service.stop(SIGKILL);
  EXPECT_TRUE(
      eventually([&] { return device->status() == DeviceStatus::offline; }));
  EXPECT_EQ(model->execute(pool.request(), result).code(),
            StatusCode::deadObject);
  EXPECT_EQ(device->prepareModel(sumModel()).status().code(),
            StatusCode::deadObject);

  service.start();
  EXPECT_EQ(model->execute(pool.request(), result).code(),
            StatusCode::deadObject)
      << "a prepared model stays dead";
  PreparedModelRef again = prepare(*device);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->execute(pool.request(), result).message(), "");
  EXPECT_TRUE(pool.hasSum());
  EXPECT_EQ(device->status(), DeviceStatus::available);
  EXPECT_EQ(device->capabilities(), capabilities);
}

TEST_F(ServiceTest, BurstEndsWithItsServer) { // G-057, G-058
  PreparedModelRef model = prepare(*device);
  auto burst = Burst::create(model);
  ASSERT_TRUE(burst.isOk());
  ASSERT_TRUE((*burst)->execute(pool.request(), result).isOk());
  service.stop(SIGKILL);
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ((*burst)->execute(pool.request(), result).code(),
            StatusCode::deadObject);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, deathNoticed);
  EXPECT_EQ((*burst)->execute(pool.request(), result).code(),
            StatusCode::deadObject);
}

/// The processor time that \p process has taken.
std::chrono::nanoseconds processorTimeOf(pid_t process) {
  clockid_t clock = 0;
  timespec time{};
  EXPECT_EQ(::clock_getcpuclockid(process, &clock), 0);
  EXPECT_EQ(::clock_gettime(clock, &time), 0);
  return std::chrono::seconds(time.tv_sec) +
         std::chrono::nanoseconds(time.tv_nsec);
}

TEST_F(ServiceTest, AnIdleBurstTakesNoProcessorTime) { // G-048
  PreparedModelRef model = prepare(*device);
  auto burst = Burst::create(model);
  ASSERT_TRUE(burst.isOk());
  ASSERT_TRUE((*burst)->execute(pool.request(), result).isOk());
  const pid_t processes[] = {service.hostOf(reference), service.process(),
                             ::getpid()};
  std::chrono::nanoseconds before[std::size(processes)];
  for (size_t i = 0; i < std::size(processes); ++i)
    before[i] = processorTimeOf(processes[i]);
  std::this_thread::sleep_for(400ms);
  for (size_t i = 0; i < std::size(processes); ++i)
    EXPECT_LT(processorTimeOf(processes[i]) - before[i], 100ms)
        << "an end that polls on would have taken 400 ms";
  ASSERT_TRUE((*burst)->execute(pool.request(), result).isOk());
  EXPECT_TRUE(pool.hasSum());
}

TEST_F(ServiceTest, FencesOfADeadServiceFail) {
  PreparedModelRef model = prepare(*device);
  auto never = Fence::create();
  auto fenced = model->executeFenced(pool.request(), {*never});
  ASSERT_TRUE(fenced.isOk()) << fenced.status().message();
  service.stop(SIGKILL);
  auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE((*fenced)->fence()->wait(steadyNow() + 10'000'000'000).isOk());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, deathNoticed);
  EXPECT_EQ((*fenced)->executionInfo().status.code(), StatusCode::deadObject);
}

// C-083: a crash of the device takes its own process along and nothing else.
TEST(ServiceCrashTest, EndsTheProcessOfItsDeviceOnly) {
  ServiceProcess service({"--device=nnhal-reference", "--device=test-crashing",
                          std::string("--plugin=") + NNHAL_CRASHING_DEVICE});
  auto crashing = service.connect("test-crashing");
  auto healthy = service.connect(reference);
  ASSERT_TRUE(crashing && healthy);
  auto fatal = crashing->prepareModel(sumModel());
  auto model = healthy->prepareModel(sumModel());
  ASSERT_TRUE(fatal.isOk()) << fatal.status().message();
  ASSERT_TRUE(model.isOk()) << model.status().message();
  const pid_t host = service.hostOf(reference);

  std::atomic<bool> isEnough = false;
  std::atomic<int> executions = 0;
  std::thread other([&] {
    SumPool pool;
    ExecutionResult result;
    while (!isEnough) {
      ASSERT_EQ((*model)->execute(pool.request(), result).message(), "");
      ASSERT_TRUE(pool.hasSum());
      ++executions;
    }
  });
  for (int crash = 0; crash < 3; ++crash) {
    SumPool pool;
    ExecutionResult result;
    auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ((*fatal)->execute(pool.request(), result).code(),
              StatusCode::deadObject);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, deathNoticed);
    EXPECT_TRUE(eventually([&] {
      fatal = crashing->prepareModel(sumModel());
      return fatal.isOk();
    })) << fatal.status().message();
  }
  const int before = executions;
  EXPECT_TRUE(eventually([&] { return executions > before + 10; }));
  isEnough = true;
  other.join();
  EXPECT_EQ(service.hostOf(reference), host) << "the same process";
}

} // namespace
