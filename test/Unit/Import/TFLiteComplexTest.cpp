//===- TFLiteComplexTest.cpp - Complex numbers and transforms -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include "Extensions/TFLite/TFLiteExtension.h"

#include <complex>
#include <numbers>

using namespace nnhal;
using namespace nnhal::rt;

namespace {

using Complexes = std::vector<std::complex<double>>;

/// A file that transforms input 0 of \p shape with \p lengths, hands the result
/// to \p body, and returns the tensors that that returns.
template <typename Body>
std::vector<std::byte> transformFile(std::vector<int32_t> shape,
                                     const std::vector<int32_t> &lengths,
                                     Body body) {
  TFLiteWriter file;
  int32_t x = file.tensor({std::move(shape)}),
          spectrum = file.tensor({{}, Type::COMPLEX64});
  file.add(Code::RFFT2D, {x, file.integers(lengths)}, {spectrum});
  std::vector<int32_t> outputs = body(file, spectrum);
  return file.finish({x}, outputs);
}

std::vector<int32_t> addParts(TFLiteWriter &file, int32_t spectrum) {
  int32_t real = file.tensor({{}}), imaginary = file.tensor({{}});
  file.add(Code::REAL, {spectrum}, {real});
  file.add(Code::IMAG, {spectrum}, {imaginary});
  return {real, imaginary};
}

std::vector<int32_t> addAbs(TFLiteWriter &file, int32_t spectrum) {
  int32_t magnitude = file.tensor({{}});
  file.add(Code::COMPLEX_ABS, {spectrum}, {magnitude});
  return {magnitude};
}

/// One plane of \p rows x \p columns, cut or filled with zeros to
/// \p height x \p width, transformed by the definition.
Complexes transformed(const Numbers &plane, int rows, int columns, int height,
                      int width) {
  Complexes result;
  for (int u = 0; u < height; ++u)
    for (int v = 0; v <= width / 2; ++v) {
      std::complex<double> sum = 0;
      for (int y = 0; y < std::min(rows, height); ++y)
        for (int x = 0; x < std::min(columns, width); ++x)
          sum += plane[size_t(y * columns + x)] *
                 std::polar(
                     1.0, -2 * std::numbers::pi *
                              (double(u * y) / height + double(v * x) / width));
      result.push_back(sum);
    }
  return result;
}

void expectTransform(int planes, int rows, int columns, int height, int width) {
  std::mt19937 random(5);
  Numbers values = randomReals(random, size_t(planes * rows * columns));
  std::vector<Numbers> parts =
      runFile(transformFile({planes, rows, columns}, {height, width}, addParts),
              {values});
  Numbers real, imaginary;
  for (int plane = 0; plane < planes; ++plane) {
    auto begin = values.begin() + plane * rows * columns;
    for (auto each : transformed({begin, begin + rows * columns}, rows, columns,
                                 height, width)) {
      real.push_back(each.real());
      imaginary.push_back(each.imag());
    }
  }
  expectNear(parts[0], real, 1e-4);
  expectNear(parts[1], imaginary, 1e-4);
}

TEST(TFLiteComplexTest, transforms) {
  expectTransform(3, 1, 16, 1, 16);
  expectTransform(2, 1, 12, 1, 16); // Filled with zeros.
  expectTransform(2, 1, 20, 1, 16); // Cut.
  expectTransform(2, 8, 16, 8, 16);
  expectTransform(1, 5, 6, 8, 8);
  expectTransform(1, 4, 4, 2, 2);
  expectTransform(1, 1, 1, 1, 1);
}

TEST(TFLiteComplexTest, magnitudesAfterMoves) {
  auto bytes = transformFile(
      {2, 1, 4}, {1, 4}, [](TFLiteWriter &file, int32_t spectrum) {
        int32_t flat = file.tensor({{}, Type::COMPLEX64}),
                turned = file.tensor({{}, Type::COMPLEX64});
        file.add(Code::RESHAPE, {spectrum, file.integers({2, 3})}, {flat});
        file.add(Code::TRANSPOSE, {flat, file.integers({1, 0})}, {turned});
        return addAbs(file, turned);
      });
  // Rows 1 2 3 4 and 0 1 0 0 have 10, -2+2i, -2 and 1, -i, -1.
  expectNear(runFile(bytes, {{1, 2, 3, 4, 0, 1, 0, 0}})[0],
             {10, 1, std::sqrt(8.0), 1, 2, 1}, 1e-5);
}

/// A file that turns \p shape of complex numbers around.
std::vector<std::byte> turnedFile(std::vector<int32_t> shape) {
  TFLiteWriter file;
  int32_t x = file.tensor({std::move(shape), Type::COMPLEX64}),
          y = file.tensor({{}, Type::COMPLEX64});
  file.add(Code::TRANSPOSE, {x, file.integers({1, 0})}, {y});
  return file.finish({x}, {y});
}

std::vector<std::byte> passedFile(std::vector<int32_t> shape) {
  TFLiteWriter file;
  int32_t x = file.tensor({std::move(shape), Type::COMPLEX64});
  return file.finish({x}, {x});
}

TEST(TFLiteComplexTest, inputsAndOutputs) {
  EXPECT_EQ(toText(importBytes(turnedFile({2, 3}))),
            "tflite:BITCAST(i2x3:5) -> t2x3x2\n"
            "tflite:UNPACK(t2x3x2, 2, -1) -> t2x3, t2x3\n"
            "TRANSPOSE(t2x3, {1 0}) -> t3x2\n"
            "TRANSPOSE(t2x3, {1 0}) -> t3x2\n"
            "tflite:PACK(t3x2, t3x2, 2, -1) -> t3x2x2\n"
            "tflite:BITCAST(t3x2x2) -> o3x2:5\n");
  std::vector<InstalledExtension> extensions = {
      {nnhal::tflite::createTFLiteExtension(), "test"}};
  EXPECT_EQ(runFile(turnedFile({2, 3}),
                    {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}, extensions)[0],
            (Numbers{1, 2, 7, 8, 3, 4, 9, 10, 5, 6, 11, 12}));
  // A file's scalar has one dimension here; seven leave one for the parts.
  for (const std::vector<int32_t> &shape :
       {std::vector<int32_t>{}, {1, 1, 1, 1, 1, 1, 1}})
    EXPECT_EQ(runFile(passedFile(shape), {{3, -4}}, extensions)[0],
              (Numbers{3, -4}));
}

TEST(TFLiteComplexTest, errorsOfInputsAndOutputs) {
  EXPECT_EQ(importError(passedFile({1, 1, 1, 1, 1, 1, 1, 1})),
            "input 0: tensor 0 't0' has rank 8, but complex numbers have at "
            "most 7");
  EXPECT_EQ(halImportError(passedFile({2})),
            "input 0: tensor 0 't0' has type COMPLEX64, which the HAL does not "
            "have; the extension nnhal.tflite has it");
  EXPECT_EQ(halImportError(transformFile({1, 8}, {1, 8},
                                         [](TFLiteWriter &, int32_t spectrum) {
                                           return std::vector{spectrum};
                                         })),
            "output 0: tensor 1 't1' has type COMPLEX64, which the HAL does "
            "not have; the extension nnhal.tflite has it");
}

TEST(TFLiteComplexTest, errors) {
  auto error = [](std::vector<int32_t> shape, std::vector<int32_t> lengths) {
    return importError(transformFile(std::move(shape), lengths, addAbs));
  };
  EXPECT_EQ(error({8}, {1, 8}), "operator 0 (RFFT2D): input 0 has shape 8, "
                                "expected rank 2 or more");
  EXPECT_EQ(error({1, 8}, {8}),
            "operator 0 (RFFT2D): input 1 has 1 values, expected 2");
  EXPECT_EQ(error({1, 8}, {1, 0}), "operator 0 (RFFT2D): transforms 8 elements "
                                   "with length 0, expected 1 to 4096");
  EXPECT_EQ(operatorError(Code::RFFT2D, {{{{1, 8}}, {}}, integersInput({1, 8})},
                          {{{1, 5}}}),
            "output 0 has type FLOAT32, expected COMPLEX64");
  EXPECT_EQ(operatorError(Code::COMPLEX_ABS, {{{{1, 8}}, {}}}, {{{1, 8}}}),
            "input 0, tensor 0 't0', is not of complex numbers");
  EXPECT_EQ(importError(transformFile({1, 8}, {1, 8},
                                      [](TFLiteWriter &file, int32_t spectrum) {
                                        int32_t y = file.tensor({{}});
                                        file.add(Code::RESHAPE,
                                                 {spectrum, file.integers({5})},
                                                 {y});
                                        return std::vector{y};
                                      })),
            "operator 1 (RESHAPE): output 0 has type FLOAT32, expected "
            "COMPLEX64");
  EXPECT_EQ(importError(transformFile({1, 8}, {1, 8},
                                      [](TFLiteWriter &file, int32_t spectrum) {
                                        int32_t y = file.tensor({{}});
                                        file.add(Code::ADD,
                                                 {file.floats({5}), spectrum},
                                                 {y});
                                        return std::vector{y};
                                      })),
            "operator 1 (ADD): input 0 has type FLOAT32 beside complex "
            "numbers");
}

} // namespace
