//===- ActivationRulesTest.cpp - Uses of activations ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

using enum OperationType;

constexpr auto unsignedType = OperandType::TENSOR_QUANT8_ASYMM;
constexpr auto signedType = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;

std::string unary(OperationType operation, const TensorType &input,
                  const TensorType &output) {
  return OperationBuilder(operation).tensor(input).output(output).since();
}
std::string unary(OperationType operation, const TensorType &type) {
  return unary(operation, type, type);
}

// M-050; rectifier C1.
TEST(ActivationRulesTest, Rectifiers) {
  for (OperationType operation : {RELU, RELU1, RELU6}) {
    EXPECT_EQ(unary(operation, floatTensor({2})), "1.0");
    EXPECT_EQ(unary(operation, floatTensor({0})), "1.0");
    EXPECT_EQ(unary(operation, quantTensor({2}, 0.5f, 3)), "1.0");
    EXPECT_EQ(unary(operation, halfTensor({2})), "1.2");
    EXPECT_EQ(unary(operation, signedQuantTensor({2}, 0.5f, 3)), "1.3");
    EXPECT_EQ(unary(operation, floatTensor({1, 1, 1, 1, 1})),
              "input rank 5 is above 4");
    // M-028.
    EXPECT_EQ(
        unary(operation, quantTensor({2}, 0.5f, 3), quantTensor({2}, 0.5f, 4)),
        "output has scale 0.5 and zero point 4, expected scale 0.5 and "
        "zero point 3");
  }
}

// M-052, M-053, M-243, M-245; logistic C1, tanh C1.
TEST(ActivationRulesTest, LogisticAndTanh) {
  TensorType input = quantTensor({2}, 0.5f, 3);
  EXPECT_EQ(unary(LOGISTIC, input, quantTensor({2}, 1.0f / 256, 0)), "1.0");
  EXPECT_EQ(unary(LOGISTIC, input, quantTensor({2}, 1.0f / 128, 0)),
            "output has scale 0.0078125 and zero point 0, expected scale "
            "0.00390625 and zero point 0");
  EXPECT_EQ(unary(LOGISTIC, signedQuantTensor({2}, 0.5f, 3),
                  signedQuantTensor({2}, 1.0f / 256, -128)),
            "1.3");
  EXPECT_EQ(unary(LOGISTIC, int32Tensor({2})),
            "input type TENSOR_INT32 is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED");
  EXPECT_EQ(unary(TANH, floatTensor({2})), "1.0");
  EXPECT_EQ(unary(TANH, input, quantTensor({2}, 1.0f / 128, 128)), "1.2");
  EXPECT_EQ(unary(TANH, signedQuantTensor({2}, 0.5f, 3),
                  signedQuantTensor({2}, 1.0f / 128, 0)),
            "1.3");
  EXPECT_EQ(unary(TANH, floatTensor({1, 1, 1, 1, 1})),
            "input rank 5 is above 4");
}

// M-055, M-056; elu C1, hard_swish C1.
TEST(ActivationRulesTest, EluAndHardSwish) {
  auto elu = [](const TensorType &type, OperandType alpha) {
    OperationBuilder builder(ELU);
    builder.tensor(type).scalar(alpha).output(type);
    return builder;
  };
  EXPECT_EQ(elu(floatTensor({0, 2}), OperandType::FLOAT32).since(), "1.3");
  EXPECT_EQ(elu(floatTensor({3, 2}), OperandType::FLOAT32).shapes(), "3x2");
  EXPECT_EQ(elu(halfTensor({2}), OperandType::FLOAT32).message(),
            "input 1 (alpha) has type FLOAT32, expected FLOAT16");
  EXPECT_EQ(elu(int32Tensor({2}), OperandType::FLOAT32).message(),
            "input type TENSOR_INT32 is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16");
  EXPECT_EQ(unary(HARD_SWISH, floatTensor({1, 1, 1, 1, 0})), "1.3");
  EXPECT_EQ(
      unary(HARD_SWISH, quantTensor({2}, 1.0f, 3), quantTensor({2}, 2.0f, 4)),
      "1.3");
  EXPECT_EQ(unary(HARD_SWISH, boolTensor({2})),
            "input type TENSOR_BOOL8 is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED");
}

// M-145; prelu C1, prelu C2, prelu C3.
TEST(ActivationRulesTest, Prelu) {
  auto prelu = [](const TensorType &input, const TensorType &alpha) {
    OperationBuilder builder(PRELU);
    builder.tensor(input).tensor(alpha).output(unrankedTensor(input.type));
    return builder;
  };
  // The result may be larger than the input.
  EXPECT_EQ(prelu(floatTensor({2, 1}), floatTensor({3, 1, 4})).shapes(),
            "3x2x4");
  EXPECT_EQ(prelu(floatTensor({2}), floatTensor({2})).since(), "1.2");
  EXPECT_EQ(prelu(tensorType(signedType, {2}, 1.0f),
                  tensorType(signedType, {2}, 2.0f))
                .since(),
            "1.3");
  EXPECT_EQ(prelu(int32Tensor({2}), int32Tensor({2})).message(),
            "input type TENSOR_INT32 is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED");
  EXPECT_EQ(prelu(floatTensor({2}), halfTensor({2})).message(),
            "alpha type TENSOR_FLOAT16 differs from input type TENSOR_FLOAT32");
  EXPECT_EQ(prelu(floatTensor({2}), floatTensor({3})).message(),
            "shapes 2 and 3 do not broadcast");
  EXPECT_EQ(prelu(floatTensor({2}), floatTensor({0})).message(),
            "input 1 of shape 0 is zero-sized");
}

OperationBuilder softmax(const TensorType &type, float beta) {
  OperationBuilder builder(SOFTMAX);
  builder.tensor(type);
  if (type.type == OperandType::TENSOR_FLOAT16)
    builder.float16(beta);
  else
    builder.float32(beta);
  TensorType result = type;
  if (isQuantized(type.type)) {
    result.scale = 1.0f / 256;
    result.zeroPoint = type.type == signedType ? -128 : 0;
  }
  builder.output(result);
  return builder;
}

// M-058, M-059, M-061, M-244.
TEST(ActivationRulesTest, SoftmaxVersions) {
  EXPECT_EQ(softmax(floatTensor({2, 3}), 1.0f).since(), "1.0");
  EXPECT_EQ(softmax(floatTensor({1, 1, 2, 3}), 1.0f).since(), "1.0");
  EXPECT_EQ(softmax(floatTensor({3}), 1.0f).since(), "1.2");
  EXPECT_EQ(softmax(floatTensor({0, 3}), 1.0f).since(), "1.0");
  EXPECT_EQ(softmax(floatTensor({2, 3}), 1.0f).int32(0).since(), "1.2");
  EXPECT_EQ(softmax(halfTensor({2, 3}), 1.0f).since(), "1.2");
  EXPECT_EQ(softmax(tensorType(unsignedType, {2, 3}, 0.1f), 1.0f).since(),
            "1.0");
  EXPECT_EQ(softmax(tensorType(signedType, {2, 3}, 0.1f), 1.0f).since(), "1.3");
}

// softmax C1, softmax C2, softmax C3; M-024, M-059.
TEST(ActivationRulesTest, SoftmaxRules) {
  EXPECT_EQ(softmax(int32Tensor({2}), 1.0f).message(),
            "input type TENSOR_INT32 is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED");
  EXPECT_EQ(softmax(floatTensor({2}), 0.0f).message(),
            "beta 0 must be positive");
  EXPECT_EQ(softmax(floatTensor({2, 3}), 1.0f).int32(-2).message(), "");
  EXPECT_EQ(softmax(floatTensor({2, 3}), 1.0f).int32(2).message(),
            "axis 2 is outside [-2, 2)");
  EXPECT_EQ(softmax(floatTensor({2, 3}), 1.0f).int32(1).int32(1).message(),
            "found 4 inputs, expected 2 or 3");
}

// M-063; log_softmax C1, log_softmax C2.
TEST(ActivationRulesTest, LogSoftmax) {
  auto logSoftmax = [](const TensorType &type, int32_t axis) {
    OperationBuilder builder(LOG_SOFTMAX);
    builder.tensor(type).float32(1.0f).int32(axis).output(type);
    return builder;
  };
  EXPECT_EQ(logSoftmax(floatTensor({1, 1, 1, 1, 2}), 4).since(), "1.2");
  EXPECT_EQ(logSoftmax(quantTensor({2}, 1.0f, 0), 0).message(),
            "input type TENSOR_QUANT8_ASYMM is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16");
  EXPECT_EQ(logSoftmax(floatTensor({2}), -2).message(),
            "axis -2 is outside [-1, 1)");
  EXPECT_EQ(logSoftmax(floatTensor({0}), 0).message(),
            "input 0 of shape 0 is zero-sized");
}

} // namespace
