//===- FixedPoint.cpp - Scaling integers in generated code ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedPoint.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace nnhal;

static constexpr int32_t lowest = std::numeric_limits<int32_t>::min();
static constexpr int32_t highest = std::numeric_limits<int32_t>::max();

/// a * b * 2^-31: the nudge takes halves away from zero, the quotient cuts.
static Scalar highProduct(Scalar a, Scalar b, bool isSmall = false) {
  ImplicitLocOpBuilder &builder = a.getBuilder();
  return {builder, builder.createOrFold<kernel::DoublingHighMulOp>(
                       a.get(), b.get(), isSmall)};
}

Scalar nnhal::saturatingRoundingDoublingHighMul(Scalar a, Scalar b) {
  Scalar overflows = (a == b) & (a == a.like(lowest));
  return select(overflows, a.like(highest), highProduct(a, b));
}

Scalar nnhal::saturatingRoundingDoublingHighMul(Scalar a, int32_t b) {
  if (b == lowest)
    return saturatingRoundingDoublingHighMul(a, a.like(b));
  return highProduct(a, a.like(b));
}

Scalar nnhal::roundingDivideByPowerOfTwo(Scalar value, int32_t exponent) {
  if (exponent == 0)
    return value;
  return roundingDivideByPowerOfTwo(value, value.like(exponent));
}

Scalar nnhal::roundingDivideByPowerOfTwo(Scalar value, Scalar exponent) {
  // 2^31 - 1 for an exponent of 31, by wrapping.
  Scalar mask = value.like(1).shiftedLeft(exponent) - 1;
  Scalar remainder = value & mask;
  Scalar threshold = mask.shiftedRight(mask.like(1)) +
                     (value < 0).zeroExtended(mask.getType());
  return value.shiftedRight(exponent) +
         (remainder > threshold).zeroExtended(mask.getType());
}

Scalar nnhal::saturatingShift(Scalar value, int32_t exponent) {
  if (exponent < 0)
    return roundingDivideByPowerOfTwo(value, std::min(-exponent, 31));
  Scalar shifted = value.toI64() * double(int64_t(1) << std::min(exponent, 31));
  return clamp(shifted, lowest, highest).toI32();
}

Scalar nnhal::multiplyByFactor(Scalar value, rt::FixedPointFactor factor) {
  if (factor.exponent > 0)
    value = value.shiftedLeft(value.like(factor.exponent));
  Scalar product = saturatingRoundingDoublingHighMul(value, factor.multiplier);
  return roundingDivideByPowerOfTwo(product, std::max(-factor.exponent, 0));
}

Scalar nnhal::multiplyByFactor(Scalar value, Scalar multiplier,
                               Scalar exponent) {
  Scalar zero = exponent.like(0);
  Scalar shifted = value.shiftedLeft(max(exponent, zero));
  Scalar product = saturatingRoundingDoublingHighMul(shifted, multiplier);
  return roundingDivideByPowerOfTwo(product, max(zero - exponent, zero));
}

Scalar nnhal::multiplySmallByFactor(Scalar value, rt::FixedPointFactor factor) {
  if (factor.exponent > 0)
    return multiplyByFactor(value, factor);
  if (factor.exponent == 0)
    return highProduct(value, value.like(factor.multiplier), /*isSmall=*/true);
  int32_t rightShift = std::min(-factor.exponent, 31);
  return multiplySmallByFactor(
      value, value.like(factor.multiplier), value.like(rightShift),
      value.like(double(int64_t(1) << (rightShift - 1))));
}

Scalar nnhal::multiplySmallByFactor(Scalar value, Scalar multiplier,
                                    Scalar rightShift, Scalar half) {
  Scalar product = highProduct(value, multiplier, /*isSmall=*/true);
  // One less for a negative number, so that its half goes away from zero.
  Scalar sign = product.shiftedRight(product.like(31));
  return (product + sign + half).shiftedRight(rightShift);
}

/// product * 2^-shift, half up. Both are i64; shift is 1 at least.
static Scalar shiftedOnce(Scalar product, Scalar shift) {
  Scalar nudge = product.like(1).shiftedLeft(shift - 1);
  Scalar rounded = (product + nudge).shiftedRight(shift);
  return clamp(rounded, lowest, highest).toI32();
}

Scalar nnhal::multiplyOnce(Scalar value, rt::FixedPointFactor factor) {
  Scalar product = value.toI64() * double(factor.multiplier);
  return shiftedOnce(product, product.like(std::min(31 - factor.exponent, 62)));
}

Scalar nnhal::multiplyOnce(Scalar value, Scalar multiplier, Scalar exponent) {
  return shiftedOnce(value.toI64() * multiplier.toI64(),
                     min(31.0 - exponent.toI64(), 62.0));
}

Scalar nnhal::multiplyByReal(Scalar value, double factor, double largest) {
  Scalar real = value.toF64() * factor;
  // The number before a half, which takes a half to the next integer and
  // nothing below it that far; the conversion then cuts.
  Scalar nudge = copySign(real.like(std::nextafter(0.5, 0.0)), real);
  Scalar nudged = real + nudge;
  if (largest * factor < smallLimit)
    return nudged.toI32();
  return clamp(nudged, lowest, highest).toI32();
}

Scalar nnhal::rescale(Scalar value, double scale, rt::Rounding rounding,
                      double largest) {
  switch (rounding) {
  case rt::Rounding::doubleRounding: {
    rt::FixedPointFactor factor = rt::fixedPointFactor(scale);
    if (factor.exponent <= 0 && largest < smallLimit)
      return multiplySmallByFactor(value, factor);
    return multiplyByFactor(value, factor);
  }
  case rt::Rounding::singleRounding:
    return multiplyOnce(value, rt::fixedPointFactor(scale));
  case rt::Rounding::floatRounding: {
    Scalar real = roundEven(value.toF32() * scale);
    if (largest * scale < smallLimit)
      return real.toI32();
    return saturated(real, value.getBuilder().getI32Type());
  }
  }
  return value;
}
