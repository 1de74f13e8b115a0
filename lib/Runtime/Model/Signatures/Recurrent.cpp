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

// The lowest version per type: LSTM, RNN and SVDF (M-281, M-289, M-292).
static constexpr TypeRow types[] = {
    {OperandType::TENSOR_FLOAT32, HalVersion::V1_0},
    {OperandType::TENSOR_FLOAT16, HalVersion::V1_2},
};

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

/// The input proper is there, whatever else is omitted; nothing that is there
/// is zero-sized.
static Status expectInput(const Reader &reader) {
  if (!reader.hasInput(0)) // signature C3
    return badData("input 0 is omitted, but it is not optional");
  return reader.expectNonEmpty();
}

static Status expectOutputs(const Reader &reader,
                            std::initializer_list<size_t> counts,
                            std::string_view list) {
  for (size_t count : counts)
    if (reader.outputCount() == count)
      return Status::ok();
  return badData("found {} outputs, expected {}", reader.outputCount(),
                 list); // sequence C3
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

static Result<OperationFacts> lstmFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({23, 27}, 4));
  NNHAL_RETURN_IF_ERROR(expectInput(reader));
  requireForType(reader, types, reader.inputType(0));
  // Layer normalization came with HAL 1.2 (M-164).
  if (reader.inputCount() == 27)
    reader.require(HalVersion::V1_2);
  NNHAL_ASSIGN_OR_RETURN(LstmForm form, decodeLstm(operation));
  return factsFor(reader,
                  lstm(reader.input(0), lstmOperands(operation, form.forward),
                       form.params));
}

static Result<OperationFacts>
unidirectionalLstmFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({28}, reader.outputCount()));
  NNHAL_RETURN_IF_ERROR(expectOutputs(reader, {1, 3}, "1 or 3"));
  NNHAL_RETURN_IF_ERROR(expectInput(reader));
  // Outputs for the states came with HAL 1.3 (M-175).
  reader.require(reader.outputCount() == 1 ? HalVersion::V1_2
                                           : HalVersion::V1_3);
  NNHAL_ASSIGN_OR_RETURN(LstmForm form, decodeLstm(operation));
  return factsFor(
      reader, unidirectionalSequenceLstm(reader.input(0),
                                         lstmOperands(operation, form.forward),
                                         form.params, form.sequence));
}

static Result<OperationFacts>
bidirectionalLstmFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({61}, reader.outputCount()));
  NNHAL_RETURN_IF_ERROR(expectOutputs(reader, {1, 2, 5, 6}, "1, 2, 5 or 6"));
  NNHAL_RETURN_IF_ERROR(expectInput(reader));
  // Outputs for the states came with HAL 1.3 (M-177).
  reader.require(reader.outputCount() <= 2 ? HalVersion::V1_2
                                           : HalVersion::V1_3);
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

static Result<OperationFacts> rnnFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({6}, 2));
  NNHAL_RETURN_IF_ERROR(expectInput(reader));
  requireForType(reader, types, reader.inputType(0));
  NNHAL_ASSIGN_OR_RETURN(RnnForm form, decodeRnn(operation));
  return factsFor(reader,
                  rnn(reader.input(0), rnnOperands(operation, form.forward),
                      form.activation));
}

static Result<OperationFacts>
unidirectionalRnnFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({7}, reader.outputCount()));
  NNHAL_RETURN_IF_ERROR(expectOutputs(reader, {1, 2}, "1 or 2"));
  NNHAL_RETURN_IF_ERROR(expectInput(reader));
  // The output for the state came with HAL 1.3 (M-180).
  reader.require(reader.outputCount() == 1 ? HalVersion::V1_2
                                           : HalVersion::V1_3);
  NNHAL_ASSIGN_OR_RETURN(RnnForm form, decodeRnn(operation));
  return factsFor(
      reader, unidirectionalSequenceRnn(reader.input(0),
                                        rnnOperands(operation, form.forward),
                                        form.activation, form.sequence));
}

static Result<OperationFacts>
bidirectionalRnnFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({15}, reader.outputCount()));
  NNHAL_RETURN_IF_ERROR(expectOutputs(reader, {1, 2, 3, 4}, "1 to 4"));
  NNHAL_RETURN_IF_ERROR(expectInput(reader));
  // Outputs for the states came with HAL 1.3 (M-181).
  reader.require(reader.outputCount() <= 2 ? HalVersion::V1_2
                                           : HalVersion::V1_3);
  NNHAL_ASSIGN_OR_RETURN(RnnForm form, decodeRnn(operation));
  return factsFor(
      reader, bidirectionalSequenceRnn(reader.input(0),
                                       optionalInput(operation, form.auxInput),
                                       rnnOperands(operation, form.forward),
                                       rnnOperands(operation, form.backward),
                                       form.activation, form.sequence));
}

static Result<OperationFacts> svdfFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({7}, 2));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent({3}));
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  requireForType(reader, types, reader.inputType(0));
  NNHAL_ASSIGN_OR_RETURN(SvdfForm form, decodeSvdf(operation));
  return factsFor(reader, svdf(reader.input(0), reader.input(1),
                               reader.input(2), optionalInput(operation, 3),
                               reader.input(4), form.rank, form.activation));
}

//===----------------------------------------------------------------------===//
// Quantized
//===----------------------------------------------------------------------===//

static Result<OperationFacts>
quantized16BitLstmFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({15}, 2));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  // QUANTIZED_16BIT_LSTM came with HAL 1.2 (M-338).
  reader.require(HalVersion::V1_2);
  return factsFor(
      reader,
      quantized16BitLstm(reader.input(0),
                         lstmOperands(operation, quantized16BitLstmInputs())));
}

static Result<OperationFacts>
quantizedLstmFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({32}, 3));
  NNHAL_RETURN_IF_ERROR(expectInput(reader));
  // QUANTIZED_LSTM came with HAL 1.3 (M-360).
  reader.require(HalVersion::V1_3);
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
