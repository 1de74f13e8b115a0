//===- Folding.h - Operators whose result is known at import ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_FOLDING_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_FOLDING_H

#include "Operator.h"

namespace nnhal::rt::tflite {

/// Whether this is an operator over integers that are all known: a part of the
/// computation of shapes in files. Many have no HAL operation for integers.
bool isFoldable(Operator &op);

/// Makes the outputs of such an operator constants. Call with its output
/// shapes set.
Status foldIntegers(Operator &op);

/// Whether this is an operator that moves a constant with several scales, which
/// no operation does.
bool movesChannels(Operator &op);

/// Makes the output of such an operator a constant, whose scales are those that
/// the file states for it. Call with its output shape set, but for TRANSPOSE.
Status foldChannels(Operator &op);

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_FOLDING_H
