//===- RecurrentLstm.cpp - LSTMs of floats, of any shape ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An LSTM is a cell, and steps that pass its two states on: LSTM takes one, the
// sequences as many as the input has, forward and backward. What runs them is
// in Recurrent.cpp; here is what a cell computes in a step. All is f32,
// whatever type the operation has.
//
// The general step computes gate by gate, each over batch and units: the sum of
// the products with input, auxiliary input and last output, the peephole, the
// bias; then a norm over the units, if there is one; then the activation. The
// forget, update and input gates make the new cell state, which the output
// gate's peephole sees; the output is projected, if there are weights for that.
// Gates are tensors that all steps share. What an execution may omit, weights
// and even whole gates, are branches and loops without rounds.
//
// The plain step is for cells whose operands are known to be there or not, with
// constant weights and without a norm. The weights of all gates, one below the
// other, are multiplied with the input in one product, and with the last output
// in another; one pass over the units adds both, activates, and makes the
// states.
//
//===----------------------------------------------------------------------===//

#include "MatrixProducts.h"
#include "Recurrent.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::recurrent;
using rt::OperationType;
using enum rt::LstmGate;

namespace {
struct LstmParameters {
  rt::RecurrentActivation activation;
  /// f32; 0 disables.
  Scalar cellClip, projectionClip;
};

/// Where the tensors of a cell stand among those that its steps pass on. The
/// last three hold nothing between steps: gates are [batch, units].
enum CellTensor : size_t {
  outputTensor,
  cellTensor,
  forgetTensor,
  updateTensor,
  inTensor
};

class LstmCell : public Cell {
public:
  LstmCell(OperationLowering &op, const LstmCellOperands &operands,
           const LstmParameters &params)
      : op(op), operands(operands), params(params) {
    isPlainCell = isPlain();
  }

  SmallVector<Tensor> begin() override;
  SmallVector<Tensor> step(ArrayRef<Tensor> tensors, VectorReader input,
                           VectorReader aux) override;
  Scalar features() const override { return operands.outputs; }
  bool isInPlace() const override { return !isPlainCell; }

private:
  /// \p gate of the first \p rows of the batch, through \p activation, in
  /// \p result.
  Tensor runGate(size_t gate, Scalar rows, const Tensor &result,
                 const Tensor &cell, rt::RecurrentActivation activation);
  /// A gate at one unit, before norm and activation.
  Scalar preActivation(const LstmGateOperands &gate, Scalar batch, Scalar unit,
                       const Tensor &cell);
  Scalar product(const Tensor &matrix, Scalar row, Scalar count,
                 llvm::function_ref<Scalar(Scalar)> vector) {
    return addProducts(op, op.f32(0), matrix, row, count, vector);
  }
  Tensor normalize(const LstmGateOperands &gate, Scalar rows,
                   const Tensor &values);
  bool isPlain() const;
  /// A step of a plain cell: all gates in two products, then one pass over the
  /// units.
  SmallVector<Tensor> plainStep(ArrayRef<Tensor> tensors, VectorReader input);
  Tensor updateCell(const Tensor &cell, const Tensor &forget,
                    const Tensor &update, const Tensor &in);
  Scalar project(const Tensor &hidden, Scalar batch, Scalar row);

  OperationLowering &op;
  LstmCellOperands operands;
  LstmParameters params;
  /// Whether isPlain().
  bool isPlainCell = false;
  /// Of the step that is being built.
  Tensor output;
  const VectorReader *input = nullptr, *aux = nullptr;
};
} // namespace

SmallVector<Tensor> LstmCell::begin() {
  SmallVector<Tensor> tensors{asFloats(op, operands.outputState),
                              asFloats(op, operands.cellState)};
  if (isPlainCell)
    return tensors;
  size_t gates = operands.gates[inputGate].inputWeights.isNever() ? 2 : 3;
  for (size_t i = 0; i < gates; ++i)
    tensors.push_back(
        op.reserve(floatType(), {operands.batch, operands.units}));
  return tensors;
}

//===----------------------------------------------------------------------===//
// Gates
//===----------------------------------------------------------------------===//

Scalar LstmCell::preActivation(const LstmGateOperands &gate, Scalar batch,
                               Scalar unit, const Tensor &cell) {
  // The bias is added last where a norm would take it out.
  Scalar sum = op.branch(
      operands.isNormalized, [&] { return op.f32(0); },
      [&] { return gate.bias.tensor.real({unit}); });
  sum = sum + product(gate.inputWeights.tensor, unit, operands.inputSize,
                      [&](Scalar i) { return (*input)(batch, i); });
  if (!gate.auxWeights.isNever()) {
    Scalar size = countIf(op, operands.hasAuxWeights, operands.auxSize);
    sum = sum + product(gate.auxWeights.tensor, unit, size,
                        [&](Scalar i) { return (*aux)(batch, i); });
  }
  sum = sum + product(gate.recurrentWeights.tensor, unit, operands.outputs,
                      [&](Scalar i) { return output.real({batch, i}); });
  if (gate.peephole.isNever())
    return sum;
  return op.branch(
      gate.peephole.isGiven,
      [&] {
        return sum +
               gate.peephole.tensor.real({unit}) * cell.real({batch, unit});
      },
      [&] { return sum; });
}

/// Each of the batch's vectors to mean 0 and variance 1, times the weights
/// (M-170), plus the bias.
Tensor LstmCell::normalize(const LstmGateOperands &gate, Scalar rows,
                           const Tensor &values) {
  Scalar units = operands.units;
  return op.update(values, {rows}, [&](const Tensor &current, Indices row) {
    auto at = [&](Scalar unit) { return current.real({row[0], unit}); };
    Scalar count = units.toF32();
    Scalar mean = op.fold(units, op.f32(0), [&](Scalar unit, Scalar sum) {
      return sum + at(unit);
    }) / count;
    Scalar squares = op.fold(units, op.f32(0), [&](Scalar unit, Scalar sum) {
      Scalar difference = at(unit) - mean;
      return sum + difference * difference;
    });
    Scalar factor = 1.0 / sqrt(squares / count + 1e-8f);
    return op.update(
        current, {units}, [&](const Tensor &current, Indices unit) {
          Scalar value = current.real({row[0], unit[0]});
          Scalar normal =
              (value - mean) * factor * gate.layerNorm.tensor.real({unit[0]});
          return op.insert(normal + gate.bias.tensor.real({unit[0]}), current,
                           {row[0], unit[0]});
        });
  });
}

Tensor LstmCell::runGate(size_t index, Scalar rows, const Tensor &result,
                         const Tensor &cell,
                         rt::RecurrentActivation activation) {
  const LstmGateOperands &gate = operands.gates[index];
  Scalar units = operands.units;
  bool mayNormalize = !gate.layerNorm.isNever();
  Tensor values = op.fill(result, {rows, units}, [&](Indices at) {
    Scalar sum = preActivation(gate, at[0], at[1], cell);
    return mayNormalize ? sum : activate(activation, sum);
  });
  if (!mayNormalize)
    return values;
  values = normalize(gate, countIf(op, operands.isNormalized, rows), values);
  return op.update(
      values, {rows, units}, [&](const Tensor &current, Indices at) {
        return op.insert(activate(activation, current.real(at)), current, at);
      });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Within +-\p bound unless that is 0; a NaN stays.
static Scalar clip(Scalar value, Scalar bound) {
  if (matchPattern(bound.get(), m_AnyZeroFloat()))
    return value;
  Scalar isAbove = value > bound, isBelow = value < -bound;
  Scalar limited = select(isAbove, bound, select(isBelow, -bound, value));
  return select(bound > 0, limited, value);
}

Tensor LstmCell::updateCell(const Tensor &cell, const Tensor &forget,
                            const Tensor &update, const Tensor &in) {
  return op.update(
      cell, {operands.batch, operands.units},
      [&](const Tensor &current, Indices at) {
        Scalar kept = forget.real(at);
        // A coupled input gate is 1 - forget gate (M-167).
        Scalar share = op.branch(
            operands.hasInputGate, [&] { return in.real(at); },
            [&] { return 1.0 - kept; });
        Scalar state = kept * current.real(at) + update.real(at) * share;
        return op.insert(clip(state, params.cellClip), current, at);
      });
}

Scalar LstmCell::project(const Tensor &hidden, Scalar batch, Scalar row) {
  const Operand &weights = operands.projectionWeights;
  const Operand &bias = operands.projectionBias;
  return op.branch(
      weights.isGiven,
      [&] {
        Scalar sum = op.branch(
            bias.isGiven, [&] { return bias.tensor.real({row}); },
            [&] { return op.f32(0); });
        sum = sum + product(weights.tensor, row, operands.units,
                            [&](Scalar i) { return hidden.real({batch, i}); });
        return clip(sum, params.projectionClip);
      },
      [&] { return hidden.real({batch, row}); });
}

//===----------------------------------------------------------------------===//
// Plain cells
//===----------------------------------------------------------------------===//

static bool isStatic(const Tensor &tensor) {
  return tensor.getValueType().hasStaticShape() &&
         tensor.getValueType().getNumElements() > 0;
}

/// Whether extents and weights are known, of f32, and nothing but peepholes is
/// asked for that looks at a gate before its activation.
bool LstmCell::isPlain() const {
  // Without these an execution may still go either way.
  if (!operands.hasInputGate.known() || !operands.inputSize.known() ||
      operands.batch.known().value_or(0) == 0 ||
      !isStatic(operands.outputState) || !isStatic(operands.cellState))
    return false;
  bool isCoupled = operands.gates[inputGate].inputWeights.isNever();
  for (auto [index, gate] : llvm::enumerate(operands.gates)) {
    if (!gate.layerNorm.isNever() || !gate.auxWeights.isNever())
      return false;
    if (!gate.peephole.isNever() &&
        (gate.peephole.isGiven.known().value_or(0) == 0 ||
         gate.peephole.tensor.extent(0).known() != operands.units.known()))
      return false;
    if (index == inputGate && isCoupled)
      continue;
    for (const Operand *needed :
         {&gate.inputWeights, &gate.recurrentWeights, &gate.bias})
      if (!isConstantMatrix(op, needed->index) || !isStatic(needed->tensor))
        return false;
    // What does not fit is an error that the checks report.
    if (gate.inputWeights.tensor.extent(1).known() !=
            operands.inputSize.known() ||
        gate.inputWeights.tensor.extent(0).known() != operands.units.known() ||
        gate.recurrentWeights.tensor.extent(0).known() !=
            operands.units.known() ||
        gate.recurrentWeights.tensor.extent(1).known() !=
            operands.outputs.known() ||
        gate.bias.tensor.extent(0).known() != operands.units.known())
      return false;
  }
  const Operand &projection = operands.projectionWeights;
  if (projection.isNever())
    return operands.outputs.known() == operands.units.known();
  const Operand &bias = operands.projectionBias;
  return isConstantMatrix(op, projection.index) &&
         projection.tensor.extent(0).known() == operands.outputs.known() &&
         projection.tensor.extent(1).known() == operands.units.known() &&
         (bias.isNever() ||
          (isConstantMatrix(op, bias.index) &&
           bias.tensor.extent(0).known() == operands.outputs.known()));
}

SmallVector<Tensor> LstmCell::plainStep(ArrayRef<Tensor> tensors,
                                        VectorReader input) {
  Scalar batch = operands.batch, units = operands.units;
  bool isCoupled = operands.gates[inputGate].inputWeights.isNever();
  SmallVector<rt::LstmGate> order = {forgetGate, cellGate, outputGate};
  if (!isCoupled)
    order.push_back(inputGate);
  SmallVector<size_t> weights, recurrent, biases;
  for (size_t gate : order) {
    weights.push_back(operands.gates[gate].inputWeights.index);
    recurrent.push_back(operands.gates[gate].recurrentWeights.index);
    biases.push_back(operands.gates[gate].bias.index);
  }
  Tensor vectors = op.define(floatType(), {batch, operands.inputSize},
                             [&](Indices at) { return input(at[0], at[1]); });
  Tensor fromInput = multiplyByMatrices(op, vectors, weights, biases);
  Tensor fromOutput =
      multiplyByMatrices(op, tensors[outputTensor], recurrent, {});
  Tensor sums = op.define(floatType(), fromInput.extents(), [&](Indices at) {
    return fromInput.real(at) + fromOutput.real(at);
  });
  std::array<Tensor, 4> slices;
  for (auto [i, gate] : llvm::enumerate(order))
    slices[gate] =
        op.slice(sums, {op.index(0), units * double(i)}, {batch, units});
  /// A gate at one unit, which may see the state \p seen through a peephole.
  auto gateAt = [&](rt::LstmGate gate, Scalar seen, Indices at) {
    Scalar sum = slices[gate].real(at);
    const Operand &peephole = operands.gates[gate].peephole;
    if (!peephole.isNever())
      sum = sum + peephole.tensor.real({at[1]}) * seen;
    return activate(rt::RecurrentActivation::sigmoid, sum);
  };
  const Tensor &old = tensors[cellTensor];
  Tensor cell = op.define(floatType(), {batch, units}, [&](Indices at) {
    Scalar state = old.real(at);
    Scalar kept = gateAt(forgetGate, state, at);
    // A coupled input gate is 1 - forget gate (M-167).
    Scalar share = isCoupled ? 1.0 - kept : gateAt(inputGate, state, at);
    Scalar update = activate(params.activation, slices[cellGate].real(at));
    return clip(kept * state + update * share, params.cellClip);
  });
  Tensor hidden = op.define(floatType(), {batch, units}, [&](Indices at) {
    // The output gate's peephole sees the new cell state.
    Scalar state = cell.real(at);
    return gateAt(outputGate, state, at) * activate(params.activation, state);
  });
  if (!operands.projectionWeights.isNever()) {
    SmallVector<size_t> bias;
    if (!operands.projectionBias.isNever())
      bias.push_back(operands.projectionBias.index);
    Tensor projected = multiplyByMatrices(
        op, hidden, {operands.projectionWeights.index}, bias);
    hidden = op.define(floatType(), projected.extents(), [&](Indices at) {
      return clip(projected.real(at), params.projectionClip);
    });
  }
  return {hidden, cell};
}

SmallVector<Tensor> LstmCell::step(ArrayRef<Tensor> tensors, VectorReader input,
                                   VectorReader aux) {
  if (isPlainCell)
    return plainStep(tensors, input);
  constexpr auto sigmoid = rt::RecurrentActivation::sigmoid;
  Scalar batch = operands.batch, units = operands.units;
  this->input = &input;
  this->aux = &aux;
  output = tensors[outputTensor];
  SmallVector<Tensor> next(tensors);
  Tensor cell = next[cellTensor];
  Tensor forget = runGate(forgetGate, batch, next[forgetTensor], cell, sigmoid);
  next[updateTensor] =
      runGate(cellGate, batch, next[updateTensor], cell, params.activation);
  Tensor in;
  if (next.size() > inTensor)
    in = next[inTensor] =
        runGate(inputGate, countIf(op, operands.hasInputGate, batch),
                next[inTensor], cell, sigmoid);
  cell = updateCell(cell, forget, next[updateTensor], in);
  next[cellTensor] = cell;
  // The output gate's peephole sees the new cell state.
  Tensor out = runGate(outputGate, batch, forget, cell, sigmoid);
  Tensor hidden =
      op.update(out, {batch, units}, [&](const Tensor &current, Indices at) {
        Scalar value =
            current.real(at) * activate(params.activation, cell.real(at));
        return op.insert(value, current, at);
      });
  next[forgetTensor] = hidden;
  next[outputTensor] =
      op.fill(output, {batch, operands.outputs},
              [&](Indices at) { return project(hidden, at[0], at[1]); });
  return next;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Clip \p index as f32, which is not negative.
static Scalar readClip(OperationLowering &op, size_t index) {
  Scalar clip = op.scalar(index).toF32();
  if (!op.isConstant(index)) {
    Scalar zero = op.index(0);
    op.check(clip >= 0, FailureReason::valueTooSmall,
             saturated(clip, op.i32(0).getType()), zero); // lstm_cell C9
  }
  return clip;
}

static LstmParameters readParameters(OperationLowering &op, size_t first,
                                     const rt::LstmForm &form) {
  return {form.params.activation, readClip(op, first + 1),
          readClip(op, first + 2)};
}

/// One step, with a scratch output that holds nobody's business (M-171).
static void lowerStep(OperationLowering &op, const rt::LstmForm &form) {
  Tensor input = requiredInput(op, 0, {Scalar(), Scalar()}).tensor;
  LstmCellOperands operands = readLstmCell(op, form.forward, input.extent(0),
                                           input.extent(1), op.index(0));
  LstmCell cell(op, operands, readParameters(op, 20, form));
  auto read = [&](Scalar b, Scalar i) { return input.real({b, i}); };
  SmallVector<Tensor> last = cell.step(cell.begin(), read, read);
  Scalar gates = select(operands.hasInputGate, op.index(4), op.index(3));
  const rt::TensorType &type = op.outputType(0);
  op.setOutput(0,
               op.define(type, {operands.batch, operands.units * gates},
                         [&](Indices) { return op.encode(op.f32(0), type); }));
  setFloatOutput(op, 1, last[outputTensor]);
  setFloatOutput(op, 2, last[cellTensor]);
  setFloatOutput(op, 3, last[outputTensor]);
}

static void lowerSequence(OperationLowering &op, const rt::LstmForm &form) {
  bool isBidirectional =
      op.type() == OperationType::BIDIRECTIONAL_SEQUENCE_LSTM;
  SequenceInputs inputs =
      readSequences(op, form.auxInput, *form.sequence.isTimeMajor);
  Scalar batch = inputs.input.batch(), auxSize = inputs.auxSize(op);
  LstmParameters params = readParameters(op, isBidirectional ? 48 : 20, form);
  LstmCellOperands operands =
      readLstmCell(op, form.forward, batch, inputs.input.size(), auxSize);
  LstmCell forward(op, operands, params);
  std::optional<LstmCell> backward;
  if (isBidirectional) {
    const Operand &weights = operands.gates[forgetGate].auxWeights;
    // Without weights for it the auxiliary input is the backward cell's.
    inputs.isParallel = inputs.auxInput.isGiven & !weights.isGiven;
    LstmCellOperands second = readLstmCell(op, form.backward, batch,
                                           inputs.backwardSize(op), auxSize);
    checkTogether(op, second.gates[forgetGate].auxWeights, weights.isGiven,
                  weights);                   // bidirectional C2
    checkNeeds(op, weights, inputs.auxInput); // bidirectional C3
    backward.emplace(op, second, params);
  }
  auto last = runSequences(op, inputs, form.sequence, forward,
                           backward ? &*backward : nullptr);
  if (!form.sequence.yieldsStates)
    return;
  size_t next = isBidirectional && !form.sequence.mergesOutputs ? 2 : 1;
  for (const SmallVector<Tensor> &tensors : last) {
    setFloatOutput(op, next++, tensors[outputTensor]);
    setFloatOutput(op, next++, tensors[cellTensor]);
  }
}

LogicalResult recurrent::lowerLstm(OperationLowering &op) {
  bool isStep = op.type() == OperationType::LSTM;
  bool isBidirectional =
      op.type() == OperationType::BIDIRECTIONAL_SEQUENCE_LSTM;
  SmallVector<size_t> codes{isBidirectional ? size_t(48) : size_t(20)};
  if (isBidirectional)
    codes.append({51, 52});
  else if (!isStep)
    codes.push_back(23);
  if (failed(expectKnown(op, codes)))
    return failure();
  FailureOr<rt::LstmForm> form = op.decoded(rt::decodeLstm(op.view()));
  if (failed(form))
    return failure();
  if (isStep)
    lowerStep(op, *form);
  else
    lowerSequence(op, *form);
  return success();
}
