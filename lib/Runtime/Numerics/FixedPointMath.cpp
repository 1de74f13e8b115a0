//===- FixedPointMath.cpp - Functions of fixed-point numbers --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedPointMath.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace nnhal::rt;

/// The number nearest to 1 without integer bits.
static constexpr int32_t almostOne = std::numeric_limits<int32_t>::max();

/// Multiplies \p a without integer bits by \p b with n of them; the product has
/// n integer bits.
static int32_t multiply(int32_t a, int32_t b) {
  return saturatingRoundingDoublingHighMul(a, b);
}

/// (a + 1) / 2 without integer bits, for a >= 0.
static int32_t halfOfOnePlus(int32_t a) {
  return int32_t((int64_t(a) + almostOne + 1) / 2);
}

//===----------------------------------------------------------------------===//
// exp
//===----------------------------------------------------------------------===//

/// exp(a) for a in [-1/4, 0) without integer bits: the Taylor series around
/// -1/8 up to the fourth power.
static int32_t expOfLastQuarter(int32_t a) {
  constexpr int32_t expOfMinusEighth = 1895147668;
  constexpr int32_t third = 715827883;
  int32_t x = a + (1 << 28);
  int32_t x2 = multiply(x, x);
  int32_t x3 = multiply(x2, x);
  int32_t x4 = multiply(x2, x2);
  int32_t x4Over4 = roundingDivideByPowerOfTwo(x4, 2);
  int32_t tail = roundingDivideByPowerOfTwo(multiply(x4Over4 + x3, third) + x2,
                                            1); // x^2/2 + x^3/6 + x^4/24
  return expOfMinusEighth + multiply(expOfMinusEighth, x + tail);
}

int32_t nnhal::rt::fixedPointExpOfNonPositive(int32_t raw,
                                              int32_t integerBits) {
  if (raw == 0)
    return almostOne;
  // exp(-2^i) for i from -2 to 4.
  constexpr int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308,
                                39332535,   720401,     242};
  int32_t fractionBits = 31 - integerBits;
  if (integerBits > 5 && raw < -(int64_t(32) << fractionBits))
    return 0;
  int32_t quarter = 1 << (fractionBits - 2);
  int32_t inQuarter = (raw & (quarter - 1)) - quarter;
  int32_t result = expOfLastQuarter(saturatingShift(inQuarter, integerBits));
  // The rest is a multiple of 1/4: a product of the powers above.
  int64_t rest = int64_t(inQuarter) - raw;
  for (int32_t i = 0; i < 7; ++i)
    if (integerBits > i - 2 && (rest & (int64_t(quarter) << i)) != 0)
      result = multiply(result, powers[i]);
  return result;
}

//===----------------------------------------------------------------------===//
// Division, logistic, tanh
//===----------------------------------------------------------------------===//

/// Returns 2 / (1 + a) with 2 integer bits, for a in [0, 1) without: Newton's
/// method from the line 48/17 - 32/17 * (1 + a) / 2.
static int32_t twoOverOnePlus(int32_t a) {
  constexpr int32_t start = 1515870810;  // 48/17 with 2 integer bits.
  constexpr int32_t slope = -1010580540; // -32/17
  constexpr int32_t one = 1 << 29;
  int32_t halfDenominator = halfOfOnePlus(a);
  int32_t x = start + multiply(halfDenominator, slope);
  for (int i = 0; i < 3; ++i) {
    int32_t error = one - multiply(halfDenominator, x);
    x += saturatingShift(multiply(x, error), 2);
  }
  return x;
}

int32_t nnhal::rt::fixedPointOneOverOnePlus(int32_t raw) {
  return saturatingShift(twoOverOnePlus(raw), 1);
}

int32_t nnhal::rt::fixedPointLogistic(int32_t raw, int32_t integerBits) {
  if (raw == 0)
    return 1 << 30;
  // The lowest number has no opposite; there both are saturated.
  int32_t magnitude =
      raw > 0 ? raw : -std::max(raw, -std::numeric_limits<int32_t>::max());
  int32_t positive = fixedPointOneOverOnePlus(
      fixedPointExpOfNonPositive(-magnitude, integerBits));
  return raw > 0 ? positive : almostOne - positive;
}

int32_t nnhal::rt::fixedPointTanh(int32_t raw, int32_t integerBits) {
  if (raw == 0)
    return 0;
  int32_t nonPositive = raw < 0 ? raw : -raw;
  // (1 - exp(2a)) / (1 + exp(2a)): one integer bit more doubles.
  int32_t power = fixedPointExpOfNonPositive(nonPositive, integerBits + 1);
  int32_t magnitude = saturatingShift(twoOverOnePlus(power) - (1 << 29), 2);
  return raw < 0 ? -magnitude : magnitude;
}

//===----------------------------------------------------------------------===//
// Square root
//===----------------------------------------------------------------------===//

FixedPointFactor nnhal::rt::fixedPointInverseSqrt(int64_t value) {
  if (value <= 1)
    return {std::numeric_limits<int32_t>::max(), 0};
  // Scale by powers of 4 into [2^27, 2^29).
  int32_t shift = 11;
  for (; value >= int64_t(1) << 29; ++shift)
    value /= 4;
  auto input = int32_t(value);
  int32_t pairs = (std::countl_zero(uint32_t(input)) - 1) / 2 - 1;
  shift -= pairs;
  input <<= 2 * pairs;
  // Newton's method from 1, with 3 integer bits.
  int32_t half = roundingDivideByPowerOfTwo(input >> 1, 1);
  constexpr int32_t threeHalves = (1 << 28) + (1 << 27);
  int32_t x = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    int32_t cube = saturatingShift(multiply(multiply(x, x), x), 6);
    x = saturatingShift(multiply(threeHalves, x) - multiply(half, cube), 3);
  }
  constexpr int32_t halfSqrt2 = 1518500250;
  x = multiply(x, halfSqrt2);
  if (shift < 0) {
    x = saturatingShift(x, -shift);
    shift = 0;
  }
  return {x, -shift};
}

int32_t nnhal::rt::fixedPointInputRadius(int32_t integerBits,
                                         int32_t leftShift) {
  double largest = std::ldexp(double((int64_t(1) << integerBits) - 1),
                              31 - integerBits - leftShift);
  return int32_t(std::floor(
      std::min(largest, double(std::numeric_limits<int32_t>::max()))));
}
