//===- OpenShapesTest.cpp - Shapes that only an execution knows -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "Runtime/OpenShapes/OpenShapes.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;

namespace {

using Dimensions = std::vector<uint32_t>;
using enum OperandLifeTime;

/// Builds graphs of tensors of unknown rank.
struct Graph : GraphBuilder {
  uint32_t floats(OperandLifeTime lifetime, Dimensions dimensions = {}) {
    return add(lifetime, OperandType::TENSOR_FLOAT32, std::move(dimensions));
  }
};

/// output = ABS(input).
Subgraph absGraph() {
  Graph graph;
  uint32_t x = graph.floats(SUBGRAPH_INPUT);
  return graph
      .operation(OperationType::ABS, {x}, {graph.floats(SUBGRAPH_OUTPUT)})
      .graph;
}

/// output = RESHAPE(input, a constant list of \p length ones in \p model).
Subgraph reshapeGraph(Model &model, uint32_t length) {
  Graph graph;
  uint32_t x = graph.floats(SUBGRAPH_INPUT);
  uint32_t list = graph.add(CONSTANT_COPY, OperandType::TENSOR_INT32, {length});
  graph.graph.operands[list].location = {
      0, uint32_t(model.operandValues.size()), length * 4};
  for (uint32_t i = 0; i < length; ++i)
    model.operandValues.insert(model.operandValues.end(), {1, 0, 0, 0});
  return graph
      .operation(OperationType::RESHAPE, {x, list},
                 {graph.floats(SUBGRAPH_OUTPUT)})
      .graph;
}

Result<AnnotatedModel> known(Model model, const KnownShapes &shapes) {
  AnnotatedModel annotated;
  annotated.model = std::move(model);
  EXPECT_TRUE(hasOpenRanks(annotated.model));
  return withKnownShapes(annotated, shapes, ShapeNeed::ranks);
}
std::string messageOf(Model model, const KnownShapes &shapes) {
  auto result = known(std::move(model), shapes);
  EXPECT_EQ(result.status().code(), StatusCode::generalFailure);
  return result.status().message();
}
Dimensions outputOf(const Result<AnnotatedModel> &result) {
  EXPECT_TRUE(result.isOk()) << result.status().message();
  const Subgraph &main = result->model.main;
  return main.operands[main.outputIndexes[0]].dimensions;
}

// D-027: ranks are written, extents stay open.
TEST(OpenShapesTest, followOperations) {
  Model model;
  Graph graph;
  uint32_t x = graph.floats(SUBGRAPH_INPUT),
           t = graph.floats(TEMPORARY_VARIABLE);
  uint32_t y = graph.floats(SUBGRAPH_OUTPUT);
  model.main = graph.operation(OperationType::ABS, {x}, {t})
                   .operation(OperationType::NEG, {t}, {y})
                   .graph;
  EXPECT_EQ(outputOf(known(model, {Dimensions{0, 0, 0}})),
            (Dimensions{0, 0, 0}));
  auto stated = known(model, {Dimensions{2, 3}});
  EXPECT_EQ(outputOf(stated), (Dimensions{0, 0}));
  EXPECT_EQ(stated->model.main.operands[x].dimensions, (Dimensions{2, 3}));
  EXPECT_EQ(stated->model.main.operands[t].dimensions, (Dimensions{0, 0}));
  EXPECT_EQ(messageOf(model, {std::nullopt}), "nothing gives operand 0 a rank");
  model.main.operands[x].dimensions = {4};
  EXPECT_EQ(outputOf(known(model, {std::nullopt})), Dimensions{0});
}

TEST(OpenShapesTest, followExtents) {
  Graph graph;
  uint32_t x = graph.floats(SUBGRAPH_INPUT);
  uint32_t list = graph.add(SUBGRAPH_INPUT, OperandType::TENSOR_INT32);
  uint32_t y = graph.floats(SUBGRAPH_OUTPUT);
  Model model;
  model.main = graph.operation(OperationType::RESHAPE, {x, list}, {y}).graph;
  EXPECT_EQ(messageOf(model, {Dimensions{0, 0}, Dimensions{0}}),
            "nothing gives operand 2 a rank");
  EXPECT_EQ(outputOf(known(model, {Dimensions{2, 2}, Dimensions{3}})),
            (Dimensions{0, 0, 0}));
  EXPECT_EQ(messageOf(model, {Dimensions{2, 2}, Dimensions{3, 3}}),
            "operation 0 (RESHAPE): input 1 (shape) has rank 2, expected 1");
}

// D-027, for code that has to know extents: those of all values are written.
TEST(OpenShapesTest, writeExtents) {
  Model model;
  Graph graph;
  uint32_t x = graph.floats(SUBGRAPH_INPUT, {0, 3}),
           t = graph.floats(TEMPORARY_VARIABLE, {0, 3});
  uint32_t y = graph.floats(SUBGRAPH_OUTPUT);
  model.main = graph.operation(OperationType::ABS, {x}, {t})
                   .operation(OperationType::NEG, {t}, {y})
                   .graph;
  EXPECT_TRUE(hasOpenExtents(model.main.operands[x]));
  AnnotatedModel annotated;
  annotated.model = model;
  auto stated =
      withKnownShapes(annotated, {Dimensions{2, 3}}, ShapeNeed::extents);
  EXPECT_EQ(outputOf(stated), (Dimensions{2, 3}));
  EXPECT_EQ(stated->model.main.operands[t].dimensions, (Dimensions{2, 3}));
  EXPECT_FALSE(hasOpenExtents(stated->model.main.operands[t]));
  EXPECT_EQ(withKnownShapes(annotated, {std::nullopt}, ShapeNeed::extents)
                .status()
                .message(),
            "nothing gives dimension 0 of operand 1 an extent");
  EXPECT_EQ(withKnownShapes(annotated, {Dimensions{2, 4}}, ShapeNeed::extents)
                .status()
                .code(),
            StatusCode::generalFailure);
}

/// output = REDUCE_SUM(input, along the first dimension, which stays).
Subgraph sumGraph(Model &model) {
  Graph sum;
  uint32_t x = sum.floats(SUBGRAPH_INPUT),
           axis = sum.add(CONSTANT_COPY, OperandType::TENSOR_INT32, {1});
  uint32_t keeps = sum.add(CONSTANT_COPY, OperandType::BOOL);
  sum.graph.operands[axis].location = {0, 0, 4};
  sum.graph.operands[keeps].location = {0, 4, 1};
  model.operandValues = {0, 0, 0, 0, 1};
  return sum
      .operation(OperationType::REDUCE_SUM, {x, axis, keeps},
                 {sum.floats(SUBGRAPH_OUTPUT)})
      .graph;
}

/// output = IF(condition, referenced[0], referenced[1], input).
Subgraph ifGraph() {
  Graph graph;
  uint32_t condition =
      graph.add(SUBGRAPH_INPUT, OperandType::TENSOR_BOOL8, {1});
  uint32_t x = graph.floats(SUBGRAPH_INPUT), y = graph.floats(SUBGRAPH_OUTPUT);
  std::vector<uint32_t> inputs = {condition, graph.callee(0), graph.callee(1),
                                  x};
  return graph.operation(OperationType::IF, inputs, {y}).graph;
}

TEST(OpenShapesTest, followBranches) {
  Model model;
  model.main = ifGraph();
  model.referenced = {absGraph(), absGraph()};
  auto result = known(model, {std::nullopt, Dimensions{0, 0}});
  EXPECT_EQ(outputOf(result), (Dimensions{0, 0}));
  for (const Subgraph &branch : result->model.referenced)
    for (const Operand &operand : branch.operands)
      EXPECT_EQ(operand.dimensions, (Dimensions{0, 0}));
  model.referenced[1] = reshapeGraph(model, 3);
  EXPECT_EQ(messageOf(model, {std::nullopt, Dimensions{1, 1}}),
            "operation 0 (IF): output 0 of the branches has rank 2 and 3");
}

// Extents that both branches give a result are known, others are not.
TEST(OpenShapesTest, followExtentsOfBranches) {
  Model model;
  model.main = ifGraph();
  model.referenced = {absGraph(), absGraph()};
  auto resultOf = [&](const Dimensions &input) {
    AnnotatedModel annotated;
    annotated.model = model;
    return withKnownShapes(annotated, {Dimensions{1}, input},
                           ShapeNeed::extents);
  };
  EXPECT_EQ(outputOf(resultOf({2, 3})), (Dimensions{2, 3}));
  model.referenced[1] = sumGraph(model);
  EXPECT_EQ(outputOf(resultOf({1, 3})), (Dimensions{1, 3}));
  EXPECT_EQ(resultOf({2, 3}).status().message(),
            "nothing gives dimension 0 of operand 2 an extent");
}

// Each call has a graph of its own.
TEST(OpenShapesTest, areThoseOfEachCall) {
  Model model;
  Graph graph;
  uint32_t condition =
      graph.add(SUBGRAPH_INPUT, OperandType::TENSOR_BOOL8, {1});
  uint32_t a = graph.floats(SUBGRAPH_INPUT), b = graph.floats(SUBGRAPH_INPUT);
  uint32_t callee = graph.callee(0);
  for (uint32_t input : {a, b})
    graph.operation(OperationType::IF, {condition, callee, callee, input},
                    {graph.floats(SUBGRAPH_OUTPUT)});
  model.main = graph.graph;
  model.referenced = {absGraph()};
  auto result = known(model, {std::nullopt, Dimensions{0}, Dimensions{0, 0}});
  EXPECT_EQ(outputOf(result), Dimensions{0});
  const Subgraph &main = result->model.main;
  EXPECT_EQ(main.operands[main.outputIndexes[1]].dimensions,
            (Dimensions{0, 0}));
  ASSERT_EQ(result->model.referenced.size(), 4u);
  uint32_t number = 0;
  for (const Operation &operation : main.operations)
    for (size_t branch : {1, 2}) {
      const Operand &reference = main.operands[operation.inputs[branch]];
      EXPECT_EQ(reference.location.offset, number++);
      const Operand &input =
          result->model.referenced[reference.location.offset].operands[0];
      EXPECT_EQ(input.dimensions,
                main.operands[operation.outputs[0]].dimensions);
    }
  model.referenced[0].operands[0].dimensions = {0};
  EXPECT_EQ(
      messageOf(model, {std::nullopt, Dimensions{0}, Dimensions{0, 0}}),
      "operation 1 (IF): referenced[0]: input 0 has rank 1 and is passed rank "
      "2");
}

/// output = WHILE(EQUAL(state, state), ABS(state), input), whose condition
/// takes a state of shape \p state.
Model whileModel(const Dimensions &state) {
  Model model;
  Graph condition;
  uint32_t value = condition.floats(SUBGRAPH_INPUT, state);
  uint32_t truth = condition.add(SUBGRAPH_OUTPUT, OperandType::TENSOR_BOOL8);
  model.referenced.push_back(
      condition.operation(OperationType::EQUAL, {value, value}, {truth}).graph);
  model.referenced.push_back(absGraph());
  Graph graph;
  uint32_t x = graph.floats(SUBGRAPH_INPUT), y = graph.floats(SUBGRAPH_OUTPUT);
  std::vector<uint32_t> inputs = {graph.callee(0), graph.callee(1), x};
  model.main = graph.operation(OperationType::WHILE, inputs, {y}).graph;
  return model;
}

TEST(OpenShapesTest, areThoseOfAllRounds) {
  Model model = whileModel({});
  EXPECT_EQ(outputOf(known(model, {Dimensions{0, 0}})), (Dimensions{0, 0}));
  model.referenced[1] = reshapeGraph(model, 3);
  EXPECT_EQ(messageOf(model, {Dimensions{1, 1}}),
            "operation 0 (WHILE): state 0 begins with rank 2 and goes on with "
            "rank 3");
}

// Code that depends on extents has states of one shape.
TEST(OpenShapesTest, areExtentsOfAllRounds) {
  Model model = whileModel({0, 0});
  auto resultOf = [&](const Dimensions &input) {
    AnnotatedModel annotated;
    annotated.model = model;
    return withKnownShapes(annotated, {input}, ShapeNeed::extents);
  };
  auto result = resultOf({2, 3});
  EXPECT_EQ(outputOf(result), (Dimensions{2, 3}));
  for (const Subgraph &called : result->model.referenced)
    EXPECT_EQ(called.operands[0].dimensions, (Dimensions{2, 3}));
  model.referenced[1] = sumGraph(model);
  EXPECT_EQ(outputOf(resultOf({1, 3})), (Dimensions{1, 3}));
  EXPECT_EQ(resultOf({2, 3}).status().message(),
            "operation 0 (WHILE): state 0 begins with shape [2,3] and goes on "
            "with shape [1,3]");
}

TEST(OpenShapesTest, haveABound) {
  Model model;
  Graph graph;
  uint32_t x = graph.floats(SUBGRAPH_INPUT);
  model.main =
      graph.operation(OperationType::ABS, {x}, {graph.floats(SUBGRAPH_OUTPUT)})
          .graph;
  EXPECT_EQ(outputOf(known(model, {Dimensions(256, 0)})).size(), 256u);
  EXPECT_EQ(messageOf(model, {Dimensions(257, 0)}),
            "operand 1 has rank 257, above 256");
}

// Inputs that are omitted are inputs no more.
TEST(OpenShapesTest, leaveOutInputs) {
  AnnotatedModel annotated;
  Graph graph;
  uint32_t x = graph.floats(SUBGRAPH_INPUT);
  uint32_t axes = graph.add(SUBGRAPH_INPUT, OperandType::TENSOR_INT32);
  annotated.model.main = graph
                             .operation(OperationType::TRANSPOSE, {x, axes},
                                        {graph.floats(SUBGRAPH_OUTPUT)})
                             .graph;
  annotated.inputNames = {"x", "axes"};
  annotated.statePairs = {{0, 1}};
  auto result = withKnownShapes(annotated, {Dimensions{0, 0}, Dimensions{}},
                                ShapeNeed::ranks);
  EXPECT_EQ(outputOf(result), (Dimensions{0, 0}));
  EXPECT_EQ(result->model.main.inputIndexes, std::vector<uint32_t>{x});
  EXPECT_EQ(result->model.main.operands[axes].lifetime, NO_VALUE);
  EXPECT_EQ(result->inputNames, std::vector<std::string>{"x"});
  EXPECT_TRUE(result->statePairs.empty());
}

// Parameters become constants, and extents follow from their values.
TEST(OpenShapesTest, followFromValues) {
  AnnotatedModel annotated;
  Graph graph;
  uint32_t x = graph.floats(SUBGRAPH_INPUT, {6});
  uint32_t list = graph.add(SUBGRAPH_INPUT, OperandType::TENSOR_INT32, {2});
  annotated.model.main = graph
                             .operation(OperationType::RESHAPE, {x, list},
                                        {graph.floats(SUBGRAPH_OUTPUT, {0, 0})})
                             .graph;
  annotated.inputNames = {"x", "list"};
  annotated.model.operandValues = {1};
  auto of = [&](std::vector<int32_t> values) {
    auto bytes = std::as_bytes(std::span(values));
    return withKnownShapes(
        annotated, {std::nullopt, std::nullopt}, ShapeNeed::extents,
        {std::nullopt, std::vector(bytes.begin(), bytes.end())});
  };
  auto result = of({2, 3});
  EXPECT_EQ(outputOf(result), (Dimensions{2, 3}));
  const Model &model = result->model;
  EXPECT_EQ(model.main.inputIndexes, std::vector<uint32_t>{x});
  EXPECT_EQ(result->inputNames, std::vector<std::string>{"x"});
  EXPECT_EQ(model.main.operands[list].lifetime, CONSTANT_COPY);
  EXPECT_EQ(model.main.operands[list].location, (DataLocation{0, 8, 8}));
  EXPECT_EQ(outputOf(of({3, 2})), (Dimensions{3, 2}));
  EXPECT_EQ(of({4, 2}).status().message(),
            "operation 0 (RESHAPE): result shape 4x2 has 8 elements, input "
            "shape 6 has 6");
  EXPECT_EQ(of({6}).status().message(), "input 1 has 4 bytes, its type has 8");
  EXPECT_EQ(of({}).status().message(),
            "input 1 is a parameter without elements");
}

TEST(OpenShapesTest, areNotThoseOfScalars) {
  Model model;
  Graph graph;
  graph.add(SUBGRAPH_INPUT, OperandType::INT32);
  graph.floats(SUBGRAPH_OUTPUT, {0});
  model.main = graph.graph;
  EXPECT_FALSE(hasOpenRanks(model));
}

} // namespace
