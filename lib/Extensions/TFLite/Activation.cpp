//===- Activation.cpp - Activations ---------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Activations of floats, and of 16-bit numbers by the tables and the
// fixed-point arithmetic of TensorFlow Lite's reference kernels.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Families.h"
#include "FixedPoint.h"
#include "Sigmoid.h"

#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet elements = elementSet(Element::float32, Element::int16);
constexpr ElementSet bytes = elementSet(Element::int8, Element::uint8);
constexpr ElementSet rescaled = elements | bytes;

Result<Types> checkActivation(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkScales(1));
  return onlyResult(use, use.input(0).dimensions);
}

bool isFloat(const Run &run) { return run.use.element(0) == Element::float32; }

//===----------------------------------------------------------------------===//
// RELU and its like
//===----------------------------------------------------------------------===//

struct Slopes {
  Factor positive, negative;
  Bounds bounds;
};

/// Rescales by one factor from 0 on and by another one below.
NNHAL_TARGET_CLONES void rescaleRow(int16_t *to, const int16_t *from,
                                    int64_t count, const Slopes &given) {
  Slopes p = given;
  for (int64_t index = 0; index < count; ++index) {
    int32_t value = from[index];
    int32_t positive = scale(value, p.positive);
    int32_t negative = scale(value, p.negative);
    to[index] = int16_t(p.bounds(value >= 0 ? positive : negative));
  }
}

Status rescale(Run &run, const Slopes &slopes) {
  NNHAL_ASSIGN_OR_RETURN(int16_t *to, run.allocate<int16_t>(0));
  rescaleRow(to, run.use.data<int16_t>(0), elementCount(run.types[0]), slopes);
  return Status::ok();
}

/// Rescales bytes, which have zero points.
template <typename T> Status rescaleBytes(Run &run, Activation activation) {
  const TensorType &from = run.use.input(0), &to = run.use.output(0);
  const Factor factor = factorOf(from.scale / to.scale);
  const Bounds bounds =
      activationBounds(activation, boundsOf<T>(), to.scale, to.zeroPoint);
  return map<T>(run, [&](T value) {
    return T(bounds(
        wrappingAdd(scale(value - from.zeroPoint, factor), to.zeroPoint)));
  });
}

Status runRelu(Run &run, Activation activation) {
  const Use &use = run.use;
  if (isFloat(run))
    return map<float>(
        run, [=](float value) { return activated(value, activation); });
  if (use.element(0) == Element::int8)
    return rescaleBytes<int8_t>(run, activation);
  if (use.element(0) == Element::uint8)
    return rescaleBytes<uint8_t>(run, activation);
  // TensorFlow Lite computes the factors of activations in single precision.
  Factor factor = factorOf(use.input(0).scale / use.output(0).scale);
  return rescale(run, {factor, factor,
                       activationBounds(activation, boundsOf<int16_t>(),
                                        use.output(0).scale, 0)});
}

Status runLeakyRelu(Run &run) {
  const Use &use = run.use;
  float alpha = use.real("alpha");
  if (isFloat(run))
    return map<float>(
        run, [=](float value) { return value > 0 ? value : value * alpha; });
  float input = use.input(0).scale, output = use.output(0).scale;
  return rescale(run, {factorOf(input / output),
                       factorOf(input * alpha / output), boundsOf<int16_t>()});
}

Result<Types> checkLeakyRelu(const Use &use) {
  if (float alpha = use.real("alpha"); !std::isfinite(alpha))
    return refuse("option alpha is ", alpha, ", but must be finite");
  return checkActivation(use);
}

//===----------------------------------------------------------------------===//
// LOGISTIC, TANH
//===----------------------------------------------------------------------===//

/// The table's results are fractions of 15 bits.
Result<Types> checkFraction(const Use &use) {
  NNHAL_ASSIGN_OR_RETURN(Types types, checkActivation(use));
  if (use.element(0) == Element::float32)
    return types;
  int32_t exponent = 0;
  if (!isPowerOfTwo(use.output(0).scale, exponent) || exponent != -15)
    return refuse("output 0 has scale ", use.output(0).scale,
                  ", but must have 2^-15");
  return types;
}

Status runLogistic(Run &run) {
  if (isFloat(run))
    return map<float>(
        run, [](float value) { return 1.0f / (1.0f + std::exp(-value)); });
  return map(run, Logistic16(tableInput(run.use.input(0).scale, 0)));
}

Status runTanh(Run &run) {
  if (isFloat(run))
    return map<float>(run, [](float value) { return std::tanh(value); });
  return map(run, Tanh16(tableInput(run.use.input(0).scale, 1)));
}

//===----------------------------------------------------------------------===//
// EXP
//===----------------------------------------------------------------------===//

Status runExp(Run &run) {
  if (isFloat(run))
    return map<float>(run, [](float value) { return std::exp(value); });
  Table16 table =
      exponentialTable(run.use.input(0).scale, run.use.output(0).scale);
  return map(run, [&](int16_t value) { return lookUp(table, value); });
}

constexpr OptionRow leakyReluOptions[] = {{"alpha", OptionKind::real}};

constexpr OperatorRow rows[] = {
    {14, "LOGISTIC", "input ", 0, elements, {}, 1, checkFraction, runLogistic},
    {19,
     "RELU",
     "input ",
     0,
     rescaled,
     {},
     1,
     checkActivation,
     [](Run &run) { return runRelu(run, Activation::relu); }},
    {20,
     "RELU_N1_TO_1",
     "input ",
     0,
     rescaled,
     {},
     1,
     checkActivation,
     [](Run &run) { return runRelu(run, Activation::reluN1To1); }},
    {21,
     "RELU6",
     "input ",
     0,
     rescaled,
     {},
     1,
     checkActivation,
     [](Run &run) { return runRelu(run, Activation::relu6); }},
    {28, "TANH", "input ", 0, elements, {}, 1, checkFraction, runTanh},
    {47, "EXP", "input ", 0, elements, {}, 1, checkActivation, runExp},
    {98, "LEAKY_RELU", "input ", 0, elements, leakyReluOptions, 1,
     checkLeakyRelu, runLeakyRelu},
    {152,
     "RELU_0_TO_1",
     "input ",
     0,
     elementSet(Element::float32) | bytes,
     {},
     1,
     checkActivation,
     [](Run &run) { return runRelu(run, Activation::relu0To1); }},
};

} // namespace

Rows tflite::activationRows() { return rows; }
