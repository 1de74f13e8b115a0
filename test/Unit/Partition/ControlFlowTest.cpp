//===- ControlFlowTest.cpp - Interpreted IF and WHILE ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionTesting.h"

#include "Conformance/Conformance.h"
#include "nnhal/Backend/CalledGraphs.h"
#include "nnhal/Runtime/Fence.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;
using conformance::LoopArguments;

using enum OperationType;

namespace {

constexpr OperandType floats = OperandType::TENSOR_FLOAT32;

using ControlFlowTest = PartitionTesting;

/// Executes an IF model of four floats.
std::vector<float> runIf(const PreparedModel &model, Memory condition) {
  const std::vector<float> a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
  std::vector<float> output(4);
  Request request;
  request.inputs = {{std::move(condition), {}},
                    {Memory::borrow(std::as_bytes(std::span(a))), {}},
                    {Memory::borrow(std::as_bytes(std::span(b))), {}}};
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(output))), {}}};
  ExecutionResult result;
  EXPECT_EQ(model.execute(request, result).message(), "");
  return output;
}

Memory conditionOf(uint8_t value) {
  return Memory::copy(std::as_bytes(std::span(&value, 1)));
}

const std::vector<float> sums = {6, 8, 10, 12}, products = {5, 12, 21, 32};

// I-020, I-032, I-033
TEST_F(ControlFlowTest, AnIfIsInterpretedWhereItsBestDeviceIsTheFallback) {
  add("adds", {ADD});
  add("multiplies", {MUL});
  auto model = prepared(conformance::ifModel({4}));
  EXPECT_EQ(describe(model->plan()), "if adds:0 goto multiplies:0");
  EXPECT_FALSE(model->plan().isSimple());
  EXPECT_EQ(runIf(*model, conditionOf(1)), sums);
  EXPECT_EQ(runIf(*model, conditionOf(0)), products);
  EXPECT_EQ(runIf(*model, conditionOf(7)), sums);
  EXPECT_EQ(synthetic[0]->state->executions, 2u);
  EXPECT_EQ(synthetic[1]->state->executions, 1u);
}

// I-061: the condition is read where it is, also from shared memory.
TEST_F(ControlFlowTest, TheConditionIsReadFromSharedMemory) {
  add("adds", {ADD});
  add("multiplies", {MUL});
  auto model = prepared(conformance::ifModel({4}));
  auto pool = SharedMemory::createAshmem(64);
  ASSERT_TRUE(pool.isOk());
  EXPECT_EQ(runIf(*model, Memory::region(*pool, 8, 1)), products);
  const std::byte yes{1};
  ASSERT_TRUE((*pool)->write(8, std::span(&yes, 1)).isOk());
  EXPECT_EQ(runIf(*model, Memory::region(*pool, 8, 1)), sums);
}

// I-021: a device that takes a whole IF, and is the best, executes it.
TEST_F(ControlFlowTest, ADriverExecutesAWholeIf) {
  add("all", {ADD, MUL, IF});
  auto model = prepared(conformance::ifModel({4}));
  EXPECT_EQ(describe(model->plan()), "all:0");
  EXPECT_EQ(runIf(*model, conditionOf(1)), sums);
}

// I-013: an IF costs its own performance and half of both branches, a WHILE
// its own and those of condition and body.
TEST_F(ControlFlowTest, SubgraphsAreAPartOfTheCost) {
  SyntheticOptions made;
  made.name = "whole";
  made.capabilities = uniformCapabilities({0.5f, 0.5f});
  // The fallback device costs 1 + 0.5 * (1 + 1) = 2.
  made.capabilities.ifPerformance = {1.49f, 1.49f};
  add(made);
  EXPECT_EQ(describe(conformance::ifModel({4})), "whole:0");
  synthetic.clear();
  devices = {reference.get()};
  made.capabilities.ifPerformance = {1.51f, 1.51f};
  add(made);
  EXPECT_EQ(describe(conformance::ifModel({4})), "if whole:0 goto whole:0");
  // The fallback device costs 1 + 1 + 1 = 3 for the loop.
  made.capabilities.whilePerformance = {1.99f, 1.99f};
  synthetic.clear();
  devices = {reference.get()};
  add(made);
  EXPECT_EQ(describe(conformance::countingLoopModel(3)), "whole:0");
  made.capabilities.whilePerformance = {2.01f, 2.01f};
  synthetic.clear();
  devices = {reference.get()};
  add(made);
  EXPECT_EQ(describe(conformance::countingLoopModel(3)),
            "while whole:0 goto whole:0 goto");
}

// I-019, L-020: control flow of unknown sizes is the fallback device's.
TEST_F(ControlFlowTest, UnknownSizesAreLeftToTheFallbackDevice) {
  AnnotatedModel model = conformance::ifModel({4});
  model.model.main.operands[model.model.main.outputIndexes[0]].dimensions = {0};
  for (Subgraph &branch : model.model.referenced)
    branch.operands[branch.outputIndexes[0]].dimensions = {0};
  add("all", {ADD, MUL, IF}, 0.1f);
  EXPECT_EQ(describe(model), "nnhal-reference:0");
}

// I-056, I-033
TEST_F(ControlFlowTest, AWhileIsInterpreted) {
  add("adds", {ADD});
  add("compares", {LESS});
  auto model = prepared(conformance::countingLoopModel(5));
  EXPECT_EQ(describe(model->plan()), "while compares:0 goto adds:0 goto");
  for (int32_t first : {0, 3, 4, 5, 9}) {
    LoopArguments arguments(first);
    ExecutionResult result;
    EXPECT_EQ(model->execute(arguments.request, result).message(), "");
    EXPECT_EQ(arguments.output, std::max(first, 5));
    EXPECT_EQ(result.outputShapes[0].dimensions, (std::vector<uint32_t>{1}));
  }
}

// I-056: an iteration reads one region and writes the other.
TEST_F(ControlFlowTest, IterationsWriteTwoRegionsInTurn) {
  SyntheticDevice &adds = add("adds", {ADD});
  add("compares", {LESS});
  auto model = prepared(conformance::countingLoopModel(5));
  std::vector<std::pair<const std::byte *, const std::byte *>> used;
  adds.state->onExecution = [&](const Request &request) {
    used.push_back(
        {request.inputs[0].memory.bytes().isOk()
             ? request.inputs[0].memory.bytes().operator*().data()
             : nullptr,
         std::get<OutputMemory::Borrowed>(request.outputs[0].memory.kind())
             .data});
  };
  LoopArguments arguments(0);
  ExecutionResult result;
  ASSERT_EQ(model->execute(arguments.request, result).message(), "");
  ASSERT_EQ(used.size(), 5u);
  for (size_t i = 1; i < used.size(); ++i) {
    EXPECT_EQ(used[i].first, used[i - 1].second);
    EXPECT_NE(used[i].first, used[i].second);
  }
  EXPECT_EQ(used[2].second, used[0].second);
}

// I-060: the time is that since the entry; it is not helped by falling back.
TEST_F(ControlFlowTest, ALoopThatRunsForTooLong) {
  SyntheticDevice &adds = add("adds", {ADD});
  add("compares", {NOT_EQUAL});
  std::atomic<int64_t> now = 1000;
  options.clock = [&] { return now.load(); };
  adds.state->onExecution = [&](const Request &) { now += 100; };
  auto model = prepared(conformance::endlessLoopModel());
  LoopArguments arguments(0);
  arguments.request.loopTimeout = 1000;
  ExecutionResult result;
  for (int i = 0; i < 2; ++i) {
    Status status = model->execute(arguments.request, result);
    EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
    EXPECT_EQ(status.message(), "the loop ran for longer than 1000 ns");
    EXPECT_EQ(adds.state->executions, 10u * unsigned(i + 1));
  }
  EXPECT_EQ(model->fallbacks().models, 0u);
}

/// x = a; while (sum(x) < limit) x = flag ? x + x : x * b, out = x + b: the IF
/// is in the body, and ADD is in three subgraphs.
AnnotatedModel nestedModel(float limit) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  for (OperationType type : {ADD, MUL}) {
    SubgraphBuilder branch(model);
    uint32_t x = branch.input(floats, {4}), b = branch.input(floats, {4});
    uint32_t none = branch.scalar(0);
    uint32_t result = branch.output(floats, {4});
    branch.operation(type, {x, type == ADD ? x : b, none}, {result});
    model.referenced.push_back(branch.finish());
  }
  SubgraphBuilder condition(model);
  {
    uint32_t x = condition.input(floats, {4});
    condition.input(OperandType::TENSOR_BOOL8, {1});
    condition.input(floats, {4});
    uint32_t axis =
        condition.constant<int32_t>(OperandType::TENSOR_INT32, {1}, {0});
    uint32_t keep =
        condition.constant<uint8_t>(OperandType::BOOL, {}, {uint8_t(1)});
    uint32_t bound = condition.constant<float>(floats, {1}, {limit});
    uint32_t sum = condition.temporary(floats, {1});
    uint32_t decision = condition.output(OperandType::TENSOR_BOOL8, {1});
    condition.operation(REDUCE_SUM, {x, axis, keep}, {sum});
    condition.operation(LESS, {sum, bound}, {decision});
  }
  model.referenced.push_back(condition.finish());
  SubgraphBuilder body(model);
  {
    uint32_t x = body.input(floats, {4});
    uint32_t flag = body.input(OperandType::TENSOR_BOOL8, {1});
    uint32_t b = body.input(floats, {4});
    uint32_t thenGraph = body.subgraphReference(0);
    uint32_t elseGraph = body.subgraphReference(1);
    uint32_t next = body.output(floats, {4});
    body.operation(IF, {flag, thenGraph, elseGraph, x, b}, {next});
  }
  model.referenced.push_back(body.finish());
  SubgraphBuilder main(model);
  uint32_t flag = main.input(OperandType::TENSOR_BOOL8, {1});
  uint32_t a = main.input(floats, {4}), b = main.input(floats, {4});
  uint32_t conditionGraph = main.subgraphReference(2);
  uint32_t bodyGraph = main.subgraphReference(3);
  uint32_t none = main.scalar(0);
  uint32_t x = main.temporary(floats, {4});
  uint32_t out = main.output(floats, {4});
  main.operation(WHILE, {conditionGraph, bodyGraph, a, flag, b}, {x});
  main.operation(ADD, {x, b, none}, {out});
  model.main = main.finish();
  return annotated;
}

// I-034
TEST_F(ControlFlowTest, ControlFlowMayBeNested) {
  add("adds", {ADD});
  add("multiplies", {MUL});
  auto model = prepared(nestedModel(50));
  EXPECT_EQ(describe(model->plan()),
            "while nnhal-reference:0:1 goto if adds:0 goto multiplies:0 goto "
            "adds:1");
  // 10, 20, 40, 80: x is 8 times a.
  EXPECT_EQ(runIf(*model, conditionOf(1)),
            (std::vector<float>{13, 22, 31, 40}));
  // 10, then 1 * 5 + 2 * 6 + 3 * 7 + 4 * 8 = 70.
  EXPECT_EQ(runIf(*model, conditionOf(0)),
            (std::vector<float>{10, 18, 28, 40}));
}

/// out = condition ? in + c : in * c for constants: a condition and operands
/// that cross the boundary.
AnnotatedModel constantModel(uint8_t decision,
                             std::shared_ptr<SharedMemory> pool) {
  AnnotatedModel annotated = conformance::ifModel({4});
  Model &model = annotated.model;
  SubgraphBuilder main(model);
  uint32_t condition =
      main.constant<uint8_t>(OperandType::TENSOR_BOOL8, {1}, {decision});
  uint32_t thenGraph = main.subgraphReference(0);
  uint32_t elseGraph = main.subgraphReference(1);
  uint32_t a = main.input(floats, {4});
  uint32_t c = main.constant<float>(floats, {4}, {5, 6, 7, 8});
  uint32_t out = main.output(floats, {4});
  main.operation(IF, {condition, thenGraph, elseGraph, a, c}, {out});
  if (pool) {
    Operand &operand = main.operand(c);
    operand.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    operand.location = {0, 16, 16};
    model.pools.push_back(
        {"ashmem", Memory::region(pool, 0, pool->size()), {}, 0, false});
  }
  model.main = main.finish();
  return annotated;
}

// I-035, I-062
TEST_F(ControlFlowTest, ConstantsCrossTheBoundary) {
  SyntheticDevice &adds = add("adds", {ADD});
  SyntheticDevice &multiplies = add("multiplies", {MUL});
  auto pool = SharedMemory::createAshmem(64);
  ASSERT_TRUE(pool.isOk());
  const std::vector<float> c = {5, 6, 7, 8};
  ASSERT_TRUE((*pool)->write(16, std::as_bytes(std::span(c))).isOk());
  for (uint8_t decision : {0, 1})
    for (bool isInPool : {false, true}) {
      auto model =
          prepared(constantModel(decision, isInPool ? *pool : nullptr));
      bool isReference = false;
      for (SyntheticDevice *device : {&adds, &multiplies})
        device->state->onExecution = [&](const Request &request) {
          isReference = std::holds_alternative<Memory::Descriptor>(
              request.inputs[1].memory.kind());
        };
      auto result = run(*model, {{1, 2, 3, 4}});
      ASSERT_TRUE(result.isOk()) << result.status().message();
      EXPECT_EQ(*result, decision ? sums : products);
      EXPECT_EQ(isReference, isInPool);
    }
}

// I-051: nothing has changed the inputs when the whole model begins again.
TEST_F(ControlFlowTest, ALoopThatFailsBeginsAgainOnTheFallbackDevice) {
  SyntheticDevice &adds = add("adds", {ADD});
  add("compares", {LESS});
  auto model = prepared(conformance::countingLoopModel(5));
  adds.state->failExecutions = StatusCode::generalFailure;
  adds.state->failFrom = 2;
  // The fallback device cannot prepare the step: the model of ADD is the same.
  LoopArguments arguments(0);
  ExecutionResult result;
  EXPECT_EQ(model->execute(arguments.request, result).message(), "");
  EXPECT_EQ(arguments.output, 5);
  EXPECT_EQ(arguments.input, 0);
  EXPECT_EQ(model->fallbacks().steps, 3u);
}

// I-063
TEST_F(ControlFlowTest, FencedExecutionsReadConditionsOnTheHost) {
  add("adds", {ADD});
  add("compares", {LESS});
  auto model = prepared(conformance::countingLoopModel(5));
  LoopArguments arguments(2);
  auto gate = Fence::create();
  ASSERT_TRUE(gate.isOk());
  auto fenced = model->executeFenced(arguments.request, {*gate}, {});
  ASSERT_TRUE(fenced.isOk()) << fenced.status().message();
  (*gate)->complete(Status::ok());
  EXPECT_EQ((*fenced)->fence()->wait(noDeadline).message(), "");
  EXPECT_EQ(arguments.output, 5);
  EXPECT_EQ((*fenced)->executionInfo().status.message(), "");
}

// I-085, I-087: what holds for the model holds for every step.
TEST_F(ControlFlowTest, StepsAreRelaxedAndHavePriorityAndPreference) {
  SyntheticDevice &adds = add("adds", {ADD});
  add("compares", {LESS});
  options.prepare.priority = Priority::high;
  options.prepare.preference = ExecutionPreference::lowPower;
  for (bool isRelaxed : {false, true}) {
    AnnotatedModel model = conformance::countingLoopModel(5);
    model.model.relaxComputationFloat32toFloat16 = isRelaxed;
    prepared(model);
    EXPECT_EQ(adds.state->models.back().model.relaxComputationFloat32toFloat16,
              isRelaxed);
    EXPECT_EQ(adds.state->options.back().priority, Priority::high);
    EXPECT_EQ(adds.state->options.back().preference,
              ExecutionPreference::lowPower);
  }
}

TEST_F(ControlFlowTest, AnOutputThatIsTooSmallForALoop) {
  add("adds", {ADD});
  add("compares", {LESS});
  auto model = prepared(conformance::countingLoopModel(5));
  LoopArguments arguments(2);
  std::byte small[2];
  arguments.request.outputs[0].memory = OutputMemory::borrow(small);
  ExecutionResult result;
  Status status = model->execute(arguments.request, result);
  EXPECT_EQ(status.code(), StatusCode::outputInsufficientSize);
  EXPECT_EQ(status.message(), "output 0 needs 4 bytes");
  ASSERT_EQ(result.outputShapes.size(), 1u);
  EXPECT_FALSE(result.outputShapes[0].isSufficient);
  auto pool = SharedMemory::createAshmem(64);
  ASSERT_TRUE(pool.isOk());
  arguments.request.outputs[0].memory = OutputMemory::region(*pool, 4, 4);
  EXPECT_EQ(model->execute(arguments.request, result).message(), "");
  int32_t value = 0;
  ASSERT_TRUE(
      (*pool)->read(4, std::as_writable_bytes(std::span(&value, 1))).isOk());
  EXPECT_EQ(value, 5);
  arguments.request.outputs[0].memory = {};
  options.mode = PartitionMode::withoutFallback;
  EXPECT_EQ(prepared(conformance::countingLoopModel(5))
                ->execute(arguments.request, result)
                .message(),
            "output 0 has no memory");
}

/// while (count < 5) count = count + 1, x = x + x; out = x.
AnnotatedModel twoStatesModel() {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  const auto ints = OperandType::TENSOR_INT32;
  SubgraphBuilder condition(model);
  {
    uint32_t count = condition.input(ints, {1});
    condition.input(floats, {4});
    uint32_t bound = condition.constant<int32_t>(ints, {1}, {5});
    uint32_t decision = condition.output(OperandType::TENSOR_BOOL8, {1});
    condition.operation(LESS, {count, bound}, {decision});
  }
  model.referenced.push_back(condition.finish());
  SubgraphBuilder body(model);
  {
    uint32_t count = body.input(ints, {1}), x = body.input(floats, {4});
    uint32_t one = body.constant<int32_t>(ints, {1}, {1});
    uint32_t none = body.scalar(0);
    uint32_t next = body.output(ints, {1}), sum = body.output(floats, {4});
    body.operation(ADD, {count, one, none}, {next});
    body.operation(ADD, {x, x, none}, {sum});
  }
  model.referenced.push_back(body.finish());
  SubgraphBuilder main(model);
  uint32_t conditionGraph = main.subgraphReference(0);
  uint32_t bodyGraph = main.subgraphReference(1);
  uint32_t count = main.input(ints, {1}), x = main.input(floats, {4});
  uint32_t last = main.output(ints, {1}), out = main.output(floats, {4});
  main.operation(WHILE, {conditionGraph, bodyGraph, count, x}, {last, out});
  model.main = main.finish();
  return annotated;
}

TEST_F(ControlFlowTest, AnInputThatALoopHandsOnHasItsSize) {
  add("adds", {ADD});
  add("compares", {LESS});
  options.mode = PartitionMode::withoutFallback;
  auto model = prepared(twoStatesModel());
  int32_t count = 3, last = 0;
  std::vector<float> x = {1, 2, 3, 4}, out(4);
  Request request;
  request.inputs = {{Memory::borrow(std::as_bytes(std::span(&count, 1))), {}},
                    {Memory::borrow(std::as_bytes(std::span(x))), {}}};
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(&last, 1))), {}},
      {OutputMemory::borrow(std::as_writable_bytes(std::span(out))), {}}};
  ExecutionResult result;
  EXPECT_EQ(model->execute(request, result).message(), "");
  EXPECT_EQ(out, (std::vector<float>{4, 8, 12, 16}));
  // Without an iteration the initial values are handed on.
  count = 9;
  EXPECT_EQ(model->execute(request, result).message(), "");
  EXPECT_EQ(last, 9);
  EXPECT_EQ(out, x);
  request.inputs[1].memory =
      Memory::borrow(std::as_bytes(std::span(x).first(2)));
  EXPECT_EQ(model->execute(request, result).message(),
            "input 1 has 8 bytes, its shape and type need 16");
}

/// referenced[i] is an IF between referenced[i + 1] twice; the last adds.
AnnotatedModel doublingModel(unsigned levels) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  auto addLevel = [&](unsigned level) {
    SubgraphBuilder graph(model);
    uint32_t flag = graph.input(OperandType::TENSOR_BOOL8, {1});
    uint32_t a = graph.input(floats, {4}), b = graph.input(floats, {4});
    uint32_t out = graph.output(floats, {4});
    if (level == levels) {
      uint32_t none = graph.scalar(0);
      graph.operation(ADD, {a, b, none}, {out});
    } else {
      uint32_t next = graph.subgraphReference(level);
      uint32_t same = graph.subgraphReference(level);
      graph.operation(IF, {flag, next, same, flag, a, b}, {out});
    }
    return graph.finish();
  };
  for (unsigned level = 1; level <= levels; ++level)
    model.referenced.push_back(addLevel(level));
  model.main = addLevel(0);
  return annotated;
}

TEST_F(ControlFlowTest, PlansDoNotGrowWithoutBound) {
  add("adds", {ADD});
  EXPECT_EQ(plan(doublingModel(3))->steps.size(), 22u);
  auto large = plan(doublingModel(12));
  ASSERT_TRUE(large.isOk());
  EXPECT_LE(large->steps.size(), 2200u);
  // Below a certain level the fallback device has the whole.
  EXPECT_EQ(large->steps.back().device, 1u);
  auto deep = plan(doublingModel(18));
  ASSERT_TRUE(deep.isOk());
  EXPECT_EQ(describe(*deep), "nnhal-reference:0");
}

// A chain is as long in whatever order the list has its subgraphs.
TEST_F(ControlFlowTest, HeightsDoNotDependOnTheOrder) {
  Model model = doublingModel(300).model;
  std::vector<uint32_t> heights = heightsOf(model, 257);
  EXPECT_EQ(heights.front(), 257u);
  EXPECT_EQ(heights.back(), 1u);
  std::ranges::reverse(model.referenced);
  for (Subgraph &graph : model.referenced)
    for (Operand &operand : graph.operands)
      if (operand.lifetime == OperandLifeTime::SUBGRAPH)
        operand.location.offset =
            uint32_t(model.referenced.size()) - 1 - operand.location.offset;
  std::ranges::reverse(heights);
  EXPECT_EQ(heightsOf(model, 257), heights);
}

// D-093: models may be nested as deep as they have subgraphs, and nothing
// overflows the stack because of that, whatever devices say that they take.
TEST_F(ControlFlowTest, WhatIsNestedTooDeepIsRefused) {
  auto refusal = [](std::string_view name) {
    return fmt::format("{}: referenced[0] is nested more than 256 deep", name);
  };
  // An IF that is main's names the first of so many.
  EXPECT_EQ(describe(doublingModel(256)), "nnhal-reference:0");
  AnnotatedModel deep = doublingModel(30'000);
  EXPECT_EQ(describe(deep), "main: operation 0 (IF) is supported by none of 1 "
                            "devices: " +
                                refusal("nnhal-reference"));
  SyntheticDevice &boasts = add("boasts", {});
  boasts.state->takesAll = true;
  EXPECT_EQ(describe(doublingModel(256)), "boasts:0");
  EXPECT_EQ(describe(deep), "main: operation 0 (IF) is supported by none of 2 "
                            "devices: " +
                                refusal("boasts") + "; " +
                                refusal("nnhal-reference"));
  EXPECT_EQ(reference->prepareModel(deep).status().code(),
            StatusCode::invalidArgument);
}

} // namespace
