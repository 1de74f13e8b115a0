//===- ContractionRoutinesTest.cpp - Convolutions on numbers --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutineRunner.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
using Op = OperationType;
using Values = std::vector<double>;

namespace {

Values run(const OperationBuilder &builder) {
  RoutineOutcome outcome =
      runRoutine(reference::contractionRoutines(), builder);
  EXPECT_TRUE(outcome.status.isOk()) << outcome.status.message();
  return outcome.status.isOk() ? outcome.values.front() : Values();
}

TensorType biasOf(int64_t channels, float scale) {
  TensorType type = int32Tensor({channels});
  type.scale = scale;
  return type;
}

TEST(ContractionRoutinesTest, Conv2DPadsWithZeros) {
  OperationBuilder builder(Op::CONV_2D);
  builder.tensor(floatTensor({1, 2, 2, 1}), {1, 2, 3, 4})
      .tensor(floatTensor({1, 2, 2, 1}), {1, 10, 100, 1000})
      .tensor(floatTensor({1}), {0.5})
      .int32(1) // same: the pad is at the bottom and on the right
      .int32(1)
      .int32(1)
      .int32(0)
      .output(floatTensor({1, 2, 2, 1}));
  EXPECT_EQ(run(builder), (Values{4321.5, 402.5, 43.5, 4.5}));
}

TEST(ContractionRoutinesTest, Conv2DReadsNchw) { // M-011
  OperationBuilder builder(Op::CONV_2D);
  builder.tensor(floatTensor({1, 2, 1, 2}), {1, 2, 3, 4})
      .tensor(floatTensor({2, 1, 1, 2}), {1, 10, 100, 1000})
      .tensor(floatTensor({2}), {0, 0})
      .int32(2)
      .int32(1)
      .int32(1)
      .int32(0)
      .boolean(true)
      .output(floatTensor({1, 2, 1, 2}));
  EXPECT_EQ(run(builder), (Values{31, 42, 3100, 4200}));
}

TEST(ContractionRoutinesTest, Conv2DDilates) { // M-005
  OperationBuilder builder(Op::CONV_2D);
  builder.tensor(floatTensor({1, 1, 4, 1}), {1, 2, 3, 4})
      .tensor(floatTensor({1, 1, 2, 1}), {1, 10})
      .tensor(floatTensor({1}), {0})
      .int32(2)
      .int32(1)
      .int32(1)
      .int32(0)
      .boolean(false)
      .int32(2)
      .int32(1)
      .output(floatTensor({1, 1, 2, 1}));
  EXPECT_EQ(run(builder), (Values{31, 42}));
}

TEST(ContractionRoutinesTest, HalfFloatsAreRoundedOnce) { // M-023
  OperationBuilder builder(Op::CONV_2D);
  // 2048 + 1 - 2048: the sum of halves would lose the 1.
  builder.tensor(halfTensor({1, 1, 1, 3}), {2048, 1, 2048})
      .tensor(halfTensor({1, 1, 1, 3}), {1, 1, -1})
      .tensor(halfTensor({1}), {0})
      .int32(2)
      .int32(1)
      .int32(1)
      .int32(0)
      .output(halfTensor({1, 1, 1, 1}));
  EXPECT_EQ(run(builder), (Values{1}));
}

TEST(ContractionRoutinesTest, QuantizedPaddingIsTheZeroPoint) { // M-014, M-076
  OperationBuilder builder(Op::CONV_2D);
  builder.tensor(quantTensor({1, 1, 2, 1}, 0.5f, 128), {130, 126})
      .tensor(quantTensor({1, 1, 3, 1}, 0.5f, 10), {12, 11, 14})
      .tensor(biasOf(1, 0.25f), {6})
      .int32(1)
      .int32(1)
      .int32(1)
      .int32(0)
      .output(quantTensor({1, 1, 2, 1}, 0.5f, 100));
  // (2 * 1 - 2 * 4 + 6) / 2 = 0, (2 * 2 - 2 * 1 + 6) / 2 = 4.
  EXPECT_EQ(run(builder), (Values{100, 104}));
}

TEST(ContractionRoutinesTest, QuantizedResultsAreRoundedTwice) { // decisions 17
  // The factor 0.1 is 0.8 * 2^-3: 36 * 0.8 = 28.8 becomes 29, then
  // 29 / 8 = 3.6 becomes 4. Halves go away from zero.
  auto convolve = [](double value) {
    OperationBuilder builder(Op::CONV_2D);
    builder.tensor(signedQuantTensor({1, 1, 1, 1}, 1.0f, 0), {value})
        .tensor(signedQuantTensor({1, 1, 1, 1}, 1.0f, 0), {1})
        .tensor(biasOf(1, 1.0f), {0})
        .int32(1)
        .int32(1)
        .int32(1)
        .int32(0)
        .output(signedQuantTensor({1, 1, 1, 1}, 10.0f, 0));
    return run(builder).front();
  };
  EXPECT_EQ(convolve(36), 4);
  EXPECT_EQ(convolve(-36), -4);
  EXPECT_EQ(convolve(34), 3);
  // 34.5 would be needed for 3.45; here 35 * 0.8 = 28, 28 / 8 = 3.5.
  EXPECT_EQ(convolve(35), 4);
  EXPECT_EQ(convolve(-35), -4);
}

TEST(ContractionRoutinesTest, ChannelsHaveTheirOwnScales) {
  TensorType filter =
      tensorType(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, {2, 1, 1, 1});
  filter.channelQuant = {{0.5f, 2.0f}, 0};
  OperationBuilder builder(Op::CONV_2D);
  builder.tensor(quantTensor({1, 1, 1, 1}, 1.0f, 100), {104})
      .tensor(filter, {3, -128})
      .tensor(int32Tensor({2}), {8, 500})
      .int32(1)
      .int32(1)
      .int32(1)
      .int32(1) // relu
      .output(quantTensor({1, 1, 1, 2}, 1.0f, 50));
  // (4 * 3 + 8) * 0.5; 4 * -128 + 500 is below 0.
  EXPECT_EQ(run(builder), (Values{60, 50}));
}

TEST(ContractionRoutinesTest, AccumulatorsWrapWithoutHarm) {
  OperationBuilder builder(Op::FULLY_CONNECTED);
  builder.tensor(quantTensor({1, 1}, 1.0f, 0), {255})
      .tensor(quantTensor({1, 1}, 1.0f, 0), {255})
      .tensor(biasOf(1, 1.0f), {2147483647})
      .int32(0)
      .output(quantTensor({1, 1}, 4.0f, 128));
  EXPECT_EQ(run(builder), (Values{0}));
}

TEST(ContractionRoutinesTest, DepthwiseMultipliesChannels) { // M-081
  OperationBuilder builder(Op::DEPTHWISE_CONV_2D);
  builder.tensor(floatTensor({1, 1, 2, 2}), {1, 2, 3, 4})
      .tensor(floatTensor({1, 1, 2, 4}), {1, 2, 3, 4, 10, 20, 30, 40})
      .tensor(floatTensor({4}), {0, 0, 0, 1000})
      .int32(2)
      .int32(1)
      .int32(1)
      .int32(2)
      .int32(0)
      .output(floatTensor({1, 1, 1, 4}));
  EXPECT_EQ(run(builder), (Values{31, 62, 126, 1168}));
}

TEST(ContractionRoutinesTest, GroupsSeeTheirChannels) { // M-084
  OperationBuilder builder(Op::GROUPED_CONV_2D);
  builder.tensor(floatTensor({1, 1, 1, 4}), {1, 2, 3, 4})
      .tensor(floatTensor({2, 1, 1, 2}), {1, 10, 1, 10})
      .tensor(floatTensor({2}), {0, 0})
      .int32(2)
      .int32(1)
      .int32(1)
      .int32(2)
      .int32(0)
      .boolean(false)
      .output(floatTensor({1, 1, 1, 2}));
  EXPECT_EQ(run(builder), (Values{21, 43}));
}

TEST(ContractionRoutinesTest, TransposedWindowsOverlap) { // M-087
  OperationBuilder builder(Op::TRANSPOSE_CONV_2D);
  builder.tensor(floatTensor({1, 1, 2, 1}), {1, 2})
      .tensor(floatTensor({1, 1, 3, 1}), {1, 10, 100})
      .tensor(floatTensor({1}), {0.5})
      .int32(0)
      .int32(0)
      .int32(0)
      .int32(0)
      .int32(2)
      .int32(1)
      .int32(0)
      .boolean(false)
      .output(floatTensor({1, 1, 5, 1}));
  EXPECT_EQ(run(builder), (Values{1.5, 10.5, 102.5, 20.5, 200.5}));
}

TEST(ContractionRoutinesTest, TransposedGapsHoldTheBias) { // M-086
  OperationBuilder builder(Op::TRANSPOSE_CONV_2D);
  builder.tensor(floatTensor({1, 1, 2, 1}), {1, 2})
      .tensor(floatTensor({1, 1, 1, 1}), {3})
      .tensor(floatTensor({1}), {0.5})
      .tensor(int32Tensor({4}), {1, 1, 4, 1})
      .int32(1)
      .int32(2)
      .int32(1)
      .int32(0)
      .boolean(false)
      .output(floatTensor({1, 1, 4, 1}));
  EXPECT_EQ(run(builder), (Values{3.5, 0.5, 6.5, 0.5}));
}

TEST(ContractionRoutinesTest, FullyConnectedFlattens) { // M-101, M-019
  OperationBuilder builder(Op::FULLY_CONNECTED);
  builder.tensor(floatTensor({2, 1, 2}), {1, 2, 3, -4})
      .tensor(floatTensor({2, 2}), {1, 1, 0, 1})
      .tensor(floatTensor({2}), {0, 1})
      .int32(1)
      .output(floatTensor({2, 2}));
  EXPECT_EQ(run(builder), (Values{3, 3, 0, 0}));
}

TEST(ContractionRoutinesTest, NoBatchYieldsNoElements) { // M-074, M-101
  OperationBuilder builder(Op::FULLY_CONNECTED);
  builder.tensor(floatTensor({0, 2}), {})
      .tensor(floatTensor({2, 2}), {1, 1, 0, 1})
      .tensor(floatTensor({2}), {0, 1})
      .int32(0)
      .output(unrankedTensor(OperandType::TENSOR_FLOAT32));
  RoutineOutcome outcome =
      runRoutine(reference::contractionRoutines(), builder);
  ASSERT_TRUE(outcome.status.isOk());
  EXPECT_EQ(outcome.shapes.front(), (std::vector<int64_t>{0, 2}));
  EXPECT_TRUE(outcome.values.front().empty());
}

} // namespace
