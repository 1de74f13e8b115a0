//===- ContractionRulesTest.cpp - Uses of convolutions --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Contraction.h"

#include "OperationBuilder.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
using Op = OperationType;

namespace {

const TensorType anyFloat = unrankedTensor(OperandType::TENSOR_FLOAT32);

/// A use of \p type with an input, a filter and a bias, then \p scalars.
OperationBuilder convolution(Op type, TensorType input, TensorType filter,
                             TensorType bias,
                             const std::vector<int32_t> &scalars) {
  OperationBuilder builder(type);
  builder.tensor(std::move(input))
      .tensor(std::move(filter))
      .tensor(std::move(bias));
  for (int32_t scalar : scalars)
    builder.int32(scalar);
  return builder;
}

/// A CONV_2D from 1x5x6x2 to 4 channels by windows of 3x2.
OperationBuilder conv(const std::vector<int32_t> &scalars) {
  return convolution(Op::CONV_2D, floatTensor({1, 5, 6, 2}),
                     floatTensor({4, 3, 2, 2}), floatTensor({4}), scalars);
}

/// A DEPTHWISE_CONV_2D from 1x5x6x2 to 4 channels by windows of 3x2.
OperationBuilder depthwise(const std::vector<int32_t> &scalars) {
  return convolution(Op::DEPTHWISE_CONV_2D, floatTensor({1, 5, 6, 2}),
                     floatTensor({1, 3, 2, 4}), floatTensor({4}), scalars);
}

/// A GROUPED_CONV_2D from 1x5x6x4 to 2 channels by windows of 3x2.
OperationBuilder grouped(const std::vector<int32_t> &scalars) {
  return convolution(Op::GROUPED_CONV_2D, floatTensor({1, 5, 6, 4}),
                     floatTensor({2, 3, 2, 2}), floatTensor({2}), scalars);
}

/// A TRANSPOSE_CONV_2D from 1x2x3x1 to 2 channels by windows of 3x3.
OperationBuilder transposed(const std::vector<int32_t> &scalars) {
  return convolution(Op::TRANSPOSE_CONV_2D, floatTensor({1, 2, 3, 1}),
                     floatTensor({2, 3, 3, 1}), floatTensor({2}), scalars);
}

OperationBuilder transposedTo(const std::vector<double> &shape,
                              const std::vector<int32_t> &scalars) {
  OperationBuilder builder = transposed({});
  builder.tensor(int32Tensor({int64_t(shape.size())}), shape);
  for (int32_t scalar : scalars)
    builder.int32(scalar);
  return builder;
}

TEST(ContractionRulesTest, Conv2DFormsWithImplicitPadding) { // M-070
  EXPECT_EQ(conv({1, 1, 2, 0}).output(anyFloat).shapes(), "1x3x6x4");
  EXPECT_EQ(conv({2, 1, 2, 0}).output(anyFloat).shapes(), "1x2x5x4");
  EXPECT_EQ(conv({0, 1, 2, 0}).output(anyFloat).shapes(), "1x2x5x4"); // M-008
  EXPECT_EQ(conv({1, 1, 2, 0}).output(anyFloat).since(), "1.0");
  EXPECT_EQ(conv({1, 1, 2, 0}).boolean(false).output(anyFloat).since(), "1.2");
  // Dilation width 3, height 2 (M-075).
  EXPECT_EQ(conv({2, 1, 1, 0})
                .boolean(false)
                .int32(3)
                .int32(2)
                .output(anyFloat)
                .shapes(),
            "1x1x3x4");
}

TEST(ContractionRulesTest, Conv2DFormsWithExplicitPadding) { // M-071, M-072
  // M-006: (5 - 3 + 2 + 1) / 4 + 1 and (6 - 2 + 1) / 3 + 1, rounded down.
  EXPECT_EQ(conv({1, 0, 2, 1, 3, 4, 0}).output(anyFloat).shapes(), "1x2x2x4");
  EXPECT_EQ(conv({0, 1, 2, 1, 1, 1, 0}).output(anyFloat).shapes(), "1x6x6x4");
  EXPECT_EQ(conv({0, 1, 2, 1, 1, 1, 0}).output(anyFloat).since(), "1.0");
  EXPECT_EQ(conv({0, 1, 2, 1, 1, 1, 0})
                .boolean(false)
                .int32(1)
                .int32(2)
                .output(anyFloat)
                .shapes(),
            "1x4x6x4");
  Result<ConvolutionForm> form = decodeConvolution(
      conv({1, 0, 2, 1, 3, 4, 0}).output(anyFloat).operation());
  ASSERT_TRUE(form.isOk()) << form.status().message();
  EXPECT_EQ(form->params.pads.left, 1);
  EXPECT_EQ(form->params.pads.top, 2);
  EXPECT_EQ(form->params.pads.bottom, 1);
  EXPECT_EQ(form->params.strides.width, 3);
  EXPECT_EQ(form->params.strides.height, 4);
}

TEST(ContractionRulesTest, LayoutTouchesActivationsOnly) { // M-011
  EXPECT_EQ(convolution(Op::CONV_2D, floatTensor({1, 2, 5, 6}),
                        floatTensor({4, 3, 2, 2}), floatTensor({4}),
                        {2, 1, 1, 0})
                .boolean(true)
                .output(anyFloat)
                .shapes(),
            "1x4x3x5");
}

TEST(ContractionRulesTest, SamePaddingPutsTheOddPixelLast) { // M-007
  Result<ConvolutionForm> form =
      decodeConvolution(conv({1, 1, 1, 0}).output(anyFloat).operation());
  ASSERT_TRUE(form.isOk()) << form.status().message();
  EXPECT_EQ(form->params.pads.top, 1);
  EXPECT_EQ(form->params.pads.bottom, 1);
  EXPECT_EQ(form->params.pads.left, 0);
  EXPECT_EQ(form->params.pads.right, 1);
}

TEST(ContractionRulesTest, ConvolutionRejects) {
  EXPECT_EQ(conv({1, 1, 1}).output(anyFloat).message(), // signature C1
            "found 6 inputs, expected 7, 8, 10, 11 or 13");
  EXPECT_EQ(conv({3, 1, 1, 0}).output(anyFloat).message(), // signature C6
            "padding scheme is 3, expected 0 to 2");
  EXPECT_EQ(conv({1, 0, 1, 0}).output(anyFloat).message(), // convolution C2
            "stride width 0 must be positive");
  EXPECT_EQ(conv({1, 1, 1, 4}).output(anyFloat).message(), // convolution C4
            "fused activation 4 is outside [0, 3]");
  EXPECT_EQ(conv({1, 1, 1, 0}).int32(0).output(anyFloat).message(),
            "input 7 (layout) has type INT32, expected BOOL");
  EXPECT_EQ(conv({2, 0, 0, 0, 1, 1, 0}).output(anyFloat).message(),
            "pad left 2 must be below the window's 2"); // convolution C7, M-009
  EXPECT_EQ(conv({1, 1, 1, 0})
                .boolean(false)
                .int32(0)
                .int32(1)
                .output(anyFloat)
                .message(), // convolution C3
            "dilation width 0 must be positive");
}

TEST(ContractionRulesTest, ConvolutionRejectsActivationByItsRule) {
  ConvolutionParams params;
  params.activation = FusedActivation(-1);
  EXPECT_EQ(conv2D(floatTensor({1, 5, 6, 2}), floatTensor({4, 3, 2, 2}),
                   floatTensor({4}), params)
                .status()
                .message(), // convolution C4
            "fused activation -1 is outside [0, 3]");
  EXPECT_EQ(fullyConnected(floatTensor({1, 2}), floatTensor({4, 2}),
                           floatTensor({4}), FusedActivation(7))
                .status()
                .message(), // fully_connected C4
            "fused activation 7 is outside [0, 3]");
}

TEST(ContractionRulesTest, AbsentValuesBreakNoRule) { // M-003
  auto scalar = OperandType::INT32;
  // A window that fits with padding only.
  EXPECT_EQ(convolution(Op::CONV_2D, floatTensor({1, 1, 1, 2}),
                        floatTensor({4, 3, 3, 2}), floatTensor({4}), {})
                .scalar(scalar)
                .int32(1)
                .int32(1)
                .int32(0)
                .output(anyFloat)
                .shapes(),
            "?x?x?x?");
  // Pads that are legal with the dilation.
  EXPECT_EQ(conv({0, 0, 4, 0, 1, 1, 0})
                .boolean(false)
                .scalar(scalar)
                .scalar(scalar)
                .output(anyFloat)
                .shapes(),
            "?x?x?x?");
  EXPECT_EQ(
      conv({1, 1, 1, 0}).scalar(OperandType::BOOL).output(anyFloat).shapes(),
      "?x?x?x?");
  EXPECT_EQ(
      depthwise({1, 1, 1}).scalar(scalar).int32(0).output(anyFloat).shapes(),
      "?x?x?x?");
  EXPECT_EQ(grouped({1, 1, 1})
                .scalar(scalar)
                .int32(0)
                .boolean(false)
                .output(anyFloat)
                .shapes(),
            "?x?x?x?");
  EXPECT_EQ(transposed({})
                .tensor(int32Tensor({4}))
                .int32(1)
                .int32(1)
                .int32(1)
                .int32(0)
                .boolean(false)
                .output(anyFloat)
                .shapes(),
            "?x?x?x?");
}

TEST(ContractionRulesTest, UnknownExtentsStayUnknown) { // M-002, M-004
  EXPECT_EQ(convolution(Op::CONV_2D, floatTensor({1, unknownExtent, 6, 2}),
                        floatTensor({4, 3, 2, 2}), floatTensor({4}),
                        {1, 1, 1, 0})
                .output(anyFloat)
                .shapes(),
            "1x?x6x4");
  EXPECT_EQ(convolution(Op::CONV_2D, anyFloat, floatTensor({4, 3, 2, 2}),
                        floatTensor({4}), {1, 1, 1, 0})
                .output(anyFloat)
                .shapes(),
            "?x?x?x4");
}

TEST(ContractionRulesTest, BatchMayBeZero) { // M-010, M-074
  EXPECT_EQ(convolution(Op::CONV_2D, floatTensor({0, 5, 6, 2}),
                        floatTensor({4, 3, 2, 2}), floatTensor({4}),
                        {1, 1, 1, 0})
                .output(anyFloat)
                .shapes(),
            "0x5x6x4");
  EXPECT_EQ(convolution(Op::GROUPED_CONV_2D, floatTensor({0, 5, 6, 4}),
                        floatTensor({2, 3, 2, 2}), floatTensor({2}),
                        {1, 1, 1, 2, 0})
                .boolean(false)
                .output(anyFloat)
                .message(), // M-320
            "input 0 of shape 0x5x6x4 is zero-sized");
}

TEST(ContractionRulesTest, VersionsFollowTypes) { // M-016, M-073
  auto quantized = [](TensorType input, TensorType filter, TensorType bias,
                      TensorType output) {
    return convolution(Op::CONV_2D, std::move(input), std::move(filter),
                       std::move(bias), {1, 1, 1, 0})
        .output(std::move(output))
        .since();
  };
  TensorType bias = int32Tensor({1});
  bias.scale = 0.25f;
  TensorType input = quantTensor({1, 2, 2, 1}, 0.5f, 128);
  TensorType filter = quantTensor({1, 1, 1, 1}, 0.5f, 128);
  EXPECT_EQ(quantized(input, filter, bias, quantTensor({1, 2, 2, 1}, 0.5f, 0)),
            "1.0");
  EXPECT_EQ(quantized(input, filter, bias, quantTensor({1, 2, 2, 1}, 0.25f, 0)),
            "1.2");
  EXPECT_EQ(quantized(signedQuantTensor({1, 2, 2, 1}, 0.5f, 0),
                      signedQuantTensor({1, 1, 1, 1}, 0.5f, 0), bias,
                      signedQuantTensor({1, 2, 2, 1}, 0.5f, 0)),
            "1.3");
  TensorType perChannel =
      tensorType(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, {1, 1, 1, 1});
  perChannel.channelQuant = {{0.5f}, 0};
  EXPECT_EQ(quantized(input, perChannel, int32Tensor({1}),
                      quantTensor({1, 2, 2, 1}, 0.5f, 0)),
            "1.2");
  EXPECT_EQ(convolution(Op::CONV_2D, halfTensor({1, 2, 2, 1}),
                        halfTensor({1, 1, 1, 1}), halfTensor({1}), {1, 1, 1, 0})
                .output(halfTensor({1, 2, 2, 1}))
                .since(),
            "1.2");
}

TEST(ContractionRulesTest, QuantizedFilterMustMatch) {
  TensorType input = quantTensor({1, 2, 2, 1}, 0.5f, 128);
  EXPECT_EQ(convolution(Op::CONV_2D, input,
                        signedQuantTensor({1, 1, 1, 1}, 0.5f, 0),
                        int32Tensor({1}), {1, 1, 1, 0})
                .output(input)
                .message(), // filter C1, M-013
            "filter type TENSOR_QUANT8_ASYMM_SIGNED differs from input type "
            "TENSOR_QUANT8_ASYMM");
  EXPECT_EQ(convolution(Op::CONV_2D, input, quantTensor({1, 1, 1, 1}, 0.5f, 0),
                        int32Tensor({1}), {1, 1, 1, 0})
                .output(input)
                .message(), // bias C5, M-012
            "bias scale 0 differs from 0.25, the product of input and filter "
            "scale");
}

TEST(ContractionRulesTest, DepthwiseForms) { // M-078 to M-081
  EXPECT_EQ(depthwise({1, 1, 1, 2, 0}).output(anyFloat).shapes(), "1x5x6x4");
  EXPECT_EQ(depthwise({1, 1, 1, 2, 0})
                .boolean(false)
                .int32(3)
                .int32(1)
                .output(anyFloat)
                .shapes(),
            "1x5x6x4");
  EXPECT_EQ(depthwise({0, 0, 0, 0, 1, 1, 2, 0}).output(anyFloat).shapes(),
            "1x3x5x4");
  EXPECT_EQ(depthwise({0, 0, 0, 0, 1, 1, 2, 0})
                .boolean(false)
                .int32(3)
                .int32(1)
                .output(anyFloat)
                .shapes(),
            "1x3x3x4");
  EXPECT_EQ(depthwise({1, 1, 1, 3, 0}).output(anyFloat).message(),
            "filter channels 4 differs from input channels times depth "
            "multiplier 6"); // depthwise_conv_2d C3
}

TEST(ContractionRulesTest, GroupedForms) { // M-083, M-084
  EXPECT_EQ(grouped({1, 1, 1, 2, 0}).boolean(false).output(anyFloat).shapes(),
            "1x5x6x2");
  EXPECT_EQ(grouped({0, 1, 0, 0, 1, 1, 2, 0})
                .boolean(false)
                .output(anyFloat)
                .shapes(),
            "1x3x6x2");
  EXPECT_EQ(grouped({1, 1, 1, 2, 0}).boolean(false).output(anyFloat).since(),
            "1.2");
  EXPECT_EQ(grouped({1, 1, 1, 0, 0}).boolean(false).output(anyFloat).message(),
            "groups 0 must be positive"); // grouped_conv_2d C1
}

TEST(ContractionRulesTest, TransposedForms) { // M-085, M-086
  EXPECT_EQ(transposedTo({1, 4, 6, 2}, {1, 2, 2, 0})
                .boolean(false)
                .output(anyFloat)
                .shapes(),
            "1x4x6x2");
  EXPECT_EQ(transposedTo({1, 5, 7, 2}, {2, 2, 2, 0})
                .boolean(false)
                .output(anyFloat)
                .shapes(),
            "1x5x7x2");
  // In the order of the layout.
  EXPECT_EQ(convolution(Op::TRANSPOSE_CONV_2D, floatTensor({1, 1, 2, 3}),
                        floatTensor({2, 3, 3, 1}), floatTensor({2}), {})
                .tensor(int32Tensor({4}), {1, 2, 4, 6})
                .int32(1)
                .int32(2)
                .int32(2)
                .int32(0)
                .boolean(true)
                .output(anyFloat)
                .shapes(),
            "1x2x4x6");
  EXPECT_EQ(transposed({1, 0, 0, 2, 2, 2, 0})
                .boolean(false)
                .output(anyFloat)
                .shapes(),
            "1x3x6x2");
}

TEST(ContractionRulesTest, TransposedPadsMayBeNegativeAtTheEnd) { // M-086
  // Windows of 1 with stride 2 leave a gap of one pixel after the last.
  OperationBuilder shape(Op::TRANSPOSE_CONV_2D);
  shape.tensor(floatTensor({1, 2, 2, 1}))
      .tensor(floatTensor({1, 1, 1, 1}))
      .tensor(floatTensor({1}))
      .tensor(int32Tensor({4}), {1, 4, 4, 1})
      .int32(1)
      .int32(2)
      .int32(2)
      .int32(0)
      .boolean(false)
      .output(anyFloat);
  EXPECT_EQ(shape.shapes(), "1x4x4x1");
  Result<ConvolutionForm> form = decodeConvolution(shape.operation());
  ASSERT_TRUE(form.isOk()) << form.status().message();
  EXPECT_EQ(form->params.pads.top, 0);
  EXPECT_EQ(form->params.pads.bottom, -1);
}

TEST(ContractionRulesTest, OtherOperationsAreNotDecoded) {
  EXPECT_EQ(decodeConvolution(OperationBuilder(Op::ADD).operation())
                .status()
                .message(),
            "ADD is not a convolution");
}

TEST(ContractionRulesTest, TransposedRejects) {
  EXPECT_EQ(transposedTo({1, 4, 6}, {1, 2, 2, 0})
                .boolean(false)
                .output(anyFloat)
                .message(), // transpose_conv_2d C5
            "output shape has 3 elements, expected 4");
  EXPECT_EQ(transposedTo({1, 4, 0, 2}, {1, 2, 2, 0})
                .boolean(false)
                .output(anyFloat)
                .message(), // transpose_conv_2d C6
            "output shape width 0 must be positive");
  EXPECT_EQ(transposed({0, -1, 0, 0, 2, 2, 0})
                .boolean(false)
                .output(anyFloat)
                .message(), // transpose_conv_2d C7, M-009
            "trailing pads 0 and -1 must not be negative");
}

TEST(ContractionRulesTest, FullyConnectedForms) { // M-099 to M-103
  auto use = [](TensorType input) {
    return OperationBuilder(Op::FULLY_CONNECTED)
        .tensor(std::move(input))
        .tensor(floatTensor({3, 4}))
        .tensor(floatTensor({3}))
        .int32(0)
        .output(anyFloat)
        .shapes();
  };
  EXPECT_EQ(use(floatTensor({2, 2, 2})), "2x3");
  EXPECT_EQ(use(floatTensor({0, 4})), "0x3");
  EXPECT_EQ(use(floatTensor({unknownExtent, 4})), "?x3");
  EXPECT_EQ(use(floatTensor({2, 3})), // fully_connected C6
            "input has 6 elements, no multiple of the weights row size 4");
  EXPECT_EQ(use(floatTensor({1, 1, 1, 1, 4})), // fully_connected C1
            "input rank 5 is above 4");
}

TEST(ContractionRulesTest, HostileParametersOverflowNothing) {
  int32_t large = 2147483647;
  EXPECT_EQ(convolution(Op::CONV_2D, floatTensor({1, 4294967295, 5, 1}),
                        floatTensor({1, 4294967295, 1, 1}), floatTensor({1}),
                        {1, 1, 1, 0})
                .boolean(false)
                .int32(large)
                .int32(large)
                .output(anyFloat)
                .shapes(),
            "1x4294967295x5x1");
  EXPECT_EQ(convolution(Op::TRANSPOSE_CONV_2D,
                        floatTensor({1, 4294967295, 2, 1}),
                        floatTensor({1, 1, 1, 1}), floatTensor({1}),
                        {0, 0, 0, 0, large, large, 0})
                .boolean(false)
                .output(anyFloat)
                .message(), // stated C5
            "output dimension 1 is 9223372028264841219, above 4294967295");
}

} // namespace
