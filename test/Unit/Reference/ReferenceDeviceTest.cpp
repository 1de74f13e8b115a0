//===- ReferenceDeviceTest.cpp - The device nnhal-reference ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/ReferenceDevice.h"

#include "Runtime/Devices/Cpu/Support/CpuSupport.h"
#include "nnhal/Runtime/MemoryBudget.h"
#include "nnhal/Runtime/TestCase.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <optional>

using namespace nnhal::rt;

namespace {

/// A case of test/Cases and one execution of it.
class ReferenceDeviceTest : public ::testing::Test {
protected:
  void prepare(std::string_view name,
               const ReferenceDeviceOptions &options = {},
               const std::function<void(Model &)> &change = {}) {
    Result<Memory> file = Memory::readFile(NNHAL_TEST_DATA "/Cases/basic.json");
    ASSERT_TRUE(file.isOk());
    std::span<const std::byte> text = *file->bytes();
    Status status = readTestCases(
        {reinterpret_cast<const char *>(text.data()), text.size()},
        [&](TestCase each) {
          if (each.name == name)
            test = std::move(each);
          return Status();
        });
    ASSERT_EQ(status.message(), "");
    ASSERT_EQ(test.name, name);
    AnnotatedModel annotated;
    annotated.model = test.model;
    if (change)
      change(annotated.model);
    auto made = createReferenceDevice(options)->prepareModel(annotated);
    ASSERT_TRUE(made.isOk()) << made.status().message();
    prepared = *made;
    for (const TestTensor &input : test.examples[0].inputs) {
      InputArgument &argument = request.inputs.emplace_back();
      if (!input.isAbsent)
        argument.memory = Memory::copy(std::as_bytes(std::span(input.bytes)));
    }
    for (const TestTensor &output : test.examples[0].outputs) {
      outputs.emplace_back(output.bytes.size());
      request.outputs.emplace_back().memory =
          OutputMemory::borrow(outputs.back());
    }
  }

  Status execute() { return prepared->execute(request, result); }

  TestCase test;
  std::shared_ptr<PreparedModel> prepared;
  Request request;
  std::vector<std::vector<std::byte>> outputs;
  ExecutionResult result;
};

TEST_F(ReferenceDeviceTest, describesItself) {
  auto device = createReferenceDevice();
  EXPECT_EQ(device->name(), "nnhal-reference");
  EXPECT_EQ(device->halVersion(), HalVersion::V1_3);
  prepare("while_counts");
  AnnotatedModel annotated;
  annotated.model = test.model;
  auto answers = device->supportedOperations(annotated);
  ASSERT_TRUE(answers.isOk());
  ASSERT_EQ(answers->size(), 1u);
  EXPECT_TRUE((*answers)[0].isOk());
  EXPECT_EQ(device->prepareModelFromArtifact({}, Memory()).status().message(),
            "nnhal-reference keeps no compiled models");
}

/// A graph whose inputs are a condition and a tensor: its IF executes graph \p
/// next in both cases; without one, an operation of \p type.
static Subgraph makeLevel(std::optional<uint32_t> next, OperationType type) {
  auto operand = [](OperandType kind, std::vector<uint32_t> dimensions,
                    OperandLifeTime lifetime) {
    Operand result;
    result.type = kind;
    result.dimensions = std::move(dimensions);
    result.lifetime = lifetime;
    return result;
  };
  Subgraph graph;
  graph.operands = {
      operand(OperandType::TENSOR_BOOL8, {1}, OperandLifeTime::SUBGRAPH_INPUT),
      operand(OperandType::TENSOR_FLOAT32, {2},
              OperandLifeTime::SUBGRAPH_INPUT),
      operand(OperandType::TENSOR_FLOAT32, {2},
              OperandLifeTime::SUBGRAPH_OUTPUT)};
  graph.inputIndexes = {0, 1};
  graph.outputIndexes = {2};
  if (!next) {
    graph.operations = {{type, {1}, {2}}};
    return graph;
  }
  Operand callee =
      operand(OperandType::SUBGRAPH, {}, OperandLifeTime::SUBGRAPH);
  callee.location.offset = *next;
  graph.operands.insert(graph.operands.end(), 2, callee);
  graph.operations = {{OperationType::IF, {0, 3, 4, 0, 1}, {2}}};
  return graph;
}

// Each of 40 graphs names the next one twice: asking about the last by every
// way to it would not end.
TEST_F(ReferenceDeviceTest, graphsAreAskedAboutOnce) { // C-030
  for (OperationType last :
       {OperationType::FLOOR, OperationType::OEM_OPERATION}) {
    AnnotatedModel annotated;
    Model &model = annotated.model;
    constexpr uint32_t levels = 40;
    model.main = makeLevel(0, last);
    for (uint32_t i = 1; i < levels; ++i)
      model.referenced.push_back(makeLevel(i, last));
    model.referenced.push_back(makeLevel({}, last));
    computeConsumers(model.main);
    for (Subgraph &graph : model.referenced)
      computeConsumers(graph);
    auto answers = createReferenceDevice()->supportedOperations(annotated);
    ASSERT_TRUE(answers.isOk()) << answers.status().message();
    EXPECT_EQ((*answers)[0].isOk(), last == OperationType::FLOOR);
    CalledGraphs graphs(model);
    EXPECT_EQ(
        checkCpuSupport(model, graphs, model.main, model.main.operations[0])
            .isOk(),
        last == OperationType::FLOOR);
  }
}

TEST_F(ReferenceDeviceTest, extensionsHaveNoRoutine) { // D-102
  prepare("add_broadcast");
  AnnotatedModel annotated;
  annotated.model = test.model;
  annotated.model.extensionNameToPrefix = {{"com.example", 1}};
  annotated.model.main.operations[0].type = OperationType(0x10002);
  auto device = createReferenceDevice();
  EXPECT_EQ(device->prepareModel(annotated).status().message(),
            "main: operation 0: the device does not have extension "
            "'com.example'");
  // H-050: what only a vendor knows is not executed here.
  annotated.model.main.operations[0].type = OperationType::OEM_OPERATION;
  auto supported = device->supportedOperations(annotated);
  ASSERT_TRUE(supported.isOk()) << supported.status().message();
  EXPECT_FALSE((*supported)[0].isOk());
  auto prepared = device->prepareModel(annotated);
  EXPECT_EQ(prepared.status().code(), StatusCode::invalidArgument);
  EXPECT_EQ(prepared.status().message(),
            "nnhal-reference has no routine for OEM_OPERATION");
}

TEST_F(ReferenceDeviceTest, omittedConditionIsRefused) { // D-013, D-096
  prepare("if_1");
  request.inputs[0].memory = Memory();
  Status status = execute();
  EXPECT_EQ(status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(status.message(), "input 0 is omitted, and the model needs it");
  EXPECT_TRUE(result.outputShapes.empty());
}

// The value of a loop that ends at once is the one that it begins with.
TEST_F(ReferenceDeviceTest, omittedLoopValueIsRefused) { // D-013
  prepare("while_counts", {}, [](Model &model) {
    // The body does without the value, and ends the loop with the next one.
    model.referenced[1].operations[0].inputs[0] = 1;
    model.referenced[0].operations[0].inputs[0] = 1;
    for (Subgraph &graph : model.referenced)
      computeConsumers(graph);
  });
  request.inputs[0].memory = Memory();
  Status status = execute();
  EXPECT_EQ(status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(status.message(), "input 0 is omitted, and the model needs it");
}

// A request is as valid with one value of a condition as with another.
TEST_F(ReferenceDeviceTest, omittedInputOfABranchIsRefused) { // D-013
  for (const char *name : {"if_1", "if_0"}) {
    request = {};
    prepare(name, {}, [](Model &model) {
      // The branch for false does without the input.
      model.referenced[1].operations[0].inputs[0] = 1;
      computeConsumers(model.referenced[1]);
    });
    request.inputs[1].memory = Memory();
    Status status = execute();
    EXPECT_EQ(status.code(), StatusCode::invalidArgument) << name;
    EXPECT_EQ(status.message(), "input 1 is omitted, and the model needs it");
    EXPECT_TRUE(result.outputShapes.empty());
  }
}

/// Leaves the extents of all tensors of \p graph open but those of constants.
void openExtents(Subgraph &graph) {
  for (Operand &operand : graph.operands)
    if (isTensor(operand.type) &&
        operand.lifetime != OperandLifeTime::CONSTANT_COPY)
      operand.dimensions.assign(operand.dimensions.size(), 0);
}

TEST_F(ReferenceDeviceTest, conditionsHaveOneElement) { // control_flow C5
  prepare("while_counts", {}, [](Model &model) {
    openExtents(model.main);
    for (Subgraph &graph : model.referenced)
      openExtents(graph);
    Subgraph &condition = model.referenced[0];
    condition.operands[condition.outputIndexes[0]].dimensions = {1};
  });
  for (InputArgument &input : request.inputs) {
    input.memory = Memory::copy(std::vector<std::byte>(8));
    input.dimensions = {2};
  }
  Status status = execute();
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(),
            "operation 0 (WHILE): referenced[0]: operation 0 (LESS): output "
            "dimension 0 is 1, expected 2");
}

TEST_F(ReferenceDeviceTest, missesDeadlines) { // D-016
  ReferenceDeviceOptions options;
  std::atomic<int64_t> now = 0;
  options.services.clock = [&] { return now += 10; };
  prepare("add_broadcast", options);
  request.deadline = 5;
  Status status = execute();
  EXPECT_EQ(status.code(), StatusCode::missedDeadlinePersistent);
  EXPECT_EQ(status.message(),
            "the deadline had passed before the execution began");
  request.deadline = now + 25;
  status = execute();
  EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
  EXPECT_EQ(status.message(),
            "the deadline passed while the model was executed");
}

TEST_F(ReferenceDeviceTest, limitsTensors) {
  ReferenceDeviceOptions options;
  options.tensorLimit = 15;
  prepare("add_broadcast", options);
  Status status = execute();
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedPersistent);
  EXPECT_EQ(status.message(),
            "operation 0 (ADD): output of shape 2x2 has 16 bytes, above 15");
}

// Copies of operands and intermediate sums count, too, and all of it is given
// back, whether the execution succeeds or not.
TEST_F(ReferenceDeviceTest, countsWhatRoutinesKeep) {
  ReferenceDeviceOptions options;
  auto budget = std::make_shared<MemoryBudget>(1 << 20);
  options.services.memory = budget;
  prepare("add_broadcast", options);
  EXPECT_EQ(execute().message(), "");
  // Copies of the operands of 4 and 2 floats, and the sums.
  EXPECT_EQ(budget->peak(), 16u + 8u + 16u);
  EXPECT_EQ(budget->inUse(), 0u);

  budget = std::make_shared<MemoryBudget>(39);
  options.services.memory = budget;
  request = {};
  prepare("add_broadcast", options);
  Status status = execute();
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(),
            "operation 0 (ADD): 16 bytes do not fit: 24 of 39 are in use");
  EXPECT_EQ(budget->inUse(), 0u);

  budget = std::make_shared<MemoryBudget>(15);
  options.services.memory = budget;
  request = {};
  prepare("add_broadcast", options);
  status = execute();
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedPersistent);
  EXPECT_EQ(status.message(),
            "operation 0 (ADD): 16 bytes exceed the limit of 15");
  EXPECT_EQ(budget->inUse(), 0u);
}

/// The most bytes in use while \p count operations, one after the other, work
/// on \p elements floats.
uint64_t peakOfChain(size_t count, uint32_t elements) {
  AnnotatedModel annotated;
  Subgraph &graph = annotated.model.main;
  Operand tensor;
  tensor.type = OperandType::TENSOR_FLOAT32;
  tensor.dimensions = {elements};
  graph.operands.assign(count + 1, tensor);
  graph.operands.front().lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  graph.operands.back().lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
  for (uint32_t i = 0; i < count; ++i)
    graph.operations.push_back({OperationType::ABS, {i}, {i + 1}});
  graph.inputIndexes = {0};
  graph.outputIndexes = {uint32_t(count)};
  computeConsumers(graph);
  ReferenceDeviceOptions options;
  auto budget = std::make_shared<MemoryBudget>(UINT64_MAX);
  options.services.memory = budget;
  auto prepared = createReferenceDevice(options)->prepareModel(annotated);
  EXPECT_TRUE(prepared.isOk()) << prepared.status().message();
  std::vector<float> values(elements, -1.0f);
  Request request;
  request.inputs.emplace_back().memory =
      Memory::copy(std::as_bytes(std::span(values)));
  request.outputs.emplace_back().memory =
      OutputMemory::borrow(std::as_writable_bytes(std::span(values)));
  ExecutionResult result;
  EXPECT_EQ((*prepared)->execute(request, result).message(), "");
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(budget->inUse(), 0u);
  return budget->peak();
}

// What no operation reads any more is given back before the next one.
TEST(ReferenceMemoryTest, DoesNotGrowWithTheNumberOfOperations) {
  constexpr uint32_t elements = 1000;
  // The copy of the operand, which becomes the values, and the result.
  EXPECT_EQ(peakOfChain(1, elements), 2 * elements * sizeof(float));
  // Beside the operand, which was computed.
  uint64_t peak = peakOfChain(2, elements);
  EXPECT_EQ(peak, 3 * elements * sizeof(float));
  EXPECT_EQ(peakOfChain(20, elements), peak);
}

TEST_F(ReferenceDeviceTest, saysWhatOutputsNeed) {
  prepare("add_broadcast");
  outputs[0].resize(12);
  request.outputs[0].memory = OutputMemory::borrow(outputs[0]);
  EXPECT_EQ(execute().code(), StatusCode::outputInsufficientSize);
  ASSERT_EQ(result.outputShapes.size(), 1u);
  EXPECT_FALSE(result.outputShapes[0].isSufficient);
  EXPECT_EQ(result.outputShapes[0].dimensions, (std::vector<uint32_t>{2, 2}));
}

TEST_F(ReferenceDeviceTest, contradictedRequestFails) {
  prepare("transpose_default_permutation");
  request.outputs[0].dimensions = {3, 3};
  EXPECT_EQ(execute().message(),
            "output 0 has extent 3 in dimension 1 of the request and 2 in the "
            "model");
}

TEST_F(ReferenceDeviceTest, measuresWhenAsked) {
  prepare("add_broadcast");
  EXPECT_EQ(execute().message(), "");
  EXPECT_EQ(result.timing, Timing());
  request.measureTiming = true;
  EXPECT_EQ(execute().message(), "");
  EXPECT_NE(result.timing.timeOnDevice, noTiming);
  EXPECT_GE(result.timing.timeInDriver, result.timing.timeOnDevice);
}

TEST_F(ReferenceDeviceTest, modelMayGoAway) {
  prepare("while_counts");
  test.model = Model();
  EXPECT_EQ(execute().message(), "");
  int32_t value = 0;
  std::memcpy(&value, outputs[0].data(), sizeof value);
  EXPECT_EQ(value, 12);
}

} // namespace
