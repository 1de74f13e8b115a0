//===- TFLiteShapeErrorsTest.cpp - Tests of refused shapes ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the extension refuses of shapes, axes and other integers, and that
// executions refuse the same with the status of an execution.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// An operator of one tensor of shape [2, 3] and one of integers.
std::string moved(uint16_t number, Int32s values, Shape result = {-1, -1}) {
  return Operator(number)
      .open(tensorInt16, {2, 3})
      .int32({int64_t(values.size())}, values)
      .result(tensorInt16, std::move(result))
      .refusal();
}

TEST(TFLiteShapeErrors, Reshapes) {
  EXPECT_EQ(moved(22, {-2, 3}),
            "RESHAPE: extent -2 of the new shape must be 0 to 4294967295");
  EXPECT_EQ(moved(22, {INT32_MAX, INT32_MAX, INT32_MAX}),
            "RESHAPE: the new shape 2147483647x2147483647x2147483647 is too "
            "large");
  EXPECT_EQ(moved(22, {4, -1}),
            "RESHAPE: the new shape 4x1 must have 6 elements");
  Operator unranked(43);
  unranked.open(tensorInt16, {2}).result(tensorInt16, {});
  EXPECT_EQ(
      unranked.unrankedResult().refusal(),
      "SQUEEZE: the output has unknown rank, and no input tells its shape");
  EXPECT_EQ(moved(70, {0, 1}),
            "EXPAND_DIMS: input 1 (axis) has 2 elements, but must have 1");
  EXPECT_EQ(moved(70, {3}), "EXPAND_DIMS: axis 3 must be -3 to 2");
  EXPECT_EQ(Operator(159)
                .open(tensorInt16, {2, 3})
                .result(tensorInt32, {2})
                .refusal(),
            "BITCAST: input 0 (input) has shape 2x3, but the last extent must "
            "be 2");
}

TEST(TFLiteShapeErrors, Transforms) {
  auto transform = [](Int32s lengths) {
    return Operator(131)
        .open(tensorFloat32, {1, 8})
        .int32({int64_t(lengths.size())}, lengths)
        .result(rt::ownOperandType(5), {-1, -1})
        .refusal();
  };
  EXPECT_EQ(transform({1, 8}), "");
  EXPECT_EQ(transform({8}),
            "RFFT2D: input 1 (lengths) has 1 elements, but must have 2");
  EXPECT_EQ(transform({1, 12}),
            "RFFT2D: length 12 must be a power of two and at most 1048576");
  EXPECT_EQ(transform({1, 0}),
            "RFFT2D: length 0 must be a power of two and at most 1048576");
  EXPECT_EQ(
      transform({1 << 21, 1}),
      "RFFT2D: length 2097152 must be a power of two and at most 1048576");
}

TEST(TFLiteShapeErrors, RanksThatNothingTells) {
  auto sum = [](bool keepsRank) {
    Operator use(74);
    use.open(tensorInt32, {2, 3}).open(tensorInt32, {1}).option(keepsRank);
    use.result(tensorInt32, {});
    return use;
  };
  EXPECT_EQ(sum(false).unrankedResult().refusal(),
            "SUM: the output has unknown rank, and no input tells its shape");
  // The rank of the result is that of the input.
  EXPECT_EQ(sum(true).unrankedResult().refusal(), "");
  Operator slice(45);
  slice.open(tensorInt32, {2, 3});
  for (int tensor = 0; tensor < 3; ++tensor)
    slice.open(tensorInt32, {2});
  for (int mask = 0; mask < 5; ++mask)
    slice.option(0);
  slice.option(false).result(tensorInt32, {});
  EXPECT_EQ(slice.unrankedResult().refusal(),
            "STRIDED_SLICE: the output has unknown rank, and no input tells "
            "its shape");
}

TEST(TFLiteShapeErrors, AxesAndCounts) {
  EXPECT_EQ(moved(39, {0}),
            "TRANSPOSE: input 1 (permutation) has 1 elements, but must have 2");
  EXPECT_EQ(moved(39, {1, 1}), "TRANSPOSE: axis 1 occurs twice");
  EXPECT_EQ(moved(105, {2}), "REVERSE_V2: axis 2 must be -2 to 1");
  EXPECT_EQ(moved(130, {-1, 3}),
            "BROADCAST_TO: extent -1 of the new shape must be 0 to 4294967295");
  EXPECT_EQ(moved(130, {3, 3}),
            "BROADCAST_TO: shapes 2x3 and 3x3 do not broadcast");
  EXPECT_EQ(moved(130, {1, 3}),
            "BROADCAST_TO: shape 2x3 does not broadcast to 1x3");
  EXPECT_EQ(moved(69, {1}),
            "TILE: input 1 (multiples) has 1 elements, but must have 2");
  EXPECT_EQ(moved(69, {1, -1}), "TILE: multiple -1 must be 0 to 4294967295");
  EXPECT_EQ(moved(34, {1}),
            "PAD: input 1 (paddings) has 1 elements, but must have 4");
  EXPECT_EQ(moved(34, {0, 0, -1, 0}),
            "PAD: padding -1 of dimension 1 must be 0 to 4294967295");
}

std::string sliced(Int32s begin, Int32s size) {
  return Operator(65)
      .open(tensorInt16, {2, 3})
      .int32({int64_t(begin.size())}, begin)
      .int32({int64_t(size.size())}, size)
      .result(tensorInt16, {-1, -1})
      .refusal();
}

std::string strided(Int32s begin, Int32s end, Int32s strides,
                    std::array<int32_t, 5> masks) {
  Operator use(45);
  use.open(tensorInt16, {2, 3});
  for (const Int32s &values : {begin, end, strides})
    use.int32({int64_t(values.size())}, values);
  for (int32_t mask : masks)
    use.option(mask);
  return use.option(false).result(tensorInt16, {-1, -1}).refusal();
}

TEST(TFLiteShapeErrors, Slices) {
  EXPECT_EQ(sliced({0}, {1, 1}),
            "SLICE: input 1 (begin) has 1 elements, but must have 2");
  EXPECT_EQ(sliced({3, 0}, {0, 0}),
            "SLICE: begin 3 of dimension 0 must be 0 to 2");
  EXPECT_EQ(sliced({1, 0}, {2, 0}),
            "SLICE: size 2 of dimension 0 must be 0 to 1");
  EXPECT_EQ(strided({0}, {1}, {0}, {}), "STRIDED_SLICE: a stride is 0");
  EXPECT_EQ(strided({0}, {1}, {INT32_MIN}, {}),
            "STRIDED_SLICE: stride -2147483648 must be -2147483647 to "
            "2147483647");
  EXPECT_EQ(strided({2}, {1}, {1}, {0, 0, 0, 0, 1}),
            "STRIDED_SLICE: index 2 must be -2 to 1");
  EXPECT_EQ(
      strided({2}, {1}, {1, 1}, {}),
      "STRIDED_SLICE: begin, end and strides have 1, 1 and 2 elements, but "
      "must have the same number, at most 16");
  EXPECT_EQ(strided({0, 0}, {1, 1}, {1, 1}, {0, 0, 3, 0, 0}),
            "STRIDED_SLICE: ellipsis_mask 3 has more than one ellipsis");
  EXPECT_EQ(strided({0, 0, 0}, {1, 1, 1}, {1, 1, 1}, {}),
            "STRIDED_SLICE: begin has entries for 3 dimensions, but the input "
            "has 2");
}

TEST(TFLiteShapeErrors, PartsAndWholes) {
  auto pack = [](int32_t count) {
    return Operator(83)
        .open(tensorInt16, {2})
        .option(count)
        .option(0)
        .result(tensorInt16, {1, 2})
        .refusal();
  };
  EXPECT_EQ(pack(2), "PACK: option values_count is 2, but there are 1 tensors");
  auto split = [](int32_t axis, int32_t parts) {
    return Operator(49)
        .int32({1}, {axis})
        .open(tensorInt16, {2, 3})
        .option(parts)
        .result(tensorInt16, {-1, -1})
        .result(tensorInt16, {-1, -1})
        .refusal();
  };
  EXPECT_EQ(split(0, 3), "SPLIT: option num_splits is 3, but there are 2 "
                         "outputs");
  EXPECT_EQ(split(1, 2), "SPLIT: extent 3 of dimension 1 must be a multiple of "
                         "2");
  auto stated = [](Int32s sizes) {
    return Operator(102)
        .open(tensorInt16, {2, 3})
        .int32({int64_t(sizes.size())}, sizes)
        .int32({1}, {1})
        .option(2)
        .result(tensorInt16, {-1, -1})
        .result(tensorInt16, {-1, -1})
        .refusal();
  };
  EXPECT_EQ(stated({1}),
            "SPLIT_V: input 1 (sizes) has 1 elements, but must have 2");
  EXPECT_EQ(stated({-2, 1}), "SPLIT_V: size -2 must be 0 to 4294967295");
  EXPECT_EQ(stated({1, 1}),
            "SPLIT_V: the sizes are 2 together, but dimension 1 has extent 3");
  EXPECT_EQ(Operator(88)
                .open(tensorInt16, {2, 3})
                .option(2)
                .option(0)
                .result(tensorInt16, {3})
                .refusal(),
            "UNPACK: option num is 2, but there are 1 outputs");
  EXPECT_EQ(Operator(60)
                .open(tensorInt16, {2})
                .int32({1, 2}, {0, 0})
                .open(tensorInt16, {2})
                .result(tensorInt16, {2})
                .refusal(),
            "PADV2: input 2 (value) has 2 elements, but must have 1");
  EXPECT_EQ(Operator(5)
                .open(tensorInt16, {1, 1, 1, 6})
                .option(2)
                .result(tensorInt16, {1, 2, 2, 1})
                .refusal(),
            "DEPTH_TO_SPACE: depth 6 must be a multiple of 4");
}

TEST(TFLiteShapeErrors, Resizes) {
  auto resize = [](Int32s size, Shape input, bool isBoth = false) {
    return Operator(23)
        .open(tensorInt16, std::move(input))
        .int32({int64_t(size.size())}, size)
        .option(isBoth)
        .option(isBoth)
        .result(tensorInt16, {1, -1, -1, 1})
        .refusal();
  };
  EXPECT_EQ(resize({2}, {1, 2, 2, 1}),
            "RESIZE_BILINEAR: input 1 (size) has 1 elements, but must have 2");
  EXPECT_EQ(resize({2, 0}, {1, 2, 2, 1}),
            "RESIZE_BILINEAR: size 0 must be 1 to 1048576");
  EXPECT_EQ(resize({2, 2}, {1, 0, 2, 1}),
            "RESIZE_BILINEAR: input 0 (input) has extent 0 in dimension 1, but "
            "must have 1 to 1048576");
  EXPECT_EQ(resize({2, 2}, {1, 2, 2, 1}, true),
            "RESIZE_BILINEAR: options align_corners and half_pixel_centers are "
            "both true");
}

TEST(TFLiteShapeErrors, Indices) {
  auto gather = [](int32_t batch) {
    return Operator(36)
        .open(tensorInt16, {2, 3})
        .open(tensorInt32, {2})
        .option(0)
        .option(batch)
        .result(tensorInt16, {2, 3})
        .refusal();
  };
  EXPECT_EQ(gather(1),
            "GATHER: option batch_dims is 1, but must be at most the "
            "axis 0 and the rank of the indices");
  EXPECT_EQ(
      Operator(107)
          .open(tensorInt16, {2})
          .open(tensorInt32, {1, 2})
          .result(tensorInt16, {1})
          .refusal(),
      "GATHER_ND: input 1 (indices) has indices of 2 dimensions, but must "
      "have 0 to 1");
  EXPECT_EQ(Operator(122)
                .open(tensorInt32, {1, 1})
                .open(tensorInt16, {1})
                .int32({1}, {-4})
                .result(tensorInt16, {4})
                .refusal(),
            "SCATTER_ND: extent -4 of the new shape must be 0 to 4294967295");
  auto update = [](Shape update, Shape begin) {
    return Operator(151)
        .open(tensorInt16, {2, 3})
        .open(tensorInt16, std::move(update))
        .open(tensorInt32, std::move(begin))
        .result(tensorInt16, {2, 3})
        .refusal();
  };
  EXPECT_EQ(
      update({3, 1}, {2}),
      "DYNAMIC_UPDATE_SLICE: input 1 (update) has extent 3 in dimension 0, "
      "but must have at most 2");
  EXPECT_EQ(update({2, 1}, {1}),
            "DYNAMIC_UPDATE_SLICE: input 2 (begin) has 1 elements, but must "
            "have 2");
  auto oneHot = [](Shape on, int32_t depth) {
    return Operator(85)
        .open(tensorInt32, {2})
        .int32({1}, {depth})
        .open(tensorInt16, std::move(on))
        .open(tensorInt16, {1})
        .option(0)
        .result(tensorInt16, {-1, 2})
        .refusal();
  };
  EXPECT_EQ(oneHot({2}, 3),
            "ONE_HOT: input 2 (on_value) has 2 elements, but must have 1");
  EXPECT_EQ(oneHot({1}, -3), "ONE_HOT: depth -3 must not be negative");
}

TEST(TFLiteShapeErrors, SparseLookups) {
  auto lookUp = [](Int32s ids, Int32s indices, Int32s shape) {
    return Operator(33)
        .int32({1}, std::move(ids))
        .int32({1, 2}, std::move(indices))
        .int32({2}, std::move(shape))
        .open(tensorFloat32, {1})
        .open(tensorFloat32, {3, 2})
        .option(0)
        .result(tensorFloat32, {-1, -1})
        .refusal();
  };
  EXPECT_EQ(lookUp({2}, {3, 0}, {4, 1}), "");
  EXPECT_EQ(lookUp({3}, {3, 0}, {4, 1}),
            "EMBEDDING_LOOKUP_SPARSE: id 3 must be below 3");
  EXPECT_EQ(lookUp({-1}, {3, 0}, {4, 1}),
            "EMBEDDING_LOOKUP_SPARSE: id -1 must not be negative");
  EXPECT_EQ(lookUp({2}, {4, 0}, {4, 1}),
            "EMBEDDING_LOOKUP_SPARSE: index 4 must be below 4");
  EXPECT_EQ(Operator(33)
                .open(tensorInt32, {1})
                .open(tensorInt32, {1, 0})
                .open(tensorInt32, {0})
                .open(tensorFloat32, {1})
                .open(tensorFloat32, {3, 2})
                .option(0)
                .result(tensorFloat32, {-1})
                .refusal(),
            "EMBEDDING_LOOKUP_SPARSE: input 1 (indices) has rows of unknown "
            "or no extent");
}

TEST(TFLiteShapeErrors, Dilations) {
  EXPECT_EQ(Operator(203)
                .open(tensorInt16, {2, 3})
                .int32({2}, {1, 0})
                .open(tensorInt16, {1})
                .result(tensorInt16, {-1, -1})
                .refusal(),
            "DILATE: dilation 0 of dimension 1 must be at least 1");
}

TEST(TFLiteShapeErrors, SegmentsAndSequences) {
  EXPECT_EQ(Operator(125)
                .open(tensorInt32, {2})
                .int32({2}, {1, 0})
                .result(tensorInt32, {-1})
                .refusal(),
            "SEGMENT_SUM: segment 0 at element 1 must be at least 1");
  auto unsorted = [](Int32s count) {
    return Operator(155)
        .open(tensorInt32, {2})
        .int32({2}, {1, 0})
        .int32({int64_t(count.size())}, count)
        .result(tensorInt32, {-1})
        .refusal();
  };
  EXPECT_EQ(unsorted({1, 2}), "UNSORTED_SEGMENT_SUM: input 2 (count) has 2 "
                              "elements, but must have 1");
  EXPECT_EQ(unsorted({-1}), "UNSORTED_SEGMENT_SUM: the number of segments -1 "
                            "must not be negative");
  EXPECT_EQ(unsorted({1}), "UNSORTED_SEGMENT_SUM: segment 1 must be below 1");
  auto reverse = [](Int32s lengths, int32_t batch) {
    return Operator(112)
        .open(tensorInt16, {2, 3})
        .int32({2}, lengths)
        .option(1)
        .option(batch)
        .result(tensorInt16, {2, 3})
        .refusal();
  };
  EXPECT_EQ(reverse({1, 2}, 1),
            "REVERSE_SEQUENCE: options seq_dim and batch_dim are both 1");
  EXPECT_EQ(reverse({1, 4}, 0), "REVERSE_SEQUENCE: length 4 must be 0 to 3");
}

TEST(TFLiteShapeErrors, ResultsWithoutElements) {
  EXPECT_EQ(Operator(56)
                .open(tensorInt16, {2, 0})
                .int32({1}, {1})
                .option(4)
                .result(tensorInt64, {2})
                .refusal(),
            "ARG_MAX: dimension 1 has no elements");
  Operator slice(65);
  slice.int16({2}, {1, 2})
      .int32({1}, {2})
      .int32({1}, {0})
      .result(tensorInt16, {0});
  EXPECT_TRUE(slice.run().elements<int16_t>().empty());
}

/// What only an execution knows is refused there.
TEST(TFLiteShapeErrors, ExecutionsCheckValues) {
  Operator use(69);
  use.int16({1}, {1}).int32({1}, {-1}).result(tensorInt16, {1});
  Operator squeeze(43);
  squeeze.int16({1, 2}, {1, 2}).result(tensorInt16, {-1, -1});
  EXPECT_EQ(squeeze.failure(),
            "SQUEEZE: the output's shape ?x? does not follow "
            "from the inputs");
  EXPECT_EQ(use.failure(), "TILE: multiple -1 must be 0 to 4294967295");
}

} // namespace
