//===- Orientation.cpp - How a camera was held ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cameras store the pixels as the sensor has them and say in a segment of the
// JPEG file, by the rules of Exif, how they have to be turned. What is damaged
// there says nothing: the picture is good without it.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tools;

namespace {
/// Numbers of one or the other byte order; 0 beyond the end.
class Numbers {
public:
  Numbers(std::span<const std::byte> bytes, bool isLittle)
      : bytes(bytes), isLittle(isLittle) {}

  uint32_t at(uint64_t offset, unsigned size) const {
    uint32_t value = 0;
    if (offset + size > bytes.size())
      return 0;
    for (unsigned i = 0; i < size; ++i)
      value |= uint32_t(bytes[offset + i]) << 8 * (isLittle ? i : size - 1 - i);
    return value;
  }

private:
  std::span<const std::byte> bytes;
  bool isLittle;
};
} // namespace

/// The orientation that \p block, in the format of TIFF, states first; 1 where
/// it states none.
static uint32_t orientationOfBlock(std::span<const std::byte> block) {
  constexpr uint32_t orientationTag = 0x112, shortType = 3, entrySize = 12;
  if (block.size() < 8)
    return 1;
  Numbers numbers(block, block[0] == std::byte('I'));
  uint64_t list = numbers.at(4, 4);
  uint32_t count = numbers.at(list, 2);
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t entry = list + 2 + uint64_t(entrySize) * i;
    if (numbers.at(entry, 2) != orientationTag ||
        numbers.at(entry + 2, 2) != shortType)
      continue;
    uint32_t value = numbers.at(entry + 8, 2);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

uint32_t tools::orientationOf(std::span<const std::byte> jpeg) {
  constexpr uint32_t application1 = 0xffe1, startOfScan = 0xffda;
  static constexpr char exif[] = {'E', 'x', 'i', 'f', 0, 0};
  Numbers numbers(jpeg, /*isLittle=*/false);
  for (uint64_t at = 2; at + 4 <= jpeg.size();) {
    uint32_t marker = numbers.at(at, 2), length = numbers.at(at + 2, 2);
    if (marker == 0xffff) { // Filling bytes may stand before a marker.
      ++at;
      continue;
    }
    if (marker < 0xff00 || marker == startOfScan || length < 2 ||
        at + 2 + length > jpeg.size())
      return 1;
    auto content = jpeg.subspan(at + 4, length - 2);
    auto name = std::as_bytes(std::span(exif));
    if (marker == application1 && content.size() > name.size() &&
        std::ranges::equal(content.first(name.size()), name))
      return orientationOfBlock(content.subspan(name.size()));
    at += 2 + length;
  }
  return 1;
}

Image tools::turned(Image image, uint32_t orientation) {
  if (orientation <= 1 || orientation > 8)
    return image;
  // Bits of what happens to a place of the result: first its coordinates are
  // exchanged, then the column and the row are counted from the other end.
  constexpr uint8_t exchanges = 4, otherColumn = 2, otherRow = 1;
  static constexpr uint8_t actions[] = {0,
                                        0,
                                        otherColumn,
                                        otherColumn | otherRow,
                                        otherRow,
                                        exchanges,
                                        exchanges | otherRow,
                                        exchanges | otherColumn | otherRow,
                                        exchanges | otherColumn};
  uint8_t action = actions[orientation];
  Image result{image.width, image.height, {}};
  if (action & exchanges)
    std::swap(result.width, result.height);
  result.pixels.reserve(image.pixels.size());
  for (uint32_t y = 0; y < result.height; ++y)
    for (uint32_t x = 0; x < result.width; ++x) {
      uint32_t column = action & exchanges ? y : x;
      uint32_t row = action & exchanges ? x : y;
      column = action & otherColumn ? image.width - 1 - column : column;
      row = action & otherRow ? image.height - 1 - row : row;
      const uint8_t *pixel =
          &image.pixels[(size_t(row) * image.width + column) * 3];
      result.pixels.insert(result.pixels.end(), pixel, pixel + 3);
    }
  return result;
}
