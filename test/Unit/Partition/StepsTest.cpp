//===- StepsTest.cpp - Executions of several steps ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionTesting.h"

#include "nnhal/Runtime/Fence.h"

#include <future>
#include <mutex>

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;

using enum OperationType;

namespace {

class StepsTest : public PartitionTesting {
protected:
  StepsTest() {
    first = &add("a", {ADD, MUL});
    second = &add("b", {ABS, FLOOR});
  }

  std::shared_ptr<PartitionedModel> chain() {
    auto made = prepare(chainModel());
    EXPECT_EQ(made.status().message(), "");
    return made.isOk() ? *made : nullptr;
  }

  SyntheticDevice *first;
  SyntheticDevice *second;
};

void expectChain(const Result<std::vector<float>> &result) {
  ASSERT_TRUE(result.isOk()) << result.status().message();
  EXPECT_EQ(*result, chainResult());
}

TEST_F(StepsTest, StepsComputeWhatTheModelComputes) {
  auto model = chain();
  EXPECT_EQ(model->plan().steps.size(), 4u);
  for (int i = 0; i < 3; ++i)
    expectChain(run(*model, chainInputs()));
  EXPECT_EQ(first->state->executions, 6u);
  EXPECT_EQ(model->interface().inputs[1].name, "b");
  EXPECT_EQ(model->fallbacks().steps, 0u);
}

// I-024, I-025, I-026
TEST_F(StepsTest, ModelsOfStepsHaveTheirPartOfTheModel) {
  chain();
  const Model &third = first->state->models[1].model;
  EXPECT_EQ(third.main.operations.size(), 1u);
  EXPECT_EQ(third.main.inputIndexes.size(), 2u);
  // The input of the model comes first, then the temporary.
  EXPECT_EQ(first->state->models[1].inputNames,
            (std::vector<std::string>{"b", ""}));
  EXPECT_EQ(second->state->models[1].outputNames,
            (std::vector<std::string>{"out"}));
}

TEST_F(StepsTest, AsynchronousExecutionsGoThroughTheSteps) {
  auto model = chain();
  auto inputs = chainInputs();
  std::vector<float> output(4);
  Request request;
  for (auto &input : inputs)
    request.inputs.push_back(
        {Memory::borrow(std::as_bytes(std::span(input))), {}});
  request.outputs.push_back(
      {OutputMemory::borrow(std::as_writable_bytes(std::span(output))), {}});
  std::promise<Status> ended;
  ASSERT_TRUE(model
                  ->executeAsync(request,
                                 [&](Status status, const ExecutionResult &) {
                                   ended.set_value(std::move(status));
                                 })
                  .isOk());
  EXPECT_EQ(ended.get_future().get().message(), "");
  EXPECT_EQ(output, chainResult());

  auto gate = Fence::create();
  ASSERT_TRUE(gate.isOk());
  output.assign(4, 0);
  auto fenced = model->executeFenced(request, {*gate}, {});
  ASSERT_TRUE(fenced.isOk()) << fenced.status().message();
  EXPECT_EQ((*fenced)->executionInfo().status.message(),
            "the execution has not ended");
  (*gate)->complete(Status::ok());
  FenceRef end = (*fenced)->fence();
  EXPECT_EQ(end->wait(noDeadline).message(), "");
  EXPECT_EQ(output, chainResult());
}

// I-042
TEST_F(StepsTest, AFailedStepIsRepeatedOnTheFallbackDevice) {
  auto model = chain();
  second->state->failExecutions = StatusCode::generalFailure;
  expectChain(run(*model, chainInputs()));
  EXPECT_EQ(model->fallbacks().steps, 2u);
  EXPECT_EQ(model->fallbacks().models, 0u);
  EXPECT_EQ(model->fallbacks().firstCause.message(), "a synthetic failure");
  expectChain(run(*model, chainInputs()));
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0], "error: step 1 on b falls back to nnhal-reference: "
                    "GENERAL_FAILURE: a synthetic failure");
}

// C-058, I-037
TEST_F(StepsTest, APreparationThatFailsFallsBack) {
  first->state->failPreparations = StatusCode::generalFailure;
  auto model = chain();
  EXPECT_TRUE(model->fallbacks().atPreparation);
  EXPECT_TRUE(model->plan().isSimple());
  expectChain(run(*model, chainInputs()));
  EXPECT_EQ(model->plan().assignments[0].detail,
            "the preparation fell back: step 0 on a: a synthetic failure");
}

// I-052
TEST_F(StepsTest, WithoutFallbackErrorsPassThrough) {
  options.mode = PartitionMode::withoutFallback;
  auto model = chain();
  second->state->failExecutions = StatusCode::resourceExhaustedTransient;
  auto result = run(*model, chainInputs());
  EXPECT_EQ(result.status().code(), StatusCode::resourceExhaustedTransient);
  first->state->failPreparations = StatusCode::generalFailure;
  EXPECT_EQ(prepare(chainModel()).status().message(),
            "step 0 on a: a synthetic failure");
}

// I-084
TEST_F(StepsTest, RolesAreThoseOfSteps) {
  auto model = chain();
  auto roles = model->rolesOfInput(1);
  ASSERT_EQ(roles.size(), 2u);
  EXPECT_EQ(roles[0].device, first);
  EXPECT_EQ(roles[0].index, 1u);
  EXPECT_EQ(roles[1].index, 0u);
  auto outputs = model->rolesOfOutput(0);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_FALSE(outputs[0].isInput);
  EXPECT_EQ(outputs[0].device, second);
}

/// A request to the chain, with its memory.
struct ChainRequest {
  ChainRequest() {
    for (auto &input : inputs)
      request.inputs.push_back(
          {Memory::borrow(std::as_bytes(std::span(input))), {}});
    request.outputs.push_back(
        {OutputMemory::borrow(std::as_writable_bytes(std::span(output))), {}});
  }

  std::vector<std::vector<float>> inputs = chainInputs();
  std::vector<float> output = std::vector<float>(4);
  Request request;
};

TEST_F(StepsTest, BurstsExecuteTheSteps) {
  auto model = chain();
  auto burst = model->createBurst({});
  ASSERT_TRUE(burst.isOk());
  ChainRequest chain;
  ExecutionResult result;
  EXPECT_EQ((*burst)->execute(chain.request, result).message(), "");
  EXPECT_EQ(chain.output, chainResult());
}

// D-068: no step begins before the fences have signaled and the step before it
// has ended; the fallback device executes one that fails.
TEST_F(StepsTest, FencedExecutionsTakeTheStepsInTurn) {
  for (bool fails : {false, true}) {
    auto model = chain();
    if (fails)
      second->state->failExecutions = StatusCode::generalFailure;
    std::mutex mutex;
    std::string order;
    first->state->onExecution = [&](const Request &) {
      std::lock_guard lock(mutex);
      order += 'a';
    };
    second->state->onExecution = [&](const Request &) {
      std::lock_guard lock(mutex);
      order += 'b';
    };
    ChainRequest chain;
    FenceRef gate = *Fence::create();
    auto fenced = model->executeFenced(chain.request, {gate});
    ASSERT_EQ(fenced.status().message(), "");
    EXPECT_EQ((*fenced)->fence()->poll(), FenceState::active);
    EXPECT_EQ(order, "");
    gate->complete(Status::ok());
    EXPECT_EQ((*fenced)->fence()->wait(noDeadline).message(), "");
    EXPECT_EQ((*fenced)->executionInfo().status.message(), "");
    EXPECT_EQ(chain.output, chainResult());
    EXPECT_EQ(order, fails ? "aa" : "abab");
    EXPECT_EQ(model->fallbacks().steps, fails ? 2u : 0u);
  }
}

} // namespace
