//===- SignalFilterBank.cpp - Channels of frequencies ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators of the signal library of TensorFlow Lite Micro, from the energies
// of frequencies to the features of a frame. Integers without a sign wrap
// around.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <array>
#include <bit>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite_custom;

/// The number of channels that the options state.
static Result<int32_t> channelsOf(const Use &use) {
  return Options::read(use, [](Options &options) {
    return options.integer("num_channels", 1, INT16_MAX);
  });
}

//===----------------------------------------------------------------------===//
// SignalFilterBank
//===----------------------------------------------------------------------===//

static Result<Types> checkFilterBank(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(6, 1));
  NNHAL_ASSIGN_OR_RETURN(int32_t channels, channelsOf(use));
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(0, "energies", tensorUint32, {unknownExtent}));
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(1, "weights", int16Type, {unknownExtent}));
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(2, "counterweights", int16Type, {use.extent(1, 0)}));
  constexpr std::string_view names[] = {"starts of frequencies",
                                        "starts of weights", "widths"};
  for (size_t i = 0; i < 3; ++i)
    NNHAL_RETURN_IF_ERROR(
        use.checkTensor(3 + i, names[i], int16Type, {int64_t(channels) + 1}));
  return Types{typeOf(tensorUint64, {channels})};
}

/// Whether \p width elements from \p begin on are within \p count.
static bool isWithin(int16_t begin, int16_t width, size_t count) {
  return begin >= 0 && size_t(begin) + size_t(width) <= count;
}

static Status executeFilterBank(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(int32_t channels, channelsOf(use));
  NNHAL_ASSIGN_OR_RETURN(std::span<uint64_t> to,
                         allocate<uint64_t>(outputs, 0, {channels}));
  auto energies = elementsOf<uint32_t>(use, 0);
  auto weights = elementsOf<int16_t>(use, 1);
  auto counterweights = elementsOf<int16_t>(use, 2);
  auto frequencies = elementsOf<int16_t>(use, 3);
  auto starts = elementsOf<int16_t>(use, 4);
  auto widths = elementsOf<int16_t>(use, 5);
  // Where the triangle of a channel rises, that of the one before falls.
  uint64_t falling = 0;
  for (size_t channel = 0; channel <= size_t(channels); ++channel) {
    uint64_t rising = falling;
    falling = 0;
    if (widths[channel] > 0 &&
        (!isWithin(frequencies[channel], widths[channel], energies.size()) ||
         !isWithin(starts[channel], widths[channel], weights.size())))
      return fail("band ", channel, " has ", widths[channel],
                  " frequencies from ", frequencies[channel],
                  " on and weights from ", starts[channel],
                  " on, but there are ", energies.size(), " frequencies and ",
                  weights.size(), " weights");
    for (int16_t i = 0; i < widths[channel]; ++i) {
      uint64_t energy = energies[size_t(frequencies[channel] + i)];
      auto place = size_t(starts[channel] + i);
      rising += uint64_t(int64_t(weights[place])) * energy;
      falling += uint64_t(int64_t(counterweights[place])) * energy;
    }
    if (channel > 0)
      to[channel - 1] = rising;
  }
  return Status::ok();
}

const OperatorRow tflite_custom::filterBankRow = {
    "SignalFilterBank", checkFilterBank, executeFilterBank};

//===----------------------------------------------------------------------===//
// SignalFilterBankSquareRoot
//===----------------------------------------------------------------------===//

static Result<Types> checkSquareRoot(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(2, 1));
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(0, "channels", tensorUint64, {unknownExtent}));
  NNHAL_RETURN_IF_ERROR(use.checkTensor(1, "scale bits", int32Type, {1}));
  return Types{typeOf(tensorUint32, use.input(0).dimensions)};
}

/// The root of \p number, rounded to the nearest integer, but down to \p most
/// where it has no bits for that.
static uint32_t roundedRoot(uint64_t number, uint64_t most) {
  auto root = uint64_t(std::sqrt(double(number)));
  while (root * root > number || root > UINT32_MAX)
    --root;
  while (root < UINT32_MAX && (root + 1) * (root + 1) <= number)
    ++root;
  return uint32_t(number - root * root > root && root < most ? root + 1 : root);
}

static Status executeSquareRoot(const Use &use, ExtensionOutputs &outputs) {
  int32_t bits = elementsOf<int32_t>(use, 1)[0];
  if (bits < 0 || bits > 31)
    return fail("the scale bits ", bits, " are not in 0..31");
  NNHAL_ASSIGN_OR_RETURN(
      std::span<uint32_t> to,
      allocate<uint32_t>(outputs, 0, use.input(0).dimensions));
  auto channels = elementsOf<uint64_t>(use, 0);
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = roundedRoot(channels[i],
                        channels[i] >> 32 == 0 ? UINT16_MAX : UINT32_MAX) >>
            bits;
  return Status::ok();
}

const OperatorRow tflite_custom::squareRootRow = {
    "SignalFilterBankSquareRoot", checkSquareRoot, executeSquareRoot};

//===----------------------------------------------------------------------===//
// SignalFilterBankSpectralSubtraction
//===----------------------------------------------------------------------===//

namespace {
struct SubtractionOptions {
  int32_t channels = 0;
  /// The shares of the signal and of the estimate before, of the channels with
  /// even and odd numbers.
  std::array<uint32_t, 2> signalShares = {}, estimateShares = {};
  uint32_t leastShare = 0;
  int32_t smoothingBits = 0, shareBits = 0;
  bool isClamped = false;
};
} // namespace

static Result<SubtractionOptions> subtractionOptions(const Use &use) {
  return Options::read(use, [](Options &options) {
    auto share = [&](const char *name) {
      return uint32_t(options.integer(name, 0, INT32_MAX));
    };
    SubtractionOptions result;
    result.channels = options.integer("num_channels", 1, INT16_MAX);
    result.signalShares = {share("smoothing"), share("alternate_smoothing")};
    result.estimateShares = {share("one_minus_smoothing"),
                             share("alternate_one_minus_smoothing")};
    result.leastShare = share("min_signal_remaining");
    result.smoothingBits = options.integer("smoothing_bits", 0, 31);
    result.shareBits = options.integer("spectral_subtraction_bits", 0, 31);
    result.isClamped = options.truth("clamping");
    return result;
  });
}

static Result<Types> checkSubtraction(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(1, 2));
  NNHAL_ASSIGN_OR_RETURN(SubtractionOptions options, subtractionOptions(use));
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(0, "channels", tensorUint32, {options.channels}));
  TensorType type = typeOf(tensorUint32, {options.channels});
  return Types{type, type};
}

static Result<Types> subtractionStates(const Use &use) {
  NNHAL_ASSIGN_OR_RETURN(SubtractionOptions options, subtractionOptions(use));
  return Types{stateOf(tensorUint32, {options.channels})};
}

static Status executeSubtraction(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(SubtractionOptions options, subtractionOptions(use));
  std::array<std::span<uint32_t>, 3> results;
  for (size_t i = 0; i < results.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(results[i],
                           allocate<uint32_t>(outputs, i, {options.channels}));
  }
  auto channels = elementsOf<uint32_t>(use, 0);
  auto before = elementsOf<uint32_t>(use, use.stateInput(0));
  for (size_t i = 0; i < channels.size(); ++i) {
    uint32_t scaled = channels[i] << options.smoothingBits;
    auto noise =
        uint32_t((uint64_t(scaled) * options.signalShares[i % 2] +
                  uint64_t(before[i]) * options.estimateShares[i % 2]) >>
                 options.shareBits);
    uint32_t subtracted = std::min(noise, scaled);
    if (options.isClamped)
      noise = subtracted;
    auto least = uint32_t((uint64_t(channels[i]) * options.leastShare) >>
                          options.shareBits);
    results[0][i] =
        std::max((scaled - subtracted) >> options.smoothingBits, least);
    results[1][i] = results[2][i] = noise;
  }
  return Status::ok();
}

const OperatorRow tflite_custom::subtractionRow = {
    "SignalFilterBankSpectralSubtraction", checkSubtraction, executeSubtraction,
    1, subtractionStates};

//===----------------------------------------------------------------------===//
// SignalPCAN
//===----------------------------------------------------------------------===//

static Result<int32_t> gainShift(const Use &use) {
  return Options::read(use, [](Options &options) {
    return options.integer("snr_shift", 0, 63);
  });
}

static Result<Types> checkGain(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(3, 1));
  NNHAL_RETURN_IF_ERROR(gainShift(use).takeStatus());
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(0, "channels", tensorUint32, {unknownExtent}));
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(1, "noise", tensorUint32, {use.extent(0, 0)}));
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(2, "gains", int16Type, {unknownExtent}));
  return Types{typeOf(tensorUint32, use.input(0).dimensions)};
}

/// The place of the polynomial for \p x among the gains, which has three
/// coefficients; of the gain itself where that is tabulated.
static size_t placeOfGain(uint32_t x) {
  return x <= 2 ? x : size_t(4 * std::bit_width(x) - 6);
}

/// The gain for \p x: one of the first three of \p gains, or the polynomial of
/// those whose highest bit is that of x.
static int16_t gainOf(uint32_t x, std::span<const int16_t> gains) {
  if (x <= 2)
    return gains[x];
  const int16_t *coefficients = &gains[placeOfGain(x)];
  int width = std::bit_width(x);
  int32_t fraction =
      int32_t((width < 11 ? x << (11 - width) : x >> (width - 11)) & 0x3FF);
  auto sum = uint32_t((coefficients[2] * fraction) >> 5);
  sum += uint32_t(int32_t(coefficients[1])) << 5;
  sum = sum * uint32_t(fraction) + (1u << 14);
  return int16_t((int32_t(sum) >> 15) + coefficients[0]);
}

/// x^2 / 4 below 2 and x - 1 from there on, of 12 fractional bits to 6.
static uint32_t shrunk(uint32_t x) {
  return x < (2u << 12) ? (x * x) >> 20 : (x >> 6) - (1u << 6);
}

static Status executeGain(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(int32_t shift, gainShift(use));
  NNHAL_ASSIGN_OR_RETURN(
      std::span<uint32_t> to,
      allocate<uint32_t>(outputs, 0, use.input(0).dimensions));
  auto channels = elementsOf<uint32_t>(use, 0);
  auto noise = elementsOf<uint32_t>(use, 1);
  auto gains = elementsOf<int16_t>(use, 2);
  for (size_t i = 0; i < to.size(); ++i) {
    size_t needed = placeOfGain(noise[i]) + (noise[i] <= 2 ? 1 : 3);
    if (needed > gains.size())
      return fail("noise of ", noise[i], " needs ", needed,
                  " gains, but there are ", gains.size());
    auto gain = uint32_t(int32_t(gainOf(noise[i], gains)));
    to[i] = shrunk(uint32_t((uint64_t(channels[i]) * gain) >> shift));
  }
  return Status::ok();
}

const OperatorRow tflite_custom::gainRow = {"SignalPCAN", checkGain,
                                            executeGain};

//===----------------------------------------------------------------------===//
// SignalFilterBankLog
//===----------------------------------------------------------------------===//

namespace {
struct LogarithmOptions {
  int32_t scale = 0, bits = 0;
};
} // namespace

static Result<LogarithmOptions> logarithmOptions(const Use &use) {
  return Options::read(use, [](Options &options) {
    LogarithmOptions result;
    result.scale = options.integer("output_scale", 1, INT32_MAX);
    result.bits = options.integer("input_correction_bits", 0, 31);
    return result;
  });
}

static Result<Types> checkLogarithm(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(1, 1));
  NNHAL_RETURN_IF_ERROR(logarithmOptions(use).takeStatus());
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(0, "channels", tensorUint32, {unknownExtent}));
  return Types{typeOf(int16Type, use.input(0).dimensions)};
}

namespace {
/// Logarithms of integers with 16 fractional bits: that to base 2 is a line
/// between the powers of 2 and, from a table, what it is above the line.
class Logarithm {
public:
  Logarithm() {
    for (size_t i = 0; i < excess.size(); ++i) {
      double part = double(i) / segments;
      excess[i] = int32_t(std::lround(one * (std::log2(1 + part) - part)));
    }
  }

  /// The natural logarithm of \p x, which is not 0, times \p scale.
  uint32_t operator()(uint32_t x, uint32_t scale) const {
    auto exponent = uint32_t(std::bit_width(x) - 1);
    uint32_t fraction = x - (1u << exponent);
    fraction = exponent < 16 ? fraction << (16 - exponent)
                             : fraction >> (exponent - 16);
    uint32_t segment = fraction / (one / segments);
    auto within = int32_t(fraction % (one / segments));
    int32_t rise = excess[segment + 1] - excess[segment];
    uint32_t log2 = (exponent << 16) + fraction + uint32_t(excess[segment]) +
                    uint32_t((rise * within) >> 16);
    constexpr uint64_t ln2 = 45426;
    auto natural = uint32_t((ln2 * log2 + one / 2) >> 16);
    return (scale * natural + one / 2) >> 16;
  }

private:
  static constexpr uint32_t one = 1 << 16, segments = 128;
  std::array<int32_t, segments + 1> excess;
};
} // namespace

static Status executeLogarithm(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(LogarithmOptions options, logarithmOptions(use));
  NNHAL_ASSIGN_OR_RETURN(
      std::span<int16_t> to,
      allocate<int16_t>(outputs, 0, use.input(0).dimensions));
  static const Logarithm logarithm;
  auto channels = elementsOf<uint32_t>(use, 0);
  for (size_t i = 0; i < to.size(); ++i) {
    uint32_t scaled = channels[i] << options.bits;
    if (scaled > 1)
      to[i] = int16_t(std::min<uint32_t>(
          logarithm(scaled, uint32_t(options.scale)), INT16_MAX));
  }
  return Status::ok();
}

const OperatorRow tflite_custom::logarithmRow = {
    "SignalFilterBankLog", checkLogarithm, executeLogarithm};
