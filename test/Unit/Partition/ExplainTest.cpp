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
