//===- ReciprocalRoot.h - Reciprocals of roots ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_RECIPROCALROOT_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_RECIPROCALROOT_H

#include "FixedPoint.h"

namespace nnhal::tflite {

/// Returns 1 / sqrt(value) of a number of at most 28 bits: from 1 on, five
/// steps of Newton's method with 28 fractional bits.
Factor reciprocalRoot(int32_t value);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_RECIPROCALROOT_H
