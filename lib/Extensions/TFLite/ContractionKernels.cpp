//===- ContractionKernels.cpp - Sums of products --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionKernels.h"

#include <cstring>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// A sum of 256 products of a 16-bit and an 8-bit number has 31 bits, so that
/// it is computed in 32.
constexpr int64_t mostProducts = 256;

using Floats = float __attribute__((vector_size(32)));
using Int32s = int32_t __attribute__((vector_size(32)));
using Int16s = int16_t __attribute__((vector_size(16)));
using Int8s = int8_t __attribute__((vector_size(8)));

/// Adds the products of eight channels.
NNHAL_KERNEL_PART void addProducts(Floats &sums, const float *x,
                                   const float *weights) {
  Floats a, b;
  std::memcpy(&a, x, sizeof(a));
  std::memcpy(&b, weights, sizeof(b));
  sums += a * b;
}
NNHAL_KERNEL_PART void addProducts(Int32s &sums, const int16_t *x,
                                   const int8_t *weights) {
  Int16s a;
  Int8s b;
  std::memcpy(&a, x, sizeof(a));
  std::memcpy(&b, weights, sizeof(b));
  sums +=
      __builtin_convertvector(a, Int32s) * __builtin_convertvector(b, Int32s);
}

/// Sums the products of \p count taps in registers, for \p vectors * 8 channels
/// from \p first on.
template <int vectors, typename Vector, typename Sum, typename X, typename W>
NNHAL_KERNEL_PART void sumTaps(Sum *sums, const Tap<X, W> *taps, int64_t count,
                               int64_t first, bool isMore) {
  Vector parts[vectors] = {};
  for (int64_t tap = 0; tap < count; ++tap)
    for (int part = 0; part < vectors; ++part)
      addProducts(parts[part], taps[tap].x + first + part * 8,
                  taps[tap].weights + first + part * 8);
  for (int part = 0; part < vectors; ++part)
    for (int lane = 0; lane < 8; ++lane) {
      Sum &sum = sums[first + part * 8 + lane];
      sum = isMore ? sum + parts[part][lane] : Sum(parts[part][lane]);
    }
}

/// Sums the products of \p count taps. The last eight channels may be some of
/// those before them once more, which \p isMore rules out.
template <typename Vector, typename Sum, typename X, typename W>
NNHAL_KERNEL_PART void sumChannels(Sum *sums, const Tap<X, W> *taps,
                                   int64_t count, int64_t channels,
                                   bool isMore) {
  int64_t first = 0;
  for (; first + 32 <= channels; first += 32)
    sumTaps<4, Vector>(sums, taps, count, first, isMore);
  for (; first + 8 <= channels; first += 8)
    sumTaps<1, Vector>(sums, taps, count, first, isMore);
  if (first < channels && channels >= 8 && !isMore)
    return sumTaps<1, Vector>(sums, taps, count, channels - 8, false);
  for (; first < channels; ++first) {
    Sum sum = isMore ? sums[first] : Sum(0);
    for (int64_t tap = 0; tap < count; ++tap)
      sum += Sum(taps[tap].x[first]) * Sum(taps[tap].weights[first]);
    sums[first] = sum;
  }
}

} // namespace

NNHAL_TARGET_CLONES void tflite::multiplyTaps(int64_t *sums,
                                              const Tap<int16_t, int8_t> *taps,
                                              int64_t count, int64_t channels) {
  for (int64_t begin = 0; begin == 0 || begin < count; begin += mostProducts)
    sumChannels<Int32s>(sums, taps + begin,
                        std::min(mostProducts, count - begin), channels,
                        begin > 0);
}

NNHAL_TARGET_CLONES void tflite::multiplyTaps(float *sums,
                                              const Tap<float, float> *taps,
                                              int64_t count, int64_t channels) {
  sumChannels<Floats>(sums, taps, count, channels, false);
}

void Finish::setFactors(std::vector<Factor> channelFactors) {
  factors = std::move(channelFactors);
  for (Factor factor : factors) {
    WideFactor wide(factor);
    multipliers.push_back(uint32_t(wide.multiplier));
    shifts.push_back(wide.shift);
  }
}

void Finish::narrow(int64_t products) {
  // Fewer than 256 products have 30 bits beside the sign.
  constexpr int64_t most = int64_t(1) << 30;
  bool isNarrow = isWide && products <= 255;
  for (size_t index = 0; isNarrow && index < bias.size(); ++index)
    isNarrow = bias[index] >= -most && bias[index] <= most &&
               isRoundedIn32(shifts[index]);
  if (!isNarrow)
    return;
  narrowBias.assign(bias.begin(), bias.end());
  for (int64_t shift : shifts)
    narrowShifts.push_back(int32_t(shift - 16));
}

/// The sum is multiplied in two halves, of which the lower one has no sign: the
/// half that is rounded by has no lower bits, so that nothing is lost with what
/// is shifted out in between.
NNHAL_TARGET_CLONES static void finishNarrow(int16_t *to, int64_t channels,
                                             const ProductBlock<int64_t> &block,
                                             const Finish &finish) {
  const int32_t *bias = finish.narrowBias.data() + block.firstRow;
  const uint32_t *multipliers = finish.multipliers.data() + block.firstRow;
  const int32_t *shifts = finish.narrowShifts.data() + block.firstRow;
  const Bounds bounds = finish.bounds;
  for (int64_t place = 0; place < block.places; ++place) {
    const int64_t *sums = block.sums + place * rowsAtOnce;
    int16_t *row = to + (block.firstPlace + place) * channels + block.firstRow;
    for (int64_t index = 0; index < block.rows; ++index) {
      int32_t sum = int32_t(sums[index]) + bias[index];
      auto multiplier = int32_t(multipliers[index]);
      int32_t upper = (sum >> 16) * multiplier;
      auto lower = int32_t((uint32_t(sum) & 0xFFFF) * multipliers[index] >> 16);
      int32_t half = int32_t(1) << (shifts[index] - 1);
      row[index] = int16_t(bounds((upper + lower + half) >> shifts[index]));
    }
  }
}

/// The upper half of a multiplier is 0, which spares a product.
NNHAL_TARGET_CLONES static void finishWide(int16_t *to, int64_t channels,
                                           const ProductBlock<int64_t> &block,
                                           const Finish &finish) {
  const int64_t *bias = finish.bias.data() + block.firstRow;
  const uint32_t *multipliers = finish.multipliers.data() + block.firstRow;
  const int64_t *shifts = finish.shifts.data() + block.firstRow;
  const Bounds bounds = finish.bounds;
  for (int64_t place = 0; place < block.places; ++place) {
    const int64_t *sums = block.sums + place * rowsAtOnce;
    int16_t *row = to + (block.firstPlace + place) * channels + block.firstRow;
    for (int64_t index = 0; index < block.rows; ++index) {
      uint64_t sum = uint64_t(sums[index]) + uint64_t(bias[index]);
      uint64_t product = sum * uint64_t(multipliers[index]) +
                         (uint64_t(1) << (shifts[index] - 1));
      row[index] = int16_t(bounds(int32_t(int64_t(product) >> shifts[index])));
    }
  }
}

void tflite::finish(int16_t *to, int64_t channels,
                    const ProductBlock<int64_t> &block, const Finish &finish) {
  if (!finish.narrowShifts.empty())
    return finishNarrow(to, channels, block, finish);
  if (finish.isWide)
    return finishWide(to, channels, block, finish);
  for (int64_t place = 0; place < block.places; ++place)
    for (int64_t index = 0; index < block.rows; ++index) {
      int64_t channel = block.firstRow + index;
      auto sum = wrappingAdd(int32_t(block.sums[place * rowsAtOnce + index]),
                             int32_t(finish.bias[size_t(channel)]));
      to[(block.firstPlace + place) * channels + channel] =
          int16_t(finish.bounds(scale(sum, finish.factors[size_t(channel)])));
    }
}
