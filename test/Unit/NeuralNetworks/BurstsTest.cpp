//===- BurstsTest.cpp - Bursts of C clients -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "TestModels.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

using namespace client;

namespace {

// J-013, J-014, G-004, G-005: creation.
TEST(NeuralNetworksBurst, IsCreatedOfFinishedCompilations) {
  ANeuralNetworksBurst_free(nullptr);
  CompiledAdd add;
  Compilation unfinished(add.model);
  auto *burst = reinterpret_cast<ANeuralNetworksBurst *>(1);
  EXPECT_EQ(ANeuralNetworksBurst_create(nullptr, &burst),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(burst, nullptr);
  EXPECT_EQ(ANeuralNetworksBurst_create(add.compilation->get(), nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksBurst_create(unfinished.get(), &burst),
            ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(burst, nullptr);
  ASSERT_EQ(ANeuralNetworksBurst_create(add.compilation->get(), &burst),
            ANEURALNETWORKS_NO_ERROR);
  ANeuralNetworksBurst_free(burst);
}

// J-015, J-073, J-109, G-006, G-008, G-070: a burst computes executions of its
// compilation, one after the other, and each once.
TEST(NeuralNetworksBurst, Computes) {
  for (bool isListed : {true, false}) {
    CompiledAdd add({4}, isListed), other({4}, isListed);
    ANeuralNetworksBurst *burst = nullptr;
    ASSERT_EQ(ANeuralNetworksBurst_create(add.compilation->get(), &burst),
              ANEURALNETWORKS_NO_ERROR);
    AddExecution stranger(other);
    stranger.setAll();
    EXPECT_EQ(
        ANeuralNetworksExecution_burstCompute(stranger.execution.get(), burst),
        ANEURALNETWORKS_BAD_DATA);
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(nullptr, burst),
              ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(stranger.execution.get(),
                                                    nullptr),
              ANEURALNETWORKS_UNEXPECTED_NULL);
    for (int i = 0; i < 5; ++i) {
      AddExecution run(add);
      auto *execution = run.execution.get();
      EXPECT_EQ(ANeuralNetworksExecution_burstCompute(execution, burst),
                ANEURALNETWORKS_BAD_DATA);
      run.left[0] = float(i);
      run.setAll();
      ASSERT_EQ(ANeuralNetworksExecution_burstCompute(execution, burst),
                ANEURALNETWORKS_NO_ERROR);
      run.expectSum();
      EXPECT_EQ(ANeuralNetworksExecution_burstCompute(execution, burst),
                ANEURALNETWORKS_BAD_STATE);
    }
    ANeuralNetworksBurst_free(burst);
  }
}

/// Computes an endless loop for \p nanoseconds in \p burst.
int loopFor(const Compilation &compilation, ANeuralNetworksBurst *burst,
            uint64_t nanoseconds) {
  Execution execution(compilation);
  float value = 0, result = 0;
  EXPECT_EQ(execution.setInput(0, &value, 4), Result::NO_ERROR);
  EXPECT_EQ(execution.setOutput(0, &result, 4), Result::NO_ERROR);
  EXPECT_EQ(
      ANeuralNetworksExecution_setLoopTimeout(execution.get(), nanoseconds),
      ANEURALNETWORKS_NO_ERROR);
  return ANeuralNetworksExecution_burstCompute(execution.get(), burst);
}

// J-015, J-109, G-007: a burst that computes is busy.
TEST(NeuralNetworksBurst, ComputesOneExecutionAtATime) {
  EndlessLoop loop;
  Compilation compilation(loop.model, {reference()});
  ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
  ANeuralNetworksBurst *burst = nullptr;
  ASSERT_EQ(ANeuralNetworksBurst_create(compilation.get(), &burst),
            ANEURALNETWORKS_NO_ERROR);
  std::atomic<bool> isBusy = false;
  {
    std::jthread other([&] {
      while (!isBusy)
        (void)loopFor(compilation, burst, 20'000'000);
    });
    while (!isBusy) {
      std::this_thread::yield();
      isBusy = loopFor(compilation, burst, 1) == ANEURALNETWORKS_BAD_STATE;
    }
  }
  EXPECT_EQ(loopFor(compilation, burst, 1000),
            ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
  ANeuralNetworksBurst_free(burst);
}

} // namespace
