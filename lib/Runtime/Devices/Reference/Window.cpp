//===- Window.cpp - The Window operations ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Window.h"

#include "Runtime/Routines/Layout.h"

#include "Runtime/Numerics/FixedPoint.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

namespace {

/// The pixels of an input, [begin, end) on an axis, under one window.
struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
};

} // namespace

/// Returns the place of window number \p index, less the padding (M-092,
/// M-096). Pads are smaller than windows, so it is not empty (pool C5).
static Interval windowAt(int64_t index, int64_t stride, int64_t pad,
                         int64_t window, int64_t input) {
  int64_t start = index * stride - pad;
  return {std::max<int64_t>(start, 0), std::min(start + window, input)};
}

/// Reduces the elements under each window, channel by channel: starts with
/// \p first, joins by \p step(sum, element), ends with \p last(sum, count).
template <typename T, typename Step, typename Last>
static Elements<T> pool(const PoolForm &form, const Shape &output,
                        const Elements<T> &values, T first, Step step,
                        Last last) {
  const Shape &input = form.input.dimensions;
  const WindowParams &params = form.params;
  int64_t channels = input[3];
  Elements<T> result;
  if (elementCount(output) == 0) // Its height and width may be anything.
    return result;
  result.reserve(size_t(elementCount(output)));
  Elements<T> sums;
  for (int64_t b = 0; b < output[0]; ++b)
    for (int64_t y = 0; y < output[1]; ++y) {
      Interval rows = windowAt(y, params.strides.height, params.pads.top,
                               params.window.height, input[1]);
      for (int64_t x = 0; x < output[2]; ++x) {
        Interval columns = windowAt(x, params.strides.width, params.pads.left,
                                    params.window.width, input[2]);
        sums.assign(size_t(channels), first);
        for (int64_t row = rows.begin; row < rows.end; ++row)
          for (int64_t column = columns.begin; column < columns.end; ++column) {
            const T *pixel =
                values.data() +
                ((b * input[1] + row) * input[2] + column) * channels;
            for (int64_t c = 0; c < channels; ++c)
              sums[size_t(c)] = step(sums[size_t(c)], pixel[c]);
          }
        int64_t count = rows.size() * columns.size();
        for (T sum : sums)
          result.push_back(last(sum, count));
      }
    }
  return result;
}

/// Pools floats and applies the activation.
template <typename Step, typename Last>
static Status poolFloats(RoutineContext &context, const PoolForm &form,
                         const Shape &output, float first, Step step,
                         Last last) {
  Elements<float> values =
      toNhwc(context.floats(0), form.input.dimensions, form.isNchw);
  Elements<float> result =
      pool(form, output, values, first, step, [&](float sum, int64_t count) {
        return applyActivation(form.params.activation, last(sum, count));
      });
  context.storeFloats(0, fromNhwc(std::move(result), output, form.isNchw));
  return Status::ok();
}

/// Pools quantized values, to the bounds of the activation (M-017). The result
/// has the input's scale and zero point.
template <typename Step, typename Last>
static Status poolIntegers(RoutineContext &context, const PoolForm &form,
                           const Shape &output, int64_t first, Step step,
                           Last last) {
  Elements<int32_t> integers =
      toNhwc(context.integers(0), form.input.dimensions, form.isNchw);
  Elements<int64_t> values(integers.begin(), integers.end());
  StorageRange range =
      activationRange(form.params.activation, context.outputType(0));
  Elements<int64_t> pooled = pool(form, output, values, first, step, last);
  Elements<int32_t> result(pooled.size());
  for (size_t i = 0; i < pooled.size(); ++i)
    result[i] = int32_t(std::clamp<int64_t>(pooled[i], range.low, range.high));
  context.storeIntegers(0, fromNhwc(std::move(result), output, form.isNchw));
  return Status::ok();
}

static Shape nhwcOutput(const RoutineContext &context, bool isNchw) {
  return isNchw ? nchwToNhwc(context.outputShape(0)) : context.outputShape(0);
}

static Status averagePool(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(PoolForm form, decodePool(context.operation()));
  Shape output = nhwcOutput(context, form.isNchw);
  const TensorType &type = context.inputType(0);
  auto add = [](auto sum, auto element) { return sum + element; };
  if (!isQuantized(type.type))
    return poolFloats(
        context, form, output, 0.0f, add,
        [](float sum, int64_t count) { return sum / float(count); });
  // Half is rounded up (M-093), for signed values too: they are taken from the
  // lowest value on (M-022).
  int64_t low = storageRange(type.type).low;
  return poolIntegers(context, form, output, 0, add,
                      [=](int64_t sum, int64_t count) {
                        return (sum - low * count + count / 2) / count + low;
                      });
}

static Status maxPool(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(PoolForm form, decodePool(context.operation()));
  Shape output = nhwcOutput(context, form.isNchw);
  auto larger = [](auto lhs, auto rhs) { return std::max(lhs, rhs); };
  auto keep = [](auto value, int64_t) { return value; };
  if (!isQuantized(context.inputType(0).type))
    return poolFloats(context, form, output,
                      -std::numeric_limits<float>::infinity(), larger, keep);
  return poolIntegers(context, form, output,
                      storageRange(context.inputType(0).type).low, larger,
                      keep);
}

static Status l2Pool(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(PoolForm form, decodePool(context.operation()));
  return poolFloats(
      context, form, nhwcOutput(context, form.isNchw), 0.0f,
      [](float sum, float element) { return sum + element * element; },
      [](float sum, int64_t count) {
        // L2_POOL_2D is the root of the mean of the squares that are not
        // padding (M-094).
        return std::sqrt(sum / float(count));
      });
}

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

/// Returns the distance that the source moves from one output pixel to the next
/// (M-201, M-204).
static float sourceStep(const ResizeForm &form, int64_t input, int64_t output) {
  return form.alignCorners && output > 1 ? float(input - 1) / float(output - 1)
                                         : float(input) / float(output);
}

namespace {

/// Two neighbours in the input on one axis, and the second's weight.
struct Neighbours {
  int64_t lower;
  int64_t upper;
  float weight;
};

} // namespace

static Elements<Neighbours> neighboursOf(const ResizeForm &form, int64_t input,
                                         int64_t output) {
  float step = sourceStep(form, input, output);
  Elements<Neighbours> result;
  for (int64_t i = 0; i < output; ++i) {
    float source = form.halfPixelCenters ? (float(i) + 0.5f) * step - 0.5f
                                         : float(i) * step;
    // The source of an output pixel is never left of the image (M-201).
    source = std::max(source, 0.0f);
    int64_t lower = std::min(int64_t(source), input - 1);
    int64_t upper = std::min(lower + 1, input - 1);
    result.push_back({lower, upper, source - float(lower)});
  }
  return result;
}

/// Interpolates between four pixels.
static Elements<float> interpolate(const ResizeForm &form, const Shape &output,
                                   const Elements<float> &values) {
  const Shape &input = form.input.dimensions;
  if (elementCount(output) == 0) // Its width may be anything.
    return {};
  Elements<Neighbours> rows = neighboursOf(form, input[1], output[1]);
  Elements<Neighbours> columns = neighboursOf(form, input[2], output[2]);
  Elements<float> result;
  result.reserve(size_t(elementCount(output)));
  for (int64_t b = 0; b < output[0]; ++b)
    for (const Neighbours &y : rows) {
      const float *image = values.data() + b * input[1] * input[2] * input[3];
      const float *upperRow = image + y.lower * input[2] * input[3];
      const float *lowerRow = image + y.upper * input[2] * input[3];
      for (const Neighbours &x : columns)
        for (int64_t c = 0; c < input[3]; ++c) {
          int64_t left = x.lower * input[3] + c, right = x.upper * input[3] + c;
          result.push_back(upperRow[left] * (1 - y.weight) * (1 - x.weight) +
                           lowerRow[left] * y.weight * (1 - x.weight) +
                           upperRow[right] * (1 - y.weight) * x.weight +
                           lowerRow[right] * y.weight * x.weight);
        }
    }
  return result;
}

static Status resizeBilinear(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(ResizeForm form, decodeResize(context.operation()));
  Shape output = nhwcOutput(context, form.isNchw);
  const Shape &input = form.input.dimensions;
  OperandType type = context.inputType(0).type;
  if (!isQuantized(type)) {
    Elements<float> result = interpolate(
        form, output, toNhwc(context.floats(0), input, form.isNchw));
    context.storeFloats(0, fromNhwc(std::move(result), output, form.isNchw));
    return Status::ok();
  }
  // Quantized values mean the same on both sides (M-202), so that they are
  // interpolated as they are. Half is rounded up.
  Elements<int32_t> stored = context.integers(0);
  Elements<float> values(stored.begin(), stored.end());
  Elements<float> interpolated =
      interpolate(form, output, toNhwc(std::move(values), input, form.isNchw));
  Elements<int32_t> result(interpolated.size());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = int32_t(std::floor(interpolated[i] + 0.5f));
  context.storeIntegers(0, fromNhwc(std::move(result), output, form.isNchw));
  return Status::ok();
}

/// The nearest input index of each output index on one axis (M-204).
static Elements<int64_t> nearestOf(const ResizeForm &form, int64_t input,
                                   int64_t output) {
  float step = sourceStep(form, input, output);
  Elements<int64_t> result;
  for (int64_t i = 0; i < output; ++i) {
    float source = (form.halfPixelCenters ? float(i) + 0.5f : float(i)) * step;
    float index = form.alignCorners ? std::round(source) : std::floor(source);
    result.push_back(std::clamp<int64_t>(int64_t(index), 0, input - 1));
  }
  return result;
}

/// Copies pixels.
static Status resizeNearestNeighbor(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(ResizeForm form, decodeResize(context.operation()));
  Shape output = nhwcOutput(context, form.isNchw);
  const Shape &input = form.input.dimensions;
  if (elementCount(output) == 0) { // Its width may be anything.
    context.storeBytes(0, {});
    return Status::ok();
  }
  Elements<int64_t> rows = nearestOf(form, input[1], output[1]);
  Elements<int64_t> columns = nearestOf(form, input[2], output[2]);
  auto resize = [&](auto stored) {
    auto values = toNhwc(std::move(stored), input, form.isNchw);
    decltype(values) result;
    result.reserve(size_t(elementCount(output)));
    for (int64_t b = 0; b < output[0]; ++b)
      for (int64_t row : rows)
        for (int64_t column : columns) {
          auto pixel = values.begin() +
                       ((b * input[1] + row) * input[2] + column) * input[3];
          result.insert(result.end(), pixel, pixel + input[3]);
        }
    return fromNhwc(std::move(result), output, form.isNchw);
  };
  if (isQuantized(context.inputType(0).type))
    context.storeIntegers(0, resize(context.integers(0)));
  else
    context.storeFloats(0, resize(context.floats(0)));
  return Status::ok();
}

std::span<const RoutineRow> reference::windowRoutines() {
  static constexpr RoutineRow rows[] = {
      {OperationType::AVERAGE_POOL_2D, averagePool},
      {OperationType::MAX_POOL_2D, maxPool},
      {OperationType::L2_POOL_2D, l2Pool},
      {OperationType::RESIZE_BILINEAR, resizeBilinear},
      {OperationType::RESIZE_NEAREST_NEIGHBOR, resizeNearestNeighbor},
  };
  return rows;
}
