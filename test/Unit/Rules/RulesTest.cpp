//===- RulesTest.cpp - What rules infer -----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a rule yields, and what only the runtime can hand it: unknown ranks. The
// messages are quoted by test/lit/Dialect/NNHal/*-invalid.mlir.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Rules.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;

namespace {

TensorType tensor(std::vector<int64_t> dimensions,
                  OperandType type = OperandType::TENSOR_FLOAT32) {
  TensorType result;
  result.type = type;
  result.dimensions = std::move(dimensions);
  return result;
}

TensorType unranked(OperandType type = OperandType::TENSOR_FLOAT32) {
  TensorType result;
  result.type = type;
  result.isRanked = false;
  return result;
}

std::string textOf(const Result<TensorType> &result) {
  return result.isOk() ? shapeText(*result) : result.status().message();
}

TEST(RulesTest, OperandExtentZeroIsUnknownUnlessConstant) {
  Operand operand;
  operand.type = OperandType::TENSOR_QUANT8_ASYMM;
  operand.dimensions = {2, 0};
  operand.scale = 0.5f;
  operand.zeroPoint = 3;
  TensorType type = TensorType::of(operand);
  EXPECT_EQ(shapeText(type), "2x?");
  EXPECT_EQ(type.scale, 0.5f);
  EXPECT_EQ(type.zeroPoint, 3);
  operand.lifetime = OperandLifeTime::CONSTANT_COPY;
  EXPECT_EQ(shapeText(TensorType::of(operand)), "2x0");
  operand.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
  EXPECT_EQ(shapeText(TensorType::of(operand)), "2x0");
  operand.dimensions.clear();
  EXPECT_EQ(shapeText(TensorType::of(operand)), "unknown rank");
}

TEST(RulesTest, BroadcastKeepsWhatIsKnown) {
  auto add = [](TensorType lhs, TensorType rhs) {
    return textOf(arithmetic(lhs, rhs, FusedActivation::none, true));
  };
  EXPECT_EQ(add(tensor({2, 1}), tensor({3})), "2x3");
  EXPECT_EQ(add(tensor({unknownExtent, 4}), tensor({3, 1})), "3x4");
  EXPECT_EQ(add(tensor({unknownExtent}), tensor({1})), "?");
  // M-021: 0 goes with 0 and with 1 only.
  EXPECT_EQ(add(tensor({0}), tensor({1})), "0");
  EXPECT_EQ(add(tensor({0}), tensor({2})), "shapes 0 and 2 do not broadcast");
  EXPECT_EQ(add(unranked(), tensor({2})), "unknown rank");
}

// A-061, M-019: NONE is 0, RELU 1, RELU1 2 and RELU6 3.
TEST(RulesTest, FusedActivationsHaveCodes) {
  auto apply = [](int32_t code) {
    std::vector<float> results;
    for (float value : {-3.0f, -0.5f, 0.5f, 3.0f, 9.0f})
      results.push_back(applyActivation(FusedActivation(code), value));
    return results;
  };
  using Results = std::vector<float>;
  EXPECT_EQ(apply(0), (Results{-3, -0.5, 0.5, 3, 9}));
  EXPECT_EQ(apply(1), (Results{0, 0, 0.5, 3, 9}));
  EXPECT_EQ(apply(2), (Results{-1, -0.5, 0.5, 1, 1}));
  EXPECT_EQ(apply(3), (Results{0, 0, 0.5, 3, 6}));
}

// A-061, M-018: arithmetic C1, convolution C4, fully_connected C4, pool C4.
TEST(RulesTest, FusedActivationIsLimited) {
  constexpr auto activation = FusedActivation(4);
  std::string text = "fused activation 4 is outside [0, 3]";
  EXPECT_EQ(textOf(arithmetic(tensor({2}), tensor({2}), activation, true)),
            text);
  ConvolutionParams convolution;
  convolution.activation = activation;
  EXPECT_EQ(textOf(conv2D(unranked(), unranked(), unranked(), convolution)),
            text);
  EXPECT_EQ(
      textOf(fullyConnected(unranked(), unranked(), unranked(), activation)),
      text);
  WindowParams window;
  window.activation = activation;
  EXPECT_EQ(textOf(pool2D(unranked(), window)), text);
}

// Operand constraints of the dialect leave these to models.
TEST(RulesTest, SelectConditionIsBool) { // select C1
  EXPECT_EQ(textOf(select(tensor({2}), tensor({2}), tensor({2}))),
            "condition type TENSOR_FLOAT32 is not among TENSOR_BOOL8");
}

TEST(RulesTest, GatherIndicesAreIntegers) { // gather C2
  EXPECT_EQ(textOf(gather(tensor({4}), tensor({2}), 0)),
            "indices type TENSOR_FLOAT32 is not among TENSOR_INT32");
}

TEST(RulesTest, ConvolutionOfUnknownExtents) {
  ConvolutionParams params;
  EXPECT_EQ(textOf(conv2D(tensor({1, unknownExtent, 8, 3}),
                          tensor({16, 3, 3, 3}), tensor({16}), params)),
            "1x?x6x16");
  EXPECT_EQ(
      textOf(conv2D(unranked(), tensor({16, 3, 3, 3}), tensor({16}), params)),
      "?x?x?x16");
  EXPECT_EQ(
      textOf(conv2D(tensor({0, 8, 8, 3}), unranked(), unranked(), params)),
      "0x?x?x?");
}

TEST(RulesTest, QuantizedConvolutionLeavesTheResultFree) {
  TensorType input = tensor({1, 4, 4, 1}, OperandType::TENSOR_QUANT8_ASYMM);
  input.scale = 0.5f;
  TensorType filter = tensor({2, 1, 1, 1}, OperandType::TENSOR_QUANT8_ASYMM);
  filter.scale = 0.25f;
  TensorType bias = tensor({2}, OperandType::TENSOR_INT32);
  bias.scale = 0.125f;
  Result<TensorType> result = conv2D(input, filter, bias, {});
  ASSERT_TRUE(result.isOk()) << result.status().message();
  EXPECT_TRUE(result->isQuantizationFree);
  // M-012: the bias may be off by a millionth.
  bias.scale = 0.12500001f;
  EXPECT_TRUE(conv2D(input, filter, bias, {}).isOk());
}

TEST(RulesTest, ReductionOfUnknownRank) {
  const int64_t axes[] = {0};
  EXPECT_EQ(textOf(mean(unranked(), axes, true)), "unknown rank");
  EXPECT_EQ(textOf(argReduce(unranked(), 7)), "unknown rank");
}

TEST(RulesTest, StatedTypesMayKnowMoreOrLess) {
  EXPECT_TRUE(
      checkStated(tensor({unknownExtent, 2}), tensor({3, unknownExtent}))
          .isOk());
  EXPECT_TRUE(checkStated(tensor({3}), unranked()).isOk());
  EXPECT_EQ(checkStated(tensor({3}), tensor({4}), "output 0").message(),
            "output 0 dimension 0 is 4, expected 3");
}

TEST(RulesTest, ElementCountsAreLimited) {
  EXPECT_EQ(textOf(fullyConnected(tensor({65536, 65536}), tensor({1, 1}),
                                  tensor({1}), FusedActivation::none)),
            "input: 65536 times 65536 elements exceed 4294967295");
}

} // namespace
