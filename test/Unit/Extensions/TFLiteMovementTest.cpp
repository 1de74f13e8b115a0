//===- TFLiteMovementTest.cpp - Tests of moved elements -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that move elements. Values are computed by hand.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

#include <numeric>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

std::vector<int16_t> counting(int16_t count) {
  std::vector<int16_t> values(size_t(count), int16_t(0));
  std::iota(values.begin(), values.end(), int16_t(0));
  return values;
}

TEST(TFLiteMovement, ReshapeFindsTheOpenExtent) {
  Operator use(22);
  use.int16({2, 3}, counting(6))
      .int32({2}, {-1, 2})
      .result(tensorInt16, {3, -1});
  EXPECT_EQ(use.run().shape(), Shape({3, 2}));
  EXPECT_EQ(use.elements<int16_t>(), counting(6));
}

TEST(TFLiteMovement, SqueezeTakesTheStatedShape) {
  Operator use(43);
  use.int64({1, 2, 1}, {5, -6}).result(tensorInt64, {2});
  EXPECT_EQ(use.run().elements<int64_t>(), Int64s({5, -6}));
}

TEST(TFLiteMovement, TransposeOfThreeDimensions) {
  Operator use(39);
  use.int16({2, 1, 3}, counting(6))
      .int32({3}, {2, 0, 1})
      .result(tensorInt16, {3, 2, 1});
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s({0, 3, 1, 4, 2, 5}));
}

Operator stridedSlice(std::vector<int32_t> begin, std::vector<int32_t> end,
                      std::vector<int32_t> strides,
                      std::array<int32_t, 5> masks, Shape result,
                      bool isOffset = false) {
  Operator use(45);
  Shape count = {int64_t(begin.size())};
  use.int16({2, 3, 4}, counting(24))
      .int32(count, begin)
      .int32(count, end)
      .int32(count, strides);
  for (int32_t mask : masks)
    use.option(mask);
  use.option(isOffset).result(tensorInt16, std::move(result));
  return use;
}

TEST(TFLiteMovement, StridedSliceCountsFromTheEnd) {
  Operator use = stridedSlice({0, -2, 3}, {2, 3, 0}, {1, 1, -2},
                              {0, 0, 0, 0, 0}, {2, 2, 2});
  EXPECT_EQ(use.run().elements<int16_t>(),
            Int16s({7, 5, 11, 9, 19, 17, 23, 21}));
}

TEST(TFLiteMovement, StridedSliceHasAllMasks) {
  // [1, ..., newaxis, :2]: shrink, ellipsis, new axis, begin mask.
  Operator use = stridedSlice({1, 0, 0, 9}, {2, 0, 0, 2}, {1, 1, 1, 1},
                              {8, 0, 2, 4, 1}, {3, 1, 2});
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s({12, 13, 16, 17, 20, 21}));
}

TEST(TFLiteMovement, StridedSliceToAScalar) {
  Operator use =
      stridedSlice({1, 2, -1}, {0, 0, 0}, {1, 1, 1}, {0, 0, 0, 0, 7}, {1});
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s({23}));
}

TEST(TFLiteMovement, StridedSliceByOffsets) {
  // An end counts from where the slice begins inside of the tensor, wherever
  // the begin that is stated lies.
  Operator use = stridedSlice({0, -2, 1}, {2, 2, 2}, {1, 1, 1}, {0, 0, 0, 0, 0},
                              {2, 2, 2}, true);
  EXPECT_EQ(use.run().elements<int16_t>(),
            Int16s({5, 6, 9, 10, 17, 18, 21, 22}));
  Operator masked = stridedSlice({-9, -1, 9}, {1, -2, 2}, {1, -1, 1},
                                 {4, 0, 0, 0, 0}, {1, 2, 2}, true);
  EXPECT_EQ(masked.run().elements<int16_t>(), Int16s({8, 9, 4, 5}));
}

TEST(TFLiteMovement, SliceTakesTheRest) {
  Operator use(65);
  use.int16({2, 3}, counting(6))
      .int64({2}, {1, 1})
      .int64({2}, {1, -1})
      .result(tensorInt16, {1, 2});
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s({4, 5}));
}

TEST(TFLiteMovement, TileRepeatsEachDimension) {
  Operator use(69);
  use.int16({1, 2}, {1, 2}).int32({2}, {2, 2}).result(tensorInt16, {2, 4});
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s({1, 2, 1, 2, 1, 2, 1, 2}));
}

TEST(TFLiteMovement, ReverseOfTwoAxes) {
  Operator use(105);
  use.int16({2, 3}, counting(6))
      .int32({2}, {0, -1})
      .result(tensorInt16, {2, 3});
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s({5, 4, 3, 2, 1, 0}));
}

TEST(TFLiteMovement, BroadcastToMoreDimensions) {
  Operator use(130);
  use.int64({2, 1}, {7, 8})
      .int32({3}, {2, 2, 2})
      .result(tensorInt64, {2, 2, 2});
  EXPECT_EQ(use.run().elements<int64_t>(), Int64s({7, 7, 8, 8, 7, 7, 8, 8}));
}

TEST(TFLiteMovement, ExpandDimsAndBitcastKeepTheBits) {
  Operator expand(70);
  expand.int16({2}, {1, 2}).int32({1}, {-1}).result(tensorInt16, {2, 1});
  EXPECT_EQ(expand.run().elements<int16_t>(), Int16s({1, 2}));
  Operator bitcast(159);
  bitcast.int16({1, 2}, {1, 2}).result(tensorInt32, {1});
  EXPECT_EQ(bitcast.run().elements<int32_t>(), std::vector<int32_t>({0x20001}));
}

TEST(TFLiteMovement, ConcatenationOfInt64) {
  Operator use(2);
  use.int64({2, 1}, {1, 2})
      .int64({2, 2}, {3, 4, 5, 6})
      .option(-1)
      .option(0)
      .result(tensorInt64, {2, 3});
  EXPECT_EQ(use.run().elements<int64_t>(), Int64s({1, 3, 4, 2, 5, 6}));
}

TEST(TFLiteMovement, PackAndUnpack) {
  Operator pack(83);
  pack.int16({2}, {1, 2})
      .int16({2}, {3, 4})
      .option(2)
      .option(1)
      .result(tensorInt16, {2, 2});
  EXPECT_EQ(pack.run().elements<int16_t>(), Int16s({1, 3, 2, 4}));
  Operator scalars(83);
  scalars.int16({1}, {1}).int16({1}, {3}).option(2).option(0).result(
      tensorInt16, {2});
  EXPECT_EQ(scalars.run().elements<int16_t>(), Int16s({1, 3}));
  Operator unpack(88);
  unpack.int16({2, 2}, {1, 3, 2, 4})
      .option(2)
      .option(1)
      .result(tensorInt16, {2})
      .result(tensorInt16, {2});
  EXPECT_EQ(unpack.run().elements<int16_t>(1), Int16s({3, 4}));
}

TEST(TFLiteMovement, SplitsAreEqualOrStated) {
  Operator split(49);
  split.int32({1}, {1})
      .int16({2, 4}, counting(8))
      .option(2)
      .result(tensorInt16, {2, 2})
      .result(tensorInt16, {2, 2});
  EXPECT_EQ(split.run().elements<int16_t>(1), Int16s({2, 3, 6, 7}));
  Operator stated(102);
  stated.int16({2, 4}, counting(8))
      .int32({2}, {-1, 1})
      .int32({1}, {-1})
      .option(2)
      .result(tensorInt16, {2, 3})
      .result(tensorInt16, {2, 1});
  EXPECT_EQ(stated.run().elements<int16_t>(1), Int16s({3, 7}));
}

TEST(TFLiteMovement, PadsWithWhatStandsForZero) {
  Operator pad(34);
  pad.tensor<int8_t>(tensorInt8, {1, 2}, {1, 2}, 1.0f, 9)
      .int32({2, 2}, {0, 1, 1, 0})
      .result(tensorInt8, {2, 3}, 1.0f, 9);
  EXPECT_EQ(pad.run().elements<int8_t>(),
            std::vector<int8_t>({9, 1, 2, 9, 9, 9}));
  Operator value(60);
  value.int16({2}, {1, 2})
      .int64({1, 2}, {2, 1})
      .int16({1}, {-7})
      .result(tensorInt16, {5});
  EXPECT_EQ(value.run().elements<int16_t>(), Int16s({-7, -7, 1, 2, -7}));
}

TEST(TFLiteMovement, MirrorsReflectOrRepeatTheEdge) {
  Operator reflect(100);
  reflect.int16({2, 3}, counting(6))
      .int32({2, 2}, {1, 0, 2, 1})
      .option(0)
      .result(tensorInt16, {3, 6});
  EXPECT_EQ(reflect.run().elements<int16_t>(),
            Int16s({5, 4, 3, 4, 5, 4, 2, 1, 0, 1, 2, 1, 5, 4, 3, 4, 5, 4}));
  Operator symmetric(100);
  symmetric.int16({3}, {1, 2, 3})
      .int32({1, 2}, {2, 3})
      .option(1)
      .result(tensorInt16, {8});
  EXPECT_EQ(symmetric.run().elements<int16_t>(),
            Int16s({2, 1, 1, 2, 3, 3, 2, 1}));
}

TEST(TFLiteMovement, BlocksOfSpaceAndDepthAreInverse) {
  Operator depth(26);
  depth.int16({1, 2, 4, 1}, counting(8))
      .option(2)
      .result(tensorInt16, {1, 1, 2, 4});
  EXPECT_EQ(depth.run().elements<int16_t>(), Int16s({0, 1, 4, 5, 2, 3, 6, 7}));
  Operator space(5);
  space.int16({1, 1, 2, 4}, depth.elements<int16_t>())
      .option(2)
      .result(tensorInt16, {1, 2, 4, 1});
  EXPECT_EQ(space.run().elements<int16_t>(), counting(8));
}

TEST(TFLiteMovement, ResizesImages) {
  Operator bilinear(23);
  bilinear.int16({1, 1, 2, 1}, {0, 100})
      .int32({2}, {1, 4})
      .option(false)
      .option(false)
      .result(tensorInt16, {1, 1, 4, 1});
  EXPECT_EQ(bilinear.run().elements<int16_t>(), Int16s({0, 50, 100, 100}));
  // Steps are the nearest numbers of 1024ths: 683 of 682.67.
  Operator thirds(23);
  thirds.int16({1, 1, 2, 1}, {0, 10000})
      .int32({2}, {1, 3})
      .option(false)
      .option(false)
      .result(tensorInt16, {1, 1, 3, 1});
  EXPECT_EQ(thirds.run().elements<int16_t>(), Int16s({0, 6670, 10000}));
  // Halves of bytes are rounded away from 0, too.
  Operator bytes(23);
  bytes.tensor(tensorInt8, {1, 1, 2, 1}, Int8s{-7, 4})
      .int32({2}, {1, 4})
      .option(false)
      .option(false)
      .result(tensorInt8, {1, 1, 4, 1});
  EXPECT_EQ(bytes.run().elements<int8_t>(), Int8s({-7, -2, 4, 4}));
  Operator nearest(97);
  nearest.int16({1, 1, 2, 1}, {0, 100})
      .int32({2}, {2, 3})
      .option(false)
      .option(true)
      .result(tensorInt16, {1, 2, 3, 1});
  EXPECT_EQ(nearest.run().elements<int16_t>(),
            Int16s({0, 100, 100, 0, 100, 100}));
}

TEST(TFLiteMovement, FillsAndShapes) {
  Operator fill(94);
  fill.int32({2}, {1, 3}).int64({1}, {-4}).result(tensorInt64, {1, 3});
  EXPECT_EQ(fill.run().elements<int64_t>(), Int64s({-4, -4, -4}));
  Operator shape(77);
  shape.int16({2, 3}, counting(6)).option(4).result(tensorInt64, {2});
  EXPECT_EQ(shape.run().elements<int64_t>(), Int64s({2, 3}));
  Operator rank(110);
  rank.int16({2, 3}, counting(6)).result(tensorInt32, {1});
  EXPECT_EQ(rank.run().elements<int32_t>(), std::vector<int32_t>({2}));
  Operator zeros(93);
  zeros.int16({2}, {4, 5}).result(tensorInt16, {2});
  EXPECT_EQ(zeros.run().elements<int16_t>(), Int16s({0, 0}));
  Operator range(96);
  range.int64({1}, {5}).int64({1}, {-2}).int64({1}, {-3}).result(tensorInt64,
                                                                 {-1});
  EXPECT_EQ(range.run().elements<int64_t>(), Int64s({5, 2, -1}));
}

// The padding value stands between elements, not behind the last ones.
TEST(TFLiteMovement, Dilate) {
  Operator use(203);
  use.int16({2, 3}, {1, 2, 3, 4, 5, 6})
      .int32({2}, {2, 3})
      .int16({1}, {-9})
      .result(tensorInt16, {-1, -1});
  EXPECT_EQ(use.run().elements<int16_t>(),
            (std::vector<int16_t>{1,  -9, -9, 2, -9, -9, 3, -9, -9, -9, -9,
                                  -9, -9, -9, 4, -9, -9, 5, -9, -9, 6}));
  EXPECT_EQ(use.shape(), (Shape{3, 7}));
  // Factors that only an execution knows.
  Operator open(203);
  open.open(tensorInt16, {2, 3})
      .open(tensorInt32, {2})
      .open(tensorInt16, {1})
      .result(tensorInt16, {3, 7});
  EXPECT_EQ(open.refusal(), "");
}

} // namespace
