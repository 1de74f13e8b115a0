//===- FixedPointMath16.h - Functions of 16-bit numbers ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number is a 16-bit integer with some integer bits: with n of them, raw
// stands for raw * 2^(n - 15). The sequences of operations are those of
// gemmlowp, on which the HAL's quantized LSTMs are defined, so that results
// agree with it bit for bit: each step is rounded to 16 bits, which is why the
// 32-bit functions of FixedPointMath.h yield other results.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NUMERICS_FIXEDPOINTMATH16_H
#define NNHAL_LIB_RUNTIME_NUMERICS_FIXEDPOINTMATH16_H

#include <cstdint>

namespace nnhal::rt::reference {

/// \p value within 16 bits.
int16_t saturate16(int64_t value);
/// a * b * 2^-15, rounded to nearest, half away from zero; saturates for the
/// one product that overflows. The integer bits of the result are the sum of
/// those of \p a and \p b.
int16_t multiply16(int16_t a, int16_t b);
/// \p raw with \p from integer bits as a number with \p to of them, rounded or
/// saturated.
int16_t rescale16(int16_t raw, int32_t from, int32_t to);

/// Returns 1 / (1 + exp(-a)) without integer bits, for \p raw with
/// \p integerBits, 0 to 6.
int16_t logistic16(int16_t raw, int32_t integerBits);
/// tanh(a) without integer bits, for \p raw with \p integerBits, 0 to 6.
int16_t tanh16(int16_t raw, int32_t integerBits);

} // namespace nnhal::rt::reference

#endif // NNHAL_LIB_RUNTIME_NUMERICS_FIXEDPOINTMATH16_H
