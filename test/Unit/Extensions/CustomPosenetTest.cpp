//===- CustomPosenetTest.cpp - Poses from fields --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The expected numbers are those of a reimplementation in Python that rounds
// each operation to float: roots are the cells whose logit is at least
// -ln(1 / (threshold + 1e-6) - 1) and that of no neighbour; from a key point at
// p, bilinear samples give that at the other end of edge e,
//
//   q = clamp(p + mid[e](p)), five times q = clamp(q + short[k](q)),
//
// the best one first; a pose has the mean of the sigmoids of its samples, less
// those of key points that a better pose has within the radius; a cell of a
// mask belongs to the pose of least sum of squares to where three steps along
// the long offsets lead.

#include "CustomTesting.h"

#include <limits>

namespace nnhal::tflite {
namespace {

/// Multiples of 1 / unit in [low / unit, high / unit].
class Generator {
public:
  explicit Generator(uint32_t seed) : state(seed) {}
  Floats next(size_t count, int32_t low, int32_t high, float unit = 16) {
    Floats values;
    for (size_t i = 0; i < count; ++i) {
      state = state * 1664525u + 1013904223u;
      auto steps = int32_t((state >> 8) % uint32_t(high - low + 1));
      values.push_back(float(low + steps) / unit);
    }
    return values;
  }

private:
  uint32_t state;
};

struct Fields {
  Floats heat, shorts, mids, longs;
};

Fields randomFields() {
  Generator generator(5);
  Fields fields;
  fields.heat = generator.next(16 * 17, -3000, 4000, 1024);
  fields.shorts = generator.next(16 * 34, -64, 64);
  fields.mids = generator.next(16 * 64, -160, 160);
  fields.longs = generator.next(33 * 33 * 34, -1600, 1600);
  return fields;
}

Operator decode(const Fields &fields, const PosenetOptions &options,
                bool hasMasks) {
  Operator use = customOperator(1);
  use.float32({1, 4, 4, 17}, fields.heat)
      .float32({1, 4, 4, 34}, fields.shorts)
      .float32({1, 4, 4, 64}, fields.mids);
  if (hasMasks)
    use.float32({1, 33, 33, 34}, fields.longs);
  use.customOptions(options.bytes())
      .result(tensorFloat32, {-1, -1, -1, -1}, 0.0f)
      .result(tensorFloat32, {-1, -1, -1}, 0.0f)
      .result(tensorFloat32, {-1, -1}, 0.0f)
      .result(tensorFloat32, {-1}, 0.0f);
  if (hasMasks)
    use.result(tensorFloat32, {-1, -1, -1, -1}, 0.0f);
  return use.run();
}

void expectNear(const Floats &actual, const Floats &expected, float tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
}

const Floats expectedPoints = {
    0,         23.79423f, 0,         20.01469f, 0,         11.33536f, 0,
    23.125f,   14.17105f, 18.1822f,  0,         24,        0.03389f,  10.57107f,
    0,         24,        0,         13.89896f, 4.96497f,  19.70217f, 6.65086f,
    3.90712f,  0,         11.62134f, 0,         0,         3.84854f,  24,
    3.05344f,  18.46704f, 4.03419f,  24,        9.86065f,  20.81699f, 18.375f,
    0,         19.52663f, 17.05725f, 16.49551f, 5.40124f,  9.98054f,  12.15764f,
    22.69861f, 13.13966f, 10.2943f,  11.26945f, 22.91209f, 0,         0.89044f,
    2.46524f,  8.29571f,  14.78836f, 0,         0,         14.71788f, 8.05379f,
    6.65824f,  1.09959f,  23.20982f, 0,         15.82504f, 0,         21.71208f,
    0,         24,        3.59047f,  21.33741f, 7.57405f,  17.26502f, 13.35421f,
    22.83958f, 20.91439f, 11.60569f, 12.31946f, 16.52378f, 14.13557f, 8.31546f,
    18.79531f, 16.41187f, 9.62111f,  9.28433f,  10.03225f, 9.35787f,  0,
    0,         15.12192f, 17.67654f, 1.87886f,  7.21998f,  6.67877f,  20.90917f,
    10.2359f,  13.68072f, 1.51193f,  21.0625f,  17.25f,    20.73239f, 11.94773f,
    24,        24,        20.82553f, 17.57368f};
const Floats expectedScores = {
    0.892872f, 0.673851f, 0.505168f, 0.973354f, 0.208595f, 0.060197f, 0.601914f,
    0.084644f, 0.425226f, 0.606602f, 0.787415f, 0.808324f, 0.888662f, 0.226343f,
    0.700593f, 0.841896f, 0.489954f, 0.972999f, 0.306202f, 0.552076f, 0.881069f,
    0.54141f,  0.748776f, 0.334789f, 0.235833f, 0.821173f, 0.724481f, 0.476274f,
    0.260527f, 0.089445f, 0.118227f, 0.643263f, 0.688584f, 0.430136f, 0.908659f,
    0.40717f,  0.420369f, 0.769453f, 0.152064f, 0.874021f, 0.360388f, 0.845684f,
    0.53567f,  0.234948f, 0.613612f, 0.117866f, 0.534191f, 0.965294f, 0.848981f,
    0.242744f, 0.333472f};

TEST(CustomPosenetTest, poses) {
  Operator use = decode(randomFields(), {}, /*hasMasks=*/false);
  EXPECT_EQ(use.shape(0), (Shape{1, 3, 17, 2}));
  expectNear(use.elements<float>(0), expectedPoints, 2e-5f);
  expectNear(use.elements<float>(1), expectedScores, 2e-6f);
  expectNear(use.elements<float>(2),
             {0.5750357508659363f, 0.5191332101821899f, 0.47148844599723816f},
             1e-6f);
  EXPECT_EQ(use.elements<float>(3), Floats{3});
}

// With a higher threshold other roots become poses. Places that no pose has are
// 0.
TEST(CustomPosenetTest, thresholds) {
  Operator use =
      decode(randomFields(), {.maxDetections = 5, .scoreThreshold = 0.57f},
             /*hasMasks=*/false);
  EXPECT_EQ(use.elements<float>(3), Floats{2});
  expectNear(use.elements<float>(2),
             {0.6166747808456421f, 0.611015260219574f, 0, 0, 0}, 1e-6f);
  EXPECT_EQ(use.shape(1), (Shape{1, 5, 17}));
  Operator none =
      decode(randomFields(), {.scoreThreshold = 0.99f}, /*hasMasks=*/false);
  EXPECT_EQ(none.elements<float>(3), Floats{0});
  EXPECT_EQ(none.elements<float>(0), Floats(3 * 34));
}

TEST(CustomPosenetTest, masks) {
  Operator use = decode(randomFields(), {}, /*hasMasks=*/true);
  Floats masks = use.elements<float>(4);
  ASSERT_EQ(masks.size(), size_t(3 * 33 * 33));
  // The cells of each pose, and the sum of their numbers.
  std::vector<size_t> counts(3), sums(3);
  for (size_t i = 0; i < masks.size(); ++i)
    if (masks[i] == 1.0f) {
      ++counts[i / 1089];
      sums[i / 1089] += i % 1089;
    }
  EXPECT_EQ(counts, (std::vector<size_t>{159, 11, 919}));
  EXPECT_EQ(sums, (std::vector<size_t>{26689, 3950, 561777}));
  // Without a pose all cells are of the first mask.
  Floats none = decode(randomFields(), {.scoreThreshold = 0.99f}, true)
                    .elements<float>(4);
  EXPECT_EQ(Floats(none.begin(), none.begin() + 1089), Floats(1089, 1.0f));
  EXPECT_EQ(Floats(none.begin() + 1089, none.end()), Floats(2 * 1089));
}

// Numbers of any kind lead to some poses and nowhere else.
TEST(CustomPosenetTest, specialNumbers) {
  const float specials[] = {std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(), 3e38f};
  Generator generator(9);
  for (int i = 0; i < 50; ++i) {
    Fields fields = randomFields();
    for (Floats *field :
         {&fields.heat, &fields.shorts, &fields.mids, &fields.longs})
      for (float &value : *field)
        if (generator.next(1, 0, 9, 1)[0] == 0)
          value = specials[size_t(generator.next(1, 0, 3, 1)[0])];
    Operator use = decode(fields, {}, /*hasMasks=*/true);
    EXPECT_LE(use.elements<float>(3)[0], 3.0f);
  }
}

// (q - 128) * 0.125 / 8 of an offset; a root of the only peak.
TEST(CustomPosenetTest, quantized) {
  constexpr auto type = rt::OperandType::TENSOR_QUANT8_ASYMM;
  std::vector<uint8_t> heat(16 * 17, 0), shorts(16 * 34, 128),
      mids(16 * 64, 128);
  // Key point 3 at row 1, column 2 has the logit 4, all others there 2.
  for (size_t i = 0; i < 17; ++i)
    heat[(4 + 2) * 17 + i] = i == 3 ? 160 : 144;
  shorts[(4 + 2) * 34 + 3] = 160;      // Half a cell down.
  shorts[(4 + 2) * 34 + 17 + 3] = 112; // A quarter to the left.
  Operator use = customOperator(1);
  use.tensor(type, {1, 4, 4, 17}, heat, 0.125f, 128)
      .tensor(type, {1, 4, 4, 34}, shorts, 0.125f, 128)
      .tensor(type, {1, 4, 4, 64}, mids, 0.125f, 128)
      .customOptions(
          PosenetOptions{.maxDetections = 1, .scoreThreshold = 0.0f}.bytes())
      .result(tensorFloat32, {1, 1, 17, 2}, 0.0f)
      .result(tensorFloat32, {1, 1, 17}, 0.0f)
      .result(tensorFloat32, {1, 1}, 0.0f)
      .result(tensorFloat32, {1}, 0.0f)
      .run();
  EXPECT_EQ(use.elements<float>(3), Floats{1});
  Floats points = use.elements<float>(0);
  // Without other offsets all points are where the root is.
  EXPECT_EQ(points[6], 12.0f);
  EXPECT_EQ(points[7], 14.0f);
  EXPECT_EQ(points[0], 12.0f);
  EXPECT_EQ(points[33], 14.0f);
}

} // namespace
} // namespace nnhal::tflite
