//===- BidirectionalRecurrent.cpp - Recurrent cells of two directions -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorTable.h"
#include "Recurrent.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

namespace {
/// The places of inputs of an operator of two directions.
struct Places {
  /// The input before the weights of the backward cell.
  size_t backward;
  size_t auxiliary;
  /// The weights of the auxiliary input follow it, as many as this.
  size_t auxiliaryWeights;
};

/// The sizes of what the cells of both directions read.
struct InputSizes {
  uint32_t forward, backward;
  /// 0 where no cell reads an auxiliary input beside its own.
  uint32_t auxiliary = 0;
};
} // namespace

static constexpr Places lstmPlaces = {17, 39, 8};
static constexpr Places rnnPlaces = {4, 9, 2};

/// The sizes of the inputs of both cells. An auxiliary input without weights is
/// what the backward cell reads (M-178, M-182).
static Result<InputSizes> inputSizesOf(Operator &op, const Places &places) {
  NNHAL_RETURN_IF_ERROR(expectRank(op, 0, 3));
  InputSizes sizes = {op.shape(0)[2], op.shape(0)[2]};
  size_t given = 0;
  for (size_t i = 1; i <= places.auxiliaryWeights; ++i)
    given += op.hasInput(places.auxiliary + i);
  if (!op.hasInput(places.auxiliary)) {
    if (given)
      return badData("has {} auxiliary weights, but the auxiliary input {} is "
                     "missing",
                     given, places.auxiliary);
    return sizes;
  }
  NNHAL_RETURN_IF_ERROR(expectRank(op, places.auxiliary, 3));
  uint32_t size = op.shape(places.auxiliary)[2];
  NNHAL_RETURN_IF_ERROR(expectShape(op, places.auxiliary,
                                    {op.shape(0)[0], op.shape(0)[1], size}));
  (given ? sizes.auxiliary : sizes.backward) = size;
  return sizes;
}

/// The shapes of results with \p forward and \p backward features.
static Result<std::vector<Shape>>
resultShapes(Operator &op, bool isMerged, uint32_t forward, uint32_t backward) {
  std::vector<int64_t> features = {forward, backward};
  if (isMerged)
    features = {int64_t(forward) + backward};
  if (op.outputCount() != features.size())
    return badData("has {} outputs, expected {}, because merge_outputs is {}",
                   op.outputCount(), features.size(), isMerged);
  std::vector<Shape> shapes;
  for (int64_t feature : features) {
    std::vector<int64_t> dimensions = {op.shape(0)[0], op.shape(0)[1], feature};
    NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

//===----------------------------------------------------------------------===//
// BIDIRECTIONAL_SEQUENCE_LSTM
//===----------------------------------------------------------------------===//

/// Checks the auxiliary weights of the cell whose first is input \p first and
/// whose input weights follow input \p cell.
static Status checkAuxiliaryWeights(Operator &op, size_t first, size_t cell,
                                    uint32_t size) {
  for (size_t i = first; i < first + 4; ++i) {
    // A coupled input gate has no weights (M-167).
    bool isExpected = size && (i > first || op.hasInput(cell + 1));
    if (op.hasInput(i) != isExpected)
      return badData("input {} must be {} beside the other auxiliary weights",
                     i, isExpected ? "present" : "missing");
    NNHAL_RETURN_IF_ERROR(expectShape(op, i, {op.shape(cell + 2)[0], size}));
  }
  return Status();
}

Result<std::vector<Shape>> bidirectionalLstmShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(
      const auto *options,
      op.options<schema::BidirectionalSequenceLSTMOptions>());
  NNHAL_ASSIGN_OR_RETURN(InputSizes sizes, inputSizesOf(op, lstmPlaces));
  NNHAL_ASSIGN_OR_RETURN(uint32_t forward, lstmOutputSize(op, sizes.forward));
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t backward,
      lstmOutputSize(op, sizes.backward, lstmPlaces.backward));
  NNHAL_RETURN_IF_ERROR(checkAuxiliaryWeights(op, 40, 0, sizes.auxiliary));
  NNHAL_RETURN_IF_ERROR(
      checkAuxiliaryWeights(op, 44, lstmPlaces.backward, sizes.auxiliary));
  return resultShapes(op, options->merge_outputs(), forward, backward);
}

Status importBidirectionalLstm(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(
      const auto *options,
      op.options<schema::BidirectionalSequenceLSTMOptions>());
  NNHAL_ASSIGN_OR_RETURN(int32_t activation,
                         recurrentActivation(options->activation()));
  uint32_t batch = op.shape(0)[options->time_major() ? 1 : 0];
  constexpr size_t firstState = 35;
  OperationBuilder builder(op, OperationType::BIDIRECTIONAL_SEQUENCE_LSTM);
  for (size_t i = 0; i < firstState; ++i)
    addWeights(op, builder, i);
  for (size_t cell : {size_t(0), lstmPlaces.backward}) {
    uint32_t cells = op.shape(cell + 2)[0], outputs = op.shape(cell + 6)[1];
    size_t state = firstState + (cell ? 2 : 0);
    builder.operand(stateInput(op, state, {batch, outputs}))
        .operand(stateInput(op, state + 1, {batch, cells}));
  }
  for (size_t i = lstmPlaces.auxiliary; i < op.inputCount(); ++i)
    addWeights(op, builder, i);
  builder.int32(activation)
      .floating(options->cell_clip())
      .floating(options->proj_clip())
      .boolean(options->merge_outputs())
      .boolean(options->time_major());
  // The file format has no layer norm here.
  for (int i = 0; i < 8; ++i)
    builder.operand(op.graph.addNoValue(*op.input(0).type));
  if (builder.hasFailed())
    return builder.finish();
  std::vector<uint32_t> states;
  for (size_t i = firstState; i < firstState + 4; ++i)
    states.push_back(stateOutput(op, i));
  return builder.followedBy(std::move(states)).finish();
}

//===----------------------------------------------------------------------===//
// BIDIRECTIONAL_SEQUENCE_RNN
//===----------------------------------------------------------------------===//

Result<std::vector<Shape>> bidirectionalRnnShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::BidirectionalSequenceRNNOptions>());
  NNHAL_ASSIGN_OR_RETURN(InputSizes sizes, inputSizesOf(op, rnnPlaces));
  NNHAL_ASSIGN_OR_RETURN(uint32_t forward, rnnUnits(op, sizes.forward));
  NNHAL_ASSIGN_OR_RETURN(uint32_t backward,
                         rnnUnits(op, sizes.backward, rnnPlaces.backward));
  NNHAL_RETURN_IF_ERROR(expectTogether(op, {10, 11}));
  NNHAL_RETURN_IF_ERROR(expectShape(op, 10, {forward, sizes.auxiliary}));
  NNHAL_RETURN_IF_ERROR(expectShape(op, 11, {backward, sizes.auxiliary}));
  return resultShapes(op, options->merge_outputs(), forward, backward);
}

Status importBidirectionalRnn(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::BidirectionalSequenceRNNOptions>());
  NNHAL_ASSIGN_OR_RETURN(int32_t activation,
                         recurrentActivation(options->activation()));
  uint32_t batch = op.shape(0)[options->time_major() ? 1 : 0];
  constexpr size_t forwardState = 4, backwardState = 8;
  OperationBuilder builder(op, OperationType::BIDIRECTIONAL_SEQUENCE_RNN);
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (i == forwardState || i == backwardState)
      builder.operand(stateInput(op, i, {batch, op.shape(i - 3)[0]}));
    else
      addWeights(op, builder, i);
  builder.int32(activation)
      .boolean(options->time_major())
      .boolean(options->merge_outputs());
  if (builder.hasFailed())
    return builder.finish();
  return builder
      .followedBy(
          {stateOutput(op, forwardState), stateOutput(op, backwardState)})
      .finish();
}

} // namespace nnhal::rt::tflite
