//===- FixedPoint.cpp - Requantization in fixed point ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedPoint.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace nnhal::rt;

int32_t nnhal::rt::saturatingRoundingDoublingHighMul(int32_t a, int32_t b) {
  if (a == b && a == std::numeric_limits<int32_t>::min())
    return std::numeric_limits<int32_t>::max();
  int64_t product = int64_t(a) * b;
  int64_t nudge = product >= 0 ? int64_t(1) << 30 : 1 - (int64_t(1) << 30);
  return int32_t((product + nudge) / (int64_t(1) << 31));
}

int32_t nnhal::rt::roundingDivideByPowerOfTwo(int32_t value, int32_t exponent) {
  int64_t mask = (int64_t(1) << exponent) - 1;
  int64_t remainder = value & mask;
  int64_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return int32_t((int64_t(value) >> exponent) +
                 (remainder > threshold ? 1 : 0));
}

int32_t nnhal::rt::saturatingShift(int32_t value, int32_t exponent) {
  if (exponent < 0)
    return roundingDivideByPowerOfTwo(value, std::min(-exponent, 31));
  int64_t shifted = int64_t(value) * (int64_t(1) << std::min(exponent, 31));
  return int32_t(std::clamp<int64_t>(shifted,
                                     std::numeric_limits<int32_t>::min(),
                                     std::numeric_limits<int32_t>::max()));
}

int32_t nnhal::rt::multiplyByFactor(int32_t value, FixedPointFactor factor) {
  int32_t left = std::max(factor.exponent, 0);
  int32_t right = std::max(-factor.exponent, 0);
  auto shifted = int32_t(uint32_t(value) << left);
  return roundingDivideByPowerOfTwo(
      saturatingRoundingDoublingHighMul(shifted, factor.multiplier), right);
}

int32_t nnhal::rt::multiplyByReal(int32_t value, double factor) {
  return int32_t(std::clamp(std::round(double(value) * factor),
                            double(std::numeric_limits<int32_t>::min()),
                            double(std::numeric_limits<int32_t>::max())));
}
