//===- QuantizedActivation.h - Activations of 8-bit values ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quantized activation is a function of one byte: the reference device and
// the compiler look it up. Threads: pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NUMERICS_QUANTIZEDACTIVATION_H
#define NNHAL_LIB_RUNTIME_NUMERICS_QUANTIZEDACTIVATION_H

#include "nnhal/Backend/Rules.h"

#include <array>

namespace nnhal::rt {

/// The result for every stored byte, whatever its sign means: element b is for
/// the byte b.
using ByteTable = std::array<int32_t, 256>;

// Makes the table from \p input to \p output, both of 8 bits and asymmetric
// (M-054, M-057).
ByteTable logisticTable(const TensorType &input, const TensorType &output);
ByteTable hyperbolicTangentTable(const TensorType &input,
                                 const TensorType &output);
ByteTable hardSwishTable(const TensorType &input, const TensorType &output);

/// exp(-i * beta * scale) without integer bits, for i from 0 to 255: SOFTMAX of
/// 8-bit values (M-062). Zero from where the argument has more than 5 integer
/// bits.
ByteTable softmaxPowers(float beta, float scale);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_NUMERICS_QUANTIZEDACTIVATION_H
