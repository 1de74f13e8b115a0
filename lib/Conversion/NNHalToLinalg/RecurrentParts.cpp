//===- RecurrentParts.cpp - Inputs and sequences of recurrent lowerings ---===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recurrent.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::recurrent;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Where \p operand is given it is of \p extents.
static void checkExtents(OperationLowering &op, const Operand &operand,
                         Indices extents) {
  for (auto [dimension, expected] : llvm::enumerate(extents)) {
    if (!expected.get())
      continue;
    Scalar found = operand.tensor.extent(dimension);
    Scalar isEqual = found == expected;
    if (!operand.isGiven.known())
      isEqual = isEqual | !operand.isGiven;
    op.check(isEqual, FailureReason::extentsDiffer, found, expected);
  }
}

Operand recurrent::requiredInput(OperationLowering &op, size_t index,
                                 Indices extents) {
  Scalar number = op.index(index);
  op.check(op.isPresent(index), FailureReason::inputOmitted, number, number);
  Operand operand{index, op.truth(true), op.input(index)};
  checkExtents(op, operand, extents);
  return operand;
}

Operand recurrent::optionalInput(OperationLowering &op, size_t index,
                                 Indices extents) {
  Operand operand{index, op.truth(false), Tensor(op.getBuilder(), {}, {})};
  if (index == rt::noInput || !op.hasInput(index))
    return operand;
  operand.isGiven = op.isPresent(index);
  operand.tensor = op.input(index);
  if (operand.tensor.rank() != int64_t(extents.size())) {
    op.check(!operand.isGiven, FailureReason::inputNotExpected, op.index(index),
             op.index(extents.size()));
    operand.isGiven = op.truth(false);
    return operand;
  }
  checkExtents(op, operand, extents);
  return operand;
}

void recurrent::checkTogether(OperationLowering &op, const Operand &lhs,
                              Scalar isExpected, const Operand &rhs) {
  // An input that the operation does not have is never expected.
  if (lhs.index == rt::noInput)
    return;
  op.check(lhs.isGiven == isExpected, FailureReason::inputsNotTogether,
           op.index(lhs.index), op.index(rhs.index));
}

void recurrent::checkNeeds(OperationLowering &op, const Operand &lhs,
                           const Operand &rhs) {
  if (lhs.isNever())
    return;
  op.check(rhs.isGiven | !lhs.isGiven, FailureReason::inputNeedsAnother,
           op.index(lhs.index), op.index(rhs.index));
}

Scalar recurrent::countIf(OperationLowering &op, Scalar condition,
                          Scalar count) {
  return select(condition, count, op.index(0));
}

LogicalResult recurrent::expectKnown(OperationLowering &op,
                                     ArrayRef<size_t> inputs) {
  for (size_t index : inputs)
    if (op.hasInput(index) && !op.isConstant(index))
      return op.fail("input " + Twine(index) + " must be a constant");
  return success();
}

//===----------------------------------------------------------------------===//
// LSTM cells
//===----------------------------------------------------------------------===//

/// Operands of one kind of the gates \p gates, which are all given or all
/// omitted, and of the input gate as it goes (lstm_cell C4, C5). Returns
/// whether they are given.
static Scalar checkSet(OperationLowering &op, LstmCellOperands &cell,
                       Operand LstmGateOperands::*kind,
                       ArrayRef<rt::LstmGate> gates) {
  const Operand &first = cell.gates[gates.front()].*kind;
  for (rt::LstmGate gate : gates.drop_front())
    checkTogether(op, cell.gates[gate].*kind, first.isGiven, first);
  checkTogether(op, cell.gates[rt::inputGate].*kind,
                first.isGiven & cell.hasInputGate, first);
  return first.isGiven;
}

static void readGate(OperationLowering &op, const rt::LstmInputs &inputs,
                     size_t gate, LstmCellOperands &cell) {
  // The input gate may be omitted as a whole.
  auto read = gate == rt::inputGate ? optionalInput : requiredInput;
  LstmGateOperands &operands = cell.gates[gate];
  Scalar units = cell.units;
  operands.inputWeights =
      read(op, inputs.inputWeights[gate], {units, cell.inputSize});
  operands.recurrentWeights =
      read(op, inputs.recurrentWeights[gate], {units, cell.outputs});
  operands.bias = read(op, inputs.biases[gate], {units});
  operands.peephole = optionalInput(op, inputs.peepholes[gate], {units});
  operands.layerNorm = optionalInput(op, inputs.layerNorm[gate], {units});
  operands.auxWeights =
      optionalInput(op, inputs.auxWeights[gate], {units, cell.auxSize});
}

LstmCellOperands recurrent::readLstmCell(OperationLowering &op,
                                         const rt::LstmInputs &inputs,
                                         Scalar batch, Scalar inputSize,
                                         Scalar auxSize) {
  using enum rt::LstmGate;
  LstmCellOperands cell;
  cell.batch = batch;
  cell.inputSize = inputSize;
  cell.auxSize = auxSize;
  cell.outputState =
      requiredInput(op, inputs.outputState, {batch, Scalar()}).tensor;
  cell.cellState =
      requiredInput(op, inputs.cellState, {batch, Scalar()}).tensor;
  cell.outputs = cell.outputState.extent(1);
  cell.units = cell.cellState.extent(1);
  for (size_t gate = 0; gate < 4; ++gate)
    readGate(op, inputs, gate, cell);

  const LstmGateOperands &in = cell.gates[inputGate];
  cell.hasInputGate = in.inputWeights.isGiven;
  checkTogether(op, in.recurrentWeights, cell.hasInputGate, in.inputWeights);
  checkTogether(op, in.bias, cell.hasInputGate, in.inputWeights);
  (void)checkSet(op, cell, &LstmGateOperands::peephole,
                 {forgetGate, outputGate});
  cell.isNormalized = checkSet(op, cell, &LstmGateOperands::layerNorm,
                               {forgetGate, cellGate, outputGate});
  cell.hasAuxWeights = checkSet(op, cell, &LstmGateOperands::auxWeights,
                                {forgetGate, cellGate, outputGate});

  cell.projectionWeights =
      optionalInput(op, inputs.projectionWeights, {cell.outputs, cell.units});
  cell.projectionBias =
      optionalInput(op, inputs.projectionBias, {cell.outputs});
  checkNeeds(op, cell.projectionBias, cell.projectionWeights);
  op.check((cell.outputs == cell.units) | cell.projectionWeights.isGiven,
           FailureReason::extentsDiffer, cell.outputs, cell.units);
  return cell;
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

SmallVector<Scalar> Sequence::indices(Scalar step, Scalar batch,
                                      Scalar index) const {
  if (isTimeMajor)
    return {step, batch, index};
  return {batch, step, index};
}

Scalar SequenceInputs::auxSize(OperationLowering &op) const {
  return auxInput.isNever() ? op.index(0) : auxInput.tensor.extent(2);
}

Scalar SequenceInputs::backwardSize(OperationLowering &op) const {
  return select(isParallel, auxSize(op), input.size());
}

SequenceInputs recurrent::readSequences(OperationLowering &op, size_t auxInput,
                                        bool isTimeMajor) {
  SequenceInputs inputs;
  Scalar any;
  inputs.input = {requiredInput(op, 0, {any, any, any}).tensor, isTimeMajor};
  const Tensor &input = inputs.input.tensor;
  inputs.auxInput =
      optionalInput(op, auxInput, {input.extent(0), input.extent(1), any});
  inputs.isParallel = op.truth(false);
  return inputs;
}

/// Runs \p cell from the last step to the first when \p isBackward. Puts
/// outputs into \p output, features from \p offset on; leaves there what it
/// returns first, before the cell's last tensors.
static SmallVector<Tensor> runDirection(OperationLowering &op,
                                        const SequenceInputs &inputs,
                                        Cell &cell, bool isBackward,
                                        Sequence &output, Scalar offset) {
  Scalar steps = inputs.input.steps(), batch = inputs.input.batch();
  Scalar features = cell.features();
  SmallVector<Tensor> tensors{output.tensor};
  tensors.append(cell.begin());
  auto round = [&](Scalar i, ArrayRef<Tensor> tensors) {
    Scalar step = isBackward ? steps - 1 - i : i;
    auto aux = [&](Scalar b, Scalar index) {
      Sequence sequence{inputs.auxInput.tensor, inputs.input.isTimeMajor};
      return sequence.real(step, b, index);
    };
    auto input = [&](Scalar b, Scalar index) {
      return op.branch(
          isBackward ? inputs.isParallel : op.truth(false),
          [&] { return aux(b, index); },
          [&] { return inputs.input.real(step, b, index); });
    };
    SmallVector<Tensor> next = cell.step(tensors.drop_front(), input, aux);
    auto store = [&](Tensor current, Indices at) {
      return op.insert(op.encode(next[0].real(at), current.getType()), current,
                       output.indices(step, at[0], at[1] + offset));
    };
    if (!cell.isInPlace())
      for (auto [value, old] : llvm::zip_equal(next, tensors.drop_front()))
        value = op.copy(value, old);
    next.insert(next.begin(), op.update(tensors[0], {batch, features}, store));
    return next;
  };
  tensors = op.loopOverTensors(op.index(0), steps, tensors, round);
  output.tensor = tensors.front();
  tensors.erase(tensors.begin());
  return tensors;
}

SmallVector<SmallVector<Tensor>>
recurrent::runSequences(OperationLowering &op, const SequenceInputs &inputs,
                        const rt::SequenceParams &params, Cell &forward,
                        Cell *backward) {
  const Sequence &input = inputs.input;
  auto reserve = [&](size_t output, Scalar features) {
    SmallVector<Scalar> extents =
        input.indices(input.steps(), input.batch(), features);
    return Sequence{op.reserve(op.outputType(output), extents),
                    input.isTimeMajor};
  };
  SmallVector<SmallVector<Tensor>> last;
  bool isMerged = backward && params.mergesOutputs;
  Scalar features = forward.features();
  Sequence output =
      reserve(0, isMerged ? features + backward->features() : features);
  last.push_back(runDirection(op, inputs, forward, /*isBackward=*/false, output,
                              op.index(0)));
  if (backward) {
    Sequence own = isMerged ? output : reserve(1, backward->features());
    // Forward features first (M-179).
    last.push_back(runDirection(op, inputs, *backward, /*isBackward=*/true, own,
                                isMerged ? features : op.index(0)));
    if (isMerged)
      output = own;
    else
      op.setOutput(1, own.tensor);
  }
  op.setOutput(0, output.tensor);
  return last;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

rt::TensorType recurrent::floatType() {
  rt::TensorType type;
  type.type = rt::OperandType::TENSOR_FLOAT32;
  return type;
}

Tensor recurrent::asFloats(OperationLowering &op, const Tensor &input) {
  return op.define(floatType(), input.extents(),
                   [&](Indices at) { return input.real(at); });
}

void recurrent::setFloatOutput(OperationLowering &op, size_t output,
                               const Tensor &tensor) {
  const rt::TensorType &type = op.outputType(output);
  op.setOutput(output, op.define(type, tensor.extents(), [&](Indices at) {
    return op.encode(tensor.real(at), type);
  }));
}

Scalar recurrent::activate(rt::RecurrentActivation activation, Scalar value) {
  switch (activation) {
  case rt::RecurrentActivation::tanh:
    return tanh(value);
  case rt::RecurrentActivation::sigmoid:
    return logistic(value);
  default:
    return activated(value, rt::FusedActivation(activation));
  }
}

Scalar recurrent::addProducts(OperationLowering &op, Scalar sum,
                              const Tensor &matrix, Scalar row, Scalar count,
                              llvm::function_ref<Scalar(Scalar index)> vector) {
  return op.fold(count, sum, [&](Scalar i, Scalar value) {
    return value + matrix.real({row, i}) * vector(i);
  });
}
