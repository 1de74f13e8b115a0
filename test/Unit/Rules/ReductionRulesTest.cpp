//===- ReductionRulesTest.cpp - Uses of reductions ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
using Op = OperationType;

namespace {

const TensorType anyFloat = unrankedTensor(OperandType::TENSOR_FLOAT32);

std::string mean(TensorType input, const std::vector<double> &axes,
                 int32_t keepDims) {
  return OperationBuilder(Op::MEAN)
      .tensor(std::move(input))
      .tensor(int32Tensor({int64_t(axes.size())}), axes)
      .int32(keepDims)
      .output(anyFloat)
      .shapes();
}

TEST(ReductionRulesTest, MeanKeepsOrRemovesDimensions) { // M-126, M-127
  TensorType input = floatTensor({2, 3, 4});
  EXPECT_EQ(mean(input, {-1, 2, 0}, 0), "3");
  EXPECT_EQ(mean(input, {-1, 2, 0}, 7), "1x3x1");
  EXPECT_EQ(mean(input, {-1, 2, 0}, -1), "3");
  EXPECT_EQ(mean(input, {0, 1, 2}, 0), "1"); // M-026
}

TEST(ReductionRulesTest, MeanRejects) {
  EXPECT_EQ(mean(floatTensor({2}), {1}, 1), // reduce C3, M-129
            "axis 1 is outside [-1, 1)");
  EXPECT_EQ(mean(floatTensor({2}), {}, 1), // M-128
            "input 1 of shape 0 is zero-sized");
  EXPECT_EQ(mean(floatTensor({0, 2}), {0}, 1),
            "input 0 of shape 0x2 is zero-sized");
  EXPECT_EQ(OperationBuilder(Op::MEAN)
                .tensor(floatTensor({2}))
                .tensor(int32Tensor({1, 1}), {0})
                .int32(0)
                .output(anyFloat)
                .message(), // M-134
            "input 1 (axes) has rank 2, expected 1");
  EXPECT_EQ(OperationBuilder(Op::REDUCE_MAX)
                .tensor(floatTensor({2}))
                .tensor(int32Tensor({1}), {0})
                .int32(0)
                .output(anyFloat)
                .message(), // M-127
            "input 2 (keep_dims) has type INT32, expected BOOL");
}

TEST(ReductionRulesTest, ReductionOverAxesThatAreNotKnown) {
  auto sum = [](bool keepDims) {
    return OperationBuilder(Op::REDUCE_SUM)
        .tensor(floatTensor({2, 3}))
        .tensor(int32Tensor({2}))
        .boolean(keepDims)
        .output(anyFloat)
        .shapes();
  };
  EXPECT_EQ(sum(true), "?x?");
  EXPECT_EQ(sum(false), "unknown rank");
  EXPECT_EQ(OperationBuilder(Op::REDUCE_SUM)
                .tensor(floatTensor({2, 3}))
                .tensor(int32Tensor({1}), {0})
                .scalar(OperandType::BOOL)
                .output(anyFloat)
                .shapes(),
            "unknown rank");
}

TEST(ReductionRulesTest, Versions) {
  auto since = [](Op type, TensorType input) {
    OperationBuilder builder(type);
    builder.tensor(input).tensor(int32Tensor({1}), {0});
    if (type == Op::MEAN)
      builder.int32(0);
    else
      builder.boolean(false);
    input.isRanked = false;
    input.dimensions.clear();
    return builder.output(input).since();
  };
  EXPECT_EQ(since(Op::MEAN, floatTensor({2})), "1.1");
  EXPECT_EQ(since(Op::MEAN, halfTensor({2})), "1.2");
  EXPECT_EQ(since(Op::MEAN, signedQuantTensor({2}, 1, 0)), "1.3");
  EXPECT_EQ(since(Op::REDUCE_ALL, boolTensor({2})), "1.2");
  EXPECT_EQ(since(Op::REDUCE_MIN, signedQuantTensor({2}, 1, 0)), "1.3");
}

TEST(ReductionRulesTest, QuantizationIsThatOfTheInput) { // M-251
  EXPECT_EQ(OperationBuilder(Op::REDUCE_MAX)
                .tensor(quantTensor({2}, 0.5f, 3))
                .tensor(int32Tensor({1}), {0})
                .boolean(true)
                .output(quantTensor({1}, 0.5f, 4))
                .message(),
            "output has scale 0.5 and zero point 4, expected scale 0.5 and "
            "zero point 3");
}

TEST(ReductionRulesTest, ArgMax) { // M-135
  auto argMax = [](TensorType input, int32_t axis) {
    return OperationBuilder(Op::ARGMAX)
        .tensor(std::move(input))
        .int32(axis)
        .output(unrankedTensor(OperandType::TENSOR_INT32))
        .shapes();
  };
  EXPECT_EQ(argMax(floatTensor({2, 3}), -2), "3");
  EXPECT_EQ(argMax(floatTensor({3}), 0), "1");
  EXPECT_EQ(argMax(floatTensor({3}), 1), // arg_reduce C2
            "axis 1 is outside [-1, 1)");
  EXPECT_EQ(argMax(floatTensor({0}), 0), "input 0 of shape 0 is zero-sized");
  EXPECT_EQ(OperationBuilder(Op::ARGMIN)
                .tensor(floatTensor({2, 3}))
                .scalar(OperandType::INT32)
                .output(unrankedTensor(OperandType::TENSOR_INT32))
                .shapes(),
            "?");
}

TEST(ReductionRulesTest, TopK) { // M-137
  auto topK = [](int32_t k) {
    return OperationBuilder(Op::TOPK_V2)
        .tensor(floatTensor({2, 3}))
        .int32(k)
        .output(anyFloat)
        .output(unrankedTensor(OperandType::TENSOR_INT32))
        .shapes();
  };
  EXPECT_EQ(topK(2), "2x2, 2x2");
  EXPECT_EQ(topK(0), "k 0 must be positive");          // topk_v2 C2
  EXPECT_EQ(topK(4), "k 4 exceeds the last extent 3"); // topk_v2 C3
  EXPECT_EQ(OperationBuilder(Op::TOPK_V2)
                .tensor(floatTensor({2, 3}))
                .scalar(OperandType::INT32)
                .output(anyFloat)
                .output(unrankedTensor(OperandType::TENSOR_INT32))
                .shapes(),
            "?x?, ?x?");
}

} // namespace

TEST(ReductionRulesTest, AxesHaveElements) {
  EXPECT_EQ(nnhal::rt::mean(floatTensor({2, 3}), {}, false).status().message(),
            "axes has 0 elements, expected at least 1");
  EXPECT_EQ(nnhal::rt::argReduce(floatTensor({0, 3}), 0).status().message(),
            "extent of the axis 0 must be positive");
}
