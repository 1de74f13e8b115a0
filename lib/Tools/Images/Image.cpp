//===- Image.cpp - Pictures as pixels -------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"

#include <algorithm>
#include <array>
#include <cctype>

using namespace nnhal;
using namespace nnhal::tools;

bool tools::isImageFile(std::string_view path) {
  static constexpr std::array<std::string_view, 3> ends = {".jpg", ".jpeg",
                                                           ".png"};
  return std::ranges::any_of(ends, [&](std::string_view end) {
    return path.size() > end.size() &&
           std::ranges::equal(path.substr(path.size() - end.size()), end,
                              [](char given, char small) {
                                return std::tolower(uint8_t(given)) == small;
                              });
  });
}

/// Whether \p bytes begin with those of \p begin.
static bool beginWith(std::span<const std::byte> bytes,
                      std::string_view begin) {
  return bytes.size() >= begin.size() &&
         std::ranges::equal(bytes.first(begin.size()),
                            std::as_bytes(std::span(begin)));
}

static rt::Result<Image> uprightJpeg(std::span<const std::byte> bytes) {
  NNHAL_ASSIGN_OR_RETURN(Image image, decodeJpeg(bytes));
  return turned(std::move(image), orientationOf(bytes));
}

static rt::Result<Image> decode(std::span<const std::byte> bytes) {
  if (beginWith(bytes, "\x89PNG"))
    return decodePng(bytes);
  if (beginWith(bytes, "\xff\xd8"))
    return uprightJpeg(bytes);
  return rt::badData("neither a JPEG nor a PNG file");
}

rt::Result<Image> tools::readImage(const std::string &path) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  auto image = decode(bytes);
  if (!image.isOk())
    return std::move(image).takeStatus().withContext(fmt::format("'{}'", path));
  return image;
}
