//===- Contraction.cpp - Convolutions and products ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED of floats, and
// of 16-bit activations and 8-bit weights.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernels.h"
#include "Families.h"
#include "Window.h"

#include <cmath>
#include <cstring>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet int16Only = elementSet(Element::int16);
constexpr ElementSet floatsOnly = elementSet(Element::float32);
constexpr ElementSet contracted = elementSet(Element::float32, Element::int16);
constexpr ElementSet int8Only = elementSet(Element::int8);
constexpr ElementSet biasElements = elementSet(Element::int32, Element::int64);

/// The tensors of a contraction, by place.
struct Places {
  size_t input = 0, filter = 1, bias = 2;
};
constexpr Places transposePlaces = {2, 1, 3};

/// Checks elements and scales, and that filter and bias are about \p channels,
/// which are dimension \p channelAxis of the filter.
Status checkOperands(const Use &use, Places places, int64_t channelAxis,
                     int64_t channels) {
  if (use.has(places.bias)) {
    NNHAL_RETURN_IF_ERROR(use.checkRank(places.bias, 1, 1));
    NNHAL_RETURN_IF_ERROR(use.checkExtent(places.bias, 0, channels));
  }
  if (use.element(places.input) == Element::float32) {
    for (size_t tensor : {places.filter, places.bias})
      NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, floatsOnly));
    return use.checkResultElement(0, floatsOnly);
  }
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, int16Only));
  NNHAL_RETURN_IF_ERROR(use.checkElement(places.filter, int8Only));
  NNHAL_RETURN_IF_ERROR(use.checkElement(places.bias, biasElements));
  NNHAL_RETURN_IF_ERROR(
      use.checkScale(use.input(places.input), use.nameOf(places.input)));
  NNHAL_RETURN_IF_ERROR(use.checkScale(use.output(0), "output 0"));
  const TensorType &filter = use.input(places.filter);
  NNHAL_RETURN_IF_ERROR(use.checkScale(filter, use.nameOf(places.filter)));
  if (filter.zeroPoint != 0)
    return refuse(use.nameOf(places.filter), " has zero point ",
                  filter.zeroPoint, ", but must have 0");
  if (filter.type == rt::OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL) {
    if (filter.channelQuant.channelDim != channelAxis)
      return refuse(use.nameOf(places.filter), " has scales of dimension ",
                    filter.channelQuant.channelDim, ", but must have those of ",
                    channelAxis);
    if (channels != unknownExtent &&
        int64_t(filter.channelQuant.scales.size()) != channels)
      return refuse(use.nameOf(places.filter), " has ",
                    filter.channelQuant.scales.size(),
                    " scales, but must have ", channels);
  }
  return Status::ok();
}

/// Prepares biases, factors and bounds. \p isSingle says that a factor without
/// channels is computed in single precision.
Finish prepareFinish(const Use &use, Places places, int64_t channels,
                     bool isSingle) {
  Finish finish;
  finish.bias.assign(size_t(channels), 0);
  if (use.has(places.bias)) {
    finish.isWide = use.element(places.bias) == Element::int64;
    finish.bias = *use.integers(places.bias);
  }
  const TensorType &filter = use.input(places.filter);
  float input = use.input(places.input).scale, output = use.output(0).scale;
  std::vector<Factor> factors;
  for (size_t channel = 0; channel < size_t(channels); ++channel) {
    double product = 0;
    if (!filter.channelQuant.scales.empty())
      product = double(input) * double(filter.channelQuant.scales[channel]);
    else if (isSingle)
      product = double(input * filter.scale);
    else
      product = double(input) * double(filter.scale);
    factors.push_back(factorOf(product / double(output)));
  }
  finish.setFactors(std::move(factors));
  finish.bounds = activationBounds(Activation(use.integer("activation")),
                                   boundsOf<int16_t>(), output, 0);
  return finish;
}

/// Both axes of the window of a filter, whose height is dimension 1.
struct Windows {
  WindowAxis vertical, horizontal;
};
Windows windowsOf(const Use &use, bool hasDilations) {
  bool isSame = use.integer("padding") == 0;
  return {{use.extent(1, 1), use.integer("stride_h"),
           hasDilations ? use.integer("dilation_h") : 1, isSame},
          {use.extent(1, 2), use.integer("stride_w"),
           hasDilations ? use.integer("dilation_w") : 1, isSame}};
}

Result<Types> checkWindows(const Use &use, int64_t channels) {
  for (int64_t axis : {1, 2})
    if (use.extent(1, axis) == unknownExtent || use.extent(1, axis) < 1)
      return refuse(use.nameOf(1), " has extent ", use.extent(1, axis),
                    " in dimension ", axis, ", but must have at least 1");
  Windows windows = windowsOf(use, true);
  NNHAL_ASSIGN_OR_RETURN(int64_t height,
                         windowPlaces(windows.vertical, use.extent(0, 1)));
  NNHAL_ASSIGN_OR_RETURN(int64_t width,
                         windowPlaces(windows.horizontal, use.extent(0, 2)));
  return onlyResult(use, {use.extent(0, 0), height, width, channels});
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// Numbers of elements of a coarse and a fine image and of the window, without
/// channels. The window lies in the fine one.
struct FloatTap {
  int64_t coarse, fine, window;
};

/// Calls \p function(tap) for each element of a window at each place of the
/// coarse image that lies inside of the fine one.
template <typename Function>
void forEachTap(const Windows &windows, const Extents &coarse,
                const Extents &fine, Function function) {
  const WindowAxis &vertical = windows.vertical;
  const WindowAxis &horizontal = windows.horizontal;
  int64_t top = vertical.before(fine[1]), left = horizontal.before(fine[2]);
  for (int64_t batch = 0; batch < coarse[0]; ++batch)
    for (int64_t y = 0; y < coarse[1]; ++y)
      for (int64_t x = 0; x < coarse[2]; ++x)
        for (int64_t v = 0; v < vertical.size; ++v) {
          int64_t line = y * vertical.stride - top + v * vertical.dilation;
          if (line < 0 || line >= fine[1])
            continue;
          for (int64_t h = 0; h < horizontal.size; ++h) {
            int64_t column =
                x * horizontal.stride - left + h * horizontal.dilation;
            if (column >= 0 && column < fine[2])
              function(FloatTap{(batch * coarse[1] + y) * coarse[2] + x,
                                (batch * fine[1] + line) * fine[2] + column,
                                v * horizontal.size + h});
          }
        }
}

float dot(const float *a, const float *b, int64_t count) {
  float sum = 0.0f;
  for (int64_t index = 0; index < count; ++index)
    sum += a[index] * b[index];
  return sum;
}

/// Computes sums of products by \p add(sums, input, filter), then adds the bias
/// and applies the activation.
template <typename Add>
Status contractFloats(Run &run, Places places, Add add) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(float *to, run.allocate<float>(0));
  int64_t count = elementCount(run.types[0]);
  int64_t channels = run.types[0].dimensions.back();
  std::fill_n(to, count, 0.0f);
  add(to, use.data<float>(places.input), use.data<float>(places.filter));
  auto activation = Activation(use.integer("activation"));
  const float *bias =
      use.has(places.bias) ? use.data<float>(places.bias) : nullptr;
  for (int64_t index = 0; index < count; ++index)
    to[index] = activated(to[index] + (bias ? bias[index % channels] : 0.0f),
                          activation);
  return Status::ok();
}

Status convolveFloats(Run &run) {
  const Use &use = run.use;
  int64_t channels = use.extent(1, 0), depth = use.extent(1, 3);
  int64_t input = use.extent(0, 3), each = channels / (input / depth);
  Windows windows = windowsOf(use, true);
  int64_t taps = windows.vertical.size * windows.horizontal.size;
  return contractFloats(
      run, {}, [&](float *to, const float *from, const float *filter) {
        forEachTap(windows, run.types[0].dimensions, use.input(0).dimensions,
                   [&](const FloatTap &tap) {
                     for (int64_t channel = 0; channel < channels; ++channel)
                       to[tap.coarse * channels + channel] +=
                           dot(from + tap.fine * input + channel / each * depth,
                               filter + (channel * taps + tap.window) * depth,
                               depth);
                   });
      });
}

Status convolveFloatsDepthwise(Run &run) {
  const Use &use = run.use;
  int64_t channels = use.extent(1, 3), input = use.extent(0, 3);
  int64_t times = channels / input;
  return contractFloats(
      run, {}, [&](float *to, const float *from, const float *filter) {
        forEachTap(windowsOf(use, true), run.types[0].dimensions,
                   use.input(0).dimensions, [&](const FloatTap &tap) {
                     for (int64_t channel = 0; channel < channels; ++channel)
                       to[tap.coarse * channels + channel] +=
                           from[tap.fine * input + channel / times] *
                           filter[tap.window * channels + channel];
                   });
      });
}

Status convolveFloatsTransposed(Run &run) {
  const Use &use = run.use;
  int64_t channels = use.extent(1, 0), depth = use.extent(1, 3);
  Windows windows = windowsOf(use, false);
  int64_t taps = windows.vertical.size * windows.horizontal.size;
  return contractFloats(
      run, transposePlaces,
      [&](float *to, const float *from, const float *filter) {
        forEachTap(windows, use.input(2).dimensions, run.types[0].dimensions,
                   [&](const FloatTap &tap) {
                     for (int64_t channel = 0; channel < channels; ++channel)
                       to[tap.fine * channels + channel] +=
                           dot(from + tap.coarse * depth,
                               filter + (channel * taps + tap.window) * depth,
                               depth);
                   });
      });
}

Status connectFloats(Run &run) {
  int64_t units = run.use.extent(1, 0), depth = run.use.extent(1, 1);
  int64_t count = elementCount(run.types[0]);
  return contractFloats(
      run, {}, [&](float *to, const float *from, const float *weights) {
        for (int64_t index = 0; index < count; ++index)
          to[index] = dot(from + index / units * depth,
                          weights + index % units * depth, depth);
      });
}

//===----------------------------------------------------------------------===//
// CONV_2D
//===----------------------------------------------------------------------===//

Result<Types> checkConvolution(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 4, 4));
  NNHAL_RETURN_IF_ERROR(use.checkRank(1, 4, 4));
  int64_t channels = use.extent(1, 0), depth = use.extent(1, 3);
  NNHAL_RETURN_IF_ERROR(checkOperands(use, {}, 0, channels));
  int64_t input = use.extent(0, 3);
  if (input != unknownExtent && depth != unknownExtent) {
    if (depth < 1 || input % depth != 0)
      return refuse("input depth ", input,
                    " must be a multiple of the filter's depth ", depth);
    int64_t groups = input / depth;
    if (channels != unknownExtent && (groups == 0 || channels % groups != 0))
      return refuse("the filter's ", channels,
                    " channels must be a multiple of the ", groups, " groups");
  }
  return checkWindows(use, channels);
}

/// Gathers the elements under a window into a row, with 0 outside.
class WindowRows {
public:
  WindowRows(const Use &use, const Windows &windows, int64_t depth)
      : windows(windows), height(use.extent(0, 1)), width(use.extent(0, 2)),
        channels(use.extent(0, 3)), depth(depth), from(use.data<int16_t>(0)),
        top(windows.vertical.before(height)),
        left(windows.horizontal.before(width)) {}

  void gather(int16_t *row, int64_t batch, int64_t y, int64_t x,
              int64_t firstChannel) const {
    for (int64_t v = 0; v < windows.vertical.size; ++v) {
      int64_t line =
          y * windows.vertical.stride - top + v * windows.vertical.dilation;
      for (int64_t h = 0; h < windows.horizontal.size; ++h, row += depth) {
        int64_t column = x * windows.horizontal.stride - left +
                         h * windows.horizontal.dilation;
        if (line < 0 || line >= height || column < 0 || column >= width)
          std::fill_n(row, depth, int16_t(0));
        else
          std::copy_n(
              from + ((batch * height + line) * width + column) * channels +
                  firstChannel,
              depth, row);
      }
    }
  }

private:
  Windows windows;
  int64_t height, width, channels, depth;
  const int16_t *from;
  int64_t top, left;
};

Status runConvolution(Run &run) {
  const Use &use = run.use;
  if (use.element(0) == Element::float32)
    return convolveFloats(run);
  int64_t channels = use.extent(1, 0), depth = use.extent(1, 3);
  NNHAL_ASSIGN_OR_RETURN(int16_t *to, run.allocate<int16_t>(0));
  const Extents &extents = run.types[0].dimensions;
  if (elementCount(extents) == 0)
    return Status::ok();
  int64_t groups = use.extent(0, 3) / depth, each = channels / groups;
  Windows windows = windowsOf(use, true);
  int64_t taps = windows.vertical.size * windows.horizontal.size;
  WeightRows weights =
      WeightRows::of(use.data<int8_t>(1), channels, taps * depth);
  Finish last = prepareFinish(use, {}, channels, false);
  WindowRows rows(use, windows, depth);
  std::vector<int16_t> row(size_t(weights.depth));
  std::vector<int64_t> sums(static_cast<size_t>(channels));
  for (int64_t batch = 0; batch < extents[0]; ++batch)
    for (int64_t y = 0; y < extents[1]; ++y)
      for (int64_t x = 0; x < extents[2]; ++x, to += channels)
        for (int64_t group = 0; group < groups; ++group) {
          rows.gather(row.data(), batch, y, x, group * depth);
          multiplyRows(sums.data(), row.data(), weights.row(group * each),
                       weights.depth, each);
          finish(to + group * each, sums.data(), group * each, each, last);
        }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// DEPTHWISE_CONV_2D
//===----------------------------------------------------------------------===//

Result<Types> checkDepthwise(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 4, 4));
  NNHAL_RETURN_IF_ERROR(use.checkRank(1, 4, 4));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(1, 0, 1));
  int64_t channels = use.extent(1, 3), input = use.extent(0, 3);
  NNHAL_RETURN_IF_ERROR(checkOperands(use, {}, 3, channels));
  if (input != unknownExtent && channels != unknownExtent &&
      (input < 1 || channels % input != 0))
    return refuse("the filter's ", channels,
                  " channels must be a multiple of the input's ", input);
  return checkWindows(use, channels);
}

/// Repeats each channel \p times times.
std::vector<int16_t> repeated(const int16_t *from, int64_t count,
                              int64_t times) {
  std::vector<int16_t> result(static_cast<size_t>(count * times));
  for (int64_t index = 0; index < count; ++index)
    std::fill_n(result.data() + index * times, times, from[index]);
  return result;
}

Status runDepthwise(Run &run) {
  const Use &use = run.use;
  if (use.element(0) == Element::float32)
    return convolveFloatsDepthwise(run);
  int64_t channels = use.extent(1, 3);
  NNHAL_ASSIGN_OR_RETURN(int16_t *to, run.allocate<int16_t>(0));
  const Extents &extents = run.types[0].dimensions;
  if (elementCount(extents) == 0)
    return Status::ok();
  Windows windows = windowsOf(use, true);
  int64_t height = use.extent(0, 1), width = use.extent(0, 2);
  int64_t times = channels / use.extent(0, 3);
  const auto *from = use.data<int16_t>(0);
  std::vector<int16_t> expanded;
  if (times > 1) {
    expanded = repeated(from, elementCount(use.input(0)), times);
    from = expanded.data();
  }
  const auto *narrow = use.data<int8_t>(1);
  std::vector<int16_t> weights(narrow, narrow + elementCount(use.input(1)));
  Finish last = prepareFinish(use, {}, channels, false);
  std::vector<int64_t> sums(static_cast<size_t>(channels));
  std::vector<Tap> taps(
      size_t(windows.vertical.size * windows.horizontal.size));
  int64_t top = windows.vertical.before(height);
  int64_t left = windows.horizontal.before(width);
  auto collect = [&](int64_t batch, int64_t y, int64_t x) {
    int64_t count = 0;
    for (int64_t v = 0; v < windows.vertical.size; ++v)
      for (int64_t h = 0; h < windows.horizontal.size; ++h) {
        int64_t line =
            y * windows.vertical.stride - top + v * windows.vertical.dilation;
        int64_t column = x * windows.horizontal.stride - left +
                         h * windows.horizontal.dilation;
        if (line >= 0 && line < height && column >= 0 && column < width)
          taps[size_t(count++)] = {
              from + ((batch * height + line) * width + column) * channels,
              weights.data() + (v * windows.horizontal.size + h) * channels};
      }
    return count;
  };
  for (int64_t batch = 0; batch < extents[0]; ++batch)
    for (int64_t y = 0; y < extents[1]; ++y)
      for (int64_t x = 0; x < extents[2]; ++x, to += channels) {
        int64_t count = collect(batch, y, x);
        multiplyTaps(sums.data(), taps.data(), count, channels);
        finish(to, sums.data(), 0, channels, last);
      }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// TRANSPOSE_CONV
//===----------------------------------------------------------------------===//

Result<Types> checkTranspose(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkElement(0, elementSet(Element::int32)));
  NNHAL_RETURN_IF_ERROR(use.checkRank(1, 4, 4));
  NNHAL_RETURN_IF_ERROR(use.checkRank(2, 4, 4));
  int64_t channels = use.extent(1, 0);
  NNHAL_RETURN_IF_ERROR(checkOperands(use, transposePlaces, 0, channels));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(2, 3, use.extent(1, 3)));
  std::optional<Extents> shape = use.integers(0);
  if (!shape)
    return onlyResult(
        use, {use.extent(2, 0), unknownExtent, unknownExtent, channels});
  if (shape->size() != 4)
    return refuse(use.nameOf(0), " has ", shape->size(),
                  " elements, but must have 4");
  for (int64_t extent : *shape)
    if (extent < 1)
      return refuse("extent ", extent, " of the output must be positive");
  if (!mayEqual((*shape)[0], use.extent(2, 0)) ||
      !mayEqual((*shape)[3], channels))
    return refuse("output shape ", extentsText(*shape), " must have batch ",
                  use.extent(2, 0), " and depth ", channels);
  return onlyResult(use, std::move(*shape));
}

/// Adds what one element of the input contributes, products of each element of
/// the window, to the sums of the output that lie inside.
void scatter(std::vector<int64_t> &sums, const std::vector<int64_t> &products,
             const Windows &windows, const Extents &extents, int64_t top,
             int64_t left) {
  int64_t channels = extents[3];
  for (int64_t v = 0; v < windows.vertical.size; ++v)
    for (int64_t h = 0; h < windows.horizontal.size; ++h) {
      int64_t line = top + v, column = left + h;
      if (line < 0 || line >= extents[1] || column < 0 || column >= extents[2])
        continue;
      int64_t *to = sums.data() + (line * extents[2] + column) * channels;
      const int64_t *from =
          products.data() + (v * windows.horizontal.size + h) * channels;
      for (int64_t channel = 0; channel < channels; ++channel)
        to[channel] += from[channel];
    }
}

Status runTranspose(Run &run) {
  const Use &use = run.use;
  if (use.element(2) == Element::float32)
    return convolveFloatsTransposed(run);
  NNHAL_ASSIGN_OR_RETURN(int16_t *to, run.allocate<int16_t>(0));
  const Extents &extents = run.types[0].dimensions;
  int64_t channels = extents[3], depth = use.extent(2, 3);
  Windows windows = windowsOf(use, false);
  int64_t taps = windows.vertical.size * windows.horizontal.size;
  // Rows are ordered by the elements of the window, then channels.
  WeightRows weights(taps * channels, depth);
  const auto *filter = use.data<int8_t>(1);
  for (int64_t channel = 0; channel < channels; ++channel)
    for (int64_t tap = 0; tap < taps; ++tap)
      std::copy_n(filter + (channel * taps + tap) * depth, depth,
                  weights.row(tap * channels + channel));
  Finish last = prepareFinish(use, transposePlaces, channels, false);
  int64_t top = windows.vertical.before(extents[1]);
  int64_t left = windows.horizontal.before(extents[2]);
  int64_t image = extents[1] * extents[2];
  std::vector<int64_t> sums, products(size_t(weights.count));
  std::vector<int16_t> row(size_t(weights.depth));
  const auto *from = use.data<int16_t>(2);
  for (int64_t batch = 0; batch < extents[0]; ++batch) {
    sums.assign(size_t(image * channels), 0);
    for (int64_t y = 0; y < use.extent(2, 1); ++y)
      for (int64_t x = 0; x < use.extent(2, 2); ++x, from += depth) {
        std::copy_n(from, depth, row.data());
        multiplyRows(products.data(), row.data(), weights.row(0), weights.depth,
                     weights.count);
        scatter(sums, products, windows, extents,
                y * windows.vertical.stride - top,
                x * windows.horizontal.stride - left);
      }
    for (int64_t place = 0; place < image; ++place, to += channels)
      finish(to, sums.data() + place * channels, 0, channels, last);
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// FULLY_CONNECTED
//===----------------------------------------------------------------------===//

Result<Types> checkFullyConnected(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 1, 8));
  NNHAL_RETURN_IF_ERROR(use.checkRank(1, 2, 2));
  int64_t units = use.extent(1, 0), depth = use.extent(1, 1);
  NNHAL_RETURN_IF_ERROR(checkOperands(use, {}, 0, units));
  Extents extents = use.input(0).dimensions;
  if (use.truth("keep_num_dims")) {
    NNHAL_RETURN_IF_ERROR(use.checkExtent(0, use.rank(0) - 1, depth));
    extents.back() = units;
    return onlyResult(use, std::move(extents));
  }
  if (!isKnown(extents) || depth == unknownExtent)
    return onlyResult(use, {unknownExtent, units});
  int64_t count = elementCount(extents);
  if (depth < 1 || count % depth != 0)
    return refuse("the input's ", count,
                  " elements must be a multiple of the weights' ", depth);
  return onlyResult(use, {count / depth, units});
}

Status runFullyConnected(Run &run) {
  const Use &use = run.use;
  if (use.element(0) == Element::float32)
    return connectFloats(run);
  int64_t units = use.extent(1, 0), depth = use.extent(1, 1);
  NNHAL_ASSIGN_OR_RETURN(int16_t *to, run.allocate<int16_t>(0));
  if (elementCount(run.types[0]) == 0)
    return Status::ok();
  WeightRows weights = WeightRows::of(use.data<int8_t>(1), units, depth);
  Finish last = prepareFinish(use, {}, units, true);
  std::vector<int16_t> row(size_t(weights.depth));
  std::vector<int64_t> sums(static_cast<size_t>(units));
  int64_t batches = elementCount(run.types[0]) / units;
  for (int64_t batch = 0; batch < batches; ++batch, to += units) {
    std::copy_n(use.data<int16_t>(0) + batch * depth, depth, row.data());
    multiplyRows(sums.data(), row.data(), weights.row(0), weights.depth, units);
    finish(to, sums.data(), 0, units, last);
  }
  return Status::ok();
}

constexpr OptionRow convolutionOptions[] = {paddingOption,
                                            positiveOption("stride_w"),
                                            positiveOption("stride_h"),
                                            activationOption,
                                            positiveOption("dilation_w"),
                                            positiveOption("dilation_h")};
constexpr OptionRow depthwiseOptions[] = {paddingOption,
                                          positiveOption("stride_w"),
                                          positiveOption("stride_h"),
                                          {"depth_multiplier"},
                                          activationOption,
                                          positiveOption("dilation_w"),
                                          positiveOption("dilation_h")};
constexpr OptionRow transposeOptions[] = {
    paddingOption, positiveOption("stride_w"), positiveOption("stride_h"),
    activationOption};
constexpr OptionRow fullyConnectedOptions[] = {
    activationOption,
    {"weights_format", OptionKind::integer, 0, 0},
    {"keep_num_dims", OptionKind::truth}};

constexpr OperatorRow rows[] = {
    {3, "CONV_2D", "input filter bias? ", 0, contracted, convolutionOptions, 1,
     checkConvolution, runConvolution},
    {4, "DEPTHWISE_CONV_2D", "input filter bias? ", 0, contracted,
     depthwiseOptions, 1, checkDepthwise, runDepthwise},
    {9, "FULLY_CONNECTED", "input weights bias? ", 0, contracted,
     fullyConnectedOptions, 1, checkFullyConnected, runFullyConnected},
    {67, "TRANSPOSE_CONV", "output_shape weights input bias? ", 2, contracted,
     transposeOptions, 1, checkTranspose, runTranspose},
};

} // namespace

Rows tflite::contractionRows() { return rows; }
