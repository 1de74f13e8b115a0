//===- Quantization.h - Numbers behind quantized arithmetic -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the reference device and the compiler derive from scales and zero
// points before any element is computed.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NUMERICS_QUANTIZATION_H
#define NNHAL_LIB_RUNTIME_NUMERICS_QUANTIZATION_H

#include "nnhal/Backend/Rules.h"
#include "nnhal/Runtime/Rounding.h"

namespace nnhal::rt {

/// Inclusive.
struct StorageRange {
  int32_t low;
  int32_t high;
};
/// The integers that the storage of \p type holds; those of int32 for floats.
StorageRange storageRange(OperandType type);

/// multiplier * 2^(exponent - 31).
struct FixedPointFactor {
  int32_t multiplier = 0;
  int32_t exponent = 0;
};

/// Returns the factor nearest to \p value, which is not negative (M-015):
/// rounds the mantissa to 31 bits; below 2^-31 it is zero.
FixedPointFactor fixedPointFactor(double value);

/// What brings the sums of FULLY_CONNECTED, products of values with the scales
/// \p input and \p filter, to the scale \p output; at most 2^30, beyond which
/// any sum saturates.
double fullyConnectedScale(float input, float filter, float output);
/// What does so for the sums of convolutions of \p input. The product of the
/// scales is a float where values are unsigned (M-014). TensorFlow Lite keeps
/// that for its first quantized models; for signed values it is a double.
double convolutionScale(const TensorType &input, float filter, float output);

/// Returns \p bound in steps of \p scale, halves away from 0. The quotient has
/// single precision, in which it may be a half where a more exact one is not.
double stepsOfBound(float bound, float scale);

/// The bounds that a fused activation and the storage set on a quantized output
/// (M-017).
StorageRange activationRange(FusedActivation activation,
                             const TensorType &output);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_NUMERICS_QUANTIZATION_H
