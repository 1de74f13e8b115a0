//===- TFLiteBasicLstmTest.cpp - LSTM of the basic kernel -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include <array>
#include <cmath>

namespace nnhal::rt {
namespace {

constexpr int32_t batch = 2, inputs = 3, units = 2, columns = inputs + units;

/// The tensors of one step, of which output and cell before it are values of
/// the model or variables.
struct Cell {
  TensorSpec data = {{batch, inputs}}, output = {{batch, units}},
             cell = {{batch, units}}, weights = {{4 * units, columns}},
             bias = {{4 * units}};
  Numbers x, before, cellBefore, w, b;

  std::vector<std::byte> write(bool isVariable = false,
                               bool isConstant = true) const {
    TFLiteWriter file;
    TensorSpec state = output, cellState = cell;
    state.isVariable = cellState.isVariable = isVariable;
    int32_t from = file.tensor(data), before = file.tensor(state);
    int32_t matrix = isConstant ? constantOf<uint8_t>(file, weights, w)
                                : file.tensor(weights);
    int32_t offsets = constantOf<int32_t>(file, bias, b);
    int32_t cellBefore = file.tensor(cellState);
    int32_t result = file.tensor(output), newCell = file.tensor(cell);
    // The last two outputs are scratch memory.
    int32_t joined = file.tensor(output), sums = file.tensor(output);
    file.add(Code::LSTM, {from, before, matrix, offsets, cellBefore},
             {result, newCell, joined, sums},
             schema::CreateLSTMOptions(file.builder, schema::Activation::TANH,
                                       0, 0, schema::LSTMKernel::BASIC));
    std::vector<int32_t> fed = {from};
    if (!isVariable)
      fed.insert(fed.end(), {before, cellBefore});
    if (!isConstant)
      fed.push_back(matrix);
    return file.finish(fed, {result, newCell});
  }

private:
  /// A constant of reals, or of integers of type T.
  template <typename T>
  static int32_t constantOf(TFLiteWriter &file, const TensorSpec &spec,
                            const Numbers &values) {
    if (spec.type == Type::FLOAT32)
      return file.constant<float>(spec, {values.begin(), values.end()});
    return file.constant<T>(spec, {values.begin(), values.end()});
  }
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// The sums of the gates of \p unit, by the numbers of their rows.
std::array<double, 4> sumsOf(const Cell &cell, size_t row, size_t unit,
                             double zeroPoint, double weightZeroPoint) {
  std::array<double, 4> sums;
  for (size_t gate = 0; gate < 4; ++gate) {
    size_t line = gate * units + unit;
    sums[gate] = cell.b[line];
    for (size_t i = 0; i < columns; ++i) {
      double value = i < inputs ? cell.x[row * inputs + i]
                                : cell.before[row * units + i - inputs];
      sums[gate] +=
          (cell.w[line * columns + i] - weightZeroPoint) * (value - zeroPoint);
    }
  }
  return sums;
}

/// The output and the cell after a step, and states behind them.
std::vector<Numbers> runStep(const Cell &cell, bool isVariable = false) {
  std::vector<Numbers> values = {cell.x};
  if (!isVariable)
    values.insert(values.end(), {cell.before, cell.cellBefore});
  return runFile(cell.write(isVariable), values);
}

Cell realCell() {
  std::mt19937 random(5);
  Cell cell;
  cell.x = randomReals(random, batch * inputs);
  cell.before = randomReals(random, batch * units);
  cell.cellBefore = randomReals(random, batch * units);
  cell.w = randomReals(random, 4 * units * columns);
  for (double &weight : cell.w)
    weight /= 4;
  cell.b = randomReals(random, 4 * units);
  return cell;
}

TEST(TFLiteBasicLstmTest, ofReals) {
  Cell cell = realCell();
  Numbers outputs, cells;
  for (size_t row = 0; row < batch; ++row)
    for (size_t unit = 0; unit < units; ++unit) {
      auto [in, update, forget, out] = sumsOf(cell, row, unit, 0, 0);
      double state = logistic(in) * std::tanh(update) +
                     logistic(forget) * cell.cellBefore[row * units + unit];
      cells.push_back(state);
      outputs.push_back(logistic(out) * std::tanh(state));
    }
  std::vector<Numbers> results = runStep(cell);
  ASSERT_EQ(results.size(), 2u);
  expectNear(results[0], outputs, 1e-5);
  expectNear(results[1], cells, 1e-5);
}

// Variables are states that begin at 0.
TEST(TFLiteBasicLstmTest, variablesAreStates) {
  Cell cell = realCell();
  AnnotatedModel model = importBytes(cell.write(/*isVariable=*/true));
  EXPECT_EQ(model.statePairs.size(), 2u);
  std::vector<Numbers> results = runStep(cell, /*isVariable=*/true);
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[2], results[0]);
  EXPECT_EQ(results[3], results[1]);
  cell.before = cell.cellBefore = Numbers(batch * units);
  std::vector<Numbers> expected = runStep(cell);
  EXPECT_EQ(results[0], expected[0]);
  EXPECT_EQ(results[1], expected[1]);
}

Cell byteCell() {
  std::mt19937 random(6);
  Cell cell;
  cell.data = {{batch, inputs}, Type::UINT8, {1.0f / 128}, {128}};
  cell.output = {{batch, units}, Type::UINT8, {1.0f / 128}, {128}};
  cell.cell = {{batch, units}, Type::INT16, {1.0f / 2048}, {0}};
  cell.weights = {{4 * units, columns}, Type::UINT8, {1.0f / 64}, {120}};
  cell.bias = {{4 * units}, Type::INT32, {1.0f / 8192}, {0}};
  cell.x = randomWhole(random, batch * inputs, 0, 255);
  cell.before = randomWhole(random, batch * units, 0, 255);
  cell.cellBefore = randomWhole(random, batch * units, -4000, 4000);
  cell.w = randomWhole(random, 4 * units * columns, 0, 255);
  cell.b = randomWhole(random, 4 * units, -3000, 3000);
  return cell;
}

// The places of weights decide about more than the steps of fixed-point
// numbers, of which the HAL's operation has its own tests.
TEST(TFLiteBasicLstmTest, ofBytes) {
  Cell cell = byteCell();
  Numbers outputs, cells;
  for (size_t row = 0; row < batch; ++row)
    for (size_t unit = 0; unit < units; ++unit) {
      std::array<double, 4> sums = sumsOf(cell, row, unit, 128, 120);
      // Gates have 3 integer bits.
      for (double &sum : sums)
        sum = std::clamp(sum / 8192, -8.0, 8.0);
      double state =
          logistic(sums[0]) * std::tanh(sums[1]) +
          logistic(sums[2]) * cell.cellBefore[row * units + unit] / 2048;
      cells.push_back(state * 2048);
      outputs.push_back(
          std::min(128 + 128 * logistic(sums[3]) * std::tanh(state), 255.0));
    }
  std::vector<Numbers> results = runStep(cell);
  ASSERT_EQ(results.size(), 2u);
  expectNear(results[0], outputs, 0.6);
  expectNear(results[1], cells, 2);
}

// Weights of four bits are those of the same numbers of eight.
TEST(TFLiteBasicLstmTest, fourBits) {
  Cell cell = byteCell();
  for (double &weight : cell.w)
    weight = int(weight) % 16;
  cell.weights.zeroPoints = {7};
  std::vector<Numbers> expected = runStep(cell);
  cell.weights.type = Type::UINT4;
  Numbers packed;
  for (size_t i = 0; i < cell.w.size(); i += 2)
    packed.push_back(cell.w[i] + 16 * cell.w[i + 1]);
  cell.w = std::move(packed);
  EXPECT_EQ(runStep(cell), expected);
}

// Only an execution knows how many places WHERE finds.
TEST(TFLiteBasicLstmTest, unknownBatch) {
  TFLiteWriter file;
  int32_t truths = file.tensor({{4, 3}, Type::BOOL});
  int32_t places = file.tensor({{-1, 2}, Type::INT64}),
          data = file.tensor({{-1, 2}});
  file.add(Code::WHERE, {truths}, {places});
  file.add(Code::CAST, {places}, {data},
           schema::CreateCastOptions(file.builder, Type::INT64, Type::FLOAT32));
  int32_t before = file.tensor({{batch, units}}),
          cellBefore = file.tensor({{batch, units}});
  int32_t weights = file.constant<float>({{4 * units, 2 + units}},
                                         std::vector<float>(4 * units * 4)),
          bias = file.constant<float>({{4 * units}},
                                      std::vector<float>(4 * units));
  std::vector<int32_t> outputs;
  for (int i = 0; i < 4; ++i)
    outputs.push_back(file.tensor({{batch, units}}));
  file.add(Code::LSTM, {data, before, weights, bias, cellBefore}, outputs,
           schema::CreateLSTMOptions(file.builder, schema::Activation::TANH, 0,
                                     0, schema::LSTMKernel::BASIC));
  EXPECT_EQ(importError(file.finish({truths, before, cellBefore},
                                    {outputs[0], outputs[1]})),
            "operator 2 (LSTM): the shape of input 0 depends on values that "
            "are not constant");
}

TEST(TFLiteBasicLstmTest, errors) {
  auto error = [](auto change, bool isConstant = true) {
    Cell cell = byteCell();
    change(cell);
    return importError(cell.write(false, isConstant));
  };
  EXPECT_EQ(error([](Cell &cell) {
              cell.data = {{batch, inputs}, Type::INT8, {0.5f}, {0}};
            }),
            "operator 0 (LSTM): the basic kernel does not take input 0 of type "
            "INT8");
  EXPECT_EQ(error([](Cell &cell) { cell.weights.shape = {4, 10}; }),
            "operator 0 (LSTM): weights have shape 4x10, which is not four "
            "times the units, and 3 more than these");
  // A weight of four bytes is none of a byte.
  EXPECT_EQ(error([](Cell &cell) { cell.weights = {{4 * units, columns}}; }),
            "operator 0 (LSTM): weights have type FLOAT32, expected UINT8");
  EXPECT_EQ(error([](Cell &) {}, false),
            "operator 0 (LSTM): weights and biases of bytes must be constants");
}

} // namespace
} // namespace nnhal::rt
