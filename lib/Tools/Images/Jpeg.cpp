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
  image.pixels.resize(size_t(width) * size_t(height) * 3);
  if (::tjDecompress2(decoder.get(), data, bytes.size(), image.pixels.data(),
                      width, 0, height, TJPF_RGB, 0) != 0)
    return badData("the JPEG file is damaged: {}",
                   ::tjGetErrorStr2(decoder.get()));
  return image;
}
