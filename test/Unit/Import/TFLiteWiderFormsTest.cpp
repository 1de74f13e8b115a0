//===- TFLiteWiderFormsTest.cpp - Types that operators rarely have --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include <cmath>
#include <numbers>

namespace nnhal::rt {
namespace {

TestInput value(std::vector<int32_t> shape, Type type, Numbers values) {
  return {{std::move(shape), type}, std::move(values)};
}

std::string text(Code code, const std::vector<TestInput> &inputs,
                 const TensorSpec &output) {
  return toText(importBytes(operatorFile(code, inputs, {output})));
}

TensorSpec bytesOf(std::vector<int32_t> shape, float scale, int64_t zeroPoint) {
  return {std::move(shape), Type::INT8, {scale}, {zeroPoint}};
}

/// value * factor by a multiplier of 31 bits, whose product is rounded, halves
/// up, and shifted right, halves away from 0.
int64_t roundedTwice(int64_t value, double factor) {
  int exponent = 0;
  auto multiplier = int64_t(std::round(std::frexp(factor, &exponent) * 0x1p31));
  int64_t left = std::max(exponent, 0), right = std::max(-exponent, 0);
  int64_t high = ((value << left) * multiplier + (int64_t(1) << 30)) >> 31;
  int64_t size = std::abs(high);
  int64_t shifted =
      right == 0 ? size : (size + (int64_t(1) << (right - 1))) >> right;
  return high < 0 ? -shifted : shifted;
}

/// value * factor by a multiplier of 15 bits, rounded once, halves up.
int64_t roundedOnce(int64_t value, double factor) {
  int exponent = 0;
  auto multiplier = int64_t(std::round(std::frexp(factor, &exponent) * 0x1p31));
  int64_t reduced = (multiplier + (1 << 15)) >> 16;
  int shift = 15 - exponent;
  return (value * reduced + (int64_t(1) << (shift - 1))) >> shift;
}

Options reducer() {
  return options(
      [](Builder &b) { return schema::CreateReducerOptions(b, false); });
}

TEST(TFLiteWiderFormsTest, halvesAreCast) {
  auto cast = [](Type from, Type to, Numbers values) {
    auto count = int32_t(values.size());
    return extended(Code::CAST, {value({count}, from, std::move(values))},
                    {{count}, to}, options([=](Builder &b) {
                      return schema::CreateCastOptions(b, from, to);
                    }));
  };
  const Numbers halves = {1.5, -2.75, 100, 0, 0x1p-24};
  EXPECT_EQ(cast(Type::FLOAT16, Type::INT8, halves),
            (Numbers{1, -2, 100, 0, 0}));
  EXPECT_EQ(cast(Type::FLOAT16, Type::INT16, {-65504, 2.5}),
            (Numbers{-32768, 2}));
  EXPECT_EQ(cast(Type::FLOAT16, Type::INT64, halves),
            (Numbers{1, -2, 100, 0, 0}));
  EXPECT_EQ(cast(Type::FLOAT16, Type::UINT32, {7, 60000}), (Numbers{7, 60000}));
  EXPECT_EQ(cast(Type::FLOAT16, Type::BOOL, halves), (Numbers{1, 1, 1, 0, 1}));
  EXPECT_EQ(cast(Type::FLOAT16, Type::FLOAT64, halves), halves);
  // Halves have 11 bits, and the even one of two neighbours is taken.
  EXPECT_EQ(cast(Type::INT16, Type::FLOAT16, {2049, 2051, -5, 32767}),
            (Numbers{2048, 2052, -5, 32768}));
  EXPECT_EQ(cast(Type::INT64, Type::FLOAT16, {65519, 65520, -70000}),
            (Numbers{65504, INFINITY, -INFINITY}));
  EXPECT_EQ(cast(Type::FLOAT64, Type::FLOAT16, {0x1p-24, 0x1p-25, 0x1.8p-24}),
            (Numbers{0x1p-24, 0, 0x1p-23}));
  EXPECT_EQ(cast(Type::BOOL, Type::FLOAT16, {0, 1}), (Numbers{0, 1}));
}

TEST(TFLiteWiderFormsTest, indicesOf16Bits) {
  TestInput table = value({3, 2}, Type::FLOAT32, {1, 2, 3, 4, 5, 6});
  TestInput indices = value({2}, Type::INT16, {2, 0});
  TestInput places = value({2, 2}, Type::INT16, {2, 1, 0, 1});
  TensorSpec rows = {{2, 2}}, elements = {{2}};
  EXPECT_EQ(extended(Code::GATHER, {table, indices}, rows),
            (Numbers{5, 6, 1, 2}));
  EXPECT_EQ(extended(Code::GATHER, {table, constant(indices)}, rows),
            (Numbers{5, 6, 1, 2}));
  EXPECT_EQ(extended(Code::GATHER_ND, {table, places}, elements),
            (Numbers{6, 2}));
  EXPECT_EQ(extended(Code::GATHER_ND, {table, constant(places)}, elements),
            (Numbers{6, 2}));
  EXPECT_EQ(text(Code::GATHER, {table, indices}, rows),
            "tflite:CAST(i2, 7, 2) -> t2\n"
            "GATHER(i3x2, 0, t2) -> o2x2\n");
  EXPECT_EQ(text(Code::GATHER, {table, constant(indices)}, rows),
            "GATHER(i3x2, 0, {2 0}) -> o2x2\n");
}

// The numbers of a type with a zero point are 32768 above those of the file.
TEST(TFLiteWiderFormsTest, indicesHaveNoZeroPoint) {
  TestInput table = value({3, 2}, Type::FLOAT32, {});
  TestInput indices = {{{2}, Type::INT16, {0.5f}, {3}}, {}};
  EXPECT_EQ(
      importError(operatorFile(Code::GATHER, {table, indices}, {{{2, 2}}})),
      "operator 0 (GATHER): indices have type INT16, expected INT32");
}

TEST(TFLiteWiderFormsTest, productsOfUnsignedNumbers) {
  EXPECT_EQ(extended(Code::MUL,
                     {value({2}, Type::UINT32, {3000000000, 7}),
                      value({2}, Type::UINT32, {2, 5})},
                     {{2}, Type::UINT32}),
            (Numbers{1705032704, 35}));
}

TEST(TFLiteWiderFormsTest, bytesAreResizedToComputedSizes) {
  // The places of three pixels are 0, 2/3 and 4/3 of two.
  EXPECT_EQ(extended(Code::RESIZE_BILINEAR,
                     {value({1, 2, 2, 1}, Type::UINT8, {10, 20, 30, 41}),
                      value({2}, Type::INT32, {3, 3})},
                     {{1, 3, 3, 1}, Type::UINT8}),
            (Numbers{10, 17, 20, 23, 30, 34, 30, 37, 41}));
}

TEST(TFLiteWiderFormsTest, truthsAreCompared) {
  TestInput truths = value({3, 2}, Type::BOOL, {0, 1, 0, 0, 1, 1});
  TensorSpec output = {{3}, Type::BOOL};
  EXPECT_EQ(extended(Code::REDUCE_MAX, {truths, integersInput({1})}, output,
                     reducer()),
            (Numbers{1, 0, 1}));
  EXPECT_EQ(extended(Code::REDUCE_MIN, {truths, integersInput({1})}, output,
                     reducer()),
            (Numbers{0, 0, 1}));
}

// Each factor scales the product, which would have too many bits otherwise.
TEST(TFLiteWiderFormsTest, productsAreScaledStepByStep) {
  for (Type type : {Type::INT8, Type::INT16}) {
    int64_t zeroPoint = type == Type::INT8 ? 3 : 0;
    TensorSpec from = {{2, 3}, type, {0.07f}, {zeroPoint}};
    TensorSpec to = {{2}, type, {0.3f}, {type == Type::INT8 ? -4 : 0}};
    const Numbers data = {50, -20, 60, 7, 100, -41};
    double factor = double(0.07f) / std::pow(double(0.3f), 1.0 / 3);
    Numbers expected;
    for (size_t row = 0; row < 2; ++row) {
      auto product = int64_t(data[row * 3]) - zeroPoint;
      for (size_t i = 1; i < 3; ++i)
        product = roundedOnce(
            product * (int64_t(data[row * 3 + i]) - zeroPoint), factor);
      double most = type == Type::INT8 ? 127 : 32767;
      expected.push_back(
          std::clamp(double(roundedOnce(product, factor) + to.zeroPoints[0]),
                     -most - 1, most));
    }
    EXPECT_EQ(extended(Code::REDUCE_PROD, {{from, data}, integersInput({1})},
                       to, reducer()),
              expected);
  }
}

TEST(TFLiteWiderFormsTest, bytesOfAnotherScaleAreRoundedTwice) {
  TensorSpec from = bytesOf({256}, 0.3f, 5), to = bytesOf({256}, 1.0f, -7);
  Numbers data, expected;
  for (int i = -128; i < 128; ++i) {
    data.push_back(i);
    int64_t scaled = roundedTwice(i - 5, double(0.3f));
    expected.push_back(std::clamp<double>(double(scaled - 7), -128, 127));
  }
  // The first rounding makes 0.6 a 1, and the second one 1 of its half.
  EXPECT_EQ(expected[128 + 6], -6);
  EXPECT_EQ(extended(Code::QUANTIZE, {{from, data}}, to), expected);
  // Steps of one size are the same numbers of reals.
  TensorSpec moved = {{256}, Type::UINT8, {0.3f}, {133}};
  EXPECT_EQ(text(Code::QUANTIZE, {{from, data}}, moved),
            "DEQUANTIZE(i256) -> t256\nQUANTIZE(t256) -> o256\n");
}

// The bounds are those of the result's steps, and 0.3 becomes 1 as above.
TEST(TFLiteWiderFormsTest, activationsOfAnotherScaleAreRoundedTwice) {
  struct Case {
    Code code;
    float from, to, least, most;
  };
  for (const Case &test : {Case{Code::RELU, 0.3f, 1.0f, 0, INFINITY},
                           {Code::RELU6, 0.115f, 6.0f / 255, 0, 6},
                           {Code::RELU_N1_TO_1, 0.023f, 0.009f, -1, 1},
                           // The HAL bounds by 3 steps of 0.4, which are 2 of
                           // 0.75; TensorFlow Lite by 1.
                           {Code::RELU_N1_TO_1, 0.4f, 0.75f, -1, 1},
                           {Code::ABS, 0.3f, 1.0f, -INFINITY, INFINITY}}) {
    TensorSpec from = bytesOf({256}, test.from, 5);
    TensorSpec to = bytesOf({256}, test.to, -128);
    Numbers data, expected;
    for (int i = -128; i < 128; ++i) {
      data.push_back(i);
      int64_t steps = test.code == Code::ABS ? std::abs(i - 5) : i - 5;
      double scaled = double(roundedTwice(steps, double(test.from / test.to)));
      expected.push_back(std::clamp(
          std::clamp(scaled, double(std::round(test.least / test.to)),
                     double(std::round(test.most / test.to))) -
              128,
          -128.0, 127.0));
    }
    EXPECT_EQ(extended(test.code, {{from, data}}, to), expected)
        << schema::EnumNameBuiltinOperator(test.code);
    EXPECT_EQ(text(test.code, {{from, data}}, to),
              std::string("tflite:") +
                  schema::EnumNameBuiltinOperator(test.code) +
                  "(i256) -> o256\n");
  }
  // Without extensions, and for equal steps, and where reals find the same, the
  // HAL's operations compute them.
  TFLiteImportOptions plain;
  plain.useExtensions = false;
  EXPECT_EQ(
      toText(importBytes(operatorFile(Code::ABS, {{bytesOf({4}, 0.3f, 5), {}}},
                                      {bytesOf({4}, 1.0f, -128)}),
                         plain)),
      "DEQUANTIZE(i4) -> t4\nABS(t4) -> t4\nQUANTIZE(t4) -> o4\n");
  TensorSpec whole = bytesOf({4}, 0.5f, -128), half = bytesOf({4}, 0.25f, -128);
  EXPECT_EQ(text(Code::RELU, {{whole, {}}}, whole), "RELU(i4) -> o4\n");
  EXPECT_EQ(text(Code::RELU, {{whole, {}}}, half),
            "RELU(i4) -> t4\nDEQUANTIZE(t4) -> t4\nQUANTIZE(t4) -> o4\n");
}

TEST(TFLiteWiderFormsTest, sumsOfBytesAreRoundedTwice) {
  for (Type type : {Type::INT8, Type::UINT8}) {
    std::mt19937 random(21);
    const int low = type == Type::INT8 ? -128 : 0;
    const int64_t fromZero = low + 131, toZero = low + 100;
    TensorSpec from = {{40, 3}, type, {0.05f}, {fromZero}};
    TensorSpec to = {{40}, type, {0.31f}, {toZero}};
    Numbers data = randomWhole(random, 120, low, low + 255), expected;
    for (size_t row = 0; row < 40; ++row) {
      double sum = data[row * 3] + data[row * 3 + 1] + data[row * 3 + 2];
      int64_t scaled = roundedTwice(int64_t(sum) - 3 * fromZero,
                                    double(0.05f) / double(0.31f));
      expected.push_back(
          std::clamp<double>(double(scaled + toZero), low, low + 255));
    }
    EXPECT_EQ(
        extended(Code::SUM, {{from, data}, integersInput({1})}, to, reducer()),
        expected);
  }
}

// Without extensions bytes are added by way of reals.
TEST(TFLiteWiderFormsTest, sumsOfBytesByTheHal) {
  TensorSpec from = {{2, 3}, Type::UINT8, {0.5f}, {0}};
  TensorSpec to = {{2}, Type::UINT8, {1.0f}, {1}};
  TFLiteImportOptions plain;
  plain.useExtensions = false;
  EXPECT_EQ(toText(importBytes(operatorFile(Code::SUM,
                                            {{from, {}}, integersInput({1})},
                                            {to}, reducer()),
                               plain)),
            "DEQUANTIZE(i2x3) -> t2x3\nREDUCE_SUM(t2x3, {1}, false) -> t2\n"
            "QUANTIZE(t2) -> o2\n");
}

// Bytes get 7 more bits before they have one scale.
TEST(TFLiteWiderFormsTest, squaredDifferencesOfBytes) {
  std::mt19937 random(22);
  TensorSpec x = bytesOf({60}, 0.04f, 5), y = bytesOf({60}, 0.03f, -9);
  TensorSpec to = bytesOf({60}, 0.4f, -128);
  Numbers a = randomWhole(random, 60, -128, 127),
          b = randomWhole(random, 60, -128, 127), expected;
  const double twice = 2.0 * double(0.04f);
  for (size_t i = 0; i < 60; ++i) {
    int64_t difference =
        roundedTwice((int64_t(a[i]) - 5) * 128, double(0.04f) / twice) -
        roundedTwice((int64_t(b[i]) + 9) * 128, double(0.03f) / twice);
    int64_t scaled = roundedTwice(difference * difference,
                                  twice * twice / (16384 * double(0.4f)));
    expected.push_back(std::clamp<double>(double(scaled - 128), -128, 127));
  }
  EXPECT_EQ(extended(Code::SQUARED_DIFFERENCE, {{x, a}, {y, b}}, to), expected);
}

TEST(TFLiteWiderFormsTest, unsignedBytesAreBounded) {
  TensorSpec from = {{3}, Type::UINT8, {0.3f}, {100}};
  TensorSpec to = {{3}, Type::UINT8, {1.0f}, {10}};
  EXPECT_EQ(extended(Code::RELU, {{from, {90, 101, 255}}}, to),
            (Numbers{10, 11, 10 + 47}));
}

TEST(TFLiteWiderFormsTest, integersOf16BitsHaveZeroPoints) {
  TensorSpec stored = {{4}, Type::INT16, {0.25f}, {5}};
  TestInput reals = value({4}, Type::FLOAT32, {-3, 0, 1, 100});
  // The HAL's type holds numbers that are 32768 above those of the file.
  const Numbers numbers = {32768 - 7, 32768 + 5, 32768 + 9, 32768 + 405};
  EXPECT_EQ(extended(Code::QUANTIZE, {reals}, stored), numbers);
  EXPECT_EQ(extended(Code::DEQUANTIZE, {{stored, numbers}}, {{4}}),
            reals.values);
  EXPECT_EQ(extended(Code::QUANTIZE, {{bytesOf({2}, 0.5f, 1), {1, -3}}},
                     {{2}, Type::INT16, {0.25f}, {5}}),
            (Numbers{32768 + 5, 32768 - 3}));
}

TEST(TFLiteWiderFormsTest, bytesBecome32Bits) {
  EXPECT_EQ(extended(Code::QUANTIZE, {{bytesOf({2}, 0.5f, 1), {1, -3}}},
                     {{2}, Type::INT32, {0.125f}, {0}}),
            (Numbers{0, -16}));
  TensorSpec x = bytesOf({1, 2, 3}, 0.5f, 2), y = bytesOf({1, 3, 1}, 0.5f, -1);
  EXPECT_EQ(extended(Code::BATCH_MATMUL,
                     {{x, {1, -128, 3, 2, 127, 0}}, {y, {4, -128, 127}}},
                     {{1, 2, 1}, Type::INT32}),
            (Numbers{-5 + 130 * 127 + 128, -125 * 127 - 256}));
}

TEST(TFLiteWiderFormsTest, scalesOfUnitsAreRoundedOnce) {
  std::mt19937 random(15);
  const std::vector<float> scales = {0.01f, 0.02f, 0.05f, 0.003f};
  TensorSpec x = bytesOf({3, 10}, 0.05f, 4), y = bytesOf({3, 4}, 0.3f, -10);
  TensorSpec w = {{4, 10}, Type::INT8, scales, {0, 0, 0, 0}, 0};
  TensorSpec b = {{4}, Type::INT32, {}, {}};
  Numbers data = randomWhole(random, 30, -128, 127);
  Numbers weights = randomWhole(random, 40, -127, 127);
  Numbers bias = randomWhole(random, 4, -500, 500), expected;
  for (size_t row = 0; row < 3; ++row)
    for (size_t unit = 0; unit < 4; ++unit) {
      double sum = bias[unit];
      for (size_t i = 0; i < 10; ++i)
        sum += (data[row * 10 + i] - 4) * weights[unit * 10 + i];
      double factor = double(0.05f) * double(scales[unit]) / double(0.3f);
      expected.push_back(
          std::clamp(std::round(sum * factor) - 10, -128.0, 127.0));
    }
  // The weights may be computed.
  for (bool isConstant : {true, false}) {
    std::vector<TestInput> inputs = {
        {x, data}, {w, weights, isConstant}, {b, bias, true}};
    EXPECT_EQ(extended(Code::FULLY_CONNECTED, inputs, y), expected);
    EXPECT_EQ(text(Code::FULLY_CONNECTED, inputs, y),
              std::string("tflite:FULLY_CONNECTED(i3x10, ") +
                  (isConstant ? "c4x10" : "i4x10") +
                  ", {125 -27 -329 -55}, 0, 0, false) -> o3x4\n");
  }
}

// The bytes of five dimensions are not merged for scales of units.
TEST(TFLiteWiderFormsTest, scalesOfUnitsBesideManyDimensions) {
  TensorSpec x = bytesOf({1, 1, 1, 1, 2}, 1.0f, 0);
  TensorSpec w = {{2, 2}, Type::INT8, {1.0f, 0.5f}, {0, 0}, 0};
  EXPECT_EQ(extended(Code::FULLY_CONNECTED,
                     {{x, {3, 4}}, {w, {1, 2, 3, 4}, true}},
                     bytesOf({1, 1, 1, 1, 2}, 1.0f, 0), options([](Builder &b) {
                       return schema::CreateFullyConnectedOptions(
                           b, schema::Activation::RELU,
                           schema::WeightsFormat::DEFAULT, true);
                     })),
            (Numbers{11, 13}));
}

TEST(TFLiteWiderFormsTest, longTransforms) {
  constexpr int32_t length = 8192;
  TFLiteWriter file;
  int32_t signal = file.tensor({{1, 5000}});
  int32_t spectrum = file.tensor({{1, length / 2 + 1}, Type::COMPLEX64});
  int32_t real = file.tensor({{1, length / 2 + 1}}),
          imaginary = file.tensor({{1, length / 2 + 1}});
  file.add(Code::RFFT2D, {signal, file.integers({1, length})}, {spectrum});
  file.add(Code::REAL, {spectrum}, {real});
  file.add(Code::IMAG, {spectrum}, {imaginary});
  // A pulse at place 3, and the end of the signal at place 4999.
  Numbers pulse(5000), cosines, sines;
  pulse[3] = 2;
  pulse[4999] = 1;
  for (int k = 0; k <= length / 2; ++k) {
    double step = 2 * std::numbers::pi * k / length;
    cosines.push_back(2 * std::cos(3 * step) + std::cos(4999 * step));
    sines.push_back(-2 * std::sin(3 * step) - std::sin(4999 * step));
  }
  std::vector<std::byte> bytes = file.finish({signal}, {real, imaginary});
  std::vector<Numbers> parts = runExtended(bytes, {pulse});
  expectNear(parts.at(0), cosines, 1e-6);
  expectNear(parts.at(1), sines, 1e-6);
  EXPECT_EQ(halImportError(bytes),
            "operator 0 (RFFT2D): transforms 5000 elements with length 8192, "
            "expected 1 to 4096; the extension nnhal.tflite takes it");
}

TEST(TFLiteWiderFormsTest, lengthsOfLongTransforms) {
  auto error = [](int32_t length) {
    return importError(
        operatorFile(Code::RFFT2D, {{{{1, 8}}, {}}, integersInput({1, length})},
                     {{{1, 5}, Type::COMPLEX64}}));
  };
  EXPECT_EQ(error(5000), "operator 0 (RFFT2D): has length 5000, expected a "
                         "power of two and at most 1048576");
  EXPECT_EQ(error(1 << 21), "operator 0 (RFFT2D): has length 2097152, expected "
                            "a power of two and at most 1048576");
  EXPECT_EQ(error(-1), "operator 0 (RFFT2D): has length -1, expected a power "
                       "of two and at most 1048576");
}

// Planes of two lengths are transformed along both.
TEST(TFLiteWiderFormsTest, longTransformsOfPlanes) {
  TFLiteWriter file;
  int32_t plane = file.tensor({{2, 2, 1}});
  int32_t spectrum = file.tensor({{2, 2, 4097}, Type::COMPLEX64}),
          size = file.tensor({{2, 2, 4097}});
  file.add(Code::RFFT2D, {plane, file.integers({2, 8192})}, {spectrum});
  file.add(Code::COMPLEX_ABS, {spectrum}, {size});
  Numbers sizes =
      runExtended(file.finish({plane}, {size}), {{3, 1, 5, -2}}).at(0);
  ASSERT_EQ(sizes.size(), size_t(4 * 4097));
  const Numbers expected = {4, 2, 3, 7};
  for (size_t i = 0; i < sizes.size(); ++i)
    ASSERT_NEAR(sizes[i], expected[i / 4097], 1e-6) << i;
}

} // namespace
} // namespace nnhal::rt
