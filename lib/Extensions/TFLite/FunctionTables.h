//===- FunctionTables.h - Functions of quantized numbers --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables by which both halves of the extension compute functions of one
// quantized number.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_FUNCTIONTABLES_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_FUNCTIONTABLES_H

#include "FixedPoint.h"

namespace nnhal::tflite {

/// The scale and the zero point of quantized bytes.
struct ByteSteps {
  float scale;
  int32_t zeroPoint;
};
/// The results of a function of signed bytes, by the bits of what it takes.
using Table8 = std::array<int8_t, 256>;

float elu(float x);
float gelu(float x, bool isApproximate);

Table8 eluTable(ByteSteps from, ByteSteps to);
/// Returns the table of LOG of bytes.
Table8 logarithmTable(ByteSteps from, ByteSteps to);
/// Returns the table of LOG of 16-bit numbers.
Table16 logarithmTable(float inputScale, float outputScale);
Table16 geluTable(float inputScale, float outputScale, bool isApproximate);
/// Returns the table of RSQRT of 16-bit numbers.
Table16 reciprocalRootTable(float inputScale, float outputScale);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_FUNCTIONTABLES_H
