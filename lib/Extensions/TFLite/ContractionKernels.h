//===- ContractionKernels.h - Sums of products ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of the elements of a window, channel by channel, and what makes
// results of sums.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_CONTRACTIONKERNELS_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_CONTRACTIONKERNELS_H

#include "FixedPoint.h"
#include "RowProducts.h"

#include <cstddef>
#include <vector>

namespace nnhal::tflite {

/// One element of a window: activations and weights of all channels.
template <typename X, typename W> struct Tap {
  const X *x;
  const W *weights;
};
/// Computes sums[c], the sum of the products of all taps.
void multiplyTaps(int64_t *sums, const Tap<int16_t, int8_t> *taps,
                  int64_t count, int64_t channels);
void multiplyTaps(float *sums, const Tap<float, float> *taps, int64_t count,
                  int64_t channels);

/// Sums become results by a bias, the factors of channels and bounds.
struct Finish {
  /// Sums with 64-bit biases are rounded once, others have 32 bits.
  bool isWide = true;
  std::vector<int64_t> bias;
  std::vector<Factor> factors;
  std::vector<uint32_t> multipliers;
  std::vector<int64_t> shifts;
  Bounds bounds;

  /// Sets the factors of channels.
  void setFactors(std::vector<Factor> channelFactors);

  /// Finds out whether results of \p products each can be computed in 32 bits.
  void narrow(int64_t products);
  /// Biases, and shifts less 16, where that is so.
  std::vector<int32_t> narrowBias, narrowShifts;
};
/// Computes the results of \p block, whose rows are channels, of which a place
/// has \p channels.
void finish(int16_t *to, int64_t channels, const ProductBlock<int64_t> &block,
            const Finish &finish);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_CONTRACTIONKERNELS_H
