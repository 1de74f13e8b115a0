//===- FixedPoint16.h - Functions of 16-bit numbers -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the reference device's FixedPointMath16.h as expressions.
// Scalars are i32, within 16 bits; with n integer bits, raw stands for
// raw * 2^(n - 15).
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_FIXEDPOINT16_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_FIXEDPOINT16_H

#include "../../Common/Scalar.h"

namespace nnhal {

/// An i32 or i64 within 16 bits, as i32.
Scalar saturate16(Scalar value);
/// a * b * 2^-15, rounded to nearest, half away from zero, saturated.
Scalar multiply16(Scalar a, Scalar b);
/// \p raw with \p from integer bits as a number with \p to of them, rounded or
/// saturated.
Scalar rescale16(Scalar raw, int32_t from, int32_t to);

/// 1 / (1 + exp(-a)) without integer bits, for \p raw with \p integerBits, 0 to
/// 6.
Scalar logistic16(Scalar raw, int32_t integerBits);
/// tanh(a) without integer bits, for \p raw with \p integerBits, 0 to 6.
Scalar tanh16(Scalar raw, int32_t integerBits);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_FIXEDPOINT16_H
