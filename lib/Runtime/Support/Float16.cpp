//===- Float16.cpp - IEEE 754 half precision ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Float16.h"

#include <cmath>
#include <limits>

// GCC 12 has no _Float16 in C++.
namespace nnhal::rt {

uint16_t float16FromDouble(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7E00;
  if (magnitude >= 65520.0) // Halfway from 65504 to what would be next.
    return sign | 0x7C00;
  // A mantissa that rounds up to a power of two carries into the exponent
  // field, as the encoding wants it.
  if (magnitude < 0x1p-14)
    return sign | static_cast<uint16_t>(std::nearbyint(magnitude * 0x1p24));
  int exponent;
  double fraction = std::frexp(magnitude, &exponent); // [0.5, 1)
  int mantissa = static_cast<int>(std::nearbyint(fraction * 2048.0));
  return sign |
         static_cast<uint16_t>(((exponent + 14) << 10) + (mantissa - 1024));
}

} // namespace nnhal::rt
