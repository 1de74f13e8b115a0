//===- ExecutionKindsTest.cpp - Every way to execute a plan ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionTesting.h"

#include "Conformance/Conformance.h"
#include "nnhal/Runtime/Burst.h"
#include "nnhal/Runtime/Fence.h"
#include "nnhal/Runtime/Scheduler.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <atomic>
#include <optional>

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;
using conformance::Executed;
using conformance::Mode;

using enum OperationType;

namespace {

constexpr OperandType floats = OperandType::TENSOR_FLOAT32;

class ExecutionKindsTest : public PartitionTesting {
protected:
  /// The chain on one device, or in steps of two.
  std::shared_ptr<PartitionedModel> chain(bool isSimple) {
    if (isSimple) {
      add("all", {ADD, ABS, MUL, FLOOR}, 0.1f);
    } else {
      add("a", {ADD, MUL});
      add("b", {ABS, FLOOR});
    }
    auto model = prepared(chainModel());
    EXPECT_EQ(model->plan().isSimple(), isSimple);
    return model;
  }
  /// Forgets the devices, which were added before the reference device.
  void clear() {
    synthetic.clear();
    devices = {reference.get()};
  }
};

// I-047, I-052: with and without a device that steps in.
TEST_F(ExecutionKindsTest, ASimplePlanInEveryMode) {
  for (PartitionMode mode :
       {PartitionMode::withFallback, PartitionMode::withoutFallback}) {
    options.mode = mode;
    clear();
    auto model = chain(/*isSimple=*/true);
    for (Mode how : {Mode::sync, Mode::async, Mode::fenced}) {
      ChainArguments arguments;
      EXPECT_EQ(executeIn(how, *model, arguments.request).status.message(), "");
      EXPECT_EQ(arguments.output, chainResult());
    }
    EXPECT_EQ(synthetic[0]->state->executions, 3u);
    synthetic[0]->state->failExecutions = StatusCode::generalFailure;
    bool fallsBack = mode == PartitionMode::withFallback;
    for (Mode how : {Mode::sync, Mode::async}) {
      ChainArguments arguments;
      EXPECT_EQ(executeIn(how, *model, arguments.request).status.message(),
                fallsBack ? "" : "a synthetic failure");
    }
    ChainArguments arguments;
    auto fenced = model->executeFenced(arguments.request, {}, {});
    EXPECT_EQ(fenced.status().message(),
              fallsBack ? "" : "a synthetic failure");
    if (fenced.isOk())
      EXPECT_EQ((*fenced)->fence()->wait(noDeadline).message(), "");
  }
}

// A room that is too small is the caller's matter, not one of the device.
TEST_F(ExecutionKindsTest, ASimplePlanWithoutRoomDoesNotFallBack) {
  auto model = chain(/*isSimple=*/true);
  synthetic[0]->state->hasNoRoom = true;
  ChainArguments arguments;
  EXPECT_EQ(model->execute(arguments.request, arguments.result).code(),
            StatusCode::outputInsufficientSize);
  EXPECT_EQ(model->fallbacks().models, 0u);
}

// G-004, G-068: steps of this process are called by bursts of the plan.
TEST_F(ExecutionKindsTest, BurstsOfASimplePlanFallBack) {
  auto model = chain(/*isSimple=*/true);
  auto burst = model->createBurst({});
  ASSERT_TRUE(burst.isOk()) << burst.status().message();
  for (uint64_t failures : {0u, 1u}) {
    ChainArguments arguments;
    EXPECT_EQ((*burst)->execute(arguments.request, arguments.result).message(),
              "");
    EXPECT_EQ(arguments.output, chainResult());
    EXPECT_EQ(model->fallbacks().models, failures);
    synthetic[0]->state->failExecutions = StatusCode::generalFailure;
  }
}

// A divided model serves bursts itself, like that of any device.
TEST_F(ExecutionKindsTest, ServesBursts) {
  for (bool isSimple : {true, false}) {
    clear();
    auto model = chain(isSimple);
    auto burst = Burst::create(model);
    ASSERT_TRUE(burst.isOk()) << burst.status().message();
    ChainArguments arguments;
    EXPECT_EQ((*burst)->execute(arguments.request, arguments.result).message(),
              "");
    EXPECT_EQ(arguments.output, chainResult());
    EXPECT_EQ((*burst)->ordinaryExecutions(), 0u);
  }
}

// G-044, G-057: what is said to a burst is said to those of all its steps.
TEST_F(ExecutionKindsTest, BurstsOfRemoteStepsAreFreedAndInvalidated) {
  SyntheticOptions made;
  made.supports = supportsOnly({ABS, FLOOR});
  made.isRemote = true;
  add("a", {ADD, MUL});
  add(made);
  options.mode = PartitionMode::withoutFallback;
  auto model = prepared(chainModel());
  auto burst = model->createBurst({});
  ASSERT_TRUE(burst.isOk()) << burst.status().message();
  ChainArguments arguments;
  auto pool = SharedMemory::createAshmem(16);
  ASSERT_TRUE(pool.isOk());
  arguments.request.outputs[0].memory = OutputMemory::region(*pool, 0, 16);
  auto execute = [&] {
    return (*burst)->execute(arguments.request, arguments.result).code();
  };
  EXPECT_EQ(execute(), StatusCode::none);
  (*burst)->freeMemory(**pool);
  EXPECT_EQ(execute(), StatusCode::none);
  std::vector<float> output(4);
  ASSERT_TRUE(
      (*pool)->read(0, std::as_writable_bytes(std::span(output))).isOk());
  EXPECT_EQ(output, chainResult());
  EXPECT_EQ((*burst)->ordinaryExecutions(), 4u); // Those of the other device.
  (*burst)->invalidate();
  EXPECT_EQ(execute(), StatusCode::deadObject);
}

// D-052: nothing begins behind a fence that has failed.
TEST_F(ExecutionKindsTest, AFenceThatHasFailed) {
  auto model = chain(/*isSimple=*/false);
  ChainArguments arguments;
  FenceRef failed = *Fence::create(), open = *Fence::create();
  failed->complete(Status(StatusCode::generalFailure, "on purpose"));
  auto fenced = model->executeFenced(arguments.request, {nullptr, failed}, {});
  EXPECT_EQ(fenced.status().code(), StatusCode::generalFailure);
  EXPECT_EQ(fenced.status().message(), "fence 1 of the execution has failed");
  // One that fails later ends the execution.
  fenced = model->executeFenced(arguments.request, {open}, {});
  ASSERT_TRUE(fenced.isOk()) << fenced.status().message();
  open->complete(Status(StatusCode::generalFailure, "on purpose"));
  EXPECT_FALSE((*fenced)->fence()->wait(noDeadline).isOk());
  EXPECT_FALSE((*fenced)->executionInfo().status.isOk());
  EXPECT_EQ(synthetic[0]->state->executions, 0u);
}

// D-052: the fallback device does not step in for what a fence has failed.
TEST_F(ExecutionKindsTest, AFenceThatFailsADevice) {
  auto model = chain(/*isSimple=*/true);
  ChainArguments arguments;
  FenceRef open = *Fence::create();
  auto fenced = model->executeFenced(arguments.request, {nullptr, open}, {});
  ASSERT_TRUE(fenced.isOk()) << fenced.status().message();
  open->complete(Status(StatusCode::generalFailure, "on purpose"));
  EXPECT_FALSE((*fenced)->fence()->wait(noDeadline).isOk());
  EXPECT_EQ((*fenced)->executionInfo().status.code(),
            StatusCode::generalFailure);
  EXPECT_EQ(model->fallbacks().models, 0u);
}

// D-066: where a device fails before the fences have signaled, the fallback
// device waits for them in its place.
TEST_F(ExecutionKindsTest, ADeviceThatFailsBeforeItsFences) {
  auto model = chain(/*isSimple=*/true);
  synthetic[0]->state->failsAfterLaunch = true;
  for (bool isGood : {true, false}) {
    ChainArguments arguments;
    FenceRef gate = *Fence::create();
    auto fenced = model->executeFenced(arguments.request, {gate}, {});
    ASSERT_TRUE(fenced.isOk()) << fenced.status().message();
    constexpr int64_t aWhile = 20'000'000;
    EXPECT_EQ((*fenced)->fence()->wait(steadyNow() + aWhile).code(),
              StatusCode::missedDeadlineTransient);
    gate->complete(isGood ? Status::ok()
                          : Status(StatusCode::generalFailure, "on purpose"));
    EXPECT_EQ((*fenced)->fence()->wait(noDeadline).isOk(), isGood);
    EXPECT_EQ((*fenced)->executionInfo().status.message(),
              isGood ? "" : "on purpose");
    if (isGood)
      EXPECT_EQ(arguments.output, chainResult());
    EXPECT_EQ(model->fallbacks().models, 1u);
  }
}

/// Threads of executions that take none beside one that is under way.
struct FullScheduler {
  std::shared_ptr<Scheduler> scheduler =
      Scheduler::create({.slots = 1, .queueLimit = 0});
  std::optional<Scheduler::Slot> slot = scheduler->tryTake();
};

// D-013, D-015: whoever is refused hears of it once, and nothing is executed.
TEST_F(ExecutionKindsTest, ExecutionsThatAreNotTaken) {
  FullScheduler full;
  ASSERT_TRUE(full.slot.has_value());
  options.executions = full.scheduler;
  auto model = chain(/*isSimple=*/false);
  ChainArguments arguments;
  Executed executed = executeIn(Mode::async, *model, arguments.request);
  EXPECT_EQ(executed.status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(model->executeFenced(arguments.request, {}, {}).status().code(),
            StatusCode::resourceExhaustedTransient);
  // Behind a fence there is nobody to return it to.
  FenceRef gate = *Fence::create();
  auto fenced = model->executeFenced(arguments.request, {gate}, {});
  ASSERT_TRUE(fenced.isOk()) << fenced.status().message();
  gate->complete(Status::ok());
  EXPECT_FALSE((*fenced)->fence()->wait(noDeadline).isOk());
  EXPECT_EQ((*fenced)->executionInfo().status.code(),
            StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(synthetic[0]->state->executions, 0u);
  // One that fails on its device cannot be repeated, and fails with that.
  clear();
  auto simple = chain(/*isSimple=*/true);
  synthetic[0]->state->failsAfterLaunch = true;
  fenced = simple->executeFenced(arguments.request, {}, {});
  ASSERT_TRUE(fenced.isOk()) << fenced.status().message();
  EXPECT_FALSE((*fenced)->fence()->wait(noDeadline).isOk());
  EXPECT_EQ((*fenced)->executionInfo().status.message(), "a late failure");
  EXPECT_EQ(simple->fallbacks().models, 0u);
}

// A duration begins when the fences have signaled, and none is too long.
TEST_F(ExecutionKindsTest, ADurationBehindFences) {
  constexpr int64_t hour = int64_t(3600) * 1'000'000'000;
  // Devices have the clock of the system, beside which this one runs ahead.
  auto ahead = std::make_shared<std::atomic<int64_t>>(0);
  options.clock = [ahead] { return steadyNow() + ahead->load(); };
  add("a", {ADD, MUL});
  SyntheticDevice &second = add("b", {ABS, FLOOR});
  auto model = prepared(chainModel());
  second.state->onExecution = [ahead](const Request &) { *ahead += 2 * hour; };
  for (auto [duration, expected] :
       {std::pair(uint64_t(hour), StatusCode::missedDeadlineTransient),
        std::pair(UINT64_MAX, StatusCode::none)}) {
    ChainArguments arguments;
    arguments.request.measureTiming = true;
    auto fenced = model->executeFenced(arguments.request, {}, duration);
    ASSERT_TRUE(fenced.isOk()) << fenced.status().message();
    (void)(*fenced)->fence()->wait(noDeadline);
    ExecutionInfo info = (*fenced)->executionInfo();
    EXPECT_EQ(info.status.code(), expected) << info.status.message();
    if (info.status.isOk())
      EXPECT_GE(info.timingLaunched.timeInDriver,
                info.timingFenced.timeInDriver);
  }
}

/// out = floor(flag ? a + b : a * b).
AnnotatedModel wholeIfModel() {
  AnnotatedModel annotated = conformance::ifModel({4});
  Model &model = annotated.model;
  SubgraphBuilder main(model);
  uint32_t flag = main.input(OperandType::TENSOR_BOOL8, {1});
  uint32_t a = main.input(floats, {4}), b = main.input(floats, {4});
  // The first subgraph of the list is named by nobody.
  uint32_t thenGraph = main.subgraphReference(1);
  uint32_t elseGraph = main.subgraphReference(1);
  uint32_t chosen = main.temporary(floats, {4});
  uint32_t out = main.output(floats, {4});
  main.operation(IF, {flag, thenGraph, elseGraph, a, b}, {chosen});
  main.operation(FLOOR, {chosen}, {out});
  model.main = main.finish();
  return annotated;
}

// I-021, I-024: a step has the subgraphs that its operations name, once each.
TEST_F(ExecutionKindsTest, AStepTakesSubgraphsAlong) {
  SyntheticDevice &branches = add("branches", {ADD, MUL, IF}, 0.1f);
  add("floors", {FLOOR}, 0.1f);
  auto model = prepared(wholeIfModel());
  EXPECT_EQ(describe(model->plan()), "branches:0 floors:1");
  ASSERT_EQ(branches.state->models.size(), 1u);
  const Model &step = branches.state->models[0].model;
  ASSERT_EQ(step.referenced.size(), 1u);
  EXPECT_EQ(step.referenced[0].operations.at(0).type, MUL);
  std::vector<std::byte> flag(1);
  std::vector<float> a = {1.5f, 2, 3, 4}, b = {1.5f, 2, 2, 2}, out(4);
  Request request;
  request.inputs = {{Memory::borrow(flag), {}},
                    {Memory::borrow(std::as_bytes(std::span(a))), {}},
                    {Memory::borrow(std::as_bytes(std::span(b))), {}}};
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(out))), {}}};
  ExecutionResult result;
  EXPECT_EQ(model->execute(request, result).message(), "");
  EXPECT_EQ(out, (std::vector<float>{2, 4, 6, 8}));
}

// I-084: a step that is entered from two places is one model with one role.
TEST_F(ExecutionKindsTest, StepsThatAreEnteredTwiceAreOneModel) {
  SyntheticDevice &adds = add("adds", {ADD});
  AnnotatedModel annotated = conformance::ifModel({4});
  Model &model = annotated.model;
  for (Operand &operand : model.main.operands)
    if (operand.lifetime == OperandLifeTime::SUBGRAPH)
      operand.location.offset = 0;
  auto made = prepared(annotated);
  EXPECT_EQ(describe(made->plan()), "if adds:0 goto adds:0");
  EXPECT_EQ(adds.state->preparations, 1u);
  EXPECT_EQ(made->rolesOfInput(1).size(), 1u);
  EXPECT_EQ(made->rolesOfOutput(0).size(), 1u);
  // Its memory counts once beside that between the steps.
  EXPECT_EQ(made->memoryUse().artifact, SyntheticDevice::artifactSize);
  clear();
  EXPECT_EQ(chain(/*isSimple=*/false)->memoryUse().artifact,
            4 * SyntheticDevice::artifactSize);
}

} // namespace
