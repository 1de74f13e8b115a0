//===- FixedPoint16.cpp - Functions of 16-bit numbers ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedPoint16.h"

#include "FixedPoint.h"

using namespace mlir;
using namespace nnhal;

/// 1 without integer bits, as near as it gets.
static constexpr int32_t almostOne = 32767;

/// A 32-bit constant, rounded to 16 bits.
static constexpr int32_t rounded(int64_t value) {
  int64_t magnitude = ((value < 0 ? -value : value) + (1 << 15)) >> 16;
  return int32_t(value < 0 ? -magnitude : magnitude);
}

/// What is left of an i32 in 16 bits.
static Scalar wrap16(Scalar value) {
  return value.to(value.getBuilder().getIntegerType(16)).toI32();
}

Scalar nnhal::saturate16(Scalar value) {
  return clamp(value, -32768, 32767).toI32();
}

Scalar nnhal::multiply16(Scalar a, Scalar b) {
  Scalar product = a * b;
  Scalar nudge =
      select(product >= 0, product.like(1 << 14), product.like(1 - (1 << 14)));
  return saturate16((product + nudge).quotient(product.like(1 << 15)));
}

Scalar nnhal::rescale16(Scalar raw, int32_t from, int32_t to) {
  return saturate16(saturatingShift(raw, from - to));
}

//===----------------------------------------------------------------------===//
// Logistic, tanh
//===----------------------------------------------------------------------===//

/// exp(a) for a in [-1/4, 0) without integer bits: the Taylor series around
/// -1/8 up to the fourth power.
static Scalar expOfLastQuarter(Scalar a) {
  Scalar expOfMinusEighth = a.like(rounded(1895147668));
  Scalar third = a.like(rounded(715827883));
  Scalar x = wrap16(a + (1 << 12));
  Scalar x2 = multiply16(x, x);
  Scalar x3 = multiply16(x2, x);
  Scalar x4 = multiply16(x2, x2);
  Scalar x4Over4 = roundingDivideByPowerOfTwo(x4, 2);
  Scalar sum = wrap16(multiply16(wrap16(x4Over4 + x3), third) + x2);
  Scalar tail = roundingDivideByPowerOfTwo(sum, 1); // x^2/2 + x^3/6 + x^4/24
  return saturate16(expOfMinusEighth +
                    multiply16(expOfMinusEighth, wrap16(x + tail)));
}

/// exp(a) without integer bits, for \p raw <= 0 with \p integerBits, 0 to 7.
static Scalar expOfNonPositive(Scalar raw, int32_t integerBits) {
  // exp(-2^i) for i from -2 to 4.
  constexpr int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308,
                                39332535,   720401,     242};
  int32_t fractionBits = 15 - integerBits;
  int32_t quarter = 1 << (fractionBits - 2);
  Scalar inQuarter = (raw & raw.like(quarter - 1)) - quarter;
  Scalar result = expOfLastQuarter(rescale16(inQuarter, integerBits, 0));
  // What is left is a multiple of 1/4: a product of the powers above.
  Scalar rest = inQuarter - raw;
  for (int32_t i = 0; i < 7; ++i) {
    if (integerBits <= i - 2)
      continue;
    Scalar product = multiply16(result, result.like(rounded(powers[i])));
    Scalar has = (rest & rest.like(quarter << i)) != 0;
    result = select(has, product, result);
  }
  if (integerBits > 5)
    result =
        select(raw < double(-(32 << fractionBits)), result.like(0), result);
  return select(raw == 0, result.like(almostOne), result);
}

/// 2 / (1 + a) with 2 integer bits, for a in [0, 1] without: Newton's method
/// from the line 48/17 - 32/17 * (1 + a) / 2.
static Scalar twoOverOnePlus(Scalar a) {
  constexpr int32_t one = 1 << 13;
  // The sum is not negative.
  Scalar halfDenominator =
      wrap16((a + (almostOne + 1)).shiftedRight(a.like(1)));
  Scalar x = wrap16(multiply16(halfDenominator, a.like(rounded(-1010580540))) +
                    rounded(1515870810));
  for (int i = 0; i < 3; ++i) {
    Scalar error = wrap16(one - multiply16(halfDenominator, x));
    x = wrap16(x + rescale16(multiply16(x, error), 4, 2));
  }
  return x;
}

Scalar nnhal::logistic16(Scalar raw, int32_t integerBits) {
  Scalar nonPositive = wrap16(select(raw > 0, -raw, raw));
  Scalar positive = rescale16(
      twoOverOnePlus(expOfNonPositive(nonPositive, integerBits)), 1, 0);
  Scalar result = select(raw > 0, positive, almostOne - positive);
  return select(raw == 0, result.like(1 << 14), result);
}

Scalar nnhal::tanh16(Scalar raw, int32_t integerBits) {
  Scalar nonPositive = wrap16(select(raw > 0, -raw, raw));
  // (1 - exp(2a)) / (1 + exp(2a)): one integer bit more doubles.
  Scalar power = expOfNonPositive(nonPositive, integerBits + 1);
  Scalar magnitude = rescale16(wrap16(twoOverOnePlus(power) - (1 << 13)), 2, 0);
  Scalar result = wrap16(select(raw < 0, -magnitude, magnitude));
  return select(raw == 0, result.like(0), result);
}
