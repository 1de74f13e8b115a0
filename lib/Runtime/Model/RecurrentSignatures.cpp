//===- RecurrentSignatures.cpp - The inputs of recurrent operations -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SignatureRows.h"

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

static constexpr TypeSince asymmetric12[] = {
    {OperandType::TENSOR_QUANT8_ASYMM, HalVersion::V1_2}};
static constexpr TypeSince signed13[] = {
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, HalVersion::V1_3}};

// Gates come in the order input, forget, cell, output.

/// Names begin with the direction in which a cell runs, where there are two.
#define NNHAL_GATES(DIRECTION, WHAT)                                           \
  tensor(DIRECTION "input gate " WHAT), tensor(DIRECTION "forget gate " WHAT), \
      tensor(DIRECTION "cell gate " WHAT),                                     \
      tensor(DIRECTION "output gate " WHAT)
/// Gates of which the input gate may be coupled to another (M-167).
#define NNHAL_COUPLED_GATES(DIRECTION, WHAT)                                   \
  omittable(tensor(DIRECTION "input gate " WHAT)),                             \
      tensor(DIRECTION "forget gate " WHAT),                                   \
      tensor(DIRECTION "cell gate " WHAT),                                     \
      tensor(DIRECTION "output gate " WHAT)
/// The 17 inputs that all float cells and QUANTIZED_LSTM have in common
/// (M-165, M-168, M-169).
#define NNHAL_LSTM_CELL(DIRECTION)                                             \
  NNHAL_COUPLED_GATES(DIRECTION, "input weights"),                             \
      NNHAL_COUPLED_GATES(DIRECTION, "recurrent weights"),                     \
      omittable(tensor(DIRECTION "input gate peephole weights")),              \
      omittable(tensor(DIRECTION "forget gate peephole weights")),             \
      omittable(tensor(DIRECTION "output gate peephole weights")),             \
      NNHAL_COUPLED_GATES(DIRECTION, "bias"),                                  \
      omittable(tensor(DIRECTION "projection weights")),                       \
      omittable(tensor(DIRECTION "projection bias"))
/// Four inputs that are given together or not at all.
#define NNHAL_OPTIONAL_GATES(DIRECTION, WHAT)                                  \
  omittable(tensor(DIRECTION "input gate " WHAT)),                             \
      omittable(tensor(DIRECTION "forget gate " WHAT)),                        \
      omittable(tensor(DIRECTION "cell gate " WHAT)),                          \
      omittable(tensor(DIRECTION "output gate " WHAT))

// The weights of layer normalization came with HAL 1.2, all at once (M-164).
static constexpr InputRow firstNorm = omittable(trailing(
    tensor("input gate layer norm weights"), std::nullopt, HalVersion::V1_2));
static constexpr InputRow laterNorm(std::string_view name) {
  return joined(
      omittable(trailing(tensor(name), std::nullopt, HalVersion::V1_2)));
}

static constexpr InputRow lstmInputs[] = {
    tensor("input", floats10),
    NNHAL_LSTM_CELL(""),
    tensor("output state"),
    tensor("cell state"),
    int32("activation"),
    real("cell clip"),
    real("projection clip"),
    firstNorm,
    laterNorm("forget gate layer norm weights"),
    laterNorm("cell gate layer norm weights"),
    laterNorm("output gate layer norm weights")};
static constexpr InputRow sequenceLstmInputs[] = {
    tensor("input", floats12),
    NNHAL_LSTM_CELL(""),
    tensor("output state"),
    tensor("cell state"),
    int32("activation"),
    real("cell clip"),
    real("projection clip"),
    boolean("time major"),
    NNHAL_OPTIONAL_GATES("", "layer norm weights")};
static constexpr InputRow bidirectionalLstmInputs[] = {
    tensor("input", floats12),
    NNHAL_LSTM_CELL("forward "),
    NNHAL_LSTM_CELL("backward "),
    tensor("forward output state"),
    tensor("forward cell state"),
    tensor("backward output state"),
    tensor("backward cell state"),
    omittable(tensor("auxiliary input")),
    NNHAL_OPTIONAL_GATES("forward ", "auxiliary weights"),
    NNHAL_OPTIONAL_GATES("backward ", "auxiliary weights"),
    int32("activation"),
    real("cell clip"),
    real("projection clip"),
    boolean("merge outputs"),
    boolean("time major"),
    NNHAL_OPTIONAL_GATES("forward ", "layer norm weights"),
    NNHAL_OPTIONAL_GATES("backward ", "layer norm weights")};
static constexpr InputRow quantized16BitLstmInputs[] = {
    tensor("input", asymmetric12),
    NNHAL_GATES("", "input weights"),
    NNHAL_GATES("", "recurrent weights"),
    NNHAL_GATES("", "bias"),
    tensor("cell state"),
    tensor("output state")};
// An omitted clip is disabled (M-193).
static constexpr InputRow quantizedLstmInputs[] = {
    tensor("input", signed13),
    NNHAL_LSTM_CELL(""),
    tensor("output state"),
    tensor("cell state"),
    NNHAL_OPTIONAL_GATES("", "layer norm weights"),
    omittable(real("cell clip")),
    omittable(real("projection clip")),
    real("input gate intermediate scale"),
    real("forget gate intermediate scale"),
    real("cell gate intermediate scale"),
    real("output gate intermediate scale"),
    int32("hidden state zero point"),
    real("hidden state scale")};

static constexpr InputRow rnnInputs[] = {
    tensor("input", floats10),   tensor("weights"),
    tensor("recurrent weights"), tensor("bias"),
    tensor("hidden state"),      int32("activation")};
// UNIDIRECTIONAL_SEQUENCE_RNN states the order as an INT32 (M-180).
static constexpr InputRow sequenceRnnInputs[] = {
    tensor("input", floats12),   tensor("weights"),
    tensor("recurrent weights"), tensor("bias"),
    tensor("hidden state"),      int32("activation"),
    int32("time major")};
static constexpr InputRow bidirectionalRnnInputs[] = {
    tensor("input", floats12),
    tensor("forward weights"),
    tensor("forward recurrent weights"),
    tensor("forward bias"),
    tensor("forward hidden state"),
    tensor("backward weights"),
    tensor("backward recurrent weights"),
    tensor("backward bias"),
    tensor("backward hidden state"),
    omittable(tensor("auxiliary input")),
    omittable(tensor("forward auxiliary weights")),
    omittable(tensor("backward auxiliary weights")),
    int32("activation"),
    boolean("time major"),
    boolean("merge outputs")};
static constexpr InputRow svdfInputs[] = {
    tensor("input", floats10), tensor("feature weights"),
    tensor("time weights"),    omittable(tensor("bias")),
    tensor("state"),           int32("rank"),
    int32("activation")};

// Outputs for the states came with HAL 1.3 (M-175, M-177, M-180, M-181).
static constexpr OutputCount sequenceLstmOutputs[] = {{1},
                                                      {3, HalVersion::V1_3}};
static constexpr OutputCount bidirectionalLstmOutputs[] = {
    {1}, {2}, {5, HalVersion::V1_3}, {6, HalVersion::V1_3}};
static constexpr OutputCount sequenceRnnOutputs[] = {{1},
                                                     {2, HalVersion::V1_3}};
static constexpr OutputCount bidirectionalRnnOutputs[] = {
    {1}, {2}, {3, HalVersion::V1_3}, {4, HalVersion::V1_3}};

std::span<const Signature> signatures::recurrentSignatures() {
  using enum OperationType;
  static constexpr Signature table[] = {
      {LSTM, lstmInputs, fourOutputs},
      {UNIDIRECTIONAL_SEQUENCE_LSTM, sequenceLstmInputs, sequenceLstmOutputs},
      {BIDIRECTIONAL_SEQUENCE_LSTM, bidirectionalLstmInputs,
       bidirectionalLstmOutputs},
      {RNN, rnnInputs, twoOutputs},
      {UNIDIRECTIONAL_SEQUENCE_RNN, sequenceRnnInputs, sequenceRnnOutputs},
      {BIDIRECTIONAL_SEQUENCE_RNN, bidirectionalRnnInputs,
       bidirectionalRnnOutputs},
      {SVDF, svdfInputs, twoOutputs},
      {QUANTIZED_16BIT_LSTM, quantized16BitLstmInputs, twoOutputs},
      {QUANTIZED_LSTM, quantizedLstmInputs, threeOutputs},
  };
  return table;
}

#undef NNHAL_GATES
#undef NNHAL_COUPLED_GATES
#undef NNHAL_LSTM_CELL
#undef NNHAL_OPTIONAL_GATES
