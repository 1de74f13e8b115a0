//===- TFLiteStableHloErrorsTest.cpp - What is not taken of StableHLO -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StableHloTesting.h"

#include <gtest/gtest.h>

namespace nnhal::rt {
namespace {

TestInput real(std::vector<int32_t> shape) { return {{std::move(shape)}, {}}; }

std::string error(Code code, const std::vector<TestInput> &inputs,
                  std::vector<int32_t> shape,
                  const OperatorExtras &extras = {}) {
  return operatorError(code, inputs, {{std::move(shape)}}, {}, extras);
}

TEST(TFLiteStableHloErrorsTest, elementByElement) {
  TestInput whole = {{{2}, Type::INT32}, {}};
  EXPECT_EQ(error(Code::STABLEHLO_DIVIDE, {whole, whole}, {2}),
            "divides INT32, and no operator has StableHLO's division but for "
            "reals");
  EXPECT_EQ(error(Code::STABLEHLO_AND, {whole, whole}, {2}),
            "combines bits of INT32, which no operator does but for BOOL");
  EXPECT_EQ(error(Code::STABLEHLO_COMPARE, {real({2}), real({2})}, {2}),
            "has NONE, expected StablehloCompareOptions");
  EXPECT_EQ(error(Code::STABLEHLO_COMPARE, {real({2}), real({2})}, {2},
                  compareBy(schema::ComparisonDirection(6))),
            "comparison direction 6 is unknown");
  EXPECT_EQ(error(Code::STABLEHLO_COMPARE, {real({2}), real({2})}, {2},
                  compareBy(schema::ComparisonDirection::LT,
                            schema::ComparisonType::FLOAT_TOTAL_ORDER)),
            "no operator compares by the total order of reals");
}

TEST(TFLiteStableHloErrorsTest, movement) {
  EXPECT_EQ(error(Code::STABLEHLO_RESHAPE, {real({2, 3})}, {5}),
            "6 elements of shape 2x3 do not fit shape 5");
  EXPECT_EQ(error(Code::STABLEHLO_TRANSPOSE, {real({2, 3})}, {3, 2},
                  transposeBy({1, 1})),
            "permutation names dimension 1 twice");
  EXPECT_EQ(error(Code::STABLEHLO_TRANSPOSE, {real({2, 3})}, {3, 2},
                  transposeBy({2, 0})),
            "permutation has the value 2, which is not in 0..1");
  EXPECT_EQ(error(Code::STABLEHLO_TRANSPOSE, {real({2, 3})}, {3, 2},
                  transposeBy({1})),
            "permutation has 1 values, expected 2");
  EXPECT_EQ(error(Code::STABLEHLO_BROADCAST_IN_DIM, {real({2, 1})}, {2, 3},
                  broadcastTo({0})),
            "broadcast_dimensions has 1 values, expected 2");
  EXPECT_EQ(error(Code::STABLEHLO_CONCATENATE, {real({2}), real({2})}, {4},
                  concatenateAlong(8)),
            "dimension has the value 8, which is not in 0..7");
  EXPECT_EQ(
      error(Code::STABLEHLO_SLICE, {real({4})}, {2}, sliceOf({1}, {5}, {1})),
      "a slice from 1 to 5 leaves dimension 0 of extent 4");
  EXPECT_EQ(error(Code::STABLEHLO_IOTA, {}, {2}, iotaAlong(1)),
            "iota_dimension has the value 1, which is not in 0..0");
  EXPECT_EQ(error(Code::STABLEHLO_IOTA, {}, {1 << 25}, iotaAlong(0)),
            "counts to 33554432, which is more than 16777216");
  EXPECT_EQ(error(Code::STABLEHLO_PAD, {real({4}), real({})}, {2},
                  padBy({-3}, {-1}, {0})),
            "negative padding leaves 0 elements of dimension 0");
  TestInput variable = {{{2}}, {}};
  variable.spec.isVariable = true;
  EXPECT_EQ(error(Code::STABLEHLO_RESHAPE, {variable}, {2}),
            "input 0, tensor 0 't0', is a variable");
}

TEST(TFLiteStableHloErrorsTest, computedPlaces) {
  TestInput index = integersInput({0}, {}), pair = integersInput({0, 0}, {2});
  EXPECT_EQ(error(Code::STABLEHLO_DYNAMIC_SLICE, {real({2, 3}), index}, {1, 1},
                  dynamicSliceOf({1, 1})),
            "has 1 indices for a tensor of rank 2");
  EXPECT_EQ(error(Code::STABLEHLO_DYNAMIC_SLICE, {real({3}), pair}, {1},
                  dynamicSliceOf({1})),
            "index 0 has shape 2, expected a scalar");
  EXPECT_EQ(error(Code::STABLEHLO_DYNAMIC_SLICE, {real({3}), index}, {4},
                  dynamicSliceOf({4})),
            "4 elements leave dimension 0 of extent 3");
  auto gather = [&](const OperatorExtras &form) {
    return error(Code::STABLEHLO_GATHER, {real({4, 3}), pair}, {2, 3}, form);
  };
  EXPECT_EQ(gather(gatherBy({1}, {0}, {0, 1}, 1, {1, 3})),
            "only gathers along one dimension are imported");
  EXPECT_EQ(gather(gatherBy({1}, {0}, {0}, 1, {1, 2})),
            "only gathers of whole slices are imported, found 2 of 3 elements "
            "of dimension 1");
  EXPECT_EQ(gather(gatherBy({0}, {0}, {0}, 1, {1, 3})),
            "only gathers whose slices keep their place are imported");
}

/// The message about a file that reduces.
std::string reduceError(Code code, const TestInput &data,
                        const TestInput &first, const OperatorExtras &extras,
                        Code body = Code::STABLEHLO_ADD, int bodies = 1) {
  std::string message = importError(
      reducingFile(code, {data, first}, {{1}}, extras, body, bodies));
  size_t begin = message.find("): ");
  return begin == std::string::npos ? message : message.substr(begin + 3);
}

TEST(TFLiteStableHloErrorsTest, reductions) {
  TestInput first = {{{}}, {0}, true};
  auto reduce = [&](const OperatorExtras &extras, Code body, int bodies = 1) {
    return reduceError(Code::STABLEHLO_REDUCE, real({2, 3}), first, extras,
                       body, bodies);
  };
  constexpr std::string_view other =
      "reduces by subgraph 1, which is not a sum, product, maximum, minimum, "
      "conjunction or disjunction of its inputs";
  EXPECT_EQ(reduce(reduceOver({0}), Code::STABLEHLO_POWER), other);
  EXPECT_EQ(reduce(reduceOver({0}), Code::STABLEHLO_ADD, 2), other);
  EXPECT_EQ(reduce(reduceOver({0}, 2), Code::STABLEHLO_ADD),
            "reduces by subgraph 2 of 2");
  EXPECT_EQ(reduce(reduceOver({2}), Code::STABLEHLO_ADD),
            "dimensions has the value 2, which is not in 0..1");
  EXPECT_EQ(reduceError(Code::STABLEHLO_REDUCE, real({2}),
                        {{{2}}, {0, 0}, true}, reduceOver({0})),
            "the first value has shape 2, expected a scalar");
}

TEST(TFLiteStableHloErrorsTest, windows) {
  TestInput first = {{{}}, {0}, true};
  const Longs none(8, 0);
  auto windows = [&](std::vector<int32_t> shape, const OperatorExtras &extras,
                     Code body = Code::STABLEHLO_ADD) {
    return reduceError(Code::STABLEHLO_REDUCE_WINDOW, real(std::move(shape)),
                       first, extras, body);
  };
  EXPECT_EQ(windows({4}, windowsOf({2, 2}, {1}, {0, 0}, {1})),
            "window_dimensions has 2 values, expected 1");
  EXPECT_EQ(windows({4}, windowsOf({2}, {0}, {0, 0}, {1})),
            "window_strides has the value 0, which is not in 1..1073741824");
  EXPECT_EQ(windows({4}, windowsOf({2}, {1}, {0}, {1})),
            "padding has 1 values, expected 2");
  EXPECT_EQ(windows({4}, windowsOf({2}, {1}, {-2, -2}, {1})),
            "negative padding leaves 0 elements of dimension 0");
  EXPECT_EQ(windows({4}, windowsOf({5}, {1}, {0, 0}, {1})),
            "a window of 5 elements exceeds extent 4 of dimension 0");
  EXPECT_EQ(windows({4}, windowsOf({2}, {1}, {0, 0}, {1}), Code::STABLEHLO_AND),
            "reduces bits of FLOAT32, which no operator does but for BOOL");
  EXPECT_EQ(
      halImportError(reducingFile(Code::STABLEHLO_REDUCE_WINDOW,
                                  {real({1, 4, 4, 2}), first}, {{1}},
                                  windowsOf({1, 2, 2, 1}, {1, 1, 1, 1}, none),
                                  Code::STABLEHLO_MINIMUM)),
      "operator 0 (STABLEHLO_REDUCE_WINDOW): windows [1,2,2,1] of MINIMUM "
      "of FLOAT32 [1,4,4,2] need the extension nnhal.tflite: the HAL has "
      "only pools, of sums and maxima of FLOAT32 over dimensions 1 and 2 "
      "of four");
}

TEST(TFLiteStableHloErrorsTest, products) {
  auto dot = [&](const OperatorExtras &extras) {
    return error(Code::STABLEHLO_DOT_GENERAL, {real({2, 3}), real({4, 2})},
                 {2, 2}, extras);
  };
  EXPECT_EQ(dot(dotOver({}, {}, {1}, {0})),
            "dimension 1 of input 0 has extent 3, but dimension 0 of input 1 "
            "has 4");
  EXPECT_EQ(dot(dotOver({}, {}, {1}, {})),
            "1 dimensions of input 0 stand for 0 of input 1");
  EXPECT_EQ(dot(dotOver({0}, {1}, {0}, {1})),
            "dimension 0 of input 0 is one of the batch and is summed over");
}

TEST(TFLiteStableHloErrorsTest, convolutions) {
  auto convolve = [&](const HloConvolution &form,
                      std::vector<int32_t> shape = {1, 4, 4, 2}) {
    return error(Code::STABLEHLO_CONVOLUTION,
                 {real(std::move(shape)), real({2, 2, 2, 4})}, {1, 3, 3, 4},
                 convolution(form));
  };
  EXPECT_EQ(convolve({}, {1, 4, 2}),
            "input 0 has shape 1x4x2, only those of rank 4 are imported");
  EXPECT_EQ(convolve({.leftDilation = {1, 2}}),
            "lhs_dilation has the value 2, which is not in 1..1");
  EXPECT_EQ(convolve({.reversal = {0, 1}}),
            "reversed windows are not imported");
  EXPECT_EQ(convolve({.batchGroups = 2}),
            "2 groups of the batch are not imported");
  EXPECT_EQ(convolve({.input = {0, 1, 1, 3}}),
            "the input has dimensions [0, 1, 1, 3], only those of rank 4 are "
            "imported");
  EXPECT_EQ(convolve({.groups = 2}),
            "2 groups of 2 channels are not the 2 of the input");
}

} // namespace
} // namespace nnhal::rt
