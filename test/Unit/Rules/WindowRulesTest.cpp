//===- WindowRulesTest.cpp - Uses of pools and resizing -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Window.h"

#include "OperationBuilder.h"

#include <gtest/gtest.h>

#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
using Op = OperationType;

namespace {

const TensorType anyFloat = unrankedTensor(OperandType::TENSOR_FLOAT32);

OperationBuilder pool(Op type, TensorType input,
                      const std::vector<int32_t> &scalars) {
  OperationBuilder builder(type);
  builder.tensor(std::move(input));
  for (int32_t scalar : scalars)
    builder.int32(scalar);
  return builder;
}

OperationBuilder maxPool(const std::vector<int32_t> &scalars) {
  return pool(Op::MAX_POOL_2D, floatTensor({1, 5, 6, 2}), scalars);
}

OperationBuilder resize(Op type, TensorType input) {
  OperationBuilder builder(type);
  builder.tensor(std::move(input));
  return builder;
}

OperationBuilder bilinear() {
  return resize(Op::RESIZE_BILINEAR, floatTensor({1, 4, 6, 2}));
}

TEST(WindowRulesTest, PoolForms) { // M-089, M-091
  EXPECT_EQ(maxPool({1, 1, 2, 2, 3, 0}).output(anyFloat).shapes(), "1x3x6x2");
  EXPECT_EQ(maxPool({2, 1, 2, 2, 3, 0}).output(anyFloat).shapes(), "1x2x5x2");
  EXPECT_EQ(maxPool({1, 1, 2, 2, 3, 0}).output(anyFloat).since(), "1.0");
  EXPECT_EQ(maxPool({1, 1, 2, 2, 3, 0}).boolean(false).output(anyFloat).since(),
            "1.2");
  EXPECT_EQ(maxPool({0, 1, 2, 1, 1, 1, 2, 3, 0}).output(anyFloat).shapes(),
            "1x6x6x2");
  EXPECT_EQ(pool(Op::L2_POOL_2D, floatTensor({1, 2, 5, 6}),
                 {0, 1, 2, 1, 1, 1, 2, 3, 0})
                .boolean(true)
                .output(anyFloat)
                .shapes(),
            "1x2x6x6");
}

TEST(WindowRulesTest, PoolTypes) { // M-090, M-251
  TensorType input = signedQuantTensor({1, 5, 6, 2}, 0.5f, 1);
  EXPECT_EQ(pool(Op::AVERAGE_POOL_2D, input, {2, 1, 1, 1, 1, 0})
                .output(input)
                .since(),
            "1.3");
  EXPECT_EQ(pool(Op::AVERAGE_POOL_2D, input, {2, 1, 1, 1, 1, 0})
                .output(signedQuantTensor({1, 5, 6, 2}, 0.5f, 2))
                .message(), // M-093
            "output has scale 0.5 and zero point 2, expected scale 0.5 and "
            "zero point 1");
  EXPECT_EQ(pool(Op::L2_POOL_2D, input, {2, 1, 1, 1, 1, 0})
                .output(input)
                .message(), // pool C1
            "input type TENSOR_QUANT8_ASYMM_SIGNED is not among "
            "TENSOR_FLOAT32, TENSOR_FLOAT16");
  EXPECT_EQ(pool(Op::L2_POOL_2D, halfTensor({1, 5, 6, 2}), {2, 1, 1, 1, 1, 0})
                .output(halfTensor({1, 5, 6, 2}))
                .since(),
            "1.2");
}

TEST(WindowRulesTest, PoolsReject) {
  EXPECT_EQ(maxPool({1, 1, 2, 2, 3}).output(anyFloat).message(),
            "found 6 inputs, expected 7, 8, 10 or 11");
  EXPECT_EQ(maxPool({1, 1, 2, 2, 3, 9}).output(anyFloat).message(), // pool C4
            "fused activation 9 is outside [0, 3]");
  WindowParams params;
  params.activation = FusedActivation(9);
  EXPECT_EQ(pool2D(floatTensor({1, 5, 6, 2}), params).status().message(),
            "fused activation 9 is outside [0, 3]");                // pool C4
  EXPECT_EQ(maxPool({1, 1, 2, 0, 3, 0}).output(anyFloat).message(), // pool C2
            "window width 0 must be positive");
  EXPECT_EQ(maxPool({2, 0, 0, 0, 1, 1, 2, 3, 0}).output(anyFloat).message(),
            "pad left 2 must be below the window's 2"); // pool C5, M-095
  EXPECT_EQ(pool(Op::MAX_POOL_2D, floatTensor({1, 0, 6, 2}), {1, 1, 1, 1, 1, 0})
                .output(anyFloat)
                .message(), // pool C6
            "input height 0 must be positive");
}

TEST(WindowRulesTest, PoolsTakeZeroBatchAndAbsentValues) { // M-003, M-097
  EXPECT_EQ(pool(Op::MAX_POOL_2D, floatTensor({0, 5, 6, 2}), {1, 1, 1, 2, 2, 0})
                .output(anyFloat)
                .shapes(),
            "0x5x6x2");
  OperationBuilder builder = maxPool({3, 0, 0, 0, 1, 1});
  builder.scalar(OperandType::INT32).scalar(OperandType::INT32).int32(0);
  EXPECT_EQ(builder.output(anyFloat).shapes(), "?x?x?x?");
}

TEST(WindowRulesTest, ResizeSizes) { // M-196 to M-198, M-203
  EXPECT_EQ(bilinear().int32(3).int32(8).output(anyFloat).shapes(), "1x8x3x2");
  EXPECT_EQ(bilinear().int32(3).int32(8).output(anyFloat).since(), "1.0");
  EXPECT_EQ(
      bilinear().int32(3).int32(8).boolean(false).output(anyFloat).since(),
      "1.2");
  EXPECT_EQ(bilinear()
                .int32(3)
                .int32(8)
                .boolean(false)
                .boolean(true)
                .output(anyFloat)
                .since(),
            "1.3");
  EXPECT_EQ(resize(Op::RESIZE_BILINEAR, quantTensor({1, 2, 2, 1}, 0.5f, 3))
                .int32(1)
                .int32(1)
                .output(quantTensor({1, 1, 1, 1}, 0.5f, 3))
                .since(),
            "1.2");
  EXPECT_EQ(resize(Op::RESIZE_NEAREST_NEIGHBOR, floatTensor({1, 2, 4, 6}))
                .int32(3)
                .int32(8)
                .boolean(true)
                .output(anyFloat)
                .shapes(),
            "1x2x8x3");
  EXPECT_EQ(resize(Op::RESIZE_NEAREST_NEIGHBOR, floatTensor({1, 4, 6, 2}))
                .int32(3)
                .int32(8)
                .output(anyFloat)
                .message(),
            "found 3 inputs, expected 4, 5 or 6");
  EXPECT_EQ(
      bilinear().scalar(OperandType::INT32).int32(8).output(anyFloat).shapes(),
      "?x?x?x?");
}

TEST(WindowRulesTest, ResizeScales) { // M-196, M-199
  EXPECT_EQ(bilinear().float32(1.6f).float32(0.5f).output(anyFloat).shapes(),
            "1x2x9x2");
  EXPECT_EQ(bilinear().float32(1.6f).float32(0.5f).output(anyFloat).since(),
            "1.2");
  EXPECT_EQ(resize(Op::RESIZE_BILINEAR, halfTensor({1, 4, 6, 2}))
                .float16(0.5f)
                .float16(2.0f)
                .output(halfTensor({1, 8, 3, 2}))
                .shapes(),
            "1x8x3x2");
  EXPECT_EQ(resize(Op::RESIZE_BILINEAR, floatTensor({1, unknownExtent, 6, 2}))
                .float32(0.5f)
                .float32(2.0f)
                .output(anyFloat)
                .shapes(),
            "1x?x3x2");
  EXPECT_EQ(bilinear().float16(0.5f).float16(2.0f).output(anyFloat).message(),
            "input 1 (width) has type FLOAT16, expected INT32 or FLOAT32");
}

TEST(WindowRulesTest, ResizeRejects) {
  EXPECT_EQ(bilinear().int32(3).float32(8).output(anyFloat).message(),
            "width type INT32 differs from height type FLOAT32"); // resize C6
  EXPECT_EQ(bilinear().int32(-1).int32(8).output(anyFloat).message(),
            "result width -1 must be positive"); // resize C4
  EXPECT_EQ(
      bilinear().float32(1).float32(0.1f).output(anyFloat).message(),
      "height scale 0.1 gives 0 elements, expected 1 to 2147483647"); // resize
                                                                      // C7
  EXPECT_EQ(bilinear()
                .float32(std::numeric_limits<float>::quiet_NaN())
                .float32(1)
                .output(anyFloat)
                .message(), // resize C7
            "width scale nan gives nan elements, expected 1 to 2147483647");
  EXPECT_EQ(bilinear().float32(1e9f).float32(1).output(anyFloat).message(),
            "width scale 1000000000 gives 6000000000 elements, expected 1 to "
            "2147483647"); // resize C7
  EXPECT_EQ(bilinear()
                .int32(3)
                .int32(8)
                .boolean(false)
                .boolean(true)
                .boolean(true)
                .output(anyFloat)
                .message(), // resize C2, M-200
            "align_corners and half_pixel_centers exclude each other");
  EXPECT_EQ(resize(Op::RESIZE_BILINEAR, floatTensor({1, 4, 6, 0}))
                .int32(3)
                .int32(8)
                .output(anyFloat)
                .message(), // resize C3, M-205
            "input channels 0 must be positive");
}

} // namespace
