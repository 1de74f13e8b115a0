//===- FixedPoint.cpp - Integer arithmetic --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedPoint.h"

#include <bit>

using namespace nnhal;
using namespace nnhal::tflite;

Factor tflite::factorOf(double value) {
  if (value == 0.0 || !std::isfinite(value))
    return {};
  Factor factor;
  double fraction = std::frexp(value, &factor.shift);
  auto multiplier = int64_t(std::round(fraction * double(int64_t(1) << 31)));
  if (multiplier == int64_t(1) << 31) {
    multiplier /= 2;
    ++factor.shift;
  }
  if (factor.shift < -31)
    return {};
  // TensorFlow Lite takes the largest factor for those above 2^30.
  if (factor.shift > 30)
    return {std::numeric_limits<int32_t>::max(), 30};
  // No multiplier is -2^31, whose square does not fit.
  factor.multiplier = int32_t(std::max(multiplier, -(int64_t(1) << 31) + 1));
  return factor;
}

bool tflite::isPowerOfTwo(float value, int32_t &exponent) {
  if (!(value > 0.0f) || !std::isfinite(value))
    return false;
  float logarithm = std::log(value) * (1.0f / std::log(2.0f));
  float rounded = std::round(logarithm);
  exponent = int32_t(rounded);
  return std::abs(logarithm - rounded) < 1e-3f;
}

int32_t tflite::reciprocalOfOnePlus(int32_t x) {
  constexpr int32_t start = 1515870810, slope = -1010580540, one = 1 << 29;
  auto half =
      int32_t((int64_t(x) + std::numeric_limits<int32_t>::max() + 1) / 2);
  int32_t value = start + doublingHighMultiply(half, slope);
  for (int step = 0; step < 3; ++step)
    value += saturatingLeft(
        doublingHighMultiply(value, one - doublingHighMultiply(half, value)),
        2);
  return saturatingLeft(value, 1);
}

SumFactors tflite::factorsOfSum(float a, float b, float result) {
  double twice = 2.0 * std::max(a, b);
  return {factorOf(a / twice), factorOf(b / twice),
          factorOf(twice / (double(1 << 15) * result))};
}

SumFactors tflite::factorsOfSquare(float a, float b, float result) {
  double twice = 2.0 * std::max(a, b);
  return {factorOf(a / twice), factorOf(b / twice),
          factorOf(twice * twice / result)};
}

Factor tflite::factorOfReduction(float input, float result, int64_t count) {
  Factor factor = factorOf(double(input) / double(result));
  if (count <= 1)
    return factor;
  int32_t shift = 63 - std::countl_zero(uint64_t(count));
  shift = std::max(std::min({shift, 32, 31 + factor.shift}), 0);
  factor.multiplier = int32_t((int64_t(factor.multiplier) << shift) / count);
  factor.shift -= shift;
  return factor;
}

std::optional<SumShifts> tflite::shiftsOfSum(float a, float b, float result) {
  int32_t first = 0, second = 0, exponent = 0;
  if (!isPowerOfTwo(a, first) || !isPowerOfTwo(b, second) ||
      !isPowerOfTwo(result, exponent))
    return std::nullopt;
  SumShifts shifts{exponent - first, exponent - second};
  auto isRight = [](int32_t shift) { return shift >= 0 && shift <= 31; };
  if (!isRight(shifts.a) || !isRight(shifts.b) ||
      (shifts.a != 0 && shifts.b != 0))
    return std::nullopt;
  return shifts;
}

Bounds tflite::activationBounds(Activation activation, Bounds elements,
                                float scale, int32_t zeroPoint) {
  auto quantized = [&](float value) {
    double stored = double(zeroPoint) + std::round(value / scale);
    return int32_t(
        std::clamp(stored, double(elements.least), double(elements.most)));
  };
  switch (activation) {
  case Activation::none:
    return elements;
  case Activation::relu:
    return {quantized(0.0f), elements.most};
  case Activation::reluN1To1:
    return {quantized(-1.0f), quantized(1.0f)};
  case Activation::relu6:
    return {quantized(0.0f), quantized(6.0f)};
  case Activation::relu0To1:
    return {quantized(0.0f), quantized(1.0f)};
  }
  return elements;
}

int16_t tflite::lookUp(const Table16 &table, int16_t value) {
  int32_t index = 256 + (value >> 7);
  int32_t base = table[size_t(index)];
  int32_t slope = table[size_t(index) + 1] - base;
  return int16_t(base + ((slope * (value & 0x7F) + 64) >> 7));
}

Table16 tflite::exponentialTable(float inputScale, float outputScale) {
  return makeTable16(inputScale * -32768.0f, inputScale * 32767.0f, outputScale,
                     [](float value) { return std::exp(value); });
}

const SoftmaxTables &tflite::softmaxTables() {
  static const SoftmaxTables tables = [] {
    double unit = 10.0 / 65535, fraction = 1.0 / 65535;
    return SoftmaxTables{
        makeTable16(unit * (-32768 - 32767), unit * 0.0, 2.0 / 65535,
                    [](double x) { return std::exp(x); }),
        makeTable16(fraction * 0.0, fraction * 65535, 2.0 / 65535,
                    [](double x) { return 1.0 / (1.0 + x); })};
  }();
  return tables;
}

Factor tflite::softmaxFactor(float scale, float beta) {
  return factorOf(double(scale * beta) / (10.0 / 65535.0));
}

const std::array<uint16_t, 256> &tflite::logisticTable() {
  static const std::array<uint16_t, 256> table = [] {
    auto logistic = [](double x) { return 65536.0 / (1.0 + std::exp(-x)); };
    std::array<uint16_t, 256> values;
    for (int index = 0; index < 255; ++index) {
      double value = logistic(index / 24.0);
      double line = (value + logistic((index + 1) / 24.0)) / 2;
      double loss = logistic((index + 0.5) / 24.0) - line;
      values[size_t(index)] = uint16_t(std::round(value + loss / 2));
    }
    values[255] = 65535;
    return values;
  }();
  return table;
}
