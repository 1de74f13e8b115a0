//===- CustomSignalFilterBankTest.cpp - Channels of frequencies -----------===//
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

using Numbers = std::vector<uint32_t>;
using Weights = std::vector<int16_t>;

// Published: 16 channels of 129 frequencies.
TEST(CustomSignalFilterBankTest, filterBank) {
  const Numbers energies = {
      645050, 4644,  3653,  24262, 56660, 43260, 50584, 57902, 31702, 5401,
      45555,  34852, 8518,  43556, 13358, 19350, 40221, 18017, 27284, 64491,
      60099,  17863, 11001, 29076, 32666, 65268, 50947, 28694, 32377, 30014,
      25607,  22547, 45086, 10654, 46797, 8622,  47348, 43085, 5747,  51544,
      50364,  6208,  20696, 59782, 14429, 60125, 37079, 32673, 63457, 60142,
      34042,  11280, 1874,  33734, 62118, 13766, 54398, 47818, 50976, 46930,
      25906,  59441, 25958, 59136, 1756,  18652, 29213, 13379, 51845, 1207,
      55626,  27108, 43771, 35236, 3374,  40959, 47707, 41540, 34282, 27094,
      36329,  13593, 65257, 47006, 46857, 1114,  37106, 18738, 25969, 15461,
      2842,   36470, 32489, 61622, 23613, 29624, 32820, 30438, 9543,  6767,
      23037,  52896, 12059, 32264, 11575, 42400, 43344, 27511, 16712, 6877,
      4910,   50047, 61569, 57237, 48558, 2310,  22192, 7874,  46141, 64056,
      61997,  7298,  31372, 25316, 683,   58940, 18755, 17898, 19196};
  const Weights weights = {
      -2210, 1711, 3237, 1247, 2507, 61,   1019, 899,  206,  146,  2849, 2756,
      1260,  1280, 1951, 213,  617,  2047, 211,  347,  2821, 3747, 150,  1924,
      3962,  942,  1430, 2678, 993,  308,  3364, 2491, 954,  1308, 879,  3950,
      1,     3556, 3628, 2104, 78,   1298, 1080, 342,  1337, 1639, 2352, 829,
      1358,  2498, 1647, 2507, 3816, 3767, 3735, 1155, 2221, 2196, 1160};
  const Weights counterweights = {
      408,  3574, 1880, 2561, 2011, 3394, 1019, 445,  3901, 343,  1874, 3846,
      3566, 1830, 327,  111,  623,  1037, 2803, 1947, 1518, 661,  3239, 2351,
      1257, 269,  1574, 3431, 3972, 2487, 2181, 1458, 552,  717,  679,  1031,
      1738, 1782, 128,  2242, 353,  1460, 3305, 1424, 3813, 2895, 164,  272,
      3886, 3135, 141,  747,  3233, 1478, 2612, 3837, 3271, 73,   1746};
  const Weights frequencies = {5,  6,  7,  9,  11, 12, 14, 16, 18,
                               20, 22, 25, 27, 30, 32, 35, 33};
  const Weights starts = {0,  1,  2,  4,  6,  7,  9,  11, 13,
                          15, 17, 20, 22, 25, 27, 30, 33};
  const Weights widths = {1, 1, 2, 2, 1, 2, 2, 2, 2, 2, 3, 2, 3, 2, 3, 3, 3};
  Operator use = customOperator("SignalFilterBank");
  use.tensor(tensorUint32, {129}, energies, 0.0f)
      .int16({59}, weights)
      .int16({59}, counterweights)
      .int16({17}, frequencies)
      .int16({17}, starts)
      .int16({17}, widths)
      .customOptions(mapOf({{"num_channels", 16}}))
      .result(tensorUint64, {-1}, 0.0f)
      .run();
  EXPECT_EQ(use.shape(), Shape{16});
  EXPECT_EQ(use.elements<uint64_t>(),
            (std::vector<uint64_t>{
                104199304, 407748384, 206363744, 200989269, 52144406, 230780884,
                174394190, 379684049, 94840835, 57788823, 531528204, 318265707,
                263149795, 188110467, 501443259, 200747781}));
}

Numbers roots(const std::vector<uint64_t> &channels, int32_t bits) {
  Operator use = customOperator("SignalFilterBankSquareRoot");
  use.tensor(tensorUint64, {int64_t(channels.size())}, channels, 0.0f)
      .int32({1}, {bits})
      .omitted()
      .result(tensorUint32, {-1}, 0.0f)
      .run();
  return use.elements<uint32_t>();
}

// Published; then roots that are rounded up, unless they lack the bits.
TEST(CustomSignalFilterBankTest, squareRoot) {
  EXPECT_EQ(roots({13051415151, 14932650877, 18954728418, 8730126017,
                   6529665275, 12952546517, 10314975609, 8919697835, 8053663348,
                   17231208421, 7366899760, 1372112200, 19953434807,
                   17012385332, 4710443222, 17765594053},
                  5),
            (Numbers{3570, 3818, 4302, 2919, 2525, 3556, 3173, 2951, 2804, 4102,
                     2682, 1157, 4414, 4076, 2144, 4165}));
  EXPECT_EQ(roots({0, 1, 2, 3, 6, 7, 4294836225, 4294901760, 4294967295,
                   4294967296, 4295032833, 18446744073709551615u},
                  0),
            (Numbers{0, 1, 1, 2, 2, 3, 65535, 65535, 65535, 65536, 65537,
                     4294967295}));
}

struct Subtracted {
  Numbers result, noise, state;
};

Subtracted subtracted(Numbers channels, Numbers before, bool isClamped) {
  auto count = int64_t(channels.size());
  Operator use = customOperator("SignalFilterBankSpectralSubtraction");
  use.tensor(tensorUint32, {count}, std::move(channels), 0.0f)
      .customOptions(mapOf([&](flexbuffers::Builder &map) {
        map.Int("alternate_one_minus_smoothing", 15892);
        map.Int("alternate_smoothing", 491);
        map.Bool("clamping", isClamped);
        map.Int("min_signal_remaining", 819);
        map.Int("num_channels", count);
        map.Int("one_minus_smoothing", 15892);
        map.Int("smoothing", 655);
        map.Int("smoothing_bits", 0);
        map.Int("spectral_subtraction_bits", 14);
      }))
      .tensor(tensorUint32, {count}, std::move(before), 0.0f);
  for (int i = 0; i < 3; ++i)
    use.result(tensorUint32, {-1}, 0.0f);
  use.run();
  return {use.elements<uint32_t>(0), use.elements<uint32_t>(1),
          use.elements<uint32_t>(2)};
}

TEST(CustomSignalFilterBankTest, spectralSubtraction) {
  // 393 * 655 / 2^14 is 15.7, 213 * 491 / 2^14 is 6.4, rounded down.
  Subtracted first = subtracted({393, 213, 408, 1}, {0, 0, 0, 0}, false);
  EXPECT_EQ(first.result, (Numbers{378, 207, 392, 1}));
  EXPECT_EQ(first.noise, (Numbers{15, 6, 16, 0}));
  EXPECT_EQ(first.state, first.noise);
  // More noise than signal leaves 5 % of the signal; clamping ends the noise.
  Subtracted loud = subtracted({100, 100}, {1000, 50}, false);
  EXPECT_EQ(loud.noise, (Numbers{973, 51}));
  EXPECT_EQ(loud.result, (Numbers{4, 49}));
  Subtracted clamped = subtracted({100, 100}, {1000, 50}, true);
  EXPECT_EQ(clamped.state, (Numbers{100, 51}));
  EXPECT_EQ(clamped.result, (Numbers{4, 49}));
}

// Published.
TEST(CustomSignalFilterBankTest, automaticGain) {
  Operator use = customOperator("SignalPCAN");
  use.tensor<uint32_t>(tensorUint32, {40},
                       {286, 298, 305, 291, 290, 279, 273, 257, 250, 240,
                        240, 233, 234, 230, 221, 205, 183, 159, 156, 188,
                        239, 298, 345, 374, 380, 369, 359, 364, 372, 354,
                        302, 243, 194, 135, 64,  72,  171, 245, 277, 304},
                       0.0f)
      .tensor<uint32_t>(tensorUint32, {40},
                        {7310, 18308, 7796, 17878, 7413, 17141, 6978, 15789,
                         6390, 14745, 6135, 14314, 5981, 14130, 5649, 12594,
                         4677, 9768,  3987, 11550, 6109, 18308, 8819, 22977,
                         9713, 22670, 9176, 22363, 9509, 21748, 7719, 14929,
                         4959, 8294,  1636, 4423,  4371, 15052, 7080, 18677},
                        0.0f)
      .int16({125}, {32636, 32633,  32630, -6,    0,    -21589, 32624, -12,
                     0,     -21589, 32612, -23,   -2,   -21589, 32587, -48,
                     0,     -21589, 32539, -96,   0,    -21589, 32443, -190,
                     0,     -21589, 32253, -378,  4,    -21589, 31879, -739,
                     18,    -21589, 31158, -1409, 62,   -21589, 29811, -2567,
                     202,   -21589, 27446, -4301, 562,  -21589, 23707, -6265,
                     1230,  -21589, 18672, -7458, 1952, -21589, 13166, -7030,
                     2212,  -21589, 8348,  -5342, 1868, -21589, 4874,  -3459,
                     1282,  -21589, 2697,  -2025, 774,  -21589, 1446,  -1120,
                     436,   -21589, 762,   -596,  232,  -21589, 398,   -313,
                     122,   -21589, 207,   -164,  64,   -21589, 107,   -85,
                     34,    -21589, 56,    -45,   18,   -21589, 29,    -22,
                     8,     -21589, 15,    -13,   6,    -21589, 8,     -8,
                     4,     -21589, 4,     -2,    0,    -21589, 2,     -3,
                     2,     -21589, 1,     0,     0,    -21589, 1,     -3,
                     2,     -21589, 0,     0,     0})
      .customOptions(mapOf({{"snr_shift", 6}}))
      .result(tensorUint32, {-1}, 0.0f)
      .run();
  EXPECT_EQ(use.elements<uint32_t>(),
            (Numbers{1301, 836, 1354, 827, 1312, 811, 1263, 779, 1192, 753,
                     1160, 743, 1140, 738, 1096, 698, 956,  607, 845,  667,
                     1157, 836, 1461, 912, 1546, 908, 1496, 904, 1527, 895,
                     1346, 758, 999,  548, 378,  344, 908,  761, 1274, 843}));
}

Weights logarithms(const Numbers &channels, int scale, int bits) {
  Operator use = customOperator("SignalFilterBankLog");
  use.tensor(tensorUint32, {int64_t(channels.size())}, channels, 0.0f)
      .customOptions(
          mapOf({{"input_correction_bits", bits}, {"output_scale", scale}}))
      .result(tensorInt16, {-1})
      .run();
  return use.elements<int16_t>();
}

// Published; then what is 0 and what does not fit.
TEST(CustomSignalFilterBankTest, logarithm) {
  EXPECT_EQ(
      logarithms({29, 21, 29, 40, 19, 11, 13, 23, 13, 11, 25,
                  17, 5,  4,  46, 14, 17, 14, 20, 14, 10, 10,
                  15, 11, 17, 12, 15, 16, 19, 18, 6,  2},
                 1600, 3),
      (Weights{8715, 8198, 8715, 9229, 8038, 7164, 7431, 8344, 7431, 7164, 8477,
               7860, 5902, 5545, 9453, 7550, 7860, 7550, 8120, 7550, 7011, 7011,
               7660, 7164, 7860, 7303, 7660, 7763, 8038, 7952, 6194, 4436}));
  EXPECT_EQ(logarithms({48, 20, 19, 24, 35, 47, 23, 30, 31, 10, 48, 21, 46, 14,
                        18, 27},
                       32768, 5),
            (Weights{32767, 15121, 13440, 21095, 32767, 32767, 19701, 28407,
                     29482, 32767, 32767, 16720, 32767, 3434, 11669, 24955}));
  EXPECT_EQ(logarithms({0, 1, 0x80000000}, 1600, 0), (Weights{0, 0, 32767}));
}

} // namespace
} // namespace nnhal::tflite
