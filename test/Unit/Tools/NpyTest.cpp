//===- NpyTest.cpp - NumPy array files ------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Tensors/Npy.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace nnhal;
using namespace nnhal::tools;

namespace {

std::vector<std::byte> npyWith(std::string header, size_t dataSize,
                               char major = 1, char minor = 0) {
  std::string file = "\x93NUMPY";
  file += {major, minor, char(header.size()), char(header.size() >> 8)};
  if (major > 1)
    file += std::string(2, '\0');
  file += header + std::string(dataSize, 'x');
  auto bytes = std::as_bytes(std::span(file));
  return {bytes.begin(), bytes.end()};
}

std::string messageOf(std::string header, size_t dataSize = 0) {
  auto array = readNpy(npyWith(std::move(header), dataSize));
  return array.isOk() ? "read" : array.status().message();
}

TEST(NpyTest, RoundTrip) {
  float values[6] = {1, 2, 3, 4, 5, 6};
  uint32_t shape[] = {2, 3};
  const ElementFormat &format = formatOf(rt::OperandType::TENSOR_FLOAT32);
  std::vector<std::byte> file =
      writeNpy(format, shape, std::as_bytes(std::span(values)));
  EXPECT_EQ((file.size() - sizeof(values)) % 64, 0u);
  auto array = readNpy(file);
  ASSERT_TRUE(array.isOk()) << array.status().message();
  EXPECT_EQ(array->format->descr, "<f4");
  EXPECT_EQ(array->shape, (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(array->format->load(array->data.data() + 20), 6.0);
}

TEST(NpyTest, ElementsOfExtensions) {
  using enum rt::ElementKind;
  const auto type = rt::OperandType(0x10003);
  EXPECT_EQ(formatOf(type).descr, "|u1");
  for (uint32_t code = 1; code <= uint32_t(complex64); ++code)
    EXPECT_EQ(formatOf(type, rt::ElementKind(code)).size,
              sizeOf(rt::ElementKind(code)))
        << code;
  auto text = [&](rt::ElementKind kind, const auto &value) {
    auto bytes = std::as_bytes(std::span(&value, 1));
    EXPECT_EQ(bytes.size(), sizeOf(kind));
    return formatOf(type, kind).print(bytes.data());
  };
  EXPECT_EQ(text(int8, int8_t(-3)), "-3");
  EXPECT_EQ(text(uint8, uint8_t(200)), "200");
  EXPECT_EQ(text(int16, int16_t(-300)), "-300");
  EXPECT_EQ(text(uint16, uint16_t(65535)), "65535");
  EXPECT_EQ(text(int32, INT32_MIN), "-2147483648");
  EXPECT_EQ(text(uint32, UINT32_MAX), "4294967295");
  EXPECT_EQ(text(int64, INT64_MIN + 1), "-9223372036854775807");
  EXPECT_EQ(text(uint64, UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(text(float16, uint16_t(0x3E00)), "1.5");
  EXPECT_EQ(text(float32, 0.1f), "0.1");
  EXPECT_EQ(text(float64, 0.1 + 0.2), "0.30000000000000004");
  const float parts[2] = {1.0f, -0.5f};
  EXPECT_EQ(text(complex64, parts), "1-0.5j");
}

TEST(NpyTest, ScalarsAndVectors) {
  const ElementFormat &format = formatOf(rt::OperandType::TENSOR_QUANT8_ASYMM);
  std::byte values[2] = {std::byte(1), std::byte(255)};
  uint32_t shape[] = {2};
  auto vector = readNpy(writeNpy(format, shape, values));
  ASSERT_TRUE(vector.isOk());
  EXPECT_EQ(vector->shape, std::vector<uint64_t>{2});
  EXPECT_EQ(vector->format->load(&vector->data[1]), 255.0);
  auto scalar = readNpy(writeNpy(format, {}, std::span(values).first(1)));
  ASSERT_TRUE(scalar.isOk());
  EXPECT_TRUE(scalar->shape.empty());
}

TEST(NpyTest, EveryTypeHasAFormat) {
  for (const rt::OperandTypeInfo &info : rt::allOperandTypes())
    if (info.elementSize != 0) {
      EXPECT_EQ(formatOf(info.type).size, info.elementSize) << info.name;
    }
}

TEST(NpyTest, LaterVersions) {
  auto array = readNpy(npyWith(
      "{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }", 3, 2));
  ASSERT_TRUE(array.isOk()) << array.status().message();
  EXPECT_EQ(array->data.size(), 3u);
}

/// A header whose shape is \p shape, for bytes.
std::string headerWith(std::string shape) {
  return "{'descr': '|u1', 'fortran_order': False, 'shape': " +
         std::move(shape) + ", }";
}

TEST(NpyTest, Diagnostics) {
  EXPECT_EQ(readNpy({}).status().message(),
            "not a npy file: it does not begin like one");
  for (auto [major, minor] : {std::pair(4, 0), {0, 0}, {1, 1}, {3, 255}})
    EXPECT_EQ(
        readNpy(npyWith("  ", 0, char(major), char(minor))).status().message(),
        fmt::format("npy format version {}.{} is not 1.0, 2.0 or 3.0", major,
                    minor));
  std::vector<std::byte> cut = npyWith(std::string(20, ' '), 0);
  cut.resize(16);
  EXPECT_EQ(readNpy(cut).status().message(),
            "npy header of 20 bytes leaves the file of 16");
  cut = npyWith("", 0, 2);
  cut.resize(11);
  EXPECT_EQ(readNpy(cut).status().message(),
            "npy file of 11 bytes ends before its header");
  EXPECT_EQ(messageOf(std::string(10001, ' ')),
            "npy header of 10001 bytes is longer than 10000");
  EXPECT_EQ(messageOf("{'descr': [('x', '<f4')]}"),
            "npy elements are not of one simple type");
  EXPECT_EQ(messageOf("{'descr': '>f4'}"),
            "npy element type '>f4' is not supported");
  EXPECT_EQ(messageOf("{'fortran_order': True}"),
            "npy data in Fortran order is not supported");
  EXPECT_EQ(messageOf("{'descr': '<f4', 'fortran_order': False, 'shape': "
                      "(4294967296, 4294967296)}"),
            "npy shape (4294967296, 4294967296) is too large");
  EXPECT_EQ(
      messageOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 4),
      "npy file has 4 bytes of data, its shape (2) needs 8");
}

TEST(NpyTest, KeysAreThoseOfTheFormat) {
  EXPECT_EQ(messageOf("{'color': 3}"), "npy header: unknown key 'color'");
  EXPECT_EQ(messageOf("{'descr': '<f4', 'descr': '<f4'}"),
            "npy header: key 'descr' is given twice");
  EXPECT_EQ(messageOf("{}"), "npy header: key 'descr' is missing");
  EXPECT_EQ(messageOf("{'descr': '<f4', 'shape': (2,)}"),
            "npy header: key 'fortran_order' is missing");
  EXPECT_EQ(messageOf("{'descr': '<f4', 'fortran_order': False}"),
            "npy header: key 'shape' is missing");
}

TEST(NpyTest, SyntaxIsThatOfPython) {
  auto expected = [](std::string_view what, size_t at, std::string_view found) {
    return fmt::format("npy header: expected {} at character {}, found {}",
                       what, at, found);
  };
  EXPECT_EQ(messageOf(""), expected("'{'", 0, "the end"));
  EXPECT_EQ(messageOf("\n{"), expected("'{'", 0, "byte 0x0a"));
  EXPECT_EQ(messageOf("{,"), expected("a string", 1, "','"));
  EXPECT_EQ(messageOf("{'descr'}"), expected("':'", 8, "'}'"));
  EXPECT_EQ(messageOf("{'descr': 3}"), expected("a string", 10, "'3'"));
  EXPECT_EQ(messageOf("{'descr': '<f4' 'shape'"),
            expected("',' or '}'", 16, "'''"));
  EXPECT_EQ(messageOf("{'descr': '<f4',, "), expected("a string", 16, "','"));
  EXPECT_EQ(messageOf("{'descr"),
            expected("' that ends a string", 7, "the end"));
  EXPECT_EQ(messageOf("{'des\\x63r'"),
            expected("a plain character of a string", 5, "'\\'"));
  EXPECT_EQ(messageOf("{'fortran_order': 0}"),
            expected("True or False", 18, "'0'"));
  EXPECT_EQ(messageOf("{'fortran_order': Falsey"),
            expected("',' or '}'", 23, "'y'"));
  // What pads the header, and what ends it.
  EXPECT_EQ(messageOf(headerWith("(2,)") + "  \n", 2), "read");
  EXPECT_EQ(messageOf(" \t" + headerWith("(2,)"), 2), "read");
  size_t end = headerWith("(2,)").size();
  EXPECT_EQ(messageOf(headerWith("(2,)") + " R"),
            expected("the end", end + 1, "'R'"));
  EXPECT_EQ(messageOf(headerWith("(2,)") + "\x9C\n"),
            expected("the end", end, "byte 0x9c"));
  EXPECT_EQ(messageOf(headerWith("(2,)") + std::string(1, '\0')),
            expected("the end", end, "byte 0x00"));
}

TEST(NpyTest, ShapesAreTuplesOfIntegers) {
  for (std::string shape : {"(1,2)", "(1, 2, )", "( 1\n,2)", "(1L, 2L)"})
    EXPECT_EQ(messageOf(headerWith(shape), 2), "read") << shape;
  EXPECT_EQ(messageOf(headerWith("()"), 1), "read");
  EXPECT_EQ(messageOf(headerWith("(0,)"), 0), "read");
  size_t begin = headerWith("").find(", }");
  auto expected = [&](std::string_view what, size_t at,
                      std::string_view found) {
    return fmt::format("npy header: expected {} at character {}, found {}",
                       what, begin + at, found);
  };
  EXPECT_EQ(messageOf(headerWith("[2]")), expected("'('", 0, "'['"));
  EXPECT_EQ(messageOf(headerWith("2")), expected("'('", 0, "'2'"));
  EXPECT_EQ(messageOf(headerWith("(2)")),
            expected("',' after the first extent", 2, "')'"));
  EXPECT_EQ(messageOf(headerWith("(1 28 28)")),
            expected("',' after the first extent", 3, "'2'"));
  EXPECT_EQ(messageOf(headerWith("(1, 28 28)")),
            expected("',' or ')'", 7, "'2'"));
  EXPECT_EQ(messageOf(headerWith("(,)")), expected("an extent", 1, "','"));
  EXPECT_EQ(messageOf(headerWith("(2,,)")), expected("an extent", 3, "','"));
  EXPECT_EQ(messageOf(headerWith("(-2,)")), expected("an extent", 1, "'-'"));
  EXPECT_EQ(messageOf(headerWith("(2.0,)")),
            expected("',' after the first extent", 2, "'.'"));
  EXPECT_EQ(messageOf(headerWith("(02,)")),
            "npy header: extent 02 begins with 0");
  EXPECT_EQ(messageOf(headerWith("(18446744073709551616,)")),
            "npy header: extent 18446744073709551616 exceeds "
            "18446744073709551615");
  std::string many = "(";
  for (int i = 0; i < 65; ++i)
    many += "1,";
  EXPECT_EQ(messageOf(headerWith(many + ")"), 1),
            "npy header: the shape has more than 64 extents");
  // Integers of Python 2 end with version 2.
  EXPECT_EQ(readNpy(npyWith(headerWith("(2L,)"), 2, 3)).status().message(),
            expected("',' after the first extent", 2, "'L'"));
}

TEST(NpyTest, DamagedFilesAreAnswered) {
  uint32_t shape[] = {2};
  std::byte data[8] = {};
  const std::vector<std::byte> good =
      writeNpy(formatOf(rt::OperandType::TENSOR_FLOAT32), shape, data);
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> bytes = good;
    bytes[random() % bytes.size()] = std::byte(random());
    if (i % 2)
      bytes.resize(random() % bytes.size());
    auto array = readNpy(bytes);
    if (!array.isOk()) {
      EXPECT_EQ(array.status().code(), rt::StatusCode::invalidArgument);
      EXPECT_NE(array.status().message().find("npy"), std::string::npos)
          << array.status().message();
      continue;
    }
    uint64_t size = array->format->size;
    for (uint64_t extent : array->shape)
      size *= extent;
    EXPECT_EQ(array->data.size(), size);
  }
}

} // namespace
