//===- ServiceEnduranceTest.cpp - Random deaths, and nothing kept ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NNHAL_TEST_ALL makes these tests as long as scripts/soak-service has them.
//
//===----------------------------------------------------------------------===//

#include "ServiceProcess.h"

#include "Burst/SampleModel.h"

#include <csignal>
#include <random>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::test;
using namespace std::chrono_literals;

namespace {

constexpr const char *reference = "nnhal-reference";

// The address sanitizer keeps what is freed, to find its later uses.
#if defined(__has_feature)
constexpr bool keepsFreedMemory = __has_feature(address_sanitizer);
#elif defined(__SANITIZE_ADDRESS__)
constexpr bool keepsFreedMemory = true;
#else
constexpr bool keepsFreedMemory = false;
#endif

/// Threads that a process keeps from the first time that it needs so many at
/// once; a connection that left one would leave more in any of these tests.
constexpr size_t pooledThreads = 8;

/// Fails unless \p process soon holds no more than \p before, since the end of
/// a connection is noticed a moment later. Memory may grow by \p kilobytes,
/// which allocators keep.
void expectSettled(pid_t process, const Holdings &before, size_t kilobytes) {
  eventually([&] {
    Holdings now = holdingsOf(process);
    return now.threads <= before.threads + pooledThreads &&
           now.descriptors <= before.descriptors;
  });
  const Holdings after = holdingsOf(process);
  EXPECT_LE(after.threads, before.threads + pooledThreads);
  EXPECT_LE(after.descriptors, before.descriptors);
  if (!keepsFreedMemory)
    EXPECT_LE(after.residentKilobytes, before.residentKilobytes + kilobytes);
}

/// One of the things that clients do, by number.
Status work(const Device &device, unsigned kind) {
  NNHAL_ASSIGN_OR_RETURN(PreparedModelRef model,
                         device.prepareModel(sumModel()));
  SumPool pool;
  ExecutionResult result;
  if (kind % 3 == 0)
    return Status::ok();
  if (kind % 3 == 1) {
    for (int i = 0; i < 50; ++i)
      NNHAL_RETURN_IF_ERROR(model->execute(pool.request(), result));
    return Status::ok();
  }
  NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<Burst> burst, Burst::create(model));
  for (int i = 0; i < 200; ++i)
    NNHAL_RETURN_IF_ERROR(burst->execute(pool.request(), result));
  return Status::ok();
}

TEST(ServiceEnduranceTest, ClientsSurviveDeathsAtRandomMoments) {
  ServiceProcess service({"--device=nnhal-reference"});
  auto device = service.connect(reference);
  ASSERT_NE(device, nullptr);
  ASSERT_TRUE(work(*device, 2).isOk());
  const Holdings before = holdingsOf(::getpid());
  std::minstd_rand random(1);
  const int deaths = lengthOfTest(/*normal=*/15, /*all=*/500);
  for (int death = 0; death < deaths; ++death) {
    std::atomic<bool> isDead = false;
    std::atomic<int64_t> diedAt = 0;
    std::thread client([&] {
      for (unsigned kind = unsigned(death);; ++kind) {
        Status status = work(*device, kind);
        if (status.isOk())
          continue;
        EXPECT_EQ(status.code(), StatusCode::deadObject) << status.message();
        break;
      }
      int64_t noticed = steadyNow();
      EXPECT_TRUE(isDead);
      EXPECT_LT(noticed - diedAt, 100'000'000);
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    diedAt = steadyNow();
    isDead = true;
    service.stop(SIGKILL);
    client.join();
    service.start();
  }
  EXPECT_TRUE(work(*device, 2).isOk());
  expectSettled(::getpid(), before, /*kilobytes=*/8192);
}

/// Starts a client that works until it is killed.
pid_t startClient(const ServiceProcess &service) {
  std::string socket = service.socket();
  std::string program = NNHAL_CLIENT_PROGRAM;
  char *argv[] = {program.data(), socket.data(), nullptr};
  pid_t client = 0;
  EXPECT_EQ(
      ::posix_spawn(&client, program.c_str(), nullptr, nullptr, argv, environ),
      0);
  return client;
}

TEST(ServiceEnduranceTest, ServiceSurvivesDeathsOfClients) {
  ServiceProcess service({"--device=nnhal-reference"});
  auto device = service.connect(reference);
  ASSERT_NE(device, nullptr);
  std::minstd_rand random(2);
  auto killOne = [&](int number) {
    pid_t client = startClient(service);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
    ::kill(client, SIGKILL);
    ::waitpid(client, nullptr, 0);
    EXPECT_EQ(work(*device, unsigned(number)).message(), "");
  };
  // Threads of pools start when they are first needed.
  for (int i = 0; i < 10; ++i)
    killOne(i);
  const pid_t host = service.hostOf(reference);
  const Holdings hostBefore = holdingsOf(host);
  const Holdings serviceBefore = holdingsOf(service.process());
  const int deaths = lengthOfTest(/*normal=*/15, /*all=*/500);
  for (int death = 0; death < deaths; ++death)
    killOne(death);
  EXPECT_EQ(service.hostOf(reference), host) << "the same process";
  expectSettled(host, hostBefore, /*kilobytes=*/8192);
  expectSettled(service.process(), serviceBefore, /*kilobytes=*/4096);
}

TEST(ServiceEnduranceTest, ConnectionsLeaveNothing) { // G-056
  ServiceProcess service({"--device=nnhal-reference"});
  auto connectAndWork = [&] {
    auto device = service.connect(reference);
    ASSERT_NE(device, nullptr);
    EXPECT_EQ(work(*device, 2).message(), "");
  };
  for (int i = 0; i < 10; ++i)
    connectAndWork();
  const pid_t host = service.hostOf(reference);
  const Holdings own = holdingsOf(::getpid());
  const Holdings hosts = holdingsOf(host);
  const int connections = lengthOfTest(/*normal=*/50, /*all=*/1000);
  for (int i = 0; i < connections; ++i)
    connectAndWork();
  expectSettled(::getpid(), own, /*kilobytes=*/4096);
  expectSettled(host, hosts, /*kilobytes=*/8192);
}

TEST(ServiceEnduranceTest, ExecutionsLeaveNothing) { // G-069
  ServiceProcess service({"--device=nnhal-reference"});
  auto device = service.connect(reference);
  ASSERT_NE(device, nullptr);
  auto model = device->prepareModel(sumModel());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  auto burst = Burst::create(*model);
  ASSERT_TRUE(burst.isOk()) << burst.status().message();
  ExecutionResult result;
  std::array<float, 6> left = {1, 2, 3, 4, 5, 6}, sum = {};
  auto execute = [&](int number) {
    // Memories come and go, and some arguments are not behind a descriptor.
    SumPool pool(float(number % 7));
    Request request = pool.request();
    ASSERT_EQ((*burst)->execute(request, result).message(), "");
    EXPECT_TRUE(pool.hasSum(float(number % 7)));
    request.inputs[1].memory = Memory::borrow(std::as_bytes(std::span(left)));
    request.outputs[0].memory =
        OutputMemory::borrow(std::as_writable_bytes(std::span(sum)));
    ASSERT_EQ((*burst)->execute(request, result).message(), "");
    if (number % 10 == 0)
      ASSERT_EQ((*model)->execute(request, result).message(), "");
  };
  for (int i = 0; i < 100; ++i)
    execute(i);
  const pid_t host = service.hostOf(reference);
  const Holdings own = holdingsOf(::getpid());
  const Holdings hosts = holdingsOf(host);
  const int rounds = lengthOfTest(/*normal=*/1000, /*all=*/50'000);
  for (int i = 0; i < rounds; ++i)
    execute(i);
  expectSettled(::getpid(), own, /*kilobytes=*/2048);
  expectSettled(host, hosts, /*kilobytes=*/2048);
  EXPECT_LE(holdingsOf(host).mappings, hosts.mappings + 4);
  EXPECT_LE(holdingsOf(::getpid()).mappings, own.mappings + 4);
}

} // namespace
