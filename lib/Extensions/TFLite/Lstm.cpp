//===- Lstm.cpp - LSTM with 16-bit activations ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM of 16-bit activations and states and
// 8-bit weights. Each gate is the sum of two products, which are rounded to 12
// fraction bits each; what gates yield are fractions of 15 bits. A state is an
// input and, behind the results, an output.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FixedPoint.h"
#include "RowProducts.h"
#include "Sigmoid.h"

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet int8Only = elementSet(Element::int8);
constexpr ElementSet int16Only = elementSet(Element::int16);

/// The tensors of both operators. Of weights, norms and biases there are those
/// of the four gates, one behind the other.
enum LstmTensor : size_t {
  lstmInput,
  inputWeights,
  recurrentWeights = 5,
  peepholes = 9,
  gateBiases = 12,
  projectionWeights = 16,
  projectionBias,
  outputState,
  cellState,
  norms,
  tensorCount = 24
};
constexpr size_t inputGate = 0, forgetGate = 1, cellGate = 2, outputGate = 3,
                 gateCount = 4;

constexpr std::string_view lstmTensors =
    "input input_to_input_weights input_to_forget_weights "
    "input_to_cell_weights input_to_output_weights "
    "recurrent_to_input_weights recurrent_to_forget_weights "
    "recurrent_to_cell_weights recurrent_to_output_weights "
    "cell_to_input_weights? cell_to_forget_weights? cell_to_output_weights? "
    "input_gate_bias forget_gate_bias cell_gate_bias output_gate_bias "
    "projection_weights? projection_bias? output_state cell_state "
    "input_norm? forget_norm? cell_norm? output_norm? ";

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Checks that \p use has nothing of the variants that TensorFlow Lite does not
/// compute with 16-bit activations.
Status checkAbsent(const Use &use) {
  for (size_t tensor = 0; tensor < tensorCount; ++tensor)
    if (use.has(tensor) && ((tensor >= peepholes && tensor < gateBiases) ||
                            tensor == projectionWeights ||
                            tensor == projectionBias || tensor >= norms))
      return refuse(use.nameOf(tensor), " is present, but 16-bit activations "
                                        "have no peepholes, projections or "
                                        "norms");
  return Status::ok();
}

/// Checks the weights of tensor \p tensor, which bring \p depth activations to
/// each of \p cells.
Status checkWeights(const Use &use, size_t tensor, int64_t cells,
                    int64_t depth) {
  NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, int8Only));
  NNHAL_RETURN_IF_ERROR(use.checkRank(tensor, 2, 2));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(tensor, 0, cells));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(tensor, 1, depth));
  const TensorType &weights = use.input(tensor);
  if (!weights.channelQuant.scales.empty())
    return refuse(use.nameOf(tensor), " has ",
                  weights.channelQuant.scales.size(),
                  " scales, but must have one of all channels");
  if (weights.zeroPoint != 0)
    return refuse(use.nameOf(tensor), " has zero point ", weights.zeroPoint,
                  ", but must have 0");
  return Status::ok();
}

/// Checks that state \p tensor is [\p batches, \p cells], and that result
/// \p result, its next value, has the same scale.
Status checkState(const Use &use, size_t tensor, size_t result, int64_t batches,
                  int64_t cells) {
  NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, int16Only));
  NNHAL_RETURN_IF_ERROR(use.checkRank(tensor, 2, 2));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(tensor, 0, batches));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(tensor, 1, cells));
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(result, int16Only));
  if (use.output(result).scale != use.input(tensor).scale)
    return refuse("output ", result, " has scale ", use.output(result).scale,
                  ", but must have that of its state, ",
                  use.input(tensor).scale);
  return Status::ok();
}

/// Checks the scale of the cell state, of which TANH is computed with shifts.
Status checkCellScale(const Use &use) {
  float scale = use.input(cellState).scale;
  int32_t exponent = 0;
  if (!isPowerOfTwo(scale, exponent) || exponent < -24 || exponent > 0)
    return refuse(use.nameOf(cellState), " has scale ", scale,
                  ", but must have a power of two from 2^-24 to 1");
  return Status::ok();
}

/// The rule of both operators, whose input has \p rank dimensions, of which
/// dimension \p batchAxis are the batches.
Result<Types> checkCells(const Use &use, int64_t rank, int64_t batchAxis) {
  NNHAL_RETURN_IF_ERROR(checkAbsent(use));
  NNHAL_RETURN_IF_ERROR(use.checkRank(lstmInput, rank, rank));
  NNHAL_RETURN_IF_ERROR(use.checkRank(inputWeights + forgetGate, 2, 2));
  int64_t cells = use.extent(inputWeights + forgetGate, 0);
  int64_t batches = use.extent(lstmInput, batchAxis);
  for (size_t gate = 0; gate < gateCount; ++gate) {
    NNHAL_RETURN_IF_ERROR(checkWeights(use, inputWeights + gate, cells,
                                       use.extent(lstmInput, rank - 1)));
    NNHAL_RETURN_IF_ERROR(
        checkWeights(use, recurrentWeights + gate, cells, cells));
    size_t bias = gateBiases + gate;
    NNHAL_RETURN_IF_ERROR(use.checkElement(bias, indexElements));
    NNHAL_RETURN_IF_ERROR(use.checkRank(bias, 1, 1));
    NNHAL_RETURN_IF_ERROR(use.checkExtent(bias, 0, cells));
  }
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, int16Only));
  NNHAL_RETURN_IF_ERROR(checkState(use, outputState, 1, batches, cells));
  NNHAL_RETURN_IF_ERROR(checkState(use, outputState, 0, batches, cells));
  NNHAL_RETURN_IF_ERROR(checkState(use, cellState, 2, batches, cells));
  NNHAL_RETURN_IF_ERROR(use.checkScales(tensorCount));
  NNHAL_RETURN_IF_ERROR(checkCellScale(use));
  Extents extents = use.input(lstmInput).dimensions;
  extents.back() = cells;
  return Types{resultType(use, 0, std::move(extents)),
               resultType(use, 1, {batches, cells}),
               resultType(use, 2, {batches, cells})};
}

Result<Types> checkLstm(const Use &use) { return checkCells(use, 2, 0); }

Result<Types> checkSequence(const Use &use) {
  return checkCells(use, 3, use.truth("time_major") ? 1 : 0);
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

int16_t saturated(int32_t value) { return int16_t(boundsOf<int16_t>()(value)); }

/// One of the two products that a gate is the sum of.
struct Product {
  WeightRows<int8_t> weights;
  WideFactor factor;
  int64_t depth;

  Product(const Use &use, size_t tensor, float activationScale)
      : weights(use.data<int8_t>(tensor), use.extent(tensor, 0),
                use.extent(tensor, 1)),
        factor(factorOf(double(activationScale * use.input(tensor).scale) *
                        4096.0)),
        depth(use.extent(tensor, 1)) {}

  /// Calls \p add(place, rounded sum) for each cell of \p batches rows, where
  /// cell \p cell has \p bias(cell) added to its sum. \p rowAt gives the
  /// activations of a batch.
  template <typename RowAt, typename Bias, typename Add>
  void multiply(int64_t batches, int64_t cells, RowAt &&rowAt, Bias &&bias,
                Add &&add) const {
    forEachProductBlock<int16_t, int64_t>(
        {batches, 0, cells}, weights,
        [&](int64_t batch, int16_t *buffer) -> const int16_t * {
          const int16_t *row = rowAt(batch);
          if (weights.depth() == depth)
            return row;
          std::copy_n(row, depth, buffer);
          return buffer;
        },
        [&](const ProductBlock<int64_t> &block) {
          for (int64_t place = 0; place < block.places; ++place)
            for (int64_t row = 0; row < block.rows; ++row) {
              int64_t cell = block.firstRow + row;
              uint64_t sum = uint64_t(block.sums[place * rowsAtOnce + row]) +
                             uint64_t(bias(cell));
              add((block.firstPlace + place) * cells + cell,
                  saturated(scale(int64_t(sum), factor)));
            }
        });
  }
};

/// The cells of an operator while it is computed. Their states are the memory
/// of the results.
class Cells {
public:
  Cells(const Use &use, int64_t batches, int16_t *output, int16_t *cell)
      : batches(batches), cells(use.extent(outputState, 1)), output(output),
        cell(cell), cellTanh(cellInput(use)) {
    fromInput.reserve(gateCount);
    fromOutput.reserve(gateCount);
    for (size_t gate = 0; gate < gateCount; ++gate) {
      fromInput.emplace_back(use, inputWeights + gate,
                             use.input(lstmInput).scale);
      fromOutput.emplace_back(use, recurrentWeights + gate,
                              use.input(outputState).scale);
      biases.push_back(*use.integers(gateBiases + gate));
      values[gate].resize(size_t(batches * cells));
    }
    // Gates and TANH yield fixed-point numbers with 15 fraction bits.
    double fraction = 1.0 / 32768.0, scale = use.input(cellState).scale;
    kept = factorOf(fraction);
    added = factorOf(fraction * fraction / scale);
    shown =
        factorOf(fraction * fraction / double(use.input(outputState).scale));
    if (float most = use.real("cell_clip"); most > 0.0f)
      clip = int16_t(std::min(double(most) / scale, 32767.0));
  }

  /// Moves the states on by one step. \p rowAt gives the input of a batch.
  template <typename RowAt> void step(RowAt &&rowAt) {
    for (size_t gate = 0; gate < gateCount; ++gate)
      sumUp(gate, rowAt);
    for (size_t index = 0; index < values[0].size(); ++index) {
      int32_t forget = logistic(values[forgetGate][index]);
      int32_t update = tanh(values[cellGate][index]);
      int32_t accept = logistic(values[inputGate][index]);
      int32_t old = saturated(tflite::scale(forget * cell[index], kept));
      int32_t change = saturated(tflite::scale(accept * update, added));
      int32_t next = saturated(old + change);
      cell[index] = int16_t(std::min(std::max(next, -clip), clip));
      int32_t show = logistic(values[outputGate][index]);
      output[index] =
          saturated(tflite::scale(cellTanh(cell[index]) * show, shown));
    }
  }

private:
  /// The factor that brings the cell state to the table's steps.
  static TableInput cellInput(const Use &use) {
    int32_t exponent = 0;
    isPowerOfTwo(use.input(cellState).scale, exponent);
    int32_t left = exponent + 12;
    return left >= 0 ? TableInput{3 << left, 0} : TableInput{3, -left};
  }

  /// Computes the sums of \p gate, with 12 fraction bits.
  template <typename RowAt> void sumUp(size_t gate, RowAt &&rowAt) {
    std::vector<int16_t> &sums = values[gate];
    const Extents &bias = biases[gate];
    fromInput[gate].multiply(
        batches, cells, rowAt, [&](int64_t row) { return bias[size_t(row)]; },
        [&](int64_t place, int16_t sum) { sums[size_t(place)] = sum; });
    fromOutput[gate].multiply(
        batches, cells, [&](int64_t batch) { return output + batch * cells; },
        [](int64_t) { return int64_t(0); },
        [&](int64_t place, int16_t sum) {
          sums[size_t(place)] = saturated(sums[size_t(place)] + sum);
        });
  }

  int64_t batches, cells;
  int16_t *output, *cell;
  Logistic16 logistic{{3, 0}};
  Tanh16 tanh{{3, 0}};
  Tanh16 cellTanh;
  std::vector<Product> fromInput, fromOutput;
  std::vector<Extents> biases;
  std::array<std::vector<int16_t>, gateCount> values;
  Factor kept, added, shown;
  /// No number is clipped beyond this one; saturation alone bounds the least.
  int32_t clip = 32768;
};

/// Runs \p steps steps. Row (step, batch) of the input and of the output is
/// step * \p stepRows + batch * \p batchRows.
Status runCells(Run &run, int64_t steps, int64_t stepRows, int64_t batchRows) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(int16_t *to, run.allocate<int16_t>(0));
  NNHAL_ASSIGN_OR_RETURN(int16_t *output, run.allocate<int16_t>(1));
  NNHAL_ASSIGN_OR_RETURN(int16_t *cell, run.allocate<int16_t>(2));
  int64_t batches = run.types[1].dimensions[0];
  int64_t width = run.types[1].dimensions[1];
  std::copy_n(use.data<int16_t>(outputState), batches * width, output);
  std::copy_n(use.data<int16_t>(cellState), batches * width, cell);
  Cells cells(use, batches, output, cell);
  int64_t depth = use.extent(lstmInput, use.rank(lstmInput) - 1);
  const auto *from = use.data<int16_t>(lstmInput);
  for (int64_t step = 0; step < steps; ++step) {
    auto rowOf = [&](int64_t batch) {
      return step * stepRows + batch * batchRows;
    };
    cells.step([&](int64_t batch) { return from + rowOf(batch) * depth; });
    for (int64_t batch = 0; batch < batches; ++batch)
      std::copy_n(output + batch * width, width, to + rowOf(batch) * width);
  }
  return Status::ok();
}

Status runLstm(Run &run) { return runCells(run, 1, 0, 1); }

Status runSequence(Run &run) {
  int64_t first = run.use.extent(lstmInput, 0);
  int64_t second = run.use.extent(lstmInput, 1);
  return run.use.truth("time_major") ? runCells(run, first, second, 1)
                                     : runCells(run, second, 1, second);
}

/// TANH is the only activation.
constexpr OptionRow tanhOption = {"activation", OptionKind::integer, 4, 4};
constexpr OptionRow lstmOptions[] = {
    tanhOption,
    {"cell_clip", OptionKind::real},
    {"proj_clip", OptionKind::real},
    {"kernel_type", OptionKind::integer, 0, 0}};
constexpr OptionRow sequenceOptions[] = {tanhOption,
                                         {"cell_clip", OptionKind::real},
                                         {"proj_clip", OptionKind::real},
                                         {"time_major", OptionKind::truth}};

constexpr OperatorRow rows[] = {
    {16, "LSTM", lstmTensors, 0, int16Only, lstmOptions, 3, checkLstm, runLstm},
    {44, "UNIDIRECTIONAL_SEQUENCE_LSTM", lstmTensors, 0, int16Only,
     sequenceOptions, 3, checkSequence, runSequence},
};

} // namespace

Rows tflite::lstmRows() { return rows; }
