//===- Rounding.h - How accumulators become quantized values ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_ROUNDING_H
#define NNHAL_RUNTIME_ROUNDING_H

#include <cstdint>

namespace nnhal::rt {

/// The ways in which an integer accumulator becomes a quantized value
/// (decisions 17). The numbers are those of NNHalCompileOptions.
enum class Rounding : uint32_t {
  /// A 31-bit multiplier, rounded by the doubling high multiplication and again
  /// by the shift, as TensorFlow Lite's goldens have it. There the sums of
  /// FULLY_CONNECTED are scaled as real numbers and rounded once.
  doubleRounding,
  /// A 31-bit multiplier, rounded once.
  singleRounding,
  /// A float multiplier; halves go to even.
  floatRounding
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_ROUNDING_H
