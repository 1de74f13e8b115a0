//===- TFLiteContractionTest.cpp - Tests of products ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of 16-bit activations, compared with loops that sum in 64 bits and
// round as TensorFlow Lite does. The factor of all is 1/4, so that the upper
// bits of its multiplier are exact.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

#include <algorithm>
#include <random>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// sum / 4, halves up.
int16_t finished(int64_t sum) {
  return int16_t(std::clamp<int64_t>((sum + 2) >> 2, -32768, 32767));
}

template <typename T>
std::vector<T> random(int64_t count, int32_t least, int32_t most) {
  std::minstd_rand generator(unsigned(count) + 1);
  std::uniform_int_distribution<int32_t> numbers(least, most);
  std::vector<T> values;
  values.reserve(size_t(count));
  for (int64_t index = 0; index < count; ++index)
    values.push_back(T(numbers(generator)));
  return values;
}

/// A convolution of [1, size, size, depth] with [channels, 3, 3, depth].
struct Case {
  int64_t size, depth, channels, stride, dilation, groups;
  bool isSame;

  int64_t places() const {
    return isSame ? (size + stride - 1) / stride
                  : (size - 2 * dilation - 1 + stride) / stride;
  }
  int64_t before() const {
    int64_t total = (places() - 1) * stride + 2 * dilation + 1 - size;
    return isSame ? std::max<int64_t>(total, 0) / 2 : 0;
  }
};

int64_t sumAt(const Case &c, const Int16s &x, const Int8s &w, int64_t row,
              int64_t column, int64_t channel) {
  int64_t sum = 0, each = c.depth / c.groups;
  int64_t group = channel / (c.channels / c.groups);
  for (int64_t v = 0; v < 3; ++v)
    for (int64_t h = 0; h < 3; ++h)
      for (int64_t d = 0; d < each; ++d) {
        int64_t y = row * c.stride - c.before() + v * c.dilation;
        int64_t z = column * c.stride - c.before() + h * c.dilation;
        if (y >= 0 && y < c.size && z >= 0 && z < c.size)
          sum += int64_t(
                     x[size_t((y * c.size + z) * c.depth + group * each + d)]) *
                 w[size_t(((channel * 3 + v) * 3 + h) * each + d)];
      }
  return sum;
}

TEST(TFLiteContraction, ConvolutionsMatchTheLoops) {
  for (Case c : {Case{5, 3, 5, 1, 1, 1, true}, Case{7, 40, 6, 2, 1, 1, false},
                 Case{6, 4, 4, 1, 2, 2, true}}) {
    Int16s x = random<int16_t>(c.size * c.size * c.depth, -32768, 32767);
    Int8s w = random<int8_t>(c.channels * 9 * c.depth / c.groups, -127, 127);
    std::vector<int64_t> bias = random<int64_t>(c.channels, -1000000, 1000000);
    Operator use(3);
    int64_t places = c.places();
    use.int16({1, c.size, c.size, c.depth}, x, 0.5f)
        .tensor<int8_t>(tensorInt8, {c.channels, 3, 3, c.depth / c.groups}, w)
        .channels(std::vector<float>(size_t(c.channels), 0.5f), 0)
        .int64({c.channels}, bias);
    for (int64_t option : {int64_t(!c.isSame), c.stride, c.stride, int64_t(0),
                           c.dilation, c.dilation})
      use.option(int32_t(option));
    use.result(tensorInt16, {1, places, places, c.channels}, 1.0f);
    Int16s expected;
    for (int64_t row = 0; row < places; ++row)
      for (int64_t column = 0; column < places; ++column)
        for (int64_t channel = 0; channel < c.channels; ++channel)
          expected.push_back(finished(sumAt(c, x, w, row, column, channel) +
                                      bias[size_t(channel)]));
    EXPECT_EQ(use.run().elements<int16_t>(), expected);
  }
}

TEST(TFLiteContraction, DepthwiseRepeatsChannels) {
  Operator use(4);
  use.int16({1, 1, 2, 2}, {1000, 2000, 3000, 4000}, 1.0f)
      .tensor<int8_t>(tensorInt8, {1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}, 0.25f)
      .omitted();
  for (int32_t option : {0, 1, 1, 2, 0, 1, 1})
    use.option(option);
  use.result(tensorInt16, {1, 1, 2, 4}, 1.0f);
  EXPECT_EQ(use.run().elements<int16_t>(),
            Int16s({4000, 5000, 8500, 10000, 750, 1500, 3000, 4000}));
}

/// More products than are summed in 32 bits at once, in more channels than a
/// block has.
TEST(TFLiteContraction, DepthwiseSumsManyProducts) {
  int64_t side = 20, channels = 70;
  Operator use(4);
  use.int16({1, side, side, channels},
            Int16s(size_t(side * side * channels), -32768), 1.0f)
      .tensor<int8_t>(tensorInt8, {1, side, side, channels},
                      Int8s(size_t(side * side * channels), -128), 0.25f)
      .int64({channels},
             std::vector<int64_t>(size_t(channels), -1677721600 + 40));
  for (int32_t option : {1, 1, 1, 1, 0, 1, 1})
    use.option(option);
  use.result(tensorInt16, {1, 1, 1, channels}, 1.0f);
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s(size_t(channels), 10));
}

TEST(TFLiteContraction, TransposedConvolutionScatters) {
  Operator use(67);
  use.int32({4}, {1, 1, 4, 1})
      .tensor<int8_t>(tensorInt8, {1, 1, 3, 1}, {1, 2, 3}, 0.25f)
      .int16({1, 1, 2, 1}, {400, 800}, 1.0f)
      .int64({1}, {4});
  for (int32_t option : {0, 2, 1, 0})
    use.option(option);
  use.result(tensorInt16, {1, 1, 4, 1}, 1.0f);
  // 400 * [1 2 3] + 4, and 800 * [1 2 3] two elements on, all by 4.
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s({101, 201, 501, 401}));
}

TEST(TFLiteContraction, FullyConnectedMatchesTheLoops) {
  int64_t depth = 1000, units = 7;
  Int16s x = random<int16_t>(2 * depth, -32768, 32767);
  Int8s w = random<int8_t>(units * depth, -127, 127);
  Operator use(9);
  use.int16({2, depth}, x, 0.5f)
      .tensor<int8_t>(tensorInt8, {units, depth}, w, 0.5f)
      .omitted()
      .option(0)
      .option(0)
      .option(true)
      .result(tensorInt16, {2, units}, 1.0f);
  Int16s expected;
  for (int64_t batch = 0; batch < 2; ++batch)
    for (int64_t unit = 0; unit < units; ++unit) {
      int64_t sum = 0;
      for (int64_t index = 0; index < depth; ++index)
        sum += int64_t(x[size_t(batch * depth + index)]) *
               w[size_t(unit * depth + index)];
      expected.push_back(finished(sum));
    }
  EXPECT_EQ(use.run().elements<int16_t>(), expected);
}

/// By 2^-10, sums of a few products and biases of up to 2^30 are rounded in 32
/// bits, and those of larger biases in 64.
TEST(TFLiteContraction, FewProductsRoundHalvesUp) {
  int64_t depth = 255, units = 19, limit = int64_t(1) << 30;
  for (int64_t most : {limit, limit + 1}) {
    Int16s x = random<int16_t>(depth, -32768, 32767);
    Int8s w = random<int8_t>(units * depth, -128, 127);
    std::fill(x.begin(), x.begin() + 200, int16_t(-32768));
    std::fill(w.begin(), w.begin() + depth, int8_t(-128));
    std::vector<int64_t> bias = random<int64_t>(units, -30000000, 30000000);
    bias[0] = most;
    bias[1] = -most;
    Operator use(9);
    use.int16({1, depth}, x, 0.5f)
        .tensor<int8_t>(tensorInt8, {units, depth}, w, 0x1p-9f)
        .int64({units}, bias)
        .option(0)
        .option(0)
        .option(false)
        .result(tensorInt16, {1, units}, 1.0f);
    Int16s expected;
    for (int64_t unit = 0; unit < units; ++unit) {
      int64_t sum = bias[size_t(unit)];
      for (int64_t index = 0; index < depth; ++index)
        sum += int64_t(x[size_t(index)]) * w[size_t(unit * depth + index)];
      expected.push_back(
          int16_t(std::clamp<int64_t>((sum + 512) >> 10, -32768, 32767)));
    }
    EXPECT_EQ(use.run().elements<int16_t>(), expected);
  }
}

TEST(TFLiteContraction, NarrowBiasesRoundTwice) {
  // 3 / 8 has no rest of a half; 0.4996 does after the first rounding.
  Operator use(9);
  use.int16({1, 1}, {1000}, 1.0f)
      .tensor<int8_t>(tensorInt8, {2, 1}, {1, -1}, 0.25f)
      .int32({2}, {2, -2})
      .option(0)
      .option(0)
      .option(false)
      .result(tensorInt16, {1, 2}, 1.0f);
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s({251, -251}));
}

TEST(TFLiteContraction, WideBiasesRoundHalvesUp) {
  Operator use(9);
  use.int16({1, 1}, {1000}, 1.0f)
      .tensor<int8_t>(tensorInt8, {2, 1}, {1, -1}, 0.25f)
      .int64({2}, {2, -2})
      .option(0)
      .option(0)
      .option(false)
      .result(tensorInt16, {1, 2}, 1.0f);
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s({251, -250}));
}

TEST(TFLiteContraction, BatchMatMulBroadcastsAndTransposes) {
  Operator use(126);
  use.int16({2, 1, 2}, {100, 200, 300, 400}, 0.5f)
      .int16({2, 2}, {1, 2, 3, 4}, 0.5f)
      .option(false)
      .option(true)
      .result(tensorInt16, {2, 1, 2}, 1.0f);
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s({125, 275, 275, 625}));
}

TEST(TFLiteContraction, SvdfCarriesItsState) {
  Operator use(27);
  use.tensor<int8_t>(tensorInt8, {1, 2}, {3, 5}, 1.0f, 1)
      .tensor<int8_t>(tensorInt8, {2, 2}, {1, 2, 3, -4}, 1.0f)
      .int16({2, 3}, {1, 2, 3, 4, 5, 6}, 1.0f)
      .int32({1}, {7})
      .int16({1, 6}, {9, 1, 2, 9, 3, 4}, 1.0f)
      .option(2)
      .option(1)
      .result(tensorInt8, {1, 1}, 1.0f, -20)
      .result(tensorInt16, {1, 6}, 1.0f);
  use.run();
  // Features are 2 + 8 and 6 - 16.
  EXPECT_EQ(use.elements<int16_t>(1), Int16s({1, 2, 10, 3, 4, -10}));
  EXPECT_EQ(use.elements<int8_t>(0), Int8s({7 + 35 + 12 + 20 - 60 - 20}));
}

/// Adds the options of a convolution of volumes.
void addVolumeOptions(Operator &use, int32_t padding, int32_t widthStride,
                      int32_t activation, int32_t depthDilation) {
  use.option(padding)
      .option(1)
      .option(widthStride)
      .option(1)
      .option(activation)
      .option(depthDilation)
      .option(1)
      .option(1);
}

TEST(TFLiteContraction, VolumesOfFloats) {
  // Two channels in, one out; the window is 2 deep, and 2 apart.
  Operator use(132);
  use.float32({1, 3, 1, 2, 2}, {1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8})
      .float32({2, 1, 1, 2, 1}, {1, 10, 100, 1000})
      .float32({1}, {0.5f});
  addVolumeOptions(use, 1, 1, 0, 2);
  use.result(tensorFloat32, {1, 1, 1, 2, 1});
  EXPECT_EQ(use.run().elements<float>(),
            std::vector<float>({6521.5f, 8743.5f}));
  // SAME pads behind; the bias is left out, and the activation bounds.
  Operator same(132);
  same.float32({1, 1, 1, 3, 1}, {1, 2, -3})
      .float32({1, 1, 2, 1, 2}, {1, -1, 2, -2})
      .omitted();
  addVolumeOptions(same, 0, 1, 1, 1);
  same.result(tensorFloat32, {1, 1, 1, 3, 2});
  EXPECT_EQ(same.run().elements<float>(),
            std::vector<float>({5, 0, 0, 4, 0, 3}));
}

TEST(TFLiteContraction, TransposedVolumesOfFloats) {
  Operator use(141);
  use.int32({5}, {1, 1, 1, 4, 2})
      .float32({1, 1, 2, 2, 1}, {1, 10, 2, 20})
      .float32({1, 1, 1, 2, 1}, {3, 4})
      .float32({2}, {0.5f, -1});
  addVolumeOptions(use, 1, 2, 0, 1);
  use.result(tensorFloat32, {1, 1, 1, 4, 2});
  EXPECT_EQ(use.run().elements<float>(),
            std::vector<float>({3.5f, 29, 6.5f, 59, 4.5f, 39, 8.5f, 79}));
}

TEST(TFLiteContraction, VolumesThatDoNotFit) {
  Operator window(132);
  window.open(tensorFloat32, {1, 1, 1, 3, 1})
      .open(tensorFloat32, {1, 1, 4, 1, 2})
      .omitted();
  addVolumeOptions(window, 1, 1, 0, 1);
  window.result(tensorFloat32, {1, 1, 1, -1, 2});
  EXPECT_EQ(window.refusal(),
            "CONV_3D: window of 4 elements exceeds the extent 3");
  Operator shape(141);
  shape.int32({4}, {1, 1, 1, 4})
      .open(tensorFloat32, {1, 1, 2, 2, 1})
      .open(tensorFloat32, {1, 1, 1, 2, 1})
      .omitted();
  addVolumeOptions(shape, 1, 2, 0, 1);
  shape.result(tensorFloat32, {1, 1, 1, 4, 2});
  EXPECT_EQ(shape.refusal(), "CONV_3D_TRANSPOSE: input 0 (output_shape) has 4 "
                             "elements, but must have 5");
}

/// Returns the message of a transposed convolution of one volume into two
/// channels that is refused for the output shape \p wanted.
std::string refusalOfVolume(std::vector<int32_t> wanted) {
  Operator use(141);
  use.int32({int64_t(wanted.size())}, std::move(wanted))
      .open(tensorFloat32, {1, 1, 2, 2, 1})
      .open(tensorFloat32, {1, 1, 1, 2, 1})
      .omitted();
  addVolumeOptions(use, 1, 2, 0, 1);
  return use.result(tensorFloat32, {-1, -1, -1, -1, -1}).refusal();
}

TEST(TFLiteContraction, ShapesOfVolumesHaveBounds) {
  EXPECT_EQ(refusalOfVolume({1, 1, 1, 4, 2}), "");
  EXPECT_EQ(refusalOfVolume({1, 1, 0, 4, 2}),
            "CONV_3D_TRANSPOSE: extent 0 of the output must be positive");
  EXPECT_EQ(refusalOfVolume({3, 1, 1, 4, 2}),
            "CONV_3D_TRANSPOSE: output shape 3x1x1x4x2 must have batch 1 "
            "and depth 2");
  EXPECT_EQ(refusalOfVolume({1, 1, 1, 4, 9}),
            "CONV_3D_TRANSPOSE: output shape 1x1x1x4x9 must have batch 1 "
            "and depth 2");
}

TEST(TFLiteContraction, ConvolutionsOfFloats) {
  // Two groups of one channel; the window's elements are 2 apart.
  Operator groups(3);
  groups.float32({1, 1, 3, 2}, {1, 2, 3, 4, 5, 6})
      .float32({2, 1, 2, 1}, {1, 10, 100, 1000})
      .float32({2}, {0.5f, -1});
  for (int32_t option : {1, 1, 1, 0, 2, 1})
    groups.option(option);
  groups.result(tensorFloat32, {1, 1, 1, 2});
  EXPECT_EQ(groups.run().elements<float>(), Floats({51.5f, 6199}));
  Operator depthwise(4);
  depthwise.float32({1, 1, 2, 1}, {1, 2})
      .float32({1, 1, 2, 2}, {1, 2, 3, 4})
      .omitted();
  for (int32_t option : {0, 1, 1, 2, 3, 1, 1})
    depthwise.option(option);
  depthwise.result(tensorFloat32, {1, 1, 2, 2});
  EXPECT_EQ(depthwise.run().elements<float>(), Floats({6, 6, 2, 4}));
  Operator transposed(67);
  transposed.int32({4}, {1, 1, 4, 2})
      .float32({2, 1, 2, 1}, {1, 2, 10, 20})
      .float32({1, 1, 2, 1}, {3, 4})
      .float32({2}, {0.5f, -1});
  for (int32_t option : {1, 2, 1, 0})
    transposed.option(option);
  transposed.result(tensorFloat32, {1, 1, 4, 2});
  EXPECT_EQ(transposed.run().elements<float>(),
            Floats({3.5f, 29, 6.5f, 59, 4.5f, 39, 8.5f, 79}));
}

TEST(TFLiteContraction, ProductsOfFloats) {
  Operator connected(9);
  connected.float32({2, 1, 2}, {1, 2, 3, 4})
      .float32({3, 2}, {1, 0, 0, 1, 1, 1})
      .omitted()
      .option(0)
      .option(0)
      .option(true)
      .result(tensorFloat32, {2, 1, 3});
  EXPECT_EQ(connected.run().elements<float>(), Floats({1, 2, 3, 3, 4, 7}));
  auto product = [](bool adjX, bool adjY) {
    Operator use(126);
    use.float32({1, 1, 1, 2, 2}, {1, 2, 3, 4})
        .float32({1, 2, 2}, {5, 6, 7, 8})
        .option(adjX)
        .option(adjY)
        .result(tensorFloat32, {1, 1, 1, 2, 2});
    return use.run().elements<float>();
  };
  EXPECT_EQ(product(false, true), Floats({17, 23, 39, 53}));
  EXPECT_EQ(product(true, false), Floats({26, 30, 38, 44}));
}

} // namespace
