//===- Contraction.cpp - The Contraction operations -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Each operation is a sum of products over whole numbers or floats, then a bias
// and a bound. Sums are written once, for `float` and for `uint32_t`: quantized
// values, less their zero points, are added up modulo 2^32, as 32-bit
// accumulators do (M-014). A place in the padding is real 0 (M-076), so that it
// is left out of the sum.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Contraction.h"

#include "Runtime/Routines/Layout.h"

#include "Runtime/Numerics/FixedPoint.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

namespace {

/// Extents of the tensors of a convolution, all in NHWC order.
struct Geometry {
  int64_t batch = 0;
  Extent2D input, window, output;
  int64_t inputChannels = 1;
  int64_t outputChannels = 1;
  Extent2D strides, dilations;
  int64_t top = 0;
  int64_t left = 0;
};

/// The places [begin, end) of a window that lie inside the input when the
/// window starts at \p start.
struct Places {
  int64_t begin = 0;
  int64_t end = 0;
};

} // namespace

static Places placesInside(int64_t start, int64_t window, int64_t dilation,
                           int64_t input) {
  Places places{0, 0};
  while (places.begin < window && start + places.begin * dilation < 0)
    ++places.begin;
  places.end = places.begin;
  while (places.end < window && start + places.end * dilation < input)
    ++places.end;
  return places;
}

template <typename T>
static T dotProduct(const T *lhs, const T *rhs, int64_t count) {
  T sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += lhs[i] * rhs[i];
  return sum;
}

/// A zero for each element of the output.
template <typename T> static Elements<T> makeSums(const Geometry &g) {
  const int64_t shape[] = {g.batch, g.output.height, g.output.width,
                           g.outputChannels};
  return Elements<T>(size_t(elementCount(shape)));
}

/// Calls \p visit(sums, inputOffset, place) for each output pixel and each
/// place of its window inside the input: where the pixel's sums are, where the
/// input pixel starts, and which place it is, counted row by row.
template <typename T, typename Visit>
static Elements<T> sumOverWindows(const Geometry &g, Visit visit) {
  Elements<T> sums = makeSums<T>(g);
  if (sums.empty()) // The loops over its other extents have no bound.
    return sums;
  T *pixel = sums.data();
  for (int64_t b = 0; b < g.batch; ++b)
    for (int64_t y = 0; y < g.output.height; ++y) {
      int64_t inputY = y * g.strides.height - g.top;
      Places rows = placesInside(inputY, g.window.height, g.dilations.height,
                                 g.input.height);
      for (int64_t x = 0; x < g.output.width; ++x, pixel += g.outputChannels) {
        int64_t inputX = x * g.strides.width - g.left;
        Places columns = placesInside(inputX, g.window.width, g.dilations.width,
                                      g.input.width);
        for (int64_t r = rows.begin; r < rows.end; ++r)
          for (int64_t c = columns.begin; c < columns.end; ++c) {
            int64_t row = inputY + r * g.dilations.height;
            int64_t column = inputX + c * g.dilations.width;
            int64_t at = ((b * g.input.height + row) * g.input.width + column) *
                         g.inputChannels;
            visit(pixel, at, r * g.window.width + c);
          }
      }
    }
  return sums;
}

/// CONV_2D, and GROUPED_CONV_2D: output channels of a group see the input
/// channels of that group. The filter is [out, height, width, in / groups].
template <typename T>
static Elements<T> convolve(const Geometry &g, const Elements<T> &input,
                            const Elements<T> &filter, int64_t groups) {
  int64_t depth = g.inputChannels / groups;
  int64_t channelsPerGroup = g.outputChannels / groups;
  int64_t filterSize = g.window.height * g.window.width * depth;
  return sumOverWindows<T>(g, [&](T *pixel, int64_t at, int64_t place) {
    const T *weights = filter.data() + place * depth;
    for (int64_t o = 0; o < g.outputChannels; ++o, weights += filterSize)
      pixel[o] += dotProduct(input.data() + at + o / channelsPerGroup * depth,
                             weights, depth);
  });
}

/// DEPTHWISE_CONV_2D: output channel c * multiplier + m sees input channel c
/// (M-081). The filter is [1, height, width, out].
template <typename T>
static Elements<T>
convolveDepthwise(const Geometry &g, const Elements<T> &input,
                  const Elements<T> &filter, int64_t multiplier) {
  return sumOverWindows<T>(g, [&](T *pixel, int64_t at, int64_t place) {
    const T *weights = filter.data() + place * g.outputChannels;
    for (int64_t c = 0; c < g.inputChannels; ++c)
      for (int64_t m = 0; m < multiplier; ++m, ++pixel, ++weights)
        *pixel += input[size_t(at + c)] * *weights;
  });
}

/// TRANSPOSE_CONV_2D: each input pixel adds to a window of the output. The
/// filter is [out, height, width, in].
template <typename T>
static Elements<T> convolveTransposed(const Geometry &g,
                                      const Elements<T> &input,
                                      const Elements<T> &filter) {
  Elements<T> sums = makeSums<T>(g);
  if (input.empty() || sums.empty())
    return sums;
  int64_t filterSize = g.window.height * g.window.width * g.inputChannels;
  const T *pixel = input.data();
  for (int64_t b = 0; b < g.batch; ++b)
    for (int64_t y = 0; y < g.input.height; ++y) {
      int64_t outputY = y * g.strides.height - g.top;
      Places rows = placesInside(outputY, g.window.height, 1, g.output.height);
      for (int64_t x = 0; x < g.input.width; ++x, pixel += g.inputChannels) {
        int64_t outputX = x * g.strides.width - g.left;
        Places columns =
            placesInside(outputX, g.window.width, 1, g.output.width);
        for (int64_t r = rows.begin; r < rows.end; ++r)
          for (int64_t c = columns.begin; c < columns.end; ++c) {
            int64_t row = b * g.output.height + outputY + r;
            T *target = sums.data() +
                        (row * g.output.width + outputX + c) * g.outputChannels;
            const T *weights =
                filter.data() + (r * g.window.width + c) * g.inputChannels;
            for (int64_t o = 0; o < g.outputChannels; ++o)
              target[o] +=
                  dotProduct(pixel, weights + o * filterSize, g.inputChannels);
          }
      }
    }
  return sums;
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

/// The elements of an input of quantized values less its zero point. Those of a
/// filter with several scales have zero point 0.
static Elements<uint32_t> centered(const RoutineContext &context,
                                   size_t index) {
  Elements<int32_t> values = context.integers(index);
  Elements<uint32_t> result(values.size());
  auto zeroPoint = uint32_t(context.inputType(index).zeroPoint);
  for (size_t i = 0; i < values.size(); ++i)
    result[i] = uint32_t(values[i]) - zeroPoint;
  return result;
}

/// Returns the value of a sum of products in units of the output, per output
/// channel (M-014, M-015).
static Elements<FixedPointFactor> outputFactors(const RoutineContext &context,
                                                int64_t channels) {
  const TensorType &input = context.inputType(0);
  const TensorType &filter = context.inputType(1);
  auto factorOf = [&](float filterScale) {
    return fixedPointFactor(
        convolutionScale(input, filterScale, context.outputType(0).scale));
  };
  if (filter.channelQuant.scales.empty())
    return Elements<FixedPointFactor>(size_t(channels), factorOf(filter.scale));
  Elements<FixedPointFactor> factors;
  for (float scale : filter.channelQuant.scales)
    factors.push_back(factorOf(scale));
  return factors;
}

/// Adds the bias to \p sums, whose innermost extent is \p channels, and applies
/// the activation.
static Elements<float> finish(const RoutineContext &context,
                              Elements<float> sums, int64_t channels,
                              FusedActivation activation) {
  Elements<float> bias = context.floats(2);
  for (size_t i = 0; i < sums.size(); i += size_t(channels))
    for (size_t c = 0; c < size_t(channels); ++c)
      sums[i + c] = applyActivation(activation, sums[i + c] + bias[c]);
  return sums;
}

/// Adds the bias to \p sums, whose innermost extent is \p channels; each
/// becomes a quantized value (M-014, M-017). \p rescale(sum, channel) brings a
/// sum to the scale of the output.
template <typename Rescale>
static Elements<int32_t>
finish(const RoutineContext &context, const Elements<uint32_t> &sums,
       int64_t channels, FusedActivation activation, Rescale rescale) {
  const TensorType &output = context.outputType(0);
  Elements<int32_t> bias = context.integers(2);
  StorageRange range = activationRange(activation, output);
  Elements<int32_t> result(sums.size());
  for (size_t i = 0; i < sums.size(); i += size_t(channels))
    for (size_t c = 0; c < size_t(channels); ++c) {
      auto sum = int32_t(sums[i + c] + uint32_t(bias[c]));
      int64_t value = rescale(sum, c);
      result[i + c] = int32_t(
          std::clamp<int64_t>(value + output.zeroPoint, range.low, range.high));
    }
  return result;
}

static Geometry geometryOf(const RoutineContext &context,
                           const ConvolutionForm &form, const Shape &output) {
  const Shape &input = form.input.dimensions;
  const Shape &filter = context.inputShape(1);
  Geometry geometry;
  geometry.batch = input[0];
  geometry.input = {input[1], input[2]};
  geometry.window = {filter[1], filter[2]};
  geometry.output = {output[1], output[2]};
  geometry.inputChannels = input[3];
  geometry.outputChannels = output[3];
  geometry.strides = form.params.strides;
  geometry.dilations = form.params.dilations;
  geometry.top = form.params.pads.top;
  geometry.left = form.params.pads.left;
  return geometry;
}

/// Sums of the convolution of \p type.
template <typename T>
static Elements<T> accumulate(OperationType type, const ConvolutionForm &form,
                              const Geometry &geometry,
                              const Elements<T> &input,
                              const Elements<T> &filter) {
  if (type == OperationType::TRANSPOSE_CONV_2D)
    return convolveTransposed(geometry, input, filter);
  if (type == OperationType::DEPTHWISE_CONV_2D)
    return convolveDepthwise(geometry, input, filter, form.depthMultiplier);
  return convolve(geometry, input, filter, form.groups);
}

//===----------------------------------------------------------------------===//
// Routines
//===----------------------------------------------------------------------===//

static Status convolution(RoutineContext &context) {
  OperationType type = context.operation().type;
  NNHAL_ASSIGN_OR_RETURN(ConvolutionForm form,
                         decodeConvolution(context.operation()));
  const Shape &shape = form.input.dimensions;
  Shape output =
      form.isNchw ? nchwToNhwc(context.outputShape(0)) : context.outputShape(0);
  Geometry geometry = geometryOf(context, form, output);
  FusedActivation activation = form.params.activation;
  if (isQuantized(context.inputType(0).type)) {
    Elements<uint32_t> sums = accumulate(
        type, form, geometry, toNhwc(centered(context, 0), shape, form.isNchw),
        centered(context, 1));
    Elements<FixedPointFactor> factors = outputFactors(context, output[3]);
    Elements<int32_t> result = finish(
        context, sums, output[3], activation, [&](int32_t sum, size_t channel) {
          return multiplyByFactor(sum, factors[channel]);
        });
    context.storeIntegers(0, fromNhwc(result, output, form.isNchw));
    return Status::ok();
  }
  Elements<float> sums = accumulate(
      type, form, geometry, toNhwc(context.floats(0), shape, form.isNchw),
      context.floats(1));
  context.storeFloats(
      0, fromNhwc(finish(context, std::move(sums), output[3], activation),
                  output, form.isNchw));
  return Status::ok();
}

/// A convolution of rows, taken as pixels, with windows of one pixel.
static Status connectFully(RoutineContext &context) {
  const Shape &weights = context.inputShape(1);
  Geometry geometry;
  geometry.batch = context.outputShape(0)[0];
  geometry.inputChannels = weights[1];
  geometry.outputChannels = weights[0];
  auto activation = FusedActivation(context.integers(3)[0]);
  if (isQuantized(context.inputType(0).type)) {
    Elements<uint32_t> sums =
        convolve(geometry, centered(context, 0), centered(context, 1), 1);
    double scale = fullyConnectedScale(context.inputType(0).scale,
                                       context.inputType(1).scale,
                                       context.outputType(0).scale);
    context.storeIntegers(0, finish(context, sums, weights[0], activation,
                                    [&](int32_t sum, size_t) {
                                      return multiplyByReal(sum, scale);
                                    }));
    return Status::ok();
  }
  Elements<float> sums =
      convolve(geometry, context.floats(0), context.floats(1), 1);
  context.storeFloats(0,
                      finish(context, std::move(sums), weights[0], activation));
  return Status::ok();
}

std::span<const RoutineRow> reference::contractionRoutines() {
  static constexpr RoutineRow rows[] = {
      {OperationType::CONV_2D, convolution},
      {OperationType::DEPTHWISE_CONV_2D, convolution},
      {OperationType::GROUPED_CONV_2D, convolution},
      {OperationType::TRANSPOSE_CONV_2D, convolution},
      {OperationType::FULLY_CONNECTED, connectFully},
  };
  return rows;
}
