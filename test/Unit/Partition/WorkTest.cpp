//===- WorkTest.cpp - The work of operations by their sizes ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionTesting.h"

#include "Runtime/Partition/CostModel.h"

using namespace nnhal::rt;
using namespace nnhal::rt::partition;
using namespace nnhal::rt::partitiontest;

using enum OperationType;

namespace {

using Shape = std::vector<uint32_t>;

/// The work of an operation on floats of these shapes, beside two scalars.
double workOfShapes(OperationType type, const std::vector<Shape> &inputs,
                    const Shape &output) {
  Model model;
  SubgraphBuilder builder(model);
  const auto floats = OperandType::TENSOR_FLOAT32;
  std::vector<uint32_t> read;
  for (const Shape &shape : inputs)
    read.push_back(builder.input(floats, shape));
  read.insert(read.end(), {builder.scalar(0), builder.scalar(1)});
  uint32_t out = builder.output(floats, output);
  builder.operation(type, read, {out});
  Subgraph made = builder.finish();
  return workOf(made, made.operations[0]);
}

/// The call itself, and one access to each element.
double accesses(double inputs, double outputs) {
  return 100 + inputs + 2 * outputs;
}

TEST(WorkTest, ElementsAreReadAndWritten) {
  EXPECT_EQ(workOfShapes(ADD, {{2, 3}, {3}}, {2, 3}), accesses(6 + 3, 6));
  // An unknown extent counts as 1.
  EXPECT_EQ(workOfShapes(ADD, {{0, 3}, {}}, {0, 3}), accesses(3 + 1, 3));
  // Nothing is known of operations of extensions but their operands.
  EXPECT_EQ(workOfShapes(OperationType(0x40001), {{5}}, {7}), accesses(5, 7));
}

TEST(WorkTest, ProductsCountForEachElementOfTheOutput) {
  const double in = 6 * 6 * 4, out = 5 * 5 * 8;
  EXPECT_EQ(
      workOfShapes(CONV_2D, {{1, 6, 6, 4}, {8, 2, 3, 4}, {8}}, {1, 5, 5, 8}),
      accesses(in + 8 * 2 * 3 * 4 + 8, out) + 2 * 3 * 4 * out);
  EXPECT_EQ(workOfShapes(GROUPED_CONV_2D, {{1, 6, 6, 4}, {8, 2, 3, 2}, {8}},
                         {1, 5, 5, 8}),
            accesses(in + 8 * 2 * 3 * 2 + 8, out) + 2 * 3 * 2 * out);
  // A transposed one has as many products for each element of the input.
  EXPECT_EQ(workOfShapes(TRANSPOSE_CONV_2D, {{1, 6, 6, 4}, {8, 2, 3, 4}, {8}},
                         {1, 5, 5, 8}),
            accesses(in + 8 * 2 * 3 * 4 + 8, out) + 2 * 3 * 4 * out / 4);
  EXPECT_EQ(workOfShapes(DEPTHWISE_CONV_2D, {{1, 6, 6, 4}, {1, 2, 3, 8}, {8}},
                         {1, 5, 5, 8}),
            accesses(in + 2 * 3 * 8 + 8, out) + 2 * 3 * out);
  EXPECT_EQ(workOfShapes(FULLY_CONNECTED, {{2, 12}, {10, 12}, {10}}, {2, 10}),
            accesses(2 * 12 + 10 * 12 + 10, 2 * 10) + 12 * 2 * 10);
  // A filter of unknown extents or rank has one product each.
  for (const Shape &filter : {Shape{0, 0, 0, 0}, Shape{}})
    EXPECT_EQ(workOfShapes(CONV_2D, {{1, 6, 6, 4}, filter, {8}}, {1, 5, 5, 8}),
              accesses(in + 1 + 8, out) + out);
}

TEST(WorkTest, RecurrentWeightsAreReadAtEachStep) {
  const double inputs = 7 * 3 + 4 * 3 + 4 * 4 + 4 + 4;
  const std::vector<Shape> cell = {{4, 3}, {4, 4}, {4}, {1, 4}};
  std::vector<Shape> sequence = {{1, 7, 3}};
  sequence.insert(sequence.end(), cell.begin(), cell.end());
  EXPECT_EQ(workOfShapes(UNIDIRECTIONAL_SEQUENCE_RNN, sequence, {1, 7, 4}),
            accesses(inputs, 7 * 4) + 7 * inputs);
}

TEST(WorkTest, SomeFamiliesWorkMoreForEachElement) {
  EXPECT_EQ(workOfShapes(AVERAGE_POOL_2D, {{1, 4, 4, 1}}, {1, 2, 2, 1}),
            accesses(16, 4) + 8 * 4);
  EXPECT_EQ(workOfShapes(L2_NORMALIZATION, {{2, 3}}, {2, 3}),
            accesses(6, 6) + 8 * 6);
  EXPECT_EQ(workOfShapes(TANH, {{2, 3}}, {2, 3}), accesses(6, 6) + 8 * 6);
  EXPECT_EQ(workOfShapes(RESHAPE, {{2, 3}}, {6}), accesses(6, 6));
}

} // namespace
