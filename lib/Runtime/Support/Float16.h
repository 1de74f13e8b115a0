//===- Float16.h - IEEE 754 half precision ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_FLOAT16_H
#define NNHAL_LIB_RUNTIME_SUPPORT_FLOAT16_H

#include <cstdint>

namespace nnhal::rt {

/// The bits of the binary16 value nearest to \p value, ties to even, rounded
/// once. Beyond the largest finite value: an infinity. Every NaN becomes the
/// quiet NaN 0x7E00, with the sign of \p value.
uint16_t float16FromDouble(double value);

/// The value of binary16 \p bits, exactly.
float floatFromFloat16(uint16_t bits);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_FLOAT16_H
