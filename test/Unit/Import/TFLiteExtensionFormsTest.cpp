//===- TFLiteExtensionFormsTest.cpp - Forms that the HAL lacks ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Operators and forms of operators on types that the HAL has, and results of
// which only an execution knows the size: 0 is an unknown extent here.
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

namespace nnhal::rt {
namespace {

TestInput real(std::vector<int32_t> shape) { return {{std::move(shape)}, {}}; }

TestInput ints(std::vector<int32_t> values, std::vector<int32_t> shape = {-1}) {
  TestInput input = integersInput(std::move(values), std::move(shape));
  input.isConstant = true;
  return input;
}

TestInput computed(std::vector<int32_t> shape) {
  return {{std::move(shape), Type::INT32}, {}};
}

std::string text(Code code, const std::vector<TestInput> &inputs,
                 const Options &made = {},
                 const std::vector<TensorSpec> &outputs = {{}}) {
  std::string text =
      toText(importBytes(operatorFile(code, inputs, outputs, made)));
  return text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
}

/// The message of an operator that becomes one of the extension.
std::string error(Code code, const std::vector<TestInput> &inputs,
                  const Options &made = {},
                  const std::vector<TensorSpec> &outputs = {{}}) {
  std::string message = importError(operatorFile(code, inputs, outputs, made));
  std::string prefix = std::string("operator 0 (") +
                       schema::EnumNameBuiltinOperator(code) + "): ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

Options slice(int32_t ellipsis, int32_t newAxis, int32_t shrink,
              bool offset = false) {
  return options([=](Builder &b) {
    return schema::CreateStridedSliceOptions(b, 0, 0, ellipsis, newAxis, shrink,
                                             offset);
  });
}

Options gather(int32_t axis, int32_t batch) {
  return options(
      [=](Builder &b) { return schema::CreateGatherOptions(b, axis, batch); });
}

TEST(TFLiteExtensionFormsTest, slices) {
  EXPECT_EQ(text(Code::STRIDED_SLICE,
                 {real({2, 3, 4, 5}), ints({1, 0, 2}), ints({2, 0, 4}),
                  ints({1, 1, 1})},
                 slice(2, 0, 1)),
            "tflite:STRIDED_SLICE(i2x3x4x5, {1 0 2}, {2 0 4}, {1 1 1}, 0, 0, "
            "2, 0, 1, false) -> o3x4x2");
  EXPECT_EQ(text(Code::STRIDED_SLICE,
                 {real({2, 3}), ints({0, 0}), ints({0, 2}), ints({1, 1})},
                 slice(0, 1, 0)),
            "tflite:STRIDED_SLICE(i2x3, {0 0}, {0 2}, {1 1}, 0, 0, 0, 1, 0, "
            "false) -> o1x2x3");
  EXPECT_EQ(text(Code::STRIDED_SLICE,
                 {real({2, 3}), ints({0, -2}), ints({0, 2}), ints({1, 1})},
                 slice(0, 1, 0, true)),
            "tflite:STRIDED_SLICE(i2x3, {0 -2}, {0 2}, {1 1}, 0, 0, 0, 1, 0, "
            "true) -> o1x2x3");
  auto failing = [](std::vector<int32_t> begin, std::vector<int32_t> end,
                    std::vector<int32_t> strides, const Options &made) {
    return error(Code::STRIDED_SLICE,
                 {real({2, 3}), ints(std::move(begin)), ints(std::move(end)),
                  ints(std::move(strides))},
                 made);
  };
  EXPECT_EQ(failing({0, 0}, {1, 1}, {1, 1}, slice(3, 0, 0)),
            "ellipsis_mask 3 names 2 entries, at most one is legal");
  EXPECT_EQ(failing({0, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}, slice(0, 1, 0)),
            "3 entries take a dimension, but input 0 has rank 2");
  EXPECT_EQ(failing({0, 1}, {0, 2}, {1, 0}, slice(0, 1, 0)),
            "stride of dimension 1 is 0");
  EXPECT_EQ(failing({0, 2}, {0, 2}, {1, 1}, slice(0, 1, 2)),
            "shrunk dimension 1 has begin 2 and stride 1 in a size of 2");
  EXPECT_EQ(failing({0, 1}, {0}, {1, 1}, slice(0, 1, 0)),
            "input 2 has 1 values, expected 2");
}

TEST(TFLiteExtensionFormsTest, gathers) {
  EXPECT_EQ(
      text(Code::GATHER, {real({2, 4, 3}), computed({2, 5})}, gather(1, 1)),
      "tflite:GATHER(i2x4x3, i2x5, 1, 1) -> o2x5x3");
  EXPECT_EQ(text(Code::GATHER, {computed({2, 4}), ints({1}, {})}, gather(0, 0),
                 {{{}, Type::INT32}}),
            "tflite:GATHER(i2x4, {1}, 0, 0) -> o4");
  EXPECT_EQ(error(Code::GATHER, {real({2, 4}), computed({2, 5})}, gather(0, 1)),
            "batch_dims is 1, but the axis is 0");
  EXPECT_EQ(error(Code::GATHER, {real({2, 4}), computed({3, 5})}, gather(1, 1)),
            "dimension 0 is 2 in input 0 and 3 in input 1");
}

TEST(TFLiteExtensionFormsTest, functions) {
  EXPECT_EQ(text(Code::GELU, {real({2})}), "tflite:GELU(i2, false) -> o2");
  EXPECT_EQ(text(Code::FLOOR_MOD, {real({2}), real({2})}),
            "tflite:FLOOR_MOD(i2, i2) -> o2");
  EXPECT_EQ(text(Code::ATAN2, {real({2}), real({2})}),
            "tflite:ATAN2(i2, i2) -> o2");
  EXPECT_EQ(text(Code::CUMSUM, {real({5000}), ints({0}, {})}),
            "tflite:CUMSUM(i5000, {0}, false, false) -> o5000");
  EXPECT_EQ(text(Code::TANH, {real({1, 1, 1, 2, 2})}),
            "tflite:TANH(i1x1x1x2x2) -> o1x1x1x2x2");
  EXPECT_EQ(text(Code::CONV_2D,
                 {real({1, 4, 4, 4}), reals({2, 3, 3, 2}, Numbers(36, 1))},
                 options([](Builder &b) {
                   return schema::CreateConv2DOptions(
                       b, schema::Padding::SAME, 1, 1, schema::Activation::NONE,
                       2, 2);
                 })),
            "tflite:CONV_2D(i1x4x4x4, i2x3x3x2, -, 0, 1, 1, 0, 2, 2) -> "
            "o1x4x4x2");
}

TEST(TFLiteExtensionFormsTest, threeDimensions) {
  auto made = options([](Builder &b) {
    return schema::CreateConv3DOptions(b, schema::Padding::VALID, 1, 2, 1);
  });
  EXPECT_EQ(
      text(Code::CONV_3D, {real({1, 4, 5, 6, 2}), real({2, 3, 2, 2, 7})}, made),
      "tflite:CONV_3D(i1x4x5x6x2, i2x3x2x2x7, -, 1, 1, 2, 1, 0, 1, 1, 1) "
      "-> o1x3x3x3x7");
  EXPECT_EQ(error(Code::CONV_3D, {real({1, 4, 5, 6, 2}), real({2, 3, 2, 3, 7})},
                  made),
            "filter channels 3 differs from input channels 2");
  EXPECT_EQ(
      error(Code::CONV_3D, {real({1, 4, 5, 6}), real({2, 3, 2, 3, 7})}, made),
      "input 0 has shape 1x4x5x6, expected rank 5");
  EXPECT_EQ(text(Code::CONV_3D_TRANSPOSE,
                 {ints({1, 4, 5, 6, 2}), real({2, 3, 2, 2, 7}),
                  real({1, 3, 3, 5, 7})},
                 made),
            "tflite:CONV_3D_TRANSPOSE({1 4 5 6 2}, i2x3x2x2x7, i1x3x3x5x7, -, "
            "1, 1, 2, 1, 0, 1, 1, 1) -> o1x4x5x6x2");
}

TEST(TFLiteExtensionFormsTest, unknownSizes) {
  TestInput condition = {{{2, 3}, Type::BOOL}, {}};
  EXPECT_EQ(text(Code::WHERE, {condition}, {}, {{{-1, 2}, Type::INT64}}),
            "tflite:WHERE(i2x3) -> o0x2:0");
  EXPECT_EQ(text(Code::UNIQUE, {computed({4})}, {},
                 {{{-1}, Type::INT32}, {{4}, Type::INT32}}),
            "tflite:UNIQUE(i4, 2) -> o0, o4");
  EXPECT_EQ(text(Code::RANGE, {computed({}), computed({}), computed({})}, {},
                 {{{-1}, Type::INT32}}),
            "tflite:RANGE(i1, i1, i1) -> o0");
  EXPECT_EQ(text(Code::SEGMENT_SUM, {real({4, 2}), computed({4})}),
            "tflite:SEGMENT_SUM(i4x2, i4) -> o0x2");
  EXPECT_EQ(text(Code::SEGMENT_SUM, {real({4, 2}), ints({0, 0, 1, 2})}),
            "tflite:SEGMENT_SUM(i4x2, {0 0 1 2}) -> o3x2");
  EXPECT_EQ(error(Code::SEGMENT_SUM, {real({2, 2}), ints({0, -1})}),
            "the last segment is -1, which is not in 0..2147483646");
  EXPECT_EQ(error(Code::SEGMENT_SUM, {real({}), ints({0, 1})}),
            "input 0 is a scalar, expected rank 1 or more");
  EXPECT_EQ(text(Code::FILL, {computed({2}), {{{}, Type::UINT8}, {}}}, {},
                 {{{-1, 3}, Type::UINT8}}),
            "tflite:FILL(i2, i1) -> o0x3");
}

TEST(TFLiteExtensionFormsTest, whatFollowsUnknownSizes) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2, 3}, Type::BOOL}),
          places = file.tensor({{-1, 2}, Type::INT64}),
          narrow = file.tensor({{-1, 2}, Type::INT32}),
          found = file.tensor({{-1}}), shape = file.tensor({{1}, Type::INT32}),
          sum = file.tensor({{}}), data = file.tensor({{2, 3}});
  file.add(Code::WHERE, {x}, {places});
  file.add(Code::CAST, {places}, {narrow});
  file.add(Code::GATHER_ND, {data, narrow}, {found});
  file.add(Code::SHAPE, {found}, {shape});
  file.add(Code::SUM, {found, file.integers({0})}, {sum});
  EXPECT_EQ(toText(importBytes(file.finish({x, data}, {found, shape, sum}))),
            "tflite:WHERE(i2x3) -> t0x2:0\n"
            "tflite:CAST(t0x2:0, 0, 0) -> t0x2\n"
            "tflite:GATHER_ND(i2x3, t0x2) -> o0\n"
            "tflite:SHAPE(o0, 0) -> o1\n"
            "tflite:SUM(o0, {0}, false) -> o1\n");
  TFLiteWriter other;
  x = other.tensor({{2}, Type::BOOL});
  places = other.tensor({{-1, 1}, Type::INT64});
  int32_t ranks = other.tensor({{}, Type::INT32}), padded = other.tensor({{}});
  other.add(Code::WHERE, {x}, {places});
  other.add(Code::RANK, {places}, {ranks});
  EXPECT_EQ(
      importError(other.finish({x}, {ranks})),
      "operator 1 (RANK): the shape of input 0 depends on values that are "
      "not constant");
  TFLiteWriter last;
  x = last.tensor({{2}});
  places = last.tensor({{-1, 1}, Type::INT64});
  padded = last.tensor({{}, Type::INT64});
  last.add(Code::WHERE, {x}, {places});
  last.add(Code::TILE, {places, last.integers({1, 2})}, {padded});
  EXPECT_EQ(importError(last.finish({x}, {padded})),
            "operator 1 (TILE): the shape of output 0 depends on values that "
            "are not constant");
}

TEST(TFLiteExtensionFormsTest, suppression) {
  std::vector<TestInput> inputs = {real({6, 4}), real({6}), ints({3}, {}),
                                   real({}), real({})};
  std::vector<TensorSpec> outputs = {{{}, Type::INT32}, {{}, Type::INT32}};
  EXPECT_EQ(text(Code::NON_MAX_SUPPRESSION_V4, inputs, {}, outputs),
            "tflite:NON_MAX_SUPPRESSION_V4(i6x4, i6, {3}, i1, i1) -> o3, o1");
  inputs[2] = ints({0}, {});
  EXPECT_EQ(error(Code::NON_MAX_SUPPRESSION_V4, inputs, {}, outputs),
            "at most 0 boxes are selected, expected 1 or more");
  inputs[2] = ints({3}, {});
  inputs.push_back(real({}));
  outputs.insert(outputs.begin() + 1, TensorSpec{});
  EXPECT_EQ(text(Code::NON_MAX_SUPPRESSION_V5, inputs, {}, outputs),
            "tflite:NON_MAX_SUPPRESSION_V5(i6x4, i6, {3}, i1, i1, i1) -> o3, "
            "o3, o1");
}

TEST(TFLiteExtensionFormsTest, segmentsAndMatrices) {
  EXPECT_EQ(text(Code::UNSORTED_SEGMENT_MAX,
                 {real({4, 2}), computed({4}), ints({3}, {})}),
            "tflite:UNSORTED_SEGMENT_MAX(i4x2, i4, {3}) -> o3x2");
  EXPECT_EQ(error(Code::UNSORTED_SEGMENT_SUM,
                  {real({4, 2}), computed({3}), ints({3}, {})}),
            "segments of shape 3 do not name parts of shape 4x2");
  EXPECT_EQ(text(Code::MATRIX_DIAG, {real({2, 3})}),
            "tflite:MATRIX_DIAG(i2x3) -> o2x3x3");
  EXPECT_EQ(text(Code::MATRIX_SET_DIAG, {real({2, 3}), real({2})}),
            "tflite:MATRIX_SET_DIAG(i2x3, i2) -> o2x3");
  EXPECT_EQ(text(Code::BROADCAST_ARGS, {computed({2}), computed({3})}, {},
                 {{{}, Type::INT32}}),
            "tflite:BROADCAST_ARGS(i2, i3) -> o3");
  EXPECT_EQ(error(Code::BROADCAST_ARGS, {computed({2, 1}), computed({3})}, {},
                  {{{}, Type::INT32}}),
            "input 0 has shape 2x1, expected rank 1");
  EXPECT_EQ(text(Code::SPARSE_TO_DENSE,
                 {computed({3, 2}), ints({4, 5}), real({3}), real({})}),
            "tflite:SPARSE_TO_DENSE(i3x2, {4 5}, i3, i1, false) -> o4x5");
  TestInput flags = {{{3, 2}, Type::BOOL}, {}};
  EXPECT_EQ(text(Code::EMBEDDING_LOOKUP, {computed({4}), flags}, {},
                 {{{}, Type::BOOL}}),
            "tflite:EMBEDDING_LOOKUP(i4, i3x2) -> o4x2");
  EXPECT_EQ(error(Code::EMBEDDING_LOOKUP, {computed({4, 1}), flags}, {},
                  {{{}, Type::BOOL}}),
            "looks up shape 4x1 in shape 3x2, expected rank 1 and 2 or more");
}

TEST(TFLiteExtensionFormsTest, blocks) {
  auto depth = options(
      [](Builder &b) { return schema::CreateDepthToSpaceOptions(b, 2); });
  auto bools = [](std::vector<int32_t> shape) {
    return TestInput{{std::move(shape), Type::BOOL}, {}};
  };
  auto blockError = [&](const TestInput &data, const TestInput &blocks,
                        const TestInput &margins, Code code) {
    return error(code, {data, blocks, margins}, {}, {{{}, Type::BOOL}});
  };
  const std::vector<TensorSpec> flags = {{{}, Type::BOOL}};
  EXPECT_EQ(error(Code::DEPTH_TO_SPACE, {bools({1, 2, 4})}, depth, flags),
            "block size 2 of shape 1x2x4 is not of rank 4 or not in 1..32768");
  EXPECT_EQ(error(Code::DEPTH_TO_SPACE, {bools({1, 2, 2, 3})}, depth, flags),
            "shape 1x2x2x3 does not consist of blocks of 2");
  TestInput data = bools({4, 3, 2, 1}), none = ints({0, 0, 0, 0}, {2, 2});
  Code spread = Code::BATCH_TO_SPACE_ND, gathered = Code::SPACE_TO_BATCH_ND;
  EXPECT_EQ(blockError(data, ints({2, 2, 1, 1}), none, spread),
            "has 4 block sizes for shape 4x3x2x1");
  EXPECT_EQ(blockError(data, ints({2, 0}), none, spread),
            "block size 0 is not in 1..32768");
  EXPECT_EQ(blockError(data, ints({2, 2}), ints({0, 0, -1, 0}, {2, 2}), spread),
            "margin -1 of a block is negative");
  EXPECT_EQ(blockError(data, ints({3, 2}), none, spread),
            "batch 4 does not consist of blocks of 3");
  EXPECT_EQ(blockError(data, ints({2, 2}), none, gathered),
            "padded dimension 1 of size 3 does not consist of blocks of 2");
  EXPECT_EQ(text(spread, {real({2, 3, 1}), ints({2}), ints({1, 0}, {1, 2})}),
            "tflite:BATCH_TO_SPACE_ND(i2x3x1, {2}, {1 0}) -> o1x5x1");
}

TEST(TFLiteExtensionFormsTest, errors) {
  TensorSpec half = {{1, 4, 4, 4}, Type::INT16, {0.5f}, {0}};
  EXPECT_EQ(error(Code::CONV_2D, {{half, {}}, real({3, 1, 1, 2})}, {}, {half}),
            "4 input and 3 output channels are no groups of 2");
  EXPECT_EQ(error(Code::TOPK_V2, {{half, {}}, ints({5}, {})}, {},
                  {half, {{}, Type::INT32}}),
            "k 5 is not in 1..4, the last extent");
  EXPECT_EQ(error(Code::SCATTER_ND,
                  {computed({1, 1}), {{{1}, Type::STRING}, {}}, ints({3})}),
            "input 1: tensor 1 't1' has type STRING, which the HAL does not "
            "have");
  EXPECT_EQ(error(Code::BITWISE_XOR, {real({2}), real({2})}),
            "nnhal.tflite's BITWISE_XOR does not take input 0 of type FLOAT32");
  EXPECT_EQ(error(Code::SPLIT, {ints({0}, {}), {{{3}, Type::BOOL}, {}}}, {},
                  {{{}, Type::BOOL}, {{}, Type::BOOL}}),
            "extent 3 of axis 0 is not a multiple of 2 results");
  EXPECT_EQ(error(Code::PAD, {{{{2}, Type::BOOL}, {}}, ints({1, -1}, {1, 2})}),
            "padding -1 of dimension 0 is negative");
  EXPECT_EQ(error(Code::HASHTABLE, {}),
            "strings and tables of them are not imported");
  EXPECT_EQ(error(Code::CONCAT_EMBEDDINGS, {real({2})}),
            "TensorFlow Lite does not compute this operator either");
  EXPECT_EQ(error(Code::STABLEHLO_CUSTOM_CALL, {real({2})}),
            "what a custom call computes is not known");
}

// Neither the HAL nor the extension computes with bytes of five dimensions.
TEST(TFLiteExtensionFormsTest, mergedDimensions) {
  auto bytes = [](std::vector<int32_t> shape) {
    return TestInput{{std::move(shape), Type::INT8, {0.5f}, {3}}, {}};
  };
  auto text = [&](Code code, const std::vector<TestInput> &inputs,
                  std::vector<int32_t> shape, const Options &made = {},
                  float scale = 0.5f, int64_t zeroPoint = 3) {
    return toText(importBytes(operatorFile(
        code, inputs, {{std::move(shape), Type::INT8, {scale}, {zeroPoint}}},
        made)));
  };
  EXPECT_EQ(text(Code::TANH, {bytes({1, 2, 3, 4, 5})}, {1, 2, 3, 4, 5}, {},
                 1 / 128.0f, 0),
            "tflite:RESHAPE(i1x2x3x4x5, {120}) -> t120\n"
            "TANH(t120) -> t120\n"
            "tflite:RESHAPE(t120, {1 2 3 4 5}) -> o1x2x3x4x5\n");
  EXPECT_EQ(text(Code::SOFTMAX, {bytes({1, 2, 3, 4, 5})}, {1, 2, 3, 4, 5},
                 options([](Builder &b) {
                   return schema::CreateSoftmaxOptions(b, 1);
                 }),
                 1 / 256.0f, -128),
            "tflite:RESHAPE(i1x2x3x4x5, {24 5}) -> t24x5\n"
            "SOFTMAX(t24x5, 1f) -> t24x5\n"
            "tflite:RESHAPE(t24x5, {1 2 3 4 5}) -> o1x2x3x4x5\n");
  EXPECT_EQ(text(Code::ADD, {bytes({2, 3, 4, 5, 6}), bytes({4, 1, 6})},
                 {2, 3, 4, 5, 6}),
            "tflite:RESHAPE(i2x3x4x5x6, {6 4 5 6}) -> t6x4x5x6\n"
            "RESHAPE(i4x1x6, {1 4 1 6}) -> t1x4x1x6\n"
            "ADD(t6x4x5x6, t1x4x1x6, 0) -> t6x4x5x6\n"
            "tflite:RESHAPE(t6x4x5x6, {2 3 4 5 6}) -> o2x3x4x5x6\n");
  // Five dimensions that stay apart are too many.
  EXPECT_EQ(importError(operatorFile(
                Code::ADD, {bytes({2, 1, 2, 1, 2}), bytes({1, 2, 1, 2, 1})},
                {{{2, 2, 2, 2, 2}, Type::INT8, {0.5f}, {3}}})),
            "operator 0 (ADD): the HAL's ADD takes at most rank 4, but input 0 "
            "has shape 2x1x2x1x2");
}

TEST(TFLiteExtensionFormsTest, bitcasts) {
  auto cast = [](std::vector<int32_t> shape, Type from, Type to) {
    std::vector<std::byte> file = operatorFile(
        Code::BITCAST, {{{std::move(shape), from}, {}}}, {{{}, to}});
    std::string message = importError(file);
    return message == "imported" ? toText(importBytes(file)) : message;
  };
  EXPECT_EQ(cast({2}, Type::FLOAT32, Type::INT32),
            "tflite:BITCAST(i2) -> o2\n");
  EXPECT_EQ(cast({2}, Type::INT32, Type::INT16),
            "tflite:BITCAST(i2) -> o2x2\n");
  EXPECT_EQ(cast({3, 2}, Type::INT32, Type::INT64),
            "tflite:BITCAST(i3x2) -> o3:0\n");
  EXPECT_EQ(cast({3}, Type::INT32, Type::INT64),
            "operator 0 (BITCAST): the last dimension of shape 3 is not 2, "
            "which is how many INT32 a INT64 holds");
}

TEST(TFLiteExtensionFormsTest, dilations) {
  EXPECT_EQ(text(Code::DILATE, {real({2, 3}), ints({2, 3}), real({})}),
            "tflite:DILATE(i2x3, {2 3}, i1) -> o3x7");
  EXPECT_EQ(error(Code::DILATE, {real({2, 3}), ints({2}), real({})}),
            "input 1 has 1 values, expected 2");
  EXPECT_EQ(text(Code::DILATE, {real({2, 3}), computed({2}), real({})}, {},
                 {{{-1, -1}}}),
            "tflite:DILATE(i2x3, i2, i1) -> o0x0");
}

TEST(TFLiteExtensionFormsTest, sparseLookups) {
  Options root = options([](Builder &b) {
    return schema::CreateEmbeddingLookupSparseOptions(
        b, schema::CombinerType::SQRTN);
  });
  std::vector<TestInput> inputs = {computed({3}), computed({3, 2}),
                                   ints({4, 9}), real({3}), real({5, 2, 6})};
  EXPECT_EQ(text(Code::EMBEDDING_LOOKUP_SPARSE, inputs, root),
            "tflite:EMBEDDING_LOOKUP_SPARSE(i3, i3x2, {4 9}, i3, i5x2x6, 2) -> "
            "o4x2x6");
  inputs[4] = real({});
  EXPECT_EQ(error(Code::EMBEDDING_LOOKUP_SPARSE, inputs, root),
            "the dense shape has 2 extents and the values have shape scalar, "
            "expected 1 or more of both");
}

} // namespace
} // namespace nnhal::rt
