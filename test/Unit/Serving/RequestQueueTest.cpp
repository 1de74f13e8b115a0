//===- RequestQueueTest.cpp - Requests that wait for an execution ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "Serving/Core/RequestQueue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

using namespace nnhal;
using namespace nnhal::serving;

namespace {

constexpr int64_t millisecond = 1'000'000;

/// A request of rows that are filled with one value.
struct Sent {
  Outcome outcome;
  InferenceResponse response;
  std::vector<float> values;
  std::atomic<bool> isGone = false;
  std::thread thread;

  /// The first number of the output.
  float answer() const {
    float value = 0;
    std::memcpy(&value, response.outputs.at(0).data.data(), sizeof value);
    return value;
  }
};

class RequestQueueTest : public testing::Test {
protected:
  void make(uint32_t rows, RequestQueue::Options options) {
    model = std::make_shared<FakeModel>(rows);
    signature = *signatureOf(model->interface());
    executable =
        std::make_unique<Executable>(model, signature, counters->copiedBytes);
    options.model = "net";
    queue = std::make_unique<RequestQueue>(options, executions, *executable,
                                           *counters, &tracer);
  }

  std::unique_ptr<Sent> send(float value, uint32_t rows = 1,
                             rt::Deadline deadline = rt::noDeadline,
                             rt::Priority priority = rt::Priority::medium) {
    auto sent = std::make_unique<Sent>();
    sent->values.assign(size_t(rows) * 2, value);
    sent->thread = std::thread([=, this, one = sent.get()] {
      Arguments arguments;
      arguments.inputs = {{{rows, 2}, std::as_bytes(std::span(one->values))}};
      arguments.outputs = {0};
      arguments.samples = rows;
      one->outcome =
          queue->run(arguments,
                     {.priority = priority,
                      .deadline = deadline,
                      .isAbandoned = [=] { return one->isGone.load(); }},
                     one->response);
    });
    return sent;
  }

  void awaitWaiting(double count) {
    while (counters->waiting.Value() < count)
      std::this_thread::yield();
  }

  Metrics metrics;
  std::shared_ptr<VersionMetrics> counters = metrics.of("net", "1");
  rt::Scheduler executions{{.slots = 1}};
  rt::Tracer tracer;
  std::shared_ptr<FakeModel> model;
  Signature signature;
  std::unique_ptr<Executable> executable;
  std::unique_ptr<RequestQueue> queue;
};

TEST_F(RequestQueueTest, EachByItself) {
  make(0, {});
  auto sent = send(4.0f);
  sent->thread.join();
  ASSERT_TRUE(sent->outcome.isOk()) << sent->outcome.message();
  EXPECT_EQ(sent->answer(), 5.0f);
  EXPECT_EQ(sent->response.outputs[0].name, "y");
  EXPECT_EQ(sent->response.outputs[0].shape, (std::vector<int64_t>{1, 2}));
  EXPECT_GE(sent->response.executionNanoseconds, 0);
  EXPECT_EQ(tracer.events().size(), 1u);
}

TEST_F(RequestQueueTest, FullQueueRefuses) {
  make(0, {.maxWaiting = 1});
  model->hold(true);
  auto first = send(1.0f);
  model->awaitExecutions(1);
  auto second = send(2.0f);
  awaitWaiting(1);
  auto third = send(3.0f);
  third->thread.join();
  EXPECT_EQ(third->outcome.code(), OutcomeCode::overloaded);
  EXPECT_EQ(third->outcome.message(),
            "the queue of model 'net' is full: 1 requests wait");
  model->hold(false);
  first->thread.join();
  second->thread.join();
  EXPECT_TRUE(second->outcome.isOk());
}

TEST_F(RequestQueueTest, DeadlinesPassWhileWaiting) {
  for (uint64_t batch : {0, 4}) {
    make(0, {.maxWaiting = 8, .maxBatchSize = batch});
    model->hold(true);
    auto first = send(1.0f);
    model->awaitExecutions(1);
    rt::Deadline soon = rt::steadyNow() + 20 * millisecond;
    auto second = send(2.0f, 1, soon);
    auto third = send(3.0f, 1, soon);
    second->thread.join();
    third->thread.join();
    EXPECT_EQ(second->outcome.code(), OutcomeCode::deadlineExceeded);
    EXPECT_EQ(third->outcome.message(),
              "the deadline passed while the request waited for an execution");
    model->hold(false);
    first->thread.join();
    EXPECT_TRUE(first->outcome.isOk());
    EXPECT_EQ(model->extents.size(), 1u);
    EXPECT_EQ(counters->waiting.Value(), 0.0);
  }
}

TEST_F(RequestQueueTest, DeadlinesThatHavePassed) {
  make(0, {});
  auto sent = send(1.0f, 1, rt::steadyNow() - 1);
  sent->thread.join();
  EXPECT_EQ(sent->outcome.message(),
            "the deadline had passed before the request was looked at");
  EXPECT_TRUE(model->extents.empty());
}

TEST_F(RequestQueueTest, DeadlinesGoToTheExecution) {
  make(0, {});
  rt::Deadline later = rt::steadyNow() + 60'000 * millisecond;
  auto sent = send(1.0f, 1, later);
  sent->thread.join();
  EXPECT_EQ(model->deadlines, std::vector<rt::Deadline>{later});
}

TEST_F(RequestQueueTest, RequestsThatWaitAreJoined) {
  make(0, {.maxWaiting = 8, .maxBatchSize = 4});
  model->hold(true);
  auto first = send(1.0f);
  model->awaitExecutions(1);
  std::vector<std::unique_ptr<Sent>> others;
  for (float value : {2.0f, 3.0f, 4.0f})
    others.push_back(send(value, value == 3.0f ? 2 : 1));
  awaitWaiting(3);
  model->hold(false);
  first->thread.join();
  for (auto &sent : others) {
    sent->thread.join();
    ASSERT_TRUE(sent->outcome.isOk()) << sent->outcome.message();
    EXPECT_EQ(sent->answer(), sent->values[0] + 1.0f);
    EXPECT_EQ(sent->response.outputs[0].shape[0],
              int64_t(sent->values.size() / 2));
  }
  EXPECT_EQ(model->extents, (std::vector<uint32_t>{1, 4}));
}

TEST_F(RequestQueueTest, BatchesWaitForOthers) {
  make(0,
       {.maxWaiting = 8, .maxBatchSize = 2, .maxDelay = 60'000 * millisecond});
  auto first = send(1.0f);
  awaitWaiting(1);
  EXPECT_TRUE(model->extents.empty());
  auto second = send(2.0f);
  first->thread.join();
  second->thread.join();
  EXPECT_EQ(first->answer(), 2.0f);
  EXPECT_EQ(second->answer(), 3.0f);
  EXPECT_EQ(model->extents, std::vector<uint32_t>{2});
  // Nobody comes: the batch is executed as it is.
  make(0, {.maxWaiting = 8, .maxBatchSize = 2, .maxDelay = millisecond});
  auto alone = send(1.0f);
  alone->thread.join();
  EXPECT_EQ(model->extents, std::vector<uint32_t>{1});
}

TEST_F(RequestQueueTest, FixedBatchesAreFilledWithZeros) {
  make(4, {.maxWaiting = 8, .maxBatchSize = 4});
  auto sent = send(5.0f, 3);
  sent->thread.join();
  ASSERT_TRUE(sent->outcome.isOk()) << sent->outcome.message();
  EXPECT_EQ(model->extents, std::vector<uint32_t>{4});
  EXPECT_EQ(sent->response.outputs[0].shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(sent->response.outputs[0].data.size(), 3 * 2 * sizeof(float));
}

TEST_F(RequestQueueTest, ClientsThatHaveGoneAreNotExecutedFor) {
  for (uint64_t batch : {0, 4}) {
    make(0, {.maxWaiting = 8, .maxBatchSize = batch});
    model->hold(true);
    auto first = send(1.0f);
    model->awaitExecutions(1);
    // With batches the second leads, and the third would join it.
    auto second = send(2.0f);
    awaitWaiting(1);
    auto third = send(3.0f);
    awaitWaiting(2);
    auto fourth = send(4.0f);
    awaitWaiting(3);
    second->isGone = third->isGone = true;
    model->hold(false);
    for (Sent *sent : {first.get(), second.get(), third.get(), fourth.get()})
      sent->thread.join();
    for (Sent *sent : {second.get(), third.get()}) {
      EXPECT_EQ(sent->outcome.code(), OutcomeCode::cancelled);
      EXPECT_EQ(sent->outcome.message(),
                "the client was gone before an execution began");
    }
    EXPECT_EQ(fourth->answer(), 5.0f);
    EXPECT_EQ(model->extents.size(), 2u);
    EXPECT_EQ(counters->waiting.Value(), 0.0);
  }
}

TEST_F(RequestQueueTest, DeadlinesPassWhileABatchExecutes) {
  make(0,
       {.maxWaiting = 8, .maxBatchSize = 2, .maxDelay = 60'000 * millisecond});
  model->hold(true);
  rt::Deadline soon = rt::steadyNow() + 500 * millisecond;
  auto patient = send(1.0f);
  awaitWaiting(1);
  auto hurried = send(2.0f, 1, soon);
  model->awaitExecutions(1);
  while (rt::steadyNow() < soon)
    std::this_thread::yield();
  model->hold(false);
  patient->thread.join();
  hurried->thread.join();
  EXPECT_EQ(patient->answer(), 2.0f);
  EXPECT_EQ(hurried->outcome.code(), OutcomeCode::deadlineExceeded);
  EXPECT_EQ(hurried->outcome.message(),
            "the deadline passed while a batch of 2 requests executed");
}

TEST_F(RequestQueueTest, BatchesLeaveOutClientsThatHaveGone) {
  make(0, {.maxWaiting = 8, .maxBatchSize = 4});
  model->hold(true);
  auto first = send(1.0f);
  model->awaitExecutions(1);
  auto second = send(2.0f);
  awaitWaiting(1);
  auto third = send(3.0f);
  awaitWaiting(2);
  third->isGone = true;
  model->hold(false);
  for (Sent *sent : {first.get(), second.get(), third.get()})
    sent->thread.join();
  EXPECT_EQ(second->answer(), 3.0f);
  EXPECT_EQ(third->outcome.code(), OutcomeCode::cancelled);
  EXPECT_EQ(model->extents, (std::vector<uint32_t>{1, 1}));
}

TEST_F(RequestQueueTest, OutputsHaveTheSamplesOfTheInputs) {
  make(0, {.maxWaiting = 8, .maxBatchSize = 4});
  model->excess = 1;
  auto sent = send(5.0f, 3);
  sent->thread.join();
  EXPECT_EQ(sent->outcome.message(),
            "output 'y' does not have the 3 samples of the inputs");
}

TEST_F(RequestQueueTest, FailuresStayWithTheirRequest) {
  make(0,
       {.maxWaiting = 8, .maxBatchSize = 2, .maxDelay = 60'000 * millisecond});
  model->failing = 7.0f;
  auto good = send(1.0f);
  auto bad = send(7.0f);
  good->thread.join();
  bad->thread.join();
  EXPECT_TRUE(good->outcome.isOk());
  EXPECT_EQ(good->answer(), 2.0f);
  EXPECT_EQ(good->response.outputs.size(), 1u);
  EXPECT_EQ(bad->outcome.code(), OutcomeCode::failed);
  EXPECT_EQ(bad->outcome.message(), "a value is 7");
  EXPECT_EQ(model->extents, (std::vector<uint32_t>{2, 1, 1}));
}

TEST_F(RequestQueueTest, HigherPrioritiesGoFirst) {
  make(0, {.maxWaiting = 8, .maxBatchSize = 1});
  model->hold(true);
  auto first = send(1.0f);
  model->awaitExecutions(1);
  // The leader has been asked to go next already.
  auto leader = send(2.0f, 2 - 1);
  awaitWaiting(1);
  auto low = send(3.0f, 1, rt::noDeadline, rt::Priority::low);
  awaitWaiting(2);
  auto high = send(4.0f, 1, rt::noDeadline, rt::Priority::high);
  awaitWaiting(3);
  model->hold(false);
  for (Sent *sent : {first.get(), leader.get(), low.get(), high.get()})
    sent->thread.join();
  EXPECT_LT(high->response.queueNanoseconds, low->response.queueNanoseconds);
}

TEST_F(RequestQueueTest, UnalignedInputsAreCopied) {
  make(0, {});
  std::vector<std::byte> bytes(17);
  float value = 2.0f;
  std::memcpy(bytes.data() + 1, &value, sizeof value);
  Arguments arguments;
  arguments.inputs = {{{2, 2}, std::span(bytes).subspan(1)}};
  arguments.outputs = {0};
  InferenceResponse response;
  Outcome outcome = queue->run(arguments, {}, response);
  ASSERT_TRUE(outcome.isOk()) << outcome.message();
  EXPECT_EQ(counters->copiedBytes.Value(), 16.0);
}

TEST_F(RequestQueueTest, OutputsGrow) {
  make(0, {});
  std::vector<float> values(4096, 1.0f);
  Arguments arguments;
  arguments.inputs = {{{2048, 2}, std::as_bytes(std::span(values))}};
  arguments.outputs = {0};
  for (size_t executed : {2, 3}) {
    InferenceResponse response;
    ASSERT_TRUE(queue->run(arguments, {}, response).isOk());
    EXPECT_EQ(response.outputs[0].data.size(), values.size() * sizeof(float));
    // The next ones have room from the beginning.
    EXPECT_EQ(model->extents.size(), executed);
  }
}

TEST_F(RequestQueueTest, ManyThreadsInBatches) {
  make(0, {.maxWaiting = 64, .maxBatchSize = 8, .maxDelay = millisecond / 10});
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        std::vector<float> values(size_t(1 + i % 3) * 2, float(t * 1000 + i));
        Arguments arguments;
        arguments.inputs = {{{uint32_t(values.size() / 2), 2},
                             std::as_bytes(std::span(values))}};
        arguments.outputs = {0};
        arguments.samples = uint32_t(values.size() / 2);
        InferenceResponse response;
        Outcome outcome = queue->run(arguments, {}, response);
        std::vector<float> expected = values;
        for (float &value : expected)
          value += 1.0f;
        bool isRight = outcome.isOk() &&
                       std::ranges::equal(response.outputs[0].data,
                                          std::as_bytes(std::span(expected)));
        wrong += !isRight;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(counters->waiting.Value(), 0.0);
  EXPECT_EQ(counters->executing.Value(), 0.0);
}

} // namespace
