//===- NpyTest.cpp - NumPy array files ------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace nnhal;
using namespace nnhal::run;

namespace {

std::vector<std::byte> npyWith(std::string header, size_t dataSize,
                               char major = 1) {
  std::string file = "\x93NUMPY";
  file += {major, 0, char(header.size()), 0};
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

TEST(NpyTest, Diagnostics) {
  EXPECT_EQ(readNpy({}).status().message(),
            "not a npy file: it does not begin like one");
  EXPECT_EQ(readNpy(npyWith("  ", 0, 4)).status().message(),
            "npy format version 4 is not 1 to 3");
  std::vector<std::byte> cut = npyWith(std::string(20, ' '), 0);
  cut.resize(16);
  EXPECT_EQ(readNpy(cut).status().message(),
            "npy header of 20 bytes leaves the file of 16");
  EXPECT_EQ(messageOf("{'descr': }"),
            "npy elements are not of one simple type");
  EXPECT_EQ(messageOf("{'descr': '>f4'}"),
            "npy element type '>f4' is not supported");
  EXPECT_EQ(messageOf("{'fortran_order': True}"),
            "npy data in Fortran order is not supported");
  EXPECT_EQ(messageOf("{'color': 3}"),
            "npy header is malformed: 3 characters are left");
  EXPECT_EQ(messageOf("{'descr': '<f4', 'fortran_order': False, 'shape': "
                      "(4294967296, 4294967296)}"),
            "npy shape (4294967296, 4294967296) is too large");
  EXPECT_EQ(
      messageOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 4),
      "npy file has 4 bytes of data, its shape (2) needs 8");
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
    EXPECT_TRUE(!array.isOk() || array->format);
  }
}

} // namespace
