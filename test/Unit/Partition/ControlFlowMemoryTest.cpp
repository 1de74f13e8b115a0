//===- ControlFlowMemoryTest.cpp - Control flow over memory of any kind ---===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionTesting.h"

#include "Conformance/Conformance.h"
#include "nnhal/Runtime/Buffer.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;
using conformance::LoopArguments;

using enum OperationType;

namespace {

constexpr OperandType floats = OperandType::TENSOR_FLOAT32,
                      ints = OperandType::TENSOR_INT32,
                      flags = OperandType::TENSOR_BOOL8;

class ControlFlowMemoryTest : public PartitionTesting {
protected:
  ControlFlowMemoryTest() {
    options.findBuffer = [this](const Device &device, uint32_t token) {
      asked.push_back(std::string(device.name()));
      auto found = std::ranges::find_if(buffers, [&](const auto &buffer) {
        return buffer->token() == token;
      });
      return found == buffers.end() ? nullptr : *found;
    };
  }

  /// Memory of the device of the one role in \p roles.
  std::shared_ptr<Buffer>
  allocate(const std::vector<PartitionedModel::Role> &roles) {
    EXPECT_EQ(roles.size(), 1u);
    const PartitionedModel::Role &step = roles.at(0);
    BufferRole role{0, step.index, 1.0f};
    std::span<const BufferRole> one(&role, 1), none;
    auto made = step.device->allocate({}, std::span(&step.model, 1),
                                      step.isInput ? one : none,
                                      step.isInput ? none : one);
    EXPECT_EQ(made.status().message(), "");
    buffers.push_back(*made);
    return *made;
  }

  std::vector<std::shared_ptr<Buffer>> buffers;
  std::vector<std::string> asked;
};

template <typename T>
std::shared_ptr<SharedMemory> shared(const std::vector<T> &values) {
  auto pool = SharedMemory::createAshmem(values.size() * sizeof(T));
  EXPECT_TRUE(
      (*pool)->write(0, std::as_bytes(std::span<const T>(values))).isOk());
  return *pool;
}

template <typename T> void fill(Buffer &buffer, const std::vector<T> &values) {
  EXPECT_EQ(buffer.copyFrom(*shared<T>(values), {}).message(), "");
}

int32_t intIn(const Buffer &buffer) {
  auto pool = shared<int32_t>({0});
  EXPECT_EQ(buffer.copyTo(*pool).message(), "");
  int32_t value = 0;
  EXPECT_TRUE(
      pool->read(0, std::as_writable_bytes(std::span(&value, 1))).isOk());
  return value;
}

template <typename T> InputArgument argument(std::vector<T> &values) {
  return {Memory::borrow(std::as_bytes(std::span(values))), {}};
}

template <typename T> OutputArgument result(std::vector<T> &values) {
  return {OutputMemory::borrow(std::as_writable_bytes(std::span(values))), {}};
}

/// out = flag ? a + b : a * b beside no = !flag: a step reads the condition.
AnnotatedModel decisionModel() {
  AnnotatedModel annotated = conformance::ifModel({4});
  Model &model = annotated.model;
  SubgraphBuilder main(model);
  uint32_t flag = main.input(flags, {1});
  uint32_t a = main.input(floats, {4}), b = main.input(floats, {4});
  uint32_t thenGraph = main.subgraphReference(0);
  uint32_t elseGraph = main.subgraphReference(1);
  uint32_t no = main.output(flags, {1}), out = main.output(floats, {4});
  main.operation(LOGICAL_NOT, {flag}, {no});
  main.operation(IF, {flag, thenGraph, elseGraph, a, b}, {out});
  model.main = main.finish();
  return annotated;
}

// I-061, F-081
TEST_F(ControlFlowMemoryTest, TheConditionIsReadFromDeviceMemory) {
  add("adds", {ADD, LOGICAL_NOT});
  add("multiplies", {MUL});
  options.mode = PartitionMode::withoutFallback;
  auto model = prepared(decisionModel());
  EXPECT_EQ(describe(model->plan()), "adds:0 if adds:0 goto multiplies:0");
  auto flag = allocate(model->rolesOfInput(0));
  std::vector<float> a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, out(4);
  std::vector<std::byte> no(1);
  Request request;
  request.inputs = {
      {Memory::device(flag->token()), {}}, argument(a), argument(b)};
  request.outputs = {result(no), result(out)};
  ExecutionResult executed;
  for (bool isTrue : {true, false}) {
    fill<uint8_t>(*flag, {isTrue});
    EXPECT_EQ(model->execute(request, executed).message(), "");
    EXPECT_EQ(out, isTrue ? (std::vector<float>{6, 8, 10, 12})
                          : (std::vector<float>{5, 12, 21, 32}));
    EXPECT_EQ(no[0], std::byte(!isTrue));
  }
  EXPECT_EQ(asked, (std::vector<std::string>{"adds", "adds"}));
  // Nobody has written the buffer.
  auto unwritten = allocate(model->rolesOfInput(0));
  request.inputs[0].memory = Memory::device(unwritten->token());
  EXPECT_EQ(model->execute(request, executed).code(),
            StatusCode::generalFailure);
}

// F-081: a step whose buffer cannot be copied is left to the whole model, where
// it cannot be copied either.
TEST_F(ControlFlowMemoryTest, AStepWhoseBufferNobodyKnowsIsNotRepeated) {
  add("a", {ADD, MUL});
  SyntheticDevice &second = add("b", {ABS, FLOOR});
  auto model = prepared(chainModel());
  auto out = allocate(model->rolesOfOutput(0));
  buffers.clear();
  second.state->failExecutions = StatusCode::generalFailure;
  std::vector<std::vector<float>> inputs = chainInputs();
  Request request;
  request.inputs = {argument(inputs[0]), argument(inputs[1])};
  request.outputs = {{OutputMemory::device(out->token()), {}}};
  ExecutionResult executed;
  EXPECT_EQ(model->execute(request, executed).message(),
            "device memory " + std::to_string(out->token()) +
                " cannot be copied: its buffer is not known");
  EXPECT_EQ(asked, (std::vector<std::string>{"b", "b"}));
  // The one before, which has no buffer, was repeated.
  EXPECT_EQ(model->fallbacks().steps, 1u);
}

TEST_F(ControlFlowMemoryTest, AConditionInDeviceMemoryThatNobodyKnows) {
  add("adds", {ADD});
  add("multiplies", {MUL});
  options.mode = PartitionMode::withoutFallback;
  auto model = prepared(conformance::ifModel({4}));
  // No step reads the condition, so that no device can have its buffer.
  EXPECT_TRUE(model->rolesOfInput(0).empty());
  std::vector<float> a(4), b(4), out(4);
  Request request;
  request.inputs = {{Memory::device(77), {}}, argument(a), argument(b)};
  request.outputs = {result(out)};
  ExecutionResult executed;
  EXPECT_EQ(model->execute(request, executed).message(),
            "device memory 77 cannot be copied: its buffer is not known");
  EXPECT_TRUE(asked.empty());
}

// I-061: a region without a size is the pool from its offset on.
TEST_F(ControlFlowMemoryTest, AConditionHasOneByte) {
  add("adds", {ADD});
  add("multiplies", {MUL});
  options.mode = PartitionMode::withoutFallback;
  auto model = prepared(conformance::ifModel({4}));
  std::vector<float> a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, out(4);
  Request request;
  request.outputs = {result(out)};
  ExecutionResult executed;
  auto execute = [&](Memory condition) {
    request.inputs = {{std::move(condition), {}}, argument(a), argument(b)};
    return std::string(model->execute(request, executed).message());
  };
  auto pool = shared<uint8_t>({0, 0, 1});
  EXPECT_EQ(execute(Memory::region(pool, 2, 0)), "");
  EXPECT_EQ(out, (std::vector<float>{6, 8, 10, 12}));
  EXPECT_EQ(execute(Memory::region(shared<uint8_t>({0}), 0, 0)), "");
  EXPECT_EQ(out, (std::vector<float>{5, 12, 21, 32}));
  EXPECT_EQ(execute(Memory::region(pool, 0, 0)),
            "input 0 has 3 bytes, its shape and type need 1");
  EXPECT_EQ(execute({}), "input 0 is omitted, and the divided model needs it");
  // Regions outside the pool are none.
  for (uint64_t offset : {uint64_t(3), uint64_t(4), UINT64_MAX})
    EXPECT_NE(execute(Memory::region(pool, offset, 0)), "") << offset;
  EXPECT_NE(execute(Memory::region(pool, 3, 1)), "");
}

// D-013: what no device reads has the shape of the model, too.
TEST_F(ControlFlowMemoryTest, ArgumentsHaveTheShapesOfTheModel) {
  add("adds", {ADD});
  add("multiplies", {MUL});
  auto model = prepared(conformance::ifModel({4}));
  std::vector<float> a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, out(4);
  const std::byte yes{1};
  Request request;
  ExecutionResult executed;
  auto refused = [&](std::vector<uint32_t> condition,
                     std::vector<uint32_t> sum) {
    request.inputs = {{Memory::borrow(std::span(&yes, 1)), condition},
                      argument(a),
                      argument(b)};
    request.outputs = {result(out)};
    request.outputs[0].dimensions = std::move(sum);
    executed.outputShapes.resize(1);
    Status status = model->execute(request, executed);
    EXPECT_EQ(status.code(), StatusCode::invalidArgument);
    EXPECT_TRUE(executed.outputShapes.empty());
    return std::string(status.message());
  };
  EXPECT_EQ(refused({1, 1}, {}),
            "input 0 has rank 2 in the request and 1 in the model");
  EXPECT_EQ(refused({2}, {}), "input 0 has extent 2 in dimension 0 of the "
                              "request and 1 in the model");
  EXPECT_EQ(refused({0}, {}), "input 0 has extent 0 in dimension 0 of the "
                              "request and 1 in the model");
  EXPECT_EQ(refused({1}, {4, 1}),
            "output 0 has rank 2 in the request and 1 in the model");
  EXPECT_EQ(refused({1}, {5}), "output 0 has extent 5 in dimension 0 of the "
                               "request and 4 in the model");
  EXPECT_EQ(model->fallbacks().models + model->fallbacks().steps, 0u);
  request.outputs[0].dimensions = {0};
  EXPECT_EQ(model->execute(request, executed).message(), "");
}

/// before = count + 1; while (count < 5) count = count + 1; last = count;
/// after = last + 1: steps read the first value of the loop, and the last one.
AnnotatedModel countedModel() {
  AnnotatedModel annotated = conformance::countingLoopModel(5);
  Model &model = annotated.model;
  SubgraphBuilder main(model);
  uint32_t count = main.input(ints, {1});
  uint32_t condition = main.subgraphReference(0);
  uint32_t body = main.subgraphReference(1);
  uint32_t one = main.constant<int32_t>(ints, {1}, {1});
  uint32_t none = main.scalar(0);
  uint32_t before = main.output(ints, {1}), last = main.output(ints, {1});
  uint32_t after = main.output(ints, {1});
  main.operation(ADD, {count, one, none}, {before});
  main.operation(WHILE, {condition, body, count}, {last});
  main.operation(ADD, {last, one, none}, {after});
  model.main = main.finish();
  return annotated;
}

// I-051, I-058, F-081
TEST_F(ControlFlowMemoryTest, ALoopBeginsAndEndsInDeviceMemory) {
  add("adds", {ADD});
  add("compares", {LESS});
  auto model = prepared(countedModel());
  EXPECT_EQ(describe(model->plan()),
            "adds:0 while compares:0 goto adds:0 goto adds:2");
  auto count = allocate(model->rolesOfInput(0));
  auto last = allocate(model->rolesOfOutput(1));
  std::vector<int32_t> before(1), after(1);
  Request request;
  request.inputs = {{Memory::device(count->token()), {}}};
  request.outputs = {
      result(before), {OutputMemory::device(last->token()), {}}, result(after)};
  ExecutionResult executed;
  // The values of a loop that has not iterated come from one buffer and go to
  // the other.
  for (int32_t first : {9, 3}) {
    fill<int32_t>(*count, {first});
    EXPECT_EQ(model->execute(request, executed).message(), "");
    EXPECT_EQ(before[0], first + 1);
    EXPECT_EQ(intIn(*last), std::max(first, 5));
    EXPECT_EQ(after[0], std::max(first, 5) + 1);
  }
  EXPECT_EQ(model->fallbacks().models, 0u);
  // The memory of the last value is not known any more.
  buffers.pop_back();
  options.mode = PartitionMode::withoutFallback;
  auto alone = prepared(countedModel());
  std::vector<int32_t> value = {2};
  request.inputs = {argument(value)};
  EXPECT_EQ(alone->execute(request, executed).message(),
            "device memory " + std::to_string(last->token()) +
                " cannot be copied: its buffer is not known");
}

/// Moves the constants of the main subgraph into a pool.
void moveToPool(Model &model, bool hasDescriptor) {
  std::vector<uint8_t> bytes = model.operandValues;
  Memory memory = Memory::copy(std::as_bytes(std::span(bytes)));
  if (hasDescriptor)
    memory = Memory::region(shared<uint8_t>(bytes), 0, bytes.size());
  for (Operand &operand : model.main.operands)
    if (operand.lifetime == OperandLifeTime::CONSTANT_COPY)
      operand.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
  model.pools = {{"ashmem", std::move(memory), {}, 0, false}};
}

// I-035, I-062: conditions and first values of loops may be constants in pools,
// be those behind descriptors or not.
TEST_F(ControlFlowMemoryTest, ConstantsOfPoolsDecideAndBeginLoops) {
  add("adds", {ADD});
  add("multiplies", {MUL});
  add("compares", {LESS});
  options.mode = PartitionMode::withoutFallback;
  for (bool hasDescriptor : {false, true})
    for (bool isTrue : {false, true}) {
      AnnotatedModel annotated = conformance::ifModel({4});
      SubgraphBuilder main(annotated.model);
      uint32_t decision = main.constant<uint8_t>(flags, {1}, {uint8_t(isTrue)});
      uint32_t thenGraph = main.subgraphReference(0);
      uint32_t elseGraph = main.subgraphReference(1);
      uint32_t a = main.input(floats, {4});
      uint32_t c = main.constant<float>(floats, {4}, {5, 6, 7, 8});
      uint32_t out = main.output(floats, {4});
      main.operation(IF, {decision, thenGraph, elseGraph, a, c}, {out});
      annotated.model.main = main.finish();
      moveToPool(annotated.model, hasDescriptor);
      auto result = run(*prepared(annotated), {{1, 2, 3, 4}});
      ASSERT_TRUE(result.isOk()) << result.status().message();
      EXPECT_EQ(*result, isTrue ? (std::vector<float>{6, 8, 10, 12})
                                : (std::vector<float>{5, 12, 21, 32}));
    }
  for (bool hasDescriptor : {false, true})
    for (int32_t first : {3, 9}) {
      AnnotatedModel annotated = conformance::countingLoopModel(5);
      SubgraphBuilder main(annotated.model);
      uint32_t condition = main.subgraphReference(0);
      uint32_t body = main.subgraphReference(1);
      uint32_t begin = main.constant<int32_t>(ints, {1}, {first});
      uint32_t none = main.scalar(0);
      uint32_t in = main.input(ints, {1}), last = main.temporary(ints, {1});
      uint32_t out = main.output(ints, {1});
      main.operation(WHILE, {condition, body, begin}, {last});
      main.operation(ADD, {last, in, none}, {out});
      annotated.model.main = main.finish();
      moveToPool(annotated.model, hasDescriptor);
      LoopArguments arguments(100);
      ExecutionResult executed;
      EXPECT_EQ(
          prepared(annotated)->execute(arguments.request, executed).message(),
          "");
      EXPECT_EQ(arguments.output, 100 + std::max(first, 5));
    }
}

// A region without offset and size is the whole pool.
TEST_F(ControlFlowMemoryTest, ALoopWritesAWholePool) {
  add("adds", {ADD});
  add("compares", {LESS});
  auto model = prepared(conformance::countingLoopModel(5));
  LoopArguments arguments(2);
  auto pool = shared<int32_t>({0});
  OutputMemory &memory = arguments.request.outputs[0].memory;
  memory = OutputMemory::region(pool, 0, 0);
  ExecutionResult executed;
  EXPECT_EQ(model->execute(arguments.request, executed).message(), "");
  int32_t value = 0;
  ASSERT_TRUE(
      pool->read(0, std::as_writable_bytes(std::span(&value, 1))).isOk());
  EXPECT_EQ(value, 5);
  auto small = shared<uint8_t>({0, 0});
  for (const OutputMemory &tooSmall :
       {OutputMemory::region(small, 0, 0), OutputMemory::region(pool, 0, 3)}) {
    memory = tooSmall;
    Status status = model->execute(arguments.request, executed);
    EXPECT_EQ(status.code(), StatusCode::outputInsufficientSize);
    EXPECT_EQ(status.message(), "output 0 needs 4 bytes");
    EXPECT_FALSE(executed.outputShapes.at(0).isSufficient);
  }
}

} // namespace
