//===- BufferOrderTest.cpp - Buffers of several executions at once --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memories.h"

#include "Runtime/Support/Errors.h"

#include <atomic>
#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

using BufferOrderTest = ConformanceTest;

Result<std::shared_ptr<FencedExecution>>
launchAfter(const FenceRef &fence, const PreparedModelRef &model,
            const Request &request) {
  return model->executeFenced(request, {fence});
}

// F-033, F-048: three executions in flight, each reading what the one before
// writes, in buffers that the client has let go of.
TEST_F(BufferOrderTest, followsFences) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  auto gate = Fence::create();
  ASSERT_TRUE(gate.isOk()) << gate.status().message();
  std::shared_ptr<FencedExecution> last;
  {
    NNHAL_ALLOCATE(first, *device, prepared, {0}, {0});
    NNHAL_ALLOCATE(second, *device, prepared, {0, 1}, {0});
    Request request = arguments.request;
    request.outputs[0] = outputTo(*first, {2, 2});
    auto writing = launchAfter(*gate, prepared, request);
    ASSERT_TRUE(writing.isOk()) << writing.status().message();
    request.inputs[0] = inputFrom(*first);
    request.outputs[0] = outputTo(*second, {2, 2});
    auto passing = launchAfter((*writing)->fence(), prepared, request);
    ASSERT_TRUE(passing.isOk()) << passing.status().message();
    request = arguments.request;
    request.inputs[0] = request.inputs[1] = inputFrom(*second);
    auto reading = launchAfter((*passing)->fence(), prepared, request);
    ASSERT_TRUE(reading.isOk()) << reading.status().message();
    last = *reading;
    EXPECT_EQ(readabilityOf(*second, 4).message(),
              "the buffer is uninitialized");
  }
  EXPECT_EQ(last->executionInfo().status.code(), StatusCode::generalFailure);
  (*gate)->complete(Status::ok());
  ASSERT_NE(last->fence(), nullptr);
  EXPECT_EQ(last->fence()->wait(noDeadline).message(), "");
  EXPECT_EQ(last->executionInfo().status.message(), "");
  EXPECT_EQ(arguments.outputs[0], flow(flowOfCounts(4, 2), flowOfCounts(4, 2)));
}

// F-034, D-052: what was to be written after a fence that fails.
TEST_F(BufferOrderTest, staysUninitializedWhenAFenceFails) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  NNHAL_ALLOCATE(buffer, *device, prepared, {0}, {0});
  FloatArguments arguments(*prepared);
  auto gate = Fence::create();
  ASSERT_TRUE(gate.isOk()) << gate.status().message();
  Request request = arguments.request;
  request.outputs[0] = outputTo(*buffer, {2, 2});
  auto writing = launchAfter(*gate, prepared, request);
  ASSERT_TRUE(writing.isOk()) << writing.status().message();
  (*gate)->complete(failure("no power"));
  EXPECT_FALSE((*writing)->fence()->wait(noDeadline).isOk());
  EXPECT_EQ(readabilityOf(*buffer, 4).message(), "the buffer is uninitialized");
}

// F-048: an asynchronous execution keeps its buffers from the launch on.
TEST_F(BufferOrderTest, keepsBuffersOfQueuedExecutions) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  constexpr int count = 50;
  std::vector<std::unique_ptr<FloatArguments>> arguments;
  std::vector<std::shared_ptr<Notified<Executed>>> ends;
  for (int i = 0; i < count; ++i) {
    NNHAL_ALLOCATE(buffer, *device, prepared, {0}, {});
    ASSERT_EQ(copyFloatsTo(*buffer, std::vector<float>(4, float(i))).message(),
              "");
    arguments.push_back(std::make_unique<FloatArguments>(*prepared));
    ends.push_back(std::make_shared<Notified<Executed>>());
    Request request = arguments.back()->request;
    request.inputs[0] = inputFrom(*buffer);
    EXPECT_EQ(prepared->executeAsync(std::move(request), notifying(ends.back()))
                  .message(),
              "");
  }
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(ends[i]->wait().status.message(), "");
    EXPECT_EQ(arguments[i]->outputs[0][0], flow(float(i), 1));
  }
}

/// Executions with both inputs from \p buffer with one float repeated.
void readRepeatedly(const PreparedModel &model, const Buffer &buffer,
                    size_t count, int rounds) {
  FloatArguments arguments(model);
  arguments.request.inputs[0] = arguments.request.inputs[1] = inputFrom(buffer);
  for (int i = 0; i < rounds; ++i) {
    ExecutionResult result;
    Status status = model.execute(arguments.request, result);
    EXPECT_EQ(status.message(), "");
    const std::vector<float> &results = arguments.outputs[0];
    EXPECT_EQ(results, std::vector<float>(count, results[0]));
  }
}

// F-035, F-049.
TEST_F(BufferOrderTest, hasSeveralReaders) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({16, 16}));
  NNHAL_ALLOCATE(buffer, *device, prepared, {0, 1}, {});
  ASSERT_EQ(copyFloatsTo(*buffer, std::vector<float>(256, 3)).message(), "");
  std::vector<std::thread> readers;
  readers.reserve(4);
  for (int i = 0; i < 4; ++i)
    readers.emplace_back([&] { readRepeatedly(*prepared, *buffer, 256, 50); });
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(floatsOf(*buffer, 256), std::vector<float>(256, 3));
  for (std::thread &reader : readers)
    reader.join();
}

// F-049: who reads sees all of a write or nothing of it, and a writer gets its
// turn beside readers that never pause.
TEST_F(BufferOrderTest, hasAWriterBesideReaders) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({16, 16}));
  NNHAL_ALLOCATE(buffer, *device, prepared, {0, 1}, {});
  ASSERT_EQ(copyFloatsTo(*buffer, std::vector<float>(256, 0)).message(), "");
  std::atomic<bool> isOver = false;
  std::vector<std::thread> readers;
  readers.reserve(3);
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!isOver)
        readRepeatedly(*prepared, *buffer, 256, 1);
    });
  for (int i = 1; i <= 100; ++i)
    EXPECT_EQ(
        copyFloatsTo(*buffer, std::vector<float>(256, float(i))).message(), "");
  isOver = true;
  for (std::thread &reader : readers)
    reader.join();
  EXPECT_EQ(floatsOf(*buffer, 256), std::vector<float>(256, 100));
}

// F-049: executions that lock the same buffers in different roles.
TEST_F(BufferOrderTest, doesNotDeadlock) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  NNHAL_ALLOCATE(left, *device, prepared, {0, 1}, {0});
  NNHAL_ALLOCATE(right, *device, prepared, {0, 1}, {0});
  ASSERT_EQ(copyFloatsTo(*left, {0, 0, 0, 0}).message(), "");
  ASSERT_EQ(copyFloatsTo(*right, {0, 0, 0, 0}).message(), "");
  auto bounce = [&](const Buffer &from, const Buffer &to) {
    FloatArguments arguments(*prepared);
    arguments.request.inputs[0] = arguments.request.inputs[1] = inputFrom(from);
    arguments.request.outputs[0] = outputTo(to, {2, 2});
    for (int i = 0; i < 300; ++i) {
      ExecutionResult result;
      EXPECT_EQ(prepared->execute(arguments.request, result).message(), "");
    }
  };
  std::thread there([&] { bounce(*left, *right); });
  std::thread back([&] { bounce(*right, *left); });
  there.join();
  back.join();
  EXPECT_EQ(floatsOf(*left, 4), (std::vector<float>{0, 0, 0, 0}));
}

// C-071, F-047, F-048: tokens come and go on all threads.
TEST_F(BufferOrderTest, isAllocatedAnywhere) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  std::vector<std::thread> clients;
  clients.reserve(4);
  for (int thread = 0; thread < 4; ++thread)
    clients.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i) {
        NNHAL_ALLOCATE(buffer, *device, prepared, {0}, {0});
        std::vector<float> values(4, float(thread * 100 + i));
        EXPECT_EQ(copyFloatsTo(*buffer, values).message(), "");
        EXPECT_EQ(floatsOf(*buffer, 4), values);
      }
    });
  for (std::thread &client : clients)
    client.join();
}

} // namespace
