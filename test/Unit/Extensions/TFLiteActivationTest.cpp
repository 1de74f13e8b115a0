//===- TFLiteActivationTest.cpp - Tests of activations --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Activations and pools of 16-bit numbers, and averages of bytes.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

Int16s unary(uint16_t number, Int16s values, float scale, float resultScale) {
  Operator use(number);
  use.int16({int64_t(values.size())}, values, scale)
      .result(tensorInt16, {int64_t(values.size())}, resultScale);
  return use.run().elements<int16_t>();
}

TEST(TFLiteActivation, RectifiersBound) {
  EXPECT_EQ(unary(19, {-5, 5, 32767}, 0.5f, 0.5f), Int16s({0, 5, 32767}));
  EXPECT_EQ(unary(21, {-5, 5, 100}, 0.5f, 0.25f), Int16s({0, 10, 24}));
  EXPECT_EQ(unary(20, {-5, 1, 100}, 0.5f, 0.5f), Int16s({-2, 1, 2}));
}

TEST(TFLiteActivation, LeakyReluHasTwoFactors) {
  Operator use(98);
  use.int16({4}, {100, -100, 7, -7}, 0.5f)
      .option(0.25f)
      .result(tensorInt16, {4}, 0.5f);
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s({100, -25, 7, -2}));
}

/// Tables of 16-bit functions are right to some steps of 2^-15.
void expectNear(const Int16s &found, const Int16s &values, float scale,
                double (*function)(double), double tolerance) {
  for (size_t index = 0; index < values.size(); ++index)
    EXPECT_NEAR(found[index] / 32768.0, function(double(values[index]) * scale),
                tolerance)
        << values[index];
}

const Int16s places = {0,     1,     -1,     100,   -100,  5000,
                       -5000, 20000, -20000, 32767, -32768};

TEST(TFLiteActivation, LogisticAndTanhFollowTheTable) {
  auto logistic = [](double x) { return 1 / (1 + std::exp(-x)); };
  auto tanh = [](double x) { return std::tanh(x); };
  for (float scale : {1.0f / 4096, 0.0001f, 0.01f, 3.0f}) {
    expectNear(unary(14, places, scale, 1.0f / 32768), places, scale, logistic,
               1.5e-4);
    expectNear(unary(28, places, scale, 1.0f / 32768), places, scale, tanh,
               3e-4);
  }
  // The half is exact, and both sides saturate.
  EXPECT_EQ(unary(14, {0, 32767, -32768}, 1.0f, 1.0f / 32768),
            Int16s({16384, 32767, 1}));
  EXPECT_EQ(unary(28, {0, 32767, -32768}, 1.0f, 1.0f / 32768),
            Int16s({0, 32767, -32767}));
}

TEST(TFLiteActivation, ExpInterpolates) {
  Int16s found = unary(47, {0, -32768, 8192}, 1.0f / 32768, 1.0f / 8192);
  EXPECT_NEAR(found[0], 8192, 2);
  EXPECT_NEAR(found[1], 8192 * std::exp(-1.0), 2);
  EXPECT_NEAR(found[2], 8192 * std::exp(0.25), 2);
}

TEST(TFLiteActivation, GeluOfWords) {
  for (bool isApproximate : {false, true}) {
    Operator use(150);
    use.int16({8}, {-32768, -9000, -2000, -1, 0, 1999, 5000, 20000}, 0.0005f)
        .option(isApproximate)
        .result(tensorInt16, {8}, 0.00035f);
    EXPECT_EQ(use.run().elements<int16_t>(),
              isApproximate ? Int16s({0, 0, -454, -2, -1, 2401, 7099, 28571})
                            : Int16s({0, 0, -453, -2, -1, 2401, 7098, 28571}));
  }
}

TEST(TFLiteActivation, SoftmaxOfWords) {
  Operator use(25);
  use.int16({2, 3}, {0, 0, 0, 1000, 0, -32768}, 0.001f)
      .option(1.0f)
      .result(tensorInt16, {2, 3}, 1.0f / 32768);
  Int16s found = use.run().elements<int16_t>();
  for (int index : {0, 1, 2})
    EXPECT_NEAR(found[size_t(index)], 32768 / 3.0, 2);
  EXPECT_NEAR(found[3], 32768 * 0.7310585786, 3);
  EXPECT_NEAR(found[4], 32768 * 0.2689414214, 3);
  EXPECT_NEAR(found[5], 0, 1);
}

TEST(TFLiteActivation, SoftmaxOfBytesHasSixteenBits) {
  Operator use(25);
  use.tensor<int8_t>(tensorInt8, {3}, {10, 0, -128}, 0.1f, 3)
      .option(1.0f)
      .result(rt::OperandType::TENSOR_QUANT16_ASYMM, {3}, 1.0f / 65536);
  std::vector<uint16_t> found = use.run().elements<uint16_t>();
  EXPECT_NEAR(found[0], 65536 * 0.7310580, 2);
  EXPECT_NEAR(found[1], 65536 * 0.2689412, 2);
  EXPECT_NEAR(found[2], 0, 1);
}

Operator pool(uint16_t number, int32_t padding, int32_t activation,
              Shape result) {
  Operator use(number);
  use.int16({1, 3, 3, 1}, {1, 2, 3, 4, -5, 6, 7, 8, 10}, 0.5f);
  for (int32_t option : {padding, 2, 2, 2, 2, activation})
    use.option(option);
  use.result(tensorInt16, std::move(result), 0.5f);
  return use;
}

TEST(TFLiteActivation, Pools) {
  EXPECT_EQ(pool(1, 1, 0, {1, 1, 1, 1}).run().elements<int16_t>(),
            Int16s({1})); // 2 / 4 is rounded away from 0.
  EXPECT_EQ(pool(1, 0, 0, {1, 2, 2, 1}).run().elements<int16_t>(),
            Int16s({1, 5, 8, 10}));
  EXPECT_EQ(pool(17, 0, 0, {1, 2, 2, 1}).run().elements<int16_t>(),
            Int16s({4, 6, 8, 10}));
  EXPECT_EQ(pool(17, 0, 2, {1, 2, 2, 1}).run().elements<int16_t>(),
            Int16s({2, 2, 2, 2}));
}

TEST(TFLiteActivation, AveragesOfBytesRoundHalvesAwayFromZero) {
  auto average = [](Int8s values, int32_t activation) {
    Operator use(1);
    use.tensor<int8_t>(tensorInt8, {1, 1, 4, 2}, std::move(values), 0.5f, -3);
    for (int32_t option : {1, 2, 1, 2, 1, activation})
      use.option(option);
    use.result(tensorInt8, {1, 1, 2, 2}, 0.5f, -3);
    return use.run().elements<int8_t>();
  };
  const Int8s values = {-92, 3, -91, 4, -128, 127, -127, 126};
  EXPECT_EQ(average(values, 0), Int8s({-92, 4, -128, 127}));
  EXPECT_EQ(average(values, 1), Int8s({-3, 4, -3, 127}));
  EXPECT_EQ(average(values, 2), Int8s({-5, -1, -5, -1}));
}

} // namespace
