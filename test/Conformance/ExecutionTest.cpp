//===- ExecutionTest.cpp - Every way to execute ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include <algorithm>
#include <thread>
#include <utility>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

using ExecutionTest = ModeTest;
NNHAL_ALL_MODES(ExecutionTest);

// D-002, D-003, D-007, D-042.
TEST_P(ExecutionTest, writesOutputs) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  Executed executed = executeIn(GetParam(), *prepared, arguments.request);
  EXPECT_EQ(executed.status.message(), "");
  EXPECT_EQ(arguments.outputs[0], flowOfCounts(4));
  EXPECT_EQ(executed.result.timing, Timing());
}

// D-043, D-046, D-058, D-063.
TEST_P(ExecutionTest, measuresOnRequest) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  arguments.request.measureTiming = true;
  Executed executed = executeIn(GetParam(), *prepared, arguments.request);
  EXPECT_EQ(executed.status.message(), "");
  const Timing &timing = executed.result.timing;
  ASSERT_NE(timing.timeOnDevice, noTiming);
  ASSERT_NE(timing.timeInDriver, noTiming);
  EXPECT_LE(timing.timeOnDevice, timing.timeInDriver);
}

// B-079, B-089, D-013, D-023.
TEST_P(ExecutionTest, rejectsOtherNumbersOfArguments) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  arguments.request.measureTiming = true;
  Request request = arguments.request;
  request.inputs.pop_back();
  Executed executed = executeIn(GetParam(), *prepared, request);
  EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(executed.status.message(), "request has 1 inputs, the model 2");
  EXPECT_TRUE(executed.result.outputShapes.empty());
  EXPECT_EQ(executed.result.timing, Timing());
  request = arguments.request;
  request.outputs.clear();
  executed = executeIn(GetParam(), *prepared, request);
  EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(executed.status.message(), "request has 0 outputs, the model 1");
  request = arguments.request;
  request.inputs.push_back(request.inputs[0]);
  executed = executeIn(GetParam(), *prepared, request);
  EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(executed.status.message(), "request has 3 inputs, the model 2");
  request = arguments.request;
  request.outputs.push_back(request.outputs[0]);
  executed = executeIn(GetParam(), *prepared, request);
  EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(executed.status.message(), "request has 2 outputs, the model 1");
}

// D-016, D-024, D-044.
TEST_P(ExecutionTest, missesPassedDeadlines) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  arguments.request.measureTiming = true;
  arguments.request.deadline = steadyNow();
  Executed executed = executeIn(GetParam(), *prepared, arguments.request);
  EXPECT_EQ(executed.status.code(), StatusCode::missedDeadlinePersistent);
  EXPECT_EQ(executed.status.message(),
            "the deadline had passed before the execution began");
  EXPECT_TRUE(executed.result.outputShapes.empty());
  EXPECT_EQ(executed.result.timing, Timing());
}

// D-006, D-018: the request is the client's, and inputs stay as they were.
TEST_P(ExecutionTest, readsInputsOnly) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  std::vector<std::vector<float>> before = arguments.inputs;
  for (int i = 0; i < 3; ++i) {
    Request request = arguments.request;
    Executed executed = executeIn(GetParam(), *prepared, request);
    EXPECT_EQ(executed.status.message(), "");
    EXPECT_EQ(arguments.inputs, before);
    EXPECT_EQ(arguments.outputs[0], flowOfCounts(4));
  }
}

// D-006, D-075: nothing is written once the end was reported.
TEST_P(ExecutionTest, writesNothingAfterTheEnd) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addChainModel({64}, 4));
  FloatArguments arguments(*prepared);
  for (int i = 0; i < 20; ++i) {
    Executed executed = executeIn(GetParam(), *prepared, arguments.request);
    EXPECT_EQ(executed.status.message(), "");
    EXPECT_EQ(arguments.outputs[0], flowOfCounts(64, 4));
    std::vector<float> marks(64, -1.0f);
    std::ranges::copy(marks, arguments.outputs[0].begin());
    std::this_thread::yield();
    EXPECT_EQ(arguments.outputs[0], marks);
  }
}

// D-012.
TEST_F(ConformanceTest, anAsynchronousExecutionNeedsACallback) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  Status launched = prepared->executeAsync(arguments.request, nullptr);
  EXPECT_EQ(launched.code(), StatusCode::invalidArgument);
  EXPECT_EQ(launched.message(), "an asynchronous execution needs a callback");
}

// D-013, D-014, D-015: one call each, whatever happens.
TEST_F(ConformanceTest, callbacksAreCalledOnce) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  Request incomplete = arguments.request;
  incomplete.outputs.clear();
  Request late = arguments.request;
  late.deadline = steadyNow();
  std::vector<std::pair<Request, StatusCode>> cases = {
      {arguments.request, StatusCode::none},
      {incomplete, StatusCode::invalidArgument},
      {late, StatusCode::missedDeadlinePersistent}};
  for (const auto &[request, code] : cases) {
    auto notified = std::make_shared<Notified<Executed>>();
    Status launched = prepared->executeAsync(request, notifying(notified));
    // A deadline that has passed is no failure of the launch (D-016).
    EXPECT_EQ(launched.isOk(), code != StatusCode::invalidArgument);
    EXPECT_EQ(notified->wait().status.code(), code);
    // The callback is destroyed with the execution.
    EXPECT_TRUE(eventually([&] { return notified.use_count() == 1; }));
    EXPECT_EQ(notified->count(), 1);
  }
}

// D-043, D-048: the time in the driver contains that on the device.
TEST_F(ConformanceTest, timingSpansContainEachOther) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addChainModel({128, 128}, 8));
  FloatArguments arguments(*prepared);
  arguments.request.measureTiming = true;
  for (Mode mode : {Mode::sync, Mode::async}) {
    int64_t begin = steadyNow();
    Executed executed = executeIn(mode, *prepared, arguments.request);
    uint64_t whole = uint64_t(steadyNow() - begin) / 1000 + 1;
    EXPECT_EQ(executed.status.message(), "");
    EXPECT_LE(executed.result.timing.timeOnDevice,
              executed.result.timing.timeInDriver);
    EXPECT_LE(executed.result.timing.timeInDriver, whole);
  }
}

} // namespace
