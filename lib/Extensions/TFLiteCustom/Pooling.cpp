//===- Pooling.cpp - Pools that tell places, and their inverse ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MaxPoolingWithArgmax2D of MediaPipe, and MaxUnpooling2D, whose places are
// those of MediaPipe's pool where they are reals, and places in the whole
// image, as TensorFlow Lite has them, where they are integers.
//
//===----------------------------------------------------------------------===//

#include "Operator.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

using namespace nnhal;
using namespace nnhal::tflite_custom;

namespace {
/// The options, a record of 32-bit integers as it lies in memory. What a file
/// holds behind it are numbers that TensorFlow Lite computes anew.
struct PoolOptions {
  bool isSame;
  int64_t strideWidth, strideHeight, width, height;
  int32_t activation;
};

/// One dimension of a pool.
struct PoolAxis {
  int64_t size, stride;

  /// The elements of padding before the first of \p large elements, which \p
  /// small windows cover.
  int64_t before(int64_t large, int64_t small) const {
    return std::max<int64_t>(((small - 1) * stride + size - large) / 2, 0);
  }
};
} // namespace

static PoolAxis vertical(const PoolOptions &options) {
  return {options.height, options.strideHeight};
}
static PoolAxis horizontal(const PoolOptions &options) {
  return {options.width, options.strideWidth};
}

static Result<PoolOptions> readOptions(const Use &use) {
  NNHAL_ASSIGN_OR_RETURN(std::span<const uint8_t> bytes, use.options());
  std::array<int32_t, 6> numbers;
  if (bytes.size() < sizeof(numbers))
    return refuse("has ", bytes.size(),
                  " bytes of custom options, but at least ", sizeof(numbers),
                  " are needed");
  std::memcpy(numbers.data(), bytes.data(), sizeof(numbers));
  static constexpr struct {
    const char *name;
    int32_t least, most;
  } fields[] = {{"padding", 1, 2},           {"stride_width", 1, 65535},
                {"stride_height", 1, 65535}, {"filter_width", 1, 65535},
                {"filter_height", 1, 65535}, {"activation", 0, 3}};
  for (size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] < fields[i].least || numbers[i] > fields[i].most)
      return refuse("custom option '", fields[i].name, "' is ", numbers[i],
                    ", which is not in ", fields[i].least, "..",
                    fields[i].most);
  return PoolOptions{numbers[0] == 1, numbers[1], numbers[2],
                     numbers[3],      numbers[4], numbers[5]};
}

static constexpr std::initializer_list<int64_t> anyImage = {
    unknownExtent, unknownExtent, unknownExtent, unknownExtent};

/// The bounds of an activation.
static std::pair<float, float> boundsOf(int32_t activation) {
  constexpr float most = std::numeric_limits<float>::max();
  switch (activation) {
  case 1:
    return {0.0f, most};
  case 2:
    return {-1.0f, 1.0f};
  case 3:
    return {0.0f, 6.0f};
  default:
    return {-most, most};
  }
}

//===----------------------------------------------------------------------===//
// MaxPoolingWithArgmax2D
//===----------------------------------------------------------------------===//

/// The number of windows along \p extent elements.
static Result<int64_t> windowsAlong(const PoolOptions &options, PoolAxis axis,
                                    int64_t extent) {
  if (extent == unknownExtent)
    return unknownExtent;
  if (!options.isSame && axis.size > extent)
    return refuse("window of ", axis.size, " elements exceeds the extent ",
                  extent);
  return options.isSame ? (extent + axis.stride - 1) / axis.stride
                        : (extent - axis.size) / axis.stride + 1;
}

static Result<Types> checkPool(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(1, 2));
  NNHAL_RETURN_IF_ERROR(use.checkTensor(0, "pixels", floatType, anyImage));
  NNHAL_ASSIGN_OR_RETURN(PoolOptions options, readOptions(use));
  Extents extents = use.input(0).dimensions;
  NNHAL_ASSIGN_OR_RETURN(extents[1],
                         windowsAlong(options, vertical(options), extents[1]));
  NNHAL_ASSIGN_OR_RETURN(
      extents[2], windowsAlong(options, horizontal(options), extents[2]));
  TensorType type = typeOf(floatType, extents);
  return Types{type, type};
}

namespace {
/// The places of an image, line by line.
struct Image {
  int64_t height, width, channels;

  explicit Image(const Extents &extents)
      : height(extents[1]), width(extents[2]), channels(extents[3]) {}
  size_t at(int64_t batch, int64_t y, int64_t x, int64_t channel) const {
    return size_t(((batch * height + y) * width + x) * channels + channel);
  }
};

/// The greatest element of a window, and its place there.
struct Greatest {
  float value = std::numeric_limits<float>::lowest();
  int64_t y = 0, x = 0;
};
} // namespace

/// Finds the first of the greatest elements of the window that begins at
/// (\p top, \p left), which may be outside of the image.
static Greatest greatestIn(const PoolOptions &options, const Image &image,
                           std::span<const float> pixels, int64_t batch,
                           int64_t top, int64_t left, int64_t channel) {
  Greatest greatest;
  int64_t lastY = std::min(options.height, image.height - top),
          lastX = std::min(options.width, image.width - left);
  for (int64_t y = std::max<int64_t>(0, -top); y < lastY; ++y)
    for (int64_t x = std::max<int64_t>(0, -left); x < lastX; ++x) {
      float value = pixels[image.at(batch, top + y, left + x, channel)];
      if (value > greatest.value)
        greatest = {value, y, x};
    }
  return greatest;
}

static Status executePool(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(PoolOptions options, readOptions(use));
  NNHAL_ASSIGN_OR_RETURN(Types types, checkPool(use));
  const Extents &extents = types[0].dimensions;
  NNHAL_ASSIGN_OR_RETURN(std::span<float> values,
                         allocate<float>(outputs, 0, extents));
  NNHAL_ASSIGN_OR_RETURN(std::span<float> places,
                         allocate<float>(outputs, 1, extents));
  auto pixels = elementsOf<float>(use, 0);
  const Image image(use.input(0).dimensions), pooled(extents);
  int64_t before = vertical(options).before(image.height, pooled.height),
          beside = horizontal(options).before(image.width, pooled.width);
  auto [least, most] = boundsOf(options.activation);
  size_t to = 0;
  for (int64_t batch = 0; batch < extents[0]; ++batch)
    for (int64_t y = 0; y < pooled.height; ++y)
      for (int64_t x = 0; x < pooled.width; ++x)
        for (int64_t channel = 0; channel < image.channels; ++channel, ++to) {
          Greatest found = greatestIn(
              options, image, pixels, batch, y * options.strideHeight - before,
              x * options.strideWidth - beside, channel);
          values[to] = std::min(std::max(found.value, least), most);
          // Below 2^24, truncation finds the integer again.
          places[to] = float(found.y * options.width + found.x) + 0.1f;
        }
  return Status::ok();
}

const OperatorRow tflite_custom::poolRow = {"MaxPoolingWithArgmax2D", checkPool,
                                            executePool};

//===----------------------------------------------------------------------===//
// MaxUnpooling2D
//===----------------------------------------------------------------------===//

/// The elements along a dimension that \p pooled ones become.
static int64_t unpooled(const PoolOptions &options, PoolAxis axis,
                        int64_t pooled, bool hasIntegers) {
  if (pooled == unknownExtent)
    return unknownExtent;
  if (!hasIntegers)
    return pooled * axis.size;
  return options.isSame ? pooled * axis.stride
                        : (pooled - 1) * axis.stride + axis.size;
}

static Result<Types> checkUnpool(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(2, 1));
  NNHAL_RETURN_IF_ERROR(use.checkTensor(0, "values", floatType, anyImage));
  Extents extents = use.input(0).dimensions;
  bool hasIntegers = use.has(1) && use.input(1).type == int32Type;
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(1, "places", hasIntegers ? int32Type : floatType,
                      {extents[0], extents[1], extents[2], extents[3]}));
  NNHAL_ASSIGN_OR_RETURN(PoolOptions options, readOptions(use));
  extents[1] = unpooled(options, vertical(options), extents[1], hasIntegers);
  extents[2] = unpooled(options, horizontal(options), extents[2], hasIntegers);
  return Types{typeOf(floatType, extents)};
}

/// Puts each value where its real place in a window is. Those outside of the
/// image are left out.
static void unpoolReals(const Use &use, const PoolOptions &options,
                        const Extents &extents, std::span<float> to) {
  auto values = elementsOf<float>(use, 0), places = elementsOf<float>(use, 1);
  const Image pooled(use.input(0).dimensions), image(extents);
  int64_t before = vertical(options).before(image.height, pooled.height),
          beside = horizontal(options).before(image.width, pooled.width);
  size_t from = 0;
  for (int64_t batch = 0; batch < extents[0]; ++batch)
    for (int64_t y = 0; y < pooled.height; ++y)
      for (int64_t x = 0; x < pooled.width; ++x)
        for (int64_t channel = 0; channel < image.channels; ++channel, ++from) {
          constexpr float mostPlaces = 4294967296.0f; // More than 65535^2.
          if (!(std::fabs(places[from]) <= mostPlaces))
            continue;
          auto place = int64_t(places[from]);
          int64_t line =
              y * options.strideHeight - before + place / options.width;
          int64_t column =
              x * options.strideWidth - beside + place % options.width;
          if (line >= 0 && line < image.height && column >= 0 &&
              column < image.width)
            to[image.at(batch, line, column, channel)] = values[from];
        }
}

/// Puts each value at its place in the image of its batch.
static Status unpoolIntegers(const Use &use, const Extents &extents,
                             std::span<float> to) {
  auto values = elementsOf<float>(use, 0);
  auto places = elementsOf<int32_t>(use, 1);
  if (values.empty())
    return Status::ok();
  size_t each = to.size() / size_t(extents[0]),
         pooled = values.size() / size_t(extents[0]);
  for (size_t from = 0; from < values.size(); ++from) {
    if (places[from] < 0 || size_t(places[from]) >= each)
      return fail("place ", places[from], " is not in 0..", each - 1);
    to[from / pooled * each + size_t(places[from])] = values[from];
  }
  return Status::ok();
}

static Status executeUnpool(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(PoolOptions options, readOptions(use));
  NNHAL_ASSIGN_OR_RETURN(Types types, checkUnpool(use));
  const Extents &extents = types[0].dimensions;
  NNHAL_ASSIGN_OR_RETURN(std::span<float> to,
                         allocate<float>(outputs, 0, extents));
  if (use.input(1).type == int32Type)
    return unpoolIntegers(use, extents, to);
  unpoolReals(use, options, extents, to);
  return Status::ok();
}

const OperatorRow tflite_custom::unpoolRow = {"MaxUnpooling2D", checkUnpool,
                                              executeUnpool};
