//===- FixedPoint.h - Scaling integers in generated code --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the reference device's FixedPoint.h as expressions. Scalars
// are i32 unless a function says otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_FIXEDPOINT_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_FIXEDPOINT_H

#include "../../Common/Scalar.h"

#include "Runtime/Numerics/Quantization.h"

namespace nnhal {

/// a * b * 2^-31, rounded to nearest, half away from zero; saturates for the
/// one product that overflows.
Scalar saturatingRoundingDoublingHighMul(Scalar a, Scalar b);
Scalar saturatingRoundingDoublingHighMul(Scalar a, int32_t b);
/// value * 2^-exponent, rounded to nearest, half away from zero; \p exponent is
/// 0 to 31.
Scalar roundingDivideByPowerOfTwo(Scalar value, int32_t exponent);
Scalar roundingDivideByPowerOfTwo(Scalar value, Scalar exponent);
/// value * 2^exponent, saturated. \p exponent may be negative, then it rounds.
Scalar saturatingShift(Scalar value, int32_t exponent);

/// What is known to stay below it cannot overflow when it is scaled and
/// rounded.
inline constexpr double smallLimit = 0x1p30;

/// value * factor, rounded twice (decisions 17). The left shift wraps.
Scalar multiplyByFactor(Scalar value, rt::FixedPointFactor factor);
/// The same with a factor that is computed.
Scalar multiplyByFactor(Scalar value, Scalar multiplier, Scalar exponent);
/// The same where |value| * 2^exponent is known to be less than smallLimit,
/// which saves a third of the instructions.
Scalar multiplySmallByFactor(Scalar value, rt::FixedPointFactor factor);
/// The same with a computed \p multiplier and a shift right by \p rightShift, 1
/// to 31, of which \p half is the half: 2^(rightShift - 1).
Scalar multiplySmallByFactor(Scalar value, Scalar multiplier, Scalar rightShift,
                             Scalar half);

/// value * multiplier * 2^(exponent - 31), rounded once, half up.
Scalar multiplyOnce(Scalar value, rt::FixedPointFactor factor);
Scalar multiplyOnce(Scalar value, Scalar multiplier, Scalar exponent);

/// value * factor in double precision, rounded once to nearest, half away from
/// zero; saturates. |value| is at most \p largest.
Scalar multiplyByReal(Scalar value, double factor, double largest);

/// value * scale, rounded as \p rounding says: what brings an accumulator to
/// the scale of a result. |value| is at most \p largest: where the result then
/// fits easily, nothing guards against an overflow, which takes half of the
/// instructions.
Scalar rescale(Scalar value, double scale, rt::Rounding rounding,
               double largest = 0x1p31);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_FIXEDPOINT_H
