//===- OpenRankTest.cpp - Inputs and outputs of unknown rank --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"
#include "Memories.h"

#include <cmath>
#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

/// A tensor of unknown rank.
const Dimensions open = {};

class OpenRankTest : public ModeTest {
protected:
  /// Executes with inputs of \p inputShapes and an output of \p outputShape,
  /// which the request states where a fenced execution has to know it.
  Executed execute(const PreparedModel &model,
                   const std::vector<Dimensions> &inputShapes,
                   const Dimensions &outputShape) {
    arguments.emplace(inputShapes, std::vector<Dimensions>{outputShape});
    if (GetParam() != Mode::fenced)
      arguments->request.outputs[0].dimensions.clear();
    return executeIn(GetParam(), model, arguments->request);
  }
  /// The output of the last execution.
  const std::vector<float> &output() const { return arguments->outputs[0]; }

  /// Expects the shape in every mode that tells one.
  void expectShape(const Executed &executed, const Dimensions &shape) {
    ASSERT_EQ(executed.status.message(), "");
    if (GetParam() == Mode::fenced)
      return;
    ASSERT_EQ(executed.result.outputShapes.size(), 1u);
    EXPECT_EQ(executed.result.outputShapes[0], (OutputShape{shape, true}));
  }

  std::optional<FloatArguments> arguments;
};
NNHAL_ALL_MODES(OpenRankTest);

// A-025, D-027, D-033: each execution states the rank; what was executed before
// does not matter.
TEST_P(OpenRankTest, isThatOfTheRequest) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel(open));
  for (const Dimensions &shape :
       {Dimensions{4}, {2, 2}, {1, 4, 1}, {4}, {1, 2, 2, 1}, {3, 2}, {2, 2}}) {
    Executed executed = execute(*prepared, {shape, shape}, shape);
    expectShape(executed, shape);
    EXPECT_EQ(output(), flowOfCounts(output().size()));
  }
}

// D-027: of one input only, and through a chain of values without rank.
TEST_P(OpenRankTest, followsFromTheOtherOperands) {
  AnnotatedModel model = addChainModel(open, 3);
  Subgraph &main = model.model.main;
  main.operands[main.inputIndexes[1]].dimensions = {2};
  NNHAL_PREPARE_OR_SKIP(prepared, *device, model);
  expectShape(execute(*prepared, {{2, 2}, {2}}, {2, 2}), {2, 2});
  auto chain = [](float lhs, float rhs) {
    return flow(flow(flow(lhs, rhs), rhs), rhs);
  };
  EXPECT_EQ(output(), (std::vector<float>{chain(1, 1), chain(2, 2), chain(3, 1),
                                          chain(4, 2)}));
  expectShape(execute(*prepared, {{1}, {2}}, {2}), {2});
  EXPECT_EQ(output(), (std::vector<float>{chain(1, 1), chain(1, 2)}));
}

// D-027, D-033: of the output alone.
TEST_P(OpenRankTest, ofAnOutputIsComputed) {
  AnnotatedModel model = addModel({2, 2});
  Subgraph &main = model.model.main;
  main.operands[main.outputIndexes[0]].dimensions.clear();
  NNHAL_PREPARE_OR_SKIP(prepared, *device, model);
  expectShape(execute(*prepared, {{2, 2}, {2, 2}}, {2, 2}), {2, 2});
  EXPECT_EQ(output(), flowOfCounts(4));
}

// D-027: a rank that follows from the extents of another input.
TEST_P(OpenRankTest, mayFollowFromExtents) {
  AnnotatedModel annotated;
  SubgraphBuilder main(annotated.model);
  uint32_t data = main.input(OperandType::TENSOR_FLOAT32, open);
  uint32_t shape = main.input(OperandType::TENSOR_INT32, open);
  uint32_t result = main.output(OperandType::TENSOR_FLOAT32, open);
  main.operation(OperationType::RESHAPE, {data, shape}, {result});
  annotated.model.main = main.finish();
  NNHAL_PREPARE_OR_SKIP(prepared, *device, annotated);
  for (std::vector<int32_t> wanted :
       {std::vector<int32_t>{4}, {2, -1}, {1, 4, 1}}) {
    FloatArguments bound({{2, 2}}, {{4}});
    bound.request.inputs.push_back(
        {Memory::borrow(std::as_bytes(std::span(wanted))),
         {uint32_t(wanted.size())}});
    Dimensions computed(wanted.begin(), wanted.end());
    if (wanted.size() == 2)
      computed[1] = 2;
    bound.request.outputs[0].dimensions =
        GetParam() == Mode::fenced ? computed : Dimensions();
    expectShape(executeIn(GetParam(), *prepared, bound.request), computed);
    EXPECT_EQ(bound.outputs[0], (std::vector<float>{1, 2, 3, 4}));
  }
}

// D-027: in the branches of an IF.
TEST_P(OpenRankTest, reachesSubgraphs) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, ifModel(open));
  for (bool condition : {true, false})
    for (const Dimensions &shape : {Dimensions{2, 2}, {4}}) {
      FloatArguments bound({shape, shape}, {shape});
      bound.request.inputs.insert(
          bound.request.inputs.begin(),
          {Memory::borrow(std::as_bytes(std::span(&condition, 1))), {1}});
      if (GetParam() != Mode::fenced)
        bound.request.outputs[0].dimensions.clear();
      expectShape(executeIn(GetParam(), *prepared, bound.request), shape);
      EXPECT_EQ(bound.outputs[0], condition
                                      ? (std::vector<float>{2, 4, 6, 8})
                                      : (std::vector<float>{1, 4, 9, 16}));
    }
}

// D-027: a request has to state the shape.
TEST_P(OpenRankTest, isNeeded) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel(open));
  Executed executed = execute(*prepared, {open, {1}}, {1});
  EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(executed.status.message(),
            "input 0 has unknown rank, and the request states no shape");
  FloatArguments deep({Dimensions(257, 1), {1}}, {{1}});
  executed = executeIn(GetParam(), *prepared, deep.request);
  EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(executed.status.message(),
            "input 0 has rank 257 in the request, above 256");
  FloatArguments small({{2, 2}, {2, 2}}, {{2, 2}});
  small.request.inputs[0].dimensions = {2, 3};
  executed = executeIn(GetParam(), *prepared, small.request);
  EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(executed.status.message(),
            "input 0 has 16 bytes, its shape and type need 24");
}

// D-027, D-050: a fenced execution has to know the rank of outputs, too.
TEST_F(ConformanceTest, openRanksOfFencedOutputsAreStated) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel(open));
  FloatArguments arguments({{2, 2}, {2, 2}}, {{2, 2}});
  arguments.request.outputs[0].dimensions.clear();
  Executed executed = executeIn(Mode::fenced, *prepared, arguments.request);
  EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(executed.status.message(),
            "output 0 has the shape []: a fenced execution needs to know every "
            "extent, and none may be 0");
}

// D-027: what the request states of an output has to be right.
TEST_P(OpenRankTest, ofOutputsIsChecked) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel(open));
  FloatArguments bound({{2, 2}, {2, 2}}, {{4}});
  Executed executed = executeIn(GetParam(), *prepared, bound.request);
  EXPECT_EQ(executed.status.code(), StatusCode::generalFailure);
  EXPECT_EQ(executed.status.message(),
            "output 0 has rank 2, the request states 1");
}

// D-027: shapes that the operations do not take fail the execution, and leave
// the model usable.
TEST_P(OpenRankTest, thatNoOperationTakesFails) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel(open));
  Executed executed = execute(*prepared, {{2, 2}, {3}}, {2, 2});
  EXPECT_EQ(executed.status.code(), StatusCode::generalFailure);
  executed = execute(*prepared, {{1, 1, 1, 1, 1}, {1}}, {1, 1, 1, 1, 1});
  EXPECT_EQ(executed.status.code(), StatusCode::generalFailure);
  expectShape(execute(*prepared, {{2}, {2}}, {2}), {2});
}

// D-027: ranks have a bound, which only an execution can exceed.
TEST_F(ConformanceTest, openRanksHaveABound) {
  AnnotatedModel annotated;
  SubgraphBuilder main(annotated.model);
  uint32_t extents = main.constant<int32_t>(OperandType::TENSOR_INT32, {257},
                                            std::vector<int32_t>(257, 1));
  uint32_t value = main.input(OperandType::FLOAT32, {});
  uint32_t filled = main.output(OperandType::TENSOR_FLOAT32, open);
  main.operation(OperationType::FILL, {extents, value}, {filled});
  annotated.model.main = main.finish();
  NNHAL_PREPARE_OR_SKIP(prepared, *device, annotated);
  FloatArguments arguments({{}}, {{1}});
  arguments.request.outputs[0].dimensions.clear();
  Executed executed = executeIn(Mode::sync, *prepared, arguments.request);
  EXPECT_EQ(executed.status.code(), StatusCode::generalFailure);
  EXPECT_NE(executed.status.message().find("has rank 257, above 256"),
            std::string::npos)
      << executed.status.message();
}

// C-052, D-029: an output that is too small says what it needs.
TEST_F(ConformanceTest, openRanksAreReportedWhenAnOutputIsTooSmall) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel(open));
  FloatArguments arguments({{2, 2}, {2, 2}}, {{3}});
  arguments.request.outputs[0].dimensions.clear();
  Executed executed = executeIn(Mode::sync, *prepared, arguments.request);
  EXPECT_EQ(executed.status.code(), StatusCode::outputInsufficientSize);
  ASSERT_EQ(executed.result.outputShapes.size(), 1u);
  EXPECT_EQ(executed.result.outputShapes[0], (OutputShape{{2, 2}, false}));
  EXPECT_TRUE(std::isnan(arguments.outputs[0][0]));
}

// D-027, C-075: the description of a buffer states the rank that roles leave
// open.
TEST_F(ConformanceTest, openRanksInBuffers) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel(open));
  NNHAL_ALLOCATE(input, *device, prepared, {0, 1}, {}, {2, 2});
  NNHAL_ALLOCATE(output, *device, prepared, {}, {0}, {0, 0});
  ASSERT_TRUE(copyFloatsTo(*input, {1, 2, 3, 4}).isOk());
  Request request;
  request.inputs = {inputFrom(*input), inputFrom(*input)};
  request.outputs = {outputTo(*output)};
  Executed executed = executeIn(Mode::sync, *prepared, request);
  EXPECT_EQ(executed.status.message(), "");
  ASSERT_EQ(executed.result.outputShapes.size(), 1u);
  EXPECT_EQ(executed.result.outputShapes[0], (OutputShape{{2, 2}, true}));
  EXPECT_EQ(floatsOf(*output, 4), flowOfCounts(4));
}

// D-027: executions of several ranks at once.
TEST_F(ConformanceTest, openRanksOfManyThreads) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel(open));
  std::vector<std::thread> threads;
  for (uint32_t rank = 1; rank <= 4; ++rank)
    for (int copy = 0; copy < 2; ++copy)
      threads.emplace_back([&, rank] {
        Dimensions shape(rank, 1);
        shape[0] = 4;
        for (int i = 0; i < 20; ++i) {
          FloatArguments arguments({shape, shape}, {shape});
          Executed executed =
              executeIn(Mode::sync, *prepared, arguments.request);
          EXPECT_EQ(executed.status.message(), "");
          EXPECT_EQ(arguments.outputs[0], flowOfCounts(4));
        }
      });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
