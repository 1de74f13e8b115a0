//===- Recurrent.cpp - RNN and SVDF operations of any shape ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recurrent.h"
#include "MatrixProducts.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::recurrent;
using rt::OperationType;

//===----------------------------------------------------------------------===//
// RNN
//===----------------------------------------------------------------------===//

namespace {
/// h' = activation(W x + A aux + R h + bias).
class RnnCell : public Cell {
public:
  RnnCell(OperationLowering &op, const rt::RnnInputs &inputs,
          rt::RecurrentActivation activation, Scalar batch, Scalar inputSize,
          Scalar auxSize);

  SmallVector<Tensor> begin() override;
  SmallVector<Tensor> step(ArrayRef<Tensor> tensors, VectorReader input,
                           VectorReader aux) override;
  Scalar features() const override { return units; }
  bool isInPlace() const override { return !constants; }

  Operand auxWeights;

private:
  OperationLowering &op;
  rt::RecurrentActivation activation;
  Scalar batch, inputSize, auxSize, units;
  Tensor hiddenState, weights, recurrentWeights, bias;
  /// Inputs of the three above, if they are constant and extents are known.
  std::optional<std::array<size_t, 3>> constants;
};
} // namespace

RnnCell::RnnCell(OperationLowering &op, const rt::RnnInputs &inputs,
                 rt::RecurrentActivation activation, Scalar batch,
                 Scalar inputSize, Scalar auxSize)
    : op(op), activation(activation), batch(batch), inputSize(inputSize) {
  hiddenState = requiredInput(op, inputs.hiddenState, {batch, Scalar()}).tensor;
  units = hiddenState.extent(1);
  weights = requiredInput(op, inputs.weights, {units, inputSize}).tensor;
  recurrentWeights =
      requiredInput(op, inputs.recurrentWeights, {units, units}).tensor;
  bias = requiredInput(op, inputs.bias, {units}).tensor;
  auxWeights = optionalInput(op, inputs.auxWeights, {units, auxSize});
  this->auxSize = countIf(op, auxWeights.isGiven, auxSize);
  std::array<size_t, 3> indices = {inputs.weights, inputs.recurrentWeights,
                                   inputs.bias};
  auto isConstant = [&](size_t index) { return isConstantMatrix(op, index); };
  auto isSize = [](const Tensor &tensor, ArrayRef<Scalar> extents) {
    auto type = tensor.getValueType();
    return type.hasStaticShape() &&
           llvm::all_of(llvm::enumerate(extents), [&](const auto &extent) {
             return extent.value().known() == type.getDimSize(extent.index());
           });
  };
  if (auxWeights.isNever() && llvm::all_of(indices, isConstant) &&
      isSize(hiddenState, {batch, units}) &&
      isSize(weights, {units, inputSize}) &&
      isSize(recurrentWeights, {units, units}) && isSize(bias, {units}) &&
      batch.known() > 0)
    constants = indices;
}

SmallVector<Tensor> RnnCell::begin() {
  if (constants)
    return {asFloats(op, hiddenState)};
  // A step reads the whole of the previous state: the next one is made aside.
  return {asFloats(op, hiddenState), op.reserve(floatType(), {batch, units})};
}

SmallVector<Tensor> RnnCell::step(ArrayRef<Tensor> tensors, VectorReader input,
                                  VectorReader aux) {
  Tensor state = tensors[0];
  if (constants) {
    auto [weightsAt, recurrentAt, biasAt] = *constants;
    Tensor vectors = op.define(floatType(), {batch, inputSize},
                               [&](Indices at) { return input(at[0], at[1]); });
    Tensor fromInput = multiplyByMatrices(op, vectors, weightsAt, biasAt);
    Tensor fromState = multiplyByMatrices(op, state, recurrentAt, {});
    Tensor next = op.define(floatType(), {batch, units}, [&](Indices at) {
      return activate(activation, fromInput.real(at) + fromState.real(at));
    });
    return {next};
  }
  Tensor next = op.fill(tensors[1], {batch, units}, [&](Indices at) {
    Scalar b = at[0], unit = at[1];
    Scalar sum = addProducts(op, bias.real({unit}), weights, unit, inputSize,
                             [&](Scalar i) { return input(b, i); });
    if (!auxWeights.isNever())
      sum = addProducts(op, sum, auxWeights.tensor, unit, auxSize,
                        [&](Scalar i) { return aux(b, i); });
    sum = addProducts(op, sum, recurrentWeights, unit, units,
                      [&](Scalar i) { return state.real({b, i}); });
    return activate(activation, sum);
  });
  state =
      op.fill(state, {batch, units}, [&](Indices at) { return next.real(at); });
  return {state, next};
}

static LogicalResult lowerRnn(OperationLowering &op) {
  if (failed(expectKnown(op, {5})))
    return failure();
  FailureOr<rt::RnnForm> form = op.decoded(rt::decodeRnn(op.view()));
  if (failed(form))
    return failure();
  Tensor input = requiredInput(op, 0, {Scalar(), Scalar()}).tensor;
  RnnCell cell(op, form->forward, form->activation, input.extent(0),
               input.extent(1), op.index(0));
  auto read = [&](Scalar b, Scalar i) { return input.real({b, i}); };
  Tensor state = cell.step(cell.begin(), read, read).front();
  setFloatOutput(op, 0, state);
  setFloatOutput(op, 1, state);
  return success();
}

static LogicalResult lowerUnidirectionalRnn(OperationLowering &op) {
  if (failed(expectKnown(op, {5, 6})))
    return failure();
  FailureOr<rt::RnnForm> form = op.decoded(rt::decodeRnn(op.view()));
  if (failed(form))
    return failure();
  SequenceInputs inputs =
      readSequences(op, rt::noInput, *form->sequence.isTimeMajor);
  RnnCell cell(op, form->forward, form->activation, inputs.input.batch(),
               inputs.input.size(), op.index(0));
  auto last = runSequences(op, inputs, form->sequence, cell, nullptr);
  if (form->sequence.yieldsStates)
    setFloatOutput(op, 1, last[0][0]);
  return success();
}

static LogicalResult lowerBidirectionalRnn(OperationLowering &op) {
  if (failed(expectKnown(op, {12, 13, 14})))
    return failure();
  FailureOr<rt::RnnForm> form = op.decoded(rt::decodeRnn(op.view()));
  if (failed(form))
    return failure();
  SequenceInputs inputs =
      readSequences(op, form->auxInput, *form->sequence.isTimeMajor);
  Scalar batch = inputs.input.batch(), auxSize = inputs.auxSize(op);
  RnnCell forward(op, form->forward, form->activation, batch,
                  inputs.input.size(), auxSize);
  // Without weights for it the auxiliary input is the backward cell's.
  inputs.isParallel = inputs.auxInput.isGiven & !forward.auxWeights.isGiven;
  RnnCell backward(op, form->backward, form->activation, batch,
                   inputs.backwardSize(op), auxSize);
  checkTogether(op, backward.auxWeights, forward.auxWeights.isGiven,
                forward.auxWeights);                   // bidirectional C2
  checkNeeds(op, forward.auxWeights, inputs.auxInput); // bidirectional C3
  auto last = runSequences(op, inputs, form->sequence, forward, &backward);
  if (form->sequence.yieldsStates) {
    size_t first = form->sequence.mergesOutputs ? 1 : 2;
    setFloatOutput(op, first, last[0][0]);
    setFloatOutput(op, first + 1, last[1][0]);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// SVDF
//===----------------------------------------------------------------------===//

namespace {
struct SvdfOperands {
  Scalar batch, inputSize, filters, memory, rank, units;
  Tensor input, featureWeights, timeWeights, state;
  Operand bias;
};
} // namespace

static SvdfOperands readSvdf(OperationLowering &op) {
  SvdfOperands svdf;
  Scalar any;
  svdf.input = requiredInput(op, 0, {any, any}).tensor;
  svdf.batch = svdf.input.extent(0);
  svdf.inputSize = svdf.input.extent(1);
  svdf.featureWeights = requiredInput(op, 1, {any, svdf.inputSize}).tensor;
  svdf.filters = svdf.featureWeights.extent(0);
  svdf.timeWeights = requiredInput(op, 2, {svdf.filters, any}).tensor;
  svdf.memory = svdf.timeWeights.extent(1);
  op.check(svdf.memory >= 1, FailureReason::valueTooSmall, svdf.memory,
           op.index(1));
  svdf.state =
      requiredInput(op, 4, {svdf.batch, svdf.memory * svdf.filters}).tensor;
  svdf.rank = op.scalar(5).toIndex();
  op.check(svdf.rank >= 1, FailureReason::valueTooSmall, svdf.rank,
           op.index(1)); // svdf C3
  svdf.rank = max(svdf.rank, 1);
  op.check(svdf.filters.remainder(svdf.rank) == 0, FailureReason::notDivisible,
           svdf.filters, svdf.rank); // svdf C5
  svdf.units = svdf.filters.quotient(svdf.rank);
  svdf.bias = optionalInput(op, 3, {svdf.units});
  return svdf;
}

/// What each filter makes of the input, [batch, filters].
static Tensor newestActivations(OperationLowering &op,
                                const SvdfOperands &svdf) {
  auto type = svdf.input.getValueType();
  if (isConstantMatrix(op, 1) && type.hasStaticShape() &&
      type.getNumElements() > 0 && type.getElementType().isF32() &&
      svdf.featureWeights.extent(1).known() == type.getDimSize(1))
    return multiplyByMatrices(op, svdf.input, size_t(1), {});
  return op.define(floatType(), {svdf.batch, svdf.filters}, [&](Indices at) {
    return addProducts(op, op.f32(0), svdf.featureWeights, at[1],
                       svdf.inputSize,
                       [&](Scalar i) { return svdf.input.real({at[0], i}); });
  });
}

/// Each filter has a memory of its last activations, oldest first. The newest
/// takes the last place; the unit's output is the sum over its filters of
/// memory times time weights; then the memory moves on by one, which leaves a
/// zero in the last place (M-185).
static LogicalResult lowerSvdf(OperationLowering &op) {
  if (failed(expectKnown(op, {6})))
    return failure();
  FailureOr<rt::SvdfForm> form = op.decoded(rt::decodeSvdf(op.view()));
  if (failed(form))
    return failure();
  SvdfOperands svdf = readSvdf(op);
  Scalar last = svdf.memory - 1;
  Tensor newest = newestActivations(op, svdf);
  Tensor output =
      op.define(op.outputType(1), {svdf.batch, svdf.units}, [&](Indices at) {
        Scalar sum = op.fold(svdf.rank, op.f32(0), [&](Scalar r, Scalar sum) {
          Scalar filter = at[1] * svdf.rank + r;
          Scalar first = filter * svdf.memory;
          Scalar old = addProducts(
              op, op.f32(0), svdf.timeWeights, filter, last,
              [&](Scalar i) { return svdf.state.real({at[0], first + i}); });
          return sum + (old + svdf.timeWeights.real({filter, last}) *
                                  newest.real({at[0], filter}));
        });
        if (!svdf.bias.isNever())
          sum = op.branch(
              svdf.bias.isGiven,
              [&] { return sum + svdf.bias.tensor.real({at[1]}); },
              [&] { return sum; });
        return op.encode(activate(form->activation, sum), op.outputType(1));
      });
  SmallVector<Scalar> extents = {svdf.batch, svdf.filters, svdf.memory};
  Tensor old = op.reshape(svdf.state, extents);
  Tensor state = op.define(op.outputType(0), extents, [&](Indices at) {
    Scalar place = at[2];
    Scalar value = op.branch(
        place + 1 < last, [&] { return old.real({at[0], at[1], place + 1}); },
        [&] {
          return select(place < last, newest.real({at[0], at[1]}), op.f32(0));
        });
    return op.encode(value, op.outputType(0));
  });
  state = op.reshape(state, {svdf.batch, svdf.memory * svdf.filters});
  op.setOutput(0, state);
  op.setOutput(1, output);
  return success();
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

static constexpr LoweringRow rows[] = {
    {OperationType::LSTM, lowerLstm},
    {OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM, lowerLstm},
    {OperationType::BIDIRECTIONAL_SEQUENCE_LSTM, lowerLstm},
    {OperationType::RNN, lowerRnn},
    {OperationType::UNIDIRECTIONAL_SEQUENCE_RNN, lowerUnidirectionalRnn},
    {OperationType::BIDIRECTIONAL_SEQUENCE_RNN, lowerBidirectionalRnn},
    {OperationType::SVDF, lowerSvdf},
    {OperationType::QUANTIZED_16BIT_LSTM, lowerQuantized16BitLstm},
    {OperationType::QUANTIZED_LSTM, lowerQuantizedLstm},
};

std::span<const LoweringRow> nnhal::recurrentRows() { return rows; }
