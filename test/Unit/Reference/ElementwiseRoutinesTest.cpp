//===- ElementwiseRoutinesTest.cpp - What element-wise operations compute -===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutineRunner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

using enum OperationType;
using Values = std::vector<double>;

constexpr double lowest = std::numeric_limits<int32_t>::min();
constexpr double highest = std::numeric_limits<int32_t>::max();

Values run(const OperationBuilder &builder) {
  return runForValues(reference::elementwiseRoutines(), builder);
}

/// ADD, SUB, MUL or DIV.
Values arithmetic(OperationType operation, const TensorType &lhsType,
                  const Values &lhs, const TensorType &rhsType,
                  const Values &rhs, const TensorType &output,
                  int32_t activation = 0) {
  return run(OperationBuilder(operation)
                 .tensor(lhsType, lhs)
                 .tensor(rhsType, rhs)
                 .int32(activation)
                 .output(output));
}

/// Operations of two tensors of one type and shape.
Values binary(OperationType operation, const TensorType &type,
              const Values &lhs, const Values &rhs, const TensorType &output) {
  return run(
      OperationBuilder(operation).tensor(type, lhs).tensor(type, rhs).output(
          output));
}
Values binary(OperationType operation, const TensorType &type,
              const Values &lhs, const Values &rhs) {
  return binary(operation, type, lhs, rhs, type);
}

Values unary(OperationType operation, const TensorType &type,
             const Values &values) {
  return run(OperationBuilder(operation).tensor(type, values).output(type));
}

// M-021, M-019, M-037.
TEST(ElementwiseRoutinesTest, FloatArithmeticBroadcastsEitherSide) {
  TensorType column = floatTensor({2, 1}), row = floatTensor({3}),
             result = floatTensor({2, 3});
  EXPECT_EQ(arithmetic(SUB, column, {10, 20}, row, {1, 2, 3}, result),
            (Values{9, 8, 7, 19, 18, 17}));
  EXPECT_EQ(arithmetic(SUB, row, {1, 2, 3}, column, {10, 20}, result),
            (Values{-9, -8, -7, -19, -18, -17}));
  EXPECT_EQ(arithmetic(MUL, column, {10, -2}, row, {1, 2, 0.25}, result, 3),
            (Values{6, 6, 2.5, 0, 0, 0}));
  EXPECT_EQ(arithmetic(ADD, floatTensor({2, 0}), {}, floatTensor({1, 1}), {1},
                       floatTensor({2, 0})),
            Values());
}

// M-023: the sum is rounded once, to even.
TEST(ElementwiseRoutinesTest, HalfArithmeticRoundsOnce) {
  TensorType type = halfTensor({2});
  EXPECT_EQ(arithmetic(ADD, type, {2048, 2048}, type, {1, 3}, type),
            (Values{2048, 2052}));
}

// M-035, M-041.
TEST(ElementwiseRoutinesTest, IntegerArithmeticWrapsAndFloors) {
  TensorType type = int32Tensor({2});
  EXPECT_EQ(arithmetic(ADD, type, {highest, 5}, type, {1, -7}, type),
            (Values{lowest, -2}));
  EXPECT_EQ(arithmetic(MUL, type, {65536, 3}, type, {65536, -4}, type),
            (Values{0, -12}));
  TensorType five = int32Tensor({5});
  EXPECT_EQ(arithmetic(DIV, five, {5, -5, 5, lowest, 7}, five,
                       {2, 2, -2, -1, 0}, five),
            (Values{2, -3, -3, lowest, 0}));
}

// M-042.
TEST(ElementwiseRoutinesTest, FloatDivisionByZeroIsInfinite) {
  TensorType type = floatTensor({2});
  EXPECT_EQ(arithmetic(DIV, type, {1, -1}, type, {0, 0}, type),
            (Values{INFINITY, -INFINITY}));
}

// M-034: 0.5 * (q - 3) + 0.25 * (q - 1), in units of 0.5, plus 10.
TEST(ElementwiseRoutinesTest, QuantizedSums) {
  TensorType lhs = quantTensor({3}, 0.5f, 3), rhs = quantTensor({3}, 0.25f, 1),
             result = quantTensor({3}, 0.5f, 10);
  EXPECT_EQ(arithmetic(ADD, lhs, {5, 0, 255}, rhs, {5, 1, 255}, result),
            (Values{14, 7, 255}));
  EXPECT_EQ(arithmetic(SUB, lhs, {5, 0, 255}, rhs, {5, 1, 255}, result),
            (Values{10, 7, 135}));
  // M-017: RELU starts at the zero point, RELU6 ends 12 steps above it.
  EXPECT_EQ(arithmetic(ADD, lhs, {5, 0, 255}, rhs, {5, 1, 255}, result, 3),
            (Values{14, 10, 22}));
}

// M-022: the signed type computes the same 128 steps below.
TEST(ElementwiseRoutinesTest, SignedQuantizedProducts) {
  EXPECT_EQ(arithmetic(MUL, quantTensor({2}, 0.5f, 128), {130, 126},
                       quantTensor({2}, 0.5f, 128), {134, 134},
                       quantTensor({2}, 1.0f, 100)),
            (Values{103, 97}));
  EXPECT_EQ(arithmetic(MUL, signedQuantTensor({2}, 0.5f, 0), {2, -2},
                       signedQuantTensor({2}, 0.5f, 0), {6, 6},
                       signedQuantTensor({2}, 1.0f, -28)),
            (Values{-25, -31}));
}

// M-143, M-144.
TEST(ElementwiseRoutinesTest, ExtremaAndPowers) {
  EXPECT_EQ(binary(MAXIMUM, int32Tensor({2}), {16777217, -1}, {16777216, 3}),
            (Values{16777217, 3}));
  // 1 and 2 in the result's units of 0.5 with zero point 10.
  EXPECT_EQ(binary(MINIMUM, quantTensor({2}, 1.0f, 4), {5, 9}, {7, 6},
                   quantTensor({2}, 0.5f, 10)),
            (Values{12, 14}));
  EXPECT_EQ(binary(POW, floatTensor({3}), {2, 4, -2}, {10, 0.5, 3}),
            (Values{1024, 2, -8}));
}

// M-138, M-139, A-010.
TEST(ElementwiseRoutinesTest, Comparisons) {
  TensorType result = boolTensor({3});
  EXPECT_EQ(binary(LESS, floatTensor({3}), {1, 2, NAN}, {2, 2, 2}, result),
            (Values{1, 0, 0}));
  EXPECT_EQ(binary(NOT_EQUAL, int32Tensor({3}), {16777216, 2, 3},
                   {16777217, 2, 4}, result),
            (Values{1, 0, 1}));
  EXPECT_EQ(binary(EQUAL, boolTensor({3}), {2, 0, 1}, {1, 0, 0}, result),
            (Values{1, 1, 0}));
  // Real values decide: 2 * (q - 128) against q.
  EXPECT_EQ(run(OperationBuilder(GREATER_EQUAL)
                    .tensor(quantTensor({3}, 2.0f, 128), {130, 129, 128})
                    .tensor(quantTensor({3}, 1.0f, 0), {4, 3, 0})
                    .output(result)),
            (Values{1, 0, 1}));
}

// M-140: any byte but 0 is true.
TEST(ElementwiseRoutinesTest, Logic) {
  TensorType type = boolTensor({4});
  EXPECT_EQ(binary(LOGICAL_AND, type, {1, 2, 0, 0}, {4, 1, 1, 0}),
            (Values{1, 1, 0, 0}));
  EXPECT_EQ(binary(LOGICAL_OR, type, {1, 2, 0, 0}, {4, 1, 7, 0}),
            (Values{1, 1, 1, 0}));
  EXPECT_EQ(unary(LOGICAL_NOT, type, {1, 2, 0, 255}), (Values{0, 0, 1, 0}));
}

// M-142.
TEST(ElementwiseRoutinesTest, SelectRequantizes) {
  EXPECT_EQ(run(OperationBuilder(SELECT)
                    .tensor(boolTensor({3}), {1, 0, 2})
                    .tensor(quantTensor({3}, 1.0f, 0), {1, 2, 200})
                    .tensor(quantTensor({3}, 0.25f, 8), {0, 16, 0})
                    .output(quantTensor({3}, 0.5f, 4))),
            (Values{6, 8, 255}));
  EXPECT_EQ(run(OperationBuilder(SELECT)
                    .tensor(boolTensor({2}), {0, 1})
                    .tensor(int32Tensor({2}), {1, highest})
                    .tensor(int32Tensor({2}), {lowest, 4})
                    .output(int32Tensor({2}))),
            (Values{lowest, highest}));
}

// M-044, M-047, M-048.
TEST(ElementwiseRoutinesTest, UnaryFunctions) {
  EXPECT_EQ(unary(ABS, int32Tensor({3}), {-3, 3, lowest}),
            (Values{3, 3, lowest}));
  EXPECT_EQ(unary(NEG, int32Tensor({2}), {lowest, 7}), (Values{lowest, -7}));
  EXPECT_EQ(unary(ABS, floatTensor({2}), {-1.5, 2}), (Values{1.5, 2}));
  EXPECT_EQ(unary(FLOOR, floatTensor({2}), {-1.5, 1.5}), (Values{-2, 1}));
  EXPECT_EQ(unary(RSQRT, floatTensor({3}), {4, 0, 0.25}),
            (Values{0.5, INFINITY, 2}));
  EXPECT_EQ(unary(EXP, floatTensor({1}), {0}), Values{1});
  EXPECT_EQ(unary(SIN, floatTensor({1}), {0}), Values{0});
  EXPECT_EQ(unary(LOG, floatTensor({2}), {1, 0}), (Values{0, -INFINITY}));
  EXPECT_TRUE(std::isnan(unary(SQRT, floatTensor({1}), {-1})[0]));
}

Values cast(const TensorType &input, const Values &values,
            const TensorType &output) {
  return run(OperationBuilder(CAST).tensor(input, values).output(output));
}

// M-150, M-151: quantization parameters are ignored.
TEST(ElementwiseRoutinesTest, CastsConvertElementsAsStored) {
  TensorType quantized = quantTensor({4}, 0.5f, 100);
  EXPECT_EQ(cast(floatTensor({4}), {1.9, -1.9, 3e9, NAN}, int32Tensor({4})),
            (Values{1, -1, highest, 0}));
  EXPECT_EQ(cast(floatTensor({4}), {1.9, -1.9, 300, NAN}, quantized),
            (Values{1, 0, 255, 0}));
  EXPECT_EQ(cast(int32Tensor({4}), {1, -1, 300, 7}, quantized),
            (Values{1, 0, 255, 7}));
  EXPECT_EQ(cast(quantized, {0, 1, 100, 255}, floatTensor({4})),
            (Values{0, 1, 100, 255}));
  EXPECT_EQ(cast(int32Tensor({1}), {70000}, halfTensor({1})), Values{INFINITY});
  EXPECT_EQ(cast(tensorType(OperandType::TENSOR_QUANT16_SYMM, {2}, 1.0f),
                 {-32768, 5},
                 tensorType(OperandType::TENSOR_QUANT16_SYMM, {2}, 2.0f)),
            (Values{-32768, 5}));
}

} // namespace
