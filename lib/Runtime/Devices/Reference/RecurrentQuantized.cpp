//===- RecurrentQuantized.cpp - Quantized LSTMs ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recurrent.h"
#include "Runtime/Numerics/FixedPointMath16.h"

#include "Runtime/Numerics/FixedPoint.h"
#include "Runtime/Numerics/FixedPointMath.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

using Ints32 = Elements<int32_t>;

static Ints32 optionalIntegers(const RoutineContext &context, size_t index) {
  return context.hasInput(index) ? context.integers(index) : Ints32();
}

static int32_t saturate32(int64_t value) {
  return int32_t(std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(),
                                     std::numeric_limits<int32_t>::max()));
}

/// Multiplies row \p row of \p matrix by vector \p index of \p vectors, whose
/// zero point is taken off.
static int64_t dotProduct(const Ints32 &matrix, int64_t row,
                          const Ints32 &vectors, int64_t index, int64_t size,
                          int32_t zeroPoint) {
  int64_t sum = 0;
  for (int64_t i = 0; i < size; ++i)
    sum += int64_t(matrix[size_t(row * size + i)]) *
           (vectors[size_t(index * size + i)] - zeroPoint);
  return sum;
}

//===----------------------------------------------------------------------===//
// QUANTIZED_16BIT_LSTM
//===----------------------------------------------------------------------===//

namespace {
struct Lstm16Inputs {
  int64_t batch, inputSize, units;
  Ints32 input, outputState, cellState;
  std::array<Ints32, 4> inputWeights, recurrentWeights, biases;
  int32_t weightsZeroPoint;
  FixedPointFactor factor;
};
} // namespace

static Lstm16Inputs read16BitInputs(const RoutineContext &context) {
  LstmInputs indices = quantized16BitLstmInputs();
  Lstm16Inputs inputs;
  inputs.batch = context.inputShape(0)[0];
  inputs.inputSize = context.inputShape(0)[1];
  inputs.units = context.inputShape(indices.cellState)[1];
  inputs.input = context.integers(0);
  inputs.outputState = context.integers(indices.outputState);
  inputs.cellState = context.integers(indices.cellState);
  for (size_t gate = 0; gate < 4; ++gate) {
    inputs.inputWeights[gate] = context.integers(indices.inputWeights[gate]);
    inputs.recurrentWeights[gate] =
        context.integers(indices.recurrentWeights[gate]);
    inputs.biases[gate] = context.integers(indices.biases[gate]);
  }
  inputs.weightsZeroPoint =
      context.inputType(indices.inputWeights[0]).zeroPoint;
  // Sums have the biases' scale, gates have 3 integer bits: 2^-12 (M-188).
  inputs.factor = fixedPointFactor(
      4096.0 * double(context.inputType(indices.biases[0]).scale));
  return inputs;
}

/// A gate before its activation, with 3 integer bits: its recurrent weights
/// followed by its input weights, times the input followed by the previous
/// output. The two orders do differ; that is how the HAL's results are defined.
static int16_t gate16(const Lstm16Inputs &inputs, LstmGate gate, int64_t batch,
                      int64_t unit) {
  int64_t units = inputs.units, inputSize = inputs.inputSize;
  auto weightAt = [&](int64_t i) {
    return i < units
               ? inputs.recurrentWeights[gate][size_t(unit * units + i)]
               : inputs
                     .inputWeights[gate][size_t(unit * inputSize + i - units)];
  };
  auto valueAt = [&](int64_t i) {
    return i < inputSize
               ? inputs.input[size_t(batch * inputSize + i)]
               : inputs.outputState[size_t(batch * units + i - inputSize)];
  };
  int64_t sum = inputs.biases[gate][size_t(unit)];
  for (int64_t i = 0; i < units + inputSize; ++i)
    sum += int64_t(weightAt(i) - inputs.weightsZeroPoint) * (valueAt(i) - 128);
  return saturate16(multiplyByFactor(saturate32(sum), inputs.factor));
}

/// All in 16 bits: gates with 3 integer bits, the cell state with 4, what
/// sigmoid and tanh yield with none.
Status reference::runQuantized16BitLstm(RoutineContext &context) {
  Lstm16Inputs inputs = read16BitInputs(context);
  Ints32 cell(inputs.cellState.size()), output(inputs.cellState.size());
  for (int64_t b = 0; b < inputs.batch; ++b)
    for (int64_t unit = 0; unit < inputs.units; ++unit) {
      auto at = size_t(b * inputs.units + unit);
      int16_t in = logistic16(gate16(inputs, inputGate, b, unit), 3);
      int16_t update = tanh16(gate16(inputs, cellGate, b, unit), 3);
      int16_t forget = logistic16(gate16(inputs, forgetGate, b, unit), 3);
      int16_t out = logistic16(gate16(inputs, outputGate, b, unit), 3);
      int16_t state =
          saturate16(int64_t(rescale16(multiply16(in, update), 0, 4)) +
                     multiply16(forget, int16_t(inputs.cellState[at])));
      int16_t hidden = multiply16(out, tanh16(rescale16(state, 4, 3), 3));
      cell[at] = state;
      output[at] =
          128 + std::clamp(roundingDivideByPowerOfTwo(hidden, 8), -128, 127);
    }
  context.storeIntegers(0, cell);
  context.storeIntegers(1, output);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// QUANTIZED_LSTM
//===----------------------------------------------------------------------===//

namespace {
/// One step of a cell; values are [batch][units] unless said otherwise.
class QuantizedCell {
public:
  QuantizedCell(const RoutineContext &context, const QuantizedLstmForm &form);

  void step();
  const Ints32 &outputState() const { return output; }
  const Ints32 &cellState() const { return cell; }

private:
  /// The operands of one gate; empty where the cell has none.
  struct Gate {
    Ints32 inputWeights, recurrentWeights, peephole, bias, layerNorm;
    FixedPointFactor inputFactor, recurrentFactor, peepholeFactor,
        layerNormFactor;
  };

  Gate readGate(size_t gate) const;
  /// \p gate before its activation, with 3 integer bits.
  Ints32 preActivation(const Gate &gate) const;
  void normalize(std::span<int32_t> row, const Gate &gate) const;
  Ints32 sigmoid(const Gate &gate) const;
  void updateCell(const Ints32 &forget, const Ints32 &in, const Ints32 &update);
  Ints32 project(const Ints32 &hidden) const;

  const RoutineContext &context;
  const QuantizedLstmForm &form;
  int64_t batch, inputSize, units, outputs;
  TensorType outputType;
  /// log2 of the cell state's scale, -15 to -9.
  int32_t cellShift;
  Ints32 input, output, cell;
  std::array<Gate, 4> gates;
};
} // namespace

QuantizedCell::QuantizedCell(const RoutineContext &context,
                             const QuantizedLstmForm &form)
    : context(context), form(form), batch(context.inputShape(0)[0]),
      inputSize(context.inputShape(0)[1]),
      units(context.inputShape(form.cell.cellState)[1]),
      outputs(context.inputShape(form.cell.outputState)[1]),
      outputType(context.inputType(form.cell.outputState)),
      cellShift(int32_t(std::lround(
          std::log2(context.inputType(form.cell.cellState).scale)))),
      input(context.integers(0)),
      output(context.integers(form.cell.outputState)),
      cell(context.integers(form.cell.cellState)) {
  for (size_t gate = 0; gate < 4; ++gate)
    gates[gate] = readGate(gate);
}

QuantizedCell::Gate QuantizedCell::readGate(size_t gate) const {
  const LstmInputs &inputs = form.cell;
  float intermediate = form.params.intermediateScales[gate];
  auto scaleOf = [&](size_t index) {
    return context.hasInput(index) ? context.inputType(index).scale : 0.0f;
  };
  Gate result;
  result.inputWeights = optionalIntegers(context, inputs.inputWeights[gate]);
  result.recurrentWeights =
      optionalIntegers(context, inputs.recurrentWeights[gate]);
  result.peephole = optionalIntegers(context, inputs.peepholes[gate]);
  result.bias = optionalIntegers(context, inputs.biases[gate]);
  result.layerNorm = optionalIntegers(context, inputs.layerNorm[gate]);
  // Products in the scale of the gate's intermediate result (M-192).
  result.inputFactor =
      fixedPointFactor(scaleOf(inputs.inputWeights[gate]) *
                       context.inputType(0).scale / intermediate);
  result.recurrentFactor = fixedPointFactor(
      scaleOf(inputs.recurrentWeights[gate]) * outputType.scale / intermediate);
  result.peepholeFactor = fixedPointFactor(
      float(std::ldexp(double(scaleOf(inputs.peepholes[gate])), cellShift) /
            intermediate));
  // The factor goes from the norm's 10 fraction bits to 3 integer bits.
  result.layerNormFactor = fixedPointFactor(scaleOf(inputs.layerNorm[gate]));
  result.layerNormFactor.exponent =
      std::min(result.layerNormFactor.exponent + 12, 31);
  return result;
}

/// Normalizes to mean 0 and variance 1, times the weights, plus the bias, in
/// integers with 10 fraction bits.
void QuantizedCell::normalize(std::span<int32_t> row, const Gate &gate) const {
  constexpr int64_t guard = 1 << 20;
  auto size = int64_t(row.size());
  int64_t sum = 0, squares = 0;
  for (int64_t value : row) {
    sum += value;
    squares += value * value;
  }
  auto mean = int32_t(sum * 1024 / size);
  int64_t variance = (squares * (guard / size) - int64_t(mean) * mean) / guard;
  FixedPointFactor inverse =
      fixedPointInverseSqrt(std::max<int64_t>(variance, 0));
  for (size_t i = 0; i < row.size(); ++i) {
    int64_t normalized = multiplyByFactor(1024 * row[i] - mean, inverse);
    int64_t weighted = normalized * gate.layerNorm[i] + gate.bias[i];
    int64_t rounded = (weighted > 0 ? weighted + 512 : weighted - 512) / 1024;
    row[i] =
        saturate16(multiplyByFactor(saturate32(rounded), gate.layerNormFactor));
  }
}

Ints32 QuantizedCell::preActivation(const Gate &gate) const {
  Ints32 values(size_t(batch * units));
  bool isNormalized = !gate.layerNorm.empty();
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t unit = 0; unit < units; ++unit) {
      auto at = size_t(b * units + unit);
      // A norm would take the bias out, which is added after it then.
      int64_t sum = isNormalized ? 0 : gate.bias[size_t(unit)];
      sum += dotProduct(gate.inputWeights, unit, input, b, inputSize,
                        context.inputType(0).zeroPoint);
      int64_t value =
          saturate16(multiplyByFactor(saturate32(sum), gate.inputFactor));
      sum = dotProduct(gate.recurrentWeights, unit, output, b, outputs,
                       outputType.zeroPoint);
      value = saturate16(
          value + multiplyByFactor(saturate32(sum), gate.recurrentFactor));
      if (!gate.peephole.empty())
        value = saturate16(
            value + multiplyByFactor(gate.peephole[size_t(unit)] * cell[at],
                                     gate.peepholeFactor));
      values[at] = int32_t(value);
    }
  if (isNormalized)
    for (int64_t b = 0; b < batch; ++b)
      normalize(std::span(values).subspan(size_t(b * units), size_t(units)),
                gate);
  return values;
}

Ints32 QuantizedCell::sigmoid(const Gate &gate) const {
  Ints32 values = preActivation(gate);
  for (int32_t &value : values)
    value = logistic16(int16_t(value), 3);
  return values;
}

static void clip(Ints32 &values, float clip, float scale, int32_t zeroPoint,
                 int32_t largest) {
  auto bound =
      clip > 0.0f ? int32_t(std::min(clip / scale, float(largest))) : 0;
  if (bound > 0)
    for (int32_t &value : values)
      value = std::clamp(value, zeroPoint - bound, zeroPoint + bound);
}

void QuantizedCell::updateCell(const Ints32 &forget, const Ints32 &in,
                               const Ints32 &update) {
  for (size_t i = 0; i < cell.size(); ++i) {
    int32_t kept = roundingDivideByPowerOfTwo(forget[i] * cell[i], 15);
    int32_t added =
        roundingDivideByPowerOfTwo(in[i] * update[i], 30 + cellShift);
    cell[i] = saturate16(int64_t(kept) + added);
  }
  clip(cell, form.params.cellClip, context.inputType(form.cell.cellState).scale,
       0, 32767);
}

Ints32 QuantizedCell::project(const Ints32 &hidden) const {
  size_t index = form.cell.projectionWeights;
  if (!context.hasInput(index))
    return hidden;
  Ints32 weights = context.integers(index);
  Ints32 bias = optionalIntegers(context, form.cell.projectionBias);
  FixedPointFactor factor =
      fixedPointFactor(context.inputType(index).scale *
                       form.params.hiddenScale / outputType.scale);
  Ints32 result(size_t(batch * outputs));
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t row = 0; row < outputs; ++row) {
      int64_t sum = bias.empty() ? 0 : bias[size_t(row)];
      // The hidden zero point counts the other way round: see step().
      sum += dotProduct(weights, row, hidden, b, units,
                        -form.params.hiddenZeroPoint);
      int64_t value = int64_t(multiplyByFactor(saturate32(sum), factor)) +
                      outputType.zeroPoint;
      result[size_t(b * outputs + row)] =
          int32_t(std::clamp<int64_t>(value, -128, 127));
    }
  clip(result, form.params.projectionClip, outputType.scale,
       outputType.zeroPoint, 127);
  return result;
}

void QuantizedCell::step() {
  Ints32 forget = sigmoid(gates[forgetGate]);
  Ints32 update = preActivation(gates[cellGate]);
  for (int32_t &value : update)
    value = tanh16(int16_t(value), 3);
  Ints32 in;
  if (gates[inputGate].inputWeights.empty()) {
    // A coupled input gate is 1 - forget gate (M-167).
    in = forget;
    for (int32_t &value : in)
      value = 32767 - value;
  } else {
    in = sigmoid(gates[inputGate]);
  }
  updateCell(forget, in, update);
  // The output gate's peephole sees the new cell state.
  Ints32 hidden = sigmoid(gates[outputGate]);
  FixedPointFactor factor = fixedPointFactor(
      float(std::ldexp(std::ldexp(1.0, -15) / form.params.hiddenScale, -15)));
  for (size_t i = 0; i < hidden.size(); ++i) {
    int32_t product = hidden[i] * tanh16(int16_t(cell[i]), cellShift + 15);
    // Models count this zero point the other way round.
    int64_t value = int64_t(multiplyByFactor(product, factor)) -
                    form.params.hiddenZeroPoint;
    hidden[i] = int32_t(std::clamp<int64_t>(value, -128, 127));
  }
  output = project(hidden);
}

Status reference::runQuantizedLstm(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(QuantizedLstmForm form,
                         decodeQuantizedLstm(context.operation()));
  QuantizedCell cell(context, form);
  cell.step();
  context.storeIntegers(0, cell.outputState());
  context.storeIntegers(1, cell.cellState());
  context.storeIntegers(2, cell.outputState());
  return Status::ok();
}
