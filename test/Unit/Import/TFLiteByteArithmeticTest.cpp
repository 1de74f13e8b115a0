//===- TFLiteByteArithmeticTest.cpp - Integers of bytes -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators whose quantization decides whether the HAL's operation has the
// integers of TensorFlow Lite, or the extension's.
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include <cmath>
#include <numbers>

namespace nnhal::rt {
namespace {

std::string text(Code code, const std::vector<TestInput> &inputs,
                 const TensorSpec &output, const Options &made = {}) {
  return toText(importBytes(operatorFile(code, inputs, {output}, made)));
}

// INT32 of the extension has no zero point.
TEST(TFLiteByteArithmeticTest, zeroPointsOf32Bits) {
  TensorSpec integers = {{6}, Type::INT32, {0.003f}, {7}};
  const TensorSpec bytes = {{6}, Type::INT8, {0.05f}, {5}};
  EXPECT_EQ(extended(Code::QUANTIZE, {{integers, {-400, 7, 8, 100, 17, 4000}}},
                     bytes),
            (Numbers{-19, 5, 5, 11, 6, 127}));
  EXPECT_EQ(text(Code::QUANTIZE, {{integers, {}}}, bytes),
            "SUB(i6, {7}, 0) -> t6\n"
            "tflite:QUANTIZE(t6) -> o6\n");
}

/// A pair of signed bytes, of which the second has \p scale.
std::vector<TestInput> bytePair(float scale, int64_t zeroPoint) {
  return {{{{3}, Type::INT8, {0.5f}, {3}}, {4, -9, 5}},
          {{{3}, Type::INT8, {scale}, {zeroPoint}}, {3, -8, 7}}};
}

// The HAL refuses products of such scales, and compares what bytes stand for.
TEST(TFLiteByteArithmeticTest, scalesOfBytes) {
  const TensorSpec fine = {{3}, Type::INT8, {0.25f}, {3}};
  const TensorSpec coarse = {{3}, Type::INT8, {0.75f}, {3}};
  Options multiply = options([](Builder &b) {
    return schema::CreateMulOptions(b, schema::Activation::NONE);
  });
  EXPECT_EQ(text(Code::MUL, bytePair(0.5f, 3), fine, multiply),
            "tflite:MUL(i3, i3, 0) -> o3\n");
  EXPECT_EQ(text(Code::MUL, bytePair(0.5f, 3), coarse, multiply),
            "MUL(i3, i3, 0) -> o3\n");
  EXPECT_EQ(extended(Code::MUL, bytePair(0.5f, 3), fine, multiply),
            (Numbers{3, 127, 11}));
  const TensorSpec like = {{3}, Type::INT8, {0.5f}, {3}};
  for (Code code : {Code::MAXIMUM, Code::MINIMUM}) {
    const std::string name = schema::EnumNameBuiltinOperator(code);
    EXPECT_EQ(text(code, bytePair(0.5f, 3), like), name + "(i3, i3) -> o3\n");
    EXPECT_EQ(text(code, bytePair(0.25f, 3), like),
              "tflite:" + name + "(i3, i3) -> o3\n");
    EXPECT_EQ(text(code, bytePair(0.5f, 2), like),
              "tflite:" + name + "(i3, i3) -> o3\n");
  }
  EXPECT_EQ(extended(Code::MAXIMUM, bytePair(0.25f, -9), like),
            (Numbers{4, -8, 7}));
}

// The HAL rounds halves up, TensorFlow Lite away from 0.
TEST(TFLiteByteArithmeticTest, averagesOfBytes) {
  auto average = [](schema::Padding padding, int32_t size) {
    return options([=](Builder &b) {
      return schema::CreatePool2DOptions(b, padding, 1, 1, size, 1);
    });
  };
  const TensorSpec image = {{1, 1, 3, 1}, Type::INT8, {0.5f}, {3}};
  auto becomes = [&](schema::Padding padding, int32_t size) {
    const std::string made = text(Code::AVERAGE_POOL_2D, {{image, {}}}, image,
                                  average(padding, size));
    return made.substr(0, made.find('('));
  };
  EXPECT_EQ(becomes(schema::Padding::VALID, 3), "AVERAGE_POOL_2D");
  EXPECT_EQ(becomes(schema::Padding::VALID, 2), "tflite:AVERAGE_POOL_2D");
  EXPECT_EQ(becomes(schema::Padding::SAME, 3), "tflite:AVERAGE_POOL_2D");
  TensorSpec pair = image;
  pair.shape = {1, 1, 2, 1};
  EXPECT_EQ(extended(Code::AVERAGE_POOL_2D, {{image, {-92, -91, 4}}}, pair,
                     average(schema::Padding::VALID, 2)),
            (Numbers{-92, -44}));
}

TEST(TFLiteByteArithmeticTest, rowsOfBytes) {
  const TensorSpec row = {{1, 3}, Type::INT8, {0.03f}, {5}};
  const TensorSpec result = {{1, 3}, Type::INT8, {1 / 128.0f}, {0}};
  Options root =
      options([](Builder &b) { return schema::CreateL2NormOptions(b); });
  EXPECT_EQ(text(Code::L2_NORMALIZATION, {{row, {}}}, result, root),
            "tflite:L2_NORMALIZATION(i1x3, 0) -> o1x3\n");
  EXPECT_EQ(extended(Code::L2_NORMALIZATION, {{row, {8, 1, 5}}}, result, root),
            (Numbers{77, -102, 0}));
}

// Dimensions of bytes are merged only for operations of the HAL.
TEST(TFLiteByteArithmeticTest, bytesOfManyDimensions) {
  const TensorSpec bytes = {{1, 2, 1, 3, 1}, Type::INT8, {0.5f}, {3}};
  EXPECT_EQ(text(Code::ELU, {{bytes, {}}}, bytes),
            "tflite:ELU(i1x2x1x3x1) -> o1x2x1x3x1\n");
}

} // namespace
} // namespace nnhal::rt
