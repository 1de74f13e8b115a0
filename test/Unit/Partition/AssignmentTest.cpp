//===- AssignmentTest.cpp - The cheapest assignment -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionTesting.h"

#include "Runtime/Partition/Assignment.h"

#include <algorithm>
#include <random>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;
using namespace nnhal::rt::partitiontest;

using enum OperationType;

namespace {

/// A random graph of \p count operations on \p devices devices.
CostGraph drawGraph(uint64_t seed, unsigned count, unsigned devices) {
  std::mt19937_64 random(seed);
  auto draw = [&](unsigned bound) { return unsigned(random() % bound); };
  CostGraph graph;
  for (unsigned d = 0; d < devices; ++d) {
    graph.stepCosts.push_back(draw(2000));
    graph.byteCosts.push_back(double(draw(100)) / 100);
  }
  for (unsigned i = 0; i < count; ++i) {
    CostGraph::Operation &operation = graph.operations.emplace_back();
    for (unsigned d = 0; d < devices; ++d)
      operation.costs.push_back(
          draw(3) == 0 && d + 1 != devices ? impossible : double(draw(2000)));
    if (draw(10) == 0)
      operation.interpretedCost = draw(1000);
    for (unsigned r = 0; r < 2 && i > 0; ++r) {
      uint32_t value = draw(i);
      if (std::ranges::count(operation.reads, value) != 0)
        continue;
      operation.reads.push_back(value);
      graph.values[value].consumers.push_back(i);
    }
    operation.writes.push_back(i);
    graph.values.push_back({i, {}, double(draw(4000)), draw(20) == 0});
  }
  return graph;
}

/// The cheapest of all assignments.
double leastOfAll(const CostGraph &graph) {
  std::vector<uint32_t> devices(graph.operations.size(), 0);
  auto places = uint32_t(graph.stepCosts.size() + 1);
  double best = impossible;
  std::vector<uint32_t> digits(devices.size(), 0);
  while (true) {
    for (size_t i = 0; i < digits.size(); ++i)
      devices[i] = digits[i] + 1 == places ? interpreted : digits[i];
    best = std::min(best, estimate(graph, devices));
    size_t i = 0;
    while (i < digits.size() && ++digits[i] == places)
      digits[i++] = 0;
    if (i == digits.size())
      return best;
  }
}

std::vector<uint32_t> greedyOf(const CostGraph &graph) {
  std::vector<uint32_t> devices;
  for (const CostGraph::Operation &operation : graph.operations)
    devices.push_back(uint32_t(std::ranges::min_element(operation.costs) -
                               operation.costs.begin()));
  return devices;
}

TEST(AssignmentTest, SmallGraphsAreSolvedExactly) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    CostGraph graph = drawGraph(seed, 1 + seed % 7, 1 + seed % 3);
    auto found = leastCostAssignment(graph, greedyOf(graph));
    EXPECT_DOUBLE_EQ(estimate(graph, found), leastOfAll(graph))
        << "seed " << seed;
  }
}

TEST(AssignmentTest, LargeGraphsAreNeverWorseThanTheStarts) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    CostGraph graph = drawGraph(seed, 100, 3);
    double found = estimate(graph, leastCostAssignment(graph, greedyOf(graph)));
    EXPECT_LE(found, estimate(graph, greedyOf(graph)));
    for (uint32_t d = 0; d < 3; ++d)
      EXPECT_LE(found, estimate(graph, std::vector<uint32_t>(100, d)));
    EXPECT_LT(found, impossible);
  }
}

TEST(AssignmentTest, GroupsAreInAnOrderOfExecution) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    CostGraph graph = drawGraph(seed, 40, 3);
    std::vector<bool> isDone(40);
    for (const Group &group : groupsOf(graph, greedyOf(graph)))
      for (uint32_t operation : group.operations) {
        for (uint32_t value : graph.operations[operation].reads)
          EXPECT_TRUE(isDone[graph.values[value].producer]);
        isDone[operation] = true;
      }
    EXPECT_EQ(std::ranges::count(isDone, true), 40);
  }
}

class EstimateTest : public PartitionTesting {};

/// \p length convolutions of 16x16x16, with a floor between each two.
AnnotatedModel networkModel(unsigned length) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  SubgraphBuilder builder(model);
  const auto type = OperandType::TENSOR_FLOAT32;
  uint32_t value = builder.input(type, {1, 16, 16, 16});
  uint32_t filter = builder.constant<float>(type, {16, 3, 3, 16},
                                            std::vector<float>(16 * 9 * 16));
  uint32_t bias = builder.constant<float>(type, {16}, std::vector<float>(16));
  uint32_t one = builder.scalar(1), none = builder.scalar(0);
  for (unsigned i = 0; i < length; ++i) {
    uint32_t next = builder.temporary(type, {1, 16, 16, 16});
    builder.operation(CONV_2D, {value, filter, bias, one, one, one, none},
                      {next});
    value = i + 1 == length ? builder.output(type, {1, 16, 16, 16})
                            : builder.temporary(type, {1, 16, 16, 16});
    builder.operation(FLOOR, {next}, {value});
  }
  model.main = builder.finish();
  return annotated;
}

// I-012: the sizes do not count in the greedy plan; they do in the other.
TEST_F(EstimateTest, TheGreedyPlanIgnoresSizes) {
  add("convolves", {CONV_2D}, 0.5f);
  add("floors", {FLOOR}, 0.9f);
  auto greedy = plan(networkModel(3));
  ASSERT_TRUE(greedy.isOk());
  EXPECT_EQ(describe(*greedy), "convolves:0 floors:1 convolves:2 floors:3 "
                               "convolves:4 floors:5");
  options.planner = Planner::leastCost;
  auto cheapest = plan(networkModel(3));
  ASSERT_TRUE(cheapest.isOk());
  // A small gain for a small operation is not worth a step.
  EXPECT_EQ(describe(*cheapest),
            "convolves:0 nnhal-reference:1 convolves:2 nnhal-reference:3 "
            "convolves:4 nnhal-reference:5");
  EXPECT_LT(cheapest->estimate, greedy->estimate);
  EXPECT_LT(cheapest->estimate, cheapest->singleDeviceEstimate);
}

TEST_F(EstimateTest, BytesThatCrossCount) {
  add("floors", {FLOOR}, 0.1f);
  options.planner = Planner::leastCost;
  options.stepCost = 0.0;
  options.byteCost = 0.0;
  EXPECT_EQ(plan(networkModel(2))->steps.size(), 4u);
  options.byteCost = 10.0;
  EXPECT_TRUE(plan(networkModel(2))->isSimple());
  options.byteCost = 0.0;
  options.stepCost = 1e6;
  EXPECT_TRUE(plan(networkModel(2))->isSimple());
}

} // namespace
