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

constexpr int64_t mostProducts = 256;

template <int rows>
NNHAL_KERNEL_PART void multiplySome(int64_t *sums, const int16_t *x,
                                    const int16_t *weights, int64_t depth) {
  int64_t wide[rows] = {};
  for (int64_t begin = 0; begin < depth; begin += mostProducts) {
    int64_t end = std::min(begin + mostProducts, depth);
    int32_t narrow[rows] = {};
    // The depth is a multiple of rowStep, so that no rest is left.
    for (int64_t block = begin; block < end; block += rowStep)
      for (int row = 0; row < rows; ++row)
        for (int64_t place = 0; place < rowStep; ++place)
          narrow[row] +=
              int32_t(x[block + place]) * weights[row * depth + block + place];
    for (int row = 0; row < rows; ++row)
      wide[row] += narrow[row];
  }
  for (int row = 0; row < rows; ++row)
    sums[row] = wide[row];
}

} // namespace

WeightRows WeightRows::of(const int8_t *weights, int64_t count, int64_t depth) {
  WeightRows result(count, depth);
  for (int64_t index = 0; index < count; ++index)
    std::copy_n(weights + index * depth, depth, result.row(index));
  return result;
}

NNHAL_TARGET_CLONES void tflite::multiplyRows(int64_t *sums, const int16_t *x,
                                              const int16_t *rows,
                                              int64_t depth, int64_t count) {
  int64_t done = 0;
  for (; done + 4 <= count; done += 4)
    multiplySome<4>(sums + done, x, rows + done * depth, depth);
  for (; done < count; ++done)
    multiplySome<1>(sums + done, x, rows + done * depth, depth);
}

NNHAL_TARGET_CLONES void tflite::multiplyTaps(int64_t *sums, const Tap *taps,
                                              int64_t count, int64_t channels) {
  constexpr int64_t width = 64;
  for (int64_t first = 0; first < channels; first += width) {
    int64_t some = std::min(width, channels - first);
    std::fill_n(sums + first, some, 0);
    for (int64_t begin = 0; begin < count; begin += mostProducts) {
      int32_t narrow[width] = {};
      int64_t end = std::min(begin + mostProducts, count);
      for (int64_t tap = begin; tap < end; ++tap) {
        const int16_t *x = taps[tap].x + first;
        const int16_t *weights = taps[tap].weights + first;
        if (some == width)
          for (int64_t channel = 0; channel < width; ++channel)
            narrow[channel] += int32_t(x[channel]) * weights[channel];
        else
          for (int64_t channel = 0; channel < some; ++channel)
            narrow[channel] += int32_t(x[channel]) * weights[channel];
      }
      for (int64_t channel = 0; channel < some; ++channel)
        sums[first + channel] += narrow[channel];
    }
  }
}

void Finish::setFactors(std::vector<Factor> channelFactors) {
  factors = std::move(channelFactors);
  for (Factor factor : factors) {
    WideFactor wide(factor);
    multipliers.push_back(wide.multiplier);
    shifts.push_back(wide.shift);
  }
}

NNHAL_TARGET_CLONES static void finishWide(int16_t *to, const int64_t *sums,
                                           const int64_t *bias,
                                           const int64_t *multipliers,
                                           const int64_t *shifts, int64_t count,
                                           Bounds bounds) {
  for (int64_t index = 0; index < count; ++index) {
    uint64_t sum = uint64_t(sums[index]) + uint64_t(bias[index]);
    uint64_t product = sum * uint64_t(multipliers[index]) +
                       (uint64_t(1) << (shifts[index] - 1));
    to[index] = int16_t(bounds(int32_t(int64_t(product) >> shifts[index])));
  }
}

void tflite::finish(int16_t *to, const int64_t *sums, int64_t first,
                    int64_t count, const Finish &finish) {
  if (finish.isWide)
    return finishWide(to, sums, finish.bias.data() + first,
                      finish.multipliers.data() + first,
                      finish.shifts.data() + first, count, finish.bounds);
  for (int64_t index = 0; index < count; ++index) {
    auto sum = wrappingAdd(int32_t(sums[index]),
                           int32_t(finish.bias[size_t(first + index)]));
    to[index] = int16_t(
        finish.bounds(scale(sum, finish.factors[size_t(first + index)])));
  }
}
