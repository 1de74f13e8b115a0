//===- TFLiteFunctionsTest.cpp - Tests of functions of reals --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of floats and of truths, in ranks that the HAL does not have.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

using Truths = std::vector<uint8_t>;

void expectNear(const Floats &found, const Floats &expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t index = 0; index < found.size(); ++index)
    EXPECT_NEAR(found[index], expected[index], 1e-6f) << "element " << index;
}

/// Computes a function of elements in 6 dimensions.
Floats computed(uint16_t number, const Floats &input) {
  Shape shape = {1, 1, 1, 1, 1, int64_t(input.size())};
  Operator use(number);
  use.float32(shape, input).result(tensorFloat32, shape);
  return use.run().elements<float>();
}

TEST(TFLiteFunctions, Roundings) {
  Floats input = {-1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 2.75f};
  EXPECT_EQ(computed(8, input), Floats({-2, -1, 0, 1, 2, 2}));
  EXPECT_EQ(computed(104, input), Floats({-1, 0, 1, 2, 3, 3}));
  EXPECT_EQ(computed(116, input), Floats({-2, 0, 0, 2, 2, 3}));
}

TEST(TFLiteFunctions, RootsAndLogarithms) {
  EXPECT_EQ(computed(75, {4, 0.25f}), Floats({2, 0.5f}));
  EXPECT_EQ(computed(76, {4, 0.25f}), Floats({0.5f, 2}));
  expectNear(computed(73, {1, 2}), {0, 0.6931472f});
}

/// Computes a function of bytes of scale 0.05 and zero point 3, which yields
/// those of scale 0.083 and zero point -7.
Operator ofBytes(uint16_t number, const Int8s &input) {
  Shape shape = {int64_t(input.size())};
  Operator use(number);
  use.tensor(tensorInt8, shape, input, 0.05f, 3)
      .result(tensorInt8, shape, 0.083f, -7);
  return use;
}

// The numbers of LiteRT 2.5, whose kernels round each in another way.
TEST(TFLiteFunctions, RootsAndLogarithmsOfBytes) {
  Int8s input = {3, 4, 5, 6, 8, 20, 63, 127};
  EXPECT_EQ(ofBytes(75, input).run().elements<int8_t>(),
            Int8s({-7, -5, -4, -3, -1, 4, 13, 22}));
  EXPECT_EQ(ofBytes(76, input).run().elements<int8_t>(),
            Int8s({127, 47, 31, 24, 17, 6, 0, -2}));
  EXPECT_EQ(ofBytes(73, {-128, 0, 3, 4, 5, 60, 127}).run().elements<int8_t>(),
            Int8s({-128, -128, -128, -43, -35, 6, 15}));
  EXPECT_EQ(ofBytes(59, {-128, -5, 0, 127}).run().elements<int8_t>(),
            Int8s({-128, 5, 0, -127}));
  EXPECT_EQ(ofBytes(75, {3, 2}).failure(),
            "SQRT: element 1 is 2, which is below the zero point 3");
  EXPECT_EQ(ofBytes(76, {3, 2}).failure(),
            "RSQRT: element 1 is 2, which is below the zero point 3");
}

// The reciprocal of the result's scale is infinite.
TEST(TFLiteFunctions, LogarithmsOfTheSmallestScale) {
  Operator use(73);
  use.tensor(tensorInt8, {3}, Int8s{1, 2, 0}, 1, 0)
      .result(tensorInt8, {3}, 1e-39f, 0);
  EXPECT_EQ(use.run().elements<int8_t>(), Int8s({127, 127, -128}));
}

TEST(TFLiteFunctions, ActivationsOfBytes) {
  EXPECT_EQ(ofBytes(111, {-128, -50, -30, -10, 0, 2, 3, 4, 60, 127})
                .run()
                .elements<int8_t>(),
            Int8s({-19, -18, -17, -13, -9, -8, -7, -6, 27, 68}));
  EXPECT_EQ(ofBytes(152, {-128, 3, 4, 5, 8, 13, 20, 22, 23, 127})
                .run()
                .elements<int8_t>(),
            Int8s({-7, -7, -6, -6, -4, -1, 3, 4, 5, 5}));
  // Two roundings bring 0.4 steps to 1.
  Operator unsigned8(152);
  unsigned8
      .tensor<uint8_t>(rt::OperandType::TENSOR_QUANT8_ASYMM, {4},
                       {28, 29, 34, 255}, 0.02f, 28)
      .result(rt::OperandType::TENSOR_QUANT8_ASYMM, {4}, 0.05f, 128);
  EXPECT_EQ(unsigned8.run().elements<uint8_t>(),
            std::vector<uint8_t>({128, 129, 131, 148}));
}

TEST(TFLiteFunctions, RootsAndLogarithmsOf16Bits) {
  Int16s input = {1, 4, 16, 0, 1000, 32767, 128, 200};
  auto of = [&](uint16_t number, const Int16s &input, float scale) {
    Shape shape = {int64_t(input.size())};
    Operator use(number);
    use.int16(shape, input, 0.25f).result(tensorInt16, shape, scale);
    return use;
  };
  EXPECT_EQ(of(75, input, 0.125f).run().elements<int16_t>(),
            Int16s({4, 8, 16, 0, 126, 724, 45, 56}));
  // Straight lines between 513 places.
  EXPECT_EQ(of(76, input, 0.125f).run().elements<int16_t>(),
            Int16s({24384, 23808, 21504, 24576, 0, 0, 1, 1}));
  EXPECT_EQ(
      of(73, {4, 8, 2, -5, 1000, 32767, 20}, 0.001f).run().elements<int16_t>(),
      Int16s({-23198, -22337, -23629, -24399, 5521, 9011, -19754}));
  EXPECT_EQ(of(75, {-1}, 1).failure(),
            "SQRT: element 0 is -1, which is below the zero point 0");
  EXPECT_EQ(of(76, {-1}, 1).failure(),
            "RSQRT: element 0 is -1, which is below the zero point 0");
}

TEST(TFLiteFunctions, Waves) {
  expectNear(computed(66, {0, 1}), {0, 0.8414710f});
  expectNear(computed(108, {0, 1}), {1, 0.5403023f});
}

TEST(TFLiteFunctions, Activations) {
  expectNear(computed(111, {-1, 0, 2}), {-0.6321206f, 0, 2});
  expectNear(computed(117, {-4, -1, 1, 4}), {0, -1.0f / 3, 2.0f / 3, 4});
  EXPECT_EQ(computed(152, {-1, 0.5f, 2}), Floats({0, 0.5f, 1}));
}

TEST(TFLiteFunctions, ActivationsOfFloats) {
  Floats input = {-2, -0.5f, 0.5f, 8};
  EXPECT_EQ(computed(19, input), Floats({0, 0, 0.5f, 8}));
  EXPECT_EQ(computed(20, input), Floats({-1, -0.5f, 0.5f, 1}));
  EXPECT_EQ(computed(21, input), Floats({0, 0, 0.5f, 6}));
  expectNear(computed(14, {0, 1}), {0.5f, 0.7310586f});
  expectNear(computed(28, {0, 1}), {0, 0.7615942f});
  expectNear(computed(47, {0, 1}), {1, 2.7182818f});
  Operator leaky(98);
  leaky.float32({1, 1, 1, 1, 2}, {-2, 2})
      .option(0.25f)
      .result(tensorFloat32, {1, 1, 1, 1, 2});
  EXPECT_EQ(leaky.run().elements<float>(), Floats({-0.5f, 2}));
}

TEST(TFLiteFunctions, SoftmaxOfRows) {
  Operator use(25);
  use.float32({1, 1, 1, 2, 2}, {0, std::log(3.0f), 1000, 1000})
      .option(2.0f)
      .result(tensorFloat32, {1, 1, 1, 2, 2});
  expectNear(use.run().elements<float>(), {0.1f, 0.9f, 0.5f, 0.5f});
}

TEST(TFLiteFunctions, PoolsOfImages) {
  auto pooled = [](uint16_t number, int32_t padding, int32_t activation) {
    Operator use(number);
    use.float32({1, 2, 3, 1}, {1, 7, 2, 1, -7, -8})
        .option(padding)
        .option(2)
        .option(2)
        .option(2)
        .option(2)
        .option(activation)
        .result(tensorFloat32, {1, 1, -1, 1});
    return use.run().elements<float>();
  };
  EXPECT_EQ(pooled(12, 1, 0), Floats({5}));
  expectNear(pooled(12, 0, 0), {5, std::sqrt(34.0f)});
  EXPECT_EQ(pooled(1, 0, 0), Floats({0.5f, -3}));
  EXPECT_EQ(pooled(17, 0, 3), Floats({6, 2}));
}

TEST(TFLiteFunctions, ResizedImages) {
  auto resized = [](bool isAligned, bool isCentred) {
    Operator use(23);
    use.float32({1, 2, 2, 1}, {0, 4, 8, 12})
        .int32({2}, {1, 4})
        .option(isAligned)
        .option(isCentred)
        .result(tensorFloat32, {1, 1, 4, 1});
    return use.run().elements<float>();
  };
  expectNear(resized(false, false), {0, 2, 4, 4});
  expectNear(resized(true, false), {0, 4.0f / 3, 8.0f / 3, 4});
  // The only line lies between both of the input.
  expectNear(resized(false, true), {4, 5, 7, 8});
}

TEST(TFLiteFunctions, PreluHasSlopesThatBroadcast) {
  Operator use(54);
  use.float32({1, 1, 1, 2, 2}, {-1, 2, -3, -4})
      .float32({2}, {0.5f, 0.25f})
      .result(tensorFloat32, {1, 1, 1, 2, 2});
  EXPECT_EQ(use.run().elements<float>(), Floats({-0.5f, 2, -1.5f, -1}));
}

TEST(TFLiteFunctions, LogSoftmaxOfRows) {
  expectNear(computed(50, {1000, 1000}), {-0.6931472f, -0.6931472f});
  Operator use(50);
  use.float32({2, 2}, {0, std::log(3.0f), 1, 1}).result(tensorFloat32, {2, 2});
  expectNear(use.run().elements<float>(),
             {std::log(0.25f), std::log(0.75f), -0.6931472f, -0.6931472f});
}

TEST(TFLiteFunctions, L2NormalizationOfRows) {
  Operator use(11);
  use.float32({3, 2}, {3, 4, 0, 0, 0, -2})
      .option(0)
      .result(tensorFloat32, {3, 2});
  expectNear(use.run().elements<float>(), {0.6f, 0.8f, 0, 0, 0, -1});
}

TEST(TFLiteFunctions, Logic) {
  auto binary = [](uint16_t number) {
    Operator use(number);
    use.truths({1, 1, 1, 2, 2}, {false, true, false, true})
        .truths({2, 1}, {false, true})
        .result(tensorBool, {1, 1, 1, 2, 2});
    return use.run().elements<uint8_t>();
  };
  EXPECT_EQ(binary(84), Truths({0, 1, 1, 1}));
  EXPECT_EQ(binary(86), Truths({0, 0, 0, 1}));
  // Any bits but 0 are true.
  Operator use(87);
  use.tensor<uint8_t>(tensorBool, {3}, {0, 1, 2}).result(tensorBool, {3});
  EXPECT_EQ(use.run().elements<uint8_t>(), Truths({1, 0, 0}));
}

} // namespace
