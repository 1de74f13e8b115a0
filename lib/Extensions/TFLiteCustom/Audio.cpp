//===- Audio.cpp - Spectra and cepstra of sound ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AudioSpectrogram and Mfcc, which compute in double precision.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

using namespace nnhal;
using namespace nnhal::tflite_custom;

using Complex = std::complex<double>;

//===----------------------------------------------------------------------===//
// AudioSpectrogram
//===----------------------------------------------------------------------===//

namespace {

struct SpectrogramOptions {
  int32_t window = 0, stride = 0;
  bool isSquared = false;

  /// The length of a transform: the window and zeros behind it.
  uint32_t length() const { return std::bit_ceil(uint32_t(window)); }
  int64_t bins() const { return length() / 2 + 1; }
  /// The number of windows in as many samples.
  int64_t rows(int64_t samples) const {
    return samples < window ? 0 : (samples - window) / stride + 1;
  }
};

Result<SpectrogramOptions> spectrogramOptions(const Use &use) {
  return Options::read(use, [](Options &options) {
    SpectrogramOptions result;
    result.window = options.integer("window_size", 2, 1 << 20);
    result.stride = options.integer("stride", 1, 1 << 20);
    result.isSquared = options.truth("magnitude_squared");
    return result;
  });
}

Result<Types> checkSpectrogram(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(1, 1));
  NNHAL_ASSIGN_OR_RETURN(SpectrogramOptions options, spectrogramOptions(use));
  NNHAL_RETURN_IF_ERROR(
      use.checkReal(0, "samples", {unknownExtent, unknownExtent}));
  int64_t samples = use.extent(0, 0);
  int64_t rows =
      samples == unknownExtent ? unknownExtent : options.rows(samples);
  return Types{typeOf(floatType, {use.extent(0, 1), rows, options.bins()})};
}

/// Transforms \p values, whose number is a power of 2, in place. \p roots are
/// exp(-2 pi i k / n) for the first half of k.
void transform(std::span<Complex> values, std::span<const Complex> roots) {
  size_t count = values.size();
  for (size_t i = 1, j = 0; i < count; ++i) {
    size_t bit = count / 2;
    for (; j & bit; bit /= 2)
      j ^= bit;
    j ^= bit;
    if (i < j)
      std::swap(values[i], values[j]);
  }
  for (size_t size = 2; size <= count; size *= 2)
    for (size_t begin = 0; begin < count; begin += size)
      for (size_t k = 0; k < size / 2; ++k) {
        Complex &low = values[begin + k], &high = values[begin + k + size / 2];
        Complex turned = high * roots[k * (count / size)];
        high = low - turned;
        low += turned;
      }
}

Status executeSpectrogram(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(SpectrogramOptions options, spectrogramOptions(use));
  int64_t samples = use.extent(0, 0), channels = use.extent(0, 1);
  int64_t rows = options.rows(samples), bins = options.bins();
  NNHAL_ASSIGN_OR_RETURN(std::span<float> to,
                         allocate<float>(outputs, 0, {channels, rows, bins}));
  std::vector<float> from = realsOf(use, 0);
  std::vector<double> window(size_t(options.window));
  for (size_t i = 0; i < window.size(); ++i)
    window[i] = 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * double(i) /
                                     double(window.size()));
  std::vector<Complex> roots(options.length() / 2);
  for (size_t k = 0; k < roots.size(); ++k)
    roots[k] = std::polar(1.0, -2.0 * std::numbers::pi * double(k) /
                                   double(options.length()));
  std::vector<Complex> values(options.length());
  for (int64_t channel = 0; channel < channels; ++channel)
    for (int64_t row = 0; row < rows; ++row) {
      std::ranges::fill(values, Complex());
      for (size_t i = 0; i < window.size(); ++i) {
        auto sample = size_t(row * options.stride) + i;
        values[i] = window[i] *
                    double(from[sample * size_t(channels) + size_t(channel)]);
      }
      transform(values, roots);
      for (int64_t bin = 0; bin < bins; ++bin) {
        auto power = float(std::norm(values[size_t(bin)]));
        to[size_t((channel * rows + row) * bins + bin)] =
            options.isSquared ? power : std::sqrt(power);
      }
    }
  return Status::ok();
}

} // namespace

//===----------------------------------------------------------------------===//
// Mfcc
//===----------------------------------------------------------------------===//

namespace {

struct MfccOptions {
  int32_t upper = 0, lower = 0, channels = 0, coefficients = 0;
};

Result<MfccOptions> mfccOptions(const Use &use) {
  return Options::read(use, [](Options &options) {
    constexpr int32_t highest = 1'000'000, most = 4096;
    MfccOptions result;
    result.lower = options.integer("lower_frequency_limit", 0, highest);
    result.upper =
        options.integer("upper_frequency_limit", result.lower + 1, highest + 1);
    result.channels = options.integer("filterbank_channel_count", 1, most);
    result.coefficients =
        options.integer("dct_coefficient_count", 1, result.channels);
    return result;
  });
}

Result<Types> checkMfcc(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(2, 1));
  NNHAL_ASSIGN_OR_RETURN(MfccOptions options, mfccOptions(use));
  NNHAL_RETURN_IF_ERROR(use.checkReal(
      0, "spectra", {unknownExtent, unknownExtent, unknownExtent}));
  if (int64_t bins = use.extent(0, 2); bins == 0 || bins == 1)
    return refuse("spectra have ", bins, " bins, but at least 2 are needed");
  if (!use.has(1) || use.input(1).type != OperandType::TENSOR_INT32)
    return refuse("the sample rate is no TENSOR_INT32");
  if (const TensorType &rate = use.input(1);
      !rate.isRanked ||
      std::ranges::any_of(rate.dimensions, [](int64_t extent) {
        return extent != 1 && extent != unknownExtent;
      }))
    return refuse("the sample rate has shape ", rt::shapeText(rate),
                  ", expected 1");
  return Types{typeOf(
      floatType, {use.extent(0, 0), use.extent(0, 1), options.coefficients})};
}

double melOf(double frequency) {
  return 1127.0 * std::log1p(frequency / 700.0);
}

/// Triangles that are evenly spaced on the mel scale, each from the middle of
/// the one before it to that of the next one.
class FilterBank {
public:
  FilterBank(const MfccOptions &options, size_t bins, int32_t sampleRate)
      : channels(size_t(options.channels)) {
    double low = melOf(options.lower);
    double step = (melOf(options.upper) - low) / double(channels + 1);
    std::vector<double> centres(channels + 1);
    for (size_t i = 0; i < centres.size(); ++i)
      centres[i] = low + step * double(i + 1);
    double width = 0.5 * sampleRate / double(bins - 1);
    // The first bin, of no frequency, never counts.
    begin = size_t(1.5 + options.lower / width);
    double last = options.upper / width;
    if (last >= double(bins))
      return;
    isComplete = true;
    for (size_t bin = begin; bin <= size_t(last); ++bin) {
      double mel = melOf(double(bin) * width);
      size_t next = 0;
      while (next < channels && centres[next] < mel)
        ++next;
      double before = next == 0 ? low : centres[next - 1];
      shares.push_back(
          {next, (centres[next] - mel) / (centres[next] - before)});
    }
  }

  /// Adds up the magnitudes of \p spectrum, which holds their squares. There is
  /// no sum where the bank goes beyond the spectrum.
  std::vector<double> apply(std::span<const float> spectrum) const {
    std::vector<double> sums(isComplete ? channels : 0);
    for (size_t i = 0; i < shares.size(); ++i) {
      double magnitude = std::sqrt(double(spectrum[begin + i]));
      double falling = magnitude * shares[i].falling;
      if (shares[i].next > 0)
        sums[shares[i].next - 1] += falling;
      if (shares[i].next < channels)
        sums[shares[i].next] += magnitude - falling;
    }
    return sums;
  }

private:
  /// A bin between the triangles next - 1, which falls there, and next.
  struct Share {
    size_t next;
    double falling;
  };
  size_t channels, begin = 0;
  bool isComplete = false;
  std::vector<Share> shares;
};

Status executeMfcc(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(MfccOptions options, mfccOptions(use));
  int32_t rate;
  std::memcpy(&rate, use.bytes(1).data(), sizeof rate);
  if (rate < 1)
    return fail("the sample rate ", rate, " must be positive");
  auto bins = size_t(use.extent(0, 2)), count = size_t(options.coefficients);
  NNHAL_ASSIGN_OR_RETURN(std::span<float> to,
                         allocate<float>(outputs, 0,
                                         {use.extent(0, 0), use.extent(0, 1),
                                          options.coefficients}));
  std::vector<float> from = realsOf(use, 0);
  FilterBank bank(options, bins, rate);
  auto channels = size_t(options.channels);
  double norm = std::sqrt(2.0 / double(channels));
  std::vector<double> cosines(count * channels);
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < channels; ++j)
      cosines[i * channels + j] =
          norm * std::cos(double(i) * (std::numbers::pi / double(channels)) *
                          (double(j) + 0.5));
  for (size_t row = 0; row < from.size() / bins; ++row) {
    std::vector<double> sums =
        bank.apply(std::span(from).subspan(row * bins, bins));
    for (double &sum : sums)
      sum = std::log(sum < 1e-12 ? 1e-12 : sum);
    for (size_t i = 0; i < count; ++i) {
      double coefficient = 0.0;
      for (size_t j = 0; j < sums.size(); ++j)
        coefficient += cosines[i * channels + j] * sums[j];
      to[row * count + i] = float(coefficient);
    }
  }
  return Status::ok();
}

} // namespace

const OperatorRow tflite_custom::spectrogramRow = {
    "AudioSpectrogram", checkSpectrogram, executeSpectrogram};
const OperatorRow tflite_custom::mfccRow = {"Mfcc", checkMfcc, executeMfcc};
