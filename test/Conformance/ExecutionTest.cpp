//===- ExecutionTest.cpp - Every way to execute ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

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
  EXPECT_EQ(arguments.outputs[0], (std::vector<float>{2, 4, 6, 8}));
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

// B-089, D-013, D-023.
TEST_P(ExecutionTest, rejectsMissingArguments) {
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

} // namespace
