//===- RecurrentForms.cpp - Decodes recurrent operations ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/Signatures/Recurrent.h"

#include "Reader.h"

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

/// Four inputs from \p first on, one per gate.
static GateInputs gatesFrom(size_t first) {
  return {first, first + 1, first + 2, first + 3};
}

/// The 17 inputs from \p first on that all float cells and QUANTIZED_LSTM have
/// in common: weights, peepholes, biases and projection (M-165).
static LstmInputs cellFrom(size_t first) {
  LstmInputs cell;
  cell.inputWeights = gatesFrom(first);
  cell.recurrentWeights = gatesFrom(first + 4);
  cell.peepholes = {first + 8, first + 9, noInput, first + 10};
  cell.biases = gatesFrom(first + 11);
  cell.projectionWeights = first + 15;
  cell.projectionBias = first + 16;
  return cell;
}

static Result<RecurrentActivation> readActivation(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(int32_t code,
                         reader.int32("activation", /*fallback=*/0));
  return RecurrentActivation(code);
}

static Result<LstmParams> readParams(Reader &reader) {
  LstmParams params;
  NNHAL_ASSIGN_OR_RETURN(params.activation, readActivation(reader));
  NNHAL_ASSIGN_OR_RETURN(params.cellClip, reader.real("cell clip"));
  NNHAL_ASSIGN_OR_RETURN(params.projectionClip, reader.real("projection clip"));
  return params;
}

/// A flag whose value may not be known.
static Result<std::optional<bool>> readFlag(Reader &reader,
                                            std::string_view name) {
  NNHAL_ASSIGN_OR_RETURN(bool value, reader.boolean(name));
  return reader.knows(name) ? std::optional(value) : std::nullopt;
}

/// Merging and states of an operation with one result when merged,
/// \p mergedWithStates when states follow, and one more when not merged.
static Result<SequenceParams> readDirections(Reader &reader,
                                             size_t mergedWithStates) {
  size_t outputs = reader.outputCount();
  SequenceParams sequence;
  sequence.mergesOutputs = outputs == 1 || outputs == mergedWithStates;
  sequence.yieldsStates = outputs > 2;
  NNHAL_ASSIGN_OR_RETURN(std::optional<bool> merges,
                         readFlag(reader, "merge outputs"));
  if (merges && *merges != sequence.mergesOutputs) // bidirectional C5
    return badData("outputs are {}, but {} are stated",
                   *merges ? "merged" : "not merged", outputs);
  NNHAL_ASSIGN_OR_RETURN(sequence.isTimeMajor, readFlag(reader, "time major"));
  return sequence;
}

Result<LstmForm> nnhal::rt::decodeLstm(const OperationView &operation) {
  Reader reader(operation);
  LstmForm form;
  form.forward = cellFrom(1);
  if (operation.type == OperationType::BIDIRECTIONAL_SEQUENCE_LSTM) {
    form.backward = cellFrom(18);
    form.forward.outputState = 35;
    form.forward.cellState = 36;
    form.backward.outputState = 37;
    form.backward.cellState = 38;
    form.auxInput = 39;
    form.forward.auxWeights = gatesFrom(40);
    form.backward.auxWeights = gatesFrom(44);
    NNHAL_ASSIGN_OR_RETURN(form.sequence, readDirections(reader, 5));
    form.forward.layerNorm = gatesFrom(53);
    form.backward.layerNorm = gatesFrom(57);
  } else {
    form.forward.outputState = 18;
    form.forward.cellState = 19;
    bool isSequence =
        operation.type == OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM;
    if (isSequence) {
      NNHAL_ASSIGN_OR_RETURN(form.sequence.isTimeMajor,
                             readFlag(reader, "time major"));
      form.sequence.yieldsStates = operation.outputs.size() > 1;
    }
    if (reader.inputCount() > 23)
      form.forward.layerNorm = gatesFrom(isSequence ? 24 : 23);
  }
  NNHAL_ASSIGN_OR_RETURN(form.params, readParams(reader));
  return form;
}

/// UNIDIRECTIONAL_SEQUENCE_RNN states the order as an INT32 (M-180).
static Result<std::optional<bool>> readTimeMajorNumber(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(int32_t value, reader.int32("time major"));
  if (!reader.knows("time major"))
    return std::optional<bool>();
  if (value != 0 && value != 1) // sequence C4
    return badData("time major is {}, expected 0 or 1", value);
  return std::optional(value == 1);
}

Result<RnnForm> nnhal::rt::decodeRnn(const OperationView &operation) {
  Reader reader(operation);
  RnnForm form;
  form.forward = {1, 2, 3, 4, noInput};
  if (operation.type == OperationType::BIDIRECTIONAL_SEQUENCE_RNN) {
    form.backward = {5, 6, 7, 8, 11};
    form.auxInput = 9;
    form.forward.auxWeights = 10;
    NNHAL_ASSIGN_OR_RETURN(form.sequence, readDirections(reader, 3));
  } else if (operation.type == OperationType::UNIDIRECTIONAL_SEQUENCE_RNN) {
    NNHAL_ASSIGN_OR_RETURN(form.sequence.isTimeMajor,
                           readTimeMajorNumber(reader));
    form.sequence.yieldsStates = operation.outputs.size() > 1;
  }
  NNHAL_ASSIGN_OR_RETURN(form.activation, readActivation(reader));
  return form;
}

Result<SvdfForm> nnhal::rt::decodeSvdf(const OperationView &operation) {
  Reader reader(operation);
  SvdfForm form;
  NNHAL_ASSIGN_OR_RETURN(int32_t rank, reader.int32("rank"));
  if (reader.isComplete())
    form.rank = rank;
  NNHAL_ASSIGN_OR_RETURN(form.activation, readActivation(reader));
  return form;
}

LstmInputs nnhal::rt::quantized16BitLstmInputs() {
  LstmInputs cell;
  cell.inputWeights = gatesFrom(1);
  cell.recurrentWeights = gatesFrom(5);
  cell.biases = gatesFrom(9);
  cell.cellState = 13;
  cell.outputState = 14;
  return cell;
}

Result<QuantizedLstmForm>
nnhal::rt::decodeQuantizedLstm(const OperationView &operation) {
  Reader reader(operation);
  QuantizedLstmForm form;
  form.cell = cellFrom(1);
  form.cell.outputState = 18;
  form.cell.cellState = 19;
  form.cell.layerNorm = gatesFrom(20);
  static constexpr std::string_view scaleNames[] = {
      "input gate intermediate scale", "forget gate intermediate scale",
      "cell gate intermediate scale", "output gate intermediate scale"};
  // An omitted clip is disabled (M-193).
  if (reader.states("cell clip")) {
    NNHAL_ASSIGN_OR_RETURN(form.params.cellClip, reader.real("cell clip"));
  }
  if (reader.states("projection clip")) {
    NNHAL_ASSIGN_OR_RETURN(form.params.projectionClip,
                           reader.real("projection clip"));
  }
  for (size_t gate = 0; gate < 4; ++gate) {
    NNHAL_ASSIGN_OR_RETURN(form.params.intermediateScales[gate],
                           reader.real(scaleNames[gate]));
  }
  NNHAL_ASSIGN_OR_RETURN(form.params.hiddenZeroPoint,
                         reader.int32("hidden state zero point"));
  NNHAL_ASSIGN_OR_RETURN(form.params.hiddenScale,
                         reader.real("hidden state scale"));
  return form;
}
