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
