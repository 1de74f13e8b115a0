//===- TFLiteLstmTest.cpp - LSTM with 16-bit activations ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TensorFlow Lite Micro computes a cell by its kernels of FULLY_CONNECTED,
// LOGISTIC, TANH and MUL. So does the reference here, by the operators of the
// extension but for the products, which have factors of double precision.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr float gateScale = 1.0f / 4096, fractionScale = 1.0f / 32768;

struct Gate {
  Int8s input, recurrent;
  Int64s bias;
  float inputScale, recurrentScale;
};

/// An operator, and its values.
struct Lstm {
  int64_t batches = 2, steps = 3, inputs = 5, cells = 4;
  bool isTimeMajor = false, isSequence = true, hasNarrowBias = false;
  float clip = 0;
  float inputScale = 3e-5f, outputScale = 1.0f / 32768, cellScale = 1.0f / 4096;
  /// Weights of the input, forget, cell and output gate, in this order.
  std::array<Gate, 4> gates = {};
  Int16s input = {}, output = {}, cell = {};

  Shape inputShape() const {
    if (!isSequence)
      return {batches, inputs};
    return isTimeMajor ? Shape{steps, batches, inputs}
                       : Shape{batches, steps, inputs};
  }
  Shape outputShape() const {
    Shape shape = inputShape();
    shape.back() = cells;
    return shape;
  }
  size_t row(int64_t step, int64_t batch) const {
    return size_t(isTimeMajor ? step * batches + batch : batch * steps + step);
  }
};

void addOptions(Operator &use, const Lstm &lstm) {
  use.option(4).option(lstm.clip).option(0.0f);
  if (lstm.isSequence)
    use.option(lstm.isTimeMajor);
  else
    use.option(0);
}

Operator useOf(const Lstm &lstm) {
  Operator use(lstm.isSequence ? 44 : 16);
  Shape state = {lstm.batches, lstm.cells};
  use.int16(lstm.inputShape(), lstm.input, lstm.inputScale);
  for (const Gate &gate : lstm.gates)
    use.tensor(tensorInt8, {lstm.cells, lstm.inputs}, gate.input,
               gate.inputScale);
  for (const Gate &gate : lstm.gates)
    use.tensor(tensorInt8, {lstm.cells, lstm.cells}, gate.recurrent,
               gate.recurrentScale);
  use.omitted().omitted().omitted();
  for (const Gate &gate : lstm.gates)
    if (lstm.hasNarrowBias)
      use.int32({lstm.cells}, {gate.bias.begin(), gate.bias.end()});
    else
      use.int64({lstm.cells}, gate.bias);
  use.omitted().omitted();
  use.int16(state, lstm.output, lstm.outputScale);
  use.int16(state, lstm.cell, lstm.cellScale);
  use.omitted().omitted().omitted().omitted();
  addOptions(use, lstm);
  use.result(tensorInt16, lstm.outputShape(), lstm.outputScale)
      .result(tensorInt16, state, lstm.outputScale)
      .result(tensorInt16, state, lstm.cellScale);
  return use;
}

Lstm randomLstm(Lstm lstm, unsigned seed) {
  std::minstd_rand random(seed);
  auto fill = [&](auto &values, int64_t count, int32_t most) {
    std::uniform_int_distribution<int32_t> numbers(-most, most);
    values.resize(size_t(count));
    for (auto &value : values)
      value = std::remove_reference_t<decltype(value)>(numbers(random));
  };
  fill(lstm.input, lstm.batches * lstm.steps * lstm.inputs, 32767);
  fill(lstm.output, lstm.batches * lstm.cells, 32767);
  fill(lstm.cell, lstm.batches * lstm.cells, 32767);
  for (Gate &gate : lstm.gates) {
    fill(gate.input, lstm.cells * lstm.inputs, 127);
    fill(gate.recurrent, lstm.cells * lstm.cells, 127);
    fill(gate.bias, lstm.cells, 1000000);
    gate.inputScale = 1.0f / float(50 + random() % 100);
    gate.recurrentScale = 1.0f / float(50 + random() % 100);
  }
  return lstm;
}

//===----------------------------------------------------------------------===//
// Reference
//===----------------------------------------------------------------------===//

int16_t saturated(int64_t value) {
  return int16_t(std::clamp<int64_t>(value, -32768, 32767));
}

int16_t sumOf(int16_t a, int16_t b) { return saturated(int64_t(a) + b); }

Int16s fullyConnected(const Int16s &input, float inputScale,
                      const Int8s &weights, float weightScale,
                      const Int64s &bias, int64_t cells) {
  auto depth = int64_t(input.size());
  Operator use(9);
  use.int16({1, depth}, input, inputScale)
      .tensor(tensorInt8, {cells, depth}, weights, weightScale);
  if (bias.empty())
    use.omitted();
  else
    use.int64({cells}, bias);
  use.option(0).option(0).option(false).result(tensorInt16, {1, cells},
                                               gateScale);
  return use.run().elements<int16_t>();
}

Int16s activated(uint16_t number, const Int16s &values, float scale) {
  auto count = int64_t(values.size());
  return Operator(number)
      .int16({count}, values, scale)
      .result(tensorInt16, {count}, fractionScale)
      .run()
      .elements<int16_t>();
}

/// \p value times \p factor as TensorFlow Lite multiplies numbers of 32 bits:
/// by 31 bits of the factor, rounded to nearest, and by the power of two that
/// is left, where halves are rounded away from 0.
int64_t rescaled(int64_t value, double factor) {
  int exponent = 0;
  int64_t multiplier =
      std::llround(std::frexp(factor, &exponent) * double(INT64_C(1) << 31));
  if (exponent > 0)
    value <<= exponent;
  int64_t high = (value * multiplier + (1 << 30)) >> 31;
  double shifted = std::ldexp(double(high), std::min(exponent, 0));
  return int64_t(std::copysign(std::floor(std::abs(shifted) + 0.5), shifted));
}

Int16s product(const Int16s &a, const Int16s &b, float bScale, float scale) {
  double factor = double(fractionScale) * double(bScale) / double(scale);
  Int16s result(a.size());
  for (size_t index = 0; index < result.size(); ++index)
    result[index] = saturated(rescaled(a[index] * b[index], factor));
  return result;
}

struct Cell {
  Int16s output, cell;
};

void step(const Lstm &lstm, const Int16s &input, Cell &state) {
  std::array<Int16s, 4> gates;
  for (size_t index = 0; index < gates.size(); ++index) {
    const Gate &gate = lstm.gates[index];
    Int16s sums = fullyConnected(input, lstm.inputScale, gate.input,
                                 gate.inputScale, gate.bias, lstm.cells);
    Int16s others =
        fullyConnected(state.output, lstm.outputScale, gate.recurrent,
                       gate.recurrentScale, {}, lstm.cells);
    std::ranges::transform(sums, others, sums.begin(), sumOf);
    gates[index] = activated(index == 2 ? 28 : 14, sums, gateScale);
  }
  Int16s kept = product(gates[1], state.cell, lstm.cellScale, lstm.cellScale);
  Int16s added = product(gates[0], gates[2], fractionScale, lstm.cellScale);
  auto most = int16_t(32767);
  if (lstm.clip > 0)
    most = int16_t(std::min(lstm.clip / lstm.cellScale, 32767.0f));
  for (size_t index = 0; index < kept.size(); ++index) {
    int16_t sum = sumOf(kept[index], added[index]);
    state.cell[index] =
        lstm.clip > 0 ? std::clamp(sum, int16_t(-most), most) : sum;
  }
  state.output = product(activated(28, state.cell, lstm.cellScale), gates[3],
                         fractionScale, lstm.outputScale);
}

void expectReference(const Lstm &lstm) {
  Operator use = useOf(lstm);
  use.run();
  Int16s outputs = use.elements<int16_t>(0), states = use.elements<int16_t>(1);
  Int16s cells = use.elements<int16_t>(2);
  auto part = [](const Int16s &from, size_t row, int64_t width) {
    auto begin = from.begin() + int64_t(row) * width;
    return Int16s(begin, begin + width);
  };
  for (int64_t batch = 0; batch < lstm.batches; ++batch) {
    auto row = size_t(batch);
    Cell state{part(lstm.output, row, lstm.cells),
               part(lstm.cell, row, lstm.cells)};
    for (int64_t index = 0; index < lstm.steps; ++index) {
      step(lstm, part(lstm.input, lstm.row(index, batch), lstm.inputs), state);
      EXPECT_EQ(part(outputs, lstm.row(index, batch), lstm.cells),
                state.output);
    }
    EXPECT_EQ(part(states, row, lstm.cells), state.output);
    EXPECT_EQ(part(cells, row, lstm.cells), state.cell);
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

TEST(TFLiteLstm, CellsFollowTheReference) {
  expectReference(randomLstm({}, 1));
  expectReference(randomLstm({.isTimeMajor = true}, 2));
  expectReference(randomLstm({.batches = 1, .steps = 7, .inputs = 17}, 3));
  expectReference(randomLstm({.steps = 1, .isSequence = false}, 4));
  expectReference(randomLstm({.cells = 33, .hasNarrowBias = true}, 5));
  expectReference(randomLstm({.clip = 3.0f}, 6));
  // Without a bound, and one that is none.
  expectReference(randomLstm({.clip = 1e9f}, 7));
  // The results' scale is no power of two; that of cells is another one.
  expectReference(randomLstm({.outputScale = 2.1362956633198035e-05f}, 8));
  expectReference(randomLstm({.cellScale = 1.0f / 2048}, 9));
  expectReference(randomLstm({.cellScale = 1.0f / 8192}, 10));
}

TEST(TFLiteLstm, CoarseCellsSaturateTheirActivation) {
  // TANH of a cell of 4 or more is 1 in steps of 1 / 16, and of 0 is 0.
  Lstm lstm{.batches = 1, .steps = 1, .inputs = 1, .cells = 1};
  lstm.cellScale = 1.0f / 16;
  lstm.input = {0};
  lstm.output = {0};
  for (Gate &gate : lstm.gates)
    gate = {{0}, {0}, {0}, 1.0f, 1.0f};
  // Forget and output gates are 1, so that the cell stays.
  lstm.gates[1].bias = lstm.gates[3].bias = {int64_t(1) << 40};
  for (int16_t cell : {0, 200, -200, 32767, -32768}) {
    lstm.cell = {cell};
    Operator use = useOf(lstm);
    use.run();
    EXPECT_NEAR(use.elements<int16_t>(0)[0] / 32768.0, std::tanh(cell / 16.0),
                1e-3);
  }
}

/// The values that TensorFlow Lite Micro publishes for its tests, with its
/// scales: lstm_test_data.cc.
TEST(TFLiteLstm, PublishedValues) {
  Lstm lstm{.batches = 2, .steps = 3, .inputs = 2, .cells = 2};
  lstm.clip = 6;
  lstm.inputScale = 3.0518044e-5f;
  lstm.outputScale = 2.1362956633198035e-05f;
  auto quantized = [](double value, double scale) {
    return int64_t(std::round(value / scale));
  };
  auto gate = [&](double first, double second, float scale, double bias) {
    Gate result;
    for (double weight : {first, first, second, second})
      result.input.push_back(
          int8_t(std::clamp<int64_t>(quantized(weight, scale), -127, 127)));
    result.recurrent = result.input;
    double biasScale = double(scale) * lstm.inputScale;
    result.bias = {quantized(bias, biasScale), quantized(2 * bias, biasScale)};
    result.inputScale = result.recurrentScale = scale;
    return result;
  };
  lstm.gates = {gate(10, 20, 0.15748031496062992f, -1),
                gate(-10, -20, 0.15748031496062992f, 1),
                gate(1, 1, 0.007874015748031496f, 0),
                gate(1, 1, 0.007874015748031496f, 0)};
  for (double value :
       {0.2, 0.3, 0.2, 0.3, 0.2, 0.3, -0.98, 0.62, 0.01, 0.99, 0.49, -0.32})
    lstm.input.push_back(int16_t(quantized(value, lstm.inputScale)));
  lstm.output = lstm.cell = {0, 0, 0, 0};
  Operator use = useOf(lstm);
  use.run();
  auto expectNear = [&](size_t result, float scale,
                        const std::vector<double> &expected) {
    Int16s values = use.elements<int16_t>(result);
    ASSERT_EQ(values.size(), expected.size());
    for (size_t index = 0; index < values.size(); ++index)
      EXPECT_NEAR(values[index] * double(scale), expected[index], 1e-3);
  };
  expectNear(0, lstm.outputScale,
             {0.26455893, 0.26870455, 0.47935803, 0.47937014, 0.58013272,
              0.58013278, -1.41184672e-3, -1.43329117e-5, 0.46887168,
              0.46891281, 0.50054074, 0.50054148});
  expectNear(1, lstm.outputScale,
             {0.58013272, 0.58013278, 0.50054074, 0.50054148});
  expectNear(2, lstm.cellScale,
             {0.89740515, 0.8974053, 0.80327607, 0.80327785});
}

TEST(TFLiteLstm, StatesCarryASequence) {
  Lstm whole = randomLstm({.batches = 1, .steps = 6}, 11);
  Lstm half = whole;
  half.steps = 3;
  half.input.resize(size_t(half.steps * half.inputs));
  Operator expected = useOf(whole), first = useOf(half);
  expected.run();
  first.run();
  half.input.assign(whole.input.begin() + int64_t(half.input.size()),
                    whole.input.end());
  half.output = first.elements<int16_t>(1);
  half.cell = first.elements<int16_t>(2);
  Operator second = useOf(half);
  second.run();
  Int16s outputs = first.elements<int16_t>(0),
         rest = second.elements<int16_t>();
  outputs.insert(outputs.end(), rest.begin(), rest.end());
  EXPECT_EQ(outputs, expected.elements<int16_t>());
  EXPECT_EQ(second.elements<int16_t>(2), expected.elements<int16_t>(2));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// A legal use of LSTM with one tensor replaced.
struct Changed {
  size_t tensor = 100;
  rt::OperandType type = tensorInt8;
  Shape shape = {4, 5};
  float scale = 1.0f;
  int32_t zeroPoint = 0;
};

Operator changed(const Changed &change, float outputScale = 1.0f,
                 float cellScale = 1.0f, bool hasChannels = false) {
  Operator use(16);
  auto add = [&](size_t tensor, rt::OperandType type, Shape shape) {
    if (change.tensor == tensor) {
      use.open(change.type, change.shape, change.scale, change.zeroPoint);
      if (hasChannels)
        use.channels({1, 1, 1, 1}, 0);
    } else if (type == tensorBool) {
      use.omitted();
    } else {
      use.open(type, std::move(shape));
    }
  };
  for (size_t tensor = 0; tensor < 24; ++tensor)
    if (tensor == 0)
      add(tensor, tensorInt16, {2, 5});
    else if (tensor <= 8)
      add(tensor, tensorInt8, tensor <= 4 ? Shape{4, 5} : Shape{4, 4});
    else if (tensor >= 12 && tensor <= 15)
      add(tensor, tensorInt64, {4});
    else if (tensor == 18 || tensor == 19)
      add(tensor, tensorInt16, {2, 4});
    else
      add(tensor, tensorBool, {});
  use.option(4).option(0.0f).option(0.0f).option(0);
  use.result(tensorInt16, {2, 4}, outputScale)
      .result(tensorInt16, {2, 4})
      .result(tensorInt16, {2, 4}, cellScale);
  return use;
}

TEST(TFLiteLstm, RefusesOtherForms) {
  EXPECT_EQ(changed({}).refusal(), "");
  EXPECT_EQ(changed({9, tensorInt16, {4}}).refusal(),
            "LSTM: input 9 (cell_to_input_weights) is present, but 16-bit "
            "activations have no peepholes, projections or norms");
  EXPECT_EQ(changed({16}).refusal(),
            "LSTM: input 16 (projection_weights) is present, but 16-bit "
            "activations have no peepholes, projections or norms");
  EXPECT_EQ(changed({23, tensorInt16, {4}}).refusal(),
            "LSTM: input 23 (output_norm) is present, but 16-bit activations "
            "have no peepholes, projections or norms");
  EXPECT_EQ(changed({1, tensorInt8, {3, 5}}).refusal(),
            "LSTM: input 1 (input_to_input_weights) has extent 3 in dimension "
            "0, but must have 4");
  EXPECT_EQ(changed({8, tensorInt8, {4, 3}}).refusal(),
            "LSTM: input 8 (recurrent_to_output_weights) has extent 3 in "
            "dimension 1, but must have 4");
  EXPECT_EQ(changed({3, tensorInt16, {4, 5}}).refusal(),
            "LSTM: input 3 (input_to_cell_weights) has elements of INT16, but "
            "must have INT8");
  EXPECT_EQ(changed({3, tensorInt8, {4, 5}, 1.0f, 2}).refusal(),
            "LSTM: input 3 (input_to_cell_weights) has zero point 2, but must "
            "have 0");
  EXPECT_EQ(changed({3}, 1.0f, 1.0f, true).refusal(),
            "LSTM: input 3 (input_to_cell_weights) has 4 scales, but must have "
            "one of all channels");
  EXPECT_EQ(changed({12, tensorInt64, {5}}).refusal(),
            "LSTM: input 12 (input_gate_bias) has extent 5 in dimension 0, but "
            "must have 4");
  EXPECT_EQ(changed({18, tensorInt16, {1, 4}}).refusal(),
            "LSTM: input 18 (output_state) has extent 1 in dimension 0, but "
            "must have 2");
  EXPECT_EQ(changed({19, tensorInt16, {2, 5}}).refusal(),
            "LSTM: input 19 (cell_state) has extent 5 in dimension 1, but must "
            "have 4");
  EXPECT_EQ(changed({}, 0.5f).refusal(),
            "LSTM: output 0 has scale 0.5, but must have that of its state, 1");
  EXPECT_EQ(changed({}, 1.0f, 0.5f).refusal(),
            "LSTM: output 2 has scale 0.5, but must have that of its state, 1");
  EXPECT_EQ(changed({19, tensorInt16, {2, 4}, 0.75f}, 1.0f, 0.75f).refusal(),
            "LSTM: input 19 (cell_state) has scale 0.75, but must have a power "
            "of two from 2^-24 to 1");
  EXPECT_EQ(changed({19, tensorInt16, {2, 4}, 2.0f}, 1.0f, 2.0f).refusal(),
            "LSTM: input 19 (cell_state) has scale 2, but must have a power of "
            "two from 2^-24 to 1");
}

} // namespace
