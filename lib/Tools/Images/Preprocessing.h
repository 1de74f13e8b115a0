//===- Preprocessing.h - From photos to the input of a model ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_IMAGES_PREPROCESSING_H
#define NNHAL_LIB_TOOLS_IMAGES_PREPROCESSING_H

#include "Image.h"

#include "nnhal/Runtime/Interface.h"

#include <array>
#include <optional>
#include <string_view>

namespace nnhal::tools {

/// How real numbers become the elements of quantized inputs.
enum class Quantizing {
  /// The nearest element, those at the ends for what is beyond them.
  correct,
  /// Towards zero, and what is beyond the last element begins at the first
  /// again, so that white becomes black. Published accuracies of quantized
  /// models were measured with that.
  asPublished
};
/// "correct" or "as-published".
std::string_view nameOf(Quantizing quantizing);

/// (value - mean) / deviation, for red, green and blue; the default is [-1, 1],
/// for which most classifiers were trained.
struct Normalization {
  std::array<double, 3> mean = {127.5, 127.5, 127.5};
  std::array<double, 3> deviation = {127.5, 127.5, 127.5};
  bool operator==(const Normalization &) const = default;
};

/// The way of a photo to the input of a model: the square in its middle is
/// resized, its values are normalized and, for quantized inputs, quantized.
struct Preprocessing {
  Quantizing quantizing = Quantizing::correct;
  /// The side of the square, as a part of the shorter side of the photo; the
  /// whole photo is resized where it is absent.
  std::optional<double> crop = 0.875;
  Normalization normalization;
  /// Those of the model's input where they are absent.
  std::optional<double> scale;
  std::optional<double> zeroPoint;
};

/// The square of \p part of the shorter side in the middle of \p image, which
/// has pixels.
Image cropToSquare(const Image &image, double part);

/// Resizes \p image, which has pixels, by bilinear interpolation between the
/// centers of the four next pixels.
Image resize(const Image &image, uint32_t width, uint32_t height);

/// Settings of a caller for the pictures of one input, in place of those of the
/// model.
struct PictureSettings {
  std::optional<double> crop;
  std::optional<std::array<double, 3>> mean;
  std::optional<std::array<double, 3>> deviation;
};

/// The way of a picture to \p input as TensorFlow Lite's own programs go it:
/// the whole picture, unless \p settings has a part, and to elements of 8 bits
/// as its bytes are. Elements that are real numbers are normalized as \p stated
/// says, which a model brings, and all elements as \p settings says.
Preprocessing preprocessingFor(const rt::InterfaceTensor &input,
                               const PictureSettings &settings,
                               const std::optional<Normalization> &stated);

/// The bytes of \p input for \p image. invalidArgument names the shape or type
/// of an input that takes no photo, or a setting that is no number or out of
/// range.
rt::Result<std::vector<std::byte>>
preprocess(const Image &image, const rt::InterfaceTensor &input,
           const Preprocessing &preprocessing);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_IMAGES_PREPROCESSING_H
