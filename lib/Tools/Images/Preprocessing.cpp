//===- Preprocessing.cpp - From photos to the input of a model ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Preprocessing.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
using rt::OperandType;

std::string_view tools::nameOf(Quantizing quantizing) {
  return quantizing == Quantizing::correct ? "correct" : "as-published";
}

Image tools::cropToSquare(const Image &image, double part) {
  uint32_t shorter = std::min(image.width, image.height);
  uint32_t side =
      std::clamp<uint32_t>(uint32_t(part * double(shorter)), 1, shorter);
  uint32_t left = image.width / 2 - side / 2;
  uint32_t top = image.height / 2 - side / 2;
  Image square;
  square.width = square.height = side;
  square.pixels.resize(size_t(side) * side * 3);
  for (uint32_t y = 0; y < side; ++y) {
    const uint8_t *row =
        image.pixels.data() + (size_t(top + y) * image.width + left) * 3;
    std::copy_n(row, size_t(side) * 3,
                square.pixels.data() + size_t(y) * side * 3);
  }
  return square;
}

namespace {
/// The two pixels between which a pixel of another size lies.
struct Between {
  uint32_t low;
  uint32_t high;
  float part;
};
} // namespace

static std::vector<Between> placesOf(uint32_t from, uint32_t to) {
  std::vector<Between> places(to);
  float scale = float(from) / float(to);
  for (uint32_t i = 0; i < to; ++i) {
    float center =
        std::clamp((float(i) + 0.5f) * scale - 0.5f, 0.0f, float(from - 1));
    auto low = uint32_t(center);
    places[i] = {low, std::min(low + 1, from - 1), center - float(low)};
  }
  return places;
}

Image tools::resize(const Image &image, uint32_t width, uint32_t height) {
  std::vector<Between> columns = placesOf(image.width, width);
  std::vector<Between> rows = placesOf(image.height, height);
  Image resized;
  resized.width = width;
  resized.height = height;
  resized.pixels.reserve(size_t(width) * height * 3);
  auto at = [&](uint32_t x, uint32_t y, uint32_t color) {
    return float(image.pixels[(size_t(y) * image.width + x) * 3 + color]);
  };
  for (const Between &row : rows)
    for (const Between &column : columns)
      for (uint32_t color = 0; color < 3; ++color) {
        float above = std::lerp(at(column.low, row.low, color),
                                at(column.high, row.low, color), column.part);
        float below = std::lerp(at(column.low, row.high, color),
                                at(column.high, row.high, color), column.part);
        resized.pixels.push_back(
            uint8_t(std::lround(std::lerp(above, below, row.part))));
      }
  return resized;
}

/// The element for \p real of a type whose elements begin at \p least.
static uint8_t quantize(float real, float scale, float zeroPoint, int least,
                        Quantizing quantizing) {
  float value = real / scale + zeroPoint;
  if (quantizing == Quantizing::correct)
    return uint8_t(int(
        std::clamp(std::round(value), float(least), float(least + UINT8_MAX))));
  // Far beyond all elements the conversion to int would be undefined.
  constexpr float most = 1 << 24;
  return uint8_t(int(std::clamp(value, -most, most)));
}

static rt::Status checkShape(const rt::InterfaceTensor &input) {
  const std::vector<uint32_t> &shape = input.dimensions;
  if (shape.size() != 4 || shape[0] != 1 || shape[1] == 0 || shape[2] == 0 ||
      shape[3] != 3)
    return badData("an input of shape [{}] takes no photo, which needs "
                   "[1,height,width,3]",
                   fmt::join(shape, ","));
  if (uint64_t(shape[1]) * shape[2] > maxPixels)
    return badData("the input has {}x{} pixels, more than {}", shape[2],
                   shape[1], maxPixels);
  return rt::Status::ok();
}

Preprocessing
tools::preprocessingFor(const rt::InterfaceTensor &input,
                        const PictureSettings &settings,
                        const std::optional<Normalization> &stated) {
  Preprocessing result;
  result.crop = settings.crop;
  if (stated)
    result.normalization = *stated;
  if (input.type != OperandType::TENSOR_FLOAT32 && !settings.mean &&
      !settings.deviation) {
    result.normalization = {.mean = {}, .deviation = {1, 1, 1}};
    result.scale = 1;
    result.zeroPoint =
        input.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED ? INT8_MIN : 0;
  }
  if (settings.mean)
    result.normalization.mean = *settings.mean;
  if (settings.deviation)
    result.normalization.deviation = *settings.deviation;
  return result;
}

static rt::Status checkSettings(const Preprocessing &preprocessing) {
  if (double crop = preprocessing.crop.value_or(1); !(crop > 0 && crop <= 1))
    return badData("crop is {}, and not above 0 and at most 1", crop);
  for (double mean : preprocessing.normalization.mean)
    if (!std::isfinite(mean))
      return badData("mean is {}, which is not finite", mean);
  for (double deviation : preprocessing.normalization.deviation)
    if (!(deviation > 0) || !std::isfinite(deviation))
      return badData("deviation is {}, and not finite and above 0", deviation);
  return rt::Status::ok();
}

rt::Result<std::vector<std::byte>>
tools::preprocess(const Image &image, const rt::InterfaceTensor &input,
                  const Preprocessing &preprocessing) {
  NNHAL_RETURN_IF_ERROR(checkShape(input));
  NNHAL_RETURN_IF_ERROR(checkSettings(preprocessing));
  bool isFloat = input.type == OperandType::TENSOR_FLOAT32;
  bool isSigned = input.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
  if (!isFloat && !isSigned && input.type != OperandType::TENSOR_QUANT8_ASYMM)
    return badData("an input of type {} takes no photo, which needs "
                   "TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM or "
                   "TENSOR_QUANT8_ASYMM_SIGNED",
                   rt::nameOf(input.type));
  const Normalization &normalization = preprocessing.normalization;
  Image fitted = resize(
      preprocessing.crop ? cropToSquare(image, *preprocessing.crop) : image,
      input.dimensions[2], input.dimensions[1]);
  auto scale = float(preprocessing.scale.value_or(double(input.scale)));
  auto zeroPoint = float(preprocessing.zeroPoint.value_or(input.zeroPoint));
  size_t count = fitted.pixels.size();
  std::vector<std::byte> bytes(count * (isFloat ? sizeof(float) : 1));
  for (size_t i = 0; i < count; ++i) {
    float real = (float(fitted.pixels[i]) - float(normalization.mean[i % 3])) /
                 float(normalization.deviation[i % 3]);
    if (isFloat)
      std::memcpy(bytes.data() + i * sizeof(float), &real, sizeof(float));
    else
      bytes[i] =
          std::byte(quantize(real, scale, zeroPoint, isSigned ? INT8_MIN : 0,
                             preprocessing.quantizing));
  }
  return bytes;
}
