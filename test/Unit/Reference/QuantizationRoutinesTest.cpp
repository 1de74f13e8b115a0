//===- QuantizationRoutinesTest.cpp - QUANTIZE and DEQUANTIZE -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutineRunner.h"
#include "Runtime/Numerics/FixedPoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

using enum OperationType;
using Values = std::vector<double>;

Values convert(OperationType operation, const TensorType &input,
               const Values &values, const TensorType &output) {
  return runForValues(
      reference::quantizationRoutines(),
      OperationBuilder(operation).tensor(input, values).output(output));
}

// M-148, M-029: half away from zero, then within the type.
TEST(QuantizationRoutinesTest, RoundsHalfAwayFromZero) {
  Values values = {0, 0.25, 0.75, -0.25, -0.75, 0.24, -0.24};
  int64_t count = int64_t(values.size());
  EXPECT_EQ(convert(QUANTIZE, floatTensor({count}), values,
                    quantTensor({count}, 0.5f, 100)),
            (Values{100, 101, 102, 99, 98, 100, 100}));
  EXPECT_EQ(convert(QUANTIZE, floatTensor({count}), values,
                    signedQuantTensor({count}, 0.5f, -10)),
            (Values{-10, -9, -8, -11, -12, -10, -10}));
  EXPECT_EQ(convert(QUANTIZE, halfTensor({4}), {-1000, 1000, 63.5, 64},
                    quantTensor({4}, 0.5f, 128)),
            (Values{0, 255, 255, 255}));
  EXPECT_EQ(convert(QUANTIZE, floatTensor({2, 0}), {},
                    quantTensor({2, 0}, 0.5f, 128)),
            Values());
}

// M-149: infinities are the ends of the type, and a NaN is some value.
TEST(QuantizationRoutinesTest, InfinitiesSaturate) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Values found = convert(QUANTIZE, floatTensor({4}),
                         {infinity, -infinity, std::nan(""), 3e38},
                         signedQuantTensor({4}, 1e-30f, 5));
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0], 127);
  EXPECT_EQ(found[1], -128);
  EXPECT_EQ(found[3], 127);
}

// M-030, M-146: (q - zero point) * scale.
TEST(QuantizationRoutinesTest, Dequantizes) {
  EXPECT_EQ(convert(DEQUANTIZE, quantTensor({3}, 0.5f, 100), {0, 100, 255},
                    floatTensor({3})),
            (Values{-50, 0, 77.5}));
  EXPECT_EQ(convert(DEQUANTIZE, signedQuantTensor({3}, 0.5f, -8),
                    {-128, -8, 127}, halfTensor({3})),
            (Values{-60, 0, 67.5}));
  EXPECT_EQ(convert(DEQUANTIZE,
                    tensorType(OperandType::TENSOR_QUANT8_SYMM, {2}, 0.25f),
                    {-128, 127}, floatTensor({2})),
            (Values{-32, 31.75}));
}

// M-147: each channel has its scale, along the dimension that the input states.
TEST(QuantizationRoutinesTest, ChannelsHaveScales) {
  auto perChannel = [](std::vector<float> scales, uint32_t dimension) {
    TensorType type =
        tensorType(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, {2, 3});
    type.channelQuant = {std::move(scales), dimension};
    return type;
  };
  Values values = {1, 2, 3, -1, -2, -3};
  EXPECT_EQ(convert(DEQUANTIZE, perChannel({2, 0.5f}, 0), values,
                    floatTensor({2, 3})),
            (Values{2, 4, 6, -0.5, -1, -1.5}));
  EXPECT_EQ(convert(DEQUANTIZE, perChannel({1, 2, 4}, 1), values,
                    floatTensor({2, 3})),
            (Values{1, 4, 12, -1, -4, -12}));
}

// M-015: frexp and 31 bits; a mantissa that rounds up to 1 is halved, and what
// is below 2^-31 is 0.
TEST(QuantizationRoutinesTest, FactorsHave31Bits) {
  auto expectFactor = [](double value, int64_t multiplier, int exponent) {
    FixedPointFactor factor = fixedPointFactor(value);
    EXPECT_EQ(factor.multiplier, multiplier) << value;
    EXPECT_EQ(factor.exponent, exponent) << value;
  };
  expectFactor(0.5, int64_t(1) << 30, 0);
  expectFactor(0.75, int64_t(3) << 29, 0);
  expectFactor(6.0, int64_t(3) << 29, 3);
  expectFactor(1.0 / 3, 1431655765, -1);
  expectFactor(std::nextafter(1.0, 0.0), int64_t(1) << 30, 1);
  expectFactor(std::ldexp(1.0, -32), int64_t(1) << 30, -31);
  expectFactor(std::ldexp(1.0, -33), 0, 0);
  expectFactor(0.0, 0, 0);
}

TEST(QuantizationRoutinesTest, ProductsAreRoundedOnceOrTwice) {
  FixedPointFactor factor = fixedPointFactor(0.15625);
  // -18.4375 becomes -18.5 where the high multiplication ends.
  EXPECT_EQ(multiplyByFactor(-118, factor), -19);
  EXPECT_EQ(multiplyByReal(-118, 0.15625), -18);
  // A half.
  EXPECT_EQ(multiplyByReal(-48, 0.15625), -8);
  EXPECT_EQ(multiplyByReal(48, 0.15625), 8);
  EXPECT_EQ(multiplyByReal(1, std::nextafter(0.5, 0.0)), 0);
  EXPECT_EQ(multiplyByReal(INT32_MAX, 0x1p30), INT32_MAX);
  EXPECT_EQ(multiplyByReal(INT32_MIN, 0x1p30), INT32_MIN);
}

TEST(QuantizationRoutinesTest, ScalesOfSumsAreFloatsForUnsignedValues) {
  float scale = std::nextafter(1.0f, 2.0f);
  double exact = double(scale) * scale, rounded = double(scale * scale);
  ASSERT_NE(exact, rounded);
  TensorType input = quantTensor({1}, scale, 0);
  EXPECT_EQ(convolutionScale(input, scale, 0.5f), 2 * rounded);
  EXPECT_EQ(fullyConnectedScale(scale, scale, 0.5f), 2 * exact);
  input.type = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
  EXPECT_EQ(convolutionScale(input, scale, 0.5f), 2 * exact);
  EXPECT_EQ(convolutionScale(input, 0x1p60f, 0x1p-60f), 0x1p30);
}

} // namespace
