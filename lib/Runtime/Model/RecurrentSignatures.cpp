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

/// One input of a gate of a cell. Names begin with the direction in which the
/// cell runs, where there are two. The dialect names the weights by SOURCE,
/// what the gate multiplies.
#define NNHAL_WEIGHTS(GATE, DIRECTION, WHAT, SOURCE)                           \
  as(DIRECTION SOURCE " to " GATE " weights",                                  \
     tensor(DIRECTION GATE " gate " WHAT " weights"))
#define NNHAL_BIAS(GATE, DIRECTION) tensor(DIRECTION GATE " gate bias")
#define NNHAL_NORM(GATE, DIRECTION)                                            \
  as(DIRECTION GATE " layer norm weights",                                     \
     tensor(DIRECTION GATE " gate layer norm weights"))
#define NNHAL_SCALE(GATE)                                                      \
  as(GATE " intermediate scale", real(GATE " gate intermediate scale"))

/// INPUT for each gate. Gates come in the order input, forget, cell, output.
#define NNHAL_LATER_GATES(INPUT, ...)                                          \
  INPUT("forget", __VA_ARGS__), INPUT("cell", __VA_ARGS__),                    \
      INPUT("output", __VA_ARGS__)
#define NNHAL_GATES(INPUT, ...)                                                \
  INPUT("input", __VA_ARGS__), NNHAL_LATER_GATES(INPUT, __VA_ARGS__)
/// Gates of which the input gate may be coupled to another (M-167).
#define NNHAL_COUPLED_GATES(INPUT, ...)                                        \
  omittable(INPUT("input", __VA_ARGS__)), NNHAL_LATER_GATES(INPUT, __VA_ARGS__)
/// Four inputs that are given together or not at all.
#define NNHAL_OPTIONAL_GATES(INPUT, ...)                                       \
  omittable(INPUT("input", __VA_ARGS__)),                                      \
      omittable(INPUT("forget", __VA_ARGS__)),                                 \
      omittable(INPUT("cell", __VA_ARGS__)),                                   \
      omittable(INPUT("output", __VA_ARGS__))
/// The 17 inputs that all float cells and QUANTIZED_LSTM have in common
/// (M-165, M-168, M-169).
#define NNHAL_LSTM_CELL(DIRECTION)                                             \
  NNHAL_COUPLED_GATES(NNHAL_WEIGHTS, DIRECTION, "input", "input"),             \
      NNHAL_COUPLED_GATES(NNHAL_WEIGHTS, DIRECTION, "recurrent", "recurrent"), \
      omittable(NNHAL_WEIGHTS("input", DIRECTION, "peephole", "cell")),        \
      omittable(NNHAL_WEIGHTS("forget", DIRECTION, "peephole", "cell")),       \
      omittable(NNHAL_WEIGHTS("output", DIRECTION, "peephole", "cell")),       \
      NNHAL_COUPLED_GATES(NNHAL_BIAS, DIRECTION),                              \
      omittable(tensor(DIRECTION "projection weights")),                       \
      omittable(tensor(DIRECTION "projection bias"))
#define NNHAL_AUXILIARY_WEIGHTS(DIRECTION)                                     \
  NNHAL_OPTIONAL_GATES(NNHAL_WEIGHTS, DIRECTION, "auxiliary", "auxiliary")

static constexpr InputRow activation =
    ofRole(InputRole::recurrentActivation, int32("activation"));

// The weights of layer normalization came with HAL 1.2, all at once (M-164).
static constexpr InputRow norm(InputRow row) {
  return omittable(trailing(row, std::nullopt, HalVersion::V1_2));
}

static constexpr InputRow lstmInputs[] = {
    tensor("input", floats10),
    NNHAL_LSTM_CELL(""),
    tensor("output state"),
    tensor("cell state"),
    activation,
    real("cell clip"),
    real("projection clip"),
    norm(NNHAL_NORM("input", "")),
    joined(norm(NNHAL_NORM("forget", ""))),
    joined(norm(NNHAL_NORM("cell", ""))),
    joined(norm(NNHAL_NORM("output", "")))};
static constexpr InputRow sequenceLstmInputs[] = {
    tensor("input", floats12),
    NNHAL_LSTM_CELL(""),
    tensor("output state"),
    tensor("cell state"),
    activation,
    real("cell clip"),
    real("projection clip"),
    boolean("time major"),
    NNHAL_OPTIONAL_GATES(NNHAL_NORM, "")};
static constexpr InputRow bidirectionalLstmInputs[] = {
    tensor("input", floats12),
    NNHAL_LSTM_CELL("forward "),
    NNHAL_LSTM_CELL("backward "),
    tensor("forward output state"),
    tensor("forward cell state"),
    tensor("backward output state"),
    tensor("backward cell state"),
    omittable(tensor("auxiliary input")),
    NNHAL_AUXILIARY_WEIGHTS("forward "),
    NNHAL_AUXILIARY_WEIGHTS("backward "),
    activation,
    real("cell clip"),
    real("projection clip"),
    boolean("merge outputs"),
    boolean("time major"),
    NNHAL_OPTIONAL_GATES(NNHAL_NORM, "forward "),
    NNHAL_OPTIONAL_GATES(NNHAL_NORM, "backward ")};
static constexpr InputRow quantized16BitLstmInputs[] = {
    tensor("input", asymmetric12),
    NNHAL_GATES(NNHAL_WEIGHTS, "", "input", "input"),
    NNHAL_GATES(NNHAL_WEIGHTS, "", "recurrent", "recurrent"),
    NNHAL_GATES(NNHAL_BIAS, ""),
    tensor("cell state"),
    tensor("output state")};
// An omitted clip is disabled (M-193).
static constexpr InputRow quantizedLstmInputs[] = {
    tensor("input", signed13),
    NNHAL_LSTM_CELL(""),
    tensor("output state"),
    tensor("cell state"),
    NNHAL_OPTIONAL_GATES(NNHAL_NORM, ""),
    usually(0, omittable(real("cell clip"))),
    usually(0, omittable(real("projection clip"))),
    NNHAL_SCALE("input"),
    NNHAL_SCALE("forget"),
    NNHAL_SCALE("cell"),
    NNHAL_SCALE("output"),
    int32("hidden state zero point"),
    real("hidden state scale")};

static constexpr InputRow rnnInputs[] = {
    tensor("input", floats10),   tensor("weights"),
    tensor("recurrent weights"), tensor("bias"),
    tensor("hidden state"),      activation};
// UNIDIRECTIONAL_SEQUENCE_RNN states the order as an INT32 (M-180).
static constexpr InputRow sequenceRnnInputs[] = {
    tensor("input", floats12),
    tensor("weights"),
    tensor("recurrent weights"),
    tensor("bias"),
    tensor("hidden state"),
    activation,
    ofRole(InputRole::flag, int32("time major"))};
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
    activation,
    boolean("time major"),
    boolean("merge outputs")};
static constexpr InputRow svdfInputs[] = {tensor("input", floats10),
                                          tensor("feature weights"),
                                          tensor("time weights"),
                                          omittable(tensor("bias")),
                                          tensor("state"),
                                          int32("rank"),
                                          activation};

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

#undef NNHAL_WEIGHTS
#undef NNHAL_BIAS
#undef NNHAL_NORM
#undef NNHAL_SCALE
#undef NNHAL_LATER_GATES
#undef NNHAL_GATES
#undef NNHAL_COUPLED_GATES
#undef NNHAL_OPTIONAL_GATES
#undef NNHAL_LSTM_CELL
#undef NNHAL_AUXILIARY_WEIGHTS
