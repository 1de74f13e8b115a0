//===- FixedPoint.h - Requantization in fixed point -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The arithmetic of the `double-rounding` policy: a real factor is a Q31
// multiplier and a power of two; the product is rounded once by the doubling
// high multiplication and once by the shift. FULLY_CONNECTED has a factor of
// double precision and one rounding.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NUMERICS_FIXEDPOINT_H
#define NNHAL_LIB_RUNTIME_NUMERICS_FIXEDPOINT_H

#include "Quantization.h"

namespace nnhal::rt {

/// a * b * 2^-31, rounded to nearest, half away from zero; saturates for the
/// one product that overflows.
int32_t saturatingRoundingDoublingHighMul(int32_t a, int32_t b);
/// value * 2^-exponent, rounded to nearest, half away from zero. \p exponent is
/// 0 to 31.
int32_t roundingDivideByPowerOfTwo(int32_t value, int32_t exponent);
/// Returns value * 2^exponent, saturated. \p exponent may be negative, then it
/// rounds.
int32_t saturatingShift(int32_t value, int32_t exponent);

/// value * factor, rounded twice (decisions 17). The left shift wraps.
int32_t multiplyByFactor(int32_t value, FixedPointFactor factor);
/// value * factor in double precision, rounded once to nearest, half away from
/// zero; saturates. \p factor is not negative and at most 2^30.
int32_t multiplyByReal(int32_t value, double factor);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_NUMERICS_FIXEDPOINT_H
