//===- ExecutionTest.cpp - Computations of C clients ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "TestModels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <thread>

using namespace client;

namespace {

constexpr uint64_t noDuration = std::numeric_limits<uint64_t>::max();

// J-047, J-048, J-078: executions are made of finished compilations.
TEST(NeuralNetworksExecution, IsCreatedAndFreed) {
  ANeuralNetworksExecution_free(nullptr);
  CompiledAdd add;
  Compilation unfinished(add.model);
  auto *execution = reinterpret_cast<ANeuralNetworksExecution *>(1);
  EXPECT_EQ(ANeuralNetworksExecution_create(add.compilation->get(), nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksExecution_create(nullptr, &execution),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(execution, nullptr);
  execution = reinterpret_cast<ANeuralNetworksExecution *>(1);
  EXPECT_EQ(ANeuralNetworksExecution_create(unfinished.get(), &execution),
            ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(execution, nullptr);
  Execution never(*add.compilation);
  EXPECT_EQ(never.creation(), Result::NO_ERROR);
}

// J-010, J-069, J-073, J-074, J-092: an execution computes once.
TEST(NeuralNetworksExecution, ComputesOnce) {
  EXPECT_EQ(ANeuralNetworksExecution_compute(nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  CompiledAdd add;
  AddExecution run(add);
  EXPECT_EQ(run.execution.compute(), Result::BAD_DATA);
  EXPECT_EQ(run.execution.setInput(0, run.left, 16), Result::NO_ERROR);
  EXPECT_EQ(run.execution.compute(), Result::BAD_DATA);
  EXPECT_EQ(run.execution.setInput(1, run.right, 16), Result::NO_ERROR);
  EXPECT_EQ(run.execution.compute(), Result::BAD_DATA);
  EXPECT_EQ(run.execution.setOutput(0, run.sum, 16), Result::NO_ERROR);
  ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
  run.expectSum();
  EXPECT_EQ(run.execution.compute(), Result::BAD_STATE);
  Event event;
  EXPECT_EQ(run.execution.startCompute(&event), Result::BAD_STATE);
  EXPECT_EQ(event.get(), nullptr);
  EXPECT_EQ(run.execution.startComputeWithDependencies({}, 0, &event),
            Result::BAD_STATE);
  EXPECT_EQ(run.execution.setInput(0, run.left, 16), Result::BAD_STATE);
  EXPECT_EQ(run.execution.setOutput(0, run.sum, 16), Result::BAD_STATE);
  auto *execution = run.execution.get();
  EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution, true),
            ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(ANeuralNetworksExecution_setTimeout(execution, 1),
            ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(ANeuralNetworksExecution_setLoopTimeout(execution, 1),
            ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(ANeuralNetworksExecution_setReusable(execution, true),
            ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(
      ANeuralNetworksExecution_enableInputAndOutputPadding(execution, true),
      ANEURALNETWORKS_BAD_STATE);
}

// J-067: a reusable execution computes again, with what is at its inputs then.
TEST(NeuralNetworksExecution, IsReusable) {
  EXPECT_EQ(ANeuralNetworksExecution_setReusable(nullptr, true),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  CompiledAdd add;
  AddExecution run(add);
  ASSERT_EQ(ANeuralNetworksExecution_setReusable(run.execution.get(), true),
            ANEURALNETWORKS_NO_ERROR);
  run.setAll();
  for (int i = 0; i < 3; ++i) {
    run.left[0] = float(i);
    ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
    run.expectSum();
  }
  Event event;
  run.left[0] = 99;
  ASSERT_EQ(run.execution.startCompute(&event), Result::NO_ERROR);
  EXPECT_EQ(event.wait(), Result::NO_ERROR);
  run.expectSum();
}

// J-011, J-054, J-077, D-047, D-076: what only one listed device has; the list
// is looked at before the state.
TEST(NeuralNetworksExecution, MeasuresAndTimesOutOnOneListedDevice) {
  EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(nullptr, true),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksExecution_setTimeout(nullptr, 1),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  CompiledAdd all({4}, /*isListed=*/false);
  AddExecution run(all);
  auto refuses = [&] {
    auto *execution = run.execution.get();
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution, true),
              ANEURALNETWORKS_BAD_DATA);
    EXPECT_EQ(ANeuralNetworksExecution_setTimeout(execution, 1),
              ANEURALNETWORKS_BAD_DATA);
  };
  refuses();
  run.setAll();
  ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
  run.expectSum();
  refuses();
  CompiledAdd one;
  AddExecution timed(one);
  timed.setAll();
  auto *execution = timed.execution.get();
  EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution, true),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksExecution_setTimeout(execution, 0),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksExecution_setTimeout(execution, UINT64_MAX),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(timed.execution.compute(), Result::NO_ERROR);
}

// J-095, D-079: an execution whose time is over before it begins.
TEST(NeuralNetworksExecution, MissesItsDeadline) {
  CompiledAdd add;
  AddExecution run(add);
  run.setAll();
  ASSERT_EQ(ANeuralNetworksExecution_setTimeout(run.execution.get(), 1),
            ANEURALNETWORKS_NO_ERROR);
  Result result = run.execution.compute();
  EXPECT_TRUE(result == Result::MISSED_DEADLINE_PERSISTENT ||
              result == Result::MISSED_DEADLINE_TRANSIENT)
      << int(result);
  uint32_t rank = 0;
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(run.execution.get(),
                                                          0, &rank),
            ANEURALNETWORKS_BAD_STATE);
}

// J-012, J-098, J-099: durations, and when there are none.
TEST(NeuralNetworksExecution, TellsDurations) {
  CompiledAdd add;
  AddExecution run(add);
  auto *execution = run.execution.get();
  uint64_t duration = 0;
  EXPECT_EQ(ANeuralNetworksExecution_getDuration(nullptr, 0, &duration),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksExecution_getDuration(execution, 0, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  auto ask = [&](int32_t code) {
    duration = 0;
    int result =
        ANeuralNetworksExecution_getDuration(execution, code, &duration);
    return result;
  };
  EXPECT_EQ(ask(0), ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(duration, noDuration);
  run.setAll();
  ASSERT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution, true),
            ANEURALNETWORKS_NO_ERROR);
  ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
  for (int32_t code : {-1, 4}) {
    EXPECT_EQ(ask(code), ANEURALNETWORKS_BAD_DATA);
    EXPECT_EQ(duration, noDuration);
  }
  // D-071: nnapi-reference measures nothing.
  for (int32_t code : {0, 1, 2, 3}) {
    EXPECT_EQ(ask(code), ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(duration, noDuration);
  }
  AddExecution plain(add);
  plain.setAll();
  ASSERT_EQ(plain.execution.compute(), Result::NO_ERROR);
  EXPECT_EQ(
      ANeuralNetworksExecution_getDuration(plain.execution.get(), 0, &duration),
      ANEURALNETWORKS_BAD_STATE);
}

// J-012, D-045: another device measures in nanoseconds, and the hardware is not
// longer than the driver.
TEST(NeuralNetworksExecution, TellsDurationsOfACompiledModel) {
  Model model;
  buildAdd(model);
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  Compilation compilation(model, {findDevice("nnhal-cpu")});
  if (compilation.finish() == Result::UNAVAILABLE_DEVICE)
    GTEST_SKIP() << "this build has no compiler";
  AddExecution run(compilation);
  run.setAll();
  auto *execution = run.execution.get();
  ASSERT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution, true),
            ANEURALNETWORKS_NO_ERROR);
  ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
  run.expectSum();
  std::array<uint64_t, 4> durations = {};
  for (int32_t code = 0; code < 4; ++code)
    ASSERT_EQ(ANeuralNetworksExecution_getDuration(execution, code,
                                                   &durations[size_t(code)]),
              ANEURALNETWORKS_NO_ERROR);
  EXPECT_LE(durations[0], durations[1]);
  EXPECT_EQ(durations[0], durations[2]);
  EXPECT_EQ(durations[1], durations[3]);
  EXPECT_EQ(durations[1] % 1000, 0u);
}

// J-057, D-082, D-087: the time of a loop, which is bounded.
TEST(NeuralNetworksExecution, TakesLoopTimeouts) {
  EXPECT_EQ(ANeuralNetworksExecution_setLoopTimeout(nullptr, 1),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  CompiledAdd add;
  AddExecution run(add);
  EXPECT_EQ(
      ANeuralNetworksExecution_setLoopTimeout(run.execution.get(), UINT64_MAX),
      ANEURALNETWORKS_NO_ERROR);
}

// J-095, D-084: a loop that does not end misses its deadline.
TEST(NeuralNetworksExecution, EndsLoops) {
  EndlessLoop loop;
  Compilation compilation(loop.model, {reference()});
  ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
  Execution execution(compilation);
  float value = 0, result = 0;
  ASSERT_EQ(execution.setInput(0, &value, 4), Result::NO_ERROR);
  ASSERT_EQ(execution.setOutput(0, &result, 4), Result::NO_ERROR);
  ASSERT_EQ(ANeuralNetworksExecution_setLoopTimeout(execution.get(), 1000000),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(execution.compute(), Result::MISSED_DEADLINE_TRANSIENT);
}

// J-019, J-020, J-097, J-098, D-037: dimensions of outputs, also of those that
// are too small.
TEST(NeuralNetworksExecution, TellsDimensionsOfOutputs) {
  CompiledAdd add({0});
  uint32_t rank = 9;
  uint32_t dimensions[4] = {};
  for (size_t room : {size_t(16), size_t(8)}) {
    AddExecution run(add);
    auto *execution = run.execution.get();
    OperandType four(Type::TENSOR_FLOAT32, {4});
    EXPECT_EQ(run.execution.setInput(0, run.left, 16, &four.operandType),
              Result::NO_ERROR);
    EXPECT_EQ(run.execution.setInput(1, run.right, 16, &four.operandType),
              Result::NO_ERROR);
    EXPECT_EQ(run.execution.setOutput(0, run.sum, room), Result::NO_ERROR);
    EXPECT_EQ(
        ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank),
        ANEURALNETWORKS_BAD_STATE);
    int expected = room == 16 ? ANEURALNETWORKS_NO_ERROR
                              : ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
    EXPECT_EQ(int(run.execution.compute()), expected);
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(nullptr, 0, &rank),
              ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_EQ(
        ANeuralNetworksExecution_getOutputOperandRank(execution, 0, nullptr),
        ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(nullptr, 0,
                                                                  dimensions),
              ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0,
                                                                  nullptr),
              ANEURALNETWORKS_UNEXPECTED_NULL);
    for (int32_t index : {-1, 1}) {
      EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(execution, index,
                                                              &rank),
                ANEURALNETWORKS_BAD_DATA);
      EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(
                    execution, index, dimensions),
                ANEURALNETWORKS_BAD_DATA);
    }
    EXPECT_EQ(
        ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank),
        expected);
    EXPECT_EQ(rank, 1u);
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0,
                                                                  dimensions),
              expected);
    EXPECT_EQ(dimensions[0], 4u);
    uint64_t duration = 0;
    EXPECT_EQ(ANeuralNetworksExecution_getDuration(execution, 0, &duration),
              ANEURALNETWORKS_BAD_STATE);
    EXPECT_EQ(duration, noDuration);
  }
}

// A reusable execution may begin anew as soon as the computation before has
// ended, which is before its event tells so. What is left of the first on its
// thread does not end the second; thread sanitizers see that.
TEST(NeuralNetworksExecution, BeginsAnewBeforeItsEventIsSet) {
  CompiledAdd add;
  AddExecution run(add);
  ANeuralNetworksExecution *execution = run.execution.get();
  ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution, true),
            ANEURALNETWORKS_NO_ERROR);
  run.setAll();
  std::vector<ANeuralNetworksEvent *> events;
  while (events.size() < 200) {
    ANeuralNetworksEvent *event = nullptr;
    int started = ANeuralNetworksExecution_startCompute(execution, &event);
    if (started == ANEURALNETWORKS_BAD_STATE)
      continue;
    ASSERT_EQ(started, ANEURALNETWORKS_NO_ERROR);
    events.push_back(event);
  }
  for (ANeuralNetworksEvent *event : events) {
    EXPECT_EQ(ANeuralNetworksEvent_wait(event), ANEURALNETWORKS_NO_ERROR);
    ANeuralNetworksEvent_free(event);
  }
  run.expectSum();
}

// J-053, J-055, J-056, J-094, J-107: events of asynchronous executions.
TEST(NeuralNetworksExecution, StartsAndTellsItsEnd) {
  CompiledAdd add;
  AddExecution run(add);
  auto *event = reinterpret_cast<ANeuralNetworksEvent *>(1);
  EXPECT_EQ(ANeuralNetworksExecution_startCompute(nullptr, &event),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(event, nullptr);
  EXPECT_EQ(ANeuralNetworksExecution_startCompute(run.execution.get(), nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  event = reinterpret_cast<ANeuralNetworksEvent *>(1);
  EXPECT_EQ(ANeuralNetworksExecution_startCompute(run.execution.get(), &event),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(event, nullptr);
  EXPECT_EQ(ANeuralNetworksEvent_wait(nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  ANeuralNetworksEvent_free(nullptr);
  run.setAll();
  ASSERT_EQ(ANeuralNetworksExecution_startCompute(run.execution.get(), &event),
            ANEURALNETWORKS_NO_ERROR);
  ASSERT_NE(event, nullptr);
  {
    std::jthread other([&] {
      EXPECT_EQ(ANeuralNetworksEvent_wait(event), ANEURALNETWORKS_NO_ERROR);
    });
    EXPECT_EQ(ANeuralNetworksEvent_wait(event), ANEURALNETWORKS_NO_ERROR);
  }
  EXPECT_EQ(ANeuralNetworksEvent_wait(event), ANEURALNETWORKS_NO_ERROR);
  run.expectSum();
  int fd = 7; // M-261
  EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(event, &fd),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(fd, -1);
  ANeuralNetworksEvent_free(event);
}

// J-094, J-095: a failure comes with the event, each time.
TEST(NeuralNetworksExecution, TellsFailuresWithTheEvent) {
  CompiledAdd add({0});
  AddExecution run(add);
  OperandType four(Type::TENSOR_FLOAT32, {4}), three(Type::TENSOR_FLOAT32, {3});
  EXPECT_EQ(run.execution.setInput(0, run.left, 16, &four.operandType),
            Result::NO_ERROR);
  EXPECT_EQ(run.execution.setInput(1, run.right, 12, &three.operandType),
            Result::NO_ERROR);
  EXPECT_EQ(run.execution.setOutput(0, run.sum, 16), Result::NO_ERROR);
  Event event;
  ASSERT_EQ(run.execution.startCompute(&event), Result::NO_ERROR);
  Result result = event.wait();
  EXPECT_EQ(result, Result::OP_FAILED);
  EXPECT_EQ(event.wait(), result);
}

// J-079: what refers to something is freed before it.
TEST(NeuralNetworksExecution, IsFreedInReverseOrder) {
  auto model = std::make_unique<Model>();
  buildAdd(*model);
  ASSERT_EQ(model->finish(), Result::NO_ERROR);
  for (int i = 0; i < 2; ++i) {
    Compilation compilation(*model, {reference()});
    ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
    AddExecution first(compilation), second(compilation), never(compilation);
    first.setAll();
    second.setAll();
    EXPECT_EQ(second.execution.compute(), Result::NO_ERROR);
    EXPECT_EQ(first.execution.compute(), Result::NO_ERROR);
    first.expectSum();
    second.expectSum();
  }
}

// J-105, J-106, J-108: ten threads compute with one compilation.
TEST(NeuralNetworksExecution, ComputesOnManyThreads) {
  CompiledAdd add;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 10; ++t)
    threads.emplace_back([&add, t] {
      for (int i = 0; i < 50; ++i) {
        AddExecution run(add);
        std::ranges::fill(run.left, float(t * 100 + i));
        run.setAll();
        ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
        run.expectSum();
      }
    });
}

} // namespace
