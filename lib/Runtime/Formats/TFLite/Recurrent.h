//===- Recurrent.h - Common parts of recurrent operators --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_RECURRENT_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_RECURRENT_H

#include "Operator.h"

namespace nnhal::rt::tflite {

/// Positions shared by LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM (M-165).
inline constexpr size_t projectionWeights = 16, outputState = 18,
                        cellState = 19, layerNorm = 20;

/// The state input \p i of shape \p shape; not a variable in files that feed
/// states themselves.
Result<uint32_t> stateInput(Operator &op, size_t i, Shape shape);

/// The operand for the new value of state input \p i. Call after stateInput().
uint32_t stateOutput(Operator &op, size_t i);

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_RECURRENT_H
