//===- WideRecurrent.cpp - Import of 16-bit recurrent operators -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM with 16-bit activations, one operation
// of the extension for all steps.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "Recurrent.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

static bool isSequence(const Operator &op) {
  return op.row.code == Code::UNIDIRECTIONAL_SEQUENCE_LSTM;
}

/// Checks which inputs \p op has: TensorFlow Lite computes none of the variants
/// with 16-bit activations.
static Status checkParts(Operator &op) {
  for (size_t i : {1, 5, 12})
    if (!op.hasInput(i))
      return badData("input {} is missing, but LSTMs of 16-bit activations "
                     "have an input gate",
                     i);
  for (size_t i : {9, 10, 11, 16, 17, 20, 21, 22, 23})
    if (op.hasInput(i))
      return badData("input {} is present, but LSTMs of 16-bit activations "
                     "have no peepholes, projections or norms",
                     i);
  return Status();
}

Result<std::vector<Shape>> wideLstmShape(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkParts(op));
  NNHAL_RETURN_IF_ERROR(expectRank(op, 0, isSequence(op) ? 3 : 2));
  NNHAL_RETURN_IF_ERROR(expectRank(op, 2, 2));
  uint32_t cells = op.shape(2)[0], inputSize = op.shape(0).back();
  constexpr OperandType weights = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
  for (size_t i = 1; i <= 4; ++i)
    NNHAL_RETURN_IF_ERROR(expectShape(op, i, {cells, inputSize}, weights));
  for (size_t i = 5; i <= 8; ++i)
    NNHAL_RETURN_IF_ERROR(expectShape(op, i, {cells, cells}, weights));
  // Constants of 64 bits have this type, too.
  for (size_t i = 12; i <= 15; ++i)
    NNHAL_RETURN_IF_ERROR(
        expectShape(op, i, {cells}, OperandType::TENSOR_INT32));
  std::vector<int64_t> dimensions = op.dimensions(0);
  dimensions.back() = cells;
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

static Status addOptions(Operator &op, OperationBuilder &builder) {
  auto add = [&](const auto *options) -> OperationBuilder & {
    return builder.int32(int32_t(options->activation()))
        .real(options->cell_clip())
        .real(options->proj_clip());
  };
  if (isSequence(op)) {
    NNHAL_ASSIGN_OR_RETURN(
        const auto *options,
        op.options<schema::UnidirectionalSequenceLSTMOptions>());
    add(options).boolean(options->time_major());
    return Status();
  }
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::LSTMOptions>());
  add(options).int32(int32_t(options->kernel_type()));
  return Status();
}

/// The dimension of input 0 that are the batches.
static Result<size_t> batchAxis(Operator &op) {
  if (!isSequence(op))
    return size_t(0);
  NNHAL_ASSIGN_OR_RETURN(
      const auto *options,
      op.options<schema::UnidirectionalSequenceLSTMOptions>());
  return size_t(options->time_major() ? 1 : 0);
}

Status importWideLstm(Operator &op) {
  if (std::optional<size_t> open = openInput(op))
    return badData("input {} has shape [{}], an LSTM with a state needs known "
                   "extents",
                   *open, fmt::join(op.shape(*open), ","));
  NNHAL_ASSIGN_OR_RETURN(size_t axis, batchAxis(op));
  uint32_t batches = op.shape(0)[axis], cells = op.shape(2)[0];
  OperationBuilder builder(op, op.row.type);
  for (size_t i = 0; i < layerNorm + 4; ++i)
    if (i == outputState || i == cellState)
      builder.operand(stateInput(op, i, {batches, cells}));
    else if (op.hasInput(i))
      builder.operand(op.graph.useAsStated(op.input(i)));
    else
      builder.operand(op.graph.addNoValue(OperandType::TENSOR_INT32));
  NNHAL_RETURN_IF_ERROR(addOptions(op, builder));
  if (builder.hasFailed())
    return builder.finish();
  std::vector<uint32_t> states = {stateOutput(op, outputState),
                                  stateOutput(op, cellState)};
  return builder.followedBy(std::move(states)).finish();
}

} // namespace nnhal::rt::tflite
