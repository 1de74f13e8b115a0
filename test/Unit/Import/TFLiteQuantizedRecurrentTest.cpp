//===- TFLiteQuantizedRecurrentTest.cpp - Quantized LSTM and SVDF ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include "Extensions/TFLite/TFLiteExtension.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nnhal::rt {
namespace {

using schema::Activation;

//===----------------------------------------------------------------------===//
// LSTM
//===----------------------------------------------------------------------===//

struct LstmShape {
  int32_t batch = 2, steps = 5, inputSize = 6, cells = 8, outputs = 8;
  bool isTimeMajor = false, isSequence = true;
  bool hasInputGate = true, hasPeephole = false, hasNorm = false;
  /// Activations have 16 bits.
  bool isWide = false;
  /// Output, its state and, beside a projection, the hidden state have it.
  int32_t zeroPoint = 0;

  bool hasProjection() const { return outputs != cells; }
  Type type() const { return isWide ? Type::INT16 : Type::INT8; }
  double inputScale() const { return isWide ? 1 / 16384.0 : 1 / 64.0; }
  int32_t inputZeroPoint() const { return isWide ? 0 : 3; }
  int32_t mostInput() const { return isWide ? 25600 : 100; }
  double stateScale() const { return isWide ? 1 / 32768.0 : 1 / 128.0; }
  double leastOutput() const { return isWide ? -32768 : -128; }
  std::vector<int32_t> input() const {
    if (!isSequence)
      return {batch, inputSize};
    return isTimeMajor ? std::vector<int32_t>{steps, batch, inputSize}
                       : std::vector<int32_t>{batch, steps, inputSize};
  }
};

constexpr double weightScale = 1 / 128.0, cellScale = 1 / 4096.0;
constexpr double peepholeScale = 1 / 65536.0, normScale = 1 / 16384.0;
constexpr double gateScale = 1 / 2048.0;

/// The constants of an LSTM, by input of the operator; each with its scale.
struct LstmWeights {
  std::array<Numbers, 24> values;
  std::array<double, 24> scales{};
  std::array<TensorSpec, 24> specs;

  double real(size_t i, size_t element) const {
    return values[i][element] * scales[i];
  }
};

LstmWeights randomWeights(const LstmShape &shape, uint32_t seed) {
  std::mt19937 random(seed);
  LstmWeights weights;
  auto add = [&](size_t i, std::vector<int32_t> dimensions, Type type,
                 double scale, int low, int high) {
    weights.values[i] = randomWhole(random, countOf(dimensions), low, high);
    weights.scales[i] = scale;
    weights.specs[i] = {dimensions, type, {float(scale)}, {0}};
  };
  for (size_t gate = 0; gate < 4; ++gate) {
    if (gate == 0 && !shape.hasInputGate)
      continue;
    add(1 + gate, {shape.cells, shape.inputSize}, Type::INT8, weightScale, -60,
        60);
    add(5 + gate, {shape.cells, shape.outputs}, Type::INT8, weightScale, -60,
        60);
    // The scale of a bias is that of the sum; beside a norm that of the result.
    double biasScale =
        shape.hasNorm ? normScale / 1024 : shape.inputScale() * weightScale;
    int largest = int(0.5 / biasScale);
    add(12 + gate, {shape.cells}, shape.isWide ? Type::INT64 : Type::INT32,
        biasScale, -largest, largest);
    if (shape.hasPeephole && gate != 2)
      add(9 + (gate == 3 ? 2 : gate), {shape.cells}, Type::INT16, peepholeScale,
          -32000, 32000);
    if (shape.hasNorm)
      add(20 + gate, {shape.cells}, Type::INT16, normScale, 8000, 24000);
  }
  if (shape.hasProjection()) {
    add(16, {shape.outputs, shape.cells}, Type::INT8, weightScale, -40, 40);
    add(17, {shape.outputs}, Type::INT32, shape.stateScale() * weightScale,
        -2000, 2000);
  }
  return weights;
}

std::vector<std::byte> lstmFile(const LstmShape &shape,
                                const LstmWeights &weights) {
  TFLiteWriter file;
  TensorSpec state = {{shape.batch, shape.outputs},
                      shape.type(),
                      {float(shape.stateScale())},
                      {shape.zeroPoint}};
  std::vector<int32_t> inputs(24, -1);
  inputs[0] = file.tensor({shape.input(),
                           shape.type(),
                           {float(shape.inputScale())},
                           {shape.inputZeroPoint()}});
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (weights.values[i].empty())
      continue;
    const Numbers &values = weights.values[i];
    if (weights.specs[i].type == Type::INT8)
      inputs[i] = file.constant(
          weights.specs[i], std::vector<int8_t>(values.begin(), values.end()));
    else if (weights.specs[i].type == Type::INT16)
      inputs[i] = file.constant(
          weights.specs[i], std::vector<int16_t>(values.begin(), values.end()));
    else if (weights.specs[i].type == Type::INT64)
      inputs[i] = file.constant(
          weights.specs[i], std::vector<int64_t>(values.begin(), values.end()));
    else
      inputs[i] = file.constant(
          weights.specs[i], std::vector<int32_t>(values.begin(), values.end()));
  }
  state.isVariable = true;
  inputs[18] = file.tensor(state);
  inputs[19] = file.tensor({{shape.batch, shape.cells},
                            Type::INT16,
                            {float(cellScale)},
                            {0},
                            0,
                            true});
  OperatorExtras extras;
  for (int i = 0; i < 4; ++i)
    extras.intermediates.push_back(
        shape.hasNorm ? file.tensor({{0}, Type::INT16, {float(gateScale)}, {0}})
                      : file.tensor({{0}}));
  extras.intermediates.push_back(file.tensor(
      {{0}, shape.type(), {float(shape.stateScale())}, {shape.zeroPoint}}));
  state.isVariable = false;
  state.shape = {};
  int32_t output = file.tensor(state);
  if (shape.isSequence)
    file.add(Code::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {output},
             schema::BuiltinOptions::UnidirectionalSequenceLSTMOptions,
             schema::CreateUnidirectionalSequenceLSTMOptions(
                 file.builder, Activation::TANH, 6.0f, 0.0f, shape.isTimeMajor)
                 .Union(),
             extras);
  else
    file.add(
        Code::LSTM, inputs, {output}, schema::BuiltinOptions::LSTMOptions,
        schema::CreateLSTMOptions(file.builder, Activation::TANH, 6.0f).Union(),
        extras);
  return file.finish({inputs[0]}, {output});
}

/// A cell with real numbers.
class RealLstm {
public:
  RealLstm(const LstmShape &shape, const LstmWeights &weights)
      : shape(shape), weights(weights), output(shape.outputs),
        cell(shape.cells) {}

  Numbers step(const Numbers &x) {
    Numbers forget = gate(1, x), update = gate(2, x), in(shape.cells);
    if (shape.hasInputGate)
      in = gate(0, x);
    for (int32_t i = 0; i < shape.cells; ++i) {
      double f = sigmoid(forget[i]);
      double added = shape.hasInputGate ? sigmoid(in[i]) : 1 - f;
      cell[i] =
          std::clamp(f * cell[i] + added * std::tanh(update[i]), -6.0, 6.0);
    }
    Numbers out = gate(3, x), hidden(shape.cells);
    for (int32_t i = 0; i < shape.cells; ++i)
      hidden[i] = sigmoid(out[i]) * std::tanh(cell[i]);
    output = shape.hasProjection() ? project(hidden) : hidden;
    return output;
  }

private:
  static double sigmoid(double value) { return 1 / (1 + std::exp(-value)); }

  Numbers gate(size_t index, const Numbers &x) const {
    Numbers sums(shape.cells);
    for (int32_t i = 0; i < shape.cells; ++i) {
      for (int32_t k = 0; k < shape.inputSize; ++k)
        sums[i] += weights.real(1 + index, i * shape.inputSize + k) * x[k];
      for (int32_t k = 0; k < shape.outputs; ++k)
        sums[i] += weights.real(5 + index, i * shape.outputs + k) * output[k];
      if (shape.hasPeephole && index != 2)
        sums[i] += weights.real(9 + (index == 3 ? 2 : index), i) * cell[i];
    }
    double mean = 0, variance = 0;
    for (double sum : sums)
      mean += sum / shape.cells;
    for (double sum : sums)
      variance += (sum - mean) * (sum - mean) / shape.cells;
    for (int32_t i = 0; i < shape.cells; ++i) {
      if (shape.hasNorm)
        sums[i] = (sums[i] - mean) / std::sqrt(variance) *
                  weights.real(20 + index, i);
      sums[i] += weights.real(12 + index, i);
    }
    return sums;
  }

  Numbers project(const Numbers &hidden) const {
    Numbers result(shape.outputs);
    for (int32_t i = 0; i < shape.outputs; ++i) {
      result[i] = weights.real(17, i);
      for (int32_t k = 0; k < shape.cells; ++k)
        result[i] += weights.real(16, i * shape.cells + k) * hidden[k];
    }
    return result;
  }

  const LstmShape &shape;
  const LstmWeights &weights;
  Numbers output, cell;
};

/// The elements of \p batch at \p step of a sequence.
Numbers elementsAt(const LstmShape &shape, const Numbers &sequence,
                   int32_t size, int32_t batch, int32_t step) {
  int32_t row = shape.isTimeMajor ? step * shape.batch + batch
                                  : batch * shape.steps + step;
  auto begin = sequence.begin() + row * size;
  return {begin, begin + size};
}

/// The results of \p bytes on a device that has the extension.
std::vector<Numbers> resultsOf(const std::vector<std::byte> &bytes,
                               const std::vector<Numbers> &inputs) {
  return runFile(bytes, inputs,
                 {{nnhal::tflite::createTFLiteExtension(), "test"}});
}

/// Runs the file and compares with real numbers, in steps of the output.
void checkLstm(const LstmShape &shape, double tolerance) {
  LstmWeights weights = randomWeights(shape, 7);
  std::mt19937 random(8);
  Numbers input = randomWhole(random, countOf(shape.input()),
                              -shape.mostInput(), shape.mostInput());
  Numbers state(shape.batch * shape.outputs, shape.zeroPoint);
  std::vector<Numbers> results =
      resultsOf(lstmFile(shape, weights), {input, state});
  ASSERT_EQ(results.size(), 3u);
  for (int32_t batch = 0; batch < shape.batch; ++batch) {
    RealLstm real(shape, weights);
    for (int32_t step = 0; step < shape.steps; ++step) {
      Numbers x = elementsAt(shape, input, shape.inputSize, batch, step);
      for (double &value : x)
        value = (value - shape.inputZeroPoint()) * shape.inputScale();
      Numbers expected = real.step(x);
      for (double &value : expected)
        value = std::clamp(value / shape.stateScale() + shape.zeroPoint,
                           shape.leastOutput(), -shape.leastOutput() - 1);
      expectNear(elementsAt(shape, results[0], shape.outputs, batch, step),
                 expected, tolerance);
    }
  }
}

TEST(TFLiteQuantizedRecurrentTest, lstmFollowsRealNumbers) {
  checkLstm({}, 1.5);
  checkLstm({.isTimeMajor = true}, 1.5);
  checkLstm({.batch = 1, .steps = 1}, 1.5);
  checkLstm({.hasInputGate = false}, 1.5);
  checkLstm({.hasPeephole = true}, 1.5);
  checkLstm({.outputs = 4}, 2.5);
  checkLstm({.hasNorm = true}, 2.5);
  checkLstm({.steps = 1, .isSequence = false}, 1.5);
}

// A step of the output is 1/32768, and one of a gate's sum 1/4096.
TEST(TFLiteQuantizedRecurrentTest, wideLstmFollowsRealNumbers) {
  checkLstm({.isWide = true}, 48);
  checkLstm({.isTimeMajor = true, .isWide = true}, 48);
  checkLstm({.batch = 1, .steps = 1, .isWide = true}, 48);
  checkLstm({.steps = 1, .isSequence = false, .isWide = true}, 48);
}

TEST(TFLiteQuantizedRecurrentTest, wideLstmIsOneOperation) {
  auto text = [](const LstmShape &shape) {
    return toText(importBytes(lstmFile(shape, randomWeights(shape, 7))));
  };
  EXPECT_EQ(text({.isWide = true}),
            "tflite:UNIDIRECTIONAL_SEQUENCE_LSTM(i2x5x6, c8x6, c8x6, c8x6, "
            "c8x6, c8x8, c8x8, c8x8, c8x8, -, -, -, c8:0, c8:0, c8:0, c8:0, -, "
            "-, i2x8, i2x8, -, -, -, -, 4, 6f, 0f, false) -> o2x5x8, o2x8, "
            "o2x8\n");
  EXPECT_EQ(text({.steps = 1, .isSequence = false, .isWide = true}),
            "tflite:LSTM(i2x6, c8x6, c8x6, c8x6, c8x6, c8x8, c8x8, c8x8, c8x8, "
            "-, -, -, c8:0, c8:0, c8:0, c8:0, -, -, i2x8, i2x8, -, -, -, -, 4, "
            "6f, 0f, 0) -> o2x8, o2x8, o2x8\n");
}

TEST(TFLiteQuantizedRecurrentTest, wideLstmStateIsCarried) {
  LstmShape whole{.batch = 1, .steps = 6, .isWide = true}, half = whole;
  half.steps = 3;
  LstmWeights weights = randomWeights(whole, 11);
  std::mt19937 random(12);
  Numbers input = randomWhole(random, 36, -30000, 30000);
  auto expected = resultsOf(lstmFile(whole, weights), {input});
  std::vector<std::byte> file = lstmFile(half, weights);
  EXPECT_EQ(importBytes(file).statePairs,
            (std::vector<StatePair>{{1, 1}, {2, 2}}));
  auto first = resultsOf(file, {{input.begin(), input.begin() + 18}});
  auto second =
      resultsOf(file, {{input.begin() + 18, input.end()}, first[1], first[2]});
  first[0].insert(first[0].end(), second[0].begin(), second[0].end());
  EXPECT_EQ(first[0], expected[0]);
  EXPECT_EQ(second[1], expected[1]);
  EXPECT_EQ(second[2], expected[2]);
}

TEST(TFLiteQuantizedRecurrentTest, lstmOutputsHaveZeroPoints) {
  for (int32_t zeroPoint : {-20, 30}) {
    checkLstm({.zeroPoint = zeroPoint}, 1.5);
    checkLstm({.outputs = 4, .zeroPoint = zeroPoint}, 2.5);
    checkLstm({.steps = 1, .isSequence = false, .zeroPoint = zeroPoint}, 1.5);
  }
}

TEST(TFLiteQuantizedRecurrentTest, layoutsOfSequencesAgree) {
  LstmShape batchMajor, timeMajor{.isTimeMajor = true};
  LstmWeights weights = randomWeights(batchMajor, 9);
  std::mt19937 random(10);
  Numbers input = randomWhole(random, 60, -100, 100), swapped;
  for (int32_t step = 0; step < 5; ++step)
    for (int32_t batch = 0; batch < 2; ++batch) {
      Numbers row = elementsAt(batchMajor, input, 6, batch, step);
      swapped.insert(swapped.end(), row.begin(), row.end());
    }
  auto first = runFile(lstmFile(batchMajor, weights), {input});
  auto second = runFile(lstmFile(timeMajor, weights), {swapped});
  for (int32_t step = 0; step < 5; ++step)
    for (int32_t batch = 0; batch < 2; ++batch)
      EXPECT_EQ(elementsAt(batchMajor, first[0], 8, batch, step),
                elementsAt(timeMajor, second[0], 8, batch, step));
  EXPECT_EQ(first[1], second[1]);
  EXPECT_EQ(first[2], second[2]);
}

TEST(TFLiteQuantizedRecurrentTest, lstmStateIsCarried) {
  LstmShape whole{.batch = 1, .steps = 6}, half{.batch = 1, .steps = 3};
  LstmWeights weights = randomWeights(whole, 11);
  std::mt19937 random(12);
  Numbers input = randomWhole(random, 36, -100, 100);
  auto expected = runFile(lstmFile(whole, weights), {input});
  std::vector<std::byte> file = lstmFile(half, weights);
  EXPECT_EQ(importBytes(file).statePairs,
            (std::vector<StatePair>{{1, 1}, {2, 2}}));
  auto first = runFile(file, {{input.begin(), input.begin() + 18}});
  auto second =
      runFile(file, {{input.begin() + 18, input.end()}, first[1], first[2]});
  first[0].insert(first[0].end(), second[0].begin(), second[0].end());
  EXPECT_EQ(first[0], expected[0]);
  EXPECT_EQ(second[1], expected[1]);
  EXPECT_EQ(second[2], expected[2]);
}

//===----------------------------------------------------------------------===//
// SVDF
//===----------------------------------------------------------------------===//

struct SvdfShape {
  int32_t batch = 2, inputSize = 7, filters = 6, rank = 2, memory = 5;
  bool hasBias = true;
};

const TensorSpec svdfInput = {{}, Type::INT8, {1 / 64.0f}, {-5}};
const TensorSpec svdfOutput = {{}, Type::INT8, {1 / 40.0f}, {-128}};
const float featureScale = 1 / 100.0f, timeScale = 1 / 30000.0f,
            svdfStateScale = 1 / 2000.0f;

struct SvdfWeights {
  Numbers features, times, bias;
};

std::vector<std::byte> svdfFile(const SvdfShape &shape,
                                const SvdfWeights &weights,
                                int64_t zeroPoint = 0) {
  TensorSpec input = svdfInput;
  input.shape = {shape.batch, shape.inputSize};
  float biasScale = svdfStateScale * timeScale;
  std::vector<TestInput> inputs = {
      {input, {}},
      {{{shape.filters, shape.inputSize},
        Type::INT8,
        {featureScale},
        {zeroPoint}},
       weights.features,
       true},
      {{{shape.filters, shape.memory}, Type::INT16, {timeScale}, {0}},
       weights.times,
       true},
      {{{shape.filters / shape.rank}, Type::INT32, {biasScale}, {0}},
       weights.bias,
       true},
      {{{shape.batch, shape.filters * shape.memory},
        Type::INT16,
        {svdfStateScale},
        {0},
        0,
        true},
       {}}};
  return operatorFile(
      Code::SVDF, inputs, {svdfOutput}, options([&](Builder &b) {
        return schema::CreateSVDFOptions(b, shape.rank, Activation::RELU);
      }));
}

/// Rounds \p value times \p factor as TFLite's fixed-point arithmetic does.
int64_t rescale(int64_t value, double factor) {
  int exponent;
  auto multiplier = int64_t(
      std::llround(std::frexp(factor, &exponent) * double(INT64_C(1) << 31)));
  int shift = std::max(-exponent, 0);
  value <<= std::max(exponent, 0);
  int64_t product = value * multiplier;
  int64_t nudge = product >= 0 ? 1 << 30 : 1 - (1 << 30);
  int64_t high = (product + nudge) / (INT64_C(1) << 31);
  int64_t mask = (INT64_C(1) << shift) - 1, rest = high & mask;
  return (high >> shift) + (rest > (mask >> 1) + (high < 0));
}

/// Computes SVDF of integers like TFLite, and moves \p state on.
Numbers integerSvdf(const SvdfShape &shape, const SvdfWeights &weights,
                    const Numbers &input, Numbers &state) {
  Numbers result;
  int32_t units = shape.filters / shape.rank;
  for (int32_t b = 0; b < shape.batch; ++b) {
    std::vector<int64_t> sums(units);
    for (int32_t f = 0; f < shape.filters; ++f) {
      double *row = &state[(b * shape.filters + f) * shape.memory];
      std::copy(row + 1, row + shape.memory, row);
      int64_t sum = 0;
      for (int32_t i = 0; i < shape.inputSize; ++i)
        sum += int64_t(weights.features[f * shape.inputSize + i]) *
               int64_t(input[b * shape.inputSize + i] + 5);
      row[shape.memory - 1] = double(
          std::clamp<int64_t>(rescale(sum, double(svdfInput.scales[0]) *
                                               featureScale / svdfStateScale),
                              -32768, 32767));
      for (int32_t m = 0; m < shape.memory; ++m)
        sums[f / shape.rank] +=
            int64_t(weights.times[f * shape.memory + m]) * int64_t(row[m]);
    }
    for (int32_t u = 0; u < units; ++u) {
      int64_t sum = sums[u] + int64_t(weights.bias[u]);
      double factor = double(svdfStateScale) * timeScale / svdfOutput.scales[0];
      result.push_back(
          double(std::clamp<int64_t>(rescale(sum, factor) - 128, -128, 127)));
    }
  }
  return result;
}

void checkSvdf(const SvdfShape &shape) {
  std::mt19937 random(13);
  SvdfWeights weights;
  weights.features =
      randomWhole(random, shape.filters * shape.inputSize, -127, 127);
  weights.times =
      randomWhole(random, shape.filters * shape.memory, -30000, 30000);
  weights.bias =
      randomWhole(random, shape.filters / shape.rank, -20000000, 60000000);
  std::vector<std::byte> file = svdfFile(shape, weights);
  Numbers state(shape.batch * shape.filters * shape.memory), expectedState;
  expectedState = state;
  for (int frame = 0; frame < 50; ++frame) {
    Numbers input =
        randomWhole(random, shape.batch * shape.inputSize, -128, 127);
    std::vector<Numbers> results = runFile(file, {input, state});
    ASSERT_EQ(results.size(), 2u);
    Numbers expected = integerSvdf(shape, weights, input, expectedState);
    EXPECT_EQ(results[0], expected);
    // The state holds TFLite's integers.
    EXPECT_EQ(results[1], expectedState);
    state = results[1];
  }
}

TEST(TFLiteQuantizedRecurrentTest, svdfMatchesIntegers) {
  checkSvdf({});
  checkSvdf(
      {.batch = 1, .inputSize = 40, .filters = 16, .rank = 1, .memory = 8});
  checkSvdf({.memory = 1});
}

TEST(TFLiteQuantizedRecurrentTest, svdfStateSaturates) {
  SvdfShape shape{
      .batch = 1, .inputSize = 600, .filters = 1, .rank = 1, .memory = 2};
  SvdfWeights weights = {Numbers(600, 127), {1, 0}, {0}};
  std::vector<std::byte> file = svdfFile(shape, weights);
  EXPECT_EQ(runFile(file, {Numbers(600, 127)})[1], (Numbers{0, 32767}));
  EXPECT_EQ(runFile(file, {Numbers(600, -128)})[1], (Numbers{0, -32768}));
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

TEST(TFLiteQuantizedRecurrentTest, svdfWeightsAreSymmetric) {
  SvdfShape shape{
      .batch = 1, .inputSize = 1, .filters = 1, .rank = 1, .memory = 1};
  EXPECT_EQ(importError(svdfFile(shape, {{1}, {1}, {1}}, /*zeroPoint=*/3)),
            "operator 0 (SVDF): weights have zero point 3, expected 0");
}

/// The message for an LSTM after \p change; less its beginning.
std::string lstmError(const LstmShape &shape,
                      const std::function<void(LstmWeights &)> &change) {
  LstmWeights weights = randomWeights(shape, 7);
  change(weights);
  std::string message = importError(lstmFile(shape, weights));
  auto end = message.find("): ");
  return end == std::string::npos ? message : message.substr(end + 3);
}

TEST(TFLiteQuantizedRecurrentTest, lstmErrors) {
  auto nothing = [](LstmWeights &) {};
  EXPECT_EQ(lstmError({}, nothing), "imported");
  EXPECT_EQ(lstmError({.batch = 1, .steps = 5000}, nothing),
            "needs 5000 operations, at most 4096 are composed");
  EXPECT_EQ(lstmError({}, [](LstmWeights &w) { w.specs[2].zeroPoints = {1}; }),
            "input 2, tensor 2 't2', must be a constant with zero point 0");
  EXPECT_EQ(lstmError({.zeroPoint = -127}, nothing), "imported");
  EXPECT_EQ(lstmError({.zeroPoint = -128}, nothing),
            "intermediate 4, tensor 19 't19', has zero point -128, without a "
            "projection it must be at least -127");
  EXPECT_EQ(lstmError({.outputs = 4, .zeroPoint = -128}, nothing), "imported");
  EXPECT_EQ(lstmError({},
                      [](LstmWeights &w) {
                        w.specs[13].type = Type::INT8;
                        w.values[13].assign(8, 1);
                      }),
            "input 13 has type INT8, but beside INT8 it is TENSOR_INT32");
}

TEST(TFLiteQuantizedRecurrentTest, wideLstmErrors) {
  auto nothing = [](LstmWeights &) {};
  EXPECT_EQ(lstmError({.hasInputGate = false, .isWide = true}, nothing),
            "input 1 is missing, but LSTMs of 16-bit activations have an input "
            "gate");
  EXPECT_EQ(lstmError({.hasPeephole = true, .isWide = true}, nothing),
            "input 9 is present, but LSTMs of 16-bit activations have no "
            "peepholes, projections or norms");
  EXPECT_EQ(lstmError({.outputs = 4, .isWide = true}, nothing),
            "input 16 is present, but LSTMs of 16-bit activations have no "
            "peepholes, projections or norms");
  LstmShape shape{.isWide = true};
  EXPECT_EQ(lstmError(shape,
                      [](LstmWeights &w) {
                        w.specs[13].type = Type::INT8;
                        w.values[13].assign(8, 1);
                      }),
            "input 13 has type INT8, but beside INT16 it is TENSOR_INT32");
  EXPECT_EQ(lstmError(shape, [](LstmWeights &w) { w.specs[2].shape = {6, 8}; }),
            "input 1 has shape 8x6, expected 6x6");
  EXPECT_EQ(halImportError(lstmFile(shape, randomWeights(shape, 7))),
            "operator 0 (UNIDIRECTIONAL_SEQUENCE_LSTM): the HAL's "
            "UNIDIRECTIONAL_SEQUENCE_LSTM does not take input 0 of type INT16; "
            "the extension nnhal.tflite takes it");
}

TEST(TFLiteQuantizedRecurrentTest, wideLstmNeedsKnownShapes) {
  TFLiteWriter file;
  TensorSpec wide = {{1, 1}, Type::INT16, {0x1p-12f}, {0}};
  int32_t input = file.tensor({{3}, Type::INT16, {0x1p-12f}, {0}});
  int32_t unique = file.tensor({{-1}, Type::INT16, {0x1p-12f}, {0}});
  int32_t places = file.tensor({{3}, Type::INT32}), row = file.tensor(wide);
  file.add(Code::UNIQUE, {input}, {unique, places});
  file.add(Code::EXPAND_DIMS, {unique, file.integers({0})}, {row});
  std::vector<int32_t> inputs(20, -1);
  inputs[0] = row;
  for (size_t i = 1; i < 9; ++i)
    inputs[i] = file.constant<int8_t>({{1, 1}, Type::INT8, {0.5f}, {0}}, {1});
  for (size_t i = 12; i < 16; ++i)
    inputs[i] = file.constant<int32_t>({{1}, Type::INT32}, {1});
  wide.isVariable = true;
  inputs[18] = file.tensor(wide);
  inputs[19] = file.tensor(wide);
  wide.isVariable = false;
  int32_t output = file.tensor(wide);
  file.add(Code::LSTM, inputs, {output},
           schema::CreateLSTMOptions(file.builder, Activation::TANH));
  EXPECT_EQ(importError(file.finish({input}, {output})),
            "operator 2 (LSTM): input 0 has shape [1,0], an LSTM with a state "
            "needs known extents");
}

/// An LSTM with one input gate of size 1, for what its operator states.
std::string smallLstmError(Activation activation, int intermediates,
                           float hiddenScale = 0.5f, float outputScale = 0.5f) {
  TFLiteWriter file;
  TensorSpec state = {{1, 1}, Type::INT8, {0.5f}, {0}};
  int32_t input = file.tensor({{1, 1, 1}, Type::INT8, {0.5f}, {0}});
  std::vector<int32_t> inputs(20, -1);
  inputs[0] = input;
  for (size_t i = 1; i < 9; ++i)
    inputs[i] = file.constant<int8_t>(state, {1});
  for (size_t i = 12; i < 16; ++i)
    inputs[i] = file.constant<int32_t>({{1}, Type::INT32}, {1});
  state.isVariable = true;
  inputs[18] = file.tensor(state);
  state.type = Type::INT16;
  state.scales = {0x1p-12f};
  inputs[19] = file.tensor(state);
  OperatorExtras extras;
  for (int i = 0; i < intermediates; ++i)
    extras.intermediates.push_back(
        hiddenScale > 0 ? file.tensor({{0}, Type::INT8, {hiddenScale}, {0}})
                        : file.tensor({{0}}));
  int32_t output = file.tensor({{}, Type::INT8, {outputScale}, {0}});
  file.add(
      Code::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {output},
      schema::BuiltinOptions::UnidirectionalSequenceLSTMOptions,
      schema::CreateUnidirectionalSequenceLSTMOptions(file.builder, activation)
          .Union(),
      extras);
  std::string message = importError(file.finish({input}, {output}));
  std::string prefix = "operator 0 (UNIDIRECTIONAL_SEQUENCE_LSTM): ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

TEST(TFLiteQuantizedRecurrentTest, lstmFormErrors) {
  EXPECT_EQ(smallLstmError(Activation::TANH, 5), "imported");
  EXPECT_EQ(smallLstmError(Activation::RELU, 5),
            "the HAL's QUANTIZED_LSTM has no activation but TANH, found 1");
  EXPECT_EQ(smallLstmError(Activation::TANH, 12),
            "has 12 intermediates, only the form with 5 is expressible");
  EXPECT_EQ(smallLstmError(Activation::TANH, 5, 0),
            "intermediate 4, tensor 19 't19', has no scale");
  EXPECT_EQ(smallLstmError(Activation::TANH, 5, 0.5f, 0.25f),
            "output 0 has scale 0.25 and zero point 0, but its state has 0.5 "
            "and 0");
}

TEST(TFLiteQuantizedRecurrentTest, svdfErrors) {
  auto error = [](Activation activation, const TensorSpec &state,
                  Type timeType = Type::INT16) {
    return operatorError(Code::SVDF,
                         {{{{1, 2}, Type::INT8, {0.5f}, {0}}, {}},
                          {{{1, 2}, Type::INT8, {0.5f}, {0}}, {1, 2}, true},
                          {{{1, 3}, timeType, {0.5f}, {0}}, {1, 2, 3}, true},
                          {{{1}, Type::INT32}, {1}, true},
                          {state, {}}},
                         {{{}, Type::INT8, {0.5f}, {0}}},
                         options([=](Builder &b) {
                           return schema::CreateSVDFOptions(b, 1, activation);
                         }));
  };
  TensorSpec state = {{1, 3}, Type::INT16, {0.5f}, {0}, 0, true};
  EXPECT_EQ(error(Activation::RELU, state), "imported");
  EXPECT_EQ(error(Activation::TANH, state),
            "quantized SVDF has no activation 4");
  EXPECT_EQ(error(Activation::RELU, state, Type::INT8),
            "input 2 has type INT8, but beside INT8 it is TENSOR_QUANT16_SYMM");
  state.type = Type::INT8;
  EXPECT_EQ(error(Activation::RELU, state),
            "state input 4 must be a variable of type INT16");
}

} // namespace
} // namespace nnhal::rt
