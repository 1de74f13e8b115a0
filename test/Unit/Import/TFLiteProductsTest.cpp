//===- TFLiteProductsTest.cpp - Matrix products and convolutions ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include <algorithm>
#include <cmath>

namespace nnhal::rt {
namespace {

/// What one factor of a product is: matrices over batch dimensions.
struct Matrices {
  std::vector<int32_t> shape;
  bool isTransposed;
  Numbers values;

  size_t rank() const { return shape.size(); }
  int32_t rows() const { return shape[rank() - (isTransposed ? 1 : 2)]; }
  int32_t columns() const { return shape[rank() - (isTransposed ? 2 : 1)]; }
  double at(size_t matrix, int32_t row, int32_t column) const {
    if (isTransposed)
      std::swap(row, column);
    return values[(matrix * shape[rank() - 2] + row) * shape[rank() - 1] +
                  column];
  }
};

/// The matrix of \p factor that is in place \p index of \p batch.
size_t matrixAt(const Matrices &factor, const std::vector<int32_t> &batch,
                size_t index) {
  size_t own = factor.rank() - 2, result = 0, scale = 1;
  for (size_t i = 0; i < batch.size(); ++i) {
    size_t position = index % batch[batch.size() - 1 - i];
    index /= batch[batch.size() - 1 - i];
    if (i >= own)
      continue;
    int32_t extent = factor.shape[own - 1 - i];
    result += extent == 1 ? 0 : position * scale;
    scale *= extent;
  }
  return result;
}

Numbers multiply(const Matrices &a, const Matrices &b,
                 const std::vector<int32_t> &batch) {
  Numbers result;
  for (size_t m = 0; m < countOf(batch); ++m)
    for (int32_t row = 0; row < a.rows(); ++row)
      for (int32_t column = 0; column < b.columns(); ++column) {
        double sum = 0;
        for (int32_t k = 0; k < a.columns(); ++k)
          sum += a.at(matrixAt(a, batch, m), row, k) *
                 b.at(matrixAt(b, batch, m), k, column);
        result.push_back(sum);
      }
  return result;
}

Options adjoint(bool x, bool y) {
  return options(
      [=](Builder &b) { return schema::CreateBatchMatMulOptions(b, x, y); });
}

TEST(TFLiteProductsTest, batchMatMul) {
  struct Case {
    std::vector<int32_t> a, b, batch;
    bool adjX, adjY;
  };
  std::mt19937 random(3);
  for (const Case &test : std::vector<Case>{
           {{2, 3}, {3, 4}, {}, false, false},
           {{3, 2}, {4, 3}, {}, true, true},
           {{5, 2, 3}, {5, 3, 4}, {5}, false, false},
           {{5, 2, 3}, {5, 4, 3}, {5}, false, true},
           {{5, 3, 2}, {3, 4}, {5}, true, false},
           {{2, 3, 2, 3}, {2, 3, 3, 2}, {2, 3}, false, false},
           {{2, 1, 2, 3}, {3, 3, 2}, {2, 3}, false, false},
           {{2, 3}, {2, 2, 4, 3}, {2, 2}, false, true},
       })
    for (bool isConstant : {true, false}) {
      Matrices a{test.a, test.adjX, randomReals(random, countOf(test.a))};
      Matrices b{test.b, test.adjY, randomReals(random, countOf(test.b))};
      SCOPED_TRACE(::testing::PrintToString(test.a) + " by " +
                   ::testing::PrintToString(test.b));
      EXPECT_EQ(
          runOperator(Code::BATCH_MATMUL,
                      {{{test.a}, a.values}, {{test.b}, b.values, isConstant}},
                      {{}}, adjoint(test.adjX, test.adjY))[0],
          multiply(a, b, test.batch));
    }
}

TEST(TFLiteProductsTest, quantizedBatchMatMul) {
  std::mt19937 random(4);
  for (Type type : {Type::INT8, Type::UINT8}) {
    int low = type == Type::INT8 ? -128 : 0;
    TensorSpec x = {{2, 3, 40}, type, {0.02f}, {low + 130}};
    TensorSpec y = {{2, 40, 5}, type, {0.03f}, {low + 120}};
    TensorSpec z = {{}, type, {0.25f}, {low + 100}};
    Numbers a = randomWhole(random, 240, low, low + 255);
    Numbers b = randomWhole(random, 400, low, low + 255);
    Numbers expected =
        quantized(multiply({x.shape, false, dequantized(a, x)},
                           {y.shape, false, dequantized(b, y)}, {2}),
                  z);
    expectNear(runOperator(Code::BATCH_MATMUL, {{x, a}, {y, b}}, {z},
                           adjoint(false, false))[0],
               expected, 1);
  }
}

// TensorFlow Lite rounds sums of BATCH_MATMUL twice, those of FULLY_CONNECTED
// once: of -118 * 0.15625 = -18.4375 the first makes -18.5, then -19.
TEST(TFLiteProductsTest, roundsSumsOfProducts) {
  TensorSpec x = {{1, 2}, Type::INT8, {0.5f}, {0}};
  TensorSpec y = {{2, 1}, Type::INT8, {0.3125f}, {0}};
  TensorSpec z = {{}, Type::INT8, {1.0f}, {0}};
  for (bool isConstant : {false, true}) {
    EXPECT_EQ(runOperator(Code::BATCH_MATMUL,
                          {{x, {-118, 0}}, {y, {1, 7}, isConstant}}, {z},
                          adjoint(false, false))[0],
              (Numbers{-19}));
    y.shape = {1, 2};
    EXPECT_EQ(runOperator(Code::FULLY_CONNECTED,
                          {{x, {-118, 0}}, {y, {1, 7}, isConstant}}, {z},
                          options([](Builder &b) {
                            return schema::CreateFullyConnectedOptions(b);
                          }))[0],
              (Numbers{-18}));
    y.shape = {2, 1};
  }
}

/// The options of Convolution2DTransposeBias.
OperatorExtras transposeExtras(int32_t padding, int32_t width, int32_t height) {
  std::vector<uint8_t> bytes;
  for (int32_t number : {padding, width, height})
    for (int shift : {0, 8, 16, 24})
      bytes.push_back(uint8_t(number >> shift));
  return {.custom = "Convolution2DTransposeBias", .customOptions = bytes};
}

/// Each input element adds a filter to the output, which is how MediaPipe
/// defines it.
Numbers transposeConvolution(const std::vector<int32_t> &in, const Numbers &x,
                             const std::vector<int32_t> &filter,
                             const Numbers &w, const Numbers &bias, bool isSame,
                             int32_t strideX, int32_t strideY) {
  auto taken = [&](int32_t extent, int32_t size, int32_t stride) {
    return isSame ? std::max(0, size - (extent - 1) % stride - 1) : 0;
  };
  int32_t padY = taken(in[1], filter[1], strideY);
  int32_t padX = taken(in[2], filter[2], strideX);
  int32_t height = strideY * (in[1] - 1) + filter[1] - padY;
  int32_t width = strideX * (in[2] - 1) + filter[2] - padX;
  Numbers result;
  for (int32_t i = 0; i < in[0] * height * width; ++i)
    result.insert(result.end(), bias.begin(), bias.end());
  for (int32_t b = 0; b < in[0]; ++b)
    for (int32_t i = 0; i < in[1] * in[2] * in[3]; ++i)
      for (int32_t o = 0; o < filter[0]; ++o)
        for (int32_t f = 0; f < filter[1] * filter[2]; ++f) {
          int32_t c = i % in[3], inX = i / in[3] % in[2],
                  inY = i / in[3] / in[2];
          int32_t y = inY * strideY - padY / 2 + f / filter[2];
          int32_t left = inX * strideX - padX / 2 + f % filter[2];
          if (y < 0 || y >= height || left < 0 || left >= width)
            continue;
          result[((b * height + y) * width + left) * filter[0] + o] +=
              x[(b * in[1] * in[2] * in[3]) + i] *
              w[(o * filter[1] * filter[2] + f) * in[3] + c];
        }
  return result;
}

TEST(TFLiteProductsTest, transposeConvolutionWithBias) {
  struct Case {
    std::vector<int32_t> in, filter;
    bool isSame;
    int32_t strideX, strideY;
  };
  std::mt19937 random(5);
  for (const Case &test : std::vector<Case>{
           {{1, 4, 5, 3}, {2, 2, 2, 3}, true, 2, 2},
           {{2, 4, 4, 1}, {3, 3, 3, 1}, true, 2, 2},
           {{1, 5, 5, 2}, {1, 3, 4, 2}, true, 2, 3},
           {{1, 3, 4, 2}, {2, 3, 2, 2}, false, 1, 2},
           {{1, 4, 4, 2}, {2, 3, 3, 2}, true, 1, 1},
       }) {
    Numbers x = randomReals(random, countOf(test.in));
    Numbers w = randomReals(random, countOf(test.filter));
    Numbers bias = randomReals(random, test.filter[0]);
    EXPECT_EQ(runOperator(Code::CUSTOM,
                          {{{test.in}, x},
                           {{test.filter}, w, true},
                           {{{test.filter[0]}}, bias, true}},
                          {{}}, {},
                          transposeExtras(test.isSame ? 1 : 2, test.strideX,
                                          test.strideY))[0],
              transposeConvolution(test.in, x, test.filter, w, bias,
                                   test.isSame, test.strideX, test.strideY));
  }
}

/// Units with a scale each: the HAL has convolutions of that kind only.
TEST(TFLiteProductsTest, fullyConnectedWithSeveralScales) {
  TensorSpec x = {{3, 10}, Type::INT8, {0.05f}, {4}};
  TensorSpec w = {
      {4, 10}, Type::INT8, {0.01f, 0.02f, 0.05f, 0.003f}, {0, 0, 0, 0}, 0};
  TensorSpec y = {{}, Type::INT8, {0.3f}, {-10}};
  TFLiteImportOptions plain;
  plain.useExtensions = false;
  EXPECT_EQ(
      toText(importBytes(operatorFile(Code::FULLY_CONNECTED,
                                      {{x, {}}, {w, Numbers(40), true}}, {y}),
                         plain)),
      "RESHAPE(i3x10, {3 1 1 10}) -> t3x1x1x10\n"
      "CONV_2D(t3x1x1x10, c4x1x1x10, {0 0 0 0}, 2, 1, 1, 0) -> "
      "t3x1x1x4\n"
      "RESHAPE(t3x1x1x4, {3 4}) -> o3x4\n");
}

/// Quantized weights beside real data are real weights.
TEST(TFLiteProductsTest, dynamicRange) {
  TensorSpec several = {{2, 3}, Type::INT8, {0.5f, 0.25f}, {0, 0}, 0};
  TensorSpec one = {{2, 3}, Type::INT8, {0.5f}, {0}};
  TestInput data = {{{1, 3}}, {1, 2, 3}}, bias = {{{2}}, {10, 20}, true};
  EXPECT_EQ(runOperator(Code::FULLY_CONNECTED,
                        {data, {one, {1, 2, 3, -4, -5, -6}, true}, bias},
                        {{}})[0],
            (Numbers{17, 4}));
  EXPECT_EQ(runOperator(Code::FULLY_CONNECTED,
                        {data, {several, {1, 2, 3, -4, -5, -6}, true}, bias},
                        {{}})[0],
            (Numbers{17, 12}));
  auto convolution = options([](Builder &b) {
    return schema::CreateConv2DOptions(b, schema::Padding::VALID, 1, 1);
  });
  several.shape = {2, 1, 1, 3};
  data.spec.shape = {1, 1, 1, 3};
  EXPECT_EQ(runOperator(Code::CONV_2D,
                        {data, {several, {1, 2, 3, -4, -5, -6}, true}, bias},
                        {{}}, convolution)[0],
            (Numbers{17, 12}));
  TensorSpec depthwise = {{1, 1, 1, 3}, Type::INT8, {1, 0.5f, 2}, {0, 0, 0}, 3};
  EXPECT_EQ(runOperator(Code::DEPTHWISE_CONV_2D,
                        {data, {depthwise, {1, 2, 3}, true}}, {{}},
                        options([](Builder &b) {
                          return schema::CreateDepthwiseConv2DOptions(
                              b, schema::Padding::VALID, 1, 1, 1);
                        }))[0],
            (Numbers{1, 2, 18}));
}

TEST(TFLiteProductsTest, groupsOfChannels) {
  TestInput data = {{{1, 1, 2, 4}}, {1, 2, 3, 4, 5, 6, 7, 8}};
  TestInput filter = {{{2, 1, 1, 2}}, {1, 10, 100, 1000}, true};
  TestInput bias = {{{2}}, {0.5, 0.25}, true};
  EXPECT_EQ(runOperator(Code::CONV_2D, {data, filter, bias}, {{}},
                        options([](Builder &b) {
                          return schema::CreateConv2DOptions(
                              b, schema::Padding::SAME, 1, 1);
                        }))[0],
            (Numbers{21.5, 4300.25, 65.5, 8700.25}));
}

TEST(TFLiteProductsTest, errors) {
  auto product = [](std::vector<int32_t> a, std::vector<int32_t> b) {
    return operatorError(Code::BATCH_MATMUL, {{{a}, {}}, {{b}, {}}}, {{}},
                         adjoint(false, false));
  };
  EXPECT_EQ(product({3}, {3, 4}), "input 0 has shape 3, expected rank 2 or "
                                  "more");
  EXPECT_EQ(product({2, 3}, {4, 3}), "cannot multiply 2x3 with 4x3");
  EXPECT_EQ(product({2, 1, 3}, {3, 3, 4}), "shapes 2 and 3 do not broadcast");
  EXPECT_EQ(product({1, 1, 1, 1, 3}, {1, 1, 1, 3, 1}),
            "the HAL's FULLY_CONNECTED takes at most rank 4, but input 0 has "
            "shape 1x1x1x1x3; the extension nnhal.tflite takes it");
  EXPECT_EQ(product({5000, 1, 1}, {5000, 1, 1}),
            "needs 5000 operations, at most 4096 are composed");
  EXPECT_EQ(
      operatorError(Code::FULLY_CONNECTED,
                    {{{{1, 2}, Type::INT8, {0.5f}, {0}}, {}},
                     {{{2, 2}, Type::INT8, {0.5f, 0.25f}, {0, 0}, 0}, {}}},
                    {{{}, Type::INT8, {0.5f}, {0}}}),
      "weights with several scales must be a constant; the extension "
      "nnhal.tflite takes it");
  auto transpose = [](std::vector<int32_t> filter, std::vector<int32_t> bias,
                      const OperatorExtras &extras) {
    return operatorError(Code::CUSTOM,
                         {{{{1, 4, 4, 3}}, {}},
                          {{filter}, Numbers(countOf(filter)), true},
                          {{bias}, Numbers(countOf(bias)), true}},
                         {{}}, {}, extras);
  };
  OperatorExtras good = transposeExtras(1, 2, 2), none = good;
  none.customOptions.pop_back();
  EXPECT_EQ(transpose({2, 2, 2, 3}, {2}, none),
            "has 11 bytes of custom options, expected 12");
  EXPECT_EQ(transpose({2, 2, 2, 3}, {2}, transposeExtras(0, 2, 2)),
            "has unknown padding 0");
  EXPECT_EQ(transpose({2, 2, 2, 3}, {2}, transposeExtras(1, 2, 0)),
            "stride 0x2 is not in 1..65536");
  EXPECT_EQ(transpose({2, 2, 3}, {2}, good),
            "input 1 has shape 2x2x3, expected rank 4");
  EXPECT_EQ(transpose({2, 2, 2, 4}, {2}, good),
            "input has 3 channels, but the filter has 4");
  EXPECT_EQ(transpose({2, 2, 2, 3}, {3}, good), "bias has shape 3, expected 2");
}

} // namespace
} // namespace nnhal::rt
