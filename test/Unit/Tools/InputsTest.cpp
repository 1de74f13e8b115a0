//===- InputsTest.cpp - Where the bytes of inputs come from ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Tensors/Inputs.h"
#include "Tools/Tensors/Npy.h"

#include "Runtime/Support/AtomicFile.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

using namespace nnhal;
using namespace nnhal::tools;

namespace {

class InputsTest : public testing::Test {
protected:
  InputsTest() {
    interface.inputs = {
        {"x", rt::OperandType::TENSOR_FLOAT32, {1, 3}, 0.0f, 0},
        {"state", rt::OperandType::TENSOR_QUANT8_ASYMM, {2}, 0.5f, 128}};
    interface.outputs = {
        {"next", rt::OperandType::TENSOR_QUANT8_ASYMM, {2}, 0.5f, 128}};
    interface.statePairs = {{0, 1}};
  }

  std::string write(const std::string &name, size_t count) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = float(i);
    std::string file = testing::TempDir() + "nnhal-inputs-" + name;
    auto bytes = std::as_bytes(std::span(values));
    uint32_t shape[] = {1, uint32_t(count)};
    auto npy =
        writeNpy(formatOf(rt::OperandType::TENSOR_FLOAT32), shape, bytes);
    EXPECT_TRUE(
        rt::writeFileAtomically(file, name.ends_with(".npy")
                                          ? std::span<const std::byte>(npy)
                                          : bytes)
            .isOk());
    return file;
  }

  /// A .npy file of floats with \p shape.
  std::string writeShaped(const std::string &name,
                          std::vector<uint32_t> shape) {
    size_t count = 1;
    for (uint32_t extent : shape)
      count *= extent;
    std::vector<float> values(count);
    std::string file = testing::TempDir() + "nnhal-inputs-" + name;
    EXPECT_TRUE(rt::writeFileAtomically(
                    file, writeNpy(formatOf(rt::OperandType::TENSOR_FLOAT32),
                                   shape, std::as_bytes(std::span(values))))
                    .isOk());
    return file;
  }

  std::string messageOf() {
    auto inputs = buildInputs(request, interface);
    return inputs.isOk() ? "built" : inputs.status().message();
  }

  rt::Interface interface;
  InputRequest request;
};

TEST_F(InputsTest, ZerosAndStates) {
  auto inputs = buildInputs(request, interface);
  ASSERT_TRUE(inputs.isOk()) << inputs.status().message();
  for (std::byte byte : inputs->tensors[0].frame(0))
    EXPECT_EQ(byte, std::byte(0));
  for (std::byte byte : inputs->tensors[1].frame(0))
    EXPECT_EQ(byte, std::byte(128));
}

TEST_F(InputsTest, RandomIsReproducible) {
  request.randomSeed = 5;
  auto first = buildInputs(request, interface);
  auto second = buildInputs(request, interface);
  ASSERT_TRUE(first.isOk() && second.isOk());
  float values[3], again[3];
  std::memcpy(values, first->tensors[0].frame(0).data(), sizeof(values));
  std::memcpy(again, second->tensors[0].frame(0).data(), sizeof(again));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(values[i], again[i]);
    EXPECT_LE(std::abs(values[i]), 1.0f);
  }
  EXPECT_NE(values[0], values[1]);
}

TEST_F(InputsTest, FilesAndFrames) {
  request.files = {{"x", write("a.npy", 3)}};
  auto inputs = buildInputs(request, interface);
  ASSERT_TRUE(inputs.isOk()) << inputs.status().message();
  EXPECT_EQ(inputs->frameCount, 1u);
  request.frames = true;
  request.files = {{"0", write("a.bin", 12)}};
  inputs = buildInputs(request, interface);
  ASSERT_TRUE(inputs.isOk()) << inputs.status().message();
  EXPECT_EQ(inputs->frameCount, 4u);
  float value;
  std::memcpy(&value, inputs->tensors[0].frame(3).data(), sizeof(value));
  EXPECT_EQ(value, 9.0f);
  interface.inputs[1] = interface.inputs[0];
  std::string other = write("b.bin", 9);
  request.files.push_back({"1", other});
  EXPECT_EQ(messageOf(),
            fmt::format("'{}' holds 3 frames, another input 4", other));
}

TEST_F(InputsTest, UnknownDimensions) {
  interface.inputs[0].dimensions = {1, 0};
  EXPECT_EQ(messageOf(), "input 0 has shape [1,0] with unknown dimensions: "
                         "state them with --shape=0=...");
  request.shapes["x"] = {1, 5};
  auto inputs = buildInputs(request, interface);
  ASSERT_TRUE(inputs.isOk()) << inputs.status().message();
  EXPECT_EQ(inputs->tensors[0].frameSize, 20u);
  request.shapes.clear();
  request.files = {{"x", write("u.npy", 7)}};
  inputs = buildInputs(request, interface);
  ASSERT_TRUE(inputs.isOk()) << inputs.status().message();
  EXPECT_EQ(inputs->tensors[0].dimensions, (std::vector<uint32_t>{1, 7}));
}

TEST_F(InputsTest, NumbersWithoutDimensionsAreTensorsOfOneElement) {
  interface.inputs[0].dimensions = {1};
  request.files = {{"0", writeShaped("number.npy", {})}};
  auto inputs = buildInputs(request, interface);
  ASSERT_TRUE(inputs.isOk()) << inputs.status().message();
  EXPECT_EQ(inputs->tensors[0].dimensions, std::vector<uint32_t>{1});
  interface.inputs[0].dimensions = {3};
  EXPECT_TRUE(messageOf().ends_with("' has shape [1], input 0 has [3]"))
      << messageOf();
}

TEST_F(InputsTest, ShapesOfFilesAreThoseOfInputs) {
  for (auto shape : {std::vector<uint32_t>{3, 1}, {3}, {1, 1, 3}}) {
    std::string file = writeShaped("shape.npy", shape);
    request.files = {{"0", file}};
    EXPECT_EQ(messageOf(), fmt::format("'{}' has shape [{}], input 0 has [1,3]",
                                       file, fmt::join(shape, ",")));
  }
  interface.inputs[0].dimensions = {0, 3};
  std::string file = writeShaped("unknown.npy", {2, 3});
  request.files = {{"0", file}};
  auto inputs = buildInputs(request, interface);
  ASSERT_TRUE(inputs.isOk()) << inputs.status().message();
  EXPECT_EQ(inputs->tensors[0].dimensions, (std::vector<uint32_t>{2, 3}));
  request.shapes["0"] = {1, 3};
  EXPECT_EQ(messageOf(),
            fmt::format("'{}' has shape [2,3], input 0 has [1,3]", file));
  request.shapes["0"] = {2, 3};
  EXPECT_EQ(messageOf(), "built");
  request.shapes.clear();
  file = writeShaped("unknown.npy", {3, 2});
  EXPECT_EQ(messageOf(),
            fmt::format("'{}' has shape [3,2], input 0 has [0,3]", file));
  file = writeShaped("unknown.npy", {3});
  EXPECT_EQ(messageOf(),
            fmt::format("'{}' has shape [3], input 0 has [0,3]", file));
}

TEST_F(InputsTest, ShapesOfFrames) {
  request.frames = true;
  for (auto shape : {std::vector<uint32_t>{4, 3}, {4, 1, 3}, {1, 3}}) {
    request.files = {{"0", writeShaped("frames.npy", shape)}};
    auto inputs = buildInputs(request, interface);
    ASSERT_TRUE(inputs.isOk()) << inputs.status().message();
    EXPECT_EQ(inputs->frameCount, shape[0]);
    EXPECT_EQ(inputs->tensors[0].dimensions, (std::vector<uint32_t>{1, 3}));
  }
  for (auto shape : {std::vector<uint32_t>{3, 4}, {12}, {4, 3, 1}}) {
    std::string file = writeShaped("frames.npy", shape);
    EXPECT_EQ(messageOf(),
              fmt::format("'{}' has shape [{}], input 0 has [1,3] for each "
                          "frame",
                          file, fmt::join(shape, ",")));
  }
}

TEST_F(InputsTest, Diagnostics) {
  request.files = {{"y", "f"}};
  EXPECT_EQ(messageOf(), "no input 'y'; there are: 0 ('x'), 1 ('state')");
  request.files = {{"0", "f"}, {"x", "g"}};
  EXPECT_EQ(messageOf(), "input 0 has two files: 'f' and 'g'");
  request.files = {{"0", "/nonexistent.bin"}};
  EXPECT_EQ(messageOf(),
            "cannot open '/nonexistent.bin': No such file or directory");
  std::string file = write("short.bin", 2);
  request.files = {{"0", file}};
  EXPECT_EQ(messageOf(),
            fmt::format("'{}' has 8 bytes of data, input 0 of shape [1,3] "
                        "needs 12",
                        file));
  request.frames = true;
  EXPECT_EQ(messageOf(),
            fmt::format("'{}' has 8 bytes of data, input 0 of shape [1,3] "
                        "needs a multiple of 12",
                        file));
  request.files.clear();
  EXPECT_EQ(messageOf(), "option '--frames' needs an --input=N=FILE");
  request.frames = false;
  file = write("wrong.npy", 2);
  request.files = {{"1", file}};
  EXPECT_EQ(messageOf(), fmt::format("'{}' has elements '<f4', "
                                     "TENSOR_QUANT8_ASYMM needs '|u1'",
                                     file));
  request.files.clear();
  request.shapes["0"] = {2, 3};
  EXPECT_EQ(messageOf(),
            "option '--shape': [2,3] does not fit input 0 of shape [1,3]");
}

// H-016: elements of an extension have the size that its device states; they
// are bytes in files, along one dimension more in those of NumPy.
TEST_F(InputsTest, ElementsOfExtensionsAreBytes) {
  interface = {};
  rt::InterfaceTensor &points = interface.inputs.emplace_back();
  points.type = rt::OperandType(0x10003);
  points.dimensions = {2};
  points.extension = {3, true, 12};
  const std::vector<std::byte> bytes(24, std::byte(7));
  std::string file = testing::TempDir() + "nnhal-inputs-extension";
  auto writeAs = [&](const char *ending, std::vector<uint32_t> shape) {
    request.files = {{"0", file + ending}};
    auto npy = writeNpy(formatOf(points.type), shape, bytes);
    EXPECT_TRUE(rt::writeFileAtomically(file + ending,
                                        shape.empty()
                                            ? std::span(bytes)
                                            : std::span<const std::byte>(npy))
                    .isOk());
  };
  EXPECT_EQ(messageOf(), "built");
  writeAs(".bin", {});
  EXPECT_EQ(messageOf(), "built");
  writeAs(".npy", {2, 12});
  auto inputs = buildInputs(request, interface);
  ASSERT_TRUE(inputs.isOk()) << inputs.status().message();
  EXPECT_TRUE(std::ranges::equal(inputs->tensors[0].frame(0), bytes));
  EXPECT_EQ(inputs->tensors[0].dimensions, std::vector<uint32_t>{2});
  writeAs(".npy", {4, 6});
  EXPECT_EQ(messageOf(), "'" + file + ".npy' has shape [4,6], input 0 has [2]");
}

// An extension that says what elements are takes arrays of them, and bytes.
TEST_F(InputsTest, ElementsOfExtensionsAreNumbers) {
  interface = {};
  rt::InterfaceTensor &numbers = interface.inputs.emplace_back();
  numbers.type = rt::OperandType(0x10000);
  numbers.dimensions = {2};
  numbers.extension = {0, true, 8, rt::ElementKind::int64};
  const int64_t values[2] = {-7, int64_t(1) << 40};
  const auto bytes = std::as_bytes(std::span(values));
  std::string file = testing::TempDir() + "nnhal-inputs-numbers.npy";
  request.files = {{"0", file}};
  auto writeAs = [&](std::string_view descr, std::vector<uint32_t> shape) {
    EXPECT_TRUE(rt::writeFileAtomically(
                    file, writeNpy(*lookUpFormat(descr), shape, bytes))
                    .isOk());
  };
  for (const char *descr : {"<i8", "|u1"}) {
    writeAs(descr, *descr == '<' ? std::vector<uint32_t>{2}
                                 : std::vector<uint32_t>{2, 8});
    auto inputs = buildInputs(request, interface);
    ASSERT_TRUE(inputs.isOk()) << inputs.status().message();
    EXPECT_TRUE(std::ranges::equal(inputs->tensors[0].frame(0), bytes));
  }
  writeAs("<f8", {2});
  EXPECT_EQ(messageOf(), "'" + file +
                             "' has elements '<f8', INT64 needs "
                             "'<i8'");
  // Random ones are small, as those of 32 bits are.
  request.files.clear();
  request.randomSeed = 1;
  auto inputs = buildInputs(request, interface);
  ASSERT_TRUE(inputs.isOk()) << inputs.status().message();
  int64_t drawn[2];
  std::memcpy(drawn, inputs->tensors[0].frame(0).data(), sizeof(drawn));
  for (int64_t value : drawn)
    EXPECT_TRUE(value >= 0 && value < 10) << value;
}

} // namespace
