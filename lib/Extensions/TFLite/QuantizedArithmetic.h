//===- QuantizedArithmetic.h - Products and quotients -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_QUANTIZEDARITHMETIC_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_QUANTIZEDARITHMETIC_H

#include "Operator.h"

namespace nnhal::tflite {

/// MUL of bytes.
rt::Status multiplyBytes(Run &run);
/// DIV of bytes and 16-bit numbers.
rt::Status divideQuantized(Run &run);
/// PRELU of 16-bit numbers, whose slopes are signed bytes.
rt::Status applySlopes(Run &run);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_QUANTIZEDARITHMETIC_H
