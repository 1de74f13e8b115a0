//===- ByteWeights.h - Filters of 8 bits less their zero points -*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_COMMON_BYTEWEIGHTS_H
#define NNHAL_LIB_CONVERSION_COMMON_BYTEWEIGHTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>

namespace nnhal {

/// How the numbers of a filter are stored: with a sign or without, and what
/// stands for 0.
struct ByteForm {
  bool isUnsigned = false;
  int32_t zeroPoint = 0;
};

/// A filter less its zero point.
struct ByteWeights {
  /// The elements of a constant filter; none of one that is computed.
  llvm::SmallVector<int16_t> values;
  /// The largest magnitude; of a filter that is computed, the largest that its
  /// form has.
  int64_t largest = 0;
  /// The bounds of the values, 0 among them.
  int16_t least = 0, most = 0;

  /// The weights of a computed filter of \p form.
  static ByteWeights ofForm(ByteForm form);

  /// Appends the constant \p bytes, of \p form.
  void add(llvm::ArrayRef<char> bytes, ByteForm form);
  /// Appends \p numbers.
  void add(llvm::ArrayRef<int16_t> numbers);

  /// Returns \p others with the bounds of these values, between which they are.
  ByteWeights withValues(llvm::SmallVector<int16_t> others) const;

  /// No sum of \p count products with 8-bit inputs is larger.
  int64_t largestSum(int64_t count) const {
    constexpr int64_t largestInput = 255;
    return count * largestInput * largest;
  }
  bool fitsI8() const { return least >= INT8_MIN && most <= INT8_MAX; }
  /// Returns the number that has to be subtracted from all values so that 8
  /// bits hold them; 0 where they do already.
  /// Such a number exists where spansI8().
  int32_t excessOverI8() const {
    return std::max(most - INT8_MAX, 0) + std::min(least - INT8_MIN, 0);
  }
  /// Whether the values fit 8 bits when one number is subtracted from all.
  bool spansI8() const { return most - least <= UINT8_MAX; }
  template <typename T> llvm::SmallVector<T> as() const {
    return llvm::to_vector_of<T>(values);
  }

private:
  void addBoundsOf(llvm::ArrayRef<int16_t> added);
};

template <typename T> llvm::ArrayRef<char> bytesOf(llvm::ArrayRef<T> values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_COMMON_BYTEWEIGHTS_H
