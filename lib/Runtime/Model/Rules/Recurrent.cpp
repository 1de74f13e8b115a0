//===- Recurrent.cpp - Rules of recurrent operations ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentCells.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

using Types = std::vector<TensorType>;

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

Result<Types> nnhal::rt::lstm(const TensorType &input, const LstmOperands &cell,
                              const LstmParams &params) {
  CellSizes sizes;
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floats)); // lstm C1
  NNHAL_RETURN_IF_ERROR(
      checkSizes("input", input, {&sizes.batch, &sizes.input})); // lstm C2
  NNHAL_RETURN_IF_ERROR(checkLstmParams(params));
  NNHAL_ASSIGN_OR_RETURN(
      LstmCellForm form,
      checkLstmCell(cell, LstmCellTypes::all(input.type), sizes));
  int64_t gates = form.inputGate == Presence::undecided ? unknownExtent
                  : form.inputGate == Presence::given   ? 4
                                                        : 3;
  NNHAL_ASSIGN_OR_RETURN(int64_t scratch,
                         multiplyExtents(sizes.units.value, gates));
  TensorType output = withShape(input, {sizes.batch.value, sizes.output.value});
  return Types{withShape(input, {sizes.batch.value, scratch}), output,
               withShape(input, {sizes.batch.value, sizes.units.value}),
               output};
}

Result<Types> nnhal::rt::rnn(const TensorType &input, const RnnOperands &cell,
                             RecurrentActivation activation) {
  CellSizes sizes;
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floats)); // rnn C1
  NNHAL_RETURN_IF_ERROR(
      checkSizes("input", input, {&sizes.batch, &sizes.input})); // rnn C2
  NNHAL_RETURN_IF_ERROR(checkRnnActivation(activation));
  NNHAL_RETURN_IF_ERROR(checkRnnCell(cell, input.type, sizes));
  TensorType output = withShape(input, {sizes.batch.value, sizes.units.value});
  return Types{output, output};
}

Result<Types>
nnhal::rt::svdf(const TensorType &input, const TensorType &featureWeights,
                const TensorType &timeWeights, const OptionalOperand &bias,
                const TensorType &state, std::optional<int64_t> rank,
                RecurrentActivation activation) {
  Size batch{"batch"}, inputSize{"input size"}, filters{"number of filters"},
      memory{"memory size"}, units{"number of units"};
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floats)); // svdf C1
  NNHAL_RETURN_IF_ERROR(
      checkSizes("input", input, {&batch, &inputSize})); // svdf C2
  NNHAL_RETURN_IF_ERROR(checkRnnActivation(activation));
  if (rank && *rank < 1) // svdf C3
    return badData("rank {} must be positive", *rank);
  auto given = [](const TensorType &type) {
    return OptionalOperand{type, Presence::given};
  };
  NNHAL_RETURN_IF_ERROR(checkRequired("feature weights", given(featureWeights),
                                      input.type,
                                      {&filters, &inputSize})); // svdf C4
  NNHAL_RETURN_IF_ERROR(checkRequired("time weights", given(timeWeights),
                                      input.type,
                                      {&filters, &memory})); // svdf C4
  if (rank && isKnown(filters.value)) {
    if (filters.value % *rank != 0) // svdf C5
      return badData("number of filters {} is not a multiple of rank {}",
                     filters.value, *rank);
    units.value = filters.value / *rank;
  }
  NNHAL_RETURN_IF_ERROR(
      checkOptional("bias", bias, input.type, {&units})); // svdf C4
  Size stateSize{"memory size times number of filters"};
  NNHAL_ASSIGN_OR_RETURN(stateSize.value,
                         multiplyExtents(memory.value, filters.value));
  NNHAL_RETURN_IF_ERROR(checkRequired("state", given(state), input.type,
                                      {&batch, &stateSize})); // svdf C6
  return Types{withShape(input, {batch.value, stateSize.value}),
               withShape(input, {batch.value, units.value})};
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

/// Reads batch and input size from \p input, of time and batch in either order.
static Status checkSequence(std::string_view name, const TensorType &input,
                            const SequenceParams &sequence, Size &batch,
                            Size &inputSize) {
  Size time{"number of steps"}, unknownBatch{"batch"};
  Size &first = sequence.isTimeMajor.value_or(true) ? time : batch;
  Size &second = sequence.isTimeMajor.value_or(false) ? batch : time;
  // Neither is the batch for sure while the order is not known.
  return sequence.isTimeMajor
             ? checkSizes(name, input, {&first, &second, &inputSize})
             : checkSizes(name, input, {&time, &unknownBatch, &inputSize});
}

/// \p input with \p features in place of its size.
static TensorType sequenceOf(const TensorType &input, int64_t features) {
  return input.isRanked
             ? withShape(input,
                         {input.dimensions[0], input.dimensions[1], features})
             : withShape(input, {unknownExtent, unknownExtent, features});
}

static int64_t addExtents(int64_t lhs, int64_t rhs) {
  return isKnown(lhs) && isKnown(rhs) ? lhs + rhs : unknownExtent;
}

/// Outputs of two directions.
static Types bidirectionalOutputs(const TensorType &input, int64_t forward,
                                  int64_t backward,
                                  const SequenceParams &sequence) {
  if (sequence.mergesOutputs)
    return {sequenceOf(input, addExtents(forward, backward))};
  return {sequenceOf(input, forward), sequenceOf(input, backward)};
}

Result<Types> nnhal::rt::unidirectionalSequenceLstm(
    const TensorType &input, const LstmOperands &cell, const LstmParams &params,
    const SequenceParams &sequence) {
  CellSizes sizes;
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floats)); // sequence C1
  NNHAL_RETURN_IF_ERROR(checkSequence("input", input, sequence, sizes.batch,
                                      sizes.input)); // sequence C2
  NNHAL_RETURN_IF_ERROR(checkLstmParams(params));
  NNHAL_RETURN_IF_ERROR(
      checkLstmCell(cell, LstmCellTypes::all(input.type), sizes).status());
  Types results{sequenceOf(input, sizes.output.value)};
  if (sequence.yieldsStates) {
    results.push_back(
        withShape(input, {sizes.batch.value, sizes.output.value}));
    results.push_back(withShape(input, {sizes.batch.value, sizes.units.value}));
  }
  return results;
}

Result<Types> nnhal::rt::unidirectionalSequenceRnn(
    const TensorType &input, const RnnOperands &cell,
    RecurrentActivation activation, const SequenceParams &sequence) {
  CellSizes sizes;
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floats)); // sequence C1
  NNHAL_RETURN_IF_ERROR(checkSequence("input", input, sequence, sizes.batch,
                                      sizes.input)); // sequence C2
  NNHAL_RETURN_IF_ERROR(checkRnnActivation(activation));
  NNHAL_RETURN_IF_ERROR(checkRnnCell(cell, input.type, sizes));
  Types results{sequenceOf(input, sizes.units.value)};
  if (sequence.yieldsStates)
    results.push_back(withShape(input, {sizes.batch.value, sizes.units.value}));
  return results;
}

//===----------------------------------------------------------------------===//
// Two directions
//===----------------------------------------------------------------------===//

/// The first two extents of the auxiliary input are those of the input.
static Status checkAuxInput(const TensorType &input,
                            const OptionalOperand &auxInput) {
  std::string_view name = "auxiliary input";
  Size first{"extent of the input"}, second{"extent of the input"},
      size{"size"};
  if (input.isRanked) {
    first.value = input.dimensions[0];
    second.value = input.dimensions[1];
  }
  return checkOptional(name, auxInput, input.type,
                       {&first, &second, &size}); // bidirectional C1
}

/// The auxiliary input and the weights of both directions are all given, all
/// omitted, or the input alone is given (M-178, M-195).
static Status checkLinking(Presence auxInput, Presence forward,
                           Presence backward) {
  if (contradicts(forward, backward)) // bidirectional C2
    return badData("auxiliary weights of one direction are given, those of the "
                   "other are omitted");
  bool hasWeights = forward == Presence::given || backward == Presence::given;
  if (hasWeights && auxInput == Presence::omitted) // bidirectional C3
    return badData("auxiliary weights are given, but the auxiliary input is "
                   "omitted");
  return Status::ok();
}

/// Sizes of both cells. The backward cell reads the auxiliary input when that
/// comes without weights; while it is not known whether it does, the size of
/// the backward cell's input is not.
static Status sizeCells(const TensorType &input,
                        const OptionalOperand &auxInput, Presence auxWeights,
                        const SequenceParams &sequence, CellSizes &forward,
                        CellSizes &backward) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floats)); // sequence C1
  NNHAL_RETURN_IF_ERROR(checkSequence("input", input, sequence, forward.batch,
                                      forward.input)); // sequence C2
  NNHAL_RETURN_IF_ERROR(checkAuxInput(input, auxInput));
  backward.batch.value = forward.batch.value;
  Presence hasAux = auxInput.presence;
  if (hasAux == Presence::given && auxInput.type.isRanked)
    forward.aux.value = backward.aux.value = auxInput.type.dimensions[2];
  if (hasAux == Presence::omitted || auxWeights == Presence::given)
    backward.input.value = forward.input.value;
  else if (hasAux == Presence::given && auxWeights == Presence::omitted)
    backward.input.value = backward.aux.value; // bidirectional C4
  return Status::ok();
}

static Presence presenceOfAux(const LstmOperands &cell) {
  return cell.auxWeights[forgetGate].presence;
}

Result<Types> nnhal::rt::bidirectionalSequenceLstm(
    const TensorType &input, const OptionalOperand &auxInput,
    const LstmOperands &forward, const LstmOperands &backward,
    const LstmParams &params, const SequenceParams &sequence) {
  CellSizes fw, bw;
  NNHAL_RETURN_IF_ERROR(
      sizeCells(input, auxInput, presenceOfAux(forward), sequence, fw, bw));
  NNHAL_RETURN_IF_ERROR(checkLstmParams(params));
  LstmCellTypes types = LstmCellTypes::all(input.type);
  Result<LstmCellForm> fwForm = checkLstmCell(forward, types, fw);
  if (!fwForm.isOk())
    return std::move(fwForm).takeStatus().withContext("forward");
  Result<LstmCellForm> bwForm = checkLstmCell(backward, types, bw);
  if (!bwForm.isOk())
    return std::move(bwForm).takeStatus().withContext("backward");
  NNHAL_RETURN_IF_ERROR(
      checkLinking(auxInput.presence, fwForm->auxWeights, bwForm->auxWeights));
  Types results =
      bidirectionalOutputs(input, fw.output.value, bw.output.value, sequence);
  if (sequence.yieldsStates)
    for (const CellSizes *sizes : {&fw, &bw}) {
      int64_t batch = sizes->batch.value;
      results.push_back(withShape(input, {batch, sizes->output.value}));
      results.push_back(withShape(input, {batch, sizes->units.value}));
    }
  return results;
}

Result<Types> nnhal::rt::bidirectionalSequenceRnn(
    const TensorType &input, const OptionalOperand &auxInput,
    const RnnOperands &forward, const RnnOperands &backward,
    RecurrentActivation activation, const SequenceParams &sequence) {
  CellSizes fw, bw;
  NNHAL_RETURN_IF_ERROR(sizeCells(input, auxInput, forward.auxWeights.presence,
                                  sequence, fw, bw));
  NNHAL_RETURN_IF_ERROR(checkRnnActivation(activation));
  NNHAL_RETURN_IF_ERROR(
      checkRnnCell(forward, input.type, fw).withContext("forward"));
  NNHAL_RETURN_IF_ERROR(
      checkRnnCell(backward, input.type, bw).withContext("backward"));
  NNHAL_RETURN_IF_ERROR(checkLinking(auxInput.presence,
                                     forward.auxWeights.presence,
                                     backward.auxWeights.presence));
  Types results =
      bidirectionalOutputs(input, fw.units.value, bw.units.value, sequence);
  if (sequence.yieldsStates)
    for (const CellSizes *sizes : {&fw, &bw})
      results.push_back(
          withShape(input, {sizes->batch.value, sizes->units.value}));
  return results;
}
