//===- TFLiteComparisonTest.cpp - Tests of comparisons and running sums ---===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that compare elements of each type, choose by a condition of each
// shape, add up along a dimension, and join shapes.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr uint16_t less = 58, select = 64, equal = 71, selectV2 = 123,
                   cumsum = 128, broadcastArgs = 145;

TEST(TFLiteComparison, ElementsAreComparedInTheirOwnType) {
  // The two numbers are equal where they are compared as floats.
  constexpr int32_t large = (1 << 24) + 1;
  Operator int32s(less);
  int32s.int32({2, 1}, {large - 1, large})
      .int32({2}, {large, 0})
      .result(tensorBool, {2, 2});
  EXPECT_EQ(int32s.run().elements<uint8_t>(), Bytes({1, 0, 0, 0}));
  Operator int16s(less);
  int16s.int16({3}, {-32768, 5, 5})
      .int16({3}, {32767, 5, 4})
      .result(tensorBool, {3});
  EXPECT_EQ(int16s.run().elements<uint8_t>(), Bytes({1, 0, 0}));
  Operator floats(equal);
  floats.float32({3}, {NAN, -0.0f, 1})
      .float32({3}, {NAN, 0.0f, 1})
      .result(tensorBool, {3});
  EXPECT_EQ(floats.run().elements<uint8_t>(), Bytes({0, 1, 1}));
}

TEST(TFLiteComparison, ConditionsOfEachShapeChoose) {
  Operator each(selectV2);
  each.truths({3}, {true, false, true})
      .int32({3}, {1, 2, 3})
      .int32({3}, {10, 20, 30})
      .result(tensorInt32, {3});
  EXPECT_EQ(each.run().elements<int32_t>(), Int32s({1, 20, 3}));
  Operator one(selectV2);
  one.truths({1}, {false})
      .int64({2}, {1, 2})
      .int64({1}, {30})
      .result(tensorInt64, {2});
  EXPECT_EQ(one.run().elements<int64_t>(), Int64s({30, 30}));
  Operator stepped(selectV2);
  stepped.truths({3}, {true, false, true})
      .int16({3}, {1, 2, 3})
      .int16({1}, {-4})
      .result(tensorInt16, {3});
  EXPECT_EQ(stepped.run().elements<int16_t>(), Int16s({1, -4, 3}));
  // SELECT alone has conditions for rows.
  for (uint16_t number : {select, selectV2}) {
    Operator rows(number);
    rows.truths({2}, {true, false})
        .float32({2, 2}, {1, 2, 3, 4})
        .float32({2, 2}, {10, 20, 30, 40})
        .result(tensorFloat32, {2, 2});
    EXPECT_EQ(rows.run().elements<float>(), number == select
                                                ? Floats({1, 2, 30, 40})
                                                : Floats({1, 20, 3, 40}));
  }
}

Operator sum(rt::OperandType type, const Shape &shape, int32_t axis,
             bool isExclusive, bool isReverse) {
  Operator use(cumsum);
  std::vector<int32_t> values(size_t(std::accumulate(
      shape.begin(), shape.end(), int64_t(1), std::multiplies<>())));
  std::iota(values.begin(), values.end(), 1);
  if (type == tensorFloat32)
    use.float32(shape, Floats(values.begin(), values.end()));
  else
    use.int32(shape, values);
  use.int32({1}, {axis}).option(isExclusive).option(isReverse);
  use.result(type, shape);
  return use;
}

TEST(TFLiteComparison, SumsRunAlongADimensionInBothDirections) {
  EXPECT_EQ(sum(tensorFloat32, {2, 3}, 1, false, false).run().elements<float>(),
            Floats({1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(sum(tensorInt32, {2, 3}, -1, true, false).run().elements<int32_t>(),
            Int32s({0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(sum(tensorInt32, {2, 3}, 0, false, true).run().elements<int32_t>(),
            Int32s({5, 7, 9, 4, 5, 6}));
  EXPECT_EQ(sum(tensorInt32, {0, 3}, 0, false, true).run().elements<int32_t>(),
            Int32s());
}

TEST(TFLiteComparison, SumsOfManyNeighboursAreThoseOfEach) {
  // 16 neighbours are added at once, and the 17th alone.
  Int32s sums =
      sum(tensorInt32, {3, 17}, 0, true, false).run().elements<int32_t>();
  for (int32_t column = 0; column < 17; ++column) {
    EXPECT_EQ(sums[size_t(column)], 0);
    EXPECT_EQ(sums[size_t(column + 17)], column + 1);
    EXPECT_EQ(sums[size_t(column + 34)], 2 * (column + 1) + 17);
  }
}

TEST(TFLiteComparison, SumsOfIntegersWrapAround) {
  Operator use(cumsum);
  use.int32({2}, {std::numeric_limits<int32_t>::max(), 1}).int32({1}, {0});
  use.option(false).option(false).result(tensorInt32, {2});
  EXPECT_EQ(use.run().elements<int32_t>(),
            Int32s({std::numeric_limits<int32_t>::max(),
                    std::numeric_limits<int32_t>::min()}));
}

TEST(TFLiteComparison, ShapesAreJoinedInTheirOwnType) {
  Operator wide(broadcastArgs);
  wide.int64({2}, {1, 3}).int64({3}, {5, 4, 1}).result(tensorInt64, {3});
  EXPECT_EQ(wide.run().elements<int64_t>(), Int64s({5, 4, 3}));
  Operator narrow(broadcastArgs);
  narrow.int32({1}, {2}).int32({2}, {7, 1}).result(tensorInt32, {2});
  EXPECT_EQ(narrow.run().elements<int32_t>(), Int32s({7, 2}));
}

} // namespace
