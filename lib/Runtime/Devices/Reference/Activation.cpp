//===- Activation.cpp - Activations ---------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Broadcast.h"
#include "Runtime/Routines/Routine.h"
#include "Slices.h"

#include "Runtime/Numerics/FixedPointMath.h"
#include "Runtime/Numerics/QuantizedActivation.h"
#include "nnhal/Backend/Signatures/Activation.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

static bool isQuantized(const RoutineContext &context) {
  return nnhal::rt::isQuantized(context.inputType(0).type);
}

template <typename Map>
static Status mapFloats(RoutineContext &context, Map map) {
  Elements<float> values = context.floats(0);
  for (float &value : values)
    value = map(value);
  context.storeFloats(0, values);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// RELU, RELU1, RELU6
//===----------------------------------------------------------------------===//

/// Clamps values to the bounds of the activation, quantized ones to the bounds
/// in the scale of the result (M-051).
template <FusedActivation activation>
static Status runRectify(RoutineContext &context) {
  if (!isQuantized(context))
    return mapFloats(context, [](float value) {
      return applyActivation(activation, value);
    });
  StorageRange range = activationRange(activation, context.outputType(0));
  Elements<int32_t> values = context.integers(0);
  for (int32_t &value : values)
    value = std::clamp(value, range.low, range.high);
  context.storeIntegers(0, values);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// LOGISTIC, TANH
//===----------------------------------------------------------------------===//

/// Stores what \p table holds for the bytes of the input.
static Status lookUp(RoutineContext &context, const ByteTable &table) {
  Elements<int32_t> values = context.integers(0);
  for (int32_t &value : values)
    value = table[uint8_t(value)];
  context.storeIntegers(0, values);
  return Status::ok();
}

static Status runLogistic(RoutineContext &context) {
  if (isQuantized(context))
    return lookUp(context,
                  logisticTable(context.inputType(0), context.outputType(0)));
  return mapFloats(
      context, [](float value) { return 1.0f / (1.0f + std::exp(-value)); });
}

static Status runTanh(RoutineContext &context) {
  if (isQuantized(context))
    return lookUp(context, hyperbolicTangentTable(context.inputType(0),
                                                  context.outputType(0)));
  return mapFloats(context, [](float value) { return std::tanh(value); });
}

//===----------------------------------------------------------------------===//
// ELU, HARD_SWISH
//===----------------------------------------------------------------------===//

static Status runElu(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(float alpha, decodeElu(context.operation()));
  return mapFloats(context, [&](float value) {
    return value < 0.0f ? alpha * (std::exp(value) - 1.0f) : value;
  });
}

static Status runHardSwish(RoutineContext &context) {
  if (isQuantized(context))
    return lookUp(context,
                  hardSwishTable(context.inputType(0), context.outputType(0)));
  return mapFloats(context, [](float value) {
    return value * std::clamp(value + 3.0f, 0.0f, 6.0f) / 6.0f;
  });
}

//===----------------------------------------------------------------------===//
// PRELU
//===----------------------------------------------------------------------===//

/// Positive and negative values have factors of their own (M-145).
static Status quantizedPrelu(RoutineContext &context) {
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

static Status runPrelu(RoutineContext &context) {
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
static T largest(const Elements<T> &values, const Slice &slice) {
  T result = values[slice[0]];
  for (size_t i = 1; i < slice.size; ++i)
    result = std::max(result, values[slice[i]]);
  return result;
}

/// The largest element is subtracted first, so that exp() overflows nowhere
/// (M-062).
static void softmaxSlice(Elements<float> &values, const Slice &slice,
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

/// The sum of powers has 12 integer bits.
static void quantizedSoftmaxSlice(Elements<int32_t> &values, const Slice &slice,
                                  const ByteTable &powers) {
  constexpr int32_t sumBits = 12;
  int32_t top = largest(values, slice);
  auto expOf = [&](int32_t value) { return powers[size_t(top - value)]; };
  // The sum is at least 2^19: the largest element has the power 1.
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

static Status runSoftmax(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(SoftmaxForm form, decodeSoftmax(context.operation()));
  const Shape &shape = context.inputShape(0);
  if (!isQuantized(context)) {
    Elements<float> values = context.floats(0);
    forEachSlice(shape, form.axis, [&](const Slice &slice) {
      softmaxSlice(values, slice, form.beta);
    });
    context.storeFloats(0, values);
    return Status::ok();
  }
  ByteTable powers = softmaxPowers(form.beta, context.inputType(0).scale);
  Elements<int32_t> values = context.integers(0);
  forEachSlice(shape, form.axis, [&](const Slice &slice) {
    quantizedSoftmaxSlice(values, slice, powers);
  });
  for (int32_t &value : values)
    value += context.outputType(0).zeroPoint;
  context.storeIntegers(0, values);
  return Status::ok();
}

static Status runLogSoftmax(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(SoftmaxForm form, decodeSoftmax(context.operation()));
  Elements<float> values = context.floats(0);
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

std::span<const RoutineRow> reference::activationRoutines() {
  using enum OperationType;
  static constexpr RoutineRow rows[] = {
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
