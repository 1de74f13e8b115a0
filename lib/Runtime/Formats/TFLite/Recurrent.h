//===- Recurrent.h - Common parts of recurrent operators --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_RECURRENT_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_RECURRENT_H

#include "OperationBuilder.h"

namespace nnhal::rt::tflite {

/// Positions shared by LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM (M-165).
inline constexpr size_t projectionWeights = 16, outputState = 18,
                        cellState = 19, layerNorm = 20;

/// Activation codes of recurrent operations: TANH has one here (M-173).
Result<int32_t> recurrentActivation(schema::Activation activation);

/// Adds input \p i, weights or a bias, or an omitted operand.
void addWeights(Operator &op, OperationBuilder &builder, size_t i);

/// Checks that input \p i, which may be absent, has shape \p expected and the
/// type of input 0.
Status expectShape(Operator &op, size_t i, const Shape &expected);
/// Checks that input \p i, which may be absent, has shape \p expected and the
/// type \p type.
Status expectShape(Operator &op, size_t i, const Shape &expected,
                   OperandType type);
Status expectRank(Operator &op, size_t i, size_t rank);
/// Checks that \p inputs are present all together or not at all (M-167 to
/// M-170).
Status expectTogether(Operator &op, std::initializer_list<size_t> inputs);

/// Checks the weights of an LSTM cell, inputs \p first + 1 to \p first + 17,
/// and gives the output size.
Result<uint32_t> lstmOutputSize(Operator &op, uint32_t inputSize,
                                size_t first = 0);
/// Checks the weights of an RNN cell, inputs \p first + 1 to \p first + 3, and
/// gives the number of units.
Result<uint32_t> rnnUnits(Operator &op, uint32_t inputSize, size_t first = 0);

/// The state input \p i of shape \p shape; not a variable in files that feed
/// states themselves.
Result<uint32_t> stateInput(Operator &op, size_t i, Shape shape);

/// The operand for the new value of state input \p i. Call after stateInput().
uint32_t stateOutput(Operator &op, size_t i);

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_RECURRENT_H
