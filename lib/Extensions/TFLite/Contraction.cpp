//===- Contraction.cpp - Convolutions and products ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED of floats, and
// of 16-bit activations and 8-bit weights; FULLY_CONNECTED of bytes, too.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernels.h"
#include "Families.h"
#include "Window.h"

#include <algorithm>
#include <cmath>
#include <span>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

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
  NNHAL_RETURN_IF_ERROR(
      use.checkResultElement(0, elementSet(use.element(places.input))));
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

/// Prepares biases, factors and bounds of sums of \p products. \p isSingle says
/// that a factor without channels is computed in single precision.
Finish prepareFinish(const Use &use, Places places, int64_t channels,
                     bool isSingle, int64_t products) {
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
  finish.narrow(products);
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

/// Biases and the activation of floats.
struct FloatFinish {
  const float *bias;
  Activation activation;

  FloatFinish(const Use &use, Places places)
      : bias(use.has(places.bias) ? use.data<float>(places.bias) : nullptr),
        activation(Activation(use.integer("activation"))) {}
  float operator()(float sum, int64_t channel) const {
    return activated(sum + (bias ? bias[channel] : 0.0f), activation);
  }
};

void finish(float *to, int64_t channels, const ProductBlock<float> &block,
            const FloatFinish &last) {
  for (int64_t place = 0; place < block.places; ++place) {
    const float *sums = block.sums + place * rowsAtOnce;
    float *row = to + (block.firstPlace + place) * channels;
    for (int64_t index = 0; index < block.rows; ++index)
      row[block.firstRow + index] = last(sums[index], block.firstRow + index);
  }
}

/// The element types of contractions of 16-bit activations and 8-bit weights,
/// and how their sums become outputs.
struct Integers {
  using X = int16_t;
  using W = int8_t;
  using Sum = int64_t;
  static Finish finishOf(const Use &use, Places places, int64_t channels,
                         bool isSingle, int64_t products) {
    return prepareFinish(use, places, channels, isSingle, products);
  }
};
/// The element types of contractions of floats, and how their sums become
/// outputs.
struct Reals {
  using X = float;
  using W = float;
  using Sum = float;
  static FloatFinish finishOf(const Use &use, Places places, int64_t, bool,
                              int64_t) {
    return FloatFinish(use, places);
  }
};

/// Calls \p function with Integers or Reals, for tensor \p input.
template <typename Function>
Status withNumbers(Run &run, size_t input, Function function) {
  if (run.use.element(input) == Element::float32)
    return function(Reals());
  return function(Integers());
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
template <typename T> class WindowRows {
public:
  WindowRows(const Use &use, const Extents &result, int64_t depth)
      : windows(windowsOf(use, true)), height(use.extent(0, 1)),
        width(use.extent(0, 2)), channels(use.extent(0, 3)), depth(depth),
        resultHeight(result[1]), resultWidth(result[2]), from(use.data<T>(0)),
        top(windows.vertical.before(height)),
        left(windows.horizontal.before(width)) {}

  int64_t taps() const {
    return windows.vertical.size * windows.horizontal.size;
  }
  /// Returns the row of \p place in the result: the input's own where the
  /// window has one element and \p isWhole says that rows need no more.
  const T *at(int64_t place, T *buffer, int64_t firstChannel,
              bool isWhole) const {
    int64_t x = place % resultWidth * windows.horizontal.stride - left;
    int64_t lines = place / resultWidth;
    int64_t y = lines % resultHeight * windows.vertical.stride - top;
    const T *image = from + lines / resultHeight * height * width * channels;
    if (isWhole && taps() == 1)
      return image + (y * width + x) * channels + firstChannel;
    gather(buffer, image + firstChannel, y, x);
    return buffer;
  }

private:
  void gather(T *row, const T *image, int64_t y, int64_t x) const {
    const WindowAxis &across = windows.horizontal;
    for (int64_t v = 0; v < windows.vertical.size;
         ++v, row += across.size * depth) {
      int64_t line = y + v * windows.vertical.dilation;
      if (line < 0 || line >= height) {
        std::fill_n(row, across.size * depth, T(0));
        continue;
      }
      const T *start = image + line * width * channels;
      // Neighbours that lie one behind the other are copied at once.
      if (across.dilation == 1 && depth == channels && x >= 0 &&
          x + across.size <= width) {
        std::copy_n(start + x * channels, across.size * depth, row);
        continue;
      }
      for (int64_t h = 0; h < across.size; ++h) {
        int64_t column = x + h * across.dilation;
        if (column < 0 || column >= width)
          std::fill_n(row + h * depth, depth, T(0));
        else
          std::copy_n(start + column * channels, depth, row + h * depth);
      }
    }
  }

  Windows windows;
  int64_t height, width, channels, depth, resultHeight, resultWidth;
  const T *from;
  int64_t top, left;
};

Status runConvolution(Run &run) {
  return withNumbers(run, 0, [&](auto numbers) -> Status {
    using X = typename decltype(numbers)::X;
    using W = typename decltype(numbers)::W;
    using Sum = typename decltype(numbers)::Sum;
    const Use &use = run.use;
    int64_t channels = use.extent(1, 0), depth = use.extent(1, 3);
    NNHAL_ASSIGN_OR_RETURN(X * to, run.allocate<X>(0));
    const Extents &extents = run.types[0].dimensions;
    int64_t groups = use.extent(0, 3) / depth, each = channels / groups;
    WindowRows<X> rows(use, extents, depth);
    WeightRows<W> weights(use.data<W>(1), channels, rows.taps() * depth);
    bool isWhole = weights.depth() == depth;
    auto last = numbers.finishOf(use, {}, channels, false, rows.taps() * depth);
    int64_t places = extents[0] * extents[1] * extents[2];
    for (int64_t group = 0; group < groups; ++group)
      forEachProductBlock<X, Sum>(
          {places, group * each, each}, weights,
          [&](int64_t place, X *buffer) {
            return rows.at(place, buffer, group * depth, isWhole);
          },
          [&](const ProductBlock<Sum> &block) {
            finish(to, channels, block, last);
          });
    return Status::ok();
  });
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
template <typename T>
std::vector<T> repeated(const T *from, int64_t count, int64_t times) {
  std::vector<T> result(static_cast<size_t>(count * times));
  for (int64_t index = 0; index < count; ++index)
    std::fill_n(result.data() + index * times, times, from[index]);
  return result;
}

/// The elements of a window that lie inside of an image.
template <typename X, typename W> class WindowTaps {
public:
  WindowTaps(const Use &use, const X *from, int64_t channels)
      : windows(windowsOf(use, true)), height(use.extent(0, 1)),
        width(use.extent(0, 2)), channels(channels), from(from),
        weights(use.data<W>(1)), top(windows.vertical.before(height)),
        left(windows.horizontal.before(width)),
        taps(size_t(windows.vertical.size * windows.horizontal.size)) {}

  /// Returns the taps at a place of the result.
  std::span<const Tap<X, W>> at(int64_t batch, int64_t y, int64_t x) {
    size_t count = 0;
    for (int64_t v = 0; v < windows.vertical.size; ++v) {
      int64_t line =
          y * windows.vertical.stride - top + v * windows.vertical.dilation;
      if (line < 0 || line >= height)
        continue;
      for (int64_t h = 0; h < windows.horizontal.size; ++h) {
        int64_t column = x * windows.horizontal.stride - left +
                         h * windows.horizontal.dilation;
        if (column >= 0 && column < width)
          taps[count++] = {
              from + ((batch * height + line) * width + column) * channels,
              weights + (v * windows.horizontal.size + h) * channels};
      }
    }
    return {taps.data(), count};
  }

private:
  Windows windows;
  int64_t height, width, channels;
  const X *from;
  const W *weights;
  int64_t top, left;
  std::vector<Tap<X, W>> taps;
};

Status runDepthwise(Run &run) {
  return withNumbers(run, 0, [&](auto numbers) -> Status {
    using X = typename decltype(numbers)::X;
    using W = typename decltype(numbers)::W;
    using Sum = typename decltype(numbers)::Sum;
    const Use &use = run.use;
    int64_t channels = use.extent(1, 3);
    NNHAL_ASSIGN_OR_RETURN(X * to, run.allocate<X>(0));
    const Extents &extents = run.types[0].dimensions;
    int64_t times = channels / use.extent(0, 3);
    const X *from = use.data<X>(0);
    std::vector<X> expanded;
    if (times > 1) {
      expanded = repeated(from, elementCount(use.input(0)), times);
      from = expanded.data();
    }
    auto last = numbers.finishOf(use, {}, channels, false,
                                 use.extent(1, 1) * use.extent(1, 2));
    WindowTaps<X, W> window(use, from, channels);
    std::vector<Sum> sums(static_cast<size_t>(channels));
    int64_t place = 0;
    for (int64_t batch = 0; batch < extents[0]; ++batch)
      for (int64_t y = 0; y < extents[1]; ++y)
        for (int64_t x = 0; x < extents[2]; ++x, ++place) {
          auto taps = window.at(batch, y, x);
          multiplyTaps(sums.data(), taps.data(), int64_t(taps.size()),
                       channels);
          finish(to, channels,
                 ProductBlock<Sum>{sums.data(), place, 1, 0, channels}, last);
        }
    return Status::ok();
  });
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

/// Where the window of an element of the input lies in the output.
class Scattering {
public:
  Scattering(const Use &use, const Extents &output)
      : windows(windowsOf(use, false)), width(use.extent(2, 2)),
        inputPlaces(use.extent(2, 1) * width), output(output),
        top(windows.vertical.before(output[1])),
        left(windows.horizontal.before(output[2])) {}

  int64_t taps() const {
    return windows.vertical.size * windows.horizontal.size;
  }
  /// Adds products to the sums of the output that lie inside. The rows of
  /// \p block are ordered by the elements of the window, then channels.
  template <typename Sum> void add(Sum *sums, const ProductBlock<Sum> &block) {
    int64_t channels = output[3];
    for (int64_t place = 0; place < block.places; ++place) {
      const Sum *from = block.sums + place * rowsAtOnce;
      for (int64_t row = 0, some; row < block.rows; row += some, from += some) {
        int64_t channel = (block.firstRow + row) % channels;
        some = std::min(channels - channel, block.rows - row);
        int64_t to = placeOf(block.firstPlace + place,
                             (block.firstRow + row) / channels);
        for (int64_t index = 0; to >= 0 && index < some; ++index)
          sums[to * channels + channel + index] += from[index];
      }
    }
  }

private:
  /// Returns the place in the output of an element of the window at a place of
  /// the input; -1 where that is outside.
  int64_t placeOf(int64_t place, int64_t tap) const {
    int64_t inside = place % inputPlaces;
    int64_t line = inside / width * windows.vertical.stride - top +
                   tap / windows.horizontal.size;
    int64_t column = inside % width * windows.horizontal.stride - left +
                     tap % windows.horizontal.size;
    if (line < 0 || line >= output[1] || column < 0 || column >= output[2])
      return -1;
    return (place / inputPlaces * output[1] + line) * output[2] + column;
  }

  Windows windows;
  int64_t width, inputPlaces;
  const Extents &output;
  int64_t top, left;
};

Status runTranspose(Run &run) {
  return withNumbers(run, 2, [&](auto numbers) -> Status {
    using X = typename decltype(numbers)::X;
    using W = typename decltype(numbers)::W;
    using Sum = typename decltype(numbers)::Sum;
    const Use &use = run.use;
    NNHAL_ASSIGN_OR_RETURN(X * to, run.allocate<X>(0));
    const Extents &extents = run.types[0].dimensions;
    int64_t channels = extents[3], depth = use.extent(2, 3);
    Scattering scattering(use, extents);
    int64_t taps = scattering.taps();
    const W *filter = use.data<W>(1);
    std::vector<W> ordered(size_t(taps * channels * depth));
    for (int64_t channel = 0; channel < channels; ++channel)
      for (int64_t tap = 0; tap < taps; ++tap)
        std::copy_n(filter + (channel * taps + tap) * depth, depth,
                    ordered.data() + (tap * channels + channel) * depth);
    WeightRows<W> weights(ordered.data(), taps * channels, depth);
    bool isWhole = weights.depth() == depth;
    std::vector<Sum> sums(size_t(elementCount(extents)));
    const X *from = use.data<X>(2);
    forEachProductBlock<X, Sum>(
        {elementCount(std::span(use.input(2).dimensions).first(3)), 0,
         taps * channels},
        weights,
        [&](int64_t place, X *buffer) -> const X * {
          if (isWhole)
            return from + place * depth;
          std::copy_n(from + place * depth, depth, buffer);
          return buffer;
        },
        [&](const ProductBlock<Sum> &block) {
          scattering.add(sums.data(), block);
        });
    auto last =
        numbers.finishOf(use, transposePlaces, channels, false, taps * depth);
    for (int64_t place = 0; place * channels < elementCount(extents); ++place)
      finish(to, channels,
             ProductBlock<Sum>{sums.data() + place * channels, place, 1, 0,
                               channels},
             last);
    return Status::ok();
  });
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

/// The sums of bytes are scaled in double precision and rounded once, halves
/// away from 0.
struct ByteFinish {
  std::vector<int64_t> bias;
  std::vector<double> factors;
  Bounds bounds;
  int32_t zeroPoint;

  ByteFinish(const Use &use, int64_t units)
      : bias(size_t(units)), zeroPoint(use.output(0).zeroPoint) {
    const TensorType &weights = use.input(1), &result = use.output(0);
    if (use.has(2))
      bias = *use.integers(2);
    std::vector<float> scales = weights.channelQuant.scales;
    scales.resize(size_t(units), weights.scale);
    for (float scale : scales)
      factors.push_back(double(use.input(0).scale) * double(scale) /
                        double(result.scale));
    bounds = activationBounds(Activation(use.integer("activation")),
                              boundsOf<int8_t>(), result.scale, zeroPoint);
  }
  int8_t operator()(int64_t sum, size_t unit) const {
    const auto whole = int32_t(uint64_t(sum) + uint64_t(bias[unit]));
    const double real = std::round(double(whole) * factors[unit]) + zeroPoint;
    return int8_t(std::clamp(real, double(bounds.least), double(bounds.most)));
  }
};

Status connectBytes(Run &run) {
  const Use &use = run.use;
  const int64_t units = use.extent(1, 0), depth = use.extent(1, 1);
  NNHAL_ASSIGN_OR_RETURN(int8_t *to, run.allocate<int8_t>(0));
  const WeightRows<int8_t> weights(use.data<int8_t>(1), units, depth);
  const ByteFinish last(use, units);
  const int8_t *from = use.data<int8_t>(0);
  const int32_t zeroPoint = use.input(0).zeroPoint;
  forEachProductBlock<int16_t, int64_t>(
      {elementCount(run.types[0]) / units, 0, units}, weights,
      [&](int64_t place, int16_t *buffer) -> const int16_t * {
        for (int64_t index = 0; index < depth; ++index)
          buffer[index] = int16_t(from[place * depth + index] - zeroPoint);
        return buffer;
      },
      [&](const ProductBlock<int64_t> &block) {
        for (int64_t place = 0; place < block.places; ++place) {
          const int64_t *sums = block.sums + place * rowsAtOnce;
          int8_t *row = to + (block.firstPlace + place) * units;
          for (int64_t index = 0; index < block.rows; ++index)
            row[block.firstRow + index] =
                last(sums[index], size_t(block.firstRow + index));
        }
      });
  return Status::ok();
}

Status runFullyConnected(Run &run) {
  if (run.use.element(0) == Element::int8)
    return connectBytes(run);
  return withNumbers(run, 0, [&](auto numbers) -> Status {
    using X = typename decltype(numbers)::X;
    using W = typename decltype(numbers)::W;
    using Sum = typename decltype(numbers)::Sum;
    const Use &use = run.use;
    int64_t units = use.extent(1, 0), depth = use.extent(1, 1);
    NNHAL_ASSIGN_OR_RETURN(X * to, run.allocate<X>(0));
    WeightRows<W> weights(use.data<W>(1), units, depth);
    bool isWhole = weights.depth() == depth;
    auto last = numbers.finishOf(use, {}, units, true, depth);
    const X *from = use.data<X>(0);
    forEachProductBlock<X, Sum>(
        {elementCount(run.types[0]) / units, 0, units}, weights,
        [&](int64_t place, X *buffer) -> const X * {
          if (isWhole)
            return from + place * depth;
          std::copy_n(from + place * depth, depth, buffer);
          return buffer;
        },
        [&](const ProductBlock<Sum> &block) {
          finish(to, units, block, last);
        });
    return Status::ok();
  });
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
    {9, "FULLY_CONNECTED", "input weights bias? ", 0, contracted | int8Only,
     fullyConnectedOptions, 1, checkFullyConnected, runFullyConnected},
    {67, "TRANSPOSE_CONV", "output_shape weights input bias? ", 2, contracted,
     transposeOptions, 1, checkTranspose, runTranspose},
};

} // namespace

Rows tflite::contractionRows() { return rows; }
