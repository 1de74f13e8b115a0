//===- ExplainTest.cpp - Why a plan is as it is ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionTesting.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;

using enum OperationType;

namespace {

class ExplainTest : public PartitionTesting {
protected:
  /// The reason for the only operation of \p model, which the one device
  /// before the fallback refuses.
  std::string reasonFor(const AnnotatedModel &model) const {
    auto made = plan(model);
    if (!made.isOk())
      return made.status().message();
    EXPECT_EQ(made->assignments[0].reason, AssignmentReason::support);
    findReasons(*made, model, devices);
    return std::string(toString(made->assignments[0].reason));
  }

  void addRefusing(
      std::function<bool(const Model &, const Subgraph &, const Operation &)>
          takes) {
    SyntheticOptions made;
    made.name = "choosy";
    made.supports = [takes](const Model &model, const Subgraph &subgraph,
                            const Operation &operation) {
      return takes(model, subgraph, operation)
                 ? Status::ok()
                 : Status(StatusCode::invalidArgument, "not like this");
    };
    add(std::move(made));
  }
};

AnnotatedModel absModel(OperandType type, std::vector<uint32_t> dimensions) {
  AnnotatedModel annotated;
  SubgraphBuilder builder(annotated.model);
  uint32_t in = builder.input(type, dimensions);
  uint32_t out = builder.output(type, dimensions);
  builder.operation(ABS, {in}, {out});
  annotated.model.main = builder.finish();
  return annotated;
}

const Operand &firstInput(const Subgraph &subgraph,
                          const Operation &operation) {
  return subgraph.operands[operation.inputs[0]];
}

TEST_F(ExplainTest, ATypeIsInTheWay) {
  addRefusing([](const Model &, const Subgraph &graph, const Operation &op) {
    return firstInput(graph, op).type == OperandType::TENSOR_FLOAT32;
  });
  EXPECT_EQ(reasonFor(absModel(OperandType::TENSOR_INT32, {4})), "type");
  EXPECT_EQ(reasonFor(absModel(OperandType::TENSOR_FLOAT16, {4})), "type");
}

TEST_F(ExplainTest, ARankIsInTheWay) {
  addRefusing([](const Model &, const Subgraph &graph, const Operation &op) {
    return firstInput(graph, op).dimensions.size() == 4;
  });
  EXPECT_EQ(reasonFor(absModel(OperandType::TENSOR_FLOAT32, {4})), "rank");
}

TEST_F(ExplainTest, UnknownExtentsAreInTheWay) {
  addRefusing([](const Model &, const Subgraph &graph, const Operation &op) {
    return std::ranges::count(firstInput(graph, op).dimensions, 0u) == 0;
  });
  EXPECT_EQ(reasonFor(absModel(OperandType::TENSOR_FLOAT32, {0, 4})),
            "dynamic");
}

TEST_F(ExplainTest, AParameterIsInTheWay) {
  addRefusing(
      [](const Model &model, const Subgraph &graph, const Operation &op) {
        auto bytes = constantBytes(model, graph.operands[op.inputs[2]]);
        return bytes.isOk() && (*bytes)[0] == std::byte(0);
      });
  AnnotatedModel annotated;
  SubgraphBuilder builder(annotated.model);
  const auto type = OperandType::TENSOR_FLOAT32;
  uint32_t a = builder.input(type, {4});
  uint32_t relu = builder.scalar(3);
  uint32_t out = builder.output(type, {4});
  builder.operation(ADD, {a, a, relu}, {out});
  annotated.model.main = builder.finish();
  EXPECT_EQ(reasonFor(annotated), "parameter");
}

/// The chosen device takes data of \p type alone.
auto takesType(OperandType type) {
  return [type](const Model &, const Subgraph &graph, const Operation &op) {
    return firstInput(graph, op).type == type;
  };
}

/// out = a + c of \p shape, for a constant c.
AnnotatedModel addConstantModel(const std::vector<uint32_t> &shape) {
  AnnotatedModel annotated;
  SubgraphBuilder builder(annotated.model);
  const auto type = OperandType::TENSOR_FLOAT32;
  size_t count = 1;
  for (uint32_t extent : shape)
    count *= extent;
  uint32_t a = builder.input(type, shape);
  uint32_t c = builder.constant<float>(type, shape, std::vector<float>(count));
  uint32_t none = builder.scalar(0);
  uint32_t out = builder.output(type, shape);
  builder.operation(ADD, {a, c, none}, {out});
  annotated.model.main = builder.finish();
  return annotated;
}

// Constants beside the data get its type, and have as many dimensions.
TEST_F(ExplainTest, ConstantsFollowTheData) {
  addRefusing(takesType(OperandType::TENSOR_FLOAT16));
  EXPECT_EQ(reasonFor(addConstantModel({2, 2})), "type");
}

TEST_F(ExplainTest, FewerDimensionsAreAnotherRank) {
  addRefusing([](const Model &, const Subgraph &graph, const Operation &op) {
    return firstInput(graph, op).dimensions.size() == 2;
  });
  EXPECT_EQ(reasonFor(addConstantModel({1, 1, 2, 2})), "rank");
}

// A scalar of reals has the type that goes with the data.
TEST_F(ExplainTest, ScalarsFollowTheData) {
  addRefusing(takesType(OperandType::TENSOR_FLOAT16));
  AnnotatedModel annotated;
  SubgraphBuilder builder(annotated.model);
  const auto type = OperandType::TENSOR_FLOAT32;
  uint32_t in = builder.input(type, {1, 4});
  uint32_t beta = builder.constant<float>(OperandType::FLOAT32, {}, {1.0f});
  uint32_t out = builder.output(type, {1, 4});
  builder.operation(SOFTMAX, {in, beta}, {out});
  annotated.model.main = builder.finish();
  EXPECT_EQ(reasonFor(annotated), "type");
}

// Beside reals a bias of integers is one of reals.
TEST_F(ExplainTest, BiasesFollowTheData) {
  addRefusing(takesType(OperandType::TENSOR_FLOAT32));
  AnnotatedModel annotated;
  SubgraphBuilder builder(annotated.model);
  const auto type = OperandType::TENSOR_QUANT8_ASYMM;
  uint32_t in = builder.input(type, {1, 2});
  uint32_t weights =
      builder.constant<uint8_t>(type, {3, 2}, std::vector<uint8_t>(6));
  uint32_t bias = builder.constant<int32_t>(OperandType::TENSOR_INT32, {3},
                                            std::vector<int32_t>(3));
  uint32_t none = builder.scalar(0);
  uint32_t out = builder.output(type, {1, 3});
  for (uint32_t quantized : {in, weights})
    builder.operand(quantized).scale = 0.5f;
  builder.operand(bias).scale = 0.25f;
  builder.operand(out).scale = 1.0f;
  builder.operation(FULLY_CONNECTED, {in, weights, bias, none}, {out});
  annotated.model.main = builder.finish();
  EXPECT_EQ(reasonFor(annotated), "type");
}

TEST_F(ExplainTest, AListIsAParameter) {
  addRefusing(
      [](const Model &model, const Subgraph &graph, const Operation &op) {
        auto bytes = constantBytes(model, graph.operands[op.inputs[1]]);
        return bytes.isOk() && (*bytes)[0] == std::byte(0);
      });
  AnnotatedModel annotated;
  SubgraphBuilder builder(annotated.model);
  const auto type = OperandType::TENSOR_FLOAT32;
  uint32_t in = builder.input(type, {2, 2});
  uint32_t axes =
      builder.constant<int32_t>(OperandType::TENSOR_INT32, {1}, {1});
  uint32_t keeps = builder.scalar(1);
  uint32_t out = builder.output(type, {2, 1});
  builder.operation(MEAN, {in, axes, keeps}, {out});
  annotated.model.main = builder.finish();
  EXPECT_EQ(reasonFor(annotated), "parameter");
}

TEST_F(ExplainTest, AnUnknownRankIsInTheWay) {
  addRefusing([](const Model &, const Subgraph &graph, const Operation &op) {
    return firstInput(graph, op).dimensions.size() == 2;
  });
  EXPECT_EQ(reasonFor(absModel(OperandType::TENSOR_FLOAT32, {})), "dynamic");
}

// Without the devices that were asked nothing is found out.
TEST_F(ExplainTest, ReasonsNeedTheDevicesOfThePlan) {
  add("none", {});
  AnnotatedModel model = absModel(OperandType::TENSOR_FLOAT32, {4});
  auto made = plan(model);
  ASSERT_TRUE(made.isOk());
  findReasons(*made, model, std::span(devices).last(1));
  EXPECT_EQ(made->assignments[0].reason, AssignmentReason::support);
  EXPECT_EQ(toString(AssignmentReason(99)), "unknown");
}

TEST_F(ExplainTest, ADeviceThatTakesNoFormOfIt) {
  add("none", {});
  EXPECT_EQ(reasonFor(absModel(OperandType::TENSOR_FLOAT32, {4})), "type");
  EXPECT_EQ(reasonFor(absModel(OperandType::TENSOR_FLOAT32, {0})), "dynamic");
  EXPECT_EQ(reasonFor(conformance::ifModel({4})), "type");
}

TEST_F(ExplainTest, TheTextNamesDevicesStepsAndReasons) {
  add("fast", {ADD, ABS, MUL}, 0.1f);
  add("slow", {ADD}, 0.5f);
  AnnotatedModel model = chainModel();
  auto made = plan(model);
  ASSERT_TRUE(made.isOk());
  findReasons(*made, model, devices);
  EXPECT_EQ(toString(explainPlan(*made, model)),
            "3 of 4 operations on fast, 1 step, because cost (3: ADD ABS MUL; "
            "fast 12, slow 58, nnhal-reference 116)\n"
            "1 of 4 operations on nnhal-reference, 1 step, because type (1: "
            "FLOOR; fast: not among the operations of the synthetic "
            "device)\n");
}

// I-003: the mode is a reason, too.
TEST_F(ExplainTest, PolicyIsAReason) {
  options.mode = PartitionMode::no;
  add("fast", {ADD, ABS, MUL}, 0.1f);
  EXPECT_EQ(toString(explainPlan(*plan(chainModel()), chainModel())),
            "4 of 4 operations on nnhal-reference, 1 step, because policy (4: "
            "ADD ABS MUL FLOOR; partition mode 0 leaves the fallback device "
            "alone)\n");
  options.mode = PartitionMode::withFallback;
  devices = {reference.get()};
  EXPECT_EQ(toString(explainPlan(*plan(chainModel()), chainModel())),
            "4 of 4 operations on nnhal-reference, 1 step, because policy (4: "
            "ADD ABS MUL FLOOR; there is no other device)\n");
}

TEST_F(ExplainTest, InterpretedSubgraphsLeadToDevices) {
  add("adds", {ADD});
  add("compares", {LESS});
  AnnotatedModel model = conformance::countingLoopModel(5);
  EXPECT_EQ(toString(explainPlan(*plan(model), model)),
            "0 of 1 operations on adds, 1 step, because interpreted control "
            "flow leads there\n"
            "0 of 1 operations on compares, 1 step, because interpreted "
            "control flow leads there\n"
            "1 of 1 operations on nnhal-reference, 0 steps, because support "
            "(1: WHILE; adds: not among the operations of the synthetic "
            "device)\n");
}

// I-032: the log lists the steps.
TEST_F(ExplainTest, TheLogListsTheSteps) {
  std::vector<std::string> lines;
  options.log =
      std::make_shared<Log>(maskOf(LogTag::compilation), [&](auto line) {
        lines.push_back(std::string(line));
      });
  add("adds", {ADD});
  add("compares", {LESS});
  ASSERT_TRUE(plan(conformance::countingLoopModel(5)).isOk());
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_TRUE(
      lines[0].starts_with("compilation: plan: compound, 5 steps, estimate "))
      << lines[0];
  EXPECT_EQ(lines[1], "compilation: 0: While: condition 1, body 3, end 5");
  EXPECT_EQ(lines[2],
            "compilation: 1: Step on compares: 1 operations of referenced[0]: "
            "LESS");
  EXPECT_EQ(lines[3], "compilation: 2: Goto 0");
  lines.clear();
  ASSERT_TRUE(plan(conformance::ifModel({4})).isOk());
  EXPECT_EQ(lines[1], "compilation: 0: If: true 1, false 3");
}

} // namespace
