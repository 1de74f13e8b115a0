//===- TFLiteErrorsTest.cpp - Tests of refused forms ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the extension refuses of an operation's form, elements and scales, and
// what executions refuse of values.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr auto tensorUint16 = rt::OperandType::TENSOR_QUANT16_ASYMM;

Operator add() {
  Operator use(0);
  use.int16({2}, {1, 2}).int16({2}, {3, 4});
  return use;
}

TEST(TFLiteErrors, NumbersOfOperands) {
  EXPECT_EQ(Operator(32).refusal(), "operation 32 is not one of nnhal.tflite");
  EXPECT_EQ(add().result(tensorInt16, {2}).refusal(),
            "ADD: 2 inputs, but 3 are needed");
  EXPECT_EQ(Operator(2).option(0).option(0).refusal(),
            "CONCATENATION: 2 inputs, but at least 3 are needed");
  EXPECT_EQ(add().option(0).refusal(), "ADD: 0 outputs, but 1 are needed");
  EXPECT_EQ(Operator(88).int16({1}, {1}).option(1).option(0).refusal(),
            "UNPACK: 0 outputs, but at least 1 are needed");
}

TEST(TFLiteErrors, FormsOfTensors) {
  EXPECT_EQ(Operator(19).omitted().result(tensorInt16, {2}).refusal(),
            "RELU: input 0 (input) is omitted, but the operator needs it");
  EXPECT_EQ(Operator(19)
                .open(rt::OperandType::TENSOR_OEM_BYTE, {2})
                .result(tensorInt16, {2})
                .refusal(),
            "RELU: input 0 (input) has type TENSOR_OEM_BYTE, which no operator "
            "takes");
  EXPECT_EQ(
      Operator(19).unranked(tensorInt16).result(tensorInt16, {2}).refusal(),
      "RELU: input 0 (input) has unknown rank");
  EXPECT_EQ(Operator(19)
                .open(tensorInt16, Shape(9, 1))
                .result(tensorInt16, {2})
                .refusal(),
            "RELU: input 0 (input) has rank 9, but at most 8 is allowed");
  EXPECT_EQ(
      Operator(19)
          .open(tensorInt16, {2})
          .result(rt::OperandType::TENSOR_OEM_BYTE, {2})
          .refusal(),
      "RELU: output 0 has type TENSOR_OEM_BYTE, which no operator yields");
  EXPECT_EQ(
      Operator(19).open(tensorInt32, {2}).result(tensorInt16, {2}).refusal(),
      "RELU: input 0 (input) has elements of INT32, but must have FLOAT32, "
      "INT8, UINT8, INT16");
  EXPECT_EQ(
      Operator(19).open(tensorInt16, {2}).result(tensorFloat32, {2}).refusal(),
      "RELU: output 0 has elements of FLOAT32, but must have INT16");
  EXPECT_EQ(Operator(5)
                .open(tensorInt16, {2})
                .option(1)
                .result(tensorInt16, {2})
                .refusal(),
            "DEPTH_TO_SPACE: input 0 (input) has rank 1, but must have 4 to 4");
}

TEST(TFLiteErrors, Options) {
  EXPECT_EQ(add().option(1.0f).result(tensorInt16, {2}).refusal(),
            "ADD: option activation has type FLOAT32, but must be INT32");
  EXPECT_EQ(add().omitted().result(tensorInt16, {2}).refusal(),
            "ADD: option activation has type NO_VALUE, but must be INT32");
  EXPECT_EQ(
      add().open(rt::OperandType::INT32, {}).result(tensorInt16, {2}).refusal(),
      "ADD: option activation must be a constant");
  EXPECT_EQ(add().option(4).result(tensorInt16, {2}).refusal(),
            "ADD: option activation is 4, but must be 0 to 3");
  EXPECT_EQ(Operator(98)
                .open(tensorInt16, {2})
                .option(INFINITY)
                .result(tensorInt16, {2})
                .refusal(),
            "LEAKY_RELU: option alpha is inf, but must be finite");
  EXPECT_EQ(Operator(25)
                .open(tensorInt16, {2})
                .option(0.0f)
                .result(tensorInt16, {2})
                .refusal(),
            "SOFTMAX: option beta is 0, but must be positive");
  EXPECT_EQ(Operator(2)
                .open(tensorInt16, {2})
                .option(0)
                .option(1)
                .result(tensorInt16, {2})
                .refusal(),
            "CONCATENATION: option activation is 1, but must be 0");
}

TEST(TFLiteErrors, Scales) {
  EXPECT_EQ(Operator(19)
                .open(tensorInt16, {2}, 0.0f)
                .result(tensorInt16, {2})
                .refusal(),
            "RELU: input 0 (input) has scale 0, but it must be positive");
  EXPECT_EQ(Operator(19)
                .open(tensorInt16, {2}, 1.0f, 3)
                .result(tensorInt16, {2})
                .refusal(),
            "RELU: input 0 (input) has zero point 3, but 16 bits must have 0");
  EXPECT_EQ(
      Operator(28).open(tensorInt16, {2}).result(tensorInt16, {2}).refusal(),
      "TANH: output 0 has scale 1, but must have 2^-15");
  EXPECT_EQ(Operator(25)
                .open(tensorInt8, {2})
                .option(1.0f)
                .result(tensorUint16, {2})
                .refusal(),
            "SOFTMAX: output 0 has scale 1, but must have 2^-16");
  EXPECT_EQ(Operator(25)
                .open(tensorInt8, {2})
                .option(1.0f)
                .result(tensorUint16, {2}, 1.0f / 65536, 4)
                .refusal(),
            "SOFTMAX: output 0 has zero point 4, but must have 0");
  EXPECT_EQ(
      Operator(6)
          .open(tensorInt8, {2})
          .channels({1.0f, 2.0f}, 1)
          .result(tensorFloat32, {2})
          .refusal(),
      "DEQUANTIZE: input 0 (input) has scales of dimension 1, but rank 1");
  EXPECT_EQ(Operator(6)
                .open(tensorInt8, {3})
                .channels({1.0f, 2.0f}, 0)
                .result(tensorFloat32, {3})
                .refusal(),
            "DEQUANTIZE: input 0 (input) has extent 3 in dimension 0, but must "
            "have 2");
  EXPECT_EQ(
      Operator(114).open(tensorFloat32, {2}).result(tensorInt32, {2}).refusal(),
      "QUANTIZE: FLOAT32 does not become INT32");
}

TEST(TFLiteErrors, StatedResults) {
  EXPECT_EQ(add().option(0).result(tensorInt16, {3}).refusal(),
            "ADD: output 0 dimension 0 is 3, expected 2");
  EXPECT_EQ(Operator(130)
                .open(tensorInt64, {1})
                .int32({2}, {65536, 65536})
                .result(tensorInt64, {-1, -1})
                .refusal(),
            "BROADCAST_TO: the result 65536x65536 has more than 4294967295 "
            "bytes");
  EXPECT_EQ(Operator(70)
                .open(tensorInt64, Shape(8, 1))
                .int32({1}, {0})
                .result(tensorInt64, Shape(9, 1))
                .refusal(),
            "EXPAND_DIMS: the result has rank 9, but at most 8 is allowed");
  Operator use(107);
  use.open(tensorInt16, Shape(7, 2))
      .open(tensorInt32, {1, 1, 1})
      .result(tensorInt16, Shape(8, 2));
  EXPECT_EQ(use.refusal(), "GATHER_ND: output 0 dimension 0 is 2, expected 1");
}

Operator convolution(Shape input, Shape filter, int32_t zeroPoint = 0) {
  Operator use(3);
  use.open(tensorInt16, std::move(input))
      .open(tensorInt8, std::move(filter), 1.0f, zeroPoint);
  return use;
}

Operator &finish(Operator &use, int32_t padding = 0) {
  for (int32_t option : {padding, 1, 1, 0, 1, 1})
    use.option(option);
  return use.result(tensorInt16, {1, -1, -1, -1});
}

TEST(TFLiteErrors, Convolutions) {
  Operator zeroPoint = convolution({1, 4, 4, 2}, {3, 1, 1, 2}, 5);
  EXPECT_EQ(finish(zeroPoint.omitted()).refusal(),
            "CONV_2D: input 1 (filter) has zero point 5, but must have 0");
  Operator dimension = convolution({1, 4, 4, 2}, {3, 1, 1, 2});
  EXPECT_EQ(
      finish(dimension.channels({1.0f}, 3).omitted()).refusal(),
      "CONV_2D: input 1 (filter) has scales of dimension 3, but must have "
      "those of 0");
  Operator scales = convolution({1, 4, 4, 2}, {3, 1, 1, 2});
  EXPECT_EQ(finish(scales.channels({1.0f}, 0).omitted()).refusal(),
            "CONV_2D: input 1 (filter) has 1 scales, but must have 3");
  Operator empty = convolution({1, 4, 4, 2}, {3, 0, 1, 2});
  EXPECT_EQ(finish(empty.omitted()).refusal(),
            "CONV_2D: input 1 (filter) has extent 0 in dimension 1, but must "
            "have at least 1");
  Operator depth = convolution({1, 4, 4, 3}, {3, 1, 1, 2});
  EXPECT_EQ(
      finish(depth.omitted()).refusal(),
      "CONV_2D: input depth 3 must be a multiple of the filter's depth 2");
  Operator groups = convolution({1, 4, 4, 4}, {3, 1, 1, 2});
  EXPECT_EQ(finish(groups.omitted()).refusal(),
            "CONV_2D: the filter's 3 channels must be a multiple of the 2 "
            "groups");
  Operator window = convolution({1, 4, 4, 2}, {3, 5, 1, 2});
  EXPECT_EQ(finish(window.omitted(), 1).refusal(),
            "CONV_2D: window of 5 elements exceeds the extent 4");
  Operator depthwise(4);
  depthwise.open(tensorInt16, {1, 4, 4, 2}).open(tensorInt8, {1, 1, 1, 3});
  depthwise.omitted();
  for (int32_t option : {0, 1, 1, 1, 0, 1, 1})
    depthwise.option(option);
  EXPECT_EQ(depthwise.result(tensorInt16, {1, 4, 4, 3}).refusal(),
            "DEPTHWISE_CONV_2D: the filter's 3 channels must be a multiple of "
            "the input's 2");
}

TEST(TFLiteErrors, Products) {
  auto transposed = [](std::vector<int32_t> shape) {
    Operator use(67);
    use.int32({int64_t(shape.size())}, shape)
        .open(tensorInt8, {3, 1, 1, 2})
        .open(tensorInt16, {1, 4, 4, 2})
        .omitted();
    for (int32_t option : {0, 1, 1, 0})
      use.option(option);
    return use.result(tensorInt16, {1, -1, -1, 3}).refusal();
  };
  EXPECT_EQ(transposed({1, 4, 4}), "TRANSPOSE_CONV: input 0 (output_shape) has "
                                   "3 elements, but must have 4");
  EXPECT_EQ(transposed({1, 0, 4, 3}),
            "TRANSPOSE_CONV: extent 0 of the output must be positive");
  EXPECT_EQ(transposed({1, 4, 4, 2}), "TRANSPOSE_CONV: output shape 1x4x4x2 "
                                      "must have batch 1 and depth 3");
  Operator connected(9);
  connected.open(tensorInt16, {1, 5}).open(tensorInt8, {3, 2}).omitted();
  connected.option(0).option(0).option(false);
  EXPECT_EQ(connected.result(tensorInt16, {1, 3}).refusal(),
            "FULLY_CONNECTED: the input's 5 elements must be a multiple of the "
            "weights' 2");
  EXPECT_EQ(Operator(126)
                .open(tensorInt16, {1, 5})
                .open(tensorInt16, {4, 2})
                .option(false)
                .option(false)
                .result(tensorInt16, {1, 2})
                .refusal(),
            "BATCH_MATMUL: matrices of 5 columns and 4 rows have no product");
  auto svdf = [](Shape feature, Shape time, int32_t rank) {
    return Operator(27)
        .open(tensorInt8, {1, 2})
        .open(tensorInt8, std::move(feature))
        .open(tensorInt16, std::move(time))
        .omitted()
        .open(tensorInt16, {1, -1})
        .option(rank)
        .option(0)
        .result(tensorInt8, {1, -1})
        .result(tensorInt16, {1, -1})
        .refusal();
  };
  EXPECT_EQ(
      svdf({4, 2}, {4, 0}, 1),
      "SVDF: the weights have 4 filters of 0 elements, but must have known "
      "numbers of at least 1");
  EXPECT_EQ(svdf({4, 2}, {4, 3}, 3),
            "SVDF: option rank is 3, but must divide the 4 filters");
}

TEST(TFLiteErrors, ValuesOfExecutions) {
  EXPECT_EQ(Operator(90)
                .int32({2}, {1, 2})
                .int32({2}, {1, 0})
                .result(tensorInt32, {2})
                .failure(),
            "FLOOR_DIV: division by 0 at element 1");
  EXPECT_EQ(Operator(78)
                .int32({1}, {1})
                .int32({1}, {-2})
                .result(tensorInt32, {1})
                .failure(),
            "POW: exponent -2 must not be negative");
  EXPECT_EQ(Operator(96)
                .int32({1}, {1})
                .int32({1}, {5})
                .int32({1}, {0})
                .result(tensorInt32, {-1})
                .failure(),
            "RANGE: no range from 1 to 5 has steps of 0");
  EXPECT_EQ(Operator(36)
                .int16({2}, {1, 2})
                .int32({2}, {0, 2})
                .option(0)
                .option(0)
                .result(tensorInt16, {2})
                .failure(),
            "GATHER: index 2 must be 0 to 1");
  EXPECT_EQ(Operator(25)
                .int16({65537}, std::vector<int16_t>(65537))
                .option(1.0f)
                .result(tensorInt16, {65537}, 1.0f / 32768)
                .failure(),
            "SOFTMAX: depth 65537 must be at most 65536");
  EXPECT_EQ(Operator(25)
                .tensor<int8_t>(tensorInt8, {4096}, std::vector<int8_t>(4096))
                .option(1.0f)
                .result(tensorUint16, {4096}, 1.0f / 65536)
                .failure(),
            "SOFTMAX: depth 4096 must be at most 4095");
  EXPECT_EQ(Operator(25)
                .tensor<int8_t>(tensorInt8, {2}, {1, 2}, 1e-10f)
                .option(1.0f)
                .result(tensorUint16, {2}, 1.0f / 65536)
                .failure(),
            "SOFTMAX: scale 1e-10 times beta is below 2^-27");
}

} // namespace
