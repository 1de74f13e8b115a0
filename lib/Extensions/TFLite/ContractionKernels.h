//===- ContractionKernels.h - Sums of products ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner loops of products of 16-bit activations and 8-bit weights. A
// product has less than 22 bits beside its sign, so that 256 of them are summed
// in 32 bits before the sum is widened to 64.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_CONTRACTIONKERNELS_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_CONTRACTIONKERNELS_H

#include "FixedPoint.h"

#include <cstddef>
#include <vector>

namespace nnhal::tflite {

/// Rows of activations and weights have a multiple of this number of elements,
/// the last of which may be 0.
inline constexpr int64_t rowStep = 16;
constexpr int64_t paddedRow(int64_t depth) {
  return (depth + rowStep - 1) / rowStep * rowStep;
}

/// Weights as rows of 16-bit numbers, padded with 0.
struct WeightRows {
  int64_t count = 0;
  int64_t depth = 0;
  std::vector<int16_t> values;

  WeightRows(int64_t count, int64_t depth)
      : count(count), depth(paddedRow(depth)),
        values(size_t(count * paddedRow(depth))) {}
  int16_t *row(int64_t index) { return values.data() + index * depth; }
  const int16_t *row(int64_t index) const {
    return values.data() + index * depth;
  }
  /// Returns one row per channel of [count, depth] weights.
  static WeightRows of(const int8_t *weights, int64_t count, int64_t depth);
};

/// Computes sums[i] = x . rows[first + i] for \p count rows.
void multiplyRows(int64_t *sums, const int16_t *x, const int16_t *rows,
                  int64_t depth, int64_t count);

/// One element of a window: activations and weights of all channels.
struct Tap {
  const int16_t *x;
  const int16_t *weights;
};
/// Computes sums[c], the sum of the products of all taps.
void multiplyTaps(int64_t *sums, const Tap *taps, int64_t count,
                  int64_t channels);

/// Sums become results by a bias, the factors of channels and bounds.
struct Finish {
  /// Sums with 64-bit biases are rounded once, others have 32 bits.
  bool isWide = true;
  std::vector<int64_t> bias;
  std::vector<Factor> factors;
  std::vector<int64_t> multipliers, shifts;
  Bounds bounds;

  /// Sets the factors of channels.
  void setFactors(std::vector<Factor> channelFactors);
};
/// Computes the elements of channels \p first and on.
void finish(int16_t *to, const int64_t *sums, int64_t first, int64_t count,
            const Finish &finish);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_CONTRACTIONKERNELS_H
