//===- Normalization.cpp - Normalizations ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Normalization.h"

#include "Runtime/Routines/Routine.h"
#include "Slices.h"

#include "Runtime/Numerics/FixedPointMath.h"

#include <algorithm>
#include <cmath>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

//===----------------------------------------------------------------------===//
// L2_NORMALIZATION
//===----------------------------------------------------------------------===//

static void l2NormalizeSlice(Elements<float> &values, const Slice &slice) {
  float sum = 0.0f;
  for (size_t i = 0; i < slice.size; ++i)
    sum += values[slice[i]] * values[slice[i]];
  // The bound makes a slice of zeros stay one (M-066).
  float norm = std::max(std::sqrt(sum), 1e-6f);
  for (size_t i = 0; i < slice.size; ++i)
    values[slice[i]] /= norm;
}

/// The result has scale 1/128. \p values lack the zero point, before and after.
static void quantizedL2NormalizeSlice(Elements<int32_t> &values,
                                      const Slice &slice) {
  int64_t sum = 0;
  for (size_t i = 0; i < slice.size; ++i)
    sum += int64_t(values[slice[i]]) * values[slice[i]];
  FixedPointFactor factor = fixedPointInverseSqrt(sum);
  for (size_t i = 0; i < slice.size; ++i) {
    int32_t &value = values[slice[i]];
    value = multiplyByFactor(value * 128, factor);
  }
}

static Status runL2Normalization(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(int64_t axis,
                         decodeL2Normalization(context.operation()));
  const TensorType &type = context.inputType(0);
  if (!isQuantized(type.type)) {
    Elements<float> values = context.floats(0);
    forEachSlice(type.dimensions, axis,
                 [&](const Slice &slice) { l2NormalizeSlice(values, slice); });
    context.storeFloats(0, values);
    return Status::ok();
  }
  Elements<int32_t> values = context.integers(0);
  for (int32_t &value : values)
    value -= type.zeroPoint;
  forEachSlice(type.dimensions, axis, [&](const Slice &slice) {
    quantizedL2NormalizeSlice(values, slice);
  });
  for (int32_t &value : values)
    value += context.outputType(0).zeroPoint;
  context.storeIntegers(0, values);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// LOCAL_RESPONSE_NORMALIZATION
//===----------------------------------------------------------------------===//

static Status runLocalResponseNormalization(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(LocalResponseForm form,
                         decodeLocalResponseNormalization(context.operation()));
  Elements<float> input = context.floats(0);
  Elements<float> result(input.size());
  auto radius = size_t(form.radius);
  forEachSlice(context.inputShape(0), form.axis, [&](const Slice &slice) {
    for (size_t i = 0; i < slice.size; ++i) {
      size_t begin = i - std::min(i, radius);
      size_t end = std::min(slice.size, i + radius + 1);
      float sum = 0.0f;
      for (size_t j = begin; j < end; ++j)
        sum += input[slice[j]] * input[slice[j]];
      result[slice[i]] =
          input[slice[i]] * std::pow(form.bias + form.alpha * sum, -form.beta);
    }
  });
  context.storeFloats(0, result);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// INSTANCE_NORMALIZATION
//===----------------------------------------------------------------------===//

/// \p pixels are the elements of one channel of one batch.
static void normalizeInstance(Elements<float> &values, const Slice &pixels,
                              const InstanceNormalizationForm &form) {
  float mean = 0.0f;
  for (size_t i = 0; i < pixels.size; ++i)
    mean += values[pixels[i]];
  mean /= float(pixels.size);
  float variance = 0.0f;
  for (size_t i = 0; i < pixels.size; ++i) {
    float distance = values[pixels[i]] - mean;
    variance += distance * distance;
  }
  variance /= float(pixels.size);
  float deviation = std::sqrt(variance + form.epsilon);
  for (size_t i = 0; i < pixels.size; ++i) {
    float &value = values[pixels[i]];
    value = (value - mean) * form.gamma / deviation + form.beta;
  }
}

static Status runInstanceNormalization(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(InstanceNormalizationForm form,
                         decodeInstanceNormalization(context.operation()));
  const Shape &shape = context.inputShape(0);
  Elements<float> values = context.floats(0);
  if (values.empty()) { // Height times width has no bound.
    context.storeFloats(0, values);
    return Status::ok();
  }
  // Height and width as one axis.
  Shape pixels = form.isNchw ? Shape{shape[0], shape[1], shape[2] * shape[3]}
                             : Shape{shape[0], shape[1] * shape[2], shape[3]};
  forEachSlice(pixels, form.isNchw ? 2 : 1, [&](const Slice &slice) {
    normalizeInstance(values, slice, form);
  });
  context.storeFloats(0, values);
  return Status::ok();
}

std::span<const RoutineRow> reference::normalizationRoutines() {
  using enum OperationType;
  static constexpr RoutineRow rows[] = {
      {L2_NORMALIZATION, runL2Normalization},
      {LOCAL_RESPONSE_NORMALIZATION, runLocalResponseNormalization},
      {INSTANCE_NORMALIZATION, runInstanceNormalization},
  };
  return rows;
}
