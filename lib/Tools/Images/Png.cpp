//===- Png.cpp - PNG files as pixels --------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include "Runtime/Support/Errors.h"

#include <png.h>

using namespace nnhal;
using rt::badData;

rt::Result<tools::Image> tools::decodePng(std::span<const std::byte> bytes) {
  struct Decoder {
    ~Decoder() { ::png_image_free(&state); }
    png_image state = {};
  } decoder;
  png_image &state = decoder.state;
  state.version = PNG_IMAGE_VERSION;
  if (!::png_image_begin_read_from_memory(&state, bytes.data(), bytes.size()))
    return badData("not a PNG file: {}", state.message);
  if (uint64_t(state.width) * uint64_t(state.height) > maxPixels)
    return badData("the picture has {}x{} pixels, more than {}", state.width,
                   state.height, maxPixels);
  state.format = PNG_FORMAT_RGB;
  // Where the file says nothing, colors of 16 bits are those of screens, too.
  state.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  Image image;
  image.width = state.width;
  image.height = state.height;
  image.pixels.resize(size_t(state.width) * size_t(state.height) * 3);
  png_color black = {};
  if (!::png_image_finish_read(&state, &black, image.pixels.data(), 0, nullptr))
    return badData("the PNG file is damaged: {}", state.message);
  return image;
}
