//===- Jpeg.cpp - Photos as pixels ----------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include "Runtime/Support/Errors.h"

#include <memory>
#include <turbojpeg.h>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;

/// Turns the inks of four-color printing, which files state as what they leave
/// of the light, into the three colors of pixels.
static std::vector<uint8_t> colorsOfInks(const std::vector<uint8_t> &inks) {
  std::vector<uint8_t> pixels;
  pixels.reserve(inks.size() / 4 * 3);
  for (size_t i = 0; i < inks.size(); i += 4)
    for (size_t color = 0; color < 3; ++color)
      pixels.push_back(uint8_t((inks[i + color] * inks[i + 3] + 127) / 255));
  return pixels;
}

rt::Result<Image> tools::decodeJpeg(std::span<const std::byte> bytes) {
  struct Close {
    void operator()(void *handle) const { ::tjDestroy(handle); }
  };
  std::unique_ptr<void, Close> decoder(::tjInitDecompress());
  if (!decoder)
    return rt::outOfResources("{}", ::tjGetErrorStr2(nullptr));
  const auto *data = reinterpret_cast<const unsigned char *>(bytes.data());
  int width = 0, height = 0, subsampling = 0, colors = 0;
  if (::tjDecompressHeader3(decoder.get(), data, bytes.size(), &width, &height,
                            &subsampling, &colors) != 0)
    return badData("not a JPEG file: {}", ::tjGetErrorStr2(decoder.get()));
  if (uint64_t(width) * uint64_t(height) > maxPixels)
    return badData("the photo has {}x{} pixels, more than {}", width, height,
                   maxPixels);
  Image image;
  image.width = uint32_t(width);
  image.height = uint32_t(height);
  bool hasInks = colors == TJCS_CMYK || colors == TJCS_YCCK;
  TJPF format = hasInks ? TJPF_CMYK : TJPF_RGB;
  image.pixels.resize(size_t(width) * size_t(height) *
                      size_t(tjPixelSize[format]));
  if (::tjDecompress2(decoder.get(), data, bytes.size(), image.pixels.data(),
                      width, 0, height, format, 0) != 0)
    return badData("the JPEG file is damaged: {}",
                   ::tjGetErrorStr2(decoder.get()));
  if (hasInks)
    image.pixels = colorsOfInks(image.pixels);
  return image;
}
