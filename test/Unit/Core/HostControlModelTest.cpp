//===- HostControlModelTest.cpp - IF and WHILE of shapes that change ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/GpuLoader/HostControlModel.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

using namespace nnhal::rt;

namespace {

using Dimensions = std::vector<uint32_t>;
using Floats = std::vector<float>;
using enum OperandLifeTime;
using enum OperationType;

/// Builds a graph of a model.
struct Graph {
  uint32_t add(OperandLifeTime lifetime, OperandType type,
               Dimensions dimensions = {}) {
    Operand &operand = graph.operands.emplace_back();
    operand.type = type;
    operand.lifetime = lifetime;
    operand.dimensions = std::move(dimensions);
    auto index = uint32_t(graph.operands.size() - 1);
    if (lifetime == SUBGRAPH_INPUT)
      graph.inputIndexes.push_back(index);
    if (lifetime == SUBGRAPH_OUTPUT)
      graph.outputIndexes.push_back(index);
    return index;
  }
  uint32_t floats(OperandLifeTime lifetime, uint32_t extent = 0) {
    return add(lifetime, OperandType::TENSOR_FLOAT32, {extent});
  }
  uint32_t number(OperandLifeTime lifetime) {
    return add(lifetime, OperandType::TENSOR_INT32, {1});
  }
  uint32_t callee(uint32_t index) {
    uint32_t operand = add(SUBGRAPH, OperandType::SUBGRAPH);
    graph.operands[operand].location.offset = index;
    return operand;
  }
  /// A constant of four bytes, a scalar where it has no \p dimensions.
  uint32_t constant(int32_t value, Dimensions dimensions = {}) {
    uint32_t operand =
        add(CONSTANT_COPY,
            dimensions.empty() ? OperandType::INT32 : OperandType::TENSOR_INT32,
            std::move(dimensions));
    std::vector<uint8_t> &values = model.operandValues;
    graph.operands[operand].location = {0, uint32_t(values.size()),
                                        sizeof(value)};
    values.resize(values.size() + sizeof(value));
    std::memcpy(values.data() + values.size() - sizeof(value), &value,
                sizeof(value));
    return operand;
  }
  Graph &operation(OperationType type, std::vector<uint32_t> inputs,
                   std::vector<uint32_t> outputs) {
    graph.operations.push_back({type, std::move(inputs), std::move(outputs)});
    return *this;
  }

  Model &model;
  Subgraph graph = {};
};

/// output = CONCATENATION(input, input).
Subgraph twice(Model &model) {
  Graph graph{model};
  uint32_t x = graph.floats(SUBGRAPH_INPUT);
  return graph
      .operation(CONCATENATION, {x, x, graph.constant(0)},
                 {graph.floats(SUBGRAPH_OUTPUT)})
      .graph;
}

/// y = NEG(WHILE(i < n: x = CONCATENATION(x, x), i = i + 1) of ABS(x), from
/// i = 0 on).
AnnotatedModel growingModel() {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  Graph condition{model};
  condition.floats(SUBGRAPH_INPUT);
  uint32_t i = condition.number(SUBGRAPH_INPUT);
  uint32_t n = condition.number(SUBGRAPH_INPUT);
  condition.operation(
      LESS, {i, n},
      {condition.add(SUBGRAPH_OUTPUT, OperandType::TENSOR_BOOL8, {1})});
  Graph body{model};
  uint32_t x = body.floats(SUBGRAPH_INPUT);
  i = body.number(SUBGRAPH_INPUT);
  body.number(SUBGRAPH_INPUT);
  body.operation(CONCATENATION, {x, x, body.constant(0)},
                 {body.floats(SUBGRAPH_OUTPUT)});
  body.operation(ADD, {i, body.constant(1, {1}), body.constant(0)},
                 {body.number(SUBGRAPH_OUTPUT)});
  model.referenced = {condition.graph, body.graph};
  Graph main{model};
  x = main.floats(SUBGRAPH_INPUT, 2);
  n = main.number(SUBGRAPH_INPUT);
  uint32_t magnitude = main.floats(TEMPORARY_VARIABLE, 2);
  uint32_t grown = main.floats(TEMPORARY_VARIABLE);
  main.operation(ABS, {x}, {magnitude});
  main.operation(
      WHILE,
      {main.callee(0), main.callee(1), magnitude, main.constant(0, {1}), n},
      {grown});
  main.operation(NEG, {grown}, {main.floats(SUBGRAPH_OUTPUT)});
  model.main = main.graph;
  return annotated;
}

/// y = IF(condition, CONCATENATION(x, x), ABS(x)).
AnnotatedModel choosingModel() {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  Graph otherwise{model};
  uint32_t x = otherwise.floats(SUBGRAPH_INPUT);
  otherwise.operation(ABS, {x}, {otherwise.floats(SUBGRAPH_OUTPUT)});
  model.referenced = {twice(model), otherwise.graph};
  Graph main{model};
  x = main.floats(SUBGRAPH_INPUT, 2);
  uint32_t holds = main.add(SUBGRAPH_INPUT, OperandType::TENSOR_BOOL8, {1});
  main.operation(IF, {holds, main.callee(0), main.callee(1), x},
                 {main.floats(SUBGRAPH_OUTPUT)});
  model.main = main.graph;
  return annotated;
}

/// y = WHILE(b, b) of a condition: nothing but the host does anything.
AnnotatedModel idleModel() {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  Graph same{model};
  same.floats(SUBGRAPH_INPUT);
  same.add(SUBGRAPH_INPUT, OperandType::TENSOR_BOOL8, {1});
  Graph condition = same;
  condition.graph.outputIndexes = {1};
  same.graph.outputIndexes = {0, 1};
  model.referenced = {condition.graph, same.graph};
  Graph main{model};
  uint32_t x = main.floats(SUBGRAPH_INPUT, 2);
  uint32_t holds = main.add(SUBGRAPH_INPUT, OperandType::TENSOR_BOOL8, {1});
  main.operation(WHILE, {main.callee(0), main.callee(1), x, holds},
                 {main.floats(SUBGRAPH_OUTPUT)});
  model.main = main.graph;
  return annotated;
}

class HostControlModelTest : public testing::Test, private OperationObserver {
protected:
  OpenShapeModel::CodeMaker maker() {
    return {
        "test-device", ShapeNeed::extents,
        [this](const AnnotatedModel &known, const CompileObserver &)
            -> Result<std::unique_ptr<LoadedModel>> {
          compiled.push_back(
              known.model.main.operands[known.model.main.outputIndexes.front()]
                  .dimensions);
          return backend->load(known, {}, {});
        }};
  }

  std::unique_ptr<LoadedModel> load(const AnnotatedModel &model) {
    auto loaded = HostControlModel::create(model, {}, maker(), {});
    EXPECT_TRUE(loaded.isOk()) << loaded.status().message();
    return *std::move(loaded);
  }

  /// Executes \p model with two elements and a number or condition of
  /// \p numberSize bytes.
  Status run(const LoadedModel &model, int32_t number, size_t numberSize,
             size_t room = 64, uint64_t loopTimeout = defaultLoopTimeout) {
    Floats x = {-1.0f, 2.0f};
    int64_t extents[2] = {2, 1};
    extent = 0;
    y.assign(room, 0.0f);
    InvocationArgument inputs[2], output;
    inputs[0].data = reinterpret_cast<std::byte *>(x.data());
    inputs[0].size = x.size() * sizeof(float);
    inputs[1].data = reinterpret_cast<std::byte *>(&number);
    inputs[1].size = numberSize;
    for (size_t i = 0; i < 2; ++i) {
      inputs[i].extents = &extents[i];
      inputs[i].rank = 1;
      inputs[i].isPresent = true;
    }
    output.data = reinterpret_cast<std::byte *>(y.data());
    output.size = room * sizeof(float);
    output.extents = &extent;
    output.rank = 1;
    output.isPresent = true;
    Invocation invocation;
    invocation.inputs = inputs;
    invocation.outputs = std::span(&output, 1);
    invocation.services = &services;
    invocation.cancelFlag = &cancelled;
    invocation.loopTimeout = loopTimeout;
    invocation.operations = this;
    auto workspace = *model.createWorkspace(nullptr);
    invocation.workspace = workspace.get();
    told.clear();
    Status status = model.run(invocation);
    isSufficient = output.isSufficient;
    y.resize(std::min(room, size_t(extent)));
    return status;
  }

  int64_t now() const override { return 0; }
  void took(uint32_t operation, int64_t, int64_t) override {
    told.push_back(operation);
  }

  const DeviceServices services = completeServices({});
  std::unique_ptr<Backend> backend = createReferenceBackend();
  std::atomic<uint32_t> cancelled = 0;
  /// The shapes of the first outputs of what was compiled.
  std::vector<Dimensions> compiled;
  Floats y;
  int64_t extent = 0;
  bool isSufficient = false;
  std::vector<uint32_t> told;
};

TEST_F(HostControlModelTest, StatesGrow) {
  auto model = load(growingModel());
  EXPECT_TRUE(compiled.empty());
  EXPECT_EQ(run(*model, 2, 4).message(), "");
  EXPECT_EQ(y, (Floats{-1, -2, -1, -2, -1, -2, -1, -2}));
  // The ABS, the condition, which does not read what grows, the body for two
  // shapes, and the NEG.
  EXPECT_EQ(compiled.size(), 5u);
  EXPECT_EQ(run(*model, 2, 4).message(), "");
  EXPECT_EQ(compiled.size(), 5u);
  EXPECT_EQ(std::ranges::count(told, 1u), 1);
  EXPECT_EQ(run(*model, 0, 4).message(), "");
  EXPECT_EQ(y, (Floats{-1, -2}));
}

TEST_F(HostControlModelTest, BranchesDiffer) {
  auto model = load(choosingModel());
  EXPECT_EQ(run(*model, 1, 1).message(), "");
  EXPECT_EQ(y, (Floats{-1, 2, -1, 2}));
  EXPECT_EQ(run(*model, 0, 1).message(), "");
  EXPECT_EQ(y, (Floats{1, 2}));
  EXPECT_EQ(compiled, (std::vector<Dimensions>{{4}, {2}}));
}

TEST_F(HostControlModelTest, TellsWhatDoesNotFit) {
  auto model = load(growingModel());
  EXPECT_EQ(run(*model, 2, 4, /*room=*/7).message(), "");
  EXPECT_FALSE(isSufficient);
  EXPECT_EQ(extent, 8);
}

TEST_F(HostControlModelTest, EndsLoops) {
  auto model = load(growingModel());
  EXPECT_EQ(run(*model, 1 << 30, 4, 64, /*loopTimeout=*/0).message(),
            "operation 1: the loop ran for longer than 0 ns");
  EXPECT_EQ(run(*load(idleModel()), 0, 1).message(), "");
  EXPECT_EQ(y, (Floats{-1, 2}));
  cancelled = 1;
  Status status = run(*load(idleModel()), 1, 1);
  EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
  EXPECT_EQ(status.message(), "operation 0: the deadline passed between two "
                              "rounds of a loop");
}

TEST_F(HostControlModelTest, HasNothingToKeep) {
  LoadObserver observer;
  observer.keepArtifact = [](const CompiledModel &) { return Status::ok(); };
  EXPECT_EQ(HostControlModel::create(growingModel(), {}, maker(), observer)
                .status()
                .message(),
            "a model whose states change their shapes is compiled when it is "
            "executed: there is no artifact");
  EXPECT_EQ(HostControlModel::create(growingModel(), {{{2}, {1}}}, maker(), {})
                .status()
                .message(),
            "a model whose states change their shapes is compiled when it is "
            "executed, not for 1 sets of shapes in advance");
}

TEST_F(HostControlModelTest, SaysHowOperationsAreExecuted) {
  std::vector<std::string> remarks;
  LoadObserver observer;
  observer.compile.remark = [&](uint32_t, std::string_view text) {
    remarks.emplace_back(text);
  };
  ASSERT_TRUE(
      HostControlModel::create(growingModel(), {}, maker(), observer).isOk());
  EXPECT_EQ(remarks, (std::vector<std::string>{
                         "for the shapes of an execution",
                         "graphs that the host calls, for the shapes of each "
                         "call",
                         "for the shapes of an execution"}));
}

} // namespace
