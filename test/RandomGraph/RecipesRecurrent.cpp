//===- RecipesRecurrent.cpp - Recurrent operations ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recipes.h"

#include <array>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::OperandType;
using rt::OperationType;

static constexpr Values weightValues = {.low = -0.5, .high = 0.5};
static constexpr Values stateValues = {.low = -0.75, .high = 0.75};

//===----------------------------------------------------------------------===//
// LSTM cells
//===----------------------------------------------------------------------===//

namespace {

/// Extents of a cell, and which of its optional operands it has.
struct Cell {
  uint32_t batch = 1, input = 1, units = 1, output = 1, aux = 1;
  bool hasInputGate = true;
  bool hasPeepholes = false;
  bool hasProjection = false;
  bool hasProjectionBias = false;
  bool hasLayerNorm = false;
};

/// Types and quantization of a cell's operands.
struct CellTypes {
  OperandType weights, peephole, bias, layerNorm;
  Quantization ofWeights, ofPeephole, ofBias, ofLayerNorm;

  static CellTypes all(OperandType type) {
    return {type, type, type, type, {}, {}, {}, {}};
  }
};

} // namespace

static Cell drawCell(Draft &draft, uint32_t batch, uint32_t input) {
  Random &random = draft.random;
  Cell cell;
  cell.batch = batch;
  cell.input = input;
  cell.units = uint32_t(random.between(1, 4));
  cell.hasInputGate = !draft.omits();
  cell.hasPeepholes = !draft.omits();
  cell.hasProjection = !draft.omits();
  cell.hasProjectionBias = cell.hasProjection && !draft.omits();
  cell.output =
      cell.hasProjection ? uint32_t(random.between(1, 4)) : cell.units;
  return cell;
}

static void drawOptional(Draft &draft, bool isGiven, OperandType of,
                         const Shape &shape, Quantization stated) {
  draft.input(isGiven ? draft.weights(of, shape, stated, weightValues)
                      : draft.omitted(of, shape, stated));
}

/// One operand per gate; that of the input gate only where there is one.
static void drawGates(Draft &draft, const Cell &cell, bool isGiven,
                      OperandType of, const Shape &shape, Quantization stated) {
  for (int gate = 0; gate < 4; ++gate)
    drawOptional(draft, isGiven && (gate != 0 || cell.hasInputGate), of, shape,
                 stated);
}

/// The 17 operands that most cells have in common.
static void drawCellOperands(Draft &draft, const Cell &cell,
                             const CellTypes &types) {
  drawGates(draft, cell, true, types.weights, {cell.units, cell.input},
            types.ofWeights);
  drawGates(draft, cell, true, types.weights, {cell.units, cell.output},
            types.ofWeights);
  for (bool isGiven : {cell.hasInputGate, true, true})
    drawOptional(draft, cell.hasPeepholes && isGiven, types.peephole,
                 {cell.units}, types.ofPeephole);
  drawGates(draft, cell, true, types.bias, {cell.units}, types.ofBias);
  drawOptional(draft, cell.hasProjection, types.weights,
               {cell.output, cell.units}, types.ofWeights);
  drawOptional(draft, cell.hasProjectionBias, types.bias, {cell.output},
               types.ofBias);
}

static void drawLayerNorm(Draft &draft, const Cell &cell,
                          const CellTypes &types) {
  drawGates(draft, cell, cell.hasLayerNorm, types.layerNorm, {cell.units},
            types.ofLayerNorm);
}

static uint32_t drawState(Draft &draft, const Shape &shape) {
  return draft.tensor(draft.type, shape, stateValues);
}

/// Activation, cell clip and projection clip.
static void drawLstmParams(Draft &draft) {
  draft.inputs({draft.scalar(draft.random.pick({4, 4, 4, 0, 1, 3, 6})),
                draft.real(draft.random.pick({0.0, 0.5, 2.0})),
                draft.real(draft.random.pick({0.0, 0.5, 2.0}))});
}

static void drawResults(Draft &draft, size_t count) {
  for (size_t i = 0; i < count; ++i)
    draft.output(draft.type, {});
}

static void drawLstm(Draft &draft) {
  uint32_t input = draft.data(2, 2);
  const Shape shape = draft.shape(input);
  Cell cell = drawCell(draft, shape[0], shape[1]);
  bool canNormalize = draft.random.chance(60);
  cell.hasLayerNorm = canNormalize && !draft.omits();
  CellTypes types = CellTypes::all(draft.type);
  draft.input(input);
  drawCellOperands(draft, cell, types);
  draft.inputs({drawState(draft, {cell.batch, cell.output}),
                drawState(draft, {cell.batch, cell.units})});
  drawLstmParams(draft);
  if (canNormalize)
    drawLayerNorm(draft, cell, types);
  drawResults(draft, 4);
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

namespace {

struct Sequence {
  uint32_t operand = 0;
  bool isTimeMajor = false;
  uint32_t batch = 1;
  Shape shape;
};

} // namespace

static Sequence drawSequence(Draft &draft) {
  Sequence sequence;
  sequence.isTimeMajor = draft.random.chance(50);
  sequence.operand = draft.data(3, 3);
  sequence.shape = draft.shape(sequence.operand);
  sequence.batch = sequence.shape[sequence.isTimeMajor ? 1 : 0];
  if (elementCount(sequence.shape) == 0 || sequence.shape[2] > 8)
    draft.fail();
  return sequence;
}

static void drawUnidirectionalLstm(Draft &draft) {
  Sequence sequence = drawSequence(draft);
  Cell cell = drawCell(draft, sequence.batch, sequence.shape[2]);
  cell.hasLayerNorm = !draft.omits();
  CellTypes types = CellTypes::all(draft.type);
  draft.input(sequence.operand);
  drawCellOperands(draft, cell, types);
  draft.inputs({drawState(draft, {cell.batch, cell.output}),
                drawState(draft, {cell.batch, cell.units})});
  drawLstmParams(draft);
  draft.input(draft.boolean(sequence.isTimeMajor));
  drawLayerNorm(draft, cell, types);
  drawResults(draft, draft.random.pick({1, 3}));
}

namespace {

/// An auxiliary input, with weights of its own or read by the backward cell.
struct Auxiliary {
  bool isGiven = false;
  bool hasWeights = false;
  Shape shape;

  uint32_t backwardInput(const Sequence &sequence) const {
    return isGiven && !hasWeights ? shape[2] : sequence.shape[2];
  }
};

} // namespace

static Auxiliary drawAuxiliary(Draft &draft, const Sequence &sequence) {
  Auxiliary aux;
  aux.isGiven = !draft.omits();
  aux.hasWeights = aux.isGiven && draft.random.chance(50);
  aux.shape = sequence.shape;
  aux.shape[2] = uint32_t(draft.random.between(1, 4));
  return aux;
}

static void drawAuxInput(Draft &draft, const Auxiliary &aux) {
  draft.input(aux.isGiven ? draft.tensor(draft.type, aux.shape)
                          : draft.omitted(draft.type, aux.shape));
}

static void drawBidirectionalLstm(Draft &draft) {
  Sequence sequence = drawSequence(draft);
  Auxiliary aux = drawAuxiliary(draft, sequence);
  std::array<Cell, 2> cells = {
      drawCell(draft, sequence.batch, sequence.shape[2]),
      drawCell(draft, sequence.batch, aux.backwardInput(sequence))};
  CellTypes types = CellTypes::all(draft.type);
  draft.input(sequence.operand);
  for (const Cell &cell : cells)
    drawCellOperands(draft, cell, types);
  for (const Cell &cell : cells)
    draft.inputs({drawState(draft, {cell.batch, cell.output}),
                  drawState(draft, {cell.batch, cell.units})});
  drawAuxInput(draft, aux);
  for (const Cell &cell : cells)
    drawGates(draft, cell, aux.hasWeights, draft.type,
              {cell.units, aux.shape[2]}, {});
  drawLstmParams(draft);
  bool isMerged = draft.random.chance(50);
  draft.inputs({draft.boolean(isMerged), draft.boolean(sequence.isTimeMajor)});
  for (Cell &cell : cells) {
    cell.hasLayerNorm = !draft.omits();
    drawLayerNorm(draft, cell, types);
  }
  drawResults(draft, (isMerged ? 1 : 2) + (draft.random.chance(50) ? 4 : 0));
}

//===----------------------------------------------------------------------===//
// RNN and SVDF
//===----------------------------------------------------------------------===//

static uint32_t drawRnnActivation(Draft &draft) {
  return draft.scalar(draft.random.pick({4, 4, 4, 0, 1, 2, 3, 6}));
}

/// Weights, recurrent weights, bias and hidden state.
static void drawRnnCell(Draft &draft, uint32_t batch, uint32_t input,
                        uint32_t units) {
  draft.inputs({draft.weights(draft.type, {units, input}, {}, weightValues),
                draft.weights(draft.type, {units, units}, {}, weightValues),
                draft.weights(draft.type, {units}, {}, weightValues),
                drawState(draft, {batch, units})});
}

static void drawRnn(Draft &draft) {
  uint32_t input = draft.data(2, 2);
  const Shape shape = draft.shape(input);
  draft.input(input);
  drawRnnCell(draft, shape[0], shape[1], uint32_t(draft.random.between(1, 4)));
  draft.input(drawRnnActivation(draft));
  drawResults(draft, 2);
}

static void drawUnidirectionalRnn(Draft &draft) {
  Sequence sequence = drawSequence(draft);
  draft.input(sequence.operand);
  drawRnnCell(draft, sequence.batch, sequence.shape[2],
              uint32_t(draft.random.between(1, 4)));
  draft.inputs({drawRnnActivation(draft), draft.scalar(sequence.isTimeMajor)});
  drawResults(draft, draft.random.pick({1, 2}));
}

static void drawBidirectionalRnn(Draft &draft) {
  Sequence sequence = drawSequence(draft);
  Auxiliary aux = drawAuxiliary(draft, sequence);
  auto forward = uint32_t(draft.random.between(1, 4));
  auto backward = uint32_t(draft.random.between(1, 4));
  draft.input(sequence.operand);
  drawRnnCell(draft, sequence.batch, sequence.shape[2], forward);
  drawRnnCell(draft, sequence.batch, aux.backwardInput(sequence), backward);
  drawAuxInput(draft, aux);
  for (uint32_t units : {forward, backward})
    drawOptional(draft, aux.hasWeights, draft.type, {units, aux.shape[2]}, {});
  bool isMerged = draft.random.chance(50);
  draft.inputs({drawRnnActivation(draft), draft.boolean(sequence.isTimeMajor),
                draft.boolean(isMerged)});
  drawResults(draft, (isMerged ? 1 : 2) + (draft.random.chance(50) ? 2 : 0));
}

static void drawSvdf(Draft &draft) {
  uint32_t input = draft.data(2, 2);
  const Shape shape = draft.shape(input);
  auto units = uint32_t(draft.random.between(1, 4));
  auto rank = uint32_t(draft.random.between(1, 2));
  auto memory = uint32_t(draft.random.between(1, 4));
  uint32_t filters = units * rank;
  draft.inputs(
      {input, draft.weights(draft.type, {filters, shape[1]}, {}, weightValues),
       draft.weights(draft.type, {filters, memory}, {}, weightValues)});
  drawOptional(draft, !draft.omits(), draft.type, {units}, {});
  draft.inputs({drawState(draft, {shape[0], memory * filters}),
                draft.scalar(rank), drawRnnActivation(draft)});
  drawResults(draft, 2);
}

//===----------------------------------------------------------------------===//
// Quantized
//===----------------------------------------------------------------------===//

static void drawQuantized16BitLstm(Draft &draft) {
  using enum OperandType;
  constexpr Quantization signal = {1.0f / 128.0f, 128};
  constexpr Quantization cellState = {1.0f / 2048.0f, 0};
  constexpr Values biasValues = {.lowInteger = -5000, .highInteger = 5000};
  auto batch = uint32_t(draft.random.between(1, 3));
  auto size = uint32_t(draft.random.between(1, 4));
  auto units = uint32_t(draft.random.between(1, 4));
  Quantization weights =
      draft.withScale(TENSOR_QUANT8_ASYMM,
                      float(draft.random.pick({0x1p-8, 0x1p-7, 0.00408021})));
  draft.input(draft.tensor(draft.type, {batch, size}, signal));
  for (uint32_t columns : {size, units})
    for (int gate = 0; gate < 4; ++gate)
      draft.input(draft.weights(draft.type, {units, columns}, weights));
  for (int gate = 0; gate < 4; ++gate)
    draft.input(draft.weights(TENSOR_INT32, {units},
                              {weights.scale / 128.0f, 0}, biasValues));
  draft.inputs({draft.tensor(TENSOR_QUANT16_SYMM, {batch, units}, cellState),
                draft.tensor(draft.type, {batch, units}, signal)});
  draft.output(TENSOR_QUANT16_SYMM, cellState);
  draft.output(draft.type, signal);
}

static void drawQuantizedLstm(Draft &draft) {
  using enum OperandType;
  constexpr Quantization cellState = {1.0f / 2048.0f, 0};
  CellTypes types = {.weights = TENSOR_QUANT8_SYMM,
                     .peephole = TENSOR_QUANT16_SYMM,
                     .bias = TENSOR_INT32,
                     .layerNorm = TENSOR_QUANT16_SYMM,
                     .ofWeights = {0x1p-7f, 0},
                     .ofPeephole = {0x1p-15f, 0},
                     .ofBias = {0x1p-14f, 0},
                     .ofLayerNorm = {0x1p-14f, 0}};
  auto batch = uint32_t(draft.random.between(1, 3));
  auto size = uint32_t(draft.random.between(1, 4));
  Cell cell = drawCell(draft, batch, size);
  cell.hasLayerNorm = !draft.omits();
  Quantization signal = {0x1p-7f, int32_t(draft.random.between(-4, 4))};
  draft.input(
      draft.tensor(draft.type, {batch, size}, Quantization{0x1p-7f, 0}));
  drawCellOperands(draft, cell, types);
  draft.inputs(
      {draft.tensor(draft.type, {batch, cell.output}, signal),
       draft.tensor(TENSOR_QUANT16_SYMM, {batch, cell.units}, cellState)});
  drawLayerNorm(draft, cell, types);
  auto real = [&](double value) {
    draft.input(draft.real(value, TENSOR_FLOAT32));
  };
  real(draft.random.pick({0.0, 1.0}));
  real(draft.random.pick({0.0, 1.0}));
  for (int gate = 0; gate < 4; ++gate)
    real(draft.random.pick({0x1p-12, 0.007059, 0.000488}));
  draft.input(draft.scalar(signal.zeroPoint));
  real(signal.scale);
  draft.output(draft.type, signal);
  draft.output(TENSOR_QUANT16_SYMM, cellState);
  draft.output(draft.type, signal);
}

static constexpr OperandType onlyQuantized[] = {
    OperandType::TENSOR_QUANT8_ASYMM};
static constexpr OperandType onlySigned[] = {
    OperandType::TENSOR_QUANT8_ASYMM_SIGNED};

std::span<const Recipe> randomgraph::recurrentRecipes() {
  using enum OperationType;
  static constexpr Recipe rows[] = {
      {LSTM, types::floats, drawLstm},
      {UNIDIRECTIONAL_SEQUENCE_LSTM, types::floats, drawUnidirectionalLstm},
      {BIDIRECTIONAL_SEQUENCE_LSTM, types::floats, drawBidirectionalLstm},
      {RNN, types::floats, drawRnn},
      {UNIDIRECTIONAL_SEQUENCE_RNN, types::floats, drawUnidirectionalRnn},
      {BIDIRECTIONAL_SEQUENCE_RNN, types::floats, drawBidirectionalRnn},
      {SVDF, types::floats, drawSvdf},
      {QUANTIZED_16BIT_LSTM, onlyQuantized, drawQuantized16BitLstm},
      {QUANTIZED_LSTM, onlySigned, drawQuantizedLstm},
  };
  return rows;
}
