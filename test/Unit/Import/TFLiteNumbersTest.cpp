//===- TFLiteNumbersTest.cpp - Numbers that the HAL has no type for -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace nnhal;
using namespace nnhal::rt;

namespace {

/// Integers of which float32 cannot hold each.
const Numbers wide = {-2147483648.0, 2147483647, -1, 16777217, -65537, 65536};

TestInput integers(std::vector<int32_t> shape, Numbers values) {
  return {{std::move(shape), Type::INT32}, std::move(values)};
}

const TensorSpec int32 = {{}, Type::INT32};

std::vector<std::string> reshapeOf(std::vector<int32_t> from,
                                   std::vector<int32_t> to) {
  return operationsOf(operatorFile(
      Code::RESHAPE, {{{from, Type::INT32}, {}}, integersInput(std::move(to))},
      {int32}));
}

TEST(TFLiteNumbersTest, integersAreReshapedInHalves) {
  EXPECT_EQ(run(Code::RESHAPE, {integers({2, 3}, wide), integersInput({3, 2})},
                int32),
            wide);
  EXPECT_EQ(run(Code::SQUEEZE, {integers({1, 6}, wide)}, int32), wide);
  // New axes of one element need no halves, the same shape only a copy.
  EXPECT_EQ(reshapeOf({2, 3}, {1, 2, 1, 3}),
            (std::vector<std::string>{"EXPAND_DIMS", "EXPAND_DIMS"}));
  EXPECT_EQ(reshapeOf({2, 3}, {2, 3}), (std::vector<std::string>{"CAST"}));
  EXPECT_EQ(reshapeOf({2, 3}, {6}).size(), 11u);
  EXPECT_EQ(run(Code::RESHAPE,
                {integers({2, 3}, wide), integersInput({1, 2, 1, 3})}, int32),
            wide);
}

// 1 / 0.4 is below 2.5 in double precision and 2.5 in single precision, in
// which TensorFlow Lite bounds results.
TEST(TFLiteNumbersTest, activationsBoundInSinglePrecision) {
  TensorSpec bytes{{3}, Type::INT8, {0.4f}, {-5}};
  Options activation = options([](Builder &b) {
    return schema::CreateAddOptions(b, schema::Activation::RELU_N1_TO_1);
  });
  EXPECT_EQ(run(Code::ADD, {{bytes, {-90, -4, 90}}, {bytes, {-5, -5, -5}}},
                bytes, activation),
            (Numbers{-8, -4, -2}));
}

TEST(TFLiteNumbersTest, integersAreConcatenatedInHalves) {
  auto along = [](int32_t axis) {
    return options([=](Builder &b) {
      return schema::CreateConcatenationOptions(b, axis);
    });
  };
  EXPECT_EQ(run(Code::CONCATENATION,
                {integers({3, 1}, {1, -2147483648.0, 3}),
                 integers({3, 2}, {4, 5, 6, 7, 2147483647, 9})},
                int32, along(1)),
            (Numbers{1, 4, 5, -2147483648.0, 6, 7, 3, 2147483647, 9}));
  EXPECT_EQ(operatorError(Code::CONCATENATION, {integers({2}, {1, 2})}, {int32},
                          options([](Builder &b) {
                            return schema::CreateConcatenationOptions(
                                b, 0, schema::Activation::RELU);
                          })),
            "the HAL has no fused activation for INT32; the extension "
            "nnhal.tflite takes it");
}

TEST(TFLiteNumbersTest, plainBytesAreMovedAndConverted) {
  const TensorSpec u8 = {{4}, Type::UINT8}, s8 = {{4}, Type::INT8};
  const Numbers unsignedOnes = {0, 1, 128, 255},
                signedOnes = {-128, -1, 0, 127};
  EXPECT_EQ(run(Code::CAST, {{u8, unsignedOnes}}), unsignedOnes);
  EXPECT_EQ(run(Code::CAST, {{u8, unsignedOnes}}, int32), unsignedOnes);
  EXPECT_EQ(run(Code::CAST, {{s8, signedOnes}}), signedOnes);
  EXPECT_EQ(run(Code::RESHAPE, {{s8, signedOnes}, integersInput({2, 2})},
                {{}, Type::INT8}),
            signedOnes);
  EXPECT_EQ(run(Code::LESS, {{u8, unsignedOnes}, {u8, {1, 1, 127, 255}}},
                {{}, Type::BOOL}),
            (Numbers{1, 0, 0, 0}));
}

TEST(TFLiteNumbersTest, plainBytesAreNotComputedWith) {
  const TensorSpec plain = {{2}, Type::UINT8},
                   real = {{2}, Type::UINT8, {0.5f}, {0}};
  EXPECT_EQ(operatorError(Code::RELU, {{plain, {}}}, {{{}, Type::UINT8}}),
            "tensor 0 't0' has type UINT8 but no quantization parameters");
  EXPECT_EQ(operatorError(Code::ADD, {{real, {}}, {plain, {}}}, {real}),
            "tensor 1 't1' has type UINT8 but no quantization parameters");
  EXPECT_EQ(operatorError(Code::RELU, {{real, {}}}, {{{}, Type::UINT8}}),
            "tensor 1 't1' has type UINT8 but no quantization parameters");
}

// Weights that are quantized to save room are those of their real numbers.
TEST(TFLiteNumbersTest, recurrentWithDequantizedWeights) {
  const Numbers data = {1, -2, 3}, state = {0.5, 0.25};
  const Numbers w = {2, -4, 6, 8, 10, -12}, r = {1, 3, -5, 7};
  auto halved = [](Numbers values) {
    for (double &value : values)
      value /= 32;
    return values;
  };
  auto rnn = [&](const TestInput &weights, const TestInput &recurrent) {
    TestInput bias = reals({2}, {0.5, -0.25});
    return run(Code::RNN,
               {{{{1, 3}}, data}, weights, recurrent, bias, {{{1, 2}}, state}},
               {}, options([](Builder &b) {
                 return schema::CreateRNNOptions(b, schema::Activation::TANH);
               }));
  };
  auto bytes = [](std::vector<int32_t> shape, const Numbers &values) {
    return TestInput{{std::move(shape), Type::INT8, {1.0f / 32}, {0}},
                     values,
                     /*isConstant=*/true};
  };
  EXPECT_EQ(rnn(bytes({2, 3}, w), bytes({2, 2}, r)),
            rnn(reals({2, 3}, halved(w)), reals({2, 2}, halved(r))));
}

TEST(TFLiteNumbersTest, indicesOf64BitsHave32) {
  TestInput data = {{{2, 3}}, {1, 5, 2, 9, 0, 3}};
  EXPECT_EQ(run(Code::ARG_MAX, {data, integersInput({1})}, {{}, Type::INT64}),
            (Numbers{1, 0}));
  EXPECT_EQ(run(Code::ARG_MIN, {data, integersInput({1})}, {{}, Type::INT64}),
            (Numbers{0, 1}));
}

/// The HAL's MUL refuses a result whose scale is not above the product of the
/// others (M-039). The extension has them.
TEST(TFLiteNumbersTest, productsOfSmallScales) {
  const TensorSpec factor = {{4}, Type::INT8, {0.5f}, {1}},
                   fine = {{4}, Type::INT8, {0.25f}, {-10}},
                   coarse = {{4}, Type::INT8, {1.0f}, {-10}},
                   tiny = {{4}, Type::INT8, {1e-35f}, {0}};
  const Numbers a = {1, 5, -7, 100}, b = {3, 3, 2, -100};
  auto multiply = [&](const TensorSpec &result) {
    return extended(Code::MUL, {{factor, a}, {factor, b}}, result);
  };
  EXPECT_EQ(multiply(fine), (Numbers{-10, -2, -18, -128}));
  EXPECT_EQ(multiply(coarse), (Numbers{-10, -8, -12, -128}));
  EXPECT_EQ(multiply(tiny), (Numbers{0, 127, -128, -128}));
  EXPECT_EQ(operationsOf(
                operatorFile(Code::MUL, {{factor, a}, {factor, b}}, {coarse})),
            (std::vector<std::string>{"MUL"}));
}

/// MEAN of signed bytes by TensorFlow Lite's integers: a rounding doubling high
/// product and a rounding shift.
int64_t meanByIntegers(int64_t sum, double scale, int64_t count, int64_t zero) {
  int exponent = 0;
  int64_t multiplier =
      std::llround(std::frexp(scale, &exponent) * double(1ll << 31));
  int shift = int(std::bit_width(uint64_t(count))) - 1;
  multiplier = (multiplier << shift) / count;
  exponent -= shift;
  int64_t product = sum * (int64_t(1) << std::max(exponent, 0)) * multiplier;
  int64_t nudge = product >= 0 ? 1ll << 30 : 1 - (1ll << 30);
  int64_t high = (product + nudge) / (1ll << 31);
  double divisor = std::ldexp(1.0, std::max(-exponent, 0));
  int64_t result = std::llround(double(high) / divisor) + zero;
  return std::clamp<int64_t>(result, -128, 127);
}

TEST(TFLiteNumbersTest, meansAreRoundedTwice) {
  std::mt19937 random(3);
  for (int32_t extent : {1, 2, 3, 7})
    for (double scale : {0.0235, 0.0191, 0.004, 0.1}) {
      const TensorSpec spec = {
          {1, extent, extent, 64}, Type::INT8, {0.0235f}, {-20}};
      const TensorSpec result = {{}, Type::INT8, {float(scale)}, {5}};
      const int count = extent * extent;
      Numbers values = randomWhole(random, size_t(count) * 64, -128, 127);
      Numbers expected;
      for (size_t channel = 0; channel < 64; ++channel) {
        int64_t sum = 0;
        for (size_t i = channel; i < values.size(); i += 64)
          sum += int64_t(values[i]) + 20;
        expected.push_back(double(
            meanByIntegers(sum, double(0.0235f) / float(scale), count, 5)));
      }
      for (bool keepsDimensions : {false, true})
        EXPECT_EQ(run(Code::MEAN, {{spec, values}, integersInput({1, -2})},
                      result, options([=](Builder &b) {
                        return schema::CreateReducerOptions(b, keepsDimensions);
                      })),
                  expected)
            << extent << ' ' << scale;
    }
}

} // namespace
