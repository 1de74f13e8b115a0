//===- ElementwiseRulesTest.cpp - Uses of element-wise operations ---------===//
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

/// ADD and its like on \p type, without a value for any operand.
OperationBuilder binary(OperationType operation, const TensorType &type) {
  OperationBuilder builder(operation);
  builder.tensor(type).tensor(type);
  return builder;
}

std::string arithmeticSince(OperationType operation, const TensorType &type) {
  OperationBuilder builder(operation);
  builder.tensor(type).tensor(type).int32(0).output(type);
  return builder.since();
}

// M-033, M-037, M-038, M-040.
TEST(ElementwiseRulesTest, ArithmeticVersionsPerType) {
  TensorType quantized = quantTensor({2}, 1.0f, 3);
  TensorType signedQuantized = signedQuantTensor({2}, 1.0f, 3);
  EXPECT_EQ(arithmeticSince(ADD, floatTensor({2})), "1.0");
  EXPECT_EQ(arithmeticSince(ADD, quantized), "1.0");
  EXPECT_EQ(arithmeticSince(ADD, halfTensor({2})), "1.2");
  EXPECT_EQ(arithmeticSince(ADD, signedQuantized), "1.3");
  EXPECT_EQ(arithmeticSince(ADD, int32Tensor({2})), "1.3");
  EXPECT_EQ(arithmeticSince(SUB, floatTensor({2})), "1.1");
  EXPECT_EQ(arithmeticSince(SUB, quantized), "1.2");
  EXPECT_EQ(arithmeticSince(MUL, int32Tensor({2})), "1.3");
  EXPECT_EQ(arithmeticSince(DIV, floatTensor({2})), "1.1");
  EXPECT_EQ(arithmeticSince(DIV, halfTensor({2})), "1.2");
  EXPECT_EQ(arithmeticSince(DIV, int32Tensor({2})), "1.3");
}

// M-021, M-027, M-036.
TEST(ElementwiseRulesTest, ArithmeticBroadcastsAndTakesEmptyTensors) {
  auto shapes = [](std::vector<int64_t> lhs, std::vector<int64_t> rhs) {
    return OperationBuilder(SUB)
        .tensor(floatTensor(std::move(lhs)))
        .tensor(floatTensor(std::move(rhs)))
        .scalar(OperandType::INT32)
        .output(unrankedTensor(OperandType::TENSOR_FLOAT32))
        .shapes();
  };
  EXPECT_EQ(shapes({2, 1, 3}, {4, 1}), "2x4x3");
  EXPECT_EQ(shapes({1, 3}, {0, 3}), "0x3");
  EXPECT_EQ(shapes({unknownExtent, 3}, {3}), "?x3");
  // broadcast C3.
  EXPECT_EQ(shapes({2, 3}, {2}), "shapes 2x3 and 2 do not broadcast");
  EXPECT_EQ(shapes({0}, {2}), "shapes 0 and 2 do not broadcast");
}

// M-043: broadcast C1, broadcast C2.
TEST(ElementwiseRulesTest, BinaryTypesAndRanks) {
  auto message = [](OperationType operation, TensorType lhs, TensorType rhs) {
    return OperationBuilder(operation)
        .tensor(std::move(lhs))
        .tensor(std::move(rhs))
        .output(boolTensor({2}))
        .message();
  };
  EXPECT_EQ(message(POW, int32Tensor({2}), int32Tensor({2})),
            "lhs type TENSOR_INT32 is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16");
  EXPECT_EQ(message(LOGICAL_OR, floatTensor({2}), floatTensor({2})),
            "lhs type TENSOR_FLOAT32 is not among TENSOR_BOOL8");
  EXPECT_EQ(message(EQUAL, floatTensor({2}), halfTensor({2})),
            "rhs type TENSOR_FLOAT16 differs from lhs type TENSOR_FLOAT32");
  EXPECT_EQ(OperationBuilder(DIV)
                .tensor(floatTensor({1, 1, 1, 1, 2}))
                .tensor(floatTensor({2}))
                .int32(0)
                .output(floatTensor({1, 1, 1, 1, 2}))
                .message(),
            "lhs rank 5 is above 4");
  // M-040: div has no quantized form.
  EXPECT_EQ(arithmeticSince(DIV, quantTensor({2}, 1.0f, 0)),
            "lhs type TENSOR_QUANT8_ASYMM is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16, TENSOR_INT32");
}

// arithmetic C1, arithmetic C2: M-018, M-020.
TEST(ElementwiseRulesTest, ArithmeticActivations) {
  auto message = [](const TensorType &type, int32_t activation) {
    return OperationBuilder(MUL)
        .tensor(type)
        .tensor(type)
        .int32(activation)
        .output(type)
        .message();
  };
  EXPECT_EQ(message(floatTensor({2}), 3), "");
  EXPECT_EQ(message(floatTensor({2}), 4),
            "fused activation 4 is outside [0, 3]");
  EXPECT_EQ(message(int32Tensor({2}), 0), "");
  EXPECT_EQ(message(int32Tensor({2}), 1),
            "fused activation 1 on TENSOR_INT32 must be 0");
}

// add C1, sub C1, mul C1: M-034, M-039.
TEST(ElementwiseRulesTest, ArithmeticScales) {
  auto message = [](OperationType operation, float scale) {
    return OperationBuilder(operation)
        .tensor(quantTensor({2}, 1.0f, 0))
        .tensor(quantTensor({2}, 0.5f, 0))
        .int32(0)
        .output(quantTensor({2}, scale, 7))
        .message();
  };
  EXPECT_EQ(message(ADD, 0.25f), "");
  constexpr float sumBound = 0x1p-19f;
  EXPECT_EQ(message(ADD, sumBound),
            "result scale 1.9073486e-06 must be above 1.9073486328125e-06, "
            "twice the larger operand scale over 2^20");
  EXPECT_EQ(message(SUB, sumBound), message(ADD, sumBound));
  EXPECT_EQ(message(MUL, 0.51f), "");
  EXPECT_EQ(message(MUL, 0.5f),
            "result scale 0.5 must be above 0.5, the product of the operand "
            "scales");
  TensorType isSigned = signedQuantTensor({2}, 1.0f, 0);
  EXPECT_EQ(OperationBuilder(MUL)
                .tensor(isSigned)
                .tensor(isSigned)
                .int32(0)
                .output(isSigned)
                .message(), // M-263
            "result scale 1 must be above 1, the product of the operand "
            "scales");
}

// M-138 to M-144: all of 1.2, the signed type of 1.3.
TEST(ElementwiseRulesTest, BinaryVersions) {
  auto since = [](OperationType operation, const TensorType &type,
                  const TensorType &result) {
    return binary(operation, type).output(result).since();
  };
  EXPECT_EQ(since(GREATER, floatTensor({2}), boolTensor({2})), "1.2");
  EXPECT_EQ(since(EQUAL, boolTensor({2}), boolTensor({2})), "1.2");
  EXPECT_EQ(since(LESS, signedQuantTensor({2}, 1.0f, 0), boolTensor({2})),
            "1.3");
  EXPECT_EQ(since(LOGICAL_AND, boolTensor({2}), boolTensor({2})), "1.2");
  EXPECT_EQ(since(POW, halfTensor({2}), halfTensor({2})), "1.2");
  // The result's quantization is its own.
  EXPECT_EQ(
      since(MAXIMUM, quantTensor({2}, 1.0f, 0), quantTensor({2}, 3.0f, 9)),
      "1.2");
  EXPECT_EQ(since(MINIMUM, int32Tensor({2}), int32Tensor({2})), "1.2");
}

// signature C7: M-027, M-049.
TEST(ElementwiseRulesTest, WhatTakesNoEmptyTensor) {
  EXPECT_EQ(
      binary(GREATER, floatTensor({2, 0})).output(boolTensor({})).message(),
      "input 0 of shape 2x0 is zero-sized");
  EXPECT_EQ(OperationBuilder(EXP)
                .tensor(floatTensor({0}))
                .output(floatTensor({0}))
                .message(),
            "input 0 of shape 0 is zero-sized");
}

std::string unary(OperationType operation, const TensorType &type) {
  return OperationBuilder(operation).tensor(type).output(type).since();
}

// M-044 to M-047; signed_unary C1, float_unary C1, floor C1, logical_not C1.
TEST(ElementwiseRulesTest, UnaryTypesAndVersions) {
  EXPECT_EQ(unary(ABS, floatTensor({1, 1, 1, 1, 2})), "1.2");
  EXPECT_EQ(unary(ABS, int32Tensor({2})), "1.3");
  EXPECT_EQ(unary(NEG, int32Tensor({2})), "1.2");
  EXPECT_EQ(unary(NEG, quantTensor({2}, 1.0f, 0)),
            "input type TENSOR_QUANT8_ASYMM is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16, TENSOR_INT32");
  for (OperationType operation : {EXP, LOG, SIN, SQRT, RSQRT}) {
    EXPECT_EQ(unary(operation, halfTensor({2})), "1.2");
    EXPECT_EQ(unary(operation, int32Tensor({2})),
              "input type TENSOR_INT32 is not among TENSOR_FLOAT32, "
              "TENSOR_FLOAT16");
  }
  EXPECT_EQ(unary(FLOOR, floatTensor({2})), "1.0");
  EXPECT_EQ(unary(FLOOR, halfTensor({2})), "1.2");
  EXPECT_EQ(unary(FLOOR, floatTensor({1, 1, 1, 1, 2})),
            "input rank 5 is above 4");
  EXPECT_EQ(unary(LOGICAL_NOT, boolTensor({2})), "1.2");
  EXPECT_EQ(unary(LOGICAL_NOT, floatTensor({2})),
            "input type TENSOR_FLOAT32 is not among TENSOR_BOOL8");
}

// M-141; select C1, select C2, select C3, select C4.
TEST(ElementwiseRulesTest, Select) {
  auto message = [](TensorType condition, TensorType lhs, TensorType rhs) {
    OperationBuilder builder(SELECT);
    builder.tensor(std::move(condition)).tensor(lhs).tensor(std::move(rhs));
    return builder.output(lhs).message();
  };
  EXPECT_EQ(message(boolTensor({2}), int32Tensor({2}), int32Tensor({2})), "");
  EXPECT_EQ(message(boolTensor({2}), quantTensor({2}, 1.0f, 0),
                    quantTensor({2}, 2.0f, 5)),
            "");
  EXPECT_EQ(message(floatTensor({2}), floatTensor({2}), floatTensor({2})),
            "condition type TENSOR_FLOAT32 is not among TENSOR_BOOL8");
  EXPECT_EQ(message(boolTensor({2}), boolTensor({2}), boolTensor({2})),
            "lhs type TENSOR_BOOL8 is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM, "
            "TENSOR_QUANT8_ASYMM_SIGNED");
  EXPECT_EQ(message(boolTensor({2}), floatTensor({2}), int32Tensor({2})),
            "rhs type TENSOR_INT32 differs from lhs type TENSOR_FLOAT32");
  EXPECT_EQ(message(boolTensor({2}), floatTensor({1}), floatTensor({2})),
            "lhs shape 1 differs from condition shape 2");
}

// M-150, M-151, M-152; cast C1, cast C2.
TEST(ElementwiseRulesTest, Cast) {
  auto since = [](TensorType input, TensorType output) {
    return OperationBuilder(CAST)
        .tensor(std::move(input))
        .output(std::move(output))
        .since();
  };
  auto identity = [&](OperandType type) {
    return since(tensorType(type, {2}, 1.0f), tensorType(type, {2}, 2.0f));
  };
  EXPECT_EQ(since(floatTensor({2}), quantTensor({2}, 1.0f, 4)), "1.2");
  EXPECT_EQ(since(int32Tensor({2}), halfTensor({2})), "1.2");
  EXPECT_EQ(identity(OperandType::TENSOR_INT32), "1.2");
  EXPECT_EQ(identity(OperandType::TENSOR_BOOL8), "1.3");
  EXPECT_EQ(identity(OperandType::TENSOR_QUANT16_SYMM), "1.3");
  EXPECT_EQ(since(floatTensor({2}), boolTensor({2})),
            "no cast from TENSOR_FLOAT32 to TENSOR_BOOL8");
  EXPECT_EQ(since(floatTensor({2}), int32Tensor({3})),
            "result shape 3 differs from input shape 2");
  EXPECT_EQ(OperationBuilder(CAST)
                .tensor(unrankedTensor(OperandType::TENSOR_FLOAT32))
                .output(int32Tensor({3}))
                .shapes(),
            "unknown rank");
}

} // namespace
