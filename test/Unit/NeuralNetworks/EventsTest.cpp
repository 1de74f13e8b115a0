//===- EventsTest.cpp - Fences and dependencies of C clients --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

using namespace client;

namespace {

/// A pipe whose read end signals like a fence of the library: a byte is
/// success, the end of the stream a failure.
struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    readEnd = ends[0];
    writeEnd = ends[1];
  }
  ~Pipe() {
    ::close(readEnd);
    fail();
  }
  void signal() { EXPECT_EQ(::write(writeEnd, "", 1), 1); }
  void fail() {
    if (writeEnd >= 0)
      ::close(writeEnd);
    writeEnd = -1;
  }
  Event event() const {
    ANeuralNetworksEvent *made = nullptr;
    EXPECT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(readEnd, &made),
              ANEURALNETWORKS_NO_ERROR);
    Event event;
    event.set(made);
    return event;
  }

  int readEnd = -1, writeEnd = -1;
};

// J-064: an event of a descriptor, which is duplicated.
TEST(NeuralNetworksEvents, AreMadeOfDescriptors) {
  Pipe pipe;
  EXPECT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(pipe.readEnd, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  for (int fd : {0, -1, 99999}) {
    auto *event = reinterpret_cast<ANeuralNetworksEvent *>(1);
    EXPECT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &event),
              ANEURALNETWORKS_BAD_DATA);
    EXPECT_EQ(event, nullptr);
  }
  Event event = pipe.event();
  // J-065: the caller gets a duplicate.
  int fd = 7;
  EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(nullptr, &fd),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(fd, -1);
  EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(event.get(), nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  ASSERT_EQ(ANeuralNetworksEvent_getSyncFenceFd(event.get(), &fd),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_GT(fd, 2);
  EXPECT_NE(fd, pipe.readEnd);
  pollfd waits = {fd, POLLIN, 0};
  EXPECT_EQ(::poll(&waits, 1, 0), 0);
  pipe.signal();
  EXPECT_EQ(::poll(&waits, 1, -1), 1);
  ::close(fd);
  EXPECT_EQ(event.wait(), Result::NO_ERROR);
}

// J-102: a fence that fails is a failure of its event.
TEST(NeuralNetworksEvents, FailWithTheirFence) {
  Pipe pipe;
  Event event = pipe.event();
  pipe.fail();
  EXPECT_EQ(event.wait(), Result::OP_FAILED);
  EXPECT_EQ(event.wait(), Result::OP_FAILED);
}

// J-066, J-076: arguments of a start with dependencies.
TEST(NeuralNetworksEvents, AreCheckedAsDependencies) {
  CompiledAdd add({4}, /*isListed=*/false);
  AddExecution run(add);
  auto *execution = run.execution.get();
  const ANeuralNetworksEvent *nobody[] = {nullptr};
  auto *event = reinterpret_cast<ANeuralNetworksEvent *>(1);
  auto start = [&](ANeuralNetworksExecution *which,
                   const ANeuralNetworksEvent *const *events, uint32_t count,
                   uint64_t duration) {
    event = reinterpret_cast<ANeuralNetworksEvent *>(1);
    int code = ANeuralNetworksExecution_startComputeWithDependencies(
        which, events, count, duration, &event);
    EXPECT_EQ(event == nullptr, code != ANEURALNETWORKS_NO_ERROR);
    return code;
  };
  EXPECT_EQ(start(nullptr, nullptr, 0, 0), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(start(execution, nullptr, 1, 0), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(start(execution, nobody, 1, 0), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(
                execution, nullptr, 0, 0, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(start(execution, nullptr, 0, 0), ANEURALNETWORKS_BAD_DATA);
  run.setAll();
  EXPECT_EQ(start(execution, nullptr, 0, 1), ANEURALNETWORKS_BAD_DATA);
  // J-100, J-101: no dependencies and no duration.
  ASSERT_EQ(start(execution, nullptr, 0, 0), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksEvent_wait(event), ANEURALNETWORKS_NO_ERROR);
  ANeuralNetworksEvent_free(event);
  run.expectSum();
  EXPECT_EQ(start(execution, nullptr, 0, 0), ANEURALNETWORKS_BAD_STATE);
}

// J-066: the model knows the dimensions of outputs.
TEST(NeuralNetworksEvents, NeedKnownOutputs) {
  CompiledAdd add({0});
  AddExecution run(add);
  OperandType four(Type::TENSOR_FLOAT32, {4});
  auto *type = &four.operandType;
  EXPECT_EQ(run.execution.setInput(0, run.left, 16, type), Result::NO_ERROR);
  EXPECT_EQ(run.execution.setInput(1, run.right, 16, type), Result::NO_ERROR);
  EXPECT_EQ(run.execution.setOutput(0, run.sum, 16, type), Result::NO_ERROR);
  Event event;
  EXPECT_EQ(run.execution.startComputeWithDependencies({}, 0, &event),
            Result::BAD_DATA);
  EXPECT_EQ(event.get(), nullptr);
}

// D-069: outputs behind pointers are written when the start returns.
TEST(NeuralNetworksEvents, EndWithThePointersWritten) {
  CompiledAdd add;
  AddExecution run(add);
  run.setAll();
  Event event;
  ASSERT_EQ(run.execution.startComputeWithDependencies({}, 0, &event),
            Result::NO_ERROR);
  run.expectSum();
  EXPECT_EQ(event.wait(), Result::NO_ERROR);
}

// J-066, J-097, J-104, D-066: the execution waits for its dependencies, and
// cannot be freed meanwhile.
TEST(NeuralNetworksEvents, HoldExecutionsBack) {
  CompiledAdd add;
  auto run = std::make_unique<AddExecution>(add);
  run->setAll();
  Pipe first, second;
  Event one = first.event(), two = second.event(), end;
  ASSERT_EQ(run->execution.startComputeWithDependencies({&one, &two},
                                                        UINT64_MAX, &end),
            Result::NO_ERROR);
  EXPECT_EQ(run->sum[0], 0);
  uint32_t rank = 0;
  auto *execution = run->execution.get();
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank),
            ANEURALNETWORKS_BAD_STATE);
  // It is left alone, which the log says.
  testing::internal::CaptureStderr();
  ANeuralNetworksExecution_free(execution);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "nnhal: error: an execution is freed that has not ended\n");
  int fd = -1;
  ASSERT_EQ(ANeuralNetworksEvent_getSyncFenceFd(end.get(), &fd),
            ANEURALNETWORKS_NO_ERROR);
  first.signal();
  second.signal();
  pollfd waits = {fd, POLLIN, 0};
  EXPECT_EQ(::poll(&waits, 1, -1), 1);
  ::close(fd);
  // An end with the fence is told without a wait for the event.
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(rank, 1u);
  EXPECT_EQ(end.wait(), Result::NO_ERROR);
  run->expectSum();
}

// J-103, D-052, D-067: the failure of a dependency is that of the execution.
TEST(NeuralNetworksEvents, PassFailuresOn) {
  CompiledAdd add;
  {
    AddExecution run(add);
    run.setAll();
    Pipe pipe;
    Event dependency = pipe.event(), end;
    ASSERT_EQ(
        run.execution.startComputeWithDependencies({&dependency}, 0, &end),
        Result::NO_ERROR);
    pipe.fail();
    EXPECT_EQ(end.wait(), Result::OP_FAILED);
    uint32_t rank = 0;
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(run.execution.get(),
                                                            0, &rank),
              ANEURALNETWORKS_BAD_STATE);
  }
  CompiledAdd open({0});
  AddExecution failing(open);
  OperandType four(Type::TENSOR_FLOAT32, {4}), three(Type::TENSOR_FLOAT32, {3});
  EXPECT_EQ(failing.execution.setInput(0, failing.left, 16, &four.operandType),
            Result::NO_ERROR);
  EXPECT_EQ(
      failing.execution.setInput(1, failing.right, 12, &three.operandType),
      Result::NO_ERROR);
  EXPECT_EQ(failing.execution.setOutput(0, failing.sum, 16), Result::NO_ERROR);
  Event failed, end;
  ASSERT_EQ(failing.execution.startCompute(&failed), Result::NO_ERROR);
  AddExecution run(add);
  run.setAll();
  EXPECT_EQ(run.execution.startComputeWithDependencies({&failed}, 0, &end),
            Result::OP_FAILED);
  EXPECT_EQ(end.get(), nullptr);
}

// J-100, J-103: executions depend on each other, with and without fences.
TEST(NeuralNetworksEvents, ChainExecutions) {
  CompiledAdd add;
  AddExecution first(add), second(add), third(add);
  first.setAll();
  Event one, two, three;
  ASSERT_EQ(first.execution.startCompute(&one), Result::NO_ERROR);
  ASSERT_EQ(second.execution.setInput(0, first.sum, 16), Result::NO_ERROR);
  ASSERT_EQ(second.execution.setInput(1, second.right, 16), Result::NO_ERROR);
  ASSERT_EQ(second.execution.setOutput(0, second.sum, 16), Result::NO_ERROR);
  ASSERT_EQ(second.execution.startComputeWithDependencies({&one}, 0, &two),
            Result::NO_ERROR);
  ASSERT_EQ(third.execution.setInput(0, second.sum, 16), Result::NO_ERROR);
  ASSERT_EQ(third.execution.setInput(1, third.right, 16), Result::NO_ERROR);
  ASSERT_EQ(third.execution.setOutput(0, third.sum, 16), Result::NO_ERROR);
  ASSERT_EQ(
      third.execution.startComputeWithDependencies({&one, &two}, 0, &three),
      Result::NO_ERROR);
  EXPECT_EQ(three.wait(), Result::NO_ERROR);
  EXPECT_EQ(third.sum[0], 31);
}

} // namespace
