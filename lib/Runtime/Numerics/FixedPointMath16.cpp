//===- FixedPointMath16.cpp - Functions of 16-bit numbers -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedPointMath16.h"

#include "FixedPoint.h"

#include <algorithm>
#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

/// The number nearest to 1 without integer bits.
static constexpr int16_t almostOne = std::numeric_limits<int16_t>::max();

/// A 32-bit constant, rounded to 16 bits.
static int16_t constant(int32_t value) {
  return int16_t(roundingDivideByPowerOfTwo(value, 16));
}

int16_t reference::saturate16(int64_t value) {
  return int16_t(std::clamp<int64_t>(value, std::numeric_limits<int16_t>::min(),
                                     std::numeric_limits<int16_t>::max()));
}

int16_t reference::multiply16(int16_t a, int16_t b) {
  int32_t product = int32_t(a) * b;
  int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return saturate16((product + nudge) / (1 << 15));
}

int16_t reference::rescale16(int16_t raw, int32_t from, int32_t to) {
  return saturate16(saturatingShift(raw, from - to));
}

/// exp(a) for a in [-1/4, 0) without integer bits: the Taylor series around
/// -1/8 up to the fourth power.
static int16_t expOfLastQuarter(int16_t a) {
  int16_t expOfMinusEighth = constant(1895147668);
  int16_t third = constant(715827883);
  auto x = int16_t(a + (1 << 12));
  int16_t x2 = multiply16(x, x);
  int16_t x3 = multiply16(x2, x);
  int16_t x4 = multiply16(x2, x2);
  auto x4Over4 = int16_t(roundingDivideByPowerOfTwo(x4, 2));
  auto sum = int16_t(multiply16(int16_t(x4Over4 + x3), third) + x2);
  auto tail =
      int16_t(roundingDivideByPowerOfTwo(sum, 1)); // x^2/2 + x^3/6 + x^4/24
  return saturate16(expOfMinusEighth +
                    multiply16(expOfMinusEighth, int16_t(x + tail)));
}

/// exp(a) without integer bits, for \p raw <= 0 with \p integerBits, 0 to 7.
static int16_t expOfNonPositive(int16_t raw, int32_t integerBits) {
  if (raw == 0)
    return almostOne;
  // exp(-2^i) for i from -2 to 4.
  constexpr int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308,
                                39332535,   720401,     242};
  int32_t fractionBits = 15 - integerBits;
  if (integerBits > 5 && raw < -(32 << fractionBits))
    return 0;
  int32_t quarter = 1 << (fractionBits - 2);
  int32_t inQuarter = (raw & (quarter - 1)) - quarter;
  int16_t result =
      expOfLastQuarter(rescale16(int16_t(inQuarter), integerBits, 0));
  // The rest is a multiple of 1/4: a product of the powers above.
  int32_t rest = inQuarter - raw;
  for (int32_t i = 0; i < 7; ++i)
    if (integerBits > i - 2 && (rest & (quarter << i)) != 0)
      result = multiply16(result, constant(powers[i]));
  return result;
}

/// Returns 2 / (1 + a) with 2 integer bits, for a in [0, 1] without: Newton's
/// method from the line 48/17 - 32/17 * (1 + a) / 2.
static int16_t twoOverOnePlus(int16_t a) {
  constexpr int32_t one = 1 << 13;
  auto halfDenominator = int16_t((int32_t(a) + almostOne + 1) / 2);
  auto x = int16_t(constant(1515870810) +
                   multiply16(halfDenominator, constant(-1010580540)));
  for (int i = 0; i < 3; ++i) {
    auto error = int16_t(one - multiply16(halfDenominator, x));
    x = int16_t(x + rescale16(multiply16(x, error), 4, 2));
  }
  return x;
}

int16_t reference::logistic16(int16_t raw, int32_t integerBits) {
  if (raw == 0)
    return 1 << 14;
  auto nonPositive = int16_t(raw > 0 ? -raw : raw);
  int16_t positive = rescale16(
      twoOverOnePlus(expOfNonPositive(nonPositive, integerBits)), 1, 0);
  return raw > 0 ? positive : int16_t(almostOne - positive);
}

int16_t reference::tanh16(int16_t raw, int32_t integerBits) {
  if (raw == 0)
    return 0;
  auto nonPositive = int16_t(raw > 0 ? -raw : raw);
  // (1 - exp(2a)) / (1 + exp(2a)): one integer bit more doubles.
  int16_t power = expOfNonPositive(nonPositive, integerBits + 1);
  int16_t magnitude =
      rescale16(int16_t(twoOverOnePlus(power) - (1 << 13)), 2, 0);
  return raw < 0 ? int16_t(-magnitude) : magnitude;
}
