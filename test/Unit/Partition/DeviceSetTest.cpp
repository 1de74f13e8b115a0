//===- DeviceSetTest.cpp - Several devices as one -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionTesting.h"

#include "nnhal/Runtime/DeviceSet.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>
#include <future>

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;

using enum OperationType;

namespace {

class DeviceSetTest : public PartitionTesting {
protected:
  std::unique_ptr<Device>
  makeSet(const Device *fallback,
          PartitionMode mode = PartitionMode::withFallback) {
    DeviceSetOptions made;
    made.mode = mode;
    made.devices = devices;
    made.fallback = fallback;
    made.planner = Planner::greedy;
    return createDeviceSet(std::move(made));
  }

  PreparedModelRef prepareOn(const Device &set) {
    auto prepared = set.prepareModel(chainModel());
    EXPECT_EQ(prepared.status().message(), "");
    return prepared.isOk() ? *prepared : nullptr;
  }
};

TEST_F(DeviceSetTest, IsADevice) {
  add("fast", {ADD, MUL}, 0.25f);
  auto set = makeSet(reference.get());
  EXPECT_EQ(set->name(), "auto");
  EXPECT_EQ(set->version(), "1+" + std::string(reference->version()));
  EXPECT_EQ(set->status(), DeviceStatus::available);
  EXPECT_EQ(set->halVersion(), HalVersion::V1_3);
  EXPECT_EQ(lookUp(set->capabilities().operandPerformance,
                   OperandType::TENSOR_FLOAT32)
                .execTime,
            0.25f);
  EXPECT_TRUE(validateCapabilities(set->capabilities()).isOk());
  EXPECT_EQ(set->cacheFiles(), CacheFiles());

  auto supported = set->supportedOperations(chainModel());
  ASSERT_TRUE(supported.isOk());
  for (const Status &status : *supported)
    EXPECT_EQ(status.message(), "");
  PreparedModelRef model = prepareOn(*set);
  EXPECT_EQ(*run(*model, chainInputs()), chainResult());
}

TEST_F(DeviceSetTest, ADeviceThatForgetsAnAnswer) {
  SyntheticDevice &all = add("all", {ADD, ABS, MUL, FLOOR});
  // Whether it is asked first or behind another one.
  for (bool isFirst : {true, false}) {
    if (!isFirst)
      std::ranges::reverse(devices);
    all.state->forgetsAnAnswer = true;
    Status status =
        makeSet(reference.get())->supportedOperations(chainModel()).status();
    EXPECT_EQ(status.code(), StatusCode::generalFailure);
    EXPECT_EQ(status.message(), "device all answered for 3 of 4 operations");
    all.state->forgetsAnAnswer = false;
    EXPECT_TRUE(
        makeSet(reference.get())->supportedOperations(chainModel()).isOk());
  }
}

// The set itself is in this process, whatever its devices are.
TEST_F(DeviceSetTest, TraitsAreThoseOfASet) {
  SyntheticOptions made;
  made.isRemote = true;
  EXPECT_TRUE(add(made).traits().isRemote);
  auto set = makeSet(reference.get());
  EXPECT_EQ(set->type(), DeviceType::other);
  EXPECT_EQ(set->traits(), DeviceTraits());
}

TEST_F(DeviceSetTest, PreparesAsynchronously) {
  add("fast", {ADD, MUL}, 0.25f);
  auto set = makeSet(reference.get());
  auto model = std::make_shared<AnnotatedModel>(chainModel());
  std::promise<Result<PreparedModelRef>> promise;
  Status launched =
      set->prepareModelAsync(model, {}, [&](Result<PreparedModelRef> prepared) {
        promise.set_value(std::move(prepared));
      });
  EXPECT_EQ(launched.message(), "");
  auto prepared = promise.get_future().get();
  ASSERT_EQ(prepared.status().message(), "");
  EXPECT_EQ(*run(**prepared, chainInputs()), chainResult());
  EXPECT_EQ(set->prepareModelAsync(model, {}, nullptr).message(),
            "a preparation needs a callback");
  EXPECT_EQ(set->prepareModelAsync(nullptr, {}, [](auto) {}).message(),
            "a preparation needs a model");
}

/// out = true ? in + c : in * c for a constant c, which the model holds.
AnnotatedModel constantIfModel() {
  AnnotatedModel annotated = conformance::ifModel({4});
  SubgraphBuilder main(annotated.model);
  const auto floats = OperandType::TENSOR_FLOAT32;
  uint32_t isTrue =
      main.constant<uint8_t>(OperandType::TENSOR_BOOL8, {1}, {uint8_t(1)});
  uint32_t thenGraph = main.subgraphReference(0);
  uint32_t elseGraph = main.subgraphReference(1);
  uint32_t in = main.input(floats, {4});
  uint32_t c = main.constant<float>(floats, {4}, {5, 6, 7, 8});
  uint32_t out = main.output(floats, {4});
  main.operation(IF, {isTrue, thenGraph, elseGraph, in, c}, {out});
  annotated.model.main = main.finish();
  return annotated;
}

// Nothing refers to the model behind its preparation.
TEST_F(DeviceSetTest, AModelMayChangeAfterItsPreparation) {
  add("adds", {ADD});
  add("multiplies", {MUL});
  for (PartitionMode mode :
       {PartitionMode::withFallback, PartitionMode::withoutFallback}) {
    auto set = makeSet(reference.get(), mode);
    AnnotatedModel model = constantIfModel();
    auto prepared = set->prepareModel(model);
    ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
    EXPECT_EQ(dynamic_cast<PartitionedModel &>(**prepared).plan().steps.size(),
              4u);
    std::ranges::fill(model.model.operandValues, uint8_t(0));
    auto result = run(**prepared, {{1, 2, 3, 4}});
    ASSERT_TRUE(result.isOk()) << result.status().message();
    EXPECT_EQ(*result, (std::vector<float>{6, 8, 10, 12}));
  }
}

// A preparation whose deadline has passed is not begun.
TEST_F(DeviceSetTest, APreparationThatComesTooLate) {
  SyntheticDevice &fast = add("fast", {ADD, MUL}, 0.25f);
  auto set = makeSet(reference.get());
  PrepareOptions late;
  late.deadline = 1;
  std::promise<StatusCode> promise;
  Status launched = set->prepareModelAsync(
      std::make_shared<AnnotatedModel>(chainModel()), late,
      [&](const Result<PreparedModelRef> &prepared) {
        promise.set_value(prepared.status().code());
      });
  EXPECT_EQ(launched.message(), "the deadline had passed before the call");
  EXPECT_EQ(promise.get_future().get(), StatusCode::missedDeadlinePersistent);
  EXPECT_EQ(fast.state->preparations, 0u);
}

TEST_F(DeviceSetTest, KeepsNothingItself) {
  auto set = makeSet(reference.get());
  EXPECT_EQ(set->prepareModelFromCache({}, {}).status().message(),
            "device auto keeps no compiled models: its devices do");
  EXPECT_EQ(set->prepareModelFromArtifact({}, {}).status().message(),
            "device auto loads no artifacts: name one of its devices");
}

// F-069: a buffer is of the one device that has all of its roles.
TEST_F(DeviceSetTest, BuffersAreThoseOfOneDevice) {
  add("fast", {ADD, MUL}, 0.25f);
  auto set = makeSet(reference.get());
  PreparedModelRef model = prepareOn(*set);
  auto allocate = [&](std::vector<BufferRole> inputs,
                      std::vector<BufferRole> outputs) {
    return set->allocate({}, std::span(&model, model ? 1 : 0), inputs, outputs)
        .status()
        .message();
  };
  EXPECT_EQ(allocate({{0, 0}}, {}), "");
  EXPECT_EQ(allocate({}, {{0, 0}}), "");
  EXPECT_EQ(allocate({{0, 0}}, {{0, 0}}),
            "no device has all roles of a buffer: fast and nnhal-reference "
            "share them");
  EXPECT_EQ(allocate({}, {}), "a buffer needs a role of a step");
  EXPECT_EQ(allocate({{1, 0}}, {}), "a role names model 1 of 1");
  EXPECT_EQ(allocate({{0, 2}}, {}), "a role names input 2 of 2");
  EXPECT_EQ(allocate({}, {{0, 1}}), "a role names output 1 of 1");
  model = *reference->prepareModel(chainModel());
  EXPECT_EQ(allocate({{0, 0}}, {}),
            "model 0 of a buffer's roles was prepared by another device");
}

// F-081: the fallback device repeats a step whose input is in a buffer.
TEST_F(DeviceSetTest, StepsWithBuffersFallBack) {
  SyntheticDevice &fast = add("fast", {ADD, ABS, MUL, FLOOR}, 0.25f);
  auto set = makeSet(reference.get());
  PreparedModelRef model = prepareOn(*set);
  const BufferRole role{0, 0};
  auto buffer =
      set->allocate({}, std::span(&model, 1), std::span(&role, 1), {});
  ASSERT_EQ(buffer.status().message(), "");
  std::vector<std::vector<float>> inputs = chainInputs();
  auto pool = *SharedMemory::createAshmem(4 * sizeof(float));
  ASSERT_TRUE(pool->write(0, std::as_bytes(std::span(inputs[0]))).isOk());
  ASSERT_EQ((*buffer)->copyFrom(*pool, {}).message(), "");

  fast.state->failExecutions = StatusCode::generalFailure;
  std::vector<float> output(4);
  Request request;
  request.inputs = {{Memory::device((*buffer)->token()), {}},
                    {Memory::borrow(std::as_bytes(std::span(inputs[1]))), {}}};
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(output))), {}}};
  ExecutionResult result;
  EXPECT_EQ(model->execute(request, result).message(), "");
  EXPECT_EQ(output, chainResult());
  auto &divided = dynamic_cast<PartitionedModel &>(*model);
  FallbackReport report = divided.fallbacks();
  EXPECT_EQ(report.steps + report.models, 1u);
}

} // namespace
