//===- RecurrentQuantized.cpp - Quantized LSTMs of any shape --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two operations in integers, whose results are defined to the bit: each sum,
// rescaling and saturation is the one that the HAL's implementation does, in
// its order.
//
// QUANTIZED_16BIT_LSTM is one step with four gates. A gate is the bias plus the
// products of both inputs, brought to 3 integer bits and saturated to 16 bits;
// what sigmoid and tanh yield has none, the cell state has 4.
//
// QUANTIZED_LSTM is one step as well, with all that a cell may have: coupled
// input gate, peepholes, norms, projection, clips. Products with the input and
// with the output state are each brought to the scale of an intermediate result
// of their gate and added with saturation, then the peephole. A norm takes mean
// and variance over the units in integers with 10 fraction bits, and its
// inverse square root from the fixed-point routine. The state has a scale that
// is a power of two, so that its products are shifts. Of known extents and
// constant weights, the products of all gates with one vector are one product
// of matrices (MatrixProducts.h); otherwise each element has a loop over its
// products.
//
//===----------------------------------------------------------------------===//

#include "Engine/FixedPoint.h"
#include "Engine/FixedPoint16.h"
#include "Engine/FixedPointMath.h"
#include "MatrixProducts.h"
#include "Recurrent.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace nnhal;
using namespace nnhal::recurrent;
using enum rt::LstmGate;

/// An i64 within 32 bits, as i32.
static Scalar saturate32(Scalar value) {
  return clamp(value, -2147483648.0, 2147483647.0).toI32();
}

/// \p sum + the products for \p begin <= i < \p end; i64, the products i32.
static Scalar addIntegers(OperationLowering &op, Scalar sum, Scalar begin,
                          Scalar end,
                          llvm::function_ref<Scalar(Scalar i)> product) {
  return op
      .loop(begin, end, {sum},
            [&](Scalar i, ArrayRef<Scalar> values) {
              return SmallVector<Scalar>{values[0] + product(i).toI64()};
            })
      .front();
}

//===----------------------------------------------------------------------===//
// QUANTIZED_16BIT_LSTM
//===----------------------------------------------------------------------===//

namespace {
struct Lstm16Inputs {
  Scalar batch, inputSize, units;
  Tensor input, outputState, cellState;
  std::array<Tensor, 4> inputWeights, recurrentWeights, biases;
  double scale;
};
} // namespace

static Lstm16Inputs read16BitInputs(OperationLowering &op) {
  rt::LstmInputs indices = rt::quantized16BitLstmInputs();
  Lstm16Inputs inputs;
  inputs.input = requiredInput(op, 0, {Scalar(), Scalar()}).tensor;
  inputs.batch = inputs.input.extent(0);
  inputs.inputSize = inputs.input.extent(1);
  inputs.cellState =
      requiredInput(op, indices.cellState, {inputs.batch, Scalar()}).tensor;
  inputs.units = inputs.cellState.extent(1);
  Scalar units = inputs.units;
  inputs.outputState =
      requiredInput(op, indices.outputState, {inputs.batch, units}).tensor;
  for (size_t gate = 0; gate < 4; ++gate) {
    inputs.inputWeights[gate] =
        requiredInput(op, indices.inputWeights[gate], {units, inputs.inputSize})
            .tensor;
    inputs.recurrentWeights[gate] =
        requiredInput(op, indices.recurrentWeights[gate], {units, units})
            .tensor;
    inputs.biases[gate] =
        requiredInput(op, indices.biases[gate], {units}).tensor;
  }
  // Sums have the biases' scale, gates have 3 integer bits: 2^-12 (M-188).
  inputs.scale = 4096.0 * double(inputs.biases[0].getType().scale);
  return inputs;
}

/// A gate before its activation, with 3 integer bits: its recurrent weights
/// followed by its input weights, times the input followed by the previous
/// output. The two orders do differ; that is how the HAL's results are defined.
static Scalar gate16(OperationLowering &op, const Lstm16Inputs &inputs,
                     rt::LstmGate gate, Scalar batch, Scalar unit) {
  Scalar units = inputs.units, inputSize = inputs.inputSize;
  auto recurrentWeight = [&](Scalar i) {
    return inputs.recurrentWeights[gate].centered({unit, i});
  };
  auto inputWeight = [&](Scalar i) {
    return inputs.inputWeights[gate].centered({unit, i - units});
  };
  auto input = [&](Scalar i) { return inputs.input.centered({batch, i}); };
  auto output = [&](Scalar i) {
    return inputs.outputState.centered({batch, i - inputSize});
  };
  Scalar first = min(units, inputSize), second = max(units, inputSize);
  Scalar sum = inputs.biases[gate].integer({unit}).toI64();
  sum = addIntegers(op, sum, op.index(0), first,
                    [&](Scalar i) { return recurrentWeight(i) * input(i); });
  // One of these two has no rounds.
  sum = addIntegers(op, sum, inputSize, units,
                    [&](Scalar i) { return recurrentWeight(i) * output(i); });
  sum = addIntegers(op, sum, units, inputSize,
                    [&](Scalar i) { return inputWeight(i) * input(i); });
  sum = addIntegers(op, sum, second, units + inputSize,
                    [&](Scalar i) { return inputWeight(i) * output(i); });
  return saturate16(rescale(saturate32(sum), inputs.scale, op.rounding()));
}

/// All in 16 bits: gates with 3 integer bits, the cell state with 4, what
/// sigmoid and tanh yield with none.
LogicalResult recurrent::lowerQuantized16BitLstm(OperationLowering &op) {
  Lstm16Inputs inputs = read16BitInputs(op);
  SmallVector<Scalar> extents{inputs.batch, inputs.units};
  auto gate = [&](rt::LstmGate gate, Indices at) {
    return gate16(op, inputs, gate, at[0], at[1]);
  };
  Tensor cell = op.define(op.outputType(0), extents, [&](Indices at) {
    Scalar in = logistic16(gate(inputGate, at), 3);
    Scalar update = tanh16(gate(cellGate, at), 3);
    Scalar forget = logistic16(gate(forgetGate, at), 3);
    Scalar kept = multiply16(forget, inputs.cellState.integer(at));
    Scalar state = saturate16(rescale16(multiply16(in, update), 0, 4) + kept);
    return op.encodeInteger(state, op.outputType(0));
  });
  Tensor output = op.define(op.outputType(1), extents, [&](Indices at) {
    Scalar out = logistic16(gate(outputGate, at), 3);
    Scalar state = rescale16(cell.integer(at), 4, 3);
    Scalar hidden = multiply16(out, tanh16(state, 3));
    Scalar value =
        clamp(roundingDivideByPowerOfTwo(hidden, 8), -128, 127) + 128;
    return op.encodeInteger(value, op.outputType(1));
  });
  op.setOutput(0, cell);
  op.setOutput(1, output);
  return success();
}

//===----------------------------------------------------------------------===//
// QUANTIZED_LSTM
//===----------------------------------------------------------------------===//

namespace {
/// One step of a cell; tensors are of i32 and [batch, units] unless said
/// otherwise.
class QuantizedCell {
public:
  QuantizedCell(OperationLowering &op, const rt::QuantizedLstmForm &form);

  void run();

private:
  /// What brings products to the scale of the gate's intermediate result.
  struct GateScales {
    float input, recurrent, peephole;
    rt::FixedPointFactor layerNorm;
  };

  /// The products of all gates at once, if extents and weights are known.
  void multiplyGates();
  /// Of \p vectors and \p weights at one unit, i64.
  Scalar productAt(size_t gate, const std::array<Tensor, 4> &products,
                   const Tensor &weights, const Tensor &vectors, Scalar size,
                   Indices at);
  float scaleOf(size_t index) const;
  GateScales scalesOf(size_t gate) const;
  Scalar preActivation(size_t gate, const GateScales &scales,
                       const Tensor &cell, Indices at);
  Tensor normalize(const LstmGateOperands &gate, const GateScales &scales,
                   Scalar rows, const Tensor &values);
  /// \p gate through \p activation, with 3 integer bits before it. Elements
  /// are 0 unless \p condition holds.
  Tensor runGate(size_t gate, Scalar condition, const Tensor &cell,
                 llvm::function_ref<Scalar(Scalar)> activation);
  Tensor sigmoid(size_t gate, Scalar condition, const Tensor &cell);
  Tensor updateCell(const Tensor &forget, const Tensor &in,
                    const Tensor &update);
  Tensor scaleHidden(const Tensor &out, const Tensor &cell);
  /// [batch, outputs], as stored.
  Tensor project(const Tensor &hidden, size_t output);

  OperationLowering &op;
  const rt::QuantizedLstmForm &form;
  Tensor input;
  LstmCellOperands cell;
  rt::TensorType integers;
  /// With the input and with the output state, [batch, units] for each gate;
  /// without value where extents or weights are not known.
  std::array<Tensor, 4> inputProducts, recurrentProducts;
  /// log2 of the cell state's scale, -15 to -9.
  int32_t cellShift;
};
} // namespace

QuantizedCell::QuantizedCell(OperationLowering &op,
                             const rt::QuantizedLstmForm &form)
    : op(op), form(form),
      input(requiredInput(op, 0, {Scalar(), Scalar()}).tensor),
      cell(readLstmCell(op, form.cell, input.extent(0), input.extent(1),
                        op.index(0))),
      cellShift(
          int32_t(std::lround(std::log2(cell.cellState.getType().scale)))) {
  integers.type = rt::OperandType::TENSOR_INT32;
  multiplyGates();
}

void QuantizedCell::multiplyGates() {
  if (!cell.hasInputGate.known() || !cell.units.known())
    return;
  SmallVector<size_t> gates, weights, recurrent;
  for (size_t gate = 0; gate < 4; ++gate) {
    const LstmGateOperands &operands = cell.gates[gate];
    if (operands.inputWeights.isNever())
      continue;
    // What does not fit is an error that the checks report.
    if (operands.inputWeights.tensor.extent(0).known() != cell.units.known() ||
        operands.recurrentWeights.tensor.extent(0).known() !=
            cell.units.known())
      return;
    gates.push_back(gate);
    weights.push_back(operands.inputWeights.index);
    recurrent.push_back(operands.recurrentWeights.index);
  }
  auto split = [&](const Tensor &vectors, ArrayRef<size_t> matrices,
                   std::array<Tensor, 4> &products) {
    std::optional<Tensor> all = multiplyByByteMatrices(op, vectors, matrices);
    if (!all ||
        all->extent(1).known() != *cell.units.known() * int64_t(gates.size()))
      return;
    for (auto [i, gate] : llvm::enumerate(gates))
      products[gate] = op.slice(*all, {op.index(0), cell.units * double(i)},
                                {cell.batch, cell.units});
  };
  split(input, weights, inputProducts);
  split(cell.outputState, recurrent, recurrentProducts);
}

Scalar QuantizedCell::productAt(size_t gate,
                                const std::array<Tensor, 4> &products,
                                const Tensor &weights, const Tensor &vectors,
                                Scalar size, Indices at) {
  if (products[gate].get())
    return products[gate].integer(at).toI64();
  return addIntegers(op, op.i32(0).toI64(), op.index(0), size, [&](Scalar i) {
    return weights.integer({at[1], i}) * vectors.centered({at[0], i});
  });
}

float QuantizedCell::scaleOf(size_t index) const {
  return op.hasInput(index) ? op.view().inputs[index].type.scale : 0.0f;
}

QuantizedCell::GateScales QuantizedCell::scalesOf(size_t gate) const {
  const rt::LstmInputs &inputs = form.cell;
  float intermediate = form.params.intermediateScales[gate];
  GateScales scales;
  // Products in the scale of the gate's intermediate result (M-192).
  scales.input =
      scaleOf(inputs.inputWeights[gate]) * input.getType().scale / intermediate;
  scales.recurrent = scaleOf(inputs.recurrentWeights[gate]) *
                     cell.outputState.getType().scale / intermediate;
  scales.peephole =
      float(std::ldexp(double(scaleOf(inputs.peepholes[gate])), cellShift) /
            intermediate);
  // From the norm's 10 fraction bits to 3 integer bits.
  scales.layerNorm = rt::fixedPointFactor(scaleOf(inputs.layerNorm[gate]));
  scales.layerNorm.exponent = std::min(scales.layerNorm.exponent + 12, 31);
  return scales;
}

//===----------------------------------------------------------------------===//
// Gates
//===----------------------------------------------------------------------===//

/// \p gate before norm and activation, with 3 integer bits.
Scalar QuantizedCell::preActivation(size_t index, const GateScales &scales,
                                    const Tensor &cellState, Indices at) {
  const LstmGateOperands &gate = cell.gates[index];
  Scalar unit = at[1];
  auto scaled = [&](Scalar sum, float scale) {
    return rescale(sum, scale, op.rounding()).toI64();
  };
  // A norm would take the bias out, which is added after it then.
  Scalar sum = op.branch(
      cell.isNormalized, [&] { return op.i32(0); },
      [&] { return gate.bias.tensor.integer({unit}); });
  sum = sum.toI64() + productAt(index, inputProducts, gate.inputWeights.tensor,
                                input, cell.inputSize, at);
  Scalar value = saturate16(scaled(saturate32(sum), scales.input));
  sum = productAt(index, recurrentProducts, gate.recurrentWeights.tensor,
                  cell.outputState, cell.outputs, at);
  value = saturate16(value.toI64() + scaled(saturate32(sum), scales.recurrent));
  if (gate.peephole.isNever())
    return value;
  return op.branch(
      gate.peephole.isGiven,
      [&] {
        Scalar product =
            gate.peephole.tensor.integer({unit}) * cellState.integer(at);
        return saturate16(value.toI64() + scaled(product, scales.peephole));
      },
      [&] { return value; });
}

/// To mean 0 and variance 1, times the weights, plus the bias, in integers with
/// 10 fraction bits.
Tensor QuantizedCell::normalize(const LstmGateOperands &gate,
                                const GateScales &scales, Scalar rows,
                                const Tensor &values) {
  constexpr int64_t guard = 1 << 20;
  Scalar units = cell.units;
  return op.update(values, {rows}, [&](Tensor current, Indices row) {
    Scalar size = max(units, 1).toI64();
    Scalar zero = size.like(0);
    SmallVector<Scalar> sums = op.loop(
        op.index(0), units, {zero, zero},
        [&](Scalar unit, ArrayRef<Scalar> sums) {
          Scalar value = current.integer({row[0], unit}).toI64();
          return SmallVector<Scalar>{sums[0] + value, sums[1] + value * value};
        });
    Scalar mean = (sums[0] * 1024).quotient(size).toI32();
    Scalar share = zero.like(guard).quotient(size);
    Scalar square = mean.toI64() * mean.toI64();
    Scalar variance = (sums[1] * share - square).quotient(zero.like(guard));
    ComputedFactor inverse = fixedPointInverseSqrt(max(variance, zero));
    return op.update(
        current, {units}, [&](const Tensor &current, Indices unit) {
          SmallVector<Scalar> at{row[0], unit[0]};
          Scalar normal =
              multiplyByFactor(current.integer(at) * 1024 - mean,
                               inverse.multiplier, inverse.exponent);
          Scalar weighted =
              normal.toI64() *
                  gate.layerNorm.tensor.integer({unit[0]}).toI64() +
              gate.bias.tensor.integer({unit[0]}).toI64();
          Scalar nudge = select(weighted > 0, zero + 512, zero - 512);
          Scalar rounded = (weighted + nudge).quotient(zero + 1024);
          Scalar value = saturate16(
              multiplyByFactor(saturate32(rounded), scales.layerNorm));
          return op.insert(value, current, at);
        });
  });
}

Tensor QuantizedCell::runGate(size_t index, Scalar condition,
                              const Tensor &cellState,
                              llvm::function_ref<Scalar(Scalar)> activation) {
  const LstmGateOperands &gate = cell.gates[index];
  SmallVector<Scalar> extents{cell.batch, cell.units};
  GateScales scales = scalesOf(index);
  bool mayNormalize = !gate.layerNorm.isNever();
  Tensor values = op.define(integers, extents, [&](Indices at) {
    return op.branch(
        condition,
        [&] {
          Scalar sum = preActivation(index, scales, cellState, at);
          return mayNormalize ? sum : activation(sum);
        },
        [&] { return op.i32(0); });
  });
  if (!mayNormalize)
    return values;
  Scalar rows = countIf(op, cell.isNormalized & condition, cell.batch);
  values = normalize(gate, scales, rows, values);
  return op.define(integers, extents,
                   [&](Indices at) { return activation(values.integer(at)); });
}

Tensor QuantizedCell::sigmoid(size_t gate, Scalar condition,
                              const Tensor &cellState) {
  return runGate(gate, condition, cellState,
                 [](Scalar value) { return logistic16(value, 3); });
}

//===----------------------------------------------------------------------===//
// Step
//===----------------------------------------------------------------------===//

static Scalar clip(Scalar value, float clip, float scale, int32_t zeroPoint,
                   int32_t largest) {
  auto bound =
      clip > 0.0f ? int32_t(std::min(clip / scale, float(largest))) : 0;
  return bound > 0 ? clamp(value, zeroPoint - bound, zeroPoint + bound) : value;
}

Tensor QuantizedCell::updateCell(const Tensor &forget, const Tensor &in,
                                 const Tensor &update) {
  return op.define(integers, {cell.batch, cell.units}, [&](Indices at) {
    Scalar share = forget.integer(at);
    Scalar old = cell.cellState.integer(at);
    Scalar kept = roundingDivideByPowerOfTwo(share * old, 15);
    // A coupled input gate is 1 - forget gate (M-167).
    Scalar added = op.branch(
        cell.hasInputGate, [&] { return in.integer(at); },
        [&] { return 32767 - share; });
    added =
        roundingDivideByPowerOfTwo(added * update.integer(at), 30 + cellShift);
    Scalar state = saturate16(kept.toI64() + added.toI64());
    return clip(state, form.params.cellClip, cell.cellState.getType().scale, 0,
                32767);
  });
}

Tensor QuantizedCell::scaleHidden(const Tensor &out, const Tensor &state) {
  float scale =
      float(std::ldexp(std::ldexp(1.0, -15) / form.params.hiddenScale, -15));
  return op.define(integers, {cell.batch, cell.units}, [&](Indices at) {
    Scalar product =
        out.integer(at) * tanh16(state.integer(at), cellShift + 15);
    // Models count this zero point the other way round.
    Scalar value = rescale(product, scale, op.rounding()).toI64() -
                   form.params.hiddenZeroPoint;
    return clamp(value, -128, 127).toI32();
  });
}

Tensor QuantizedCell::project(const Tensor &hidden, size_t output) {
  const rt::TensorType &type = cell.outputState.getType();
  const Operand &weights = cell.projectionWeights;
  const Operand &bias = cell.projectionBias;
  float scale = scaleOf(form.cell.projectionWeights) * form.params.hiddenScale /
                type.scale;
  auto product = [&](Scalar batch, Scalar row) {
    Scalar sum = op.branch(
        bias.isGiven, [&] { return bias.tensor.integer({row}); },
        [&] { return op.i32(0); });
    // The hidden zero point counts the other way round: see scaleHidden().
    sum = addIntegers(op, sum.toI64(), op.index(0), cell.units, [&](Scalar i) {
      return weights.tensor.integer({row, i}) *
             (hidden.integer({batch, i}) + form.params.hiddenZeroPoint);
    });
    Scalar value =
        rescale(saturate32(sum), scale, op.rounding()).toI64() + type.zeroPoint;
    return clip(clamp(value, -128, 127).toI32(), form.params.projectionClip,
                type.scale, type.zeroPoint, 127);
  };
  return op.define(op.outputType(output), {cell.batch, cell.outputs},
                   [&](Indices at) {
                     Scalar value = op.branch(
                         weights.isGiven, [&] { return product(at[0], at[1]); },
                         [&] { return hidden.integer(at); });
                     return op.encodeInteger(value, op.outputType(output));
                   });
}

void QuantizedCell::run() {
  Scalar always = op.truth(true);
  Tensor forget = sigmoid(forgetGate, always, cell.cellState);
  Tensor update = runGate(cellGate, always, cell.cellState,
                          [](Scalar value) { return tanh16(value, 3); });
  Tensor in;
  if (!cell.gates[inputGate].inputWeights.isNever())
    in = sigmoid(inputGate, cell.hasInputGate, cell.cellState);
  Tensor state = updateCell(forget, in, update);
  // The output gate's peephole sees the new cell state.
  Tensor hidden = scaleHidden(sigmoid(outputGate, always, state), state);
  Tensor output = project(hidden, 0);
  op.setOutput(0, output);
  op.setOutput(1, op.define(op.outputType(1), state.extents(), [&](Indices at) {
    return op.encodeInteger(state.integer(at), op.outputType(1));
  }));
  op.setOutput(2, output);
}

LogicalResult recurrent::lowerQuantizedLstm(OperationLowering &op) {
  // Clips, and the scales and the zero point of intermediate results.
  if (failed(expectKnown(op, {24, 25, 26, 27, 28, 29, 30, 31})))
    return failure();
  FailureOr<rt::QuantizedLstmForm> form =
      op.decoded(rt::decodeQuantizedLstm(op.view()));
  if (failed(form))
    return failure();
  QuantizedCell(op, *form).run();
  return success();
}
