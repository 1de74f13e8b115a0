//===- Recurrent.cpp - Recurrent operations in HAL form -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Recurrent.h"
#include "Runtime/Support/Errors.h"

#include "Reader.h"

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

using Types = std::vector<TensorType>;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Input \p index as a rule sees it. A model's input has no value yet and may
/// be omitted by the request.
static OptionalOperand optionalInput(const OperationView &operation,
                                     size_t index) {
  if (index == noInput)
    return {};
  const OperandView &operand = operation.inputs[index];
  if (operand.isOmitted)
    return {operand.type, Presence::omitted};
  return {operand.type, operand.value ? Presence::given : Presence::undecided};
}

static GateOperands gateInputs(const OperationView &operation,
                               const GateInputs &indices) {
  GateOperands operands;
  for (size_t gate = 0; gate < indices.size(); ++gate)
    operands[gate] = optionalInput(operation, indices[gate]);
  return operands;
}

static LstmOperands lstmOperands(const OperationView &operation,
                                 const LstmInputs &inputs) {
  LstmOperands cell;
  cell.inputWeights = gateInputs(operation, inputs.inputWeights);
  cell.recurrentWeights = gateInputs(operation, inputs.recurrentWeights);
  cell.peepholes = gateInputs(operation, inputs.peepholes);
  cell.biases = gateInputs(operation, inputs.biases);
  cell.layerNorm = gateInputs(operation, inputs.layerNorm);
  cell.auxWeights = gateInputs(operation, inputs.auxWeights);
  cell.projectionWeights = optionalInput(operation, inputs.projectionWeights);
  cell.projectionBias = optionalInput(operation, inputs.projectionBias);
  cell.outputState = optionalInput(operation, inputs.outputState);
  cell.cellState = optionalInput(operation, inputs.cellState);
  return cell;
}

static RnnOperands rnnOperands(const OperationView &operation,
                               const RnnInputs &inputs) {
  return {optionalInput(operation, inputs.weights),
          optionalInput(operation, inputs.recurrentWeights),
          optionalInput(operation, inputs.bias),
          optionalInput(operation, inputs.hiddenState),
          optionalInput(operation, inputs.auxWeights)};
}

static Result<OperationFacts> factsFor(const Reader &reader,
                                       Result<Types> results) {
  if (!results.isOk())
    return std::move(results).takeStatus();
  return OperationFacts{reader.since(), *std::move(results)};
}

//===----------------------------------------------------------------------===//
// LSTM
//===----------------------------------------------------------------------===//

static Result<OperationFacts> lstmFacts(Reader &reader) {
  const OperationView &operation = reader.view();
  NNHAL_ASSIGN_OR_RETURN(LstmForm form, decodeLstm(operation));
  return factsFor(reader,
                  lstm(reader.input(0), lstmOperands(operation, form.forward),
                       form.params));
}

static Result<OperationFacts> unidirectionalLstmFacts(Reader &reader) {
  const OperationView &operation = reader.view();
  NNHAL_ASSIGN_OR_RETURN(LstmForm form, decodeLstm(operation));
  return factsFor(
      reader, unidirectionalSequenceLstm(reader.input(0),
                                         lstmOperands(operation, form.forward),
                                         form.params, form.sequence));
}

static Result<OperationFacts> bidirectionalLstmFacts(Reader &reader) {
  const OperationView &operation = reader.view();
  NNHAL_ASSIGN_OR_RETURN(LstmForm form, decodeLstm(operation));
  return factsFor(
      reader, bidirectionalSequenceLstm(reader.input(0),
                                        optionalInput(operation, form.auxInput),
                                        lstmOperands(operation, form.forward),
                                        lstmOperands(operation, form.backward),
                                        form.params, form.sequence));
}

//===----------------------------------------------------------------------===//
// RNN, SVDF
//===----------------------------------------------------------------------===//

static Result<OperationFacts> rnnFacts(Reader &reader) {
  const OperationView &operation = reader.view();
  NNHAL_ASSIGN_OR_RETURN(RnnForm form, decodeRnn(operation));
  return factsFor(reader,
                  rnn(reader.input(0), rnnOperands(operation, form.forward),
                      form.activation));
}

static Result<OperationFacts> unidirectionalRnnFacts(Reader &reader) {
  const OperationView &operation = reader.view();
  NNHAL_ASSIGN_OR_RETURN(RnnForm form, decodeRnn(operation));
  return factsFor(
      reader, unidirectionalSequenceRnn(reader.input(0),
                                        rnnOperands(operation, form.forward),
                                        form.activation, form.sequence));
}

static Result<OperationFacts> bidirectionalRnnFacts(Reader &reader) {
  const OperationView &operation = reader.view();
  NNHAL_ASSIGN_OR_RETURN(RnnForm form, decodeRnn(operation));
  return factsFor(
      reader, bidirectionalSequenceRnn(reader.input(0),
                                       optionalInput(operation, form.auxInput),
                                       rnnOperands(operation, form.forward),
                                       rnnOperands(operation, form.backward),
                                       form.activation, form.sequence));
}

static Result<OperationFacts> svdfFacts(Reader &reader) {
  const OperationView &operation = reader.view();
  NNHAL_ASSIGN_OR_RETURN(SvdfForm form, decodeSvdf(operation));
  return factsFor(reader, svdf(reader.input(0), reader.input(1),
                               reader.input(2), optionalInput(operation, 3),
                               reader.input(4), form.rank, form.activation));
}

//===----------------------------------------------------------------------===//
// Quantized
//===----------------------------------------------------------------------===//

static Result<OperationFacts> quantized16BitLstmFacts(Reader &reader) {
  const OperationView &operation = reader.view();
  return factsFor(
      reader,
      quantized16BitLstm(reader.input(0),
                         lstmOperands(operation, quantized16BitLstmInputs())));
}

static Result<OperationFacts> quantizedLstmFacts(Reader &reader) {
  const OperationView &operation = reader.view();
  NNHAL_ASSIGN_OR_RETURN(QuantizedLstmForm form,
                         decodeQuantizedLstm(operation));
  return factsFor(reader, quantizedLstm(reader.input(0),
                                        lstmOperands(operation, form.cell),
                                        form.params));
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

std::span<const Row> signatures::recurrentRows() {
  using enum OperationType;
  static constexpr Row rows[] = {
      {LSTM, lstmFacts},
      {UNIDIRECTIONAL_SEQUENCE_LSTM, unidirectionalLstmFacts},
      {BIDIRECTIONAL_SEQUENCE_LSTM, bidirectionalLstmFacts},
      {RNN, rnnFacts},
      {UNIDIRECTIONAL_SEQUENCE_RNN, unidirectionalRnnFacts},
      {BIDIRECTIONAL_SEQUENCE_RNN, bidirectionalRnnFacts},
      {SVDF, svdfFacts},
      {QUANTIZED_16BIT_LSTM, quantized16BitLstmFacts},
      {QUANTIZED_LSTM, quantizedLstmFacts},
  };
  return rows;
}
