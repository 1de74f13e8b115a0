//===- Activation.cpp - Activations -----------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Broadcast.h"
#include "FixedPointMath.h"
#include "Kernel.h"
#include "Slices.h"

#include "nnhal/Runtime/Signatures/Activation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

static bool isQuantized(const KernelContext &context) {
  return nnhal::rt::isQuantized(context.inputType(0).type);
}

template <typename Map>
static Status mapFloats(KernelContext &context, Map map) {
  std::vector<float> values = context.floats(0);
  for (float &value : values)
    value = map(value);
  context.storeFloats(0, values);
  return Status::ok();
}

/// Stores map(q - zero point) + the result's zero point. \p map yields 64 bits.
template <typename Map>
static Status mapQuantized(KernelContext &context, Map map) {
  int32_t zeroPoint = context.inputType(0).zeroPoint;
  const TensorType &type = context.outputType(0);
  StorageRange range = storageRange(type.type);
  std::vector<int32_t> values = context.integers(0);
  for (int32_t &value : values)
    value = int32_t(
        std::clamp<int64_t>(int64_t(map(value - zeroPoint)) + type.zeroPoint,
                            range.low, range.high));
  context.storeIntegers(0, values);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// RELU, RELU1, RELU6
//===----------------------------------------------------------------------===//

/// M-051.
template <FusedActivation activation>
static Status runRectify(KernelContext &context) {
  if (!isQuantized(context))
    return mapFloats(context, [](float value) {
      return applyActivation(activation, value);
    });
  StorageRange range = activationRange(activation, context.outputType(0));
  std::vector<int32_t> values = context.integers(0);
  for (int32_t &value : values)
    value = std::clamp(value, range.low, range.high);
  context.storeIntegers(0, values);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// LOGISTIC, TANH
//===----------------------------------------------------------------------===//

/// A fixed-point function of quantized values, evaluated with 4 integer bits
/// and rounded to \p resultBits. Beyond its radius it is \p lowest or
/// \p highest (M-054).
struct SaturatingFunction {
  int32_t (*function)(int32_t raw, int32_t integerBits);
  int32_t resultBits;
  int32_t lowest;
  int32_t highest;
};

static Status mapSaturating(KernelContext &context,
                            const SaturatingFunction &saturating) {
  constexpr int32_t integerBits = 4;
  FixedPointFactor factor = fixedPointFactor(
      std::ldexp(double(context.inputType(0).scale), 31 - integerBits));
  int32_t radius = fixedPointInputRadius(integerBits, factor.exponent);
  return mapQuantized(context, [&](int32_t value) {
    if (value < -radius)
      return saturating.lowest;
    if (value > radius)
      return saturating.highest;
    return roundingDivideByPowerOfTwo(
        saturating.function(multiplyByFactor(value, factor), integerBits),
        31 - saturating.resultBits);
  });
}

static Status runLogistic(KernelContext &context) {
  if (isQuantized(context))
    return mapSaturating(context, {fixedPointLogistic, 8, 0, 256});
  return mapFloats(
      context, [](float value) { return 1.0f / (1.0f + std::exp(-value)); });
}

static Status runTanh(KernelContext &context) {
  if (isQuantized(context))
    return mapSaturating(context, {fixedPointTanh, 7, -128, 128});
  return mapFloats(context, [](float value) { return std::tanh(value); });
}

//===----------------------------------------------------------------------===//
// ELU, HARD_SWISH
//===----------------------------------------------------------------------===//

static Status runElu(KernelContext &context) {
  NNHAL_ASSIGN_OR_RETURN(float alpha, decodeElu(context.operation()));
  return mapFloats(context, [&](float value) {
    return value < 0.0f ? alpha * (std::exp(value) - 1.0f) : value;
  });
}

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

/// A factor with a multiplier of 15 bits.
struct HalfFactor {
  int16_t multiplier;
  int32_t exponent;
};
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
  // From [-1, 1] to [0, 1].
  relu = int16_t((int32_t(relu) + (1 << 15)) >> 1);
  return shift16(truncatingHighProduct(relu, unshifted), toResult.exponent);
}

static Status runHardSwish(KernelContext &context) {
  if (!isQuantized(context))
    return mapFloats(context, [](float value) {
      return value * std::clamp(value + 3.0f, 0.0f, 6.0f) / 6.0f;
    });
  constexpr int32_t extraBits = 7;
  float scale = context.inputType(0).scale / (1 << extraBits);
  HalfFactor toRelu = halfFactor(scale / (3.0f / 32768.0f));
  HalfFactor toResult = halfFactor(scale / context.outputType(0).scale);
  return mapQuantized(context, [&](int32_t value) {
    return hardSwish16(int16_t(value * (1 << extraBits)), toRelu, toResult);
  });
}

//===----------------------------------------------------------------------===//
// PRELU
//===----------------------------------------------------------------------===//

/// Positive and negative values have factors of their own (M-145).
static Status quantizedPrelu(KernelContext &context) {
  const TensorType &input = context.inputType(0);
  const TensorType &alpha = context.inputType(1);
  const TensorType &output = context.outputType(0);
  FixedPointFactor positive = fixedPointFactor(input.scale / output.scale);
  FixedPointFactor negative =
      fixedPointFactor(double(input.scale * alpha.scale) / output.scale);
  StorageRange range = storageRange(output.type);
  auto map = [&](int32_t x, int32_t a) {
    int32_t value = x - input.zeroPoint;
    int64_t result =
        value >= 0 ? multiplyByFactor(value, positive)
                   : multiplyByFactor(value * (a - alpha.zeroPoint), negative);
    return int32_t(
        std::clamp<int64_t>(result + output.zeroPoint, range.low, range.high));
  };
  context.storeIntegers(
      0, mapBroadcast<int32_t>(context.integers(0), context.inputShape(0),
                               context.integers(1), context.inputShape(1),
                               context.outputShape(0), map));
  return Status::ok();
}

static Status runPrelu(KernelContext &context) {
  if (isQuantized(context))
    return quantizedPrelu(context);
  auto map = [](float x, float alpha) { return x >= 0.0f ? x : x * alpha; };
  context.storeFloats(
      0, mapBroadcast<float>(context.floats(0), context.inputShape(0),
                             context.floats(1), context.inputShape(1),
                             context.outputShape(0), map));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// SOFTMAX, LOG_SOFTMAX
//===----------------------------------------------------------------------===//

template <typename T>
static T largest(const std::vector<T> &values, const Slice &slice) {
  T result = values[slice[0]];
  for (size_t i = 1; i < slice.size; ++i)
    result = std::max(result, values[slice[i]]);
  return result;
}

/// The largest element is subtracted first, so that exp() overflows nowhere
/// (M-062).
static void softmaxSlice(std::vector<float> &values, const Slice &slice,
                         float beta) {
  float top = largest(values, slice);
  float sum = 0.0f;
  for (size_t i = 0; i < slice.size; ++i) {
    float &value = values[slice[i]];
    value = std::exp((value - top) * beta);
    sum += value;
  }
  for (size_t i = 0; i < slice.size; ++i)
    values[slice[i]] /= sum;
}

/// exp() has 5 integer bits for its argument; the sum of its values has 12.
static void quantizedSoftmaxSlice(std::vector<int32_t> &values,
                                  const Slice &slice, FixedPointFactor factor) {
  constexpr int32_t argumentBits = 5, sumBits = 12;
  int32_t top = largest(values, slice);
  int32_t lowest = -fixedPointInputRadius(argumentBits, factor.exponent);
  auto expOf = [&](int32_t value) {
    int32_t difference = value - top;
    if (difference < lowest)
      return 0;
    return fixedPointExpOfNonPositive(multiplyByFactor(difference, factor),
                                      argumentBits);
  };
  // At least 2^19: the largest element has the power 1.
  uint64_t sum = 0;
  for (size_t i = 0; i < slice.size; ++i)
    sum +=
        uint64_t(roundingDivideByPowerOfTwo(expOf(values[slice[i]]), sumBits));
  int32_t bitsOverOne = 63 - std::countl_zero(sum) - (31 - sumBits);
  // A share of 1/512 or less is below half of the result's last bit.
  int32_t resultShift = bitsOverOne + 31 - 8;
  if (resultShift > 31) {
    for (size_t i = 0; i < slice.size; ++i)
      values[slice[i]] = 0;
    return;
  }
  auto fraction =
      int32_t((uint32_t(sum) << (12 - bitsOverOne)) - (uint32_t(1) << 31));
  int32_t scale = fixedPointOneOverOnePlus(fraction);
  for (size_t i = 0; i < slice.size; ++i) {
    int32_t &value = values[slice[i]];
    value =
        std::clamp(roundingDivideByPowerOfTwo(
                       saturatingRoundingDoublingHighMul(scale, expOf(value)),
                       resultShift),
                   0, 255);
  }
}

static Status runSoftmax(KernelContext &context) {
  NNHAL_ASSIGN_OR_RETURN(SoftmaxForm form, decodeSoftmax(context.operation()));
  const Shape &shape = context.inputShape(0);
  if (!isQuantized(context)) {
    std::vector<float> values = context.floats(0);
    forEachSlice(shape, form.axis, [&](const Slice &slice) {
      softmaxSlice(values, slice, form.beta);
    });
    context.storeFloats(0, values);
    return Status::ok();
  }
  FixedPointFactor factor = fixedPointFactor(
      std::min(double(form.beta) * context.inputType(0).scale * (1 << 26),
               double((int64_t(1) << 31) - 1)));
  std::vector<int32_t> values = context.integers(0);
  forEachSlice(shape, form.axis, [&](const Slice &slice) {
    quantizedSoftmaxSlice(values, slice, factor);
  });
  for (int32_t &value : values)
    value += context.outputType(0).zeroPoint;
  context.storeIntegers(0, values);
  return Status::ok();
}

static Status runLogSoftmax(KernelContext &context) {
  NNHAL_ASSIGN_OR_RETURN(SoftmaxForm form, decodeSoftmax(context.operation()));
  std::vector<float> values = context.floats(0);
  forEachSlice(context.inputShape(0), form.axis, [&](const Slice &slice) {
    float top = largest(values, slice);
    float sum = 0.0f;
    for (size_t i = 0; i < slice.size; ++i) {
      float &value = values[slice[i]];
      value = (value - top) * form.beta;
      sum += std::exp(value);
    }
    float logOfSum = std::log(sum);
    for (size_t i = 0; i < slice.size; ++i)
      values[slice[i]] -= logOfSum;
  });
  context.storeFloats(0, values);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

std::span<const KernelRow> reference::activationKernels() {
  using enum OperationType;
  static constexpr KernelRow rows[] = {
      {RELU, runRectify<FusedActivation::relu>},
      {RELU1, runRectify<FusedActivation::relu1>},
      {RELU6, runRectify<FusedActivation::relu6>},
      {LOGISTIC, runLogistic},
      {TANH, runTanh},
      {ELU, runElu},
      {HARD_SWISH, runHardSwish},
      {PRELU, runPrelu},
      {SOFTMAX, runSoftmax},
      {LOG_SOFTMAX, runLogSoftmax},
  };
  return rows;
}
