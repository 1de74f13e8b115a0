//===- OlderExecutionTest.cpp - Executions of older devices ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpyDevice.h"

#include "nnhal/Runtime/SharedMemory.h"

#include <array>
#include <future>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

constexpr HalVersion olderVersions[] = {HalVersion::V1_0, HalVersion::V1_1,
                                        HalVersion::V1_2};

/// A model of addTwice(), whose constants are 0, on a spy of one version.
struct Prepared {
  explicit Prepared(HalVersion version, AnnotatedModel source = {}) {
    if (source.model.main.operands.empty())
      source.model = addTwice();
    auto prepared = older(seen, version)->prepareModel(source);
    EXPECT_EQ(prepared.status().message(), "");
    if (prepared.isOk())
      model = *prepared;
    seen->calls.clear();
  }
  Request request() {
    Request result;
    result.inputs.push_back({Memory::borrow(std::as_bytes(std::span(in))), {}});
    result.outputs.push_back(
        {OutputMemory::borrow(std::as_writable_bytes(std::span(out))), {}});
    return result;
  }
  std::shared_ptr<Seen> seen = std::make_shared<Seen>();
  PreparedModelRef model;
  std::array<float, 2> in = {3, 4};
  std::array<float, 2> out = {};
};

// D-001, D-002, D-011, D-025: below 1.2 the device is called asynchronously and
// reports a status alone.
TEST(OlderExecutionTest, executes) {
  for (HalVersion version : olderVersions) {
    Prepared prepared(version);
    Request request = prepared.request();
    request.measureTiming = true;
    request.deadline = 1; // It has passed, and nobody looks at it.
    request.loopTimeout = 1;
    ExecutionResult result;
    Status status = prepared.model->execute(request, result);
    ASSERT_EQ(status.message(), "");
    EXPECT_EQ(prepared.out, prepared.in);
    ASSERT_EQ(result.outputShapes.size(), 1u);
    EXPECT_EQ(result.outputShapes[0], (OutputShape{{2}, true}));
    bool is12 = version == HalVersion::V1_2;
    EXPECT_EQ(prepared.seen->calls,
              (std::vector<std::string>{is12 ? "execute" : "executeAsync"}));
    EXPECT_EQ(result.timing.timeInDriver != noTiming, is12);
    EXPECT_EQ(prepared.seen->request->measureTiming, is12);
    EXPECT_EQ(prepared.seen->request->deadline, noDeadline);
    EXPECT_EQ(prepared.seen->request->loopTimeout, defaultLoopTimeout);
  }
}

TEST(OlderExecutionTest, executesAsynchronously) {
  for (HalVersion version : olderVersions) {
    Prepared prepared(version);
    std::promise<ExecutionResult> promise;
    Status launched = prepared.model->executeAsync(
        prepared.request(), [&](Status status, const ExecutionResult &result) {
          EXPECT_EQ(status.message(), "");
          promise.set_value(result);
        });
    EXPECT_EQ(launched.message(), "");
    ExecutionResult result = promise.get_future().get();
    EXPECT_EQ(prepared.out, prepared.in);
    ASSERT_EQ(result.outputShapes.size(), 1u);
    EXPECT_EQ(result.outputShapes[0], (OutputShape{{2}, true}));
    EXPECT_EQ(prepared.model->executeAsync(prepared.request(), nullptr).code(),
              StatusCode::invalidArgument);
  }
}

// B-086, D-011, D-027: before 1.2 the shape of an output is known beforehand.
TEST(OlderExecutionTest, outputsOfUnknownShape) {
  for (HalVersion version : olderVersions) {
    Prepared prepared(version, openOutput());
    ExecutionResult result;
    Status status = prepared.model->execute(prepared.request(), result);
    if (version == HalVersion::V1_2) {
      EXPECT_EQ(status.message(), "");
      EXPECT_EQ(result.outputShapes[0], (OutputShape{{2}, true}));
      continue;
    }
    EXPECT_EQ(status.code(), StatusCode::invalidArgument);
    EXPECT_EQ(status.message(),
              std::string("output 0: the shape is not known, which HAL ") +
                  std::string(toString(version)) + " needs");
    EXPECT_TRUE(prepared.seen->calls.empty());
    Status heard;
    EXPECT_EQ(prepared.model
                  ->executeAsync(prepared.request(),
                                 [&](Status told, const ExecutionResult &) {
                                   heard = told;
                                 })
                  .message(),
              status.message());
    EXPECT_EQ(heard.message(), status.message());
    // The request may state it.
    Request request = prepared.request();
    request.outputs[0].dimensions = {2};
    EXPECT_EQ(prepared.model->execute(request, result).message(), "");
    EXPECT_EQ(result.outputShapes[0], (OutputShape{{2}, true}));
  }
}

TEST(OlderExecutionTest, statesFailuresOfTheVersion) { // C-101, L-040
  for (HalVersion version : olderVersions) {
    Prepared prepared(version);
    ExecutionResult result;
    for (auto [code, stated] :
         {std::pair(StatusCode::generalFailure, StatusCode::generalFailure),
          std::pair(StatusCode::missedDeadlinePersistent,
                    StatusCode::generalFailure),
          std::pair(StatusCode::outputInsufficientSize,
                    version == HalVersion::V1_2
                        ? StatusCode::outputInsufficientSize
                        : StatusCode::generalFailure),
          std::pair(StatusCode::deadObject, StatusCode::deadObject)}) {
      prepared.seen->failure = {code, "the spy fails"};
      Status status = prepared.model->execute(prepared.request(), result);
      EXPECT_EQ(status.code(), stated);
      EXPECT_EQ(status.message(), "the spy fails");
      EXPECT_TRUE(result.outputShapes.empty());
    }
    // A wrong number of arguments is said by the device.
    prepared.seen->failure = Status::ok();
    Request request = prepared.request();
    request.outputs.clear();
    EXPECT_EQ(prepared.model->execute(request, result).code(),
              StatusCode::invalidArgument);
  }
}

TEST(OlderExecutionTest, poolsOfTheVersion) { // B-092, K-035, K-039
  auto blob = SharedMemory::createBlob(8);
  ASSERT_TRUE(blob.isOk());
  for (HalVersion version : olderVersions) {
    Prepared prepared(version);
    Request request = prepared.request();
    request.outputs[0].memory = OutputMemory::region(*blob, 0, 8);
    ExecutionResult result;
    EXPECT_EQ(prepared.model->execute(request, result).isOk(),
              version == HalVersion::V1_2);
    request.outputs[0].memory = OutputMemory::device(1);
    Status status = prepared.model->execute(request, result);
    EXPECT_EQ(status.code(), StatusCode::generalFailure);
    EXPECT_EQ(status.message(),
              std::string("output 0: device memory needs HAL 1.3, the request "
                          "is for ") +
                  std::string(toString(version)));
  }
}

// G-003: bursts are of 1.2.
TEST(OlderExecutionTest, bursts) {
  for (HalVersion version : olderVersions) {
    Prepared prepared(version);
    auto context = prepared.model->configureBurst(nullptr, {});
    bool is12 = version == HalVersion::V1_2;
    EXPECT_EQ(context.isOk(), !is12);
    EXPECT_EQ(prepared.seen->calls.empty(), !is12);
    if (!is12)
      EXPECT_FALSE(*context);
  }
}

// D-050, D-053, D-064: the runtime waits for the fences, on a thread that is
// not the caller's, and makes a fence, so that every device has one.
TEST(OlderExecutionTest, waitsForFences) {
  for (HalVersion version : olderVersions) {
    Prepared prepared(version);
    auto first = Fence::create();
    ASSERT_TRUE(first.isOk());
    Request request = prepared.request();
    request.measureTiming = true;
    auto execution =
        prepared.model->executeFenced(request, {*first, nullptr}, 1);
    ASSERT_EQ(execution.status().message(), "");
    EXPECT_TRUE(prepared.seen->calls.empty());
    EXPECT_EQ((*execution)->executionInfo().status.message(),
              "the execution has not ended");
    EXPECT_EQ((*execution)->fence()->poll(), FenceState::active);
    (*first)->complete(Status::ok());
    EXPECT_EQ((*execution)->fence()->wait(noDeadline).message(), "");
    ExecutionInfo info = (*execution)->executionInfo();
    EXPECT_EQ(info.status.message(), "");
    EXPECT_EQ(prepared.out, prepared.in);
    EXPECT_EQ(info.timingFenced.timeInDriver != noTiming,
              version == HalVersion::V1_2);
    if (version == HalVersion::V1_2)
      EXPECT_GE(info.timingLaunched.timeInDriver,
                info.timingFenced.timeInDriver);
  }
}

TEST(OlderExecutionTest, fencesThatFail) {
  Prepared prepared(HalVersion::V1_1);
  auto first = Fence::create(), second = Fence::create();
  ASSERT_TRUE(first.isOk() && second.isOk());
  auto execution =
      prepared.model->executeFenced(prepared.request(), {*first, *second});
  ASSERT_TRUE(execution.isOk());
  (*second)->complete({StatusCode::generalFailure, "the camera is gone"});
  EXPECT_EQ((*execution)->fence()->wait(noDeadline).message(),
            "the camera is gone");
  EXPECT_EQ((*execution)->executionInfo().status.message(),
            "the camera is gone");
  EXPECT_TRUE(prepared.seen->calls.empty());
  // One that has failed already launches nothing.
  auto refused = prepared.model->executeFenced(prepared.request(), {*second});
  EXPECT_EQ(refused.status().code(), StatusCode::generalFailure);
  EXPECT_EQ(refused.status().message(),
            "a fence that the execution waits for has failed: the camera is "
            "gone");
}

TEST(OlderExecutionTest, fencedWithoutFences) {
  Prepared prepared(HalVersion::V1_0);
  auto execution = prepared.model->executeFenced(prepared.request());
  ASSERT_TRUE(execution.isOk());
  prepared.model.reset();
  EXPECT_EQ((*execution)->fence()->wait(noDeadline).message(), "");
  EXPECT_EQ(prepared.out, prepared.in);
  // A fence cannot tell a shape (D-035).
  Prepared open(HalVersion::V1_2, openOutput());
  EXPECT_EQ(open.model->executeFenced(open.request()).status().code(),
            StatusCode::invalidArgument);
  // A failure is told by the fence.
  Prepared fails(HalVersion::V1_0);
  fails.seen->failure = {StatusCode::resourceExhaustedTransient, "no memory"};
  execution = fails.model->executeFenced(fails.request());
  ASSERT_TRUE(execution.isOk());
  EXPECT_EQ((*execution)->fence()->wait(noDeadline).message(), "no memory");
  EXPECT_EQ((*execution)->executionInfo().status.code(),
            StatusCode::generalFailure);
}

} // namespace
