//===- ByteProduct.h - Products of bytes ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_BYTEPRODUCT_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_BYTEPRODUCT_H

#include "FixedPoint.h"

namespace nnhal::tflite {

/// Returns the bounds within which a number can be shifted left by \p factor.
/// Both are beyond all bytes when they are scaled.
inline Bounds boundsBeforeShift(Factor factor) {
  const int32_t most =
      std::numeric_limits<int32_t>::max() >> std::max(factor.shift, 0);
  return {-most, most};
}

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_BYTEPRODUCT_H
