//===- WindowRoutinesTest.cpp - Pools and resizing on numbers -------------===//
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
  RoutineOutcome outcome = runRoutine(reference::windowRoutines(), builder);
  EXPECT_TRUE(outcome.status.isOk()) << outcome.status.message();
  return outcome.status.isOk() ? outcome.values.front() : Values();
}

/// A pool of \p type over windows of two pixels of a row, padded at its end.
Values poolRow(Op type, TensorType row, const Values &values,
               int32_t activation = 0) {
  OperationBuilder builder(type);
  builder.tensor(row, values)
      .int32(1)
      .int32(1)
      .int32(1)
      .int32(2)
      .int32(1)
      .int32(activation)
      .output(row);
  return run(builder);
}

TEST(WindowRoutinesTest, PaddingTakesNoPart) { // M-092, M-096
  TensorType row = floatTensor({1, 1, 3, 1});
  EXPECT_EQ(poolRow(Op::AVERAGE_POOL_2D, row, {-1, -3, -8}),
            (Values{-2, -5.5, -8}));
  EXPECT_EQ(poolRow(Op::MAX_POOL_2D, row, {-1, -3, -8}), (Values{-1, -3, -8}));
  EXPECT_EQ(poolRow(Op::L2_POOL_2D, row, {1, -7, 17}),
            (Values{5, 13, 17})); // M-094
}

TEST(WindowRoutinesTest, QuantizedAveragesRoundHalfUp) { // M-093, M-022
  EXPECT_EQ(poolRow(Op::AVERAGE_POOL_2D, quantTensor({1, 1, 3, 1}, 0.5f, 128),
                    {1, 2, 4}),
            (Values{2, 3, 4}));
  EXPECT_EQ(poolRow(Op::AVERAGE_POOL_2D,
                    signedQuantTensor({1, 1, 3, 1}, 0.5f, 0),
                    {-127, -126, -124}),
            (Values{-126, -125, -124}));
}

TEST(WindowRoutinesTest, ActivationFollowsThePool) { // M-098, M-017
  EXPECT_EQ(poolRow(Op::MAX_POOL_2D, quantTensor({1, 1, 3, 1}, 0.5f, 10),
                    {0, 20, 40}, 3),
            (Values{20, 22, 22}));
  EXPECT_EQ(
      poolRow(Op::AVERAGE_POOL_2D, floatTensor({1, 1, 3, 1}), {-4, 2, 9}, 2),
      (Values{-1, 1, 1}));
}

TEST(WindowRoutinesTest, PoolReadsNchw) {
  OperationBuilder builder(Op::MAX_POOL_2D);
  builder.tensor(floatTensor({1, 2, 2, 2}), {1, 2, 3, 4, 8, 7, 6, 5})
      .int32(2)
      .int32(1)
      .int32(1)
      .int32(1)
      .int32(2)
      .int32(0)
      .boolean(true)
      .output(floatTensor({1, 2, 1, 2}));
  EXPECT_EQ(run(builder), (Values{3, 4, 8, 7}));
}

OperationBuilder resizeRow(Op type, TensorType row, const Values &values,
                           int32_t width, bool alignCorners,
                           bool halfPixelCenters) {
  TensorType result = row;
  result.dimensions[2] = width;
  OperationBuilder builder(type);
  builder.tensor(row, values)
      .int32(width)
      .int32(1)
      .boolean(false)
      .boolean(alignCorners)
      .boolean(halfPixelCenters)
      .output(result);
  return builder;
}

TEST(WindowRoutinesTest, BilinearSamplesBetweenPixels) { // M-201
  TensorType row = floatTensor({1, 1, 2, 1});
  EXPECT_EQ(run(resizeRow(Op::RESIZE_BILINEAR, row, {1, 3}, 4, false, false)),
            (Values{1, 2, 3, 3}));
  EXPECT_EQ(run(resizeRow(Op::RESIZE_BILINEAR, row, {1, 3}, 5, true, false)),
            (Values{1, 1.5, 2, 2.5, 3}));
  EXPECT_EQ(run(resizeRow(Op::RESIZE_BILINEAR, row, {1, 3}, 4, false, true)),
            (Values{1, 1.5, 2.5, 3}));
}

TEST(WindowRoutinesTest, BilinearRoundsQuantizedValues) { // M-202
  EXPECT_EQ(
      run(resizeRow(Op::RESIZE_BILINEAR, quantTensor({1, 1, 2, 1}, 0.5f, 7),
                    {1, 4}, 4, false, false)),
      (Values{1, 3, 4, 4}));
  EXPECT_EQ(run(resizeRow(Op::RESIZE_BILINEAR,
                          signedQuantTensor({1, 1, 2, 1}, 0.5f, 7), {-4, -1}, 4,
                          false, false)),
            (Values{-4, -2, -1, -1}));
}

TEST(WindowRoutinesTest, NearestTakesOnePixel) { // M-204
  TensorType row = floatTensor({1, 1, 3, 1});
  EXPECT_EQ(run(resizeRow(Op::RESIZE_NEAREST_NEIGHBOR, row, {1, 2, 3}, 2, false,
                          false)),
            (Values{1, 2}));
  EXPECT_EQ(run(resizeRow(Op::RESIZE_NEAREST_NEIGHBOR, row, {1, 2, 3}, 2, true,
                          false)),
            (Values{1, 3}));
  EXPECT_EQ(run(resizeRow(Op::RESIZE_NEAREST_NEIGHBOR, row, {1, 2, 3}, 2, false,
                          true)),
            (Values{1, 3}));
  // 0.5 is rounded away from zero.
  EXPECT_EQ(run(resizeRow(Op::RESIZE_NEAREST_NEIGHBOR, row, {1, 2, 3}, 5, true,
                          false)),
            (Values{1, 2, 2, 3, 3}));
}

TEST(WindowRoutinesTest, NoBatchYieldsNoElements) { // M-097, M-205
  for (Op type : {Op::RESIZE_BILINEAR, Op::RESIZE_NEAREST_NEIGHBOR})
    EXPECT_TRUE(run(resizeRow(type, floatTensor({0, 1, 2, 1}), {}, 2147483647,
                              false, false))
                    .empty());
  EXPECT_TRUE(poolRow(Op::MAX_POOL_2D, floatTensor({0, 1, 3, 1}), {}).empty());
}

} // namespace
