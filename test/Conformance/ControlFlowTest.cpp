//===- ControlFlowTest.cpp - IF and WHILE ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include <array>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

using ControlFlowTest = ModeTest;
NNHAL_ALL_MODES(ControlFlowTest);

constexpr OperandType intTensor = OperandType::TENSOR_INT32;
constexpr OperandType boolTensor = OperandType::TENSOR_BOOL8;

/// Inputs and outputs of one element each; \p Condition is the type of the
/// first input.
template <typename Condition> struct ScalarArguments {
  Condition condition;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  Request request;

  ScalarArguments(Condition value, std::vector<int32_t> others,
                  size_t outputCount)
      : condition(value), inputs(std::move(others)), outputs(outputCount, -7) {
    request.inputs.push_back(
        {Memory::borrow(std::as_bytes(std::span(&condition, 1))), {}});
    for (int32_t &input : inputs)
      request.inputs.push_back(
          {Memory::borrow(std::as_bytes(std::span(&input, 1))), {}});
    for (int32_t &output : outputs)
      request.outputs.push_back(
          {OutputMemory::borrow(std::as_writable_bytes(std::span(&output, 1))),
           {}});
  }
  ScalarArguments(const ScalarArguments &) = delete;
  ScalarArguments &operator=(const ScalarArguments &) = delete;
};

// D-089, D-092: any byte but 0 is true.
TEST_P(ControlFlowTest, ifTakesOneBranch) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, ifModel({2}));
  for (int value : {0, 1, 2, 128, 255}) {
    auto condition = std::byte(value);
    FloatArguments values({{2}, {2}}, {{2}});
    Request request = values.request;
    request.inputs.insert(
        request.inputs.begin(),
        InputArgument{Memory::borrow(std::span(&condition, 1)), {}});
    Executed executed = executeIn(GetParam(), *prepared, request);
    EXPECT_EQ(executed.status.message(), "");
    EXPECT_EQ(values.outputs[0], value != 0 ? (std::vector<float>{2, 4})
                                            : (std::vector<float>{1, 4}))
        << value;
  }
}

// D-085, D-088: a loop that never begins takes no time.
TEST_P(ControlFlowTest, whileMayNotRunAtAll) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, countingLoopModel(5));
  for (int32_t first : {5, 6, 1000}) {
    LoopArguments arguments(first);
    arguments.request.loopTimeout = 0;
    Executed executed = executeIn(GetParam(), *prepared, arguments.request);
    EXPECT_EQ(executed.status.message(), "");
    EXPECT_EQ(arguments.output, first);
  }
}

// D-088.
TEST_P(ControlFlowTest, whileCounts) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, countingLoopModel(5));
  for (int32_t first : {-3, 0, 4}) {
    LoopArguments arguments(first);
    Executed executed = executeIn(GetParam(), *prepared, arguments.request);
    EXPECT_EQ(executed.status.message(), "");
    EXPECT_EQ(arguments.output, 5);
    EXPECT_EQ(arguments.input, first);
  }
}

/// Adds to \p model a subgraph with one INT32 input and output which differ by
/// \p step.
void addStep(Model &model, int32_t step) {
  SubgraphBuilder branch(model);
  uint32_t value = branch.input(intTensor, {1});
  uint32_t addend = branch.constant<int32_t>(intTensor, {1}, {step});
  uint32_t result = branch.output(intTensor, {1});
  branch.operation(OperationType::ADD, {value, addend, branch.scalar(0)},
                   {result});
  model.referenced.push_back(branch.finish());
}

/// out = condition ? value + 10 : a loop without end.
AnnotatedModel ifWithEndlessBranch() {
  AnnotatedModel annotated = endlessLoopModel();
  Model &model = annotated.model;
  // The loop becomes subgraph 2.
  model.referenced.push_back(std::move(model.main));
  addStep(model, 10);
  SubgraphBuilder main(model);
  uint32_t condition = main.input(boolTensor, {1});
  uint32_t value = main.input(intTensor, {1});
  uint32_t step = main.subgraphReference(3);
  uint32_t loop = main.subgraphReference(2);
  uint32_t result = main.output(intTensor, {1});
  main.operation(OperationType::IF, {condition, step, loop, value}, {result});
  model.main = main.finish();
  return annotated;
}

// D-089: what the other branch would do does not matter.
TEST_P(ControlFlowTest, ifDoesNotRunTheOtherBranch) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, ifWithEndlessBranch());
  ScalarArguments<uint8_t> arguments(1, {32}, 1);
  arguments.request.loopTimeout = 1'000'000;
  Executed executed = executeIn(GetParam(), *prepared, arguments.request);
  EXPECT_EQ(executed.status.message(), "");
  EXPECT_EQ(arguments.outputs[0], 42);
  arguments.condition = 0;
  executed = executeIn(GetParam(), *prepared, arguments.request);
  EXPECT_EQ(executed.status.code(), StatusCode::missedDeadlineTransient);
}

/// (i, a, b) -> (i + 1, b, a + b) while i < limit. Only the first \p visible
/// values come out; the others are state.
AnnotatedModel fibonacciModel(int32_t limit, unsigned visible) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  SubgraphBuilder condition(model);
  uint32_t counter = condition.input(intTensor, {1});
  condition.input(intTensor, {1});
  condition.input(intTensor, {1});
  uint32_t bound = condition.constant<int32_t>(intTensor, {1}, {limit});
  uint32_t decision = condition.output(boolTensor, {1});
  condition.operation(OperationType::LESS, {counter, bound}, {decision});
  model.referenced.push_back(condition.finish());

  SubgraphBuilder body(model);
  std::array<uint32_t, 3> in = {body.input(intTensor, {1}),
                                body.input(intTensor, {1}),
                                body.input(intTensor, {1})};
  uint32_t one = body.constant<int32_t>(intTensor, {1}, {1});
  uint32_t zero = body.constant<int32_t>(intTensor, {1}, {0});
  uint32_t none = body.scalar(0);
  std::array<uint32_t, 3> out = {body.output(intTensor, {1}),
                                 body.output(intTensor, {1}),
                                 body.output(intTensor, {1})};
  body.operation(OperationType::ADD, {in[0], one, none}, {out[0]});
  body.operation(OperationType::ADD, {in[2], zero, none}, {out[1]});
  body.operation(OperationType::ADD, {in[1], in[2], none}, {out[2]});
  model.referenced.push_back(body.finish());

  SubgraphBuilder main(model);
  std::vector<uint32_t> inputs;
  inputs.reserve(5);
  for (uint32_t subgraph : {0u, 1u})
    inputs.push_back(main.subgraphReference(subgraph));
  for (int i = 0; i < 3; ++i)
    inputs.push_back(main.input(intTensor, {1}));
  std::vector<uint32_t> outputs;
  outputs.reserve(visible);
  for (unsigned i = 0; i < visible; ++i)
    outputs.push_back(main.output(intTensor, {1}));
  main.operation(OperationType::WHILE, inputs, outputs);
  model.main = main.finish();
  return annotated;
}

// D-091, D-094: what one iteration reads the last one has not overwritten.
TEST_P(ControlFlowTest, whileExchangesItsValues) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, fibonacciModel(20, 3));
  ScalarArguments<int32_t> arguments(0, {0, 1}, 3);
  Executed executed = executeIn(GetParam(), *prepared, arguments.request);
  EXPECT_EQ(executed.status.message(), "");
  EXPECT_EQ(arguments.outputs, (std::vector<int32_t>{20, 6765, 10946}));
}

// D-090: values that stay inside of the loop.
TEST_P(ControlFlowTest, whileKeepsState) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, fibonacciModel(20, 2));
  EXPECT_EQ(prepared->interface().outputs.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    ScalarArguments<int32_t> arguments(0, {0, 1}, 2);
    Executed executed = executeIn(GetParam(), *prepared, arguments.request);
    EXPECT_EQ(executed.status.message(), "");
    EXPECT_EQ(arguments.outputs, (std::vector<int32_t>{20, 6765}));
  }
}

/// \p depth IFs, each in the branch of the one around it; the innermost adds 1
/// or subtracts 1.
AnnotatedModel nestedModel(uint32_t depth) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  addStep(model, 1);
  addStep(model, -1);
  auto build = [&](uint32_t inner) {
    SubgraphBuilder builder(model);
    uint32_t condition = builder.input(boolTensor, {1});
    uint32_t value = builder.input(intTensor, {1});
    uint32_t result = builder.output(intTensor, {1});
    std::vector<uint32_t> inputs = {condition, builder.subgraphReference(inner),
                                    builder.subgraphReference(inner)};
    if (inner == 0)
      inputs[2] = builder.subgraphReference(1);
    else
      inputs.push_back(condition);
    inputs.push_back(value);
    builder.operation(OperationType::IF, inputs, {result});
    return builder.finish();
  };
  uint32_t inner = 0;
  for (uint32_t i = 1; i < depth; ++i) {
    model.referenced.push_back(build(inner));
    inner = uint32_t(model.referenced.size() - 1);
  }
  model.main = build(inner);
  return annotated;
}

// D-093.
TEST_P(ControlFlowTest, controlFlowNests) {
  for (uint32_t depth : {1u, 2u, 6u}) {
    NNHAL_PREPARE_OR_SKIP(prepared, *device, nestedModel(depth));
    for (uint8_t condition : {0, 1}) {
      ScalarArguments<uint8_t> arguments(condition, {41}, 1);
      Executed executed = executeIn(GetParam(), *prepared, arguments.request);
      EXPECT_EQ(executed.status.message(), "");
      EXPECT_EQ(arguments.outputs[0], condition ? 42 : 40);
    }
  }
}

/// Counts to 4. Each iteration does \p change, which doubles or shortens, to a
/// tensor of whatever size.
AnnotatedModel changingLoopModel(OperationType change) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  const Dimensions open = {0};
  SubgraphBuilder condition(model);
  uint32_t count = condition.input(intTensor, {1});
  condition.input(intTensor, open);
  uint32_t limit = condition.constant<int32_t>(intTensor, {1}, {4});
  uint32_t isBelow = condition.output(boolTensor, {1});
  condition.operation(OperationType::LESS, {count, limit}, {isBelow});
  model.referenced.push_back(condition.finish());

  SubgraphBuilder body(model);
  count = body.input(intTensor, {1});
  uint32_t values = body.input(intTensor, open);
  uint32_t one = body.constant<int32_t>(intTensor, {1}, {1});
  uint32_t next = body.output(intTensor, {1});
  uint32_t changed = body.output(intTensor, open);
  body.operation(OperationType::ADD, {count, one, body.scalar(0)}, {next});
  if (change == OperationType::SLICE)
    body.operation(change,
                   {values, one, body.constant<int32_t>(intTensor, {1}, {-1})},
                   {changed});
  else
    body.operation(change,
                   {values, body.constant<int32_t>(intTensor, {1}, {2})},
                   {changed});
  model.referenced.push_back(body.finish());

  SubgraphBuilder main(model);
  uint32_t check = main.subgraphReference(0);
  uint32_t step = main.subgraphReference(1);
  uint32_t begin = main.input(intTensor, {1});
  uint32_t first = main.input(intTensor, open);
  uint32_t end = main.output(intTensor, {1});
  uint32_t last = main.output(intTensor, open);
  main.operation(OperationType::WHILE, {check, step, begin, first},
                 {end, last});
  model.main = main.finish();
  return annotated;
}

// M-241: a value of a loop has another shape in each iteration, and at last no
// element.
TEST_P(ControlFlowTest, valuesOfLoopsChangeTheirShape) {
  for (OperationType change : {OperationType::TILE, OperationType::SLICE}) {
    NNHAL_PREPARE_OR_SKIP(prepared, *device, changingLoopModel(change));
    for (int32_t begin : {1, 3}) {
      int32_t end = -1;
      std::vector<int32_t> values = {5, 6, 7}, results(64, -1);
      Request request;
      auto bytesOf = [](int32_t &value) { return std::span(&value, 1); };
      request.inputs = {
          {Memory::borrow(std::as_bytes(bytesOf(begin))), {}},
          {Memory::borrow(std::as_bytes(std::span(values))), {3}}};
      request.outputs = {
          {OutputMemory::borrow(std::as_writable_bytes(bytesOf(end))), {}},
          {OutputMemory::borrow(std::as_writable_bytes(std::span(results))),
           {}}};
      Executed executed = executeIn(GetParam(), *prepared, request);
      if (GetParam() == Mode::fenced) {
        EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
        continue;
      }
      EXPECT_EQ(executed.status.message(), "");
      EXPECT_EQ(end, 4);
      uint32_t count = change == OperationType::TILE
                           ? uint32_t(3 << (4 - begin))
                           : uint32_t(std::max(0, 3 - (4 - begin)));
      ASSERT_EQ(executed.result.outputShapes.size(), 2u);
      EXPECT_EQ(executed.result.outputShapes[1], (OutputShape{{count}, true}));
      for (uint32_t i = 0; i < results.size(); ++i) {
        int32_t wanted = -1;
        if (i < count)
          wanted = change == OperationType::TILE ? values[i % 3]
                                                 : values[3 - count + i];
        EXPECT_EQ(results[i], wanted) << i;
      }
    }
  }
}

} // namespace
