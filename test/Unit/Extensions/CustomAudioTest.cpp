//===- CustomAudioTest.cpp - Spectra and cepstra of sound -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomTesting.h"

#include <cmath>

namespace nnhal::tflite {
namespace {

/// Multiples of 1 / 16 in [low / 16, high / 16].
Floats randomFloats(uint32_t state, size_t count, int32_t low, int32_t high) {
  Floats values;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    auto steps = int32_t((state >> 8) % uint32_t(high - low + 1));
    values.push_back(float(low + steps) / 16);
  }
  return values;
}

void expectNear(const Floats &actual, const Floats &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 3e-6) << "element " << i;
}

Operator spectrogram(int window, int stride, bool isSquared) {
  Operator use = customOperator(2);
  use.float32({12, 2}, randomFloats(3, 24, -64, 64))
      .customOptions(mapOf([&](flexbuffers::Builder &map) {
        map.Int("window_size", window);
        map.Int("stride", stride);
        map.Bool("magnitude_squared", isSquared);
      }))
      .result(tensorFloat32, {-1, -1, -1}, 0.0f);
  return use;
}

// |sum over i of x[i] (0.5 - 0.5 cos(2 pi i / 5)) exp(-2 pi i k / 8)|^2, as
// Python computes it term by term: two channels with three windows each.
const Floats squares = {
    0.100576f,  2.956672f,  5.579988f,  2.900569f, 0.45393f,   17.427655f,
    22.219245f, 23.574169f, 10.485733f, 0.833963f, 24.483753f, 20.654417f,
    11.892956f, 3.815088f,  0.669346f,  2.686196f, 6.244433f,  15.338913f,
    20.790814f, 20.706473f, 1.84532f,   0.34716f,  2.730755f,  4.430757f,
    2.249002f,  38.895861f, 23.212819f, 4.163896f, 1.023176f,  1.248338f};

TEST(CustomAudioTest, spectrogram) {
  Operator use = spectrogram(5, 3, true).run();
  EXPECT_EQ(use.shape(), (Shape{2, 3, 5}));
  expectNear(use.elements<float>(), squares);
  Floats roots;
  for (float square : squares)
    roots.push_back(std::sqrt(square));
  expectNear(spectrogram(5, 3, false).run().elements<float>(), roots);
  // A window of all samples and one that is longer.
  EXPECT_EQ(spectrogram(12, 7, true).run().shape(), (Shape{2, 1, 9}));
  EXPECT_EQ(spectrogram(13, 1, true).run().shape(), (Shape{2, 0, 9}));
}

Operator cepstra(int channels, int32_t rate, int upper = 4000) {
  Operator use = customOperator(3);
  use.float32({1, 2, 17}, randomFloats(4, 34, 0, 400))
      .int32({1}, {rate})
      .customOptions(mapOf([&](flexbuffers::Builder &map) {
        map.Int("upper_frequency_limit", upper);
        map.Int("lower_frequency_limit", 20);
        map.Int("filterbank_channel_count", channels);
        map.Int("dct_coefficient_count", 4);
      }))
      .result(tensorFloat32, {-1, -1, -1}, 0.0f);
  return use;
}

// Bins 1 to 8 of 500 Hz under five triangles, evenly spaced in 1127 ln(1 + f /
// 700) from 20 to 4000 Hz; sqrt(2 / 5) sum over j of ln(y[j]) cos(pi k (j +
// 0.5) / 5), as Python computes it.
TEST(CustomAudioTest, cepstra) {
  Operator use = cepstra(5, 16000).run();
  EXPECT_EQ(use.shape(), (Shape{1, 2, 4}));
  expectNear(use.elements<float>(),
             {3.763158f, -1.410655f, -0.018768f, -0.315282f, 4.037705f,
              -1.013352f, -0.696867f, -0.079641f});
  // The spectrum ends at 2000 Hz, below the upper limit.
  EXPECT_EQ(cepstra(5, 4000).run().elements<float>(), Floats(8));
}

TEST(CustomAudioTest, errors) {
  EXPECT_EQ(spectrogram(1, 1, true).refusal(),
            "AudioSpectrogram: custom option 'window_size' is 1, which is not "
            "in 2..1048576");
  EXPECT_EQ(cepstra(3, 16000).refusal(),
            "Mfcc: custom option 'dct_coefficient_count' is 4, which is not in "
            "1..3");
  EXPECT_EQ(cepstra(5, 16000, 20).refusal(),
            "Mfcc: custom option 'upper_frequency_limit' is 20, which is not "
            "in 21..1000001");
  EXPECT_EQ(cepstra(5, 0).failure(),
            "Mfcc: the sample rate 0 must be positive");
  auto refusal = [](Shape spectra, rt::OperandType rateType, Shape rate) {
    return customOperator(3)
        .open(tensorFloat32, std::move(spectra))
        .open(rateType, std::move(rate))
        .customOptions(mapOf([](flexbuffers::Builder &map) {
          map.Int("upper_frequency_limit", 4000);
          map.Int("lower_frequency_limit", 20);
          map.Int("filterbank_channel_count", 5);
          map.Int("dct_coefficient_count", 4);
        }))
        .result(tensorFloat32, {-1, -1, -1}, 0.0f)
        .refusal();
  };
  EXPECT_EQ(refusal({1, -1, -1}, tensorInt32, {1}), "");
  EXPECT_EQ(refusal({1, 2, 1}, tensorInt32, {1}),
            "Mfcc: spectra have 1 bins, but at least 2 are needed");
  EXPECT_EQ(refusal({1, 2, 3}, tensorFloat32, {1}),
            "Mfcc: the sample rate is no TENSOR_INT32");
  EXPECT_EQ(refusal({1, 2, 3}, tensorInt32, {2}),
            "Mfcc: the sample rate has shape 2, expected 1");
}

} // namespace
} // namespace nnhal::tflite
