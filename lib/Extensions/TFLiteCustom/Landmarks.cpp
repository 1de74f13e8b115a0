//===- Landmarks.cpp - Parts of images around landmarks -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Landmarks2TransformMatrix, TransformTensorBilinear and TransformLandmarks of
// MediaPipe, each in its second version: a model looks at the eyes and the
// mouth of a face again, and puts what it finds there back into the whole
// picture. Sums and products have the order and the precision that they have
// there.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <array>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite_custom;

static constexpr int32_t mostPixels = 65536;

//===----------------------------------------------------------------------===//
// Landmarks2TransformMatrix
//===----------------------------------------------------------------------===//

namespace {
struct CropOptions {
  std::vector<int32_t> subset;
  int32_t left, right, height, width;
  float rotation, scaleX, scaleY;
};

struct Point {
  float x, y;
};

/// A matrix of 4x4 numbers, row by row.
struct Matrix {
  std::array<float, 16> numbers = {1, 0, 0, 0, 0, 1, 0, 0,
                                   0, 0, 1, 0, 0, 0, 0, 1};

  static Matrix shift(float x, float y) {
    Matrix result;
    result.numbers[3] = x;
    result.numbers[7] = y;
    return result;
  }
  static Matrix scale(float x, float y) {
    Matrix result;
    result.numbers[0] = x;
    result.numbers[5] = y;
    return result;
  }
  static Matrix rotation(float angle) {
    Matrix result;
    result.numbers[0] = result.numbers[5] = std::cos(angle);
    result.numbers[4] = std::sin(angle);
    result.numbers[1] = -result.numbers[4];
    return result;
  }
  Matrix operator*(const Matrix &other) const {
    Matrix result;
    for (size_t row = 0; row < 4; ++row)
      for (size_t column = 0; column < 4; ++column) {
        float sum = 0;
        for (size_t i = 0; i < 4; ++i)
          sum += numbers[row * 4 + i] * other.numbers[i * 4 + column];
        result.numbers[row * 4 + column] = sum;
      }
    return result;
  }
};
} // namespace

static Point rotated(Point point, float angle) {
  float cosine = std::cos(angle), sine = std::sin(angle);
  return {cosine * point.x + -sine * point.y,
          sine * point.x + cosine * point.y};
}

static float positive(Options &options, const char *name) {
  float value = options.real(name);
  if (value <= 0)
    options.reject(refuse("custom option '", name, "' is ", value,
                          ", which is not above 0"));
  return value;
}

/// The options, with landmarks of \p count.
static Result<CropOptions> readCrop(const Use &use, int64_t count) {
  int32_t last = count == unknownExtent
                     ? INT32_MAX
                     : int32_t(std::min<int64_t>(count, INT32_MAX) - 1);
  return Options::read(use, [last](Options &options) {
    CropOptions crop;
    crop.subset = options.integers("subset_idxs", 0, last);
    crop.left = options.integer("left_rotation_idx", 0, last);
    crop.right = options.integer("right_rotation_idx", 0, last);
    crop.height = options.integer("output_height", 1, mostPixels);
    crop.width = options.integer("output_width", 1, mostPixels);
    crop.rotation = options.real("target_rotation_radians");
    crop.scaleX = positive(options, "scale_x");
    crop.scaleY = positive(options, "scale_y");
    return crop;
  });
}

static Result<Types> checkCrop(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(1, 1));
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(0, "landmarks", floatType, {1, unknownExtent, 3}));
  NNHAL_RETURN_IF_ERROR(readCrop(use, use.extent(0, 1)).takeStatus());
  return Types{typeOf(floatType, {1, 4, 4})};
}

/// The matrix that leads from the pixels of a crop to those of the picture.
static Matrix cropMatrix(const CropOptions &crop,
                         std::span<const float> landmarks) {
  auto at = [&](int32_t index) {
    return Point{landmarks[size_t(index) * 3],
                 landmarks[size_t(index) * 3 + 1]};
  };
  Point left = at(crop.left), right = at(crop.right);
  float angle = crop.rotation - std::atan2(right.y - left.y, right.x - left.x);
  Point least = rotated(at(crop.subset[0]), angle), most = least;
  for (int32_t index : crop.subset) {
    Point point = rotated(at(index), angle);
    most = {most.x < point.x ? point.x : most.x,
            most.y < point.y ? point.y : most.y};
    least = {least.x > point.x ? point.x : least.x,
             least.y > point.y ? point.y : least.y};
  }
  Point middle =
      rotated({(least.x + most.x) / 2, (least.y + most.y) / 2}, -angle);
  return Matrix() * Matrix::shift(middle.x, middle.y) *
         Matrix::rotation(-angle) *
         Matrix::scale(crop.scaleX * (most.x - least.x) / float(crop.width),
                       crop.scaleY * (most.y - least.y) / float(crop.height)) *
         Matrix::shift(float(-1.0 * (crop.width / 2.0)),
                       float(-1.0 * (crop.height / 2.0)));
}

static Status executeCrop(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(CropOptions crop, readCrop(use, use.extent(0, 1)));
  NNHAL_ASSIGN_OR_RETURN(std::span<float> to,
                         allocate<float>(outputs, 0, {1, 4, 4}));
  std::ranges::copy(cropMatrix(crop, elementsOf<float>(use, 0)).numbers,
                    to.begin());
  return Status::ok();
}

const OperatorRow tflite_custom::cropRow = {"Landmarks2TransformMatrix",
                                            checkCrop, executeCrop};

//===----------------------------------------------------------------------===//
// Matrices that are applied
//===----------------------------------------------------------------------===//

/// Checks that tensor 1 is a matrix.
static Status checkMatrix(const Use &use) {
  return use.checkTensor(1, "matrices", floatType, {1, 4, 4});
}

/// The product of \p row of a matrix and (\p x, \p y, 0, 1).
static float applied(std::span<const float> row, float x, float y) {
  return row[0] * x + row[1] * y + row[2] * 0.0f + row[3];
}

//===----------------------------------------------------------------------===//
// TransformLandmarks
//===----------------------------------------------------------------------===//

static Result<Types> checkMove(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(2, 1));
  NNHAL_RETURN_IF_ERROR(use.checkTensor(0, "landmarks", floatType,
                                        {1, unknownExtent, unknownExtent}));
  int64_t numbers = use.extent(0, 2);
  if (numbers != unknownExtent && numbers != 2 && numbers != 3)
    return refuse("landmarks have ", numbers, " numbers, expected 2 or 3");
  NNHAL_RETURN_IF_ERROR(checkMatrix(use));
  return Types{typeOf(floatType, use.input(0).dimensions)};
}

static Status executeMove(const Use &use, ExtensionOutputs &outputs) {
  const Extents &extents = use.input(0).dimensions;
  NNHAL_ASSIGN_OR_RETURN(std::span<float> to,
                         allocate<float>(outputs, 0, extents));
  auto from = elementsOf<float>(use, 0), matrix = elementsOf<float>(use, 1);
  auto numbers = size_t(extents[2]);
  for (size_t i = 0; i < to.size(); i += numbers) {
    to[i] = applied(matrix.first(4), from[i], from[i + 1]);
    to[i + 1] = applied(matrix.subspan(4, 4), from[i], from[i + 1]);
    if (numbers == 3)
      to[i + 2] = from[i + 2];
  }
  return Status::ok();
}

const OperatorRow tflite_custom::moveRow = {"TransformLandmarks", checkMove,
                                            executeMove};

//===----------------------------------------------------------------------===//
// TransformTensorBilinear
//===----------------------------------------------------------------------===//

static Result<Types> checkSample(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(2, 1));
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(0, "pixels", floatType,
                      {1, unknownExtent, unknownExtent, unknownExtent}));
  NNHAL_RETURN_IF_ERROR(checkMatrix(use));
  using Size = std::pair<int32_t, int32_t>;
  NNHAL_ASSIGN_OR_RETURN(Size size, Options::read(use, [](Options &options) {
                           return Size(
                               options.integer("output_height", 1, mostPixels),
                               options.integer("output_width", 1, mostPixels));
                         }));
  return Types{
      typeOf(floatType, {1, size.first, size.second, use.extent(0, 3)})};
}

namespace {
/// A row of a matrix that leads to the centers of pixels.
struct CenterRow {
  std::array<float, 4> row;

  explicit CenterRow(std::span<const float> from)
      : row{from[0], from[1], from[2], from[3]} {
    row[3] = float(row[3] + (row[0] * 0.5 + row[1] * 0.5 - 0.5));
  }
  float at(int64_t x, int64_t y) const {
    return applied(row, float(x), float(y));
  }
};

class Sampler {
public:
  explicit Sampler(const Use &use)
      : pixels(elementsOf<float>(use, 0)), height(use.extent(0, 1)),
        width(use.extent(0, 2)), channels(use.extent(0, 3)) {}

  /// Writes the pixel at (\p x, \p y), which may lie between others; nothing
  /// where it is outside.
  void sample(float x, float y, std::span<float> to) const {
    if (!(x >= 0 && x <= float(width - 1) && y >= 0 && y <= float(height - 1)))
      return;
    float left = std::floor(x), top = std::floor(y);
    auto column = int64_t(left), line = int64_t(top);
    float across = x - left, down = y - top;
    for (size_t channel = 0; channel < to.size(); ++channel) {
      // Some steps are in double precision there, and some are not.
      auto upper = float((1.0 - across) * value(line, column, channel) +
                         across * value(line, column + 1, channel));
      auto lower = float((1.0 - across) * value(line + 1, column, channel) +
                         across * value(line + 1, column + 1, channel));
      to[channel] = float(down * lower + (1.0 - down) * upper);
    }
  }

private:
  float value(int64_t line, int64_t column, size_t channel) const {
    if (line >= height || column >= width)
      return 0;
    return pixels[size_t((line * width + column) * channels) + channel];
  }

  std::span<const float> pixels;
  int64_t height, width, channels;
};
} // namespace

static Status executeSample(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(Types types, checkSample(use));
  const Extents &extents = types[0].dimensions;
  NNHAL_ASSIGN_OR_RETURN(std::span<float> to,
                         allocate<float>(outputs, 0, extents));
  auto matrix = elementsOf<float>(use, 1);
  const CenterRow across(matrix.first(4)), down(matrix.subspan(4, 4));
  const Sampler sampler(use);
  auto channels = size_t(extents[3]);
  size_t place = 0;
  for (int64_t y = 0; y < extents[1]; ++y)
    for (int64_t x = 0; x < extents[2]; ++x, place += channels)
      sampler.sample(across.at(x, y), down.at(x, y),
                     to.subspan(place, channels));
  return Status::ok();
}

const OperatorRow tflite_custom::sampleRow = {"TransformTensorBilinear",
                                              checkSample, executeSample};
