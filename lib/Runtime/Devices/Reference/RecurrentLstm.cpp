//===- RecurrentLstm.cpp - LSTMs of floats --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recurrent.h"

#include <algorithm>
#include <cmath>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

namespace {
/// One cell with its weights and its state, for vectors of a batch.
class LstmCell {
public:
  LstmCell(const RoutineContext &context, const LstmInputs &inputs,
           const LstmParams &params);

  /// \p aux is not looked at without weights for it.
  void step(std::span<const float> input, std::span<const float> aux);

  bool hasAuxWeights() const { return !gates[forgetGate].auxWeights.empty(); }
  int64_t outputSize() const { return outputs; }
  const Floats &outputState() const { return output; }
  const Floats &cellState() const { return cell; }

private:
  struct Gate {
    /// The vectors are empty where the cell has no such operand.
    Floats inputWeights, recurrentWeights, peephole, bias, layerNorm,
        auxWeights;
  };

  /// \p gate before its activation: [batch][units].
  Floats preActivation(const Gate &gate, std::span<const float> input,
                       std::span<const float> aux) const;
  /// The sigmoid of a gate.
  Floats sigmoid(const Gate &gate, std::span<const float> input,
                 std::span<const float> aux) const;
  void addMatrixProducts(Floats &result, const Floats &matrix,
                         std::span<const float> vectors) const;
  void normalize(Floats &values, const Gate &gate) const;
  Floats project(const Floats &hidden) const;

  int64_t batch, units, outputs;
  std::array<Gate, 4> gates;
  Floats projectionWeights, projectionBias;
  Floats output, cell;
  LstmParams params;
};
} // namespace

LstmCell::LstmCell(const RoutineContext &context, const LstmInputs &inputs,
                   const LstmParams &params)
    : batch(context.inputShape(inputs.outputState)[0]),
      units(context.inputShape(inputs.cellState)[1]),
      outputs(context.inputShape(inputs.outputState)[1]),
      projectionWeights(optionalFloats(context, inputs.projectionWeights)),
      projectionBias(optionalFloats(context, inputs.projectionBias)),
      output(context.floats(inputs.outputState)),
      cell(context.floats(inputs.cellState)), params(params) {
  for (size_t gate = 0; gate < 4; ++gate)
    gates[gate] = {optionalFloats(context, inputs.inputWeights[gate]),
                   optionalFloats(context, inputs.recurrentWeights[gate]),
                   optionalFloats(context, inputs.peepholes[gate]),
                   optionalFloats(context, inputs.biases[gate]),
                   optionalFloats(context, inputs.layerNorm[gate]),
                   optionalFloats(context, inputs.auxWeights[gate])};
}

/// Adds matrix * vector to each of the batch's results, each product summed up
/// on its own first.
void LstmCell::addMatrixProducts(Floats &result, const Floats &matrix,
                                 std::span<const float> vectors) const {
  int64_t rows = int64_t(result.size()) / batch;
  int64_t columns = int64_t(vectors.size()) / batch;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t row = 0; row < rows; ++row) {
      float product = 0.0f;
      for (int64_t column = 0; column < columns; ++column)
        product += matrix[size_t(row * columns + column)] *
                   vectors[size_t(b * columns + column)];
      result[size_t(b * rows + row)] += product;
    }
}

/// Each of the batch's vectors to mean 0 and variance 1, times the weights
/// (M-170).
void LstmCell::normalize(Floats &values, const Gate &gate) const {
  constexpr float epsilon = 1e-8f;
  for (int64_t b = 0; b < batch; ++b) {
    std::span<float> row =
        std::span(values).subspan(size_t(b * units), size_t(units));
    float sum = 0.0f;
    for (float value : row)
      sum += value;
    float mean = sum / float(units);
    float squares = 0.0f;
    for (float value : row)
      squares += (value - mean) * (value - mean);
    float factor = 1.0f / std::sqrt(squares / float(units) + epsilon);
    for (int64_t i = 0; i < units; ++i)
      row[size_t(i)] =
          (row[size_t(i)] - mean) * factor * gate.layerNorm[size_t(i)];
  }
}

Floats LstmCell::preActivation(const Gate &gate, std::span<const float> input,
                               std::span<const float> aux) const {
  Floats values(size_t(batch * units), 0.0f);
  auto addBias = [&] {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] += gate.bias[i % size_t(units)];
  };
  // The bias is added last where a norm would take it out.
  bool isNormalized = !gate.layerNorm.empty();
  if (!isNormalized)
    addBias();
  addMatrixProducts(values, gate.inputWeights, input);
  if (!gate.auxWeights.empty())
    addMatrixProducts(values, gate.auxWeights, aux);
  addMatrixProducts(values, gate.recurrentWeights, output);
  if (!gate.peephole.empty())
    for (size_t i = 0; i < values.size(); ++i)
      values[i] += gate.peephole[i % size_t(units)] * cell[i];
  if (isNormalized) {
    normalize(values, gate);
    addBias();
  }
  return values;
}

Floats LstmCell::sigmoid(const Gate &gate, std::span<const float> input,
                         std::span<const float> aux) const {
  Floats values = preActivation(gate, input, aux);
  for (float &value : values)
    value = applyActivation(RecurrentActivation::sigmoid, value);
  return values;
}

static void clip(Floats &values, float bound) {
  if (bound > 0.0f)
    for (float &value : values)
      value = std::clamp(value, -bound, bound);
}

Floats LstmCell::project(const Floats &hidden) const {
  if (projectionWeights.empty())
    return hidden;
  Floats result(size_t(batch * outputs), 0.0f);
  if (!projectionBias.empty())
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = projectionBias[i % size_t(outputs)];
  addMatrixProducts(result, projectionWeights, hidden);
  clip(result, params.projectionClip);
  return result;
}

void LstmCell::step(std::span<const float> input, std::span<const float> aux) {
  Floats forget = sigmoid(gates[forgetGate], input, aux);
  Floats update = preActivation(gates[cellGate], input, aux);
  // A coupled input gate is 1 - forget gate (M-167).
  bool isCoupled = gates[inputGate].inputWeights.empty();
  Floats in = isCoupled ? forget : sigmoid(gates[inputGate], input, aux);
  for (size_t i = 0; i < cell.size(); ++i) {
    float share = isCoupled ? 1.0f - in[i] : in[i];
    cell[i] = forget[i] * cell[i] +
              applyActivation(params.activation, update[i]) * share;
  }
  clip(cell, params.cellClip);
  // The output gate's peephole sees the new cell state.
  Floats hidden = sigmoid(gates[outputGate], input, aux);
  for (size_t i = 0; i < cell.size(); ++i)
    hidden[i] *= applyActivation(params.activation, cell[i]);
  output = project(hidden);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Status reference::runLstm(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(LstmForm form, decodeLstm(context.operation()));
  LstmCell cell(context, form.forward, form.params);
  cell.step(context.floats(0), {});
  // The contents of the scratch output are unspecified (M-171).
  context.storeFloats(
      0, Floats(size_t(reference::elementCount(context.outputShape(0))), 0.0f));
  context.storeFloats(1, cell.outputState());
  context.storeFloats(2, cell.cellState());
  context.storeFloats(3, cell.outputState());
  return Status::ok();
}

/// The outputs after each step of \p input.
static Sequence runSequence(LstmCell &cell, const Sequence &input,
                            const Sequence *aux, bool isBackward) {
  Sequence output(input.steps, input.batch, cell.outputSize());
  forEachStep(input.steps, isBackward, [&](int64_t step) {
    cell.step(input.at(step), aux ? aux->at(step) : std::span<const float>());
    output.set(step, cell.outputState());
  });
  return output;
}

Status reference::runUnidirectionalLstm(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(LstmForm form, decodeLstm(context.operation()));
  bool isTimeMajor = *form.sequence.isTimeMajor;
  LstmCell cell(context, form.forward, form.params);
  Sequence output = runSequence(cell, Sequence(context, 0, isTimeMajor),
                                /*aux=*/nullptr, /*isBackward=*/false);
  context.storeFloats(0, output.inOrder(isTimeMajor));
  if (form.sequence.yieldsStates) {
    context.storeFloats(1, cell.outputState());
    context.storeFloats(2, cell.cellState());
  }
  return Status::ok();
}

Status reference::runBidirectionalLstm(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(LstmForm form, decodeLstm(context.operation()));
  bool isTimeMajor = *form.sequence.isTimeMajor;
  LstmCell forward(context, form.forward, form.params);
  LstmCell backward(context, form.backward, form.params);
  Sequence input(context, 0, isTimeMajor);
  std::optional<Sequence> aux;
  if (context.hasInput(form.auxInput))
    aux.emplace(context, form.auxInput, isTimeMajor);
  const Sequence *auxInput = aux ? &*aux : nullptr;
  // Without weights for it the auxiliary input is the backward cell's (M-178).
  bool isParallel = auxInput && !backward.hasAuxWeights();
  Sequence fwOutput =
      runSequence(forward, input, auxInput, /*isBackward=*/false);
  Sequence bwOutput = runSequence(backward, isParallel ? *auxInput : input,
                                  auxInput, /*isBackward=*/true);
  storeDirections(context, form.sequence, fwOutput, bwOutput);
  if (form.sequence.yieldsStates) {
    size_t next = context.outputCount() - 4;
    for (const LstmCell *cell : {&forward, &backward}) {
      context.storeFloats(next++, cell->outputState());
      context.storeFloats(next++, cell->cellState());
    }
  }
  return Status::ok();
}
