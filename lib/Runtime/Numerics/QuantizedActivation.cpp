//===- QuantizedActivation.cpp - Activations of 8-bit values --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizedActivation.h"

#include "FixedPointMath.h"
#include "Quantization.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace nnhal::rt;

/// map(q - zero point) + the result's zero point, for every byte q.
template <typename Map>
static ByteTable tableOf(const TensorType &input, const TensorType &output,
                         Map map) {
  StorageRange range = storageRange(output.type);
  bool isSigned = storageRange(input.type).low < 0;
  ByteTable table;
  for (int32_t byte = 0; byte < 256; ++byte) {
    int32_t stored = isSigned ? int8_t(byte) : byte;
    table[size_t(byte)] = int32_t(std::clamp<int64_t>(
        int64_t(map(stored - input.zeroPoint)) + output.zeroPoint, range.low,
        range.high));
  }
  return table;
}

//===----------------------------------------------------------------------===//
// LOGISTIC, TANH
//===----------------------------------------------------------------------===//

namespace {
/// A fixed-point function of quantized values, evaluated with 4 integer bits
/// and rounded to \p resultBits. Beyond its radius it is \p lowest or
/// \p highest (M-054).
struct SaturatingFunction {
  int32_t (*function)(int32_t raw, int32_t integerBits);
  int32_t resultBits;
  int32_t lowest;
  int32_t highest;
};
} // namespace

static ByteTable saturatingTable(const TensorType &input,
                                 const TensorType &output,
                                 const SaturatingFunction &saturating) {
  constexpr int32_t integerBits = 4;
  FixedPointFactor factor =
      fixedPointFactor(std::ldexp(double(input.scale), 31 - integerBits));
  int32_t radius = fixedPointInputRadius(integerBits, factor.exponent);
  return tableOf(input, output, [&](int32_t value) {
    if (value < -radius)
      return saturating.lowest;
    if (value > radius)
      return saturating.highest;
    return roundingDivideByPowerOfTwo(
        saturating.function(multiplyByFactor(value, factor), integerBits),
        31 - saturating.resultBits);
  });
}

ByteTable nnhal::rt::logisticTable(const TensorType &input,
                                   const TensorType &output) {
  return saturatingTable(input, output, {fixedPointLogistic, 8, 0, 256});
}

ByteTable nnhal::rt::hyperbolicTangentTable(const TensorType &input,
                                            const TensorType &output) {
  return saturatingTable(input, output, {fixedPointTanh, 7, -128, 128});
}

//===----------------------------------------------------------------------===//
// HARD_SWISH
//===----------------------------------------------------------------------===//

static int16_t saturateTo16(int32_t value) {
  return int16_t(std::clamp<int32_t>(value, std::numeric_limits<int16_t>::min(),
                                     std::numeric_limits<int16_t>::max()));
}

/// a * b * 2^-15, rounded to nearest or toward zero.
static int16_t roundingHighProduct(int16_t a, int16_t b) {
  int32_t product = int32_t(a) * b;
  int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return saturateTo16((product + nudge) / (1 << 15));
}
static int16_t truncatingHighProduct(int16_t a, int16_t b) {
  return saturateTo16(int32_t(a) * b / (1 << 15));
}

/// value * 2^exponent with 16 bits, saturated or rounded.
static int16_t shift16(int16_t value, int32_t exponent) {
  return saturateTo16(saturatingShift(value, exponent));
}

namespace {
/// A factor with a multiplier of 15 bits.
struct HalfFactor {
  int16_t multiplier;
  int32_t exponent;
};
} // namespace

static HalfFactor halfFactor(float value) {
  FixedPointFactor factor = fixedPointFactor(value);
  int64_t rounded = (int64_t(factor.multiplier) + (1 << 15)) >> 16;
  return {saturateTo16(int32_t(rounded)), factor.exponent};
}

/// x * clamp(x + 3, 0, 6) / 6 of a quantized x on 16 bits (M-057). Operands are
/// kept as large as they go: \p value has 7 more bits than the input, the shift
/// of \p toResult comes last.
static int16_t hardSwish16(int16_t value, HalfFactor toRelu,
                           HalfFactor toResult) {
  int16_t unshifted = roundingHighProduct(value, toResult.multiplier);
  // clamp(x / 3, -1, 1) with 15 bits: all but the last bit of a left shift
  // precede the product, so that it loses none.
  int16_t relu = value;
  if (toRelu.exponent > 0)
    relu = shift16(relu, toRelu.exponent - 1);
  relu = roundingHighProduct(relu, toRelu.multiplier);
  if (toRelu.exponent > 0)
    relu = shift16(relu, 1);
  else
    relu = shift16(relu, toRelu.exponent);
  // This maps [-1, 1] to [0, 1].
  relu = int16_t((int32_t(relu) + (1 << 15)) >> 1);
  return shift16(truncatingHighProduct(relu, unshifted), toResult.exponent);
}

ByteTable nnhal::rt::hardSwishTable(const TensorType &input,
                                    const TensorType &output) {
  constexpr int32_t extraBits = 7;
  float scale = input.scale / (1 << extraBits);
  HalfFactor toRelu = halfFactor(scale / (3.0f / 32768.0f));
  HalfFactor toResult = halfFactor(scale / output.scale);
  return tableOf(input, output, [&](int32_t value) {
    return hardSwish16(int16_t(value * (1 << extraBits)), toRelu, toResult);
  });
}

//===----------------------------------------------------------------------===//
// SOFTMAX
//===----------------------------------------------------------------------===//

ByteTable nnhal::rt::softmaxPowers(float beta, float scale) {
  constexpr int32_t argumentBits = 5;
  FixedPointFactor factor = fixedPointFactor(std::min(
      double(beta) * scale * (1 << 26), double((int64_t(1) << 31) - 1)));
  int32_t radius = fixedPointInputRadius(argumentBits, factor.exponent);
  ByteTable powers{};
  for (int32_t i = 0; i < 256 && i <= radius; ++i)
    powers[size_t(i)] =
        fixedPointExpOfNonPositive(multiplyByFactor(-i, factor), argumentBits);
  return powers;
}
