//===- FixedPointMath.h - Functions of fixed-point numbers ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// A number is a 32-bit integer with some integer bits: with n of them, raw
// stands for raw * 2^(n - 31). The sequences of operations are those of
// gemmlowp, on which the HAL's quantized activations are defined, so that
// results agree with it bit for bit.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NUMERICS_FIXEDPOINTMATH_H
#define NNHAL_LIB_RUNTIME_NUMERICS_FIXEDPOINTMATH_H

#include "FixedPoint.h"

namespace nnhal::rt {

/// exp(a) without integer bits, for \p raw <= 0 with \p integerBits, 0 to 29.
int32_t fixedPointExpOfNonPositive(int32_t raw, int32_t integerBits);
/// Returns 1 / (1 + a) without integer bits, for \p raw >= 0 without integer
/// bits.
int32_t fixedPointOneOverOnePlus(int32_t raw);
/// Returns 1 / (1 + exp(-a)) without integer bits, for \p raw with
/// \p integerBits.
int32_t fixedPointLogistic(int32_t raw, int32_t integerBits);
/// tanh(a) without integer bits, for \p raw with \p integerBits.
int32_t fixedPointTanh(int32_t raw, int32_t integerBits);
/// Returns 1 / sqrt(value), for \p value >= 0; 0 counts as 1.
FixedPointFactor fixedPointInverseSqrt(int64_t value);

/// The largest magnitude that, shifted left by \p leftShift, stays below the
/// largest number of \p integerBits: beyond it functions are saturated.
int32_t fixedPointInputRadius(int32_t integerBits, int32_t leftShift);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_NUMERICS_FIXEDPOINTMATH_H
