//===- CompareTest.cpp - Outputs against expectations ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Tensors/Compare.h"

#include "Runtime/Support/AtomicFile.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>

using namespace nnhal;
using namespace nnhal::tools;

namespace {

class CompareTest : public testing::Test {
protected:
  std::string path(const std::string &name) {
    return testing::TempDir() + "nnhal-compare-" + name;
  }

  OutputTensor output(std::vector<float> values,
                      std::vector<uint32_t> dimensions) {
    kept.push_back(std::move(values));
    return {"y", rt::OperandType::TENSOR_FLOAT32, std::move(dimensions),
            std::as_bytes(std::span(kept.back()))};
  }

  std::string write(const std::string &name, std::vector<float> values,
                    std::vector<uint32_t> shape) {
    std::string file = path(name);
    auto bytes = std::as_bytes(std::span(values));
    auto npy =
        writeNpy(formatOf(rt::OperandType::TENSOR_FLOAT32), shape, bytes);
    rt::Status status = rt::writeFileAtomically(
        file, name.ends_with(".npy") ? std::span<const std::byte>(npy) : bytes);
    EXPECT_TRUE(status.isOk()) << status.message();
    return file;
  }

  std::string messageOf(const OutputTensor &actual, const std::string &file,
                        const Tolerance &tolerance = {}) {
    auto sentence = compareWithFile(actual, 0, file, tolerance, false);
    return sentence.isOk() ? *sentence : sentence.status().message();
  }

private:
  /// What outputs are views of.
  std::deque<std::vector<float>> kept;
};

// L-003.
TEST(RelaxedModelTest, HalfFloatsOfAnySubgraphRelax) {
  rt::Model model;
  model.main.operands.resize(1);
  model.referenced.resize(1);
  model.referenced[0].operands.resize(1);
  EXPECT_FALSE(isRelaxed(model));
  rt::Model relaxed = model;
  relaxed.relaxComputationFloat32toFloat16 = true;
  EXPECT_TRUE(isRelaxed(relaxed));
  rt::Model nested = model;
  nested.referenced[0].operands[0].type = rt::OperandType::TENSOR_FLOAT16;
  EXPECT_TRUE(isRelaxed(nested));
  model.main.operands[0].type = rt::OperandType::TENSOR_FLOAT16;
  EXPECT_TRUE(isRelaxed(model));
}

// L-001 to L-005.
TEST_F(CompareTest, BoundsFollowTheTypes) {
  using enum rt::OperandType;
  EXPECT_EQ(boundsFor(TENSOR_FLOAT32, false).atol, 1e-5);
  EXPECT_EQ(boundsFor(TENSOR_FLOAT32, false).rtol, 5 * std::pow(2.0, -23));
  EXPECT_EQ(boundsFor(TENSOR_FLOAT32, true).atol, 5 * std::pow(2.0, -10));
  EXPECT_EQ(boundsFor(TENSOR_FLOAT32, true).rtol, 5 * std::pow(2.0, -10));
  EXPECT_EQ(boundsFor(TENSOR_FLOAT16, false).atol, 5 * std::pow(2.0, -10));
  EXPECT_EQ(boundsFor(TENSOR_FLOAT16, false).rtol, 5 * std::pow(2.0, -10));
  for (rt::OperandType type :
       {INT32, TENSOR_INT32, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED,
        TENSOR_QUANT8_SYMM, TENSOR_QUANT8_SYMM_PER_CHANNEL,
        TENSOR_QUANT16_ASYMM, TENSOR_QUANT16_SYMM}) {
    EXPECT_EQ(boundsFor(type, false).atol, 1.0) << rt::nameOf(type);
    EXPECT_EQ(boundsFor(type, false).rtol, 0.0) << rt::nameOf(type);
  }
  EXPECT_EQ(boundsFor(TENSOR_BOOL8, false).atol, 0.0);
  Tolerance range = {Tolerance::Kind::range};
  EXPECT_EQ(boundsFor(range, TENSOR_FLOAT32, false, 0.5).atol, 1e-5);
  EXPECT_EQ(boundsFor(range, TENSOR_FLOAT32, false, 1000.0).atol, 1e-2);
  Tolerance steps = {Tolerance::Kind::steps, 3.0};
  EXPECT_EQ(boundsFor(steps, TENSOR_QUANT8_ASYMM, false, 9.0).atol, 3.0);
}

TEST_F(CompareTest, Agreement) {
  std::string npy = write("a.npy", {1.0f, 2.0f}, {1, 2});
  EXPECT_EQ(messageOf(output({1.0f, 2.000001f}, {1, 2}), npy),
            fmt::format("output 0 ('y') agrees with '{}': largest difference "
                        "9.54e-07 over 2 elements",
                        npy));
  std::string raw = write("a.bin", {1.0f, 2.0f}, {});
  EXPECT_NE(messageOf(output({1.0f, 2.0f}, {2, 1}), raw).find("agrees"),
            std::string::npos);
}

// L-007: any value but 0 is true, and the two differ.
TEST_F(CompareTest, BooleansAreTrueOrFalse) {
  const ElementFormat &format = formatOf(rt::OperandType::TENSOR_BOOL8);
  const std::vector<uint8_t> ones = {1, 1, 1, 0}, trues = {1, 2, 255, 0};
  auto differences = [&](const std::vector<uint8_t> &actual,
                         const std::vector<uint8_t> &expected) {
    return compareElements(format, std::as_bytes(std::span(actual)).data(),
                           format, std::as_bytes(std::span(expected)).data(),
                           actual.size(),
                           boundsFor(rt::OperandType::TENSOR_BOOL8, false))
        .count;
  };
  EXPECT_EQ(differences(trues, ones), 0u);
  EXPECT_EQ(differences(ones, trues), 0u);
  EXPECT_EQ(differences({1, 2, 255, 3}, ones), 1u);
  EXPECT_EQ(differences({0, 0, 1, 0}, trues), 2u);
}

TEST_F(CompareTest, SpecialValues) {
  float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  std::string file = write("s.bin", {nan, inf, -inf}, {});
  EXPECT_NE(messageOf(output({nan, inf, -inf}, {3}), file).find("agrees"),
            std::string::npos);
  EXPECT_NE(messageOf(output({0.0f, -inf, inf}, {3}), file)
                .find("3 of 3 elements differ"),
            std::string::npos);
}

TEST_F(CompareTest, Diagnostics) {
  std::string file = write("d.npy", {1.0f, 2.0f, 3.0f, 4.0f}, {2, 2});
  EXPECT_EQ(messageOf(output({1.0f, 2.0f, 3.5f, 5.0f}, {2, 2}), file),
            fmt::format("output 0 ('y') differs from '{}': element 2 [1,0] is "
                        "3.5, expected 3 within 1.18e-05; 2 of 4 elements "
                        "differ, the largest difference is 1",
                        file));
  EXPECT_EQ(messageOf(output({1.0f, 2.0f, 3.0f, 4.0f}, {4}), file),
            fmt::format("output 0 ('y') has shape [4], '{}' has [2,2]", file));
  std::string raw = write("d.bin", {1.0f}, {});
  EXPECT_EQ(
      messageOf(output({1.0f, 2.0f}, {2}), raw),
      fmt::format("output 0 ('y') of shape [2] has 8 bytes, '{}' has 4", raw));
  EXPECT_EQ(messageOf(output({1.0f, 2.0f, 3.5f, 5.0f}, {2, 2}), file,
                      {Tolerance::Kind::absolute, 1.0})
                .find("output 0 ('y') agrees"),
            0u);
}

TEST_F(CompareTest, AtomicWritesLeaveNothingBehind) {
  rt::Status status =
      rt::writeFileAtomically("/nonexistent/dir/file", std::span<std::byte>());
  EXPECT_EQ(status.message(), "cannot write '/nonexistent/dir/file': No such "
                              "file or directory");
  // A directory cannot be replaced by a file.
  std::string directory = path("directory");
  std::string command = "mkdir -p '" + directory + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_FALSE(rt::writeFileAtomically(directory, {}).isOk());
  command = "test -z \"$(ls '" + directory + "'.* 2>/dev/null)\"";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

// Integers of 64 bits are compared exactly.
TEST_F(CompareTest, WideIntegersAreExact) {
  const int64_t own[2] = {-5, (int64_t(1) << 60) + 1};
  const int64_t other[2] = {-5, int64_t(1) << 60};
  OutputTensor actual = {"y",
                         rt::OperandType(0x10000),
                         {2},
                         std::as_bytes(std::span(own)),
                         rt::ElementKind::int64};
  std::string file = path("wide.npy");
  auto write = [&](std::span<const int64_t> values) {
    const uint32_t shape[] = {2};
    EXPECT_TRUE(rt::writeFileAtomically(
                    file, writeNpy(formatOf(actual.type, actual.kind), shape,
                                   std::as_bytes(values)))
                    .isOk());
  };
  write(own);
  EXPECT_EQ(messageOf(actual, file),
            "output 0 ('y') agrees with '" + file +
                "': largest difference 0 over 2 elements");
  write(other);
  EXPECT_EQ(messageOf(actual, file),
            "output 0 ('y') differs from '" + file +
                "': element 1 [1] is 1.152921504606847e+18, expected "
                "1.152921504606847e+18 within 0; 1 of 2 elements differ, the "
                "largest difference is 1");
}

// Both parts of complex numbers are compared.
TEST_F(CompareTest, ComplexNumbers) {
  OutputTensor actual = output({1, 2, 3, 4}, {2});
  actual.type = rt::OperandType(0x10005);
  actual.kind = rt::ElementKind::complex64;
  std::string file = path("complex.npy");
  auto write = [&](std::vector<float> values) {
    const uint32_t shape[] = {2};
    EXPECT_TRUE(rt::writeFileAtomically(
                    file, writeNpy(formatOf(actual.type, actual.kind), shape,
                                   std::as_bytes(std::span(values))))
                    .isOk());
  };
  write({1, 2, 3, 4});
  EXPECT_EQ(messageOf(actual, file),
            "output 0 ('y') agrees with '" + file +
                "': largest difference 0 over 2 elements");
  write({1, 2, 3, 5});
  EXPECT_EQ(messageOf(actual, file),
            "output 0 ('y') differs from '" + file +
                "': element 1 [1] is 4, expected 5 within 1.3e-05; 1 of 2 "
                "elements differ, the largest difference is 1");
  std::string real = this->write("real.npy", {1, 2}, {2});
  EXPECT_EQ(messageOf(actual, real),
            "output 0 ('y') has elements '<c8', '" + real + "' has '<f4'");
}

// The bytes of an extension's elements are no numbers, which may be one off.
TEST_F(CompareTest, ElementsOfExtensionsAreEqual) {
  OutputTensor actual = output({1, 2, 3, 4}, {2});
  actual.type = rt::OperandType(0x10003);
  EXPECT_EQ(fileShape(actual.type, actual.dimensions, 16),
            (std::vector<uint32_t>{2, 8}));
  EXPECT_EQ(fileShape(actual.type, std::vector<uint32_t>{0}, 0),
            (std::vector<uint32_t>{0, 0}));
  EXPECT_EQ(fileShape(rt::OperandType::TENSOR_FLOAT32, actual.dimensions, 8),
            actual.dimensions);
  std::string same = write("same.bin", {1, 2, 3, 4}, {});
  EXPECT_EQ(messageOf(actual, same),
            "output 0 ('y') agrees with '" + same +
                "': largest difference 0 over 16 elements");
  // 5 is 0x40A00000, 4 is 0x40800000.
  std::string other = write("other.bin", {1, 2, 3, 5}, {});
  EXPECT_EQ(messageOf(actual, other),
            "output 0 ('y') differs from '" + other +
                "': element 14 [1,6] is 128, expected 160 within 0; 1 of 16 "
                "elements differ, the largest difference is 32");
}

} // namespace
