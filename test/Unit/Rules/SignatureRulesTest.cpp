//===- SignatureRulesTest.cpp - What all operations in HAL form share -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"

#include "nnhal/Backend/Signatures/Activation.h"
#include "nnhal/Backend/Signatures/Elementwise.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

using enum OperationType;

// B-040, signature C1, signature C2.
TEST(SignatureRulesTest, OperandCounts) {
  TensorType type = floatTensor({2});
  EXPECT_EQ(OperationBuilder(EXP).output(type).message(),
            "found 0 inputs, expected 1");
  EXPECT_EQ(OperationBuilder(SOFTMAX).tensor(type).output(type).message(),
            "found 1 inputs, expected 2 or 3");
  EXPECT_EQ(OperationBuilder(EXP).tensor(type).message(),
            "found 0 outputs, expected 1");
  EXPECT_EQ(OperationBuilder(OperationType(500)).output(type).message(),
            "code 500 is not an operation of the HAL");
}

// signature C3: D-096.
TEST(SignatureRulesTest, OmittedOperands) {
  TensorType type = floatTensor({2});
  EXPECT_EQ(
      OperationBuilder(POW).tensor(type).omitted(type).output(type).message(),
      "input 1 (rhs) is omitted, but it is not optional");
  // A device may decode a use that nobody has checked.
  EXPECT_EQ(decodeArithmetic(OperationBuilder(ADD)
                                 .tensor(type)
                                 .tensor(type)
                                 .omitted(tensorType(OperandType::INT32, {}))
                                 .output(type)
                                 .operation())
                .status()
                .message(),
            "input 2 (activation) is omitted, but it is not optional");
}

// A device may decode a use with another operation's parameters.
TEST(SignatureRulesTest, ForeignParameters) {
  auto message = [](OperationType type) {
    OperationBuilder builder(type);
    builder.tensor(floatTensor({2})).output(floatTensor({2}));
    return decodeElu(builder.operation()).status().message();
  };
  EXPECT_EQ(message(RELU), "RELU of 1 inputs has no input 'alpha'");
  EXPECT_EQ(message(ELU), "found 1 inputs, expected 2");
  EXPECT_EQ(message(OperationType(500)),
            "code 500 is not an operation of the HAL");
}

// signature C4: a tensor of one element is no scalar (M-001).
TEST(SignatureRulesTest, ParameterTypes) {
  TensorType type = floatTensor({2});
  auto add = [&](const TensorType &activation) {
    OperationBuilder builder(ADD);
    builder.tensor(type).tensor(type).tensor(activation, {0}).output(type);
    return builder.message();
  };
  EXPECT_EQ(add(tensorType(OperandType::INT32, {})), "");
  EXPECT_EQ(add(int32Tensor({1})),
            "input 2 (activation) has type TENSOR_INT32, expected INT32");
  EXPECT_EQ(add(tensorType(OperandType::FLOAT32, {})),
            "input 2 (activation) has type FLOAT32, expected INT32");
}

// signature C5.
TEST(SignatureRulesTest, ListRanks) {
  EXPECT_EQ(OperationBuilder(REDUCE_SUM)
                .tensor(floatTensor({2, 3}))
                .tensor(int32Tensor({1, 1}), {0})
                .boolean(false)
                .output(floatTensor({3}))
                .message(),
            "input 1 (axes) has rank 2, expected 1");
}

// signature C6: A-062, M-008: none is 0, SAME 1 and VALID 2.
TEST(SignatureRulesTest, PaddingSchemes) {
  auto pool = [](int32_t scheme) {
    OperationBuilder builder(MAX_POOL_2D);
    builder.tensor(floatTensor({1, 2, 2, 1})).int32(scheme);
    for (int32_t value : {1, 1, 2, 2, 0})
      builder.int32(value);
    builder.output(unrankedTensor(OperandType::TENSOR_FLOAT32));
    return builder.shapes();
  };
  EXPECT_EQ(pool(0), "1x1x1x1");
  EXPECT_EQ(pool(1), "1x2x2x1");
  EXPECT_EQ(pool(2), "1x1x1x1");
  EXPECT_EQ(pool(3), "padding scheme is 3, expected 0 to 2");
  EXPECT_EQ(pool(-1), "padding scheme is -1, expected 0 to 2");
}

// signature C7: M-027, D-097. An extent that is not known is not 0.
TEST(SignatureRulesTest, ZeroSizedOperands) {
  auto log = [](std::vector<int64_t> shape) {
    TensorType type = floatTensor(std::move(shape));
    return OperationBuilder(LOG).tensor(type).output(type).message();
  };
  EXPECT_EQ(log({unknownExtent, 2}), "");
  EXPECT_EQ(log({3, 0}), "input 0 of shape 3x0 is zero-sized");
}

// stated C1, stated C2, stated C3, stated C4, stated C5: D-098, D-099.
TEST(SignatureRulesTest, StatedResults) {
  auto message = [](const TensorType &input, const TensorType &output) {
    return OperationBuilder(RELU).tensor(input).output(output).message();
  };
  EXPECT_EQ(message(floatTensor({2, 3}), halfTensor({2, 3})),
            "output type TENSOR_FLOAT16 is not the expected TENSOR_FLOAT32");
  EXPECT_EQ(message(floatTensor({2, 3}), floatTensor({6})),
            "output shape 6 has rank 1, expected shape 2x3");
  EXPECT_EQ(message(floatTensor({2, 3}), floatTensor({2, 4})),
            "output dimension 1 is 4, expected 3");
  EXPECT_EQ(message(floatTensor({2, 3}), floatTensor({unknownExtent, 3})), "");
  EXPECT_EQ(message(quantTensor({2}, 1.0f, 3), quantTensor({2}, 2.0f, 3)),
            "output has scale 2 and zero point 3, expected scale 1 and zero "
            "point 3");
  TensorType large = floatTensor({int64_t(1) << 32});
  EXPECT_EQ(checkStated(large, large).message(),
            "result dimension 0 is 4294967296, above 4294967295");
}

} // namespace
