//===- Recurrent.cpp - RNN and SVDF operations ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recurrent.h"

#include "Runtime/Numerics/FixedPoint.h"

#include <algorithm>
#include <cmath>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

//===----------------------------------------------------------------------===//
// Shared parts
//===----------------------------------------------------------------------===//

float reference::applyActivation(RecurrentActivation activation, float value) {
  switch (activation) {
  case RecurrentActivation::tanh:
    return std::tanh(value);
  case RecurrentActivation::sigmoid:
    return 1.0f / (1.0f + std::exp(-value));
  default:
    return applyActivation(FusedActivation(activation), value);
  }
}

Floats reference::optionalFloats(const RoutineContext &context, size_t index) {
  return context.hasInput(index) ? context.floats(index) : Floats();
}

/// \p values, [rows][columns][size], as [columns][rows][size].
static Floats swapOuter(const Floats &values, int64_t rows, int64_t columns,
                        int64_t size) {
  Floats result(values.size());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      std::copy_n(values.begin() + (r * columns + c) * size, size,
                  result.begin() + (c * rows + r) * size);
  return result;
}

Sequence::Sequence(const RoutineContext &context, size_t index,
                   bool isTimeMajor) {
  const Shape &shape = context.inputShape(index);
  steps = shape[isTimeMajor ? 0 : 1];
  batch = shape[isTimeMajor ? 1 : 0];
  size = shape[2];
  values = context.floats(index);
  if (!isTimeMajor)
    values = swapOuter(values, batch, steps, size);
}

std::span<const float> Sequence::at(int64_t step) const {
  return std::span(values).subspan(size_t(step * batch * size),
                                   size_t(batch * size));
}

void Sequence::set(int64_t step, std::span<const float> vectors) {
  std::ranges::copy(vectors, values.begin() + step * batch * size);
}

Floats Sequence::inOrder(bool isTimeMajor) const {
  return isTimeMajor ? values : swapOuter(values, steps, batch, size);
}

void reference::storeDirections(RoutineContext &context,
                                const SequenceParams &params,
                                const Sequence &forward,
                                const Sequence &backward) {
  bool isTimeMajor = *params.isTimeMajor;
  if (!params.mergesOutputs) {
    context.storeFloats(0, forward.inOrder(isTimeMajor));
    context.storeFloats(1, backward.inOrder(isTimeMajor));
    return;
  }
  // Forward features first (M-179).
  Sequence merged(forward.steps, forward.batch, forward.size + backward.size);
  auto to = merged.values.begin();
  for (int64_t i = 0; i < forward.steps * forward.batch; ++i) {
    to = std::copy_n(forward.values.begin() + i * forward.size, forward.size,
                     to);
    to = std::copy_n(backward.values.begin() + i * backward.size, backward.size,
                     to);
  }
  context.storeFloats(0, merged.inOrder(isTimeMajor));
}

//===----------------------------------------------------------------------===//
// RNN
//===----------------------------------------------------------------------===//

namespace {
/// h' = activation(W x + A aux + R h + bias).
struct RnnCell {
  int64_t units;
  Floats weights, recurrentWeights, bias, auxWeights;
  RecurrentActivation activation;
  Floats hiddenState;

  RnnCell(const RoutineContext &context, const RnnInputs &inputs,
          RecurrentActivation activation)
      : units(context.inputShape(inputs.weights)[0]),
        weights(context.floats(inputs.weights)),
        recurrentWeights(context.floats(inputs.recurrentWeights)),
        bias(context.floats(inputs.bias)),
        auxWeights(optionalFloats(context, inputs.auxWeights)),
        activation(activation),
        hiddenState(context.floats(inputs.hiddenState)) {}

  /// \p aux is not looked at without weights for it.
  void step(int64_t batch, std::span<const float> input,
            std::span<const float> aux);
};
} // namespace

/// sum + row * vector, term by term.
static float addProducts(float sum, const Floats &matrix, int64_t row,
                         std::span<const float> vector) {
  const float *weights = matrix.data() + row * int64_t(vector.size());
  for (size_t i = 0; i < vector.size(); ++i)
    sum += weights[i] * vector[i];
  return sum;
}

/// Vector \p index of \p batch vectors.
static std::span<const float> vectorOf(std::span<const float> vectors,
                                       int64_t batch, int64_t index) {
  size_t size = vectors.size() / size_t(batch);
  return vectors.subspan(size_t(index) * size, size);
}

void RnnCell::step(int64_t batch, std::span<const float> input,
                   std::span<const float> aux) {
  Floats next(hiddenState.size());
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t unit = 0; unit < units; ++unit) {
      float sum = addProducts(bias[size_t(unit)], weights, unit,
                              vectorOf(input, batch, b));
      if (!auxWeights.empty())
        sum = addProducts(sum, auxWeights, unit, vectorOf(aux, batch, b));
      sum = addProducts(sum, recurrentWeights, unit,
                        vectorOf(hiddenState, batch, b));
      next[size_t(b * units + unit)] = applyActivation(activation, sum);
    }
  hiddenState = std::move(next);
}

/// The hidden states after each step of \p input.
static Sequence runSequence(RnnCell &cell, const Sequence &input,
                            const Sequence *aux, bool isBackward) {
  Sequence output(input.steps, input.batch, cell.units);
  forEachStep(input.steps, isBackward, [&](int64_t step) {
    cell.step(input.batch, input.at(step),
              aux ? aux->at(step) : std::span<const float>());
    output.set(step, cell.hiddenState);
  });
  return output;
}

static Status runRnn(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(RnnForm form, decodeRnn(context.operation()));
  RnnCell cell(context, form.forward, form.activation);
  cell.step(context.inputShape(0)[0], context.floats(0), {});
  context.storeFloats(0, cell.hiddenState);
  context.storeFloats(1, cell.hiddenState);
  return Status::ok();
}

static Status runUnidirectionalRnn(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(RnnForm form, decodeRnn(context.operation()));
  bool isTimeMajor = *form.sequence.isTimeMajor;
  RnnCell cell(context, form.forward, form.activation);
  Sequence output = runSequence(cell, Sequence(context, 0, isTimeMajor),
                                /*aux=*/nullptr, /*isBackward=*/false);
  context.storeFloats(0, output.inOrder(isTimeMajor));
  if (form.sequence.yieldsStates)
    context.storeFloats(1, cell.hiddenState);
  return Status::ok();
}

static Status runBidirectionalRnn(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(RnnForm form, decodeRnn(context.operation()));
  bool isTimeMajor = *form.sequence.isTimeMajor;
  RnnCell forward(context, form.forward, form.activation);
  RnnCell backward(context, form.backward, form.activation);
  Sequence input(context, 0, isTimeMajor);
  std::optional<Sequence> aux;
  if (context.hasInput(form.auxInput))
    aux.emplace(context, form.auxInput, isTimeMajor);
  const Sequence *auxInput = aux ? &*aux : nullptr;
  // Without weights for it the auxiliary input is the backward cell's (M-182).
  bool isParallel = auxInput && backward.auxWeights.empty();
  Sequence fwOutput =
      runSequence(forward, input, auxInput, /*isBackward=*/false);
  Sequence bwOutput = runSequence(backward, isParallel ? *auxInput : input,
                                  auxInput, /*isBackward=*/true);
  storeDirections(context, form.sequence, fwOutput, bwOutput);
  if (form.sequence.yieldsStates) {
    size_t first = context.outputCount() - 2;
    context.storeFloats(first, forward.hiddenState);
    context.storeFloats(first + 1, backward.hiddenState);
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// SVDF
//===----------------------------------------------------------------------===//

/// Each filter has a memory of its last activations, oldest first. The newest
/// takes the last place; the unit's output is the sum over its filters of
/// memory times time weights; then the memory moves on by one, which leaves a
/// zero in the last place (M-185).
static Status runSvdf(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(SvdfForm form, decodeSvdf(context.operation()));
  int64_t batch = context.inputShape(0)[0];
  int64_t filters = context.inputShape(2)[0], memory = context.inputShape(2)[1];
  int64_t rank = *form.rank, units = filters / rank;
  Floats input = context.floats(0), featureWeights = context.floats(1),
         timeWeights = context.floats(2), bias = optionalFloats(context, 3),
         state = context.floats(4);
  Floats output(size_t(batch * units));
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t unit = 0; unit < units; ++unit) {
      float sum = 0.0f;
      for (int64_t r = 0; r < rank; ++r) {
        int64_t filter = unit * rank + r;
        std::span<float> cells = std::span(state).subspan(
            size_t((b * filters + filter) * memory), size_t(memory));
        cells.back() = addProducts(0.0f, featureWeights, filter,
                                   vectorOf(input, batch, b));
        sum += addProducts(0.0f, timeWeights, filter, cells);
        std::shift_left(cells.begin(), cells.end(), 1);
        cells.back() = 0.0f;
      }
      if (!bias.empty())
        sum += bias[size_t(unit)];
      output[size_t(b * units + unit)] = applyActivation(form.activation, sum);
    }
  context.storeFloats(0, state);
  context.storeFloats(1, output);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

std::span<const RoutineRow> reference::recurrentRoutines() {
  using enum OperationType;
  static constexpr RoutineRow rows[] = {
      {LSTM, runLstm},
      {UNIDIRECTIONAL_SEQUENCE_LSTM, runUnidirectionalLstm},
      {BIDIRECTIONAL_SEQUENCE_LSTM, runBidirectionalLstm},
      {RNN, runRnn},
      {UNIDIRECTIONAL_SEQUENCE_RNN, runUnidirectionalRnn},
      {BIDIRECTIONAL_SEQUENCE_RNN, runBidirectionalRnn},
      {SVDF, runSvdf},
      {QUANTIZED_16BIT_LSTM, runQuantized16BitLstm},
      {QUANTIZED_LSTM, runQuantizedLstm},
  };
  return rows;
}
