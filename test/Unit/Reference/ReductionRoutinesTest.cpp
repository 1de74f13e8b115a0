//===- ReductionRoutinesTest.cpp - Routines of reductions -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutineRunner.h"

#include <gtest/gtest.h>

#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
using Op = OperationType;
using Values = std::vector<double>;

namespace {

RoutineOutcome run(const OperationBuilder &builder) {
  return runRoutine(reference::reductionRoutines(), builder);
}

TensorType unranked(TensorType type) {
  type.isRanked = false;
  type.dimensions.clear();
  return type;
}

Values reduce(Op type, const TensorType &input, const Values &values,
              const Values &axes) {
  OperationBuilder builder(type);
  builder.tensor(input, values)
      .tensor(int32Tensor({int64_t(axes.size())}), axes);
  if (type == Op::MEAN)
    builder.int32(0);
  else
    builder.boolean(true);
  RoutineOutcome outcome = run(builder.output(unranked(input)));
  EXPECT_TRUE(outcome.status.isOk()) << outcome.status.message();
  return outcome.status.isOk() ? outcome.values[0] : Values();
}

TEST(ReductionRoutinesTest, MeanOfFloats) {
  TensorType input = floatTensor({2, 2, 2});
  Values values{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(reduce(Op::MEAN, input, values, {1}), (Values{2, 3, 6, 7}));
  EXPECT_EQ(reduce(Op::MEAN, input, values, {0, -1, 0}), (Values{3.5, 5.5}));
  // M-023: rounded once, at the store.
  EXPECT_EQ(reduce(Op::MEAN, halfTensor({3}), {2048, 1, 2048}, {0}),
            (Values{1366}));
}

TEST(ReductionRoutinesTest, MeanOfQuantizedValuesRounds) { // M-130
  EXPECT_EQ(reduce(Op::MEAN, quantTensor({2}, 0.5f, 9), {1, 2}, {0}),
            (Values{2}));
  EXPECT_EQ(reduce(Op::MEAN, quantTensor({3}, 0.5f, 9), {1, 1, 2}, {0}),
            (Values{1}));
  // M-022: as for 126 and 127 of an unsigned type.
  EXPECT_EQ(reduce(Op::MEAN, signedQuantTensor({2}, 0.5f, 9), {-2, -1}, {0}),
            (Values{-1}));
  EXPECT_EQ(
      reduce(Op::MEAN, signedQuantTensor({3}, 0.5f, 9), {-2, -2, -1}, {0}),
      (Values{-2}));
}

TEST(ReductionRoutinesTest, SumsAndProducts) {
  EXPECT_EQ(reduce(Op::REDUCE_SUM, floatTensor({2, 2}), {1, 2, 3, 4}, {1}),
            (Values{3, 7}));
  EXPECT_EQ(reduce(Op::REDUCE_PROD, halfTensor({2, 2}), {1, 2, 3, 4}, {0}),
            (Values{3, 8}));
}

TEST(ReductionRoutinesTest, Extrema) {
  EXPECT_EQ(reduce(Op::REDUCE_MAX, floatTensor({2, 2}), {-1, -2, -3, -4}, {1}),
            (Values{-1, -3}));
  EXPECT_EQ(reduce(Op::REDUCE_MIN, signedQuantTensor({2, 2}, 0.5f, 1),
                   {-1, 2, -128, 4}, {0}),
            (Values{-128, 2}));
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(reduce(Op::REDUCE_MAX, floatTensor({1}), {-infinity}, {0}),
            (Values{-infinity}));
}

TEST(ReductionRoutinesTest, AnyByteButZeroIsTrue) { // M-133
  EXPECT_EQ(reduce(Op::REDUCE_ALL, boolTensor({2, 2}), {2, 4, 1, 0}, {1}),
            (Values{1, 0}));
  EXPECT_EQ(reduce(Op::REDUCE_ANY, boolTensor({2, 2}), {0, 4, 0, 0}, {1}),
            (Values{1, 0}));
}

TEST(ReductionRoutinesTest, TiesKeepTheLowestIndex) { // M-136
  auto best = [](Op type, TensorType input, Values values, int32_t axis) {
    RoutineOutcome outcome =
        run(OperationBuilder(type)
                .tensor(std::move(input), values)
                .int32(axis)
                .output(unrankedTensor(OperandType::TENSOR_INT32)));
    EXPECT_TRUE(outcome.status.isOk()) << outcome.status.message();
    return outcome.values[0];
  };
  EXPECT_EQ(best(Op::ARGMAX, floatTensor({2, 3}), {1, 3, 3, 2, 1, 0}, 1),
            (Values{1, 0}));
  EXPECT_EQ(best(Op::ARGMIN, int32Tensor({2, 3}), {1, 3, 3, 1, 2, 0}, -2),
            (Values{0, 1, 1}));
}

TEST(ReductionRoutinesTest, LargerIndexFirst) { // M-137
  RoutineOutcome outcome =
      run(OperationBuilder(Op::TOPK_V2)
              .tensor(int32Tensor({2, 4}), {1, 5, 5, 2, 9, 8, 7, 9})
              .int32(3)
              .output(int32Tensor({2, 3}))
              .output(int32Tensor({2, 3})));
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  EXPECT_EQ(outcome.values[0], (Values{5, 5, 2, 9, 9, 8}));
  EXPECT_EQ(outcome.values[1], (Values{2, 1, 3, 3, 0, 1}));
}

TEST(ReductionRoutinesTest, NansRankLast) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  RoutineOutcome outcome = run(OperationBuilder(Op::TOPK_V2)
                                   .tensor(floatTensor({4}), {nan, 1, nan, 2})
                                   .int32(3)
                                   .output(floatTensor({3}))
                                   .output(int32Tensor({3})));
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  EXPECT_EQ(outcome.values[1], (Values{3, 1, 2}));
}

} // namespace
