//===- RecurrentCells.cpp - Rules of LSTM and RNN cells -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentCells.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Status rules::checkSizes(std::string_view name, const TensorType &operand,
                         std::initializer_list<Size *> sizes) {
  if (!operand.isRanked)
    return Status::ok();
  if (operand.rank() != int64_t(sizes.size()))
    return badData("{} rank {} is not {}", name, operand.rank(), sizes.size());
  size_t axis = 0;
  for (Size *size : sizes) {
    int64_t extent = operand.dimensions[axis];
    if (!isKnown(size->value))
      size->value = extent;
    else if (isKnown(extent) && extent != size->value)
      return badData("{} dimension {} is {}, expected the {} {}", name, axis,
                     extent, size->name, size->value);
    ++axis;
  }
  return Status::ok();
}

static Status checkElements(std::string_view name, const TensorType &operand,
                            OperandType type) {
  return checkOperand(name, operand, std::span(&type, 1));
}

Status rules::checkRequired(std::string_view name,
                            const OptionalOperand &operand, OperandType type,
                            std::initializer_list<Size *> sizes) {
  if (operand.presence == Presence::omitted)
    return badData("{} is omitted, but it is not optional", name);
  NNHAL_RETURN_IF_ERROR(checkElements(name, operand.type, type));
  return checkSizes(name, operand.type, sizes);
}

Status rules::checkOptional(std::string_view name,
                            const OptionalOperand &operand, OperandType type,
                            std::initializer_list<Size *> sizes) {
  if (operand.presence == Presence::omitted)
    return Status::ok();
  if (operand.presence == Presence::undecided)
    return checkElements(name, rules::withoutRank(operand.type), type);
  NNHAL_RETURN_IF_ERROR(checkElements(name, operand.type, type));
  return checkSizes(name, operand.type, sizes);
}

bool rules::contradicts(Presence lhs, Presence rhs) {
  return lhs != rhs && lhs != Presence::undecided && rhs != Presence::undecided;
}

//===----------------------------------------------------------------------===//
// LSTM
//===----------------------------------------------------------------------===//

static constexpr std::string_view gateNames[] = {"input", "forget", "cell",
                                                 "output"};

static std::string nameOfGate(size_t gate, std::string_view what) {
  return fmt::format("{} gate {}", gateNames[gate], what);
}

/// Returns the presence that \p lhs and \p rhs tell together; they do not
/// contradict each other.
static Presence combine(Presence lhs, Presence rhs) {
  return lhs == Presence::undecided ? rhs : lhs;
}

/// Types and shapes of all operands; which of them may be omitted depends on
/// others and is checked by checkPresence().
static Status checkLstmOperands(const LstmOperands &cell,
                                const LstmCellTypes &types, CellSizes &sizes) {
  for (size_t gate : {outputGate, forgetGate, cellGate, inputGate}) {
    // Without an input gate its operands are omitted (lstm_cell C4).
    auto check = gate == inputGate ? checkOptional : checkRequired;
    NNHAL_RETURN_IF_ERROR(check(nameOfGate(gate, "input weights"),
                                cell.inputWeights[gate], types.weights,
                                {&sizes.units, &sizes.input})); // lstm_cell C1
    NNHAL_RETURN_IF_ERROR(check(nameOfGate(gate, "recurrent weights"),
                                cell.recurrentWeights[gate], types.weights,
                                {&sizes.units, &sizes.output})); // lstm_cell C1
    NNHAL_RETURN_IF_ERROR(check(nameOfGate(gate, "bias"), cell.biases[gate],
                                types.bias, {&sizes.units})); // lstm_cell C1
    NNHAL_RETURN_IF_ERROR(checkOptional(nameOfGate(gate, "peephole weights"),
                                        cell.peepholes[gate], types.peephole,
                                        {&sizes.units})); // lstm_cell C2
    NNHAL_RETURN_IF_ERROR(checkOptional(nameOfGate(gate, "layer norm weights"),
                                        cell.layerNorm[gate], types.layerNorm,
                                        {&sizes.units})); // lstm_cell C2
    NNHAL_RETURN_IF_ERROR(checkOptional(
        nameOfGate(gate, "auxiliary weights"), cell.auxWeights[gate],
        types.weights, {&sizes.units, &sizes.aux})); // lstm_cell C2
  }
  NNHAL_RETURN_IF_ERROR(
      checkOptional("projection weights", cell.projectionWeights, types.weights,
                    {&sizes.output, &sizes.units})); // lstm_cell C2
  NNHAL_RETURN_IF_ERROR(checkOptional("projection bias", cell.projectionBias,
                                      types.bias,
                                      {&sizes.output})); // lstm_cell C2
  NNHAL_RETURN_IF_ERROR(
      checkRequired("output state", cell.outputState, types.outputState,
                    {&sizes.batch, &sizes.output})); // lstm_cell C1
  return checkRequired("cell state", cell.cellState, types.cellState,
                       {&sizes.batch, &sizes.units}); // lstm_cell C1
}

/// Operands \p what of the gates \p gates, and of the input gate unless it is
/// coupled, are all given or all omitted.
static Result<Presence> checkSet(std::string_view what,
                                 const GateOperands &operands,
                                 std::initializer_list<LstmGate> gates,
                                 Presence hasInputGate) {
  Presence set = Presence::undecided;
  for (LstmGate gate : gates) {
    if (contradicts(set, operands[gate].presence)) // lstm_cell C5
      return badData("{} of the {} gate are {}, those of another gate are {}",
                     what, gateNames[gate],
                     set == Presence::given ? "omitted" : "given",
                     set == Presence::given ? "given" : "omitted");
    set = combine(set, operands[gate].presence);
  }
  Presence ofInput = operands[inputGate].presence;
  if (hasInputGate == Presence::omitted) {
    if (ofInput == Presence::given) // lstm_cell C4
      return badData("input gate {} are given, but the gate has no input "
                     "weights",
                     what);
    return set;
  }
  bool isMissing =
      hasInputGate == Presence::given && ofInput == Presence::omitted;
  if ((isMissing && set == Presence::given) ||
      (ofInput == Presence::given && set == Presence::omitted)) // lstm_cell C5
    return badData("{} of the input gate are {}, those of the other gates are "
                   "{}",
                   what, isMissing ? "omitted" : "given",
                   isMissing ? "given" : "omitted");
  return set;
}

static Result<LstmCellForm> checkPresence(const LstmOperands &cell) {
  Presence weights = cell.inputWeights[inputGate].presence;
  Presence recurrent = cell.recurrentWeights[inputGate].presence;
  if (contradicts(weights, recurrent)) // lstm_cell C3
    return badData("input gate input weights are {}, but its recurrent weights "
                   "are {}",
                   weights == Presence::given ? "given" : "omitted",
                   recurrent == Presence::given ? "given" : "omitted");
  Presence hasInputGate = combine(weights, recurrent);
  if (contradicts(hasInputGate,
                  cell.biases[inputGate].presence)) // lstm_cell C4
    return badData("input gate bias is {}, but the gate's weights are {}",
                   hasInputGate == Presence::given ? "omitted" : "given",
                   hasInputGate == Presence::given ? "given" : "omitted");
  NNHAL_RETURN_IF_ERROR(checkSet("peephole weights", cell.peepholes,
                                 {forgetGate, outputGate}, hasInputGate)
                            .status()); // lstm_cell C5
  NNHAL_RETURN_IF_ERROR(checkSet("layer norm weights", cell.layerNorm,
                                 {forgetGate, cellGate, outputGate},
                                 hasInputGate)
                            .status()); // lstm_cell C5
  NNHAL_ASSIGN_OR_RETURN(Presence auxWeights,
                         checkSet("auxiliary weights", cell.auxWeights,
                                  {forgetGate, cellGate, outputGate},
                                  hasInputGate)); // lstm_cell C5
  if (cell.projectionBias.presence == Presence::given &&
      cell.projectionWeights.presence == Presence::omitted) // lstm_cell C6
    return badData("projection bias is given, but projection weights are "
                   "omitted");
  return LstmCellForm{hasInputGate, auxWeights};
}

Result<LstmCellForm> rules::checkLstmCell(const LstmOperands &cell,
                                          const LstmCellTypes &types,
                                          CellSizes &sizes) {
  NNHAL_RETURN_IF_ERROR(checkLstmOperands(cell, types, sizes));
  NNHAL_ASSIGN_OR_RETURN(LstmCellForm form, checkPresence(cell));
  if (cell.projectionWeights.presence == Presence::omitted)
    NNHAL_RETURN_IF_ERROR(checkSameExtent("output size without projection",
                                          sizes.output.value, sizes.units.name,
                                          sizes.units.value)); // lstm_cell C7
  return form;
}

Status rules::checkClip(std::string_view name, float clip) {
  if (!(clip >= 0.0f)) // lstm_cell C9
    return badData("{} {} must not be negative", name, clip);
  return Status::ok();
}

Status rules::checkLstmParams(const LstmParams &params) {
  switch (params.activation) {
  case RecurrentActivation::none:
  case RecurrentActivation::relu:
  case RecurrentActivation::relu6:
  case RecurrentActivation::tanh:
  case RecurrentActivation::sigmoid:
    break;
  default: // lstm_cell C8
    return badData("activation {} is not among 0, 1, 3, 4 and 6",
                   int32_t(params.activation));
  }
  NNHAL_RETURN_IF_ERROR(
      checkClip("cell clip", params.cellClip)); // lstm_cell C9
  return checkClip("projection clip", params.projectionClip);
}

//===----------------------------------------------------------------------===//
// RNN
//===----------------------------------------------------------------------===//

Status rules::checkRnnCell(const RnnOperands &cell, OperandType type,
                           CellSizes &sizes) {
  NNHAL_RETURN_IF_ERROR(
      checkRequired("weights", cell.weights, type,
                    {&sizes.units, &sizes.input})); // rnn_cell C1
  NNHAL_RETURN_IF_ERROR(
      checkRequired("recurrent weights", cell.recurrentWeights, type,
                    {&sizes.units, &sizes.units})); // rnn_cell C1
  NNHAL_RETURN_IF_ERROR(
      checkRequired("bias", cell.bias, type, {&sizes.units})); // rnn_cell C1
  NNHAL_RETURN_IF_ERROR(
      checkRequired("hidden state", cell.hiddenState, type,
                    {&sizes.batch, &sizes.units})); // rnn_cell C1
  return checkOptional("auxiliary weights", cell.auxWeights, type,
                       {&sizes.units, &sizes.aux}); // rnn_cell C1
}

Status rules::checkRnnActivation(RecurrentActivation activation) {
  int32_t code = int32_t(activation);
  if (code >= 0 && code <= 6 && code != 5)
    return Status::ok();
  return badData("activation {} is not among 0, 1, 2, 3, 4 and 6",
                 code); // rnn_cell C2
}
