//===- ByteSquare.h - Squared differences of bytes --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_BYTESQUARE_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_BYTESQUARE_H

#include "FixedPoint.h"

namespace nnhal::tflite {

/// The bits that SQUARED_DIFFERENCE of bytes adds to its operands.
inline constexpr int32_t byteSquareBits = 7;

/// Returns the factors of SQUARED_DIFFERENCE of bytes.
inline SumFactors factorsOfByteSquare(float a, float b, float result) {
  SumFactors factors = factorsOfSquare(a, b, result);
  const double twice = 2.0 * std::max(a, b);
  factors.result =
      factorOf(twice * twice / double((1 << 2 * byteSquareBits) * result));
  return factors;
}

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_BYTESQUARE_H
