//===- Recurrent.cpp - Import of recurrent operators ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recurrent.h"

#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

Result<int32_t> recurrentActivation(schema::Activation activation) {
  if (activation < schema::Activation::NONE ||
      activation > schema::Activation::TANH)
    return badData("the HAL has no recurrent activation {}", int(activation));
  return int32_t(activation);
}

Result<uint32_t> stateInput(Operator &op, size_t i, Shape shape) {
  Tensor &state = op.input(i);
  if (state.isVariable)
    return op.graph.readState(state, std::move(shape));
  if (state.shape != shape)
    return badData("state input {} has shape {}, expected {}", i,
                   state.shape ? toString(*state.shape) : "?", toString(shape));
  return op.graph.use(state);
}

uint32_t stateOutput(Operator &op, size_t i) {
  Tensor &state = op.input(i);
  if (state.isVariable)
    return op.graph.writeState(state);
  return op.graph.addTemporary(*state.operand,
                               *state.shape); // Nobody reads it.
}

void addWeights(Operator &op, OperationBuilder &builder, size_t i) {
  if (op.hasInput(i))
    builder.operand(weightsOperand(op, i));
  else
    builder.optional(i, *op.input(0).type);
}

/// Inputs 0 to 19 of both LSTM operators.
static void addLstmInputs(Operator &op, OperationBuilder &builder,
                          uint32_t batch) {
  uint32_t cells = op.shape(2)[0], outputs = op.shape(6)[1];
  for (size_t i = 0; i < outputState; ++i)
    addWeights(op, builder, i);
  builder.operand(stateInput(op, outputState, {batch, outputs}));
  builder.operand(stateInput(op, cellState, {batch, cells}));
}

static void addLayerNorm(Operator &op, OperationBuilder &builder) {
  for (size_t i = 0; i < 4; ++i)
    addWeights(op, builder, layerNorm + i);
}

static bool hasLayerNorm(Operator &op) {
  for (size_t i = 0; i < 4; ++i)
    if (op.hasInput(layerNorm + i))
      return true;
  return false;
}

Status importLstm(Operator &op) {
  if (isQuantized(*op.input(0).type))
    return importQuantizedLstm(op);
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::LSTMOptions>());
  if (options->kernel_type() != schema::LSTMKernel::FULL)
    return badData("kernel type {} is not expressible, only FULL",
                   schema::EnumNameLSTMKernel(options->kernel_type()));
  NNHAL_ASSIGN_OR_RETURN(int32_t activation,
                         recurrentActivation(options->activation()));
  uint32_t batch = op.shape(0)[0], cells = op.shape(2)[0];
  OperationBuilder builder(op, OperationType::LSTM);
  addLstmInputs(op, builder, batch);
  builder.int32(activation)
      .floating(options->cell_clip())
      .floating(options->proj_clip());
  if (hasLayerNorm(op))
    addLayerNorm(op, builder);
  if (builder.hasFailed())
    return builder.finish();
  NNHAL_ASSIGN_OR_RETURN(uint32_t data, op.graph.use(op.input(0)));
  // M-171: scratch has no gate for a coupled input.
  uint32_t scratch =
      op.graph.addTemporary(data, {batch, cells * (op.hasInput(1) ? 4 : 3)});
  builder.extraOutput(scratch);
  builder.extraOutput(stateOutput(op, outputState));
  builder.extraOutput(stateOutput(op, cellState));
  return builder.finish();
}

Status importSequenceLstm(Operator &op) {
  if (isQuantized(*op.input(0).type))
    return importQuantizedLstm(op);
  NNHAL_ASSIGN_OR_RETURN(
      const auto *options,
      op.options<schema::UnidirectionalSequenceLSTMOptions>());
  NNHAL_ASSIGN_OR_RETURN(int32_t activation,
                         recurrentActivation(options->activation()));
  uint32_t batch = op.shape(0)[options->time_major() ? 1 : 0];
  OperationBuilder builder(op, OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM);
  addLstmInputs(op, builder, batch);
  builder.int32(activation)
      .floating(options->cell_clip())
      .floating(options->proj_clip())
      .boolean(options->time_major());
  addLayerNorm(op, builder);
  if (builder.hasFailed())
    return builder.finish();
  // M-175: the states follow the sequence.
  std::vector<uint32_t> states = {stateOutput(op, outputState),
                                  stateOutput(op, cellState)};
  return builder.followedBy(std::move(states)).finish();
}

Status importRnn(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options, op.options<schema::RNNOptions>());
  NNHAL_ASSIGN_OR_RETURN(int32_t activation,
                         recurrentActivation(options->activation()));
  OperationBuilder builder(op, OperationType::RNN);
  for (size_t i = 0; i < 4; ++i)
    addWeights(op, builder, i);
  builder.operand(stateInput(op, 4, {op.shape(0)[0], op.shape(1)[0]}))
      .int32(activation);
  if (!builder.hasFailed())
    builder.extraOutput(stateOutput(op, 4));
  return builder.finish();
}

Status importSequenceRnn(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::SequenceRNNOptions>());
  NNHAL_ASSIGN_OR_RETURN(int32_t activation,
                         recurrentActivation(options->activation()));
  uint32_t batch = op.shape(0)[options->time_major() ? 1 : 0];
  OperationBuilder builder(op, OperationType::UNIDIRECTIONAL_SEQUENCE_RNN);
  for (size_t i = 0; i < 4; ++i)
    addWeights(op, builder, i);
  // Here the order of time is an INT32 (M-180).
  builder.operand(stateInput(op, 4, {batch, op.shape(1)[0]}))
      .int32(activation)
      .int32(options->time_major());
  if (!builder.hasFailed())
    builder.followedBy({stateOutput(op, 4)});
  return builder.finish();
}

Status importSvdf(Operator &op) {
  if (isQuantized(*op.input(0).type))
    return importQuantizedSvdf(op);
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::SVDFOptions>());
  NNHAL_ASSIGN_OR_RETURN(int32_t activation,
                         recurrentActivation(options->activation()));
  uint32_t batch = op.shape(0)[0], filters = op.shape(1)[0],
           memory = op.shape(2)[1];
  OperationBuilder builder(op, OperationType::SVDF);
  // The state has a place per filter and time (M-184).
  for (size_t i = 0; i < 4; ++i)
    addWeights(op, builder, i);
  builder.operand(stateInput(op, 4, {batch, memory * filters}))
      .int32(options->rank())
      .int32(activation);
  if (!builder.hasFailed())
    builder.extraOutput(stateOutput(op, 4));
  return builder.finish();
}

} // namespace nnhal::rt::tflite
