//===- Recurrent.h - Forms of recurrent operations --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the operands of a cell stand in an operation of the HAL, and its
// parameters, decoded once for checks and for devices. Functions demand a
// number of inputs that the operation has; absent values read as ones that
// break no rule.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_SIGNATURES_RECURRENT_H
#define NNHAL_BACKEND_SIGNATURES_RECURRENT_H

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Api.h"

namespace nnhal::rt {

/// The index of an input that the operation does not have.
inline constexpr size_t noInput = size_t(-1);
using GateInputs = std::array<size_t, 4>;

/// Inputs of an LSTM cell, each of which may be omitted: see LstmOperands.
struct LstmInputs {
  static constexpr GateInputs none{noInput, noInput, noInput, noInput};

  GateInputs inputWeights = none;
  GateInputs recurrentWeights = none;
  GateInputs peepholes = none;
  GateInputs biases = none;
  GateInputs layerNorm = none;
  GateInputs auxWeights = none;
  size_t projectionWeights = noInput;
  size_t projectionBias = noInput;
  size_t outputState = noInput;
  size_t cellState = noInput;
};

/// The parameters of LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM and
/// BIDIRECTIONAL_SEQUENCE_LSTM.
struct LstmForm {
  LstmInputs forward;
  /// The backward cell and the auxiliary input are for the bidirectional
  /// operation only.
  LstmInputs backward;
  size_t auxInput = noInput;
  LstmParams params;
  SequenceParams sequence;
};
NNHAL_API Result<LstmForm> decodeLstm(const OperationView &operation);

/// The inputs of an RNN cell: see RnnOperands.
struct RnnInputs {
  size_t weights = noInput;
  size_t recurrentWeights = noInput;
  size_t bias = noInput;
  size_t hiddenState = noInput;
  size_t auxWeights = noInput;
};

/// The parameters of RNN, UNIDIRECTIONAL_SEQUENCE_RNN and
/// BIDIRECTIONAL_SEQUENCE_RNN.
struct RnnForm {
  RnnInputs forward;
  /// The backward cell and the auxiliary input are for the bidirectional
  /// operation only.
  RnnInputs backward;
  size_t auxInput = noInput;
  RecurrentActivation activation = RecurrentActivation::none;
  SequenceParams sequence;
};
NNHAL_API Result<RnnForm> decodeRnn(const OperationView &operation);

struct SvdfForm {
  /// The rank is absent when it is not known.
  std::optional<int64_t> rank;
  RecurrentActivation activation = RecurrentActivation::none;
};
NNHAL_API Result<SvdfForm> decodeSvdf(const OperationView &operation);

NNHAL_API LstmInputs quantized16BitLstmInputs();

struct QuantizedLstmForm {
  LstmInputs cell;
  QuantizedLstmParams params;
};
NNHAL_API Result<QuantizedLstmForm>
decodeQuantizedLstm(const OperationView &operation);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_SIGNATURES_RECURRENT_H
