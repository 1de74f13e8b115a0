//===- TFLiteRareFormsTest.cpp - Forms that converters write now and then -===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include <cmath>

namespace nnhal::rt {
namespace {

TestInput value(std::vector<int32_t> shape, Type type, Numbers values) {
  return {{std::move(shape), type}, std::move(values)};
}

TestInput list(std::vector<int32_t> values) {
  return constant(integersInput(std::move(values)));
}

/// A list of no values, whose tensor has no buffer.
TestInput emptyList() { return {{{0}, Type::INT32}, {}, true}; }

/// The message with which an operator is not imported beside the extension.
std::string error(Code code, const std::vector<TestInput> &inputs,
                  const TensorSpec &output, const Options &made = {}) {
  return importError(operatorFile(code, inputs, {output}, made));
}

TensorSpec bytesOf(std::vector<int32_t> shape, float scale, int64_t zeroPoint) {
  return {std::move(shape), Type::INT8, {scale}, {zeroPoint}};
}

Options reducer(bool keepsDimensions) {
  return options([=](Builder &b) {
    return schema::CreateReducerOptions(b, keepsDimensions);
  });
}

TEST(TFLiteRareFormsTest, quotientsOfIntegersAreRoundedTowardZero) {
  EXPECT_EQ(extended(Code::DIV,
                     {value({4}, Type::INT32, {7, -7, 7, -7}),
                      value({4}, Type::INT32, {2, 2, -2, -2})},
                     {{4}, Type::INT32}),
            (Numbers{3, -3, -3, 3}));
  std::vector<std::byte> file = operatorFile(
      Code::DIV, {value({4}, Type::INT32, {}), value({4}, Type::INT32, {})},
      {{{4}, Type::INT32}});
  EXPECT_EQ(toText(importBytes(file)), "tflite:DIV(i4, i4, 0) -> o4\n");
  TFLiteImportOptions plain;
  plain.useExtensions = false;
  EXPECT_EQ(toText(importBytes(file, plain)), "DIV(i4, i4, 0) -> o4\n");
}

TEST(TFLiteRareFormsTest, exactGeluOfBytes) {
  TensorSpec from = bytesOf({5}, 0.05f, 3), to = bytesOf({5}, 0.02f, -120);
  Numbers given = {-60, -10, 3, 20, 43};
  Numbers wanted;
  for (double x : dequantized(given, from))
    wanted.push_back(0.5 * x * (1 + std::erf(x / std::sqrt(2.0))));
  EXPECT_EQ(extended(Code::GELU, {{from, given}}, to), quantized(wanted, to));
  EXPECT_EQ(halImportError(operatorFile(Code::GELU, {{from, given}}, {to})),
            "operator 0 (GELU): the exact form needs the error function, which "
            "the HAL does not have; only approximate is expressible");
}

// The numbers of LiteRT 2.5.
TEST(TFLiteRareFormsTest, rootsOfBytes) {
  TensorSpec from = bytesOf({4}, 0.05f, 3), to = bytesOf({4}, 0.083f, -7);
  Numbers given = {3, 4, 20, 127};
  EXPECT_EQ(extended(Code::SQRT, {{from, given}}, to),
            (Numbers{-7, -5, 4, 22}));
  EXPECT_EQ(extended(Code::RSQRT, {{from, given}}, to),
            (Numbers{127, 47, 6, -2}));
  EXPECT_EQ(extended(Code::LOG, {{from, given}}, to),
            (Numbers{-128, -43, -9, 15}));
  EXPECT_EQ(extended(Code::NEG, {{from, given}}, to),
            (Numbers{-3, -4, -20, -127}));
  EXPECT_EQ(halImportError(operatorFile(Code::SQRT, {{from, given}}, {to})),
            "operator 0 (SQRT): input type TENSOR_QUANT8_ASYMM_SIGNED is not "
            "among TENSOR_FLOAT32, TENSOR_FLOAT16; the extension nnhal.tflite "
            "takes it");
}

// The numbers of LiteRT 2.5; by way of reals 0.4 steps are none.
TEST(TFLiteRareFormsTest, activationsOfBytes) {
  EXPECT_EQ(extended(Code::RELU_0_TO_1,
                     {{bytesOf({4}, 0.02f, -100), {-128, -99, -94, 127}}},
                     bytesOf({4}, 0.05f, 0)),
            (Numbers{0, 1, 3, 20}));
  std::vector<std::byte> file = operatorFile(
      Code::ELU, {{bytesOf({4}, 0.05f, 3), {}}}, {bytesOf({4}, 0.083f, -7)});
  EXPECT_EQ(toText(importBytes(file)), "tflite:ELU(i4) -> o4\n");
  EXPECT_EQ(extended(Code::ELU, {{bytesOf({4}, 0.05f, 3), {-128, -10, 4, 60}}},
                     bytesOf({4}, 0.083f, -7)),
            (Numbers{-19, -13, -6, 27}));
}

// The numbers of LiteRT 2.5.
TEST(TFLiteRareFormsTest, quantizedIntegersWithAZeroPoint) {
  TensorSpec from{{4}, Type::INT16, {0.0004f}, {0}};
  TensorSpec to{{4}, Type::INT32, {0.9f}, {7}};
  EXPECT_EQ(
      extended(Code::QUANTIZE, {{from, {-31226, 23869, -7407, 2168}}}, to),
      (Numbers{-7, 18, 4, 8}));
}

TEST(TFLiteRareFormsTest, logarithmsOf16Bits) {
  TensorSpec from{{3}, Type::INT16, {0.25f}, {0}};
  TensorSpec to{{3}, Type::INT16, {0.001f}, {0}};
  EXPECT_EQ(extended(Code::LOG, {{from, {4, 8, 2}}}, to),
            (Numbers{-23198, -22337, -23629}));
  EXPECT_EQ(
      halImportError(operatorFile(Code::LOG, {{from, {1, 4, 16}}}, {to})),
      "operator 0 (LOG): the HAL's LOG does not take input 0 of type INT16; "
      "the extension nnhal.tflite takes it");
}

TEST(TFLiteRareFormsTest, rootsOf16Bits) {
  TensorSpec from{{3}, Type::INT16, {0.25f}, {0}};
  TensorSpec to{{3}, Type::INT16, {0.125f}, {0}};
  EXPECT_EQ(extended(Code::RSQRT, {{from, {1, 4, 16}}}, to),
            (Numbers{24384, 23808, 21504}));
  EXPECT_EQ(
      halImportError(operatorFile(Code::RSQRT, {{from, {1, 4, 16}}}, {to})),
      "operator 0 (RSQRT): the HAL's RSQRT does not take input 0 of type "
      "INT16; the extension nnhal.tflite takes it");
}

TEST(TFLiteRareFormsTest, selectionsByAListOrByOneElement) {
  auto select = [](std::vector<int32_t> shape, Numbers condition, Type type) {
    return extended(Code::SELECT,
                    {value(std::move(shape), Type::BOOL, std::move(condition)),
                     value({2, 3}, type, {1, 2, 3, 4, 5, 6}),
                     value({2, 3}, type, {7, 8, 9, 10, 11, 12})},
                    {{2, 3}, type});
  };
  for (Type type : {Type::FLOAT32, Type::INT32, Type::INT64}) {
    EXPECT_EQ(select({2}, {0, 1}, type), (Numbers{7, 8, 9, 4, 5, 6}));
    EXPECT_EQ(select({}, {1}, type), (Numbers{1, 2, 3, 4, 5, 6}));
  }
}

TEST(TFLiteRareFormsTest, listsWithoutElements) {
  for (Type type : {Type::FLOAT32, Type::INT32, Type::INT64}) {
    EXPECT_EQ(extended(Code::RESHAPE, {value({1, 1}, type, {7}), emptyList()},
                       {{}, type}),
              (Numbers{7}));
    EXPECT_EQ(
        extended(Code::FILL, {emptyList(), value({}, type, {7})}, {{}, type}),
        (Numbers{7}));
    EXPECT_EQ(extended(Code::SUM, {value({2}, type, {7, 8}), emptyList()},
                       {{2}, type}, reducer(false)),
              (Numbers{7, 8}));
  }
  EXPECT_EQ(
      error(Code::RESHAPE, {value({2}, Type::FLOAT32, {7, 8}), emptyList()},
            {}),
      "operator 0 (RESHAPE): 2 elements of shape 2 do not fit shape scalar");
  EXPECT_EQ(error(Code::GATHER,
                  {value({2}, Type::FLOAT32, {7, 8}), emptyList()}, {{0}}),
            "operator 0 (GATHER): tensor 1 't1' has no elements");
}

TEST(TFLiteRareFormsTest, boundariesOfIntegers) {
  EXPECT_EQ(extended(Code::BUCKETIZE, {value({4}, Type::INT32, {-3, 0, 1, 9})},
                     {{4}, Type::INT32}, options([](Builder &b) {
                       return schema::CreateBucketizeOptions(
                           b, b.CreateVector(std::vector<float>{0, 0.5f, 9}));
                     })),
            (Numbers{0, 1, 2, 3}));
}

TEST(TFLiteRareFormsTest, dynamicRangeBesideOperationsOfTheExtension) {
  TestInput weights = constant({bytesOf({2, 1, 1, 2}, 0.5f, 0), {2, 4, -2, 6}});
  EXPECT_EQ(
      extended(Code::CONV_2D,
               {value({1, 1, 1, 4}, Type::FLOAT32, {1, 2, 3, 4}), weights},
               {{1, 1, 1, 2}}, options([](Builder &b) {
                 return schema::CreateConv2DOptions(b, schema::Padding::SAME, 1,
                                                    1, schema::Activation::NONE,
                                                    2, 2);
               })),
      (Numbers{5, 9}));
  EXPECT_EQ(extended(Code::FULLY_CONNECTED,
                     {value({1, 1, 1, 1, 2}, Type::FLOAT32, {1, 2}),
                      constant({bytesOf({1, 2}, 0.5f, 0), {2, 4}})},
                     {{1, 1}}, options([](Builder &b) {
                       return schema::CreateFullyConnectedOptions(b);
                     })),
            (Numbers{5}));
}

TEST(TFLiteRareFormsTest, reductionsOfBytesWithManyDimensions) {
  TensorSpec input = bytesOf({2, 1, 2, 1, 2, 2}, 0.5f, 1);
  Numbers values(16);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = double(i);
  TestInput given{input, values};
  EXPECT_EQ(extended(Code::REDUCE_MAX, {given, list({0, -5, 5, 0})},
                     bytesOf({2, 1, 2}, 0.5f, 1), reducer(false)),
            (Numbers{9, 11, 13, 15}));
  EXPECT_EQ(extended(Code::REDUCE_MIN, {given, list({0, 1, 5})},
                     bytesOf({1, 1, 2, 1, 2, 1}, 0.5f, 1), reducer(true)),
            (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(extended(Code::MEAN, {given, list({0, 1})},
                     bytesOf({2, 1, 2, 2}, 0.5f, 1), reducer(false)),
            (Numbers{4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(extended(Code::SUM, {given, list({0})},
                     bytesOf({1, 2, 1, 2, 2}, 0.5f, 2), reducer(false)),
            (Numbers{8, 10, 12, 14, 16, 18, 20, 22}));
  EXPECT_EQ(
      error(Code::REDUCE_PROD,
            {{{{2, 2, 2, 2, 2}, Type::UINT8, {0.5f}, {1}}, {}}, list({1, 3})},
            {{2, 2, 2}, Type::UINT8, {0.5f}, {1}}, reducer(false)),
      "operator 0 (REDUCE_PROD): the HAL's REDUCE_PROD takes at most "
      "rank 4, but input 0 has shape 2x2x2x2x2");
}

TEST(TFLiteRareFormsTest, productsOfBytesWithManyDimensions) {
  TensorSpec rows = bytesOf({1, 2, 1, 1, 2}, 1, 0);
  auto made = options([](Builder &b) {
    return schema::CreateFullyConnectedOptions(
        b, schema::Activation::NONE, schema::WeightsFormat::DEFAULT, true);
  });
  EXPECT_EQ(extended(Code::FULLY_CONNECTED,
                     {{rows, {1, 2, 3, 4}},
                      constant({bytesOf({1, 2}, 1, 0), {2, 3}})},
                     bytesOf({1, 2, 1, 1, 1}, 2, 0), made),
            (Numbers{4, 9}));
  auto product = [](std::vector<int32_t> a, std::vector<int32_t> b) {
    return operatorFile(
        Code::BATCH_MATMUL,
        {{bytesOf(std::move(a), 1, 0), {}}, {bytesOf(std::move(b), 1, 0), {}}},
        {bytesOf({}, 2, 0)}, options([](Builder &b) {
          return schema::CreateBatchMatMulOptions(b);
        }));
  };
  EXPECT_EQ(runExtended(product({2, 1, 1, 1, 2}, {2, 1, 1, 2, 1}),
                        {{1, 2, 3, 4}, {5, 6, 7, 8}})[0],
            (Numbers{9, 27}));
  EXPECT_EQ(
      runExtended(product({2, 1, 1, 1, 2}, {2, 1}), {{1, 2, 3, 4}, {5, 6}})[0],
      (Numbers{9, 20}));
  // Each matrix meets each of the other factor.
  EXPECT_EQ(runExtended(product({2, 1, 1, 1, 2}, {1, 2, 1, 2, 1}),
                        {{1, 2, 3, 4}, {5, 6, 7, 8}})[0],
            (Numbers{9, 12, 20, 27}));
}

Options dilatedBy(int32_t dilation) {
  return options([=](Builder &b) {
    return schema::CreateConv2DOptions(b, schema::Padding::VALID, 1, 1,
                                       schema::Activation::NONE, dilation,
                                       dilation);
  });
}

TEST(TFLiteRareFormsTest, dilatedGroupsOfBytes) {
  // Filters of two by one elements, which are two lines apart.
  TensorSpec image = bytesOf({1, 3, 1, 2}, 1, 5),
             to = bytesOf({1, 1, 1, 2}, 1, 1);
  Numbers pixels = {6, 7, 100, 100, 8, 9};
  for (bool isConstant : {true, false})
    for (Type type : {Type::INT8, Type::UINT8}) {
      int64_t zero = type == Type::INT8 ? 0 : 3;
      image.type = to.type = type;
      TestInput filter = {{{2, 2, 1, 1}, type, {1}, {zero}},
                          {double(zero) + 1, double(zero) + 2, double(zero) + 3,
                           double(zero) + 4},
                          isConstant};
      // 1 * 1 + 3 * 2 and 2 * 3 + 4 * 4, and the zero point.
      EXPECT_EQ(
          extended(Code::CONV_2D, {{image, pixels}, filter}, to, dilatedBy(2)),
          (Numbers{8, 23}));
    }
  TestInput perChannel = {
      {{2, 2, 1, 1}, Type::INT8, {1, 2}, {0, 0}}, {1, 2, 3, 4}, true};
  image.type = to.type = Type::INT8;
  EXPECT_EQ(
      extended(Code::CONV_2D, {{image, pixels}, perChannel}, to, dilatedBy(2)),
      (Numbers{8, 45}));
  // The HAL alone has a wider filter, too, but does not make one.
  TFLiteImportOptions plain;
  plain.useExtensions = false;
  EXPECT_EQ(toText(importBytes(
                operatorFile(Code::CONV_2D,
                             {reals({1, 3, 1, 2}, {}),
                              constant(reals({2, 2, 1, 1}, {1, 2, 3, 4}))},
                             {{{1, 1, 1, 2}}}, dilatedBy(2)),
                plain)),
            "GROUPED_CONV_2D(i1x3x1x2, c2x3x1x1, c2, 2, 1, 1, 2, 0, false) -> "
            "o1x1x1x2\n");
  EXPECT_EQ(halImportError(
                operatorFile(Code::CONV_2D,
                             {reals({1, 3, 1, 2}, {}), reals({2, 2, 1, 1}, {})},
                             {{{1, 1, 1, 2}}}, dilatedBy(2))),
            "operator 0 (CONV_2D): has dilation 2x2 and a computed filter in "
            "groups, but the HAL's GROUPED_CONV_2D has none; the extension "
            "nnhal.tflite takes it");
}

TEST(TFLiteRareFormsTest, reductionsAlongNoAxesToAnotherScale) {
  for (Type type : {Type::INT8, Type::UINT8, Type::INT16}) {
    int64_t zero = type == Type::INT16 ? 0 : 2;
    TensorSpec from = {{1, 2, 1, 1, 2}, type, {1}, {zero}},
               to = {{1, 2, 1, 1, 2}, type, {0.5f}, {zero}};
    for (Code code : {Code::MEAN, Code::SUM})
      EXPECT_EQ(extended(code,
                         {{from,
                           {double(zero) + 1, double(zero) + 2,
                            double(zero) + 3, double(zero)}},
                          emptyList()},
                         to, reducer(false)),
                (Numbers{double(zero) + 2, double(zero) + 4, double(zero) + 6,
                         double(zero)}));
  }
}

TEST(TFLiteRareFormsTest, quantizedFactorsBesideReals) {
  auto made =
      options([](Builder &b) { return schema::CreateBatchMatMulOptions(b); });
  for (bool isConstant : {true, false})
    for (const std::vector<int32_t> &batch :
         {std::vector<int32_t>{}, {1}, {1, 1, 1}}) {
      std::vector<int32_t> a = batch, b = batch, c = batch;
      a.insert(a.end(), {1, 2});
      b.insert(b.end(), {2, 1});
      c.insert(c.end(), {1, 1});
      EXPECT_EQ(extended(Code::BATCH_MATMUL,
                         {value(a, Type::FLOAT32, {1, 2}),
                          {bytesOf(b, 0.5f, 0), {2, 4}, isConstant}},
                         {c}, made),
                (Numbers{5}));
    }
  EXPECT_EQ(error(Code::BATCH_MATMUL,
                  {{bytesOf({1, 2}, 0.5f, 0), {}}, reals({2, 1}, {})},
                  bytesOf({1, 1}, 0.5f, 0), made),
            "operator 0 (BATCH_MATMUL): input 1 has type TENSOR_FLOAT32, but "
            "input 0 has type TENSOR_QUANT8_ASYMM_SIGNED");
}

TEST(TFLiteRareFormsTest, realRowsOfTablesOfBytes) {
  const Numbers table = {2, 4, -6, 8, 10, -12};
  const TestInput places = value({2}, Type::INT32, {2, 0});
  for (bool isConstant : {true, false})
    EXPECT_EQ(extended(Code::EMBEDDING_LOOKUP,
                       {places, {bytesOf({3, 2}, 0.5f, 0), table, isConstant}},
                       {{2, 2}}),
              (Numbers{5, -6, 1, 2}));
  EXPECT_EQ(
      extended(Code::EMBEDDING_LOOKUP,
               {places,
                {{{3, 2}, Type::INT8, {0.5f, 1, 2}, {0, 0, 0}}, table, true}},
               {{2, 2}}),
      (Numbers{20, -24, 1, 2}));
  EXPECT_EQ(
      error(Code::EMBEDDING_LOOKUP,
            {places, {{{3, 2}, Type::INT8, {0.5f, 1}, {0, 0}, 1}, table, true}},
            {{2, 2}}),
      "operator 0 (EMBEDDING_LOOKUP): tensor 1 't1' has scales of "
      "dimension 1, expected those of its rows");
}

TEST(TFLiteRareFormsTest, computedSizesAndValues) {
  EXPECT_EQ(
      extended(Code::FILL, {list({3}), value({}, Type::FLOAT32, {1.5})}, {{3}}),
      (Numbers{1.5, 1.5, 1.5}));
  EXPECT_EQ(extended(Code::FILL,
                     {value({1}, Type::INT32, {2}),
                      constant(value({}, Type::INT32, {7}))},
                     {{2}, Type::INT32}),
            (Numbers{7, 7}));
  TestInput size = value({2}, Type::INT32, {2, 2});
  EXPECT_EQ(extended(Code::RESIZE_NEAREST_NEIGHBOR,
                     {value({1, 1, 2, 1}, Type::FLOAT32, {1, 3}), size},
                     {{1, 2, 2, 1}}, options([](Builder &b) {
                       return schema::CreateResizeNearestNeighborOptions(b);
                     })),
            (Numbers{1, 3, 1, 3}));
  EXPECT_EQ(extended(Code::RESIZE_BILINEAR,
                     {value({1, 1, 2, 1}, Type::FLOAT32, {1, 3}), size},
                     {{1, 2, 2, 1}}, options([](Builder &b) {
                       return schema::CreateResizeBilinearOptions(b);
                     })),
            (Numbers{1, 3, 1, 3}));
}

} // namespace
} // namespace nnhal::rt
