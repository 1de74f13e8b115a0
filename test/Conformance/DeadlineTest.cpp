//===- DeadlineTest.cpp - Deadlines and the time of loops -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include <algorithm>
#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

using DeadlineTest = ModeTest;
NNHAL_ALL_MODES(DeadlineTest);

bool isMissed(StatusCode code) {
  return code == StatusCode::missedDeadlineTransient ||
         code == StatusCode::missedDeadlinePersistent;
}

// C-049, D-017, D-042, D-044, D-073, L-032.
TEST_P(DeadlineTest, aDeadlineIsKeptOrMissed) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  for (int64_t distance : {int64_t(0), 5 * millisecond, 50 * millisecond}) {
    FloatArguments arguments(*prepared);
    arguments.request.deadline = steadyNow() + distance;
    Executed executed = executeIn(GetParam(), *prepared, arguments.request);
    EXPECT_EQ(executed.result.timing, Timing());
    if (executed.status.isOk()) {
      EXPECT_EQ(arguments.outputs[0], flowOfCounts(4));
      continue;
    }
    EXPECT_TRUE(isMissed(executed.status.code())) << executed.status.message();
    EXPECT_TRUE(executed.result.outputShapes.empty());
  }
}

// D-017, D-073: the farthest deadlines are none.
TEST_P(DeadlineTest, aFarDeadlineIsKept) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  for (Deadline deadline : {noDeadline, noDeadline - 1}) {
    FloatArguments arguments(*prepared);
    arguments.request.deadline = deadline;
    Executed executed = executeIn(GetParam(), *prepared, arguments.request);
    EXPECT_EQ(executed.status.message(), "");
    EXPECT_EQ(arguments.outputs[0], flowOfCounts(4));
    EXPECT_EQ(executed.result.timing, Timing());
  }
}

// D-016, D-024, D-079: long ago, and before the clock began.
TEST_P(DeadlineTest, aPassedDeadlineIsMissedForGood) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  for (Deadline deadline : {Deadline(0), Deadline(1), Deadline(INT64_MIN)}) {
    FloatArguments arguments(*prepared);
    arguments.request.deadline = deadline;
    Executed executed = executeIn(GetParam(), *prepared, arguments.request);
    EXPECT_EQ(executed.status.code(), StatusCode::missedDeadlinePersistent);
    EXPECT_NE(arguments.outputs[0], flowOfCounts(4));
  }
}

// D-074: between operations at least. An execution that takes a while ends when
// an eighth of its time has passed; a fast one may be over by then.
TEST_P(DeadlineTest, aLongChainEndsEarly) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addChainModel({256, 256}, 150));
  FloatArguments arguments(*prepared);
  int64_t whole = noDeadline;
  for (int i = 0; i < 2; ++i) {
    int64_t begin = steadyNow();
    Executed executed = executeIn(GetParam(), *prepared, arguments.request);
    EXPECT_EQ(executed.status.message(), "");
    whole = std::min(whole, steadyNow() - begin);
  }
  arguments.request.deadline = steadyNow() + whole / 8;
  Executed executed = executeIn(GetParam(), *prepared, arguments.request);
  if (whole < 20 * millisecond && executed.status.isOk()) {
    EXPECT_EQ(arguments.outputs[0][0], flowOfCounts(1, 150)[0]);
    return;
  }
  EXPECT_TRUE(isMissed(executed.status.code())) << executed.status.message();
  EXPECT_TRUE(executed.result.outputShapes.empty());
}

// D-074, D-075: a deadline ends even a loop without end, and for good.
TEST_P(DeadlineTest, aDeadlineEndsAnEndlessLoop) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, endlessLoopModel());
  LoopArguments arguments;
  arguments.request.measureTiming = true;
  arguments.request.loopTimeout = UINT64_MAX;
  int64_t begin = steadyNow();
  arguments.request.deadline = begin + 30 * millisecond;
  Executed executed = executeIn(GetParam(), *prepared, arguments.request);
  EXPECT_EQ(executed.status.code(), StatusCode::missedDeadlineTransient)
      << executed.status.message();
  EXPECT_GE(steadyNow() - begin, 30 * millisecond);
  EXPECT_EQ(executed.result.timing, Timing());
  EXPECT_TRUE(executed.result.outputShapes.empty());
  arguments.output = -9;
  arguments.input = 5;
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(arguments.output, -9);
  EXPECT_EQ(arguments.input, 5);
}

// D-081, D-083, D-084, D-085.
TEST_P(DeadlineTest, aLoopTimeoutEndsAnEndlessLoop) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, endlessLoopModel());
  for (uint64_t timeout : {uint64_t(0), uint64_t(1), uint64_t(10'000'000)}) {
    LoopArguments arguments;
    arguments.request.loopTimeout = timeout;
    int64_t begin = steadyNow();
    Executed executed = executeIn(GetParam(), *prepared, arguments.request);
    EXPECT_EQ(executed.status.code(), StatusCode::missedDeadlineTransient)
        << executed.status.message();
    EXPECT_GE(steadyNow() - begin, int64_t(timeout));
    EXPECT_TRUE(executed.result.outputShapes.empty());
  }
}

// D-081: two seconds unless the request says more.
TEST_F(ConformanceTest, loopsHaveADefaultTimeout) {
  EXPECT_EQ(Request().loopTimeout, 2'000'000'000u);
  EXPECT_EQ(defaultLoopTimeout, 2'000'000'000u);
}

// M-242: and they end a loop that does not end.
TEST_F(ConformanceTest, theDefaultTimeoutEndsAnEndlessLoop) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, endlessLoopModel());
  LoopArguments arguments;
  int64_t begin = steadyNow();
  Executed executed = executeIn(Mode::sync, *prepared, arguments.request);
  EXPECT_EQ(executed.status.code(), StatusCode::missedDeadlineTransient)
      << executed.status.message();
  EXPECT_GE(steadyNow() - begin, 2000 * millisecond);
}

// D-084: after a loop that ended by its time the model is as before.
TEST_P(DeadlineTest, theNextExecutionIsNotConcerned) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, countingLoopModel(1000));
  for (int i = 0; i < 3; ++i) {
    LoopArguments endless;
    endless.request.deadline = steadyNow() + millisecond / 10;
    Executed executed = executeIn(GetParam(), *prepared, endless.request);
    EXPECT_TRUE(executed.status.isOk() || isMissed(executed.status.code()))
        << executed.status.message();
    LoopArguments arguments(3);
    executed = executeIn(GetParam(), *prepared, arguments.request);
    EXPECT_EQ(executed.status.message(), "");
    EXPECT_EQ(arguments.output, 1000);
  }
}

/// Two loops one after the other, each counting to \p limit.
AnnotatedModel twoLoopsModel(int32_t limit) {
  AnnotatedModel annotated = countingLoopModel(limit);
  Model &model = annotated.model;
  SubgraphBuilder main(model);
  uint32_t first = main.input(OperandType::TENSOR_INT32, {1});
  uint32_t second = main.input(OperandType::TENSOR_INT32, {1});
  uint32_t condition = main.subgraphReference(0);
  uint32_t body = main.subgraphReference(1);
  for (uint32_t value : {first, second}) {
    uint32_t result = main.output(OperandType::TENSOR_INT32, {1});
    main.operation(OperationType::WHILE, {condition, body, value}, {result});
  }
  model.main = main.finish();
  return annotated;
}

// D-083: each loop has the whole time.
TEST_F(ConformanceTest, loopTimesAreNotAdded) {
  constexpr int32_t limit = 2000;
  NNHAL_PREPARE_OR_SKIP(prepared, *device, twoLoopsModel(limit));
  LoopArguments first;
  LoopArguments second;
  Request request = first.request;
  request.inputs.push_back(second.request.inputs[0]);
  request.outputs.push_back(second.request.outputs[0]);
  request.loopTimeout = UINT64_MAX;
  bool hasExceeded = false;
  // On a busy machine one loop may take longer than both did before.
  for (int i = 0; i < 500 && !hasExceeded; ++i) {
    int64_t begin = steadyNow();
    Executed executed = executeIn(Mode::sync, *prepared, request);
    auto taken = uint64_t(steadyNow() - begin);
    if (!executed.status.isOk()) {
      EXPECT_EQ(executed.status.code(), StatusCode::missedDeadlineTransient);
      request.loopTimeout += request.loopTimeout / 8 + 1;
      continue;
    }
    EXPECT_EQ(first.output, limit);
    EXPECT_EQ(second.output, limit);
    hasExceeded = taken > request.loopTimeout;
    request.loopTimeout = taken / 4 * 3;
  }
  EXPECT_TRUE(hasExceeded);
}

} // namespace
