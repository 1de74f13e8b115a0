//===- CustomSignalSpectrumTest.cpp - Spectra of frames of sound ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "Published" numbers are those of the tests of TensorFlow Lite Micro.
//
//===----------------------------------------------------------------------===//

#include "CustomTesting.h"

namespace nnhal::tflite {
namespace {

template <typename T> constexpr rt::OperandType typeOf = tensorFloat32;
template <> constexpr rt::OperandType typeOf<int16_t> = tensorInt16;
template <> constexpr rt::OperandType typeOf<int32_t> = tensorInt32;

/// A length and the numbers for it.
template <typename T> struct Case {
  int length;
  std::vector<T> expected;
};

template <typename T>
Operator transformOf(const char *name, Shape shape, std::vector<T> values,
                     int length) {
  Operator use = customOperator(name);
  Shape result(shape.size(), -1);
  use.tensor(typeOf<T>, std::move(shape), std::move(values))
      .customOptions(mapOf({{"T", 7}, {"fft_length", length}}))
      .result(typeOf<T>, std::move(result));
  return use;
}

/// Checks transforms of random numbers.
template <typename T>
void expectTransforms(const std::vector<Case<T>> &spectra,
                      const std::vector<Case<T>> &signals, double factor) {
  auto numbers = [&](uint32_t seed, size_t count) {
    std::vector<T> values;
    for (int32_t value : randomIntegers(seed, count, -30000, 30000))
      values.push_back(T(value * factor));
    return values;
  };
  for (const auto &[length, expected] : spectra) {
    auto seed = uint32_t(length);
    Operator use = transformOf<T>("SignalRfft", {length},
                                  numbers(seed, size_t(length)), length)
                       .run();
    EXPECT_EQ(use.shape(), Shape{length + 2});
    EXPECT_EQ(use.template elements<T>(), expected) << length;
  }
  for (const auto &[length, expected] : signals) {
    auto seed = uint32_t(length) + 1;
    Operator use = transformOf<T>("SignalIrfft", {length + 2},
                                  numbers(seed, size_t(length) + 2), length)
                       .run();
    EXPECT_EQ(use.shape(), Shape{length});
    EXPECT_EQ(use.template elements<T>(), expected) << length;
  }
}

// Sums and products as Python rounds them, stage by stage, for lengths whose
// halves have the factors 2, 3, 4, 5 and 7, and none.
TEST(CustomSignalSpectrumTest, int16Transforms) {
  expectTransforms<int16_t>(
      {
          {2, {-4767, 0, -11729, 0}},
          {12,
           {-7509, 0, 356, 1063, -3518, 1614, 1712, -4697, 2243, -6432, -2378,
            1609, -803, 0}},
          {16,
           {959, 0, 2369, 310, 2169, 2176, -3858, 3541, -110, 2103, 775, -57,
            7624, 7281, -2746, -658, 1123, 0}},
          {20, {-3121, 0,     -373,  886,  -190,  -285, 1439,  -5052,
                955,   -1620, -1634, -310, -2520, -214, -4474, -2430,
                -933,  -3560, -1500, 5085, 2121,  0}},
          {28,
           {-1526, 0,     3851,  623,   -512, -1595, -5821, 664,   217,   3403,
            -5189, -1511, 411,   -911,  -342, -1904, -632,  280,   44,    -5674,
            1066,  1732,  -1773, -1477, -798, -2156, -2391, -5104, -2188, 0}},
      },
      {
          {2, {-11341, 1344}},
          {12,
           {5482, -12115, -1085, -390, 2632, -5560, 248, -2129, 1657, 7174,
            -10624, 9732}},
          {16,
           {4354, 12349, 2236, -1971, 1420, -795, 1407, -116, 902, -4395, 1216,
            -765, -4964, -983, -9267, -12360}},
          {20, {744,   -1444, -3392, -7462, 8612, 1600,  -1561,
                3056,  -1310, -4511, -5534, 2320, -3236, 8414,
                -3518, -6448, 3443,  2102,  362,  -5197}},
          {28,
           {3929,  4155, -115,  -1549, -2310, -3523, -6158, -3439, -4322, 1725,
            -5336, 5874, -2093, -8332, 4191,  1803,  3165,  -4629, 2452,  -4013,
            854,   3481, -946,  -4753, 554,   -7634, -3965, 9992}},
      },
      1);
}

TEST(CustomSignalSpectrumTest, int32Transforms) {
  expectTransforms<int32_t>(
      {
          {12,
           {-488090415, 0, 23236836, 69102376, -228721458, 104979238, 111285416,
            -305348332, 145862707, -418185985, -154607253, 104631790, -52222083,
            0}},
          {16,
           {62278124, 0, 153971115, 20191253, 141029012, 141570010, -250823021,
            230205797, -7170312, 136772187, 50403838, -3732425, 495654110,
            473395010, -178516933, -42715719, 73011250, 0}},
          {20, {-202988500, 0,         -24289652,  57590969,  -12312743,
                -18541257,  93560099,  -328449076, 62093509,  -105358165,
                -106271750, -20185750, -163816131, -13931057, -290868338,
                -157983570, -60609884, -231488123, -97490359, 330603382,
                137839000,  0}},
      },
      {
          {12,
           {356449166, -787635752, -70475515, -25360834, 171136352, -361564244,
            16152500, -138366736, 107789481, 466407498, -690771982, 632735066}},
          {16,
           {283030312, 800713360, 145442189, -130211188, 92239061, -53901437,
            91514600, -9724903, 58666562, -288013380, 79027185, -51951614,
            -322769687, -66156619, -602487722, -805885363}},
          {20, {48350249,   -93882325,  -220549924, -485172326, 559919240,
                104094248,  -101424987, 198726139,  -85185104,  -293290045,
                -359771749, 150863775,  -210316736, 547075862,  -228767274,
                -419324748, 223921099,  136678507,  23507684,   -337981587}},
      },
      65000);
}

TEST(CustomSignalSpectrumTest, floatTransforms) {
  expectTransforms<float>(
      {
          {12,
           {-0x1.5ffdp6f, 0.0f, 0x1.0c1ep2f, 0x1.8eaae2p3f, -0x1.49e2fep5f,
            0x1.2ed31ep4f, 0x1.4104p4f, -0x1.b868p5f, 0x1.a4c1fcp4f,
            -0x1.2d939p6f, -0x1.bdfb8p4f, 0x1.2dd28cp4f, -0x1.2d48p3f, 0.0f}},
          {20, {-0x1.e7f4p5f,   0.0f,
                -0x1.d31bdp2f,  0x1.14e138p4f,
                -0x1.d99108p1f, -0x1.64901p2f,
                0x1.c1cee4p4f,  -0x1.8ac54p6f,
                0x1.2a86c8p4f,  -0x1.fa8798p4f,
                -0x1.feecp4f,   -0x1.843p2f,
                -0x1.89c9ecp5f, -0x1.0be7cp2f,
                -0x1.5d99f4p6f, -0x1.7bc4a8p5f,
                -0x1.2364c8p4f, -0x1.163b2p6f,
                -0x1.d4b41cp4f, 0x1.8d5c1ep6f,
                0x1.4b58p5f,    0.0f}},
      },
      {
          {12,
           {0x1.56bd56p2f, -0x1.7aabcap3f, -0x1.0f0f48p0f, -0x1.862a96p-2f,
            0x1.491bbap1f, -0x1.5ba86ap2f, 0x1.f1p-3f, -0x1.0a1706p1f,
            0x1.9e932ep0f, 0x1.c078p2f, -0x1.4c1a16p3f, 0x1.303316p3f}},
          {20,
           {0x1.73ecccp-1f, -0x1.6915fcp0f, -0x1.a8227p1f,  -0x1.d2830cp2f,
            0x1.0d3124p3f,  0x1.905ccap0f,  -0x1.86189ap0f, 0x1.7e2a6ap1f,
            -0x1.47a296p0f, -0x1.1a027cp2f, -0x1.59ef34p2f, 0x1.221f6ap1f,
            -0x1.94748ap1f, 0x1.07046ap3f,  -0x1.b7efe6p1f, -0x1.933266p2f,
            0x1.ae9e16p1f,  0x1.06d7e6p1f,  0x1.69a826p-2f, -0x1.44fb78p2f}},
      },
      1.0 / 1024);
}

// Published: 512 samples, and the first 36 of their frequencies.
TEST(CustomSignalSpectrumTest, publishedTransform) {
  const std::vector<int16_t> samples = {
      10160, 13773, 14060, 12558, 1521,  7242,  5158,  13300, 11261, 13098,
      5079,  1013,  12920, 13929, 1165,  2539,  5788,  14374, 4920,  10888,
      3021,  15694, 5775,  7080,  10262, 5754,  14959, 9359,  3658,  3000,
      1765,  9500,  8090,  10601, 10575, 5819,  9646,  15126, 5842,  1023,
      4584,  5098,  14319, 12369, 14998, 14763, 14761, 2135,  8867,  5190,
      12429, 2984,  12787, 3965,  11073, 5798,  12984, 1987,  12506, 1880,
      12293, 14638, 10053, 14428, 12737, 272,   12108, 8827,  9971,  9393,
      9383,  12871, 11425, 11198, 4062,  14971, 14303, 4339,  13744, 6937,
      2180,  623,   7116,  10179, 9514,  12048, 9904,  4688,  10935, 10358,
      11893, 13560, 14973, 14585, 14428, 1807,  6186,  6279,  1312,  13328,
      6753,  13669, 2949,  9794,  8960,  11569, 4097,  15988, 5239,  10071,
      8095,  3415,  8543,  16254, 12748, 9281,  8205,  985,   7221,  9894,
      4773,  2979,  690,   4775,  4361,  12046, 7819,  10220, 3124,  12790,
      5053,  956,   15510, 13038, 255,   12206, 1424,  6180,  5863,  2497,
      2711,  743,   73,    13877, 7370,  13087, 10478, 3710,  14614, 11262,
      7705,  7737,  8149,  9024,  9576,  8372,  14543, 12887, 15800, 1273,
      7,     9485,  795,   4285,  717,   10022, 11952, 13151, 15738, 7128,
      9026,  14966, 4291,  15703, 3983,  1138,  2184,  3093,  9932,  3324,
      14257, 9833,  11579, 7454,  1124,  12158, 12897, 5627,  8895,  5304,
      8116,  3812,  12881, 15179, 4846,  14269, 9627,  11180, 11801, 15496,
      8776,  6444,  198,   4207,  3445,  15131, 13610, 3581,  10129, 6235,
      367,   9038,  11437, 10229, 268,   12610, 2108,  4648,  5850,  154,
      14184, 7735,  14149, 14188, 14337, 13938, 4799,  1672,  11077, 2997,
      12084, 4639,  6446,  13492, 6431,  13945, 1692,  3852,  711,   10363,
      5579,  9509,  12894, 939,   6337,  1323,  1660,  2191,  9799,  14653,
      4772,  10142, 10447, 6300,  3097,  10681, 14654, 5837,  10706, 13193,
      8799,  6977,  14438, 7591,  14338, 7588,  14547, 13582, 12291, 13699,
      15169, 2158,  8290,  13491, 6990,  8303,  4815,  9482,  6162,  9086,
      14506, 4841,  14955, 8701,  7794,  3058,  12616, 356,   1954,  9090,
      916,   15470, 3315,  2703,  8482,  8649,  8692,  5817,  5048,  13615,
      2730,  9785,  12048, 6351,  8537,  12805, 12359, 3833,  4593,  1665,
      15655, 16335, 71,    9970,  5767,  12270, 1977,  10516, 11729, 3953,
      10746, 11030, 12843, 13832, 12992, 1602,  7686,  14599, 13637, 11613,
      239,   6200,  1171,  7247,  398,   6560,  16332, 1690,  7986,  8245,
      3215,  13510, 2383,  4390,  7257,  7447,  12854, 12016, 16153, 4089,
      10229, 9767,  3945,  13731, 8896,  2220,  12295, 4950,  3097,  132,
      5216,  5032,  16041, 1762,  14244, 16241, 7530,  6306,  12353, 12422,
      12694, 1635,  13828, 4010,  14180, 4188,  1181,  15440, 2139,  8837,
      13864, 8095,  8295,  13486, 2202,  2791,  25,    6553,  13699, 6658,
      10057, 11228, 1761,  11289, 15118, 2313,  6523,  9702,  122,   13532,
      11987, 6760,  14261, 1610,  8826,  13136, 453,   8861,  354,   6276,
      3543,  7152,  9727,  13253, 8488,  13672, 5977,  1767,  15732, 774,
      12728, 898,   1451,  898,   3191,  8178,  15761, 9253,  3040,  3806,
      15401, 9150,  12289, 8305,  5524,  1933,  11885, 2526,  7716,  8975,
      8692,  6358,  5773,  1783,  15245, 5923,  8934,  5871,  8808,  9962,
      14261, 2696,  14275, 6927,  12380, 2660,  14313, 2755,  1652,  2369,
      5013,  3718,  12291, 8516,  8593,  958,   9848,  8632,  6893,  5075,
      9919,  869,   2398,  11832, 5344,  13667, 794,   807,   1301,  11698,
      11771, 13999, 3745,  10128, 2677,  160,   9138,  5562,  16370, 9246,
      7543,  6392,  14953, 10361, 8045,  1386,  7070,  15021, 11687, 1342,
      4931,  10918, 4242,  13984, 4025,  5962,  2154,  6696,  8040,  2013,
      354,   9710};
  const std::vector<int16_t> expected = {
      8073, 0,    -69, -149, 45,   -261, -83,  -150, -101, -24,  -45,  206,
      159,  -84,  -11, 1,    107,  -34,  -116, 253,  124,  -132, -56,  112,
      -213, -197, 45,  106,  14,   -251, -66,  53,   99,   -129, -101, -86,
      72,   -147, -52, -11,  -142, 128,  55,   -192, 116,  94,   36,   97,
      242,  -401, 89,  -163, -177, 93,   194,  147,  49,   -104, -198, -141,
      -133, -126, 108, -198, 90,   101,  -2,   142,  62,   37,   47,   -224};
  Operator use = transformOf<int16_t>("SignalRfft", {512}, samples, 512).run();
  std::vector<int16_t> spectrum = use.elements<int16_t>();
  ASSERT_EQ(spectrum.size(), 514u);
  spectrum.resize(expected.size());
  EXPECT_EQ(spectrum, expected);
}

// Published: an impulse at the begin of each row.
TEST(CustomSignalSpectrumTest, rowsAndZeros) {
  std::vector<int32_t> samples(size_t(4) * 40), expected;
  for (size_t row = 0; row < 4; ++row)
    samples[row * 40] = 16384;
  for (size_t i = 0; i < size_t(4) * 33; ++i)
    expected.insert(expected.end(), {256, 0});
  Operator use =
      transformOf<int32_t>("SignalRfft", {2, 2, 40}, samples, 64).run();
  EXPECT_EQ(use.shape(), (Shape{2, 2, 66}));
  EXPECT_EQ(use.elements<int32_t>(), expected);
  Operator inverse =
      transformOf<int32_t>("SignalIrfft", {4, 66}, expected, 64).run();
  std::vector<int32_t> impulses(size_t(4) * 64);
  for (size_t row = 0; row < 4; ++row)
    impulses[row * 64] = 256;
  EXPECT_EQ(inverse.shape(), (Shape{4, 64}));
  EXPECT_EQ(inverse.elements<int32_t>(), impulses);
}

/// Expects that \p samples, transformed and transformed back, are divided by
/// their number, up to what the stages round off.
template <typename T>
void expectDivided(const std::vector<T> &samples, double tolerance) {
  auto length = int64_t(samples.size());
  std::vector<T> spectrum =
      transformOf<T>("SignalRfft", {length}, samples, int(length))
          .run()
          .template elements<T>();
  std::vector<T> result =
      transformOf<T>("SignalIrfft", {length + 2}, spectrum, int(length))
          .run()
          .template elements<T>();
  ASSERT_EQ(result.size(), samples.size());
  for (size_t i = 0; i < samples.size(); ++i)
    EXPECT_NEAR(double(result[i]), double(samples[i]) / double(length),
                tolerance)
        << "sample " << i << " of " << length;
}

// Both ways divide integers by the length.
TEST(CustomSignalSpectrumTest, inverseOfIntegers) {
  for (size_t length : {2, 8, 12, 20, 28, 64}) {
    std::vector<int16_t> narrow;
    std::vector<int32_t> wide;
    for (int32_t sample : randomIntegers(7, length, -16000, 16000)) {
      narrow.push_back(int16_t(sample));
      wide.push_back(sample * 65536);
    }
    expectDivided(narrow, 6.0);
    expectDivided(wide, 40.0);
  }
}

Operator window(Shape shape, std::vector<int16_t> samples,
                std::vector<int16_t> weights, int shift) {
  auto count = int64_t(weights.size());
  Operator use = customOperator("SignalWindow");
  Shape result(shape.size(), -1);
  use.int16(std::move(shape), std::move(samples), 0.5f)
      .int16({count}, std::move(weights))
      .customOptions(mapOf({{"shift", shift}}))
      .result(tensorInt16, std::move(result), 0.25f);
  return use;
}

// Published.
TEST(CustomSignalSpectrumTest, windows) {
  std::vector<int16_t> samples, weights;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 16; ++j)
      samples.push_back(int16_t(j * 256));
  for (int j = 0; j < 16; ++j)
    weights.push_back(int16_t((15 - j) * 256));
  const std::vector<int16_t> row = {0,   224, 416, 576, 704, 800, 864, 896,
                                    896, 864, 800, 704, 576, 416, 224, 0};
  std::vector<int16_t> expected;
  for (int i = 0; i < 4; ++i)
    expected.insert(expected.end(), row.begin(), row.end());
  Operator use = window({2, 2, 16}, samples, weights, 12).run();
  EXPECT_EQ(use.shape(), (Shape{2, 2, 16}));
  EXPECT_EQ(use.elements<int16_t>(), expected);
  EXPECT_EQ(window({8}, {1221, 1920, 9531, 2795, 1826, 371, 8446, -9531},
                   {1323, 764, 9100, 4220, 1745, 9311, 178, 9100}, 8)
                .run()
                .elements<int16_t>(),
            (std::vector<int16_t>{6310, 5730, 32767, 32767, 12446, 13493, 5872,
                                  -32768}));
}

struct Scaled {
  std::vector<int16_t> samples;
  int32_t bits;
  bool operator==(const Scaled &) const = default;
};

Scaled autoScaled(const std::vector<int16_t> &samples) {
  Operator use = customOperator("SignalFftAutoScale");
  use.int16({int64_t(samples.size())}, samples)
      .omitted()
      .result(tensorInt16, {-1})
      .result(tensorInt32, {1}, 0.0f)
      .run();
  return {use.elements<int16_t>(), use.elements<int32_t>(1)[0]};
}

TEST(CustomSignalSpectrumTest, autoScale) {
  EXPECT_EQ(autoScaled({1, -3, 2}), (Scaled{{8192, -24576, 16384}, 13}));
  EXPECT_EQ(autoScaled({16384, -5}), (Scaled{{16384, -5}, 0}));
  EXPECT_EQ(autoScaled({16383, -5}), (Scaled{{32766, -10}, 1}));
  EXPECT_EQ(autoScaled({0, 0}), (Scaled{{0, 0}, 0}));
  // The magnitude of -32768 is no 16-bit number.
  EXPECT_EQ(autoScaled({-32768, -5}), (Scaled{{-32768, -5}, 0}));
  EXPECT_EQ(autoScaled({-32768, 1}), (Scaled{{0, 16384}, 14}));
}

std::vector<uint32_t> energies(const std::vector<int16_t> &spectrum, int begin,
                               int end) {
  Operator use = customOperator("SignalEnergy");
  use.int16({int64_t(spectrum.size())}, spectrum)
      .customOptions(mapOf({{"end_index", end}, {"start_index", begin}}))
      .result(tensorUint32, {-1}, 0.0f)
      .run();
  return use.elements<uint32_t>();
}

// Published, and the largest one.
TEST(CustomSignalSpectrumTest, energy) {
  std::vector<int16_t> spectrum;
  for (int16_t i = 1; i <= 16; ++i)
    spectrum.push_back(i);
  using Energies = std::vector<uint32_t>;
  EXPECT_EQ(energies(spectrum, 2, 4), (Energies{0, 0, 61, 113, 0, 0, 0, 0}));
  EXPECT_EQ(energies(spectrum, 0, 4), (Energies{5, 25, 61, 113, 0, 0, 0, 0}));
  EXPECT_EQ(energies(spectrum, 4, 8),
            (Energies{0, 0, 0, 0, 181, 265, 365, 481}));
  EXPECT_EQ(energies({-32768, -32768}, 0, 1), Energies{0x80000000});
}

} // namespace
} // namespace nnhal::tflite
