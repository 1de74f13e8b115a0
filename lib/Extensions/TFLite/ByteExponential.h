//===- ByteExponential.h - The exponentials of bytes ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exponentials that SOFTMAX of bytes with 16-bit results sums, which both
// halves of the extension compute with.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_BYTEEXPONENTIAL_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_BYTEEXPONENTIAL_H

#include "FixedPoint.h"

namespace nnhal::tflite {

/// The sum of exponentials has 12 integer bits, for so many elements in a row.
constexpr int32_t byteSumBits = 12;
constexpr int64_t mostBytesOfSoftmax = 4095;

/// exp(-distance * scale * beta), without integer bits, of bytes with a scale.
class ByteExponential {
public:
  /// Returns none where \p scale times \p beta is below 2^-27.
  static std::optional<ByteExponential> of(float scale, float beta);

  /// \p distance is 0 to 255: how far a byte is below the largest one of its
  /// row. The result is 0 where it is further than exponentials reach.
  int32_t operator()(int32_t distance) const;

private:
  Factor factor;
  int32_t most = 0;
};

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_BYTEEXPONENTIAL_H
