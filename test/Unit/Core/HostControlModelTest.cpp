//===- HostControlModelTest.cpp - IF and WHILE of shapes that change ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "Runtime/Devices/Gpu/Support/GpuSupport.h"
#include "Runtime/GpuLoader/ArgumentBytes.h"
#include "Runtime/GpuLoader/HostControlModel.h"
#include "nnhal/Backend/DeviceMemory.h"
#include "nnhal/Runtime/MemoryBudget.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>

using namespace nnhal::rt;

namespace {

using Dimensions = std::vector<uint32_t>;
using Floats = std::vector<float>;
using enum OperandLifeTime;
using enum OperationType;

/// Builds a graph of a model.
struct Graph : GraphBuilder {
  explicit Graph(Model &model) : model(model) {}

  uint32_t floats(OperandLifeTime lifetime, uint32_t extent = 0) {
    return add(lifetime, OperandType::TENSOR_FLOAT32, {extent});
  }
  uint32_t number(OperandLifeTime lifetime) {
    return add(lifetime, OperandType::TENSOR_INT32, {1});
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

  Model &model;
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

/// y = IF(condition, ABS(v), ABS(v)), where v is the result of another one, for
/// \p count of them.
AnnotatedModel chainModel(int count) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  Graph branch{model};
  uint32_t x = branch.floats(SUBGRAPH_INPUT);
  branch.operation(ABS, {x}, {branch.floats(SUBGRAPH_OUTPUT)});
  model.referenced = {branch.graph};
  Graph main{model};
  x = main.floats(SUBGRAPH_INPUT, 2);
  uint32_t holds = main.add(SUBGRAPH_INPUT, OperandType::TENSOR_BOOL8, {1});
  for (int i = 1; i <= count; ++i) {
    uint32_t result =
        main.floats(i < count ? TEMPORARY_VARIABLE : SUBGRAPH_OUTPUT);
    main.operation(IF, {holds, main.callee(0), main.callee(0), x}, {result});
    x = result;
  }
  model.main = main.graph;
  return annotated;
}

/// y = WHILE(i < n: m = NEG(x), i = i + 1) of m = ABS(x), from i = 0 on: no
/// round reads the m of the one before.
AnnotatedModel ignoringModel() {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  Graph condition{model};
  condition.floats(SUBGRAPH_INPUT);
  uint32_t i = condition.number(SUBGRAPH_INPUT);
  uint32_t n = condition.number(SUBGRAPH_INPUT);
  condition.floats(SUBGRAPH_INPUT);
  condition.operation(
      LESS, {i, n},
      {condition.add(SUBGRAPH_OUTPUT, OperandType::TENSOR_BOOL8, {1})});
  Graph body{model};
  body.floats(SUBGRAPH_INPUT);
  i = body.number(SUBGRAPH_INPUT);
  body.number(SUBGRAPH_INPUT);
  uint32_t x = body.floats(SUBGRAPH_INPUT);
  body.operation(NEG, {x}, {body.floats(SUBGRAPH_OUTPUT)});
  body.operation(ADD, {i, body.constant(1, {1}), body.constant(0)},
                 {body.number(SUBGRAPH_OUTPUT)});
  model.referenced = {condition.graph, body.graph};
  Graph main{model};
  x = main.floats(SUBGRAPH_INPUT, 2);
  n = main.number(SUBGRAPH_INPUT);
  uint32_t magnitude = main.floats(TEMPORARY_VARIABLE, 2);
  main.operation(ABS, {x}, {magnitude});
  main.operation(
      WHILE,
      {main.callee(0), main.callee(1), magnitude, main.constant(0, {1}), n, x},
      {main.floats(SUBGRAPH_OUTPUT)});
  model.main = main.graph;
  return annotated;
}

/// y = SLICE(x, n, s) with s = MUL(ABS(n), 1).
AnnotatedModel slicingModel() {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  Graph main{model};
  uint32_t x = main.floats(SUBGRAPH_INPUT, 2);
  uint32_t n = main.number(SUBGRAPH_INPUT);
  uint32_t magnitude = main.number(TEMPORARY_VARIABLE);
  uint32_t size = main.number(TEMPORARY_VARIABLE);
  main.operation(ABS, {n}, {magnitude});
  main.operation(MUL, {magnitude, main.constant(1, {1}), main.constant(0)},
                 {size});
  main.operation(SLICE, {x, n, size}, {main.floats(SUBGRAPH_OUTPUT)});
  model.main = main.graph;
  return annotated;
}

/// Two elements, a number or condition of `numberSize` bytes, and a result, all
/// in memory of the host.
struct Arguments {
  explicit Arguments(int32_t number, size_t numberSize, size_t room = 64)
      : number(number), y(room) {
    inputs[0].data = reinterpret_cast<std::byte *>(x.data());
    inputs[0].size = x.size() * sizeof(float);
    inputs[1].data = reinterpret_cast<std::byte *>(&this->number);
    inputs[1].size = numberSize;
    for (size_t i = 0; i < 2; ++i) {
      inputs[i].extents = &extents[i];
      inputs[i].rank = 1;
      inputs[i].isPresent = true;
    }
    output.data = reinterpret_cast<std::byte *>(y.data());
    output.size = room * sizeof(float);
    output.extents = resultExtents.data();
    output.rank = 1;
    output.isPresent = true;
  }

  Floats x = {-1.0f, 2.0f};
  int32_t number;
  int64_t extents[2] = {2, 1};
  Floats y;
  std::array<int64_t, maxOpenRank> resultExtents = {};
  InvocationArgument inputs[2], output;
  /// The bytes of arguments that were copied.
  uint64_t copiedBytes = 0;
};

/// Code that says to take memory.
class SizedModel final : public LoadedModel {
public:
  explicit SizedModel(std::unique_ptr<LoadedModel> inner)
      : inner(std::move(inner)) {}
  const Interface &interface() const override { return inner->interface(); }
  MemoryUse memoryUse() const override { return {100, 60, 10}; }
  Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &budget) const override {
    return inner->createWorkspace(budget);
  }
  Status run(Invocation &invocation) const override {
    return inner->run(invocation);
  }

private:
  const std::unique_ptr<LoadedModel> inner;
};

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
        },
        &parameterInputsOf, &readInput};
  }

  std::unique_ptr<LoadedModel> load(const AnnotatedModel &model) {
    auto loaded = HostControlModel::create(model, {}, maker(), {});
    EXPECT_TRUE(loaded.isOk()) << loaded.status().message();
    return *std::move(loaded);
  }

  Status execute(const LoadedModel &model, Arguments &arguments,
                 uint64_t loopTimeout = defaultLoopTimeout) {
    Invocation invocation;
    invocation.inputs = arguments.inputs;
    invocation.outputs = std::span(&arguments.output, 1);
    invocation.services = &services;
    invocation.cancelFlag = &cancelled;
    invocation.loopTimeout = loopTimeout;
    invocation.operations = this;
    auto workspace = *model.createWorkspace(nullptr);
    invocation.workspace = workspace.get();
    told.clear();
    Status status = model.run(invocation);
    arguments.copiedBytes = invocation.copiedBytes;
    return status;
  }

  /// Executes \p model with two elements and a number or condition of
  /// \p numberSize bytes.
  Status run(const LoadedModel &model, int32_t number, size_t numberSize,
             size_t room = 64, uint64_t loopTimeout = defaultLoopTimeout) {
    Arguments arguments(number, numberSize, room);
    Status status = execute(model, arguments, loopTimeout);
    isSufficient = arguments.output.isSufficient;
    extent = arguments.resultExtents[0];
    y = std::move(arguments.y);
    y.resize(std::min(room, size_t(extent)));
    return status;
  }

  int64_t now() const override { return 0; }
  void took(uint32_t operation, int64_t, int64_t) override {
    told.push_back(operation);
  }

  DeviceServices services = completeServices({});
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

// The host reads a parameter, and code is made for its value.
TEST_F(HostControlModelTest, ParametersAreComputed) {
  auto model = load(slicingModel());
  EXPECT_EQ(run(*model, 1, 4).message(), "");
  EXPECT_EQ(y, (Floats{2}));
  EXPECT_EQ(run(*model, 1, 4).message(), "");
  // The operations before the SLICE are one part.
  EXPECT_EQ(compiled, (std::vector<Dimensions>{{1}, {1}}));
  EXPECT_EQ(run(*model, 2, 4).message(),
            "in the part from operation 2 on: no code for inputs of the shapes "
            "[2] [1] [1] with 2 parameters: operation 0 (SLICE): 2 elements "
            "from 2 leave dimension 0 of "
            "extent 2");
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

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

TEST_F(HostControlModelTest, ConditionsHaveOneElement) { // control_flow C5
  EXPECT_EQ(run(*load(choosingModel()), 1, 4).message(),
            "operation 0: the condition has 4 elements, expected 1");
  EXPECT_EQ(run(*load(idleModel()), 0, 2).message(),
            "operation 0: the condition has 2 elements, expected 1");
}

TEST_F(HostControlModelTest, RefusesStatedShapes) {
  auto model = load(choosingModel());
  Arguments arguments(1, 1);
  arguments.output.rank = 2;
  EXPECT_EQ(execute(*model, arguments).message(),
            "output 0 has rank 1, the request states 2");
  arguments.output.rank = 1;
  arguments.resultExtents[0] = 3;
  EXPECT_EQ(execute(*model, arguments).message(),
            "output 0 has extent 4 in dimension 0, the request states 3");
  arguments.resultExtents[0] = 4;
  EXPECT_EQ(execute(*model, arguments).message(), "");
}

TEST_F(HostControlModelTest, FindsRanks) {
  AnnotatedModel annotated = choosingModel();
  Subgraph &main = annotated.model.main;
  main.operands[main.outputIndexes[0]].dimensions.clear();
  auto model = load(annotated);
  Arguments arguments(1, 1);
  arguments.output.rank = 0;
  arguments.resultExtents.fill(7);
  EXPECT_EQ(execute(*model, arguments).message(), "");
  EXPECT_EQ(arguments.output.rank, 1u);
  EXPECT_EQ(arguments.resultExtents[0], 4);
  arguments.y.resize(4);
  EXPECT_EQ(arguments.y, (Floats{-1, 2, -1, 2}));
}

// Buffers of a device that the host reads and writes by functions alone.
TEST_F(HostControlModelTest, ArgumentsInDeviceMemory) {
  auto model = load(idleModel());
  Arguments arguments(0, 1);
  auto x = createHostMemory(nullptr);
  auto holds = createHostMemory(nullptr);
  auto y = createHostMemory(nullptr);
  const Dimensions pair = {2}, single = {1};
  ASSERT_TRUE(x->resize(pair, 8).isOk() && holds->resize(single, 1).isOk() &&
              y->resize(pair, 8).isOk());
  ASSERT_TRUE(x->write(std::as_bytes(std::span(arguments.x))).isOk());
  std::byte condition = {};
  ASSERT_TRUE(holds->write({&condition, 1}).isOk());
  arguments.inputs[0].data = nullptr;
  arguments.inputs[0].memory = x.get();
  arguments.inputs[1].data = nullptr;
  arguments.inputs[1].memory = holds.get();
  EXPECT_EQ(execute(*model, arguments).message(), "");
  EXPECT_EQ(arguments.y[1], 2.0f);
  EXPECT_EQ(arguments.copiedBytes, 1u + 8);

  arguments.output.data = nullptr;
  arguments.output.memory = y.get();
  EXPECT_EQ(execute(*model, arguments).message(), "");
  Floats result(2);
  ASSERT_TRUE(y->read(std::as_writable_bytes(std::span(result))).isOk());
  EXPECT_EQ(result, arguments.x);
  EXPECT_EQ(arguments.copiedBytes, 1u + 8 + 8);

  // A condition that holds is not taken for one that does not.
  condition = std::byte(1);
  ASSERT_TRUE(holds->write({&condition, 1}).isOk());
  EXPECT_EQ(execute(*model, arguments, /*loopTimeout=*/0).message(),
            "operation 0: the loop ran for longer than 0 ns");
}

TEST_F(HostControlModelTest, ArgumentsInPools) {
  auto model = load(idleModel());
  Arguments arguments(0, 1);
  auto pool = SharedMemory::createAshmem(64);
  ASSERT_TRUE(pool.isOk()) << pool.status().message();
  ASSERT_TRUE((*pool)->write(8, std::as_bytes(std::span(arguments.x))).isOk());
  auto place = [&](InvocationArgument &argument, uint64_t offset) {
    argument.data = nullptr;
    argument.pool = *pool;
    argument.offset = offset;
  };
  place(arguments.inputs[0], 8);
  place(arguments.inputs[1], 16);
  place(arguments.output, 32);
  arguments.output.size = 8;
  EXPECT_EQ(execute(*model, arguments).message(), "");
  Floats result(2);
  ASSERT_TRUE(
      (*pool)->read(32, std::as_writable_bytes(std::span(result))).isOk());
  EXPECT_EQ(result, arguments.x);
  auto condition = std::byte(1);
  ASSERT_TRUE((*pool)->write(16, {&condition, 1}).isOk());
  EXPECT_EQ(execute(*model, arguments, /*loopTimeout=*/0).message(),
            "operation 0: the loop ran for longer than 0 ns");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// A value goes when its last reader has run, whatever the graph is.
TEST_F(HostControlModelTest, DropsValues) {
  auto peakOf = [&](const AnnotatedModel &model, int32_t number, size_t size) {
    services.memory = std::make_shared<MemoryBudget>(UINT64_MAX);
    EXPECT_EQ(run(*load(model), number, size).message(), "");
    EXPECT_EQ(services.memory->inUse(), 0u);
    return services.memory->peak();
  };
  EXPECT_EQ(peakOf(chainModel(3), 1, 1), 16u);
  EXPECT_EQ(peakOf(chainModel(9), 1, 1), 16u);
  EXPECT_EQ(y, (Floats{1, 2}));
  // The state that has grown, and the negative of it: no state of the rounds
  // before is left, nor the number that counts them.
  EXPECT_EQ(peakOf(growingModel(), 2, 4), 32u + 32);
  // In a round the number before and after it, the condition and the result:
  // the state that the body ignores is gone by then.
  EXPECT_EQ(peakOf(ignoringModel(), 3, 4), 4u + 4 + 1 + 8);
  EXPECT_EQ(y, (Floats{1, -2}));
}

TEST_F(HostControlModelTest, ValuesCountAgainstTheLimit) {
  services.memory = std::make_shared<MemoryBudget>(15);
  auto model = load(chainModel(2));
  Status status = run(*model, 1, 1);
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "operation 1: referenced[0]: 8 bytes do not fit: "
                              "8 of 15 are in use");
  EXPECT_EQ(services.memory->inUse(), 0u);
  services.memory = std::make_shared<MemoryBudget>(16);
  EXPECT_EQ(run(*model, 1, 1).message(), "");
}

// A workspace has an arena for each part that has run: the ABS, the condition,
// the body and the NEG; the body has code for two shapes.
TEST_F(HostControlModelTest, AddsUpMemory) {
  OpenShapeModel::CodeMaker sized = maker();
  sized.compile = [make = sized.compile](const AnnotatedModel &known,
                                         const CompileObserver &observer)
      -> Result<std::unique_ptr<LoadedModel>> {
    auto made = make(known, observer);
    return std::unique_ptr<LoadedModel>(
        std::make_unique<SizedModel>(*std::move(made)));
  };
  auto model = HostControlModel::create(growingModel(), {}, sized, {});
  ASSERT_TRUE(model.isOk()) << model.status().message();
  EXPECT_EQ((*model)->memoryUse(), (MemoryUse{0, 0, 0}));
  EXPECT_EQ(run(**model, 2, 4).message(), "");
  EXPECT_EQ((*model)->memoryUse(), (MemoryUse{4 * 100, 4 * 60, 5 * 10}));
}

TEST_F(HostControlModelTest, HasNothingToKeep) {
  LoadObserver observer;
  observer.keepArtifact = [](const CompiledModel &) { return Status::ok(); };
  EXPECT_EQ(HostControlModel::create(growingModel(), {}, maker(), observer)
                .status()
                .message(),
            "a model whose shapes or parameters only an execution knows is "
            "compiled when it is executed: there is no artifact");
  EXPECT_EQ(HostControlModel::create(growingModel(), {{{2}, {1}}}, maker(), {})
                .status()
                .message(),
            "a model whose shapes or parameters do not follow from the shapes "
            "of its inputs is compiled when it is executed, not for 1 sets of "
            "shapes in advance");
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
