//===- Image.h - Pictures as pixels -----------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_IMAGES_IMAGE_H
#define NNHAL_LIB_TOOLS_IMAGES_IMAGE_H

#include "nnhal/Runtime/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::tools {

/// Rows of pixels from the top, each of red, green and blue.
struct Image {
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint8_t> pixels;
};

inline constexpr uint64_t maxPixels = uint64_t(1) << 27;

/// Decodes a JPEG file; one of greys has three equal colors then, and the inks
/// of one for printing become colors. The pixels stay as they lie. Fails with
/// invalidArgument for bytes that are no JPEG file, are cut off, or state more
/// pixels than maxPixels, and with generalFailure in a build without
/// libjpeg-turbo.
rt::Result<Image> decodeJpeg(std::span<const std::byte> bytes);

/// How the pixels of the file \p jpeg have to be turned: 1 to 8, as Exif
/// numbers it; 1, not at all, where the file says nothing.
uint32_t orientationOf(std::span<const std::byte> jpeg);

/// \p image as it stands upright if its file states \p orientation.
Image turned(Image image, uint32_t orientation);

/// Decodes a PNG file, whose transparent pixels are put on black. Fails with
/// invalidArgument for bytes that are no PNG file, are damaged, or state more
/// pixels than maxPixels, and with generalFailure in a build without libpng.
rt::Result<Image> decodePng(std::span<const std::byte> bytes);

/// Whether the name of the file \p path ends as that of a picture.
bool isImageFile(std::string_view path);

/// Reads a JPEG or PNG file, which its first bytes tell apart; it stands as the
/// camera was held. Fails with
/// invalidArgument, which names the file.
rt::Result<Image> readImage(const std::string &path);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_IMAGES_IMAGE_H
