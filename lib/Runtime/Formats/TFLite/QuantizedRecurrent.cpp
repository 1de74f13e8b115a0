//===- QuantizedRecurrent.cpp - Import of quantized recurrent operators ---===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composition.h"
#include "Constants.h"
#include "OperatorTable.h"
#include "Recurrent.h"

#include "Runtime/Support/Errors.h"

#include <array>
#include <cmath>
#include <cstring>

namespace nnhal::rt::tflite {

//===----------------------------------------------------------------------===//
// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM
//===----------------------------------------------------------------------===//

namespace {
/// A quantized LSTM over \p steps inputs of [batch, inputSize].
struct LstmForm {
  uint32_t steps = 1, batch = 1, inputSize = 1, outputs = 1, cells = 1;
  bool isTimeMajor = true;
  float cellClip = 0, projectionClip = 0;
  /// The scales of the four gates before their activation.
  std::array<float, 4> gateScales;
  float hiddenScale = 0;
  int32_t hiddenZeroPoint = 0;
};
} // namespace

/// Reads the scales of intermediate results, which files attach to tensors that
/// nothing computes.
static Status readIntermediates(Operator &op, LstmForm &form) {
  std::span<const int32_t> indices = elementsOf(op.source.intermediates());
  if (indices.size() != 5)
    return badData("has {} intermediates, only the form with 5 is expressible",
                   indices.size());
  std::array<const Tensor *, 5> tensors;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (indices[i] < 0 || uint32_t(indices[i]) >= op.graph.tensorCount())
      return badData("intermediate {} refers to tensor {} of {}", i, indices[i],
                     op.graph.tensorCount());
    tensors[i] = &op.graph.tensor(uint32_t(indices[i]));
  }
  bool hasNorm = op.hasInput(layerNorm + 1);
  bool hasInputGate = op.hasInput(1);
  for (size_t i = 0; i < 4; ++i) {
    // Without a norm a gate has 3 integer and 12 fraction bits.
    form.gateScales[i] = std::ldexp(1.0f, -12);
    if (!hasNorm || (i == 0 && !hasInputGate))
      continue;
    if (!(tensors[i]->scale > 0))
      return badData("intermediate {}, {}, has no scale", i,
                     describe(*tensors[i]));
    form.gateScales[i] = tensors[i]->scale;
  }
  if (!(tensors[4]->scale > 0))
    return badData("intermediate 4, {}, has no scale", describe(*tensors[4]));
  form.hiddenScale = tensors[4]->scale;
  form.hiddenZeroPoint = tensors[4]->zeroPoint;
  if (op.hasInput(projectionWeights))
    return Status();
  // The HAL subtracts this zero point. TensorFlow Lite does so, too, before a
  // projection; without one the zero point is the output's, and is added.
  if (form.hiddenZeroPoint < -127)
    return badData("intermediate 4, {}, has zero point {}, without a "
                   "projection it must be at least -127",
                   describe(*tensors[4]), form.hiddenZeroPoint);
  form.hiddenZeroPoint = -form.hiddenZeroPoint;
  return Status();
}

static Result<LstmForm> lstmFormOf(Operator &op) {
  LstmForm form;
  schema::Activation activation;
  if (op.row.code == schema::BuiltinOperator::LSTM) {
    NNHAL_ASSIGN_OR_RETURN(const auto *options,
                           op.options<schema::LSTMOptions>());
    activation = options->activation();
    form.cellClip = options->cell_clip();
    form.projectionClip = options->proj_clip();
    form.batch = op.shape(0)[0];
  } else {
    NNHAL_ASSIGN_OR_RETURN(
        const auto *options,
        op.options<schema::UnidirectionalSequenceLSTMOptions>());
    activation = options->activation();
    form.cellClip = options->cell_clip();
    form.projectionClip = options->proj_clip();
    form.isTimeMajor = options->time_major();
    form.steps = op.shape(0)[form.isTimeMajor ? 0 : 1];
    form.batch = op.shape(0)[form.isTimeMajor ? 1 : 0];
  }
  if (activation != schema::Activation::TANH)
    return badData("the HAL's QUANTIZED_LSTM has no activation but TANH, found "
                   "{}",
                   int(activation));
  form.inputSize = op.shape(0).back();
  form.cells = op.shape(2)[0];
  form.outputs = op.shape(6)[1];
  NNHAL_RETURN_IF_ERROR(readIntermediates(op, form));
  return form;
}

/// The weights of input \p i, which are symmetric here.
static Result<uint32_t> symmetricWeights(Operator &op, size_t i) {
  if (!op.hasInput(i))
    return op.graph.addNoValue(OperandType::TENSOR_QUANT8_SYMM);
  const Tensor &tensor = op.input(i);
  if (!tensor.isConstant || tensor.zeroPoint != 0)
    return badData("input {}, {}, must be a constant with zero point 0", i,
                   describe(tensor));
  NNHAL_ASSIGN_OR_RETURN(uint32_t index, op.graph.use(op.input(i)));
  Operand operand = op.graph.operand(index);
  operand.type = OperandType::TENSOR_QUANT8_SYMM;
  return op.graph.addOperand(std::move(operand));
}

/// The operands of QUANTIZED_LSTM that every step shares (M-189); those of the
/// step, at 0, outputState and cellState, are left open.
static Result<std::vector<uint32_t>>
sharedOperands(Operator &op, Composition &c, const LstmForm &form) {
  std::vector<uint32_t> operands(1);
  auto optional = [&](size_t i, OperandType type) {
    operands.push_back(op.hasInput(i) ? c.input(i) : op.graph.addNoValue(type));
  };
  for (size_t i = 1; i <= 8; ++i) {
    NNHAL_ASSIGN_OR_RETURN(uint32_t weights, symmetricWeights(op, i));
    operands.push_back(weights);
  }
  for (size_t i = 9; i <= 11; ++i)
    optional(i, OperandType::TENSOR_QUANT16_SYMM);
  for (size_t i = 12; i <= 15; ++i)
    optional(i, OperandType::TENSOR_INT32);
  NNHAL_ASSIGN_OR_RETURN(uint32_t projection,
                         symmetricWeights(op, projectionWeights));
  operands.push_back(projection);
  optional(17, OperandType::TENSOR_INT32);
  operands.resize(layerNorm);
  for (size_t i = layerNorm; i < layerNorm + 4; ++i)
    optional(i, OperandType::TENSOR_QUANT16_SYMM);
  operands.push_back(c.scalar(form.cellClip));
  operands.push_back(c.scalar(form.projectionClip));
  for (float scale : form.gateScales)
    operands.push_back(c.scalar(scale));
  operands.push_back(c.int32(form.hiddenZeroPoint));
  operands.push_back(c.scalar(form.hiddenScale));
  return operands;
}

/// One QUANTIZED_LSTM for each step of the sequence.
Status importQuantizedLstm(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(LstmForm form, lstmFormOf(op));
  Composition c(op);
  NNHAL_ASSIGN_OR_RETURN(std::vector<uint32_t> operands,
                         sharedOperands(op, c, form));
  NNHAL_ASSIGN_OR_RETURN(
      operands[outputState],
      stateInput(op, outputState, {form.batch, form.outputs}));
  NNHAL_ASSIGN_OR_RETURN(operands[cellState],
                         stateInput(op, cellState, {form.batch, form.cells}));
  const Tensor &state = op.input(outputState), &result = op.output(0);
  if (state.scale != result.scale || state.zeroPoint != result.zeroPoint)
    return badData("output 0 has scale {} and zero point {}, but its state has "
                   "{} and {}",
                   result.scale, result.zeroPoint, state.scale,
                   state.zeroPoint);
  // The steps one after the other: [steps * batch, inputSize].
  bool isTransposed = !form.isTimeMajor && form.batch > 1;
  uint32_t sequence = c.input(0);
  if (isTransposed)
    sequence = c.transpose(sequence, {1, 0, 2});
  sequence = c.reshape(sequence, {form.steps * form.batch, form.inputSize});
  std::vector<uint32_t> inputs = c.split(sequence, 0, form.steps), results;
  NNHAL_RETURN_IF_ERROR(c.takeStatus());
  uint32_t lastOutput = stateOutput(op, outputState);
  uint32_t lastCell = stateOutput(op, cellState);
  for (uint32_t i = 0; i < form.steps; ++i) {
    bool isLast = i + 1 == form.steps;
    operands[0] = inputs[i];
    uint32_t output =
        isLast ? lastOutput : c.temporary(lastOutput, c.shapeOf(lastOutput));
    uint32_t cell =
        isLast ? lastCell : c.temporary(lastCell, c.shapeOf(lastCell));
    results.push_back(c.temporary(lastOutput, c.shapeOf(lastOutput)));
    c.addTo(OperationType::QUANTIZED_LSTM, operands,
            {output, cell, results.back()});
    operands[outputState] = output;
    operands[cellState] = cell;
  }
  uint32_t joined =
      c.concatenate(results, 0, {form.steps * form.batch, form.outputs});
  if (isTransposed)
    joined = c.reshape(joined, {form.steps, form.batch, form.outputs});
  NNHAL_RETURN_IF_ERROR(c.takeStatus());
  const Shape &shape = op.outputShapes[0];
  std::vector<int32_t> rearranged = {1, 0, 2};
  if (!isTransposed)
    rearranged.assign(shape.begin(), shape.end());
  return OperationBuilder(op, isTransposed ? OperationType::TRANSPOSE
                                           : OperationType::RESHAPE)
      .operand(joined)
      .integers(rearranged)
      .finish();
}

//===----------------------------------------------------------------------===//
// SVDF
//===----------------------------------------------------------------------===//

/// The integers of type T that the constant input \p i holds.
template <typename T>
static Result<std::vector<float>> rawConstant(Operator &op, size_t i) {
  if (!op.isConstant(i))
    return badData("input {} must be a constant", i);
  constexpr size_t maxSize = 64 << 20;
  std::vector<std::byte> bytes;
  NNHAL_RETURN_IF_ERROR(expandConstant(op.input(i), maxSize, bytes)
                            .withContext(describe(op.input(i))));
  std::vector<float> values(bytes.size() / sizeof(T));
  for (size_t n = 0; n < values.size(); ++n) {
    T value;
    std::memcpy(&value, bytes.data() + n * sizeof(T), sizeof(T));
    values[n] = float(value);
  }
  return values;
}

/// The integers \p value times \p factor, rounded to 16 bits as TFLite does:
/// to the factor's own number of fraction bits, and from there to integers,
/// halves away from zero. With few bits the second rounding meets many halves.
static uint32_t roundedTwice(Composition &c, uint32_t value, const Shape &shape,
                             double factor) {
  auto binary = [&](OperationType type, uint32_t a, double b) {
    std::vector<uint32_t> inputs = {a, c.reals({1}, {float(b)})};
    if (type != OperationType::MAXIMUM && type != OperationType::MINIMUM)
      inputs.push_back(c.int32(0));
    return c.add(type, inputs, value, shape);
  };
  auto floor = [&](uint32_t a) {
    return c.add(OperationType::FLOOR, {a}, value, shape);
  };
  int exponent;
  std::frexp(factor, &exponent);
  // Reals have no room for more bits, of which half are then rare.
  constexpr int maxBits = 8;
  int bits = exponent < 0 && exponent >= -maxBits ? -exponent : 0;
  uint32_t scaled = binary(OperationType::MUL, value, std::ldexp(factor, bits));
  uint32_t rounded = floor(binary(OperationType::ADD, scaled, 0.5));
  if (bits > 0) {
    // -1 for negative numbers: their halves are taken below the half.
    uint32_t sign = binary(OperationType::MAXIMUM,
                           binary(OperationType::MINIMUM, rounded, 0), -1);
    uint32_t below = binary(OperationType::MUL, sign, std::ldexp(0.5, -bits));
    uint32_t fraction =
        binary(OperationType::MUL, rounded, std::ldexp(1.0, -bits));
    uint32_t moved =
        c.add(OperationType::ADD, {fraction, below, c.int32(0)}, value, shape);
    rounded = floor(binary(OperationType::ADD, moved, 0.5));
  }
  uint32_t above = binary(OperationType::MAXIMUM, rounded, -32768);
  return binary(OperationType::MINIMUM, above, 32767);
}

/// Returns the addition of this step's features to the state: 16-bit integers,
/// held in reals because the HAL computes with no other type of that width. The
/// shape is [batch, filters].
static Result<uint32_t> quantizedFeatures(Operator &op, Composition &c,
                                          float stateScale) {
  const Tensor &data = op.input(0), &weights = op.input(1);
  uint32_t batch = op.shape(0)[0], inputSize = op.shape(0)[1];
  uint32_t filters = op.shape(1)[0];
  NNHAL_ASSIGN_OR_RETURN(std::vector<float> raw, rawConstant<int8_t>(op, 1));
  if (weights.zeroPoint != 0)
    return badData("weights have zero point {}, expected 0", weights.zeroPoint);
  // Only unsigned values can be cast to the integers that they are.
  uint32_t real = c.real(0);
  Operand shifted;
  shifted.type = OperandType::TENSOR_QUANT8_ASYMM;
  shifted.dimensions = op.shape(0);
  shifted.scale = data.scale;
  shifted.zeroPoint = data.zeroPoint + 128;
  uint32_t bytes = op.graph.addOperand(std::move(shifted));
  c.addTo(OperationType::QUANTIZE, {real}, {bytes});
  uint32_t integers = c.add(OperationType::CAST, {bytes}, real, op.shape(0));
  // The zero point goes with the bias; every number is an integer so far.
  std::vector<float> bias(filters);
  for (uint32_t filter = 0; filter < filters; ++filter) {
    double sum = 0;
    for (uint32_t i = 0; i < inputSize; ++i)
      sum += raw[size_t(filter) * inputSize + i];
    bias[filter] = float(-sum * (data.zeroPoint + 128));
  }
  Shape shape = {batch, filters};
  uint32_t sums = c.add(OperationType::FULLY_CONNECTED,
                        {integers, c.reals({filters, inputSize}, raw),
                         c.reals({filters}, bias), c.int32(0)},
                        real, shape);
  return roundedTwice(c, sums, shape,
                      double(data.scale) * weights.scale / stateScale);
}

/// The state of \p filters over \p memory steps, moved on by \p features;
/// [batch, filters, memory].
static Result<uint32_t> movedState(Operator &op, Composition &c,
                                   uint32_t features, uint32_t memory) {
  uint32_t batch = op.shape(0)[0], filters = op.shape(1)[0];
  NNHAL_ASSIGN_OR_RETURN(uint32_t old,
                         stateInput(op, 4, {batch, memory * filters}));
  uint32_t moved = c.reshape(features, {batch, filters, 1});
  Shape shape = {batch, filters, memory};
  if (memory > 1) {
    auto kept = int32_t(memory) - 1;
    uint32_t rest =
        c.add(OperationType::SLICE,
              {c.reshape(old, shape), c.integers({0, 0, 1}),
               c.integers({int32_t(batch), int32_t(filters), kept})},
              old, {batch, filters, memory - 1});
    moved = c.concatenate({rest, moved}, 2, shape);
  }
  uint32_t next = stateOutput(op, 4);
  c.addTo(OperationType::RESHAPE,
          {moved, c.integers({int32_t(batch), int32_t(memory * filters)})},
          {next});
  return moved;
}

Status importQuantizedSvdf(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::SVDFOptions>());
  if (options->activation() != schema::Activation::NONE &&
      options->activation() != schema::Activation::RELU)
    return badData("quantized SVDF has no activation {}",
                   int(options->activation()));
  Tensor &state = op.input(4);
  if (!state.isVariable || state.type != OperandType::TENSOR_QUANT16_SYMM)
    return badData("state input 4 must be a variable of type INT16");
  uint32_t batch = op.shape(0)[0], filters = op.shape(1)[0];
  uint32_t memory = op.shape(2)[1], rank = uint32_t(options->rank());
  float stateScale = state.scale;
  Composition c(op);
  NNHAL_ASSIGN_OR_RETURN(uint32_t features,
                         quantizedFeatures(op, c, stateScale));
  // The state's integers, in a type that the HAL computes with.
  state.type = OperandType::TENSOR_FLOAT32;
  state.scale = 0;
  NNHAL_ASSIGN_OR_RETURN(uint32_t moved, movedState(op, c, features, memory));
  NNHAL_ASSIGN_OR_RETURN(std::vector<float> raw, rawConstant<int16_t>(op, 2));
  auto sum = [&](uint32_t value, const Shape &shape) {
    return c.add(OperationType::REDUCE_SUM,
                 {value, c.integers({2}), c.boolean(false)}, value, shape);
  };
  uint32_t weighted =
      c.add(OperationType::MUL,
            {moved, c.reals({1, filters, memory}, raw), c.int32(0)}, moved,
            {batch, filters, memory});
  uint32_t perFilter = sum(weighted, {batch, filters});
  uint32_t units = filters / rank;
  uint32_t perUnit =
      sum(c.reshape(perFilter, {batch, units, rank}), {batch, units});
  if (op.hasInput(3)) {
    NNHAL_ASSIGN_OR_RETURN(std::vector<float> bias,
                           rawConstant<int32_t>(op, 3));
    perUnit =
        c.add(OperationType::ADD, {perUnit, c.reals({units}, bias), c.int32(0)},
              perUnit, {batch, units});
  }
  // Saturation of the result is all that an activation does.
  float scale = stateScale * op.input(2).scale;
  return c.finish(OperationType::MUL,
                  {perUnit, c.reals({1}, {scale}), c.int32(0)});
}

} // namespace nnhal::rt::tflite
