//===- Float16.h - IEEE 754 half precision ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_FLOAT16_H
#define NNHAL_LIB_RUNTIME_SUPPORT_FLOAT16_H

#include <bit>
#include <cstdint>

namespace nnhal::rt {

/// The bits of the binary16 value nearest to \p value, ties to even, rounded
/// once. Beyond the largest finite value: an infinity. Every NaN becomes the
/// quiet NaN 0x7E00, with the sign of \p value.
uint16_t float16FromDouble(double value);

/// The value of binary16 \p bits, exactly. Without branches: loops over the
/// weights of a model become vectors.
inline float floatFromFloat16(uint16_t bits) {
  uint32_t exponent = (bits >> 10) & 0x1F, mantissa = bits & 0x3FF;
  uint32_t magnitude = ((exponent + 112) << 23) | (mantissa << 13);
  if (exponent == 0)
    magnitude = std::bit_cast<uint32_t>(float(int32_t(mantissa)) * 0x1p-24f);
  // Every NaN becomes the quiet one.
  if (exponent == 0x1F)
    magnitude = 0x7F800000 | (mantissa ? 0x400000 : 0);
  return std::bit_cast<float>(magnitude | uint32_t(bits & 0x8000) << 16);
}

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_FLOAT16_H
