//===- DataMovementRoutinesTest.cpp - Routines of data movement -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutineRunner.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
using Op = OperationType;
using Values = std::vector<double>;

namespace {

RoutineOutcome run(const OperationBuilder &builder) {
  return runRoutine(reference::dataMovementRoutines(), builder);
}

/// The values of the first output, or none and a failed test.
Values valuesOf(const RoutineOutcome &outcome) {
  EXPECT_TRUE(outcome.status.isOk()) << outcome.status.message();
  return outcome.status.isOk() ? outcome.values[0] : Values();
}

Values valuesOf(const OperationBuilder &builder) {
  return valuesOf(run(builder));
}

/// 0, 1, 2 and so on.
Values count(int64_t number) {
  Values values(static_cast<size_t>(number));
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

/// A tensor of bytes, which are easily told apart.
TensorType bytes(std::vector<int64_t> dimensions) {
  return quantTensor(std::move(dimensions), 0.5f, 100);
}
TensorType anyBytes() {
  TensorType type = bytes({});
  type.isRanked = false;
  return type;
}

TEST(DataMovementRoutinesTest, ReshapeKeepsElements) {
  EXPECT_EQ(valuesOf(OperationBuilder(Op::RESHAPE)
                         .tensor(halfTensor({2, 2}), {1, 2, 3, 4})
                         .tensor(int32Tensor({1}), {-1})
                         .output(halfTensor({4}))),
            (Values{1, 2, 3, 4}));
}

TEST(DataMovementRoutinesTest, Transpose) {
  EXPECT_EQ(valuesOf(OperationBuilder(Op::TRANSPOSE)
                         .tensor(floatTensor({1, 2, 3}), count(6))
                         .tensor(int32Tensor({3}), {2, 0, 1})
                         .output(floatTensor({3, 1, 2}))),
            (Values{0, 3, 1, 4, 2, 5}));
  RoutineOutcome empty = run(OperationBuilder(Op::TRANSPOSE)
                                 .tensor(floatTensor({0, 3}), {})
                                 .omitted(int32Tensor({0}))
                                 .output(floatTensor({3, 0})));
  ASSERT_TRUE(empty.status.isOk()) << empty.status.message();
  EXPECT_EQ(empty.values[0], Values());
}

TEST(DataMovementRoutinesTest, ConcatenationRequantizes) { // M-110
  EXPECT_EQ(valuesOf(OperationBuilder(Op::CONCATENATION)
                         .tensor(quantTensor({2, 1}, 0.5f, 100), {7, 8})
                         .tensor(quantTensor({2, 2}, 1.0f, 0), {0, 1, 70, 90})
                         .int32(1)
                         .output(quantTensor({2, 3}, 0.5f, 100))),
            (Values{7, 100, 102, 8, 240, 255}));
  EXPECT_EQ(valuesOf(OperationBuilder(Op::CONCATENATION)
                         .tensor(signedQuantTensor({2}, 0.5f, -28), {-121, -28})
                         .tensor(signedQuantTensor({0}, 0.5f, -28), {})
                         .int32(0)
                         .output(signedQuantTensor({2}, 0.25f, 0))),
            (Values{-128, 0}));
}

TEST(DataMovementRoutinesTest, ConcatenationOfExtremeScales) {
  EXPECT_EQ(valuesOf(OperationBuilder(Op::CONCATENATION)
                         .tensor(quantTensor({3}, 1e30f, 5), {4, 5, 6})
                         .int32(0)
                         .output(quantTensor({3}, 1e-40f, 9))),
            (Values{9, 9, 9}));
}

TEST(DataMovementRoutinesTest, SplitStoresAllParts) {
  RoutineOutcome outcome = run(OperationBuilder(Op::SPLIT)
                                   .tensor(int32Tensor({2, 4}), count(8))
                                   .int32(-1)
                                   .int32(2)
                                   .output(int32Tensor({2, 2}))
                                   .output(int32Tensor({2, 2})));
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  EXPECT_EQ(outcome.values[0], (Values{0, 1, 4, 5}));
  EXPECT_EQ(outcome.values[1], (Values{2, 3, 6, 7}));
}

TEST(DataMovementRoutinesTest, GatherOfRankTwoIndices) {
  auto gather = [](double index) {
    return run(OperationBuilder(Op::GATHER)
                   .tensor(bytes({2, 3, 2}), count(12))
                   .int32(1)
                   .tensor(int32Tensor({1, 2}), {2, index})
                   .output(anyBytes()));
  };
  EXPECT_EQ(valuesOf(gather(0)), (Values{4, 5, 0, 1, 10, 11, 6, 7}));
  EXPECT_EQ(gather(3).status.message(), // gather C4
            "index 3 at position 1 is outside [0, 3)");
  EXPECT_EQ(gather(-1).status.message(), // gather C4
            "index -1 at position 1 is outside [0, 3)");
}

TEST(DataMovementRoutinesTest, ChannelShuffle) {
  EXPECT_EQ(valuesOf(OperationBuilder(Op::CHANNEL_SHUFFLE)
                         .tensor(floatTensor({6, 2}), count(12))
                         .int32(3)
                         .int32(0)
                         .output(floatTensor({6, 2}))),
            (Values{0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11}));
}

TEST(DataMovementRoutinesTest, Slice) {
  EXPECT_EQ(valuesOf(OperationBuilder(Op::SLICE)
                         .tensor(bytes({3, 3}), count(9))
                         .tensor(int32Tensor({2}), {1, 0})
                         .tensor(int32Tensor({2}), {-1, 2})
                         .output(anyBytes())),
            (Values{3, 4, 6, 7}));
  EXPECT_EQ(valuesOf(OperationBuilder(Op::SLICE)
                         .tensor(bytes({3}), count(3))
                         .tensor(int32Tensor({1}), {3})
                         .tensor(int32Tensor({1}), {-1})
                         .output(anyBytes())),
            Values());
}

TEST(DataMovementRoutinesTest, StridedSliceBackwardsAndShrinking) {
  auto slice = [](Values begin, Values end, Values strides, int32_t shrink) {
    return run(OperationBuilder(Op::STRIDED_SLICE)
                   .tensor(bytes({3, 4}), count(12))
                   .tensor(int32Tensor({2}), begin)
                   .tensor(int32Tensor({2}), end)
                   .tensor(int32Tensor({2}), strides)
                   .int32(0)
                   .int32(0)
                   .int32(shrink)
                   .output(anyBytes()));
  };
  EXPECT_EQ(valuesOf(slice({1, -1}, {3, -9}, {1, -2}, 0)),
            (Values{7, 5, 11, 9}));
  EXPECT_EQ(valuesOf(slice({2, 0}, {3, 4}, {1, 3}, 1)), (Values{8, 11}));
  EXPECT_EQ(valuesOf(slice({2, 3}, {3, 4}, {2147483647, 2147483647}, 3)),
            (Values{11}));
}

TEST(DataMovementRoutinesTest, PaddingIsTheZeroPoint) { // M-116
  EXPECT_EQ(valuesOf(OperationBuilder(Op::PAD)
                         .tensor(bytes({1, 2}), {1, 2})
                         .tensor(int32Tensor({2, 2}), {1, 0, 0, 1})
                         .output(anyBytes())),
            (Values{100, 100, 100, 1, 2, 100}));
  EXPECT_EQ(valuesOf(OperationBuilder(Op::PAD)
                         .tensor(signedQuantTensor({1}, 1.0f, -3), {1})
                         .tensor(int32Tensor({1, 2}), {1, 0})
                         .output(signedQuantTensor({2}, 1.0f, -3))),
            (Values{-3, 1}));
}

TEST(DataMovementRoutinesTest, PadV2StoresTheValue) { // M-118
  EXPECT_EQ(valuesOf(OperationBuilder(Op::PAD_V2)
                         .tensor(signedQuantTensor({1}, 1.0f, -3), {1})
                         .tensor(int32Tensor({1, 2}), {1, 1})
                         .int32(-7)
                         .output(signedQuantTensor({3}, 1.0f, -3))),
            (Values{-7, 1, -7}));
  EXPECT_EQ(valuesOf(OperationBuilder(Op::PAD_V2)
                         .tensor(halfTensor({1}), {1})
                         .tensor(int32Tensor({1, 2}), {0, 2})
                         .float16(2.5f)
                         .output(halfTensor({3}))),
            (Values{1, 2.5, 2.5}));
}

TEST(DataMovementRoutinesTest, Tile) {
  EXPECT_EQ(valuesOf(OperationBuilder(Op::TILE)
                         .tensor(int32Tensor({2, 2}), count(4))
                         .tensor(int32Tensor({2}), {2, 2})
                         .output(int32Tensor({4, 4}))),
            (Values{0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3}));
}

TEST(DataMovementRoutinesTest, FillAndRank) {
  EXPECT_EQ(valuesOf(OperationBuilder(Op::FILL)
                         .tensor(int32Tensor({2}), {1, 3})
                         .float32(1.5f)
                         .output(floatTensor({1, 3}))),
            (Values{1.5, 1.5, 1.5}));
  EXPECT_EQ(valuesOf(OperationBuilder(Op::FILL)
                         .tensor(int32Tensor({2}), {4294967, 0})
                         .int32(1)
                         .output(unrankedTensor(OperandType::TENSOR_INT32))),
            Values());
  EXPECT_EQ(valuesOf(OperationBuilder(Op::RANK)
                         .tensor(boolTensor({1, 2, 1}), {0, 1})
                         .output(tensorType(OperandType::INT32, {}))),
            (Values{3}));
}

TEST(DataMovementRoutinesTest, DepthToSpaceAndBack) { // M-119
  // Channels 0 1 | 2 3 | 4 5 | 6 7 are the pixels of a block.
  Values picture{0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15};
  EXPECT_EQ(valuesOf(OperationBuilder(Op::DEPTH_TO_SPACE)
                         .tensor(bytes({1, 1, 2, 8}), count(16))
                         .int32(2)
                         .output(anyBytes())),
            picture);
  EXPECT_EQ(valuesOf(OperationBuilder(Op::SPACE_TO_DEPTH)
                         .tensor(bytes({1, 2, 4, 2}), picture)
                         .int32(2)
                         .boolean(false)
                         .output(anyBytes())),
            count(16));
  Values planes{0, 2, 4, 6, 1, 3, 5, 7};
  EXPECT_EQ(valuesOf(OperationBuilder(Op::DEPTH_TO_SPACE)
                         .tensor(bytes({1, 8, 1, 1}), count(8))
                         .int32(2)
                         .boolean(true)
                         .output(anyBytes())),
            planes);
  EXPECT_EQ(valuesOf(OperationBuilder(Op::SPACE_TO_DEPTH)
                         .tensor(bytes({1, 2, 2, 2}), planes)
                         .int32(2)
                         .boolean(true)
                         .output(anyBytes())),
            count(8));
}

TEST(DataMovementRoutinesTest, BatchToSpaceAndBack) { // M-120, M-121
  EXPECT_EQ(valuesOf(OperationBuilder(Op::BATCH_TO_SPACE_ND)
                         .tensor(bytes({4, 1, 2, 1}), count(8))
                         .tensor(int32Tensor({2}), {2, 2})
                         .output(anyBytes())),
            (Values{0, 2, 1, 3, 4, 6, 5, 7}));
  // One row of padding above, in units of storage.
  EXPECT_EQ(valuesOf(OperationBuilder(Op::SPACE_TO_BATCH_ND)
                         .tensor(bytes({1, 1, 1, 2}), {5, 6})
                         .tensor(int32Tensor({2}), {2, 1})
                         .tensor(int32Tensor({2, 2}), {1, 0, 0, 0})
                         .output(anyBytes())),
            (Values{100, 100, 5, 6}));
  EXPECT_EQ(valuesOf(OperationBuilder(Op::SPACE_TO_BATCH_ND)
                         .tensor(bytes({1, 2, 2, 2}), count(8))
                         .tensor(int32Tensor({2}), {2, 1})
                         .tensor(int32Tensor({2, 2}), {0, 0, 0, 0})
                         .boolean(true)
                         .output(anyBytes())),
            (Values{0, 1, 4, 5, 2, 3, 6, 7}));
}

} // namespace
