//===- ByteWeights.h - Filters of 8 bits for micro-kernels ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_BYTEWEIGHTS_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_BYTEWEIGHTS_H

#include "Engine/OperationLowering.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace nnhal {

/// A filter less its zero point.
struct ByteWeights {
  /// The elements of a constant filter; none of one that is computed.
  llvm::SmallVector<int16_t> values;
  /// The largest magnitude; of a filter that is computed, the largest that its
  /// type has.
  int64_t largest = 0;
  /// The bounds of the values, 0 among them.
  int16_t least = 0, most = 0;

  ByteWeights() = default;
  explicit ByteWeights(const rt::OperandView &filter);
  /// Appends the values of the constant \p filter.
  void add(const rt::OperandView &filter);

  /// Returns \p others with the bounds of these values, between which they are.
  ByteWeights withValues(llvm::SmallVector<int16_t> others) const {
    ByteWeights result;
    result.values = std::move(others);
    result.largest = largest;
    result.least = least;
    result.most = most;
    return result;
  }

  /// No sum of \p count products with 8-bit inputs is larger.
  int64_t largestSum(int64_t count) const {
    constexpr int64_t largestInput = 255;
    return count * largestInput * largest;
  }
  bool fitsI8() const { return least >= INT8_MIN && most <= INT8_MAX; }
  /// Returns the number that has to be subtracted from all values so that 8
  /// bits hold them; 0 where they do already.
  int32_t excessOverI8() const {
    return std::max(most - INT8_MAX, 0) + std::min(least - INT8_MIN, 0);
  }
  template <typename T> llvm::SmallVector<T> as() const {
    return llvm::to_vector_of<T>(values);
  }
};

template <typename T> llvm::ArrayRef<char> bytesOf(llvm::ArrayRef<T> values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

/// The rows of \p values, of \p size elements, each after \p lead zeros and
/// with zeros up to \p padded.
llvm::SmallVector<int16_t> padRows(llvm::ArrayRef<int16_t> values, int64_t size,
                                   int64_t padded, int64_t lead = 0);

/// \p weights, a filter \p ohwi, in panels of \p width pairs: of i8 where all
/// of them fit. An odd number of channels is padded.
mlir::Value packPairs(OperationLowering &op, const ByteWeights &weights,
                      const std::array<int64_t, 4> &ohwi, int64_t width);

/// The bytes of a filter \p ohwi, in panels of \p width quads. Channels are
/// padded to whole ones.
mlir::Value packQuads(OperationLowering &op, llvm::ArrayRef<int8_t> values,
                      const std::array<int64_t, 4> &ohwi, int64_t width);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_BYTEWEIGHTS_H
