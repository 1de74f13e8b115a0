//===- FixedPointMath.cpp - Fixed-point functions in generated code -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedPointMath.h"

#include "FixedPoint.h"

#include <limits>

using namespace mlir;
using namespace nnhal;

/// Without integer bits, and with n the product of n + 0 integer bits.
static Scalar multiply(Scalar a, Scalar b) {
  return saturatingRoundingDoublingHighMul(a, b);
}
static Scalar multiply(Scalar a, int32_t b) {
  return saturatingRoundingDoublingHighMul(a, b);
}

/// exp(a) for a in [-1/4, 0) without integer bits: the Taylor series around
/// -1/8 up to the fourth power.
static Scalar expOfLastQuarter(Scalar a) {
  constexpr int32_t expOfMinusEighth = 1895147668;
  constexpr int32_t third = 715827883;
  Scalar x = a + (1 << 28);
  Scalar x2 = multiply(x, x);
  Scalar x3 = multiply(x2, x);
  Scalar x4 = multiply(x2, x2);
  Scalar x4Over4 = roundingDivideByPowerOfTwo(x4, 2);
  Scalar tail = roundingDivideByPowerOfTwo(multiply(x4Over4 + x3, third) + x2,
                                           1); // x^2/2 + x^3/6 + x^4/24
  return multiply(x + tail, expOfMinusEighth) + expOfMinusEighth;
}

Scalar nnhal::fixedPointExpOfNonPositive(Scalar raw, int32_t integerBits) {
  // exp(-2^i) for i from -2 to 4.
  constexpr int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308,
                                39332535,   720401,     242};
  int32_t quarter = 1 << (31 - integerBits - 2);
  Scalar inQuarter = (raw & raw.like(quarter - 1)) - quarter;
  Scalar result = expOfLastQuarter(saturatingShift(inQuarter, integerBits));
  // What is left is a multiple of 1/4: a product of the powers above.
  Scalar rest = inQuarter.toI64() - raw.toI64();
  for (int32_t i = 0; i < 7; ++i) {
    if (integerBits <= i - 2)
      continue;
    Scalar bit = rest & rest.like(double(int64_t(quarter) << i));
    result = select(bit == 0, result, multiply(result, powers[i]));
  }
  constexpr int32_t almostOne = std::numeric_limits<int32_t>::max();
  return select(raw == 0, raw.like(almostOne), result);
}

/// 2 / (1 + a) with 2 integer bits, for a in [0, 1) without: Newton's method
/// from the line 48/17 - 32/17 * (1 + a) / 2.
static Scalar twoOverOnePlus(Scalar a) {
  constexpr int32_t start = 1515870810;  // 48/17 with 2 integer bits.
  constexpr int32_t slope = -1010580540; // -32/17
  constexpr int32_t one = 1 << 29;
  // (a + 1) / 2 without integer bits.
  Scalar halfDenominator =
      (a.toI64() + double(int64_t(1) << 31)).shiftedRight(a.toI64().like(1));
  halfDenominator = halfDenominator.toI32();
  Scalar x = multiply(halfDenominator, slope) + start;
  for (int i = 0; i < 3; ++i) {
    Scalar error = one - multiply(halfDenominator, x);
    x = x + saturatingShift(multiply(x, error), 2);
  }
  return x;
}

Scalar nnhal::fixedPointOneOverOnePlus(Scalar raw) {
  return saturatingShift(twoOverOnePlus(raw), 1);
}

ComputedFactor nnhal::fixedPointFactor(Scalar value) {
  constexpr double two31 = double(int64_t(1) << 31);
  ImplicitLocOpBuilder &builder = value.getBuilder();
  Scalar bits = value.bitcast(builder.getI64Type());
  Scalar fractionBits = bits.like(52);
  // The mantissa is from 1/2 to 1.
  Scalar exponent = bits.shiftedRight(fractionBits) - 1022;
  Scalar fraction = bits & bits.like(double((int64_t(1) << 52) - 1));
  Scalar mantissa = (fraction | bits.like(1022).shiftedLeft(fractionBits))
                        .bitcast(builder.getF64Type());
  Scalar multiplier = (mantissa * two31 + 0.5).toI64();
  Scalar isOne = multiplier == two31;
  multiplier = select(isOne, multiplier.like(two31 / 2), multiplier);
  exponent = select(isOne, exponent + 1, exponent);
  // Beyond 2^30 every product is saturated, below 2^-31 it is zero.
  Scalar isHuge = exponent > 30, isTiny = exponent < -31;
  multiplier = select(isHuge, multiplier.like(two31 - 1), multiplier);
  multiplier = select(isTiny, multiplier.like(0), multiplier);
  exponent = select(isTiny, exponent.like(0), min(exponent, 30));
  return {multiplier.toI32(), exponent.toI32()};
}

Scalar nnhal::fixedPointInputRadius(int32_t integerBits, Scalar leftShift) {
  ImplicitLocOpBuilder &builder = leftShift.getBuilder();
  Scalar power = 1023 + 31 - integerBits - leftShift.toI64();
  Scalar unit = power.shiftedLeft(power.like(52)).bitcast(builder.getF64Type());
  Scalar largest = unit * double((int64_t(1) << integerBits) - 1);
  // Not negative: the conversion cuts as floor() does.
  return min(largest, double(std::numeric_limits<int32_t>::max())).toI32();
}

ComputedFactor nnhal::fixedPointInverseSqrt(Scalar value) {
  // Scale by powers of 4 into [2^27, 2^29): down what has more bits ...
  Scalar safe = max(value, 2);
  Scalar one = safe.like(1);
  Scalar bits = 64 - leadingZeros(safe);
  Scalar quarters = max((bits - 28).shiftedRight(one), 0);
  Scalar input = safe.shiftedRight(quarters.shiftedLeft(one)).toI32();
  // ... and up what has fewer.
  Scalar pairs = (leadingZeros(input) - 1).shiftedRight(input.like(1)) - 1;
  input = input.shiftedLeft(pairs.shiftedLeft(pairs.like(1)));
  Scalar shift = quarters.toI32() - pairs + 11;
  // Newton's method from 1, with 3 integer bits.
  constexpr int32_t threeHalves = (1 << 28) + (1 << 27);
  Scalar half =
      roundingDivideByPowerOfTwo(input.shiftedRight(input.like(1)), 1);
  Scalar x = input.like(1 << 28);
  for (int i = 0; i < 5; ++i) {
    Scalar cube = saturatingShift(multiply(multiply(x, x), x), 6);
    x = saturatingShift(multiply(x, threeHalves) - multiply(half, cube), 3);
  }
  constexpr int32_t halfSqrt2 = 1518500250;
  x = multiply(x, halfSqrt2);
  // A factor has no left shift: it is applied here, saturated.
  constexpr int32_t lowest = std::numeric_limits<int32_t>::min();
  constexpr int32_t highest = std::numeric_limits<int32_t>::max();
  Scalar left = max(-shift, 0).toI64();
  Scalar shifted = clamp(x.toI64().shiftedLeft(left), lowest, highest).toI32();
  Scalar isOne = value <= 1;
  return {select(isOne, shifted.like(highest), shifted),
          select(isOne, shift.like(0), -max(shift, 0))};
}
