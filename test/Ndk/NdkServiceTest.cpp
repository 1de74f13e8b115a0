//===- NdkServiceTest.cpp - The NDK library on devices of a service -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeedModel.h"

#include "Burst/SampleModel.h"
#include "NeuralNetworks/Loops.h"
#include "NeuralNetworks/TestModels.h"
#include "Service/ServiceProcess.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <poll.h>
#include <sstream>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::test;
using client::Result;

namespace {

/// A compilation of a sum that the library divides as it likes.
struct Sum {
  Sum() {
    auto made = feedModel(annotated.model);
    EXPECT_TRUE(made.isOk()) << made.status().message();
    fed = *std::move(made);
    ANeuralNetworksCompilation *handle = nullptr;
    EXPECT_EQ(ANeuralNetworksCompilation_create(fed.model.get(), &handle), 0);
    compilation.reset(handle);
    EXPECT_EQ(ANeuralNetworksCompilation_finish(handle), 0);
  }

  int compute(ANeuralNetworksBurst *burst = nullptr) {
    ANeuralNetworksExecution *handle = nullptr;
    EXPECT_EQ(ANeuralNetworksExecution_create(compilation.get(), &handle), 0);
    NdkExecution execution(handle);
    std::fill_n(output, 6, -1.0f);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(handle, 0, nullptr, first,
                                                sizeof(first)),
              0);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(handle, 1, nullptr, second,
                                                sizeof(second)),
              0);
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(handle, 0, nullptr, output,
                                                 sizeof(output)),
              0);
    return burst ? ANeuralNetworksExecution_burstCompute(handle, burst)
                 : ANeuralNetworksExecution_compute(handle);
  }

  bool hasSum() const {
    for (int i = 0; i < 6; ++i)
      if (output[i] != first[i] + second[i])
        return false;
    return true;
  }

  rt::AnnotatedModel annotated = rt::test::sumModel();
  FedModel fed;
  NdkCompilation compilation;
  float first[6] = {1, 2, 3, 4, 5, 6};
  float second[6] = {10, 20, 30, 40, 50, 60};
  float output[6] = {};
};

// I-054: the device of another process dies, and nnapi-reference steps in.
TEST(NdkServiceTest, AResultArrivesThoughTheServiceDies) {
  // The other planner keeps so small a model in this process.
  ::setenv("NNHAL_PLANNER", "greedy", 1);
  // Its devices say that they are faster than those of this process.
  rt::test::ServiceProcess service(
      {"--plugin=" NNHAL_SYNTHETIC_PLUGIN, "--device=test-synthetic0",
       "--device=test-synthetic1", "--device=test-synthetic2"});
  // The library reads it with the first call.
  ::setenv("NNHAL_SERVICE", service.socket().c_str(), 1);
  Sum sum;
  ANeuralNetworksBurst *handle = nullptr;
  ASSERT_EQ(ANeuralNetworksBurst_create(sum.compilation.get(), &handle), 0);
  NdkBurst burst(handle);
  ASSERT_EQ(sum.compute(), 0);
  EXPECT_TRUE(sum.hasSum());
  ASSERT_EQ(sum.compute(burst.get()), 0);
  EXPECT_TRUE(sum.hasSum());

  testing::internal::CaptureStderr();
  service.stop(SIGKILL);
  EXPECT_EQ(sum.compute(), 0);
  EXPECT_TRUE(sum.hasSum());
  EXPECT_EQ(sum.compute(burst.get()), 0);
  EXPECT_TRUE(sum.hasSum());
  std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("nnapi-reference"), std::string::npos) << log;

  // A service that was started again serves compilations from then on.
  service.start();
  Sum again;
  EXPECT_EQ(again.compute(), 0);
  EXPECT_TRUE(again.hasSum());
  service.stop(SIGTERM);
}

/// A process of its own: the library has one service, which it looks for once.
/// The process ends well if nothing that it expected has failed.
[[noreturn]] void endProcess() {
  std::exit(testing::Test::HasFailure() ? 1 : 0);
}

/// A loop whose device is in the service and never ends; the service is killed
/// when the device has written a wrong output.
void dieInTheMiddle(bool isAsynchronous) {
  rt::test::ServiceProcess service(
      {"--plugin=" NNHAL_FAULTY_DEVICES, "--device=test-stalled"});
  ::setenv("NNHAL_SERVICE", service.socket().c_str(), 1);
  client::CountingLoop loop(100);
  client::Compilation compilation(loop.model);
  ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
  auto pool = rt::SharedMemory::createAshmem(sizeof(float));
  ASSERT_TRUE(pool.isOk());
  auto bytes = (*pool)->mapForWriting();
  ASSERT_TRUE(bytes.isOk());
  client::Memory memory(sizeof(float), PROT_READ | PROT_WRITE, (*pool)->fd(),
                        0);
  ASSERT_TRUE(memory.isValid());
  auto *output = reinterpret_cast<float *>(bytes->data());
  const float first = 3;
  client::Execution execution(compilation);
  ASSERT_EQ(execution.setInput(0, &first, sizeof(first)), Result::NO_ERROR);
  ASSERT_EQ(execution.setOutputFromMemory(0, memory, 0, sizeof(float)),
            Result::NO_ERROR);
  client::Event event;
  std::jthread caller;
  if (isAsynchronous)
    ASSERT_EQ(execution.startCompute(&event), Result::NO_ERROR);
  else
    caller =
        std::jthread([&] { EXPECT_EQ(execution.compute(), Result::NO_ERROR); });
  EXPECT_TRUE(rt::test::eventually(
      [&] { return std::atomic_ref(*output).load() != 0; }));
  EXPECT_NE(*output, 100);
  service.stop(SIGKILL);
  if (isAsynchronous)
    EXPECT_EQ(event.wait(), Result::NO_ERROR);
  else
    caller.join();
  EXPECT_EQ(*output, 100);
}

/// Expects that the result arrives in a process of its own, that the log of the
/// process says once how, and that its trace counts it.
void expectResult(bool isAsynchronous) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::filesystem::path trace = std::filesystem::temp_directory_path() /
                                ("nnhal-middle-" + std::to_string(::getpid()));
  // In the process of its own, this is set already.
  ::setenv("NNHAL_TRACE", trace.c_str(), 0);
  // The other planner keeps so small a model in this process.
  ::setenv("NNHAL_PLANNER", "greedy", 1);
  EXPECT_EXIT((dieInTheMiddle(isAsynchronous), endProcess()),
              testing::ExitedWithCode(0),
              "nnhal: error: the execution of a divided model falls back to "
              "nnapi-reference: DEAD_OBJECT: ");
  ::unsetenv("NNHAL_TRACE");
  std::stringstream text;
  text << std::ifstream(trace).rdbuf();
  std::filesystem::remove(trace);
  EXPECT_NE(text.str().find("\"fallbacks\""), std::string::npos) << text.str();
}

// I-043, I-054, K-014: the device of another process dies while it computes.
// The result still arrives, whatever the device had written.
TEST(NdkServiceDeathTest, AResultArrivesThoughTheServiceDiesInTheMiddle) {
  expectResult(/*isAsynchronous=*/false);
}

TEST(NdkServiceDeathTest, AnEventArrivesThoughTheServiceDiesInTheMiddle) {
  expectResult(/*isAsynchronous=*/true);
}

/// A fenced execution that has ended, whose service is killed before anybody
/// asks how long it took.
void askTheDead() {
  rt::test::ServiceProcess service(
      {"--plugin=" NNHAL_FAULTY_DEVICES, "--device=test-faulty"});
  ::setenv("NNHAL_SERVICE", service.socket().c_str(), 1);
  client::Model model;
  client::buildAdd(model);
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  client::Compilation compilation(model, {client::findDevice("test-faulty")});
  ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
  int ends[2], fence = -1;
  ASSERT_EQ(::pipe(ends), 0);
  ANeuralNetworksEvent *made = nullptr;
  ASSERT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &made), 0);
  client::Event dependency, end;
  dependency.set(made);
  client::AddExecution run(compilation);
  run.setAll();
  auto *execution = run.execution.get();
  ASSERT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution, true), 0);
  ASSERT_EQ(run.execution.startComputeWithDependencies({&dependency}, 0, &end),
            Result::NO_ERROR);
  ASSERT_EQ(ANeuralNetworksEvent_getSyncFenceFd(end.get(), &fence), 0);
  ASSERT_EQ(::write(ends[1], "", 1), 1);
  pollfd waits = {fence, POLLIN, 0};
  ASSERT_EQ(::poll(&waits, 1, -1), 1);
  run.expectSum();
  service.stop(SIGKILL);
  for (int32_t code : {0, 1, 2, 3}) {
    uint64_t duration = 0;
    EXPECT_EQ(ANeuralNetworksExecution_getDuration(execution, code, &duration),
              ANEURALNETWORKS_OP_FAILED);
    EXPECT_EQ(duration, std::numeric_limits<uint64_t>::max());
  }
}

// J-012: a fenced execution whose device cannot be asked any more.
TEST(NdkServiceDeathTest, TheDurationIsNotKnownWhenTheServiceIsDead) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((askTheDead(), endProcess()), testing::ExitedWithCode(0), "");
}

} // namespace
