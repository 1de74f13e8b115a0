//===- ImageTest.cpp - Pictures as pixels ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Images/Image.h"

#include "Tools/Tensors/Inputs.h"

#include "Runtime/Support/AtomicFile.h"

#include <gtest/gtest.h>

#include <algorithm>
#ifdef NNHAL_HAVE_JPEG
#include <turbojpeg.h>
#endif
#ifdef NNHAL_HAVE_PNG
#include <png.h>
#include <zlib.h>
#endif

using namespace nnhal;
using namespace nnhal::tools;

namespace {

TEST(ImageTest, PicturesAreKnownByTheirNames) {
  EXPECT_TRUE(isImageFile("a.jpg"));
  EXPECT_TRUE(isImageFile("folder/a.JPEG"));
  EXPECT_TRUE(isImageFile("a.b.png"));
  EXPECT_FALSE(isImageFile("a.npy"));
  EXPECT_FALSE(isImageFile(".png"));
  EXPECT_FALSE(isImageFile("png"));
}

TEST(ImageTest, WhatIsNoPictureIsNamed) {
  std::string path = testing::TempDir() + "nnhal-text.png";
  ASSERT_TRUE(rt::writeFileAtomically(
                  path, std::as_bytes(std::span(std::string_view("text"))))
                  .isOk());
  EXPECT_EQ(readImage(path).status().message(),
            "'" + path + "': neither a JPEG nor a PNG file");
}

/// A JPEG file's beginning, which states orientation 6 by the rules of Exif.
std::vector<std::byte> orientedJpeg(std::string_view order) {
  bool isLittle = order == "II";
  std::vector<std::byte> block;
  auto add = [&](uint32_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i)
      block.push_back(std::byte(value >> 8 * (isLittle ? i : size - 1 - i)));
  };
  for (char letter : order)
    block.push_back(std::byte(letter));
  add(42, 2);
  add(8, 4); // Where the list begins.
  add(2, 2);
  for (uint32_t number : {0x10fu, 2u, 4u, 0u}) // The maker, as text.
    add(number, number == 0x10f || number == 2 ? 2 : 4);
  add(0x112, 2);
  add(3, 2);
  add(1, 4);
  add(6, 2);
  add(0, 2);
  add(0, 4);
  // A comment and filling bytes come before.
  std::vector<std::byte> file;
  for (int byte : {0xff, 0xd8, 0xff, 0xfe, 0, 3, 0x63, 0xff, 0xff, 0xe1, 0})
    file.push_back(std::byte(byte));
  file.push_back(std::byte(2 + 6 + block.size()));
  for (char letter : std::string_view("Exif\0\0", 6))
    file.push_back(std::byte(letter));
  file.insert(file.end(), block.begin(), block.end());
  return file;
}

TEST(ImageTest, OrientationsOfCameras) {
  for (std::string_view order : {"II", "MM"}) {
    std::vector<std::byte> file = orientedJpeg(order);
    EXPECT_EQ(orientationOf(file), 6u) << order;
    // An entry that is cut off, or another number, says nothing.
    for (size_t size = 0; size < file.size(); ++size)
      EXPECT_EQ(orientationOf(std::span(file).first(size)), 1u) << size;
    size_t value = file.size() - 8;
    file[value] = file[value + 1] = std::byte(9);
    EXPECT_EQ(orientationOf(file), 1u) << order;
  }
}

TEST(ImageTest, PicturesAreTurnedUpright) {
  // Two rows of three pixels, by one color of each.
  Image image{3, 2, {}};
  for (uint8_t pixel : {1, 2, 3, 4, 5, 6})
    image.pixels.insert(image.pixels.end(), {pixel, 0, 0});
  auto seen = [&](uint32_t orientation) {
    Image result = turned(image, orientation);
    std::string text;
    for (size_t i = 0; i < result.pixels.size(); i += 3) {
      text += i > 0 && i / 3 % result.width == 0 ? "/" : "";
      text += char('0' + result.pixels[i]);
    }
    return text;
  };
  EXPECT_EQ(seen(1), "123/456");
  EXPECT_EQ(seen(2), "321/654");
  EXPECT_EQ(seen(3), "654/321");
  EXPECT_EQ(seen(4), "456/123");
  EXPECT_EQ(seen(5), "14/25/36");
  EXPECT_EQ(seen(6), "41/52/63");
  EXPECT_EQ(seen(7), "63/52/41");
  EXPECT_EQ(seen(8), "36/25/14");
}

#ifdef NNHAL_HAVE_JPEG
TEST(ImageTest, InksOfPrintingBecomeColors) {
  // The 8 x 8 pixels leave half of the red each, and all else.
  std::vector<uint8_t> inks;
  for (int i = 0; i < 64; ++i)
    inks.insert(inks.end(), {128, 255, 255, 255});
  void *encoder = ::tjInitCompress();
  unsigned char *data = nullptr;
  unsigned long size = 0;
  ASSERT_EQ(::tjCompress2(encoder, inks.data(), 8, 0, 8, TJPF_CMYK, &data,
                          &size, TJSAMP_444, 100, 0),
            0);
  auto image = decodeJpeg(std::as_bytes(std::span(data, size)));
  ASSERT_TRUE(image.isOk()) << image.status().message();
  ASSERT_EQ(image->pixels.size(), 192u);
  EXPECT_NEAR(image->pixels[0], 128, 2);
  EXPECT_NEAR(image->pixels[1], 255, 2);
  EXPECT_NEAR(image->pixels[2], 255, 2);
  ::tjFree(data);
  ::tjDestroy(encoder);
}
#endif

#ifdef NNHAL_HAVE_PNG
/// A PNG file of 3 x 2 pixels in \p format.
template <typename Component>
std::vector<std::byte> pngOf(uint32_t format,
                             const std::vector<Component> &pixels) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = 3;
  image.height = 2;
  image.format = format;
  png_alloc_size_t size = 0;
  EXPECT_TRUE(::png_image_write_to_memory(&image, nullptr, &size, 0,
                                          pixels.data(), 0, nullptr));
  std::vector<std::byte> file(size);
  EXPECT_TRUE(::png_image_write_to_memory(&image, file.data(), &size, 0,
                                          pixels.data(), 0, nullptr));
  return file;
}

const std::vector<uint8_t> colors = {255, 0,  0,  0,  255, 0,  0,  0,  255,
                                     10,  20, 30, 40, 50,  60, 70, 80, 90};

TEST(ImageTest, PixelsOfPng) {
  auto image = decodePng(pngOf(PNG_FORMAT_RGB, colors));
  ASSERT_TRUE(image.isOk()) << image.status().message();
  EXPECT_EQ(image->width, 3u);
  EXPECT_EQ(image->height, 2u);
  EXPECT_EQ(image->pixels, colors);
  auto grey =
      decodePng(pngOf(PNG_FORMAT_GRAY, std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
  ASSERT_TRUE(grey.isOk()) << grey.status().message();
  EXPECT_EQ(std::vector(grey->pixels.begin(), grey->pixels.begin() + 6),
            (std::vector<uint8_t>{1, 1, 1, 2, 2, 2}));
}

TEST(ImageTest, PixelsOf16Bits) {
  std::vector<uint16_t> pixels;
  for (uint8_t color : colors)
    pixels.push_back(uint16_t(color * 257));
  std::vector<std::byte> file = pngOf(PNG_FORMAT_LINEAR_RGB, pixels);
  // The writer states in a chunk gAMA that the numbers are those of light. A
  // chunk of another name is passed over.
  std::string_view name = "gAMA";
  auto begin = std::ranges::search(file, std::as_bytes(std::span(name)));
  ASSERT_FALSE(begin.empty());
  begin.front() = std::byte('x');
  auto checksum =
      ::crc32(0, reinterpret_cast<const Bytef *>(&begin.front()), 8);
  for (size_t i = 0; i < 4; ++i)
    (&begin.front())[8 + i] = std::byte(checksum >> (24 - 8 * i));
  auto image = decodePng(file);
  ASSERT_TRUE(image.isOk()) << image.status().message();
  EXPECT_EQ(image->pixels, colors);
}

TEST(ImageTest, TransparentPixelsAreOnBlack) {
  std::vector<uint8_t> pixels;
  for (size_t i = 0; i < 6; ++i)
    pixels.insert(pixels.end(), {200, 100, 50, uint8_t(i == 0 ? 0 : 255)});
  auto image = decodePng(pngOf(PNG_FORMAT_RGBA, pixels));
  ASSERT_TRUE(image.isOk()) << image.status().message();
  EXPECT_EQ(std::vector(image->pixels.begin(), image->pixels.begin() + 6),
            (std::vector<uint8_t>{0, 0, 0, 200, 100, 50}));
}

TEST(ImageTest, DamagedPngIsRefused) {
  std::vector<std::byte> whole = pngOf(PNG_FORMAT_RGB, colors);
  auto text = decodePng(std::as_bytes(std::span(std::string_view("text"))));
  EXPECT_TRUE(text.status().message().starts_with("not a PNG file: "))
      << text.status().message();
  auto cut = decodePng(std::span(whole).first(whole.size() - 30));
  EXPECT_TRUE(cut.status().message().starts_with("the PNG file is damaged: "))
      << cut.status().message();
  // A header that states 32767 x 32767 pixels: type and content of 17 bytes
  // begin at 12, and their checksum follows.
  for (size_t at : {18u, 22u}) {
    whole[at] = std::byte(0x7f);
    whole[at + 1] = std::byte(0xff);
  }
  auto checksum = ::crc32(0, reinterpret_cast<const Bytef *>(&whole[12]), 17);
  for (size_t i = 0; i < 4; ++i)
    whole[29 + i] = std::byte(checksum >> (24 - 8 * i));
  EXPECT_EQ(decodePng(whole).status().message(),
            "the picture has 32767x32767 pixels, more than 134217728");
}

TEST(ImageTest, FilesBecomeInputs) {
  std::string path = testing::TempDir() + "nnhal-picture.png";
  ASSERT_TRUE(
      rt::writeFileAtomically(path, pngOf(PNG_FORMAT_RGB, colors)).isOk());
  rt::Interface interface;
  interface.inputs = {
      {"image", rt::OperandType::TENSOR_QUANT8_ASYMM, {1, 2, 3, 3}, 0.5f, 7},
      {"real", rt::OperandType::TENSOR_FLOAT32, {1, 0, 0, 3}, 0.0f, 0}};
  InputRequest request;
  request.files = {{"image", path}, {"real", path}};
  request.shapes["real"] = {1, 2, 3, 3};
  request.normalizations = {std::nullopt, Normalization{{0, 0, 0}, {10, 5, 1}}};
  auto inputs = buildInputs(request, interface);
  ASSERT_TRUE(inputs.isOk()) << inputs.status().message();
  EXPECT_TRUE(std::ranges::equal(inputs->tensors[0].bytes.bytes(),
                                 std::as_bytes(std::span(colors))));
  const auto *real =
      reinterpret_cast<const float *>(inputs->tensors[1].bytes.data());
  EXPECT_EQ(real[9], 1.0f);
  EXPECT_EQ(real[10], 4.0f);
  EXPECT_EQ(real[11], 30.0f);
  interface.inputs[0].dimensions = {2, 3};
  EXPECT_EQ(buildInputs(request, interface).status().message(),
            "'" + path +
                "': an input of shape [2,3] takes no photo, which needs "
                "[1,height,width,3]");
}
#else
TEST(ImageTest, ABuildWithoutPngSaysSo) {
  EXPECT_EQ(decodePng({}).status().message(),
            "this build reads no PNG: libpng (libpng-dev) was not found when "
            "it was configured");
}
#endif

} // namespace
