//===- FixedPointMath.h - Fixed-point math in code --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of lib/Runtime/Numerics/FixedPointMath.h that depend on
// computed values, as expressions, bit for bit. Scalars are i32 unless a
// function says otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_FIXEDPOINTMATH_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_FIXEDPOINTMATH_H

#include "../../Common/Scalar.h"

namespace nnhal {

/// exp(a) without integer bits, for \p raw <= 0 with \p integerBits, 0 to 5.
Scalar fixedPointExpOfNonPositive(Scalar raw, int32_t integerBits);
/// 1 / (1 + a) without integer bits, for \p raw >= 0 without integer bits.
Scalar fixedPointOneOverOnePlus(Scalar raw);

/// multiplier * 2^(exponent - 31).
struct ComputedFactor {
  Scalar multiplier;
  Scalar exponent;
};
/// The factor nearest to an f64 \p value, which is positive and at least
/// 2^-900.
ComputedFactor fixedPointFactor(Scalar value);
/// The largest magnitude that, shifted left by \p leftShift of -31 to 30, stays
/// below the largest number of \p integerBits.
Scalar fixedPointInputRadius(int32_t integerBits, Scalar leftShift);
/// 1 / sqrt(value), for an i64 \p value >= 0; 0 counts as 1.
ComputedFactor fixedPointInverseSqrt(Scalar value);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_FIXEDPOINTMATH_H
