//===- RecurrentQuantized.cpp - Rules of quantized LSTMs ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentCells.h"

#include "Runtime/Support/Errors.h"

#include <cmath>

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

using Types = std::vector<TensorType>;

/// log2(scale) when scale is a power of two up to the digits that models print.
static Result<int32_t> logOfScale(float scale) {
  float logarithm = scale > 0.0f ? std::log2(scale) : NAN;
  float rounded = std::round(logarithm);
  if (!std::isfinite(logarithm) || !(std::abs(logarithm - rounded) < 1e-3f))
    return badData("cell state scale {} is not a power of two", scale);
  return int32_t(rounded);
}

//===----------------------------------------------------------------------===//
// QUANTIZED_16BIT_LSTM
//===----------------------------------------------------------------------===//

static Status checkQuantization(std::string_view name, const TensorType &type,
                                float scale, int32_t zeroPoint) {
  if (type.scale == scale && type.zeroPoint == zeroPoint)
    return Status::ok();
  return badData("{} has scale {} and zero point {}, expected scale {} and "
                 "zero point {}",
                 name, type.scale, type.zeroPoint, scale, zeroPoint);
}

static Status check16BitWeights(const LstmOperands &cell, CellSizes &sizes) {
  constexpr OperandType type = OperandType::TENSOR_QUANT8_ASYMM;
  const TensorType &first = cell.inputWeights[inputGate].type;
  for (size_t gate = 0; gate < 4; ++gate) {
    NNHAL_RETURN_IF_ERROR(checkRequired(
        "input weights", cell.inputWeights[gate], type,
        {&sizes.output, &sizes.input})); // quantized_16bit_lstm C2
    NNHAL_RETURN_IF_ERROR(checkRequired(
        "recurrent weights", cell.recurrentWeights[gate], type,
        {&sizes.output, &sizes.output})); // quantized_16bit_lstm C2
    for (const OptionalOperand *weights :
         {&cell.inputWeights[gate], &cell.recurrentWeights[gate]})
      NNHAL_RETURN_IF_ERROR(
          checkQuantization("weights", weights->type, first.scale,
                            first.zeroPoint)); // quantized_16bit_lstm C3
  }
  return Status::ok();
}

static Status check16BitBiases(const LstmOperands &cell, CellSizes &sizes) {
  float expected = cell.inputWeights[inputGate].type.scale / 128.0f;
  for (const OptionalOperand &bias : cell.biases) {
    NNHAL_RETURN_IF_ERROR(
        checkRequired("bias", bias, OperandType::TENSOR_INT32,
                      {&sizes.output})); // quantized_16bit_lstm C2
    if (!(std::abs(bias.type.scale - expected) <=
          1e-6f * std::min(bias.type.scale, expected)) ||
        bias.type.zeroPoint != 0) // quantized_16bit_lstm C4
      return badData("bias has scale {} and zero point {}, expected scale {} "
                     "and zero point 0",
                     bias.type.scale, bias.type.zeroPoint, expected);
  }
  return Status::ok();
}

static Status check16BitCellState(const OptionalOperand &state,
                                  CellSizes &sizes) {
  NNHAL_RETURN_IF_ERROR(
      checkRequired("cell state", state, OperandType::TENSOR_QUANT16_SYMM,
                    {&sizes.batch, &sizes.output})); // quantized_16bit_lstm C2
  NNHAL_ASSIGN_OR_RETURN(int32_t logarithm, logOfScale(state.type.scale));
  if (logarithm != -11) // quantized_16bit_lstm C5
    return badData("cell state scale {} is not 2^-11", state.type.scale);
  return Status::ok();
}

Result<Types> nnhal::rt::quantized16BitLstm(const TensorType &input,
                                            const LstmOperands &cell) {
  CellSizes sizes;
  constexpr OperandType type = OperandType::TENSOR_QUANT8_ASYMM;
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, std::span(&type, 1)));
  NNHAL_RETURN_IF_ERROR(
      checkSizes("input", input, {&sizes.batch, &sizes.input}));
  NNHAL_RETURN_IF_ERROR(checkQuantization("input", input, 1.0f / 128.0f,
                                          128)); // quantized_16bit_lstm C1
  NNHAL_RETURN_IF_ERROR(
      checkRequired("previous output", cell.outputState, type,
                    {&sizes.batch, &sizes.output})); // quantized_16bit_lstm C2
  NNHAL_RETURN_IF_ERROR(checkQuantization("previous output",
                                          cell.outputState.type, 1.0f / 128.0f,
                                          128)); // quantized_16bit_lstm C1
  NNHAL_RETURN_IF_ERROR(check16BitWeights(cell, sizes));
  NNHAL_RETURN_IF_ERROR(check16BitBiases(cell, sizes));
  NNHAL_RETURN_IF_ERROR(check16BitCellState(cell.cellState, sizes));
  std::vector<int64_t> shape{sizes.batch.value, sizes.output.value};
  return Types{withShape(cell.cellState.type, shape), withShape(input, shape)};
}

//===----------------------------------------------------------------------===//
// QUANTIZED_LSTM
//===----------------------------------------------------------------------===//

static Status checkScale(std::string_view name, float scale) {
  if (scale > 0.0f && std::isfinite(scale))
    return Status::ok();
  return badData("{} {} must be positive", name, scale);
}

static Status checkQuantizedParams(const QuantizedLstmParams &params,
                                   Presence hasInputGate) {
  NNHAL_RETURN_IF_ERROR(
      checkClip("cell clip", params.cellClip)); // lstm_cell C9
  NNHAL_RETURN_IF_ERROR(
      checkClip("projection clip", params.projectionClip)); // lstm_cell C9
  for (size_t gate : {forgetGate, cellGate, outputGate, inputGate})
    if (gate != inputGate || hasInputGate == Presence::given)
      NNHAL_RETURN_IF_ERROR(
          checkScale("intermediate scale",
                     params.intermediateScales[gate])); // quantized_lstm C3
  NNHAL_RETURN_IF_ERROR(checkScale("hidden state scale",
                                   params.hiddenScale)); // quantized_lstm C3
  if (params.hiddenZeroPoint < -128 ||
      params.hiddenZeroPoint > 127) // quantized_lstm C4
    return badData("hidden state zero point {} is outside [-128, 127]",
                   params.hiddenZeroPoint);
  return Status::ok();
}

Result<Types> nnhal::rt::quantizedLstm(const TensorType &input,
                                       const LstmOperands &cell,
                                       const QuantizedLstmParams &params) {
  CellSizes sizes;
  constexpr OperandType type = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
  NNHAL_RETURN_IF_ERROR(
      checkOperand("input", input, std::span(&type, 1))); // quantized_lstm C1
  NNHAL_RETURN_IF_ERROR(checkSizes(
      "input", input, {&sizes.batch, &sizes.input})); // quantized_lstm C1
  constexpr LstmCellTypes types{.weights = OperandType::TENSOR_QUANT8_SYMM,
                                .peephole = OperandType::TENSOR_QUANT16_SYMM,
                                .bias = OperandType::TENSOR_INT32,
                                .layerNorm = OperandType::TENSOR_QUANT16_SYMM,
                                .outputState =
                                    OperandType::TENSOR_QUANT8_ASYMM_SIGNED,
                                .cellState = OperandType::TENSOR_QUANT16_SYMM};
  NNHAL_ASSIGN_OR_RETURN(LstmCellForm form, checkLstmCell(cell, types, sizes));
  NNHAL_ASSIGN_OR_RETURN(int32_t logarithm,
                         logOfScale(cell.cellState.type.scale));
  if (logarithm < -15 || logarithm > -9) // quantized_lstm C2
    return badData("cell state scale {} is outside [2^-15, 2^-9]",
                   cell.cellState.type.scale);
  NNHAL_RETURN_IF_ERROR(checkQuantizedParams(params, form.inputGate));
  TensorType output =
      withShape(cell.outputState.type, {sizes.batch.value, sizes.output.value});
  return Types{
      output,
      withShape(cell.cellState.type, {sizes.batch.value, sizes.units.value}),
      output};
}
