//===- DataMovementRulesTest.cpp - Uses of data movement ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
using Op = OperationType;

namespace {

constexpr int64_t unknown = unknownExtent;
const TensorType anyFloat = unrankedTensor(OperandType::TENSOR_FLOAT32);

/// A use of \p type whose inputs are \p input and a list of integers.
std::string withList(Op type, TensorType input,
                     const std::vector<double> &values,
                     TensorType output = anyFloat) {
  return OperationBuilder(type)
      .tensor(std::move(input))
      .tensor(int32Tensor({int64_t(values.size())}), values)
      .output(std::move(output))
      .shapes();
}

//===----------------------------------------------------------------------===//
// RESHAPE, SQUEEZE, EXPAND_DIMS and TRANSPOSE
//===----------------------------------------------------------------------===//

TEST(DataMovementRulesTest, ReshapeResolvesOneExtent) { // M-105
  auto reshape = [](TensorType input, const std::vector<double> &shape) {
    return withList(Op::RESHAPE, std::move(input), shape);
  };
  EXPECT_EQ(reshape(floatTensor({2, 6}), {-1, 3}), "4x3");
  EXPECT_EQ(reshape(floatTensor({unknown, 6}), {-1, 3}), "?x3");
  EXPECT_EQ(reshape(floatTensor({4}), {-2, 2}), // reshape C5
            "element 0 of the shape is -2, below -1");
  EXPECT_EQ(reshape(floatTensor({4}), {-1, -1}), // reshape C6
            "the shape has more than one -1");
  EXPECT_EQ(reshape(floatTensor({4}), {3}), // reshape C3
            "result shape 3 has 3 elements, input shape 4 has 4");
  EXPECT_EQ(reshape(floatTensor({4}), {0, -1}), // reshape C3
            "the shape has 0 elements, input has 4");
  EXPECT_EQ(reshape(floatTensor({0, 4}), {0, 2}),
            "input 0 of shape 0x4 is zero-sized");
  EXPECT_EQ(reshape(int32Tensor({4}), {4}), // reshape C1, M-104
            "input type TENSOR_INT32 is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED");
}

TEST(DataMovementRulesTest, ReshapeToShapeThatIsNotKnown) {
  auto reshape = [](TensorType shape, TensorType output) {
    return OperationBuilder(Op::RESHAPE)
        .tensor(floatTensor({4}))
        .tensor(std::move(shape))
        .output(std::move(output))
        .shapes();
  };
  EXPECT_EQ(reshape(int32Tensor({2}), floatTensor({2, 2})), "?x?");
  EXPECT_EQ(reshape(int32Tensor({2}), anyFloat), "?x?");
  EXPECT_EQ(reshape(int32Tensor({unknown}), anyFloat), "unknown rank");
  EXPECT_EQ(reshape(int32Tensor({257}), anyFloat), "unknown rank");
  EXPECT_EQ(reshape(int32Tensor({3}), floatTensor({2, 2})), // reshape C7
            "the shape has 3 elements, but the output has rank 2");
  // The length alone must not make anybody reserve memory.
  EXPECT_EQ(reshape(int32Tensor({4294967295}), anyFloat), "unknown rank");
}

TEST(DataMovementRulesTest, SqueezeWithoutAxes) { // M-106
  auto squeeze = [](TensorType input) {
    return OperationBuilder(Op::SQUEEZE)
        .tensor(std::move(input))
        .omitted(int32Tensor({0}))
        .output(anyFloat)
        .shapes();
  };
  EXPECT_EQ(squeeze(floatTensor({1, 3, 1})), "3");
  EXPECT_EQ(squeeze(floatTensor({1, 1})), "1");
  EXPECT_EQ(squeeze(floatTensor({1, unknown})), "unknown rank");
  EXPECT_EQ(OperationBuilder(Op::SQUEEZE)
                .tensor(floatTensor({1, 2}))
                .omitted(floatTensor({1}))
                .output(anyFloat)
                .message(),
            "input 1 (axes) has type TENSOR_FLOAT32, expected TENSOR_INT32");
  EXPECT_EQ(withList(Op::SQUEEZE, floatTensor({1, 3, 1}), {-1, -1}), "1x3");
  EXPECT_EQ(withList(Op::SQUEEZE, floatTensor({1, 3}), {1}), // squeeze C3
            "extent 3 of axis 1 must be 1");
  EXPECT_EQ(OperationBuilder(Op::SQUEEZE)
                .tensor(floatTensor({1, 3}))
                .tensor(int32Tensor({1}))
                .output(anyFloat)
                .shapes(),
            "unknown rank");
}

TEST(DataMovementRulesTest, ExpandDims) { // M-107
  auto expand = [](int32_t axis) {
    return OperationBuilder(Op::EXPAND_DIMS)
        .tensor(int32Tensor({2, 3}))
        .int32(axis)
        .output(unrankedTensor(OperandType::TENSOR_INT32))
        .shapes();
  };
  EXPECT_EQ(expand(-3), "1x2x3");
  EXPECT_EQ(expand(2), "2x3x1");
  EXPECT_EQ(expand(3), "axis 3 is outside [-3, 3)"); // expand_dims C2
  EXPECT_EQ(OperationBuilder(Op::EXPAND_DIMS)
                .tensor(int32Tensor({2, 3}))
                .scalar(OperandType::INT32)
                .output(unrankedTensor(OperandType::TENSOR_INT32))
                .shapes(),
            "?x?x?");
}

TEST(DataMovementRulesTest, TransposeWithoutPermutation) { // M-108, M-257
  auto transpose = [](TensorType input) {
    return OperationBuilder(Op::TRANSPOSE)
        .tensor(std::move(input))
        .omitted(int32Tensor({0}))
        .output(anyFloat)
        .shapes();
  };
  EXPECT_EQ(transpose(floatTensor({2, 3, 4})), "4x3x2");
  EXPECT_EQ(transpose(floatTensor({0, 3})), "3x0");
  EXPECT_EQ(withList(Op::TRANSPOSE, floatTensor({2, 3}), {0, 0}),
            "permutation repeats dimension 0"); // transpose C4
  EXPECT_EQ(OperationBuilder(Op::TRANSPOSE)
                .tensor(floatTensor({2, 3}))
                .tensor(int32Tensor({2}))
                .output(floatTensor({7, 8}))
                .shapes(),
            "?x?");
}

//===----------------------------------------------------------------------===//
// CONCATENATION, SPLIT, GATHER and CHANNEL_SHUFFLE
//===----------------------------------------------------------------------===//

TEST(DataMovementRulesTest, ConcatenationOfZeroSizedInputs) { // M-110
  EXPECT_EQ(OperationBuilder(Op::CONCATENATION)
                .tensor(floatTensor({0, 2}))
                .tensor(floatTensor({3, 2}))
                .int32(0)
                .output(anyFloat)
                .shapes(),
            "3x2");
  EXPECT_EQ(OperationBuilder(Op::CONCATENATION)
                .int32(0)
                .output(anyFloat)
                .message(), // concatenation C7
            "found 1 inputs, expected at least 2");
  EXPECT_EQ(OperationBuilder(Op::CONCATENATION)
                .tensor(floatTensor({2}))
                .int32(-1)
                .output(anyFloat)
                .message(), // concatenation C4, M-109
            "axis -1 is outside [0, 1)");
}

TEST(DataMovementRulesTest, ConcatenationVersionDependsOnScales) { // M-110
  auto since = [](float scale) {
    return OperationBuilder(Op::CONCATENATION)
        .tensor(quantTensor({1}, 0.5f, 1))
        .tensor(quantTensor({2}, scale, 1))
        .int32(0)
        .output(quantTensor({3}, 0.5f, 1))
        .since();
  };
  EXPECT_EQ(since(0.5f), "1.0");
  EXPECT_EQ(since(0.25f), "1.2");
}

TEST(DataMovementRulesTest, ConcatenationAlongAxisThatIsNotKnown) {
  EXPECT_EQ(OperationBuilder(Op::CONCATENATION)
                .tensor(floatTensor({2, 3}))
                .tensor(floatTensor({2, 4}))
                .scalar(OperandType::INT32)
                .output(anyFloat)
                .shapes(),
            "?x?");
}

TEST(DataMovementRulesTest, SplitYieldsAllParts) { // M-111
  auto split = [](int32_t axis, int32_t count) {
    return OperationBuilder(Op::SPLIT)
        .tensor(floatTensor({4, 6}))
        .int32(axis)
        .int32(count)
        .output(anyFloat)
        .output(anyFloat)
        .shapes();
  };
  EXPECT_EQ(split(-1, 2), "4x3, 4x3");
  EXPECT_EQ(split(0, 3), // split C5
            "found 2 outputs, expected 3, the number of splits");
  EXPECT_EQ(OperationBuilder(Op::SPLIT)
                .tensor(floatTensor({4, 6}))
                .int32(0)
                .scalar(OperandType::INT32)
                .output(anyFloat)
                .output(anyFloat)
                .shapes(),
            "?x?, ?x?");
}

TEST(DataMovementRulesTest, GatherReplacesTheAxis) { // M-125
  EXPECT_EQ(OperationBuilder(Op::GATHER)
                .tensor(floatTensor({2, 3, 4}))
                .int32(-2)
                .tensor(int32Tensor({5, 6}))
                .output(anyFloat)
                .shapes(),
            "2x5x6x4");
  EXPECT_EQ(OperationBuilder(Op::GATHER)
                .tensor(floatTensor({2}))
                .int32(0)
                .tensor(int32Tensor({0}))
                .output(anyFloat)
                .message(),
            "input 2 of shape 0 is zero-sized"); // signature C7
}

TEST(DataMovementRulesTest, ChannelShuffle) { // M-122
  auto shuffle = [](int32_t groups, int32_t axis) {
    return OperationBuilder(Op::CHANNEL_SHUFFLE)
        .tensor(floatTensor({2, 6}))
        .int32(groups)
        .int32(axis)
        .output(anyFloat)
        .shapes();
  };
  EXPECT_EQ(shuffle(3, -1), "2x6");
  EXPECT_EQ(shuffle(0, -1), "groups 0 must be positive"); // channel_shuffle C2
  EXPECT_EQ(shuffle(4, 1),                                // channel_shuffle C4
            "extent 6 of axis 1 is not a multiple of groups 4");
}

//===----------------------------------------------------------------------===//
// SLICE and STRIDED_SLICE
//===----------------------------------------------------------------------===//

TEST(DataMovementRulesTest, Slice) { // M-112
  auto slice = [](double begin, double size) {
    return OperationBuilder(Op::SLICE)
        .tensor(floatTensor({4}))
        .tensor(int32Tensor({1}), {begin})
        .tensor(int32Tensor({1}), {size})
        .output(anyFloat)
        .shapes();
  };
  EXPECT_EQ(slice(1, -1), "3");
  EXPECT_EQ(slice(4, -1), "0");
  EXPECT_EQ(slice(2, 0), "0");
  EXPECT_EQ(slice(-1, 1), "begin -1 of dimension 0 must not be negative");
  EXPECT_EQ(slice(2, 3), // slice C5
            "3 elements from 2 leave dimension 0 of extent 4");
  EXPECT_EQ(OperationBuilder(Op::SLICE)
                .tensor(floatTensor({4, 5}))
                .tensor(int32Tensor({2}))
                .tensor(int32Tensor({2}), {9, 9})
                .output(anyFloat)
                .shapes(),
            "?x?");
}

struct Strided {
  std::vector<double> begin, end, strides;
  int32_t beginMask = 0, endMask = 0, shrinkMask = 0;
};

std::string stridedSlice(TensorType input, const Strided &params,
                         TensorType output = anyFloat) {
  auto list = [](const std::vector<double> &values) {
    return int32Tensor({int64_t(values.size())});
  };
  return OperationBuilder(Op::STRIDED_SLICE)
      .tensor(std::move(input))
      .tensor(list(params.begin), params.begin)
      .tensor(list(params.end), params.end)
      .tensor(list(params.strides), params.strides)
      .int32(params.beginMask)
      .int32(params.endMask)
      .int32(params.shrinkMask)
      .output(std::move(output))
      .shapes();
}

TEST(DataMovementRulesTest, StridedSliceClampsAndMasks) { // M-114
  TensorType input = floatTensor({4, 5});
  EXPECT_EQ(stridedSlice(input, {{1, -2}, {9, 5}, {2, 1}}), "2x2");
  EXPECT_EQ(stridedSlice(input, {{-9, 4}, {3, -9}, {1, -1}}), "3x5");
  EXPECT_EQ(stridedSlice(input, {{2, 2}, {3, 3}, {1, -1}, 3, 3}), "4x5");
  EXPECT_EQ(stridedSlice(input, {{3, 0}, {1, 5}, {1, 1}}), "0x5");
  EXPECT_EQ(stridedSlice(input, {{1, 2}, {2, 3}, {1, 1}, 0, 0, 3}), "1");
  EXPECT_EQ(stridedSlice(input, {{1, 0}, {2, 5}, {1, 1}, 0, 0, 1}), "5");
  EXPECT_EQ(stridedSlice(input, {{0, 0}, {4, 5}, {-2147483648.0, 1}}), "0x5");
}

TEST(DataMovementRulesTest, StridedSliceRejects) {
  TensorType input = floatTensor({2, 3});
  EXPECT_EQ(stridedSlice(input, {{0, 0}, {2, 3}, {0, 1}}), // strided_slice C3
            "stride of dimension 0 must not be 0");
  EXPECT_EQ(stridedSlice(input, {{0}, {2, 3}, {1, 1}}), // strided_slice C2
            "begin has 1 elements, expected 2");
  EXPECT_EQ(stridedSlice(input, {{0, 0}, {2, 3}, {1, 1}, 0, 0, 1}),
            "shrink axis 0 has 2 elements, expected 1"); // strided_slice C8
  EXPECT_EQ(stridedSlice(input, {{1, 0}, {0, 3}, {-1, 1}, 0, 0, 1}),
            "stride -1 of shrink axis 0 must be positive"); // strided_slice C7
}

// Masks and limits keep the HAL's form from these.
TEST(DataMovementRulesTest, StridedSliceTakesResolvedPositions) {
  auto check = [](std::vector<int64_t> begin, std::vector<int64_t> end,
                  std::vector<int64_t> strides,
                  std::vector<int64_t> shrinkAxes = {}) {
    return nnhal::rt::stridedSlice(floatTensor({4, 5}), begin, end, strides,
                                   shrinkAxes)
        .status()
        .message();
  };
  EXPECT_EQ(check({5, 0}, {4, 5}, {1, 1}), // strided_slice C4
            "begin 5 of dimension 0 is outside [0, 4]");
  EXPECT_EQ(check({0, 4}, {4, 5}, {1, -1}), // strided_slice C5
            "end 5 of dimension 1 is outside [-1, 4]");
  EXPECT_EQ(check({0, 0}, {4, 5}, {1, 1}, {2}), // strided_slice C6
            "shrink axis 2 is outside [0, 2)");
}

TEST(DataMovementRulesTest, ConcatenationTakesAnInput) {
  EXPECT_EQ(nnhal::rt::concatenation({}, 0).status().message(),
            "0 inputs, expected at least 1");
}

TEST(DataMovementRulesTest, StridedSliceOfUnknownExtents) {
  TensorType input = floatTensor({unknown, 3});
  EXPECT_EQ(stridedSlice(input, {{0, 0}, {2, 3}, {1, 1}}), "?x?");
  EXPECT_EQ(stridedSlice(input, {{0, 0}, {2, 3}, {1, 1}, 0, 0, 3}), "?");
  EXPECT_EQ(stridedSlice(input, {{0, 0}, {2, 3}, {0, 1}}),
            "stride of dimension 0 must not be 0");
}

//===----------------------------------------------------------------------===//
// PAD, PAD_V2, TILE, FILL and RANK
//===----------------------------------------------------------------------===//

TEST(DataMovementRulesTest, PadTakesPairs) { // M-116
  auto pad = [](TensorType paddings, const std::vector<double> &values) {
    return OperationBuilder(Op::PAD)
        .tensor(floatTensor({2, 3}))
        .tensor(std::move(paddings), values)
        .output(anyFloat)
        .shapes();
  };
  EXPECT_EQ(pad(int32Tensor({2, 2}), {1, 2, 0, 4}), "5x7");
  EXPECT_EQ(pad(int32Tensor({4}), {1, 2, 0, 4}), // pad C4
            "paddings have shape 4, expected 2x2");
  EXPECT_EQ(pad(int32Tensor({1, 2}), {1, 2}), // pad C4
            "paddings have shape 1x2, expected 2x2");
  EXPECT_EQ(pad(int32Tensor({2, 2}), {1, -2, 0, 4}), // pad C3
            "paddings 1 and -2 of dimension 0 must not be negative");
  EXPECT_EQ(OperationBuilder(Op::PAD)
                .tensor(floatTensor({2, 3}))
                .tensor(int32Tensor({unknown, 2}))
                .output(anyFloat)
                .shapes(),
            "?x?");
}

TEST(DataMovementRulesTest, PadVersionDependsOnTheZeroPoint) { // M-116
  auto since = [](int32_t zeroPoint) {
    return OperationBuilder(Op::PAD)
        .tensor(quantTensor({1}, 0.5f, zeroPoint))
        .tensor(int32Tensor({1, 2}), {1, 1})
        .output(quantTensor({3}, 0.5f, zeroPoint))
        .since();
  };
  EXPECT_EQ(since(0), "1.1");
  EXPECT_EQ(since(9), "1.2");
}

TEST(DataMovementRulesTest, PadV2ValueIsInUnitsOfStorage) { // M-117, M-118
  auto pad = [](TensorType input, int32_t value) {
    return OperationBuilder(Op::PAD_V2)
        .tensor(input)
        .tensor(int32Tensor({1, 2}), {1, 1})
        .int32(value)
        .output(input)
        .message();
  };
  TensorType open = quantTensor({unknown}, 0.5f, 0);
  EXPECT_EQ(pad(open, 255), "");
  EXPECT_EQ(pad(open, 256), // fill_value C2
            "value 256 is outside [0, 255]");
  EXPECT_EQ(pad(signedQuantTensor({unknown}, 0.5f, 0), -129), // fill_value C2
            "value -129 is outside [-128, 127]");
  EXPECT_EQ(pad(floatTensor({unknown}), 1),
            "input 2 (value) has type INT32, expected FLOAT32");
  EXPECT_EQ(pad(halfTensor({unknown}), 1),
            "input 2 (value) has type INT32, expected FLOAT16");
  EXPECT_EQ(OperationBuilder(Op::PAD_V2)
                .tensor(floatTensor({2}))
                .tensor(int32Tensor({1, 2}), {1, 1})
                .scalar(OperandType::FLOAT32)
                .output(anyFloat)
                .shapes(),
            "4");
}

TEST(DataMovementRulesTest, Tile) { // M-115
  EXPECT_EQ(withList(Op::TILE, floatTensor({2, 3}), {2, 1}), "4x3");
  EXPECT_EQ(withList(Op::TILE, floatTensor({2}), {0}), // tile C3
            "multiple 0 of dimension 0 must be positive");
  EXPECT_EQ(withList(Op::TILE, floatTensor({2, 3}), {2}), // tile C2
            "multiples has 1 elements, expected 2");
}

TEST(DataMovementRulesTest, Fill) { // M-123
  TensorType any = unrankedTensor(OperandType::TENSOR_INT32);
  auto known = [](const std::vector<double> &sizes) {
    return OperationBuilder(Op::FILL)
        .tensor(int32Tensor({int64_t(sizes.size())}), sizes)
        .int32(7)
        .output(unrankedTensor(OperandType::TENSOR_INT32))
        .shapes();
  };
  EXPECT_EQ(known({2, 3}), "2x3");
  EXPECT_EQ(known({2, 0}), "2x0");
  EXPECT_EQ(known({2, -1}), // fill C3
            "dimension 1 is -1, expected at least 0");
  auto open = [](int64_t length, TensorType output) {
    return OperationBuilder(Op::FILL)
        .tensor(int32Tensor({length}))
        .int32(7)
        .output(std::move(output))
        .shapes();
  };
  EXPECT_EQ(open(unknown, int32Tensor({unknown, 3})), "?x?");
  EXPECT_EQ(open(2, any), "?x?");
  EXPECT_EQ(open(257, any), "unknown rank");
  EXPECT_EQ(open(unknown, any), // fill C4
            "neither the length of the dimensions nor the rank of the output "
            "is known");
  EXPECT_EQ(open(3, int32Tensor({2, 2})), // fill C5
            "the shape has 3 elements, but the output has rank 2");
}

TEST(DataMovementRulesTest, FillValueHasTheTypeOfElements) { // fill C2
  EXPECT_EQ(OperationBuilder(Op::FILL)
                .tensor(int32Tensor({1}), {2})
                .int32(1)
                .output(floatTensor({2}))
                .message(),
            "value is an i32, TENSOR_FLOAT32 takes an f32");
  EXPECT_EQ(OperationBuilder(Op::FILL)
                .tensor(int32Tensor({1}), {2})
                .float32(1)
                .output(halfTensor({2}))
                .message(),
            "input 1 (value) has type FLOAT32, expected FLOAT16");
}

TEST(DataMovementRulesTest, RankOfAnyTensor) { // M-124
  TensorType scalar = tensorType(OperandType::INT32, {});
  EXPECT_EQ(OperationBuilder(Op::RANK)
                .tensor(unrankedTensor(OperandType::TENSOR_QUANT16_SYMM))
                .output(scalar)
                .since(),
            "1.3");
  EXPECT_EQ(OperationBuilder(Op::RANK)
                .tensor(floatTensor({0, 3}))
                .output(scalar)
                .shapes(),
            "rank 0");
  EXPECT_EQ(
      OperationBuilder(Op::RANK).int32(3).output(scalar).message(), // rank C1
      "input type INT32 is not among TENSOR_FLOAT32, TENSOR_INT32, "
      "TENSOR_QUANT8_ASYMM, TENSOR_QUANT16_SYMM, TENSOR_FLOAT16, "
      "TENSOR_BOOL8, TENSOR_QUANT8_SYMM_PER_CHANNEL, TENSOR_QUANT16_ASYMM, "
      "TENSOR_QUANT8_SYMM, TENSOR_QUANT8_ASYMM_SIGNED");
}

//===----------------------------------------------------------------------===//
// Blocks of space
//===----------------------------------------------------------------------===//

TEST(DataMovementRulesTest, DepthAndSpaceInBothLayouts) { // M-119
  auto shapes = [](Op type, std::vector<int64_t> dimensions, bool isNchw) {
    return OperationBuilder(type)
        .tensor(floatTensor(std::move(dimensions)))
        .int32(2)
        .boolean(isNchw)
        .output(anyFloat)
        .shapes();
  };
  EXPECT_EQ(shapes(Op::DEPTH_TO_SPACE, {1, 2, 3, 8}, false), "1x4x6x2");
  EXPECT_EQ(shapes(Op::DEPTH_TO_SPACE, {1, 8, 2, 3}, true), "1x2x4x6");
  EXPECT_EQ(shapes(Op::SPACE_TO_DEPTH, {1, 4, 6, 2}, false), "1x2x3x8");
  EXPECT_EQ(shapes(Op::SPACE_TO_DEPTH, {1, 2, 4, 6}, true), "1x8x2x3");
  EXPECT_EQ(shapes(Op::SPACE_TO_DEPTH, {1, 3, 4, 2}, false),
            "input height 3 is not a multiple of block size 2");
  EXPECT_EQ(shapes(Op::DEPTH_TO_SPACE, {0, 2, 3, 8}, false),
            "input 0 of shape 0x2x3x8 is zero-sized");
}

TEST(DataMovementRulesTest, LayoutNeedsALaterVersion) {
  OperationBuilder plain(Op::DEPTH_TO_SPACE), laidOut(Op::DEPTH_TO_SPACE);
  plain.tensor(floatTensor({1, 1, 1, 4})).int32(2).output(anyFloat);
  EXPECT_EQ(plain.since(), "1.0");
  laidOut.tensor(floatTensor({1, 1, 1, 4}))
      .int32(2)
      .boolean(false)
      .output(anyFloat);
  EXPECT_EQ(laidOut.since(), "1.2");
  OperationBuilder open(Op::DEPTH_TO_SPACE);
  open.tensor(floatTensor({1, 1, 1, 4}))
      .scalar(OperandType::INT32)
      .output(anyFloat);
  EXPECT_EQ(open.shapes(), "?x?x?x?");
}

TEST(DataMovementRulesTest, BatchAndSpace) { // M-120, M-121
  auto toBatch = [](TensorType paddings, const std::vector<double> &values) {
    return OperationBuilder(Op::SPACE_TO_BATCH_ND)
        .tensor(floatTensor({1, 3, 4, 2}))
        .tensor(int32Tensor({2}), {2, 3})
        .tensor(std::move(paddings), values)
        .output(anyFloat)
        .shapes();
  };
  EXPECT_EQ(toBatch(int32Tensor({2, 2}), {1, 0, 0, 2}), "6x2x2x2");
  EXPECT_EQ(toBatch(int32Tensor({4}), {1, 0, 0, 2}), // space_to_batch_nd C5
            "paddings have shape 4, expected 2x2");
  EXPECT_EQ(toBatch(int32Tensor({2, 2}), {-1, 0, 0, 2}),
            "pad top -1 must not be negative"); // space_to_batch_nd C3
  EXPECT_EQ(withList(Op::BATCH_TO_SPACE_ND, floatTensor({6, 2, 2, 2}), {2, 3}),
            "1x4x6x2");
  EXPECT_EQ(withList(Op::BATCH_TO_SPACE_ND, floatTensor({5, 2, 2, 2}), {2, 3}),
            "input batch 5 is not a multiple of the block's area 6");
  EXPECT_EQ(withList(Op::BATCH_TO_SPACE_ND, floatTensor({6, 2, 2, 2}), {2}),
            "block_shape has 1 elements, expected 2");
}

} // namespace
