//===- TFLiteIndexingTest.cpp - Tests of indices --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that find elements by indices, fold segments and yield indices.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

TEST(TFLiteIndexing, GatherAlongAnAxisAndInBatches) {
  Operator use(36);
  use.int16({2, 3}, {1, 2, 3, 4, 5, 6})
      .int64({2}, {2, 0})
      .option(1)
      .option(0)
      .result(tensorInt16, {2, 2});
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s({3, 1, 6, 4}));
  Operator batches(36);
  batches.int16({2, 3}, {1, 2, 3, 4, 5, 6})
      .int32({2, 1}, {2, 0})
      .option(1)
      .option(1)
      .result(tensorInt16, {2, 1});
  EXPECT_EQ(batches.run().elements<int16_t>(), Int16s({3, 4}));
  Operator scalar(36);
  scalar.int16({2, 3}, {1, 2, 3, 4, 5, 6})
      .int32({1}, {1})
      .option(0)
      .option(0)
      .result(tensorInt16, {3});
  EXPECT_EQ(scalar.run().elements<int16_t>(), Int16s({4, 5, 6}));
}

TEST(TFLiteIndexing, GatherNdAndScatterNd) {
  Operator gather(107);
  gather.int64({2, 2}, {1, 2, 3, 4})
      .int32({2, 2}, {1, 0, 0, 1})
      .result(tensorInt64, {2});
  EXPECT_EQ(gather.run().elements<int64_t>(), Int64s({3, 2}));
  Operator scatter(122);
  scatter.int32({3, 1}, {1, 3, 1})
      .int64({3, 2}, {1, 2, 3, 4, 5, 6})
      .int32({2}, {4, 2})
      .result(tensorInt64, {4, 2});
  EXPECT_EQ(scatter.run().elements<int64_t>(),
            Int64s({0, 0, 6, 8, 0, 0, 3, 4}));
}

TEST(TFLiteIndexing, PlacesOfTruths) {
  for (uint16_t number : {56, 79}) {
    Operator use(number);
    use.truths({2, 3}, {false, true, true, true, true, false})
        .int32({1}, {1})
        .option(2)
        .result(tensorInt32, {2});
    EXPECT_EQ(use.run().elements<int32_t>(),
              number == 56 ? Int32s({1, 0}) : Int32s({0, 2}));
  }
}

TEST(TFLiteIndexing, SparseToDense) {
  Operator rows(68);
  rows.int32({3, 2}, {0, 1, 1, 2, 0, 1})
      .int64({2}, {2, 3})
      .int16({3}, {5, 6, 7})
      .int16({1}, {-1})
      .option(false)
      .result(tensorInt16, {2, 3});
  EXPECT_EQ(rows.run().elements<int16_t>(), Int16s({-1, 7, -1, -1, -1, 6}));
  Operator repeated(68);
  repeated.int64({2}, {0, 3})
      .int32({1}, {4})
      .int32({1}, {8})
      .int32({1}, {0})
      .option(true)
      .result(tensorInt32, {4});
  EXPECT_EQ(repeated.run().elements<int32_t>(), Int32s({8, 0, 0, 8}));
}

TEST(TFLiteIndexing, SparseToDenseRefusesOtherIndices) {
  Operator outside(68);
  outside.int32({1}, {4})
      .int32({1}, {4})
      .int32({1}, {8})
      .int32({1}, {0})
      .option(false)
      .result(tensorInt32, {4});
  EXPECT_EQ(outside.failure(), "SPARSE_TO_DENSE: index 4 must be 0 to 3");
  Operator deep(68);
  deep.int32({1, 2}, {1, 1})
      .int32({1}, {4})
      .int32({1}, {8})
      .int32({1}, {0})
      .option(false)
      .result(tensorInt32, {4});
  EXPECT_EQ(deep.refusal(),
            "SPARSE_TO_DENSE: input 0 (indices) has indices of 2 dimensions, "
            "but must have 1");
}

TEST(TFLiteIndexing, EmbeddingsAreRows) {
  Operator use(7);
  use.int32({3}, {2, 0, 2})
      .int64({3, 2}, {1, 2, 3, 4, 5, 6})
      .result(tensorInt64, {3, 2});
  EXPECT_EQ(use.run().elements<int64_t>(), Int64s({5, 6, 1, 2, 5, 6}));
  Operator outside(7);
  outside.int32({1}, {-1})
      .int64({3, 2}, {1, 2, 3, 4, 5, 6})
      .result(tensorInt64, {1, 2});
  EXPECT_EQ(outside.failure(), "EMBEDDING_LOOKUP: index -1 must be 0 to 2");
}

TEST(TFLiteIndexing, UpdatesAreMovedInside) {
  Operator use(151);
  use.int16({2, 3}, {1, 2, 3, 4, 5, 6})
      .int16({1, 2}, {8, 9})
      .int32({2}, {-5, 7})
      .result(tensorInt16, {2, 3});
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s({1, 8, 9, 4, 5, 6}));
}

TEST(TFLiteIndexing, OneHotAlongAnAxis) {
  Operator use(85);
  use.int32({2}, {1, 5})
      .int32({1}, {3})
      .int64({1}, {7})
      .int64({1}, {-1})
      .option(0)
      .result(tensorInt64, {3, 2});
  EXPECT_EQ(use.run().elements<int64_t>(), Int64s({-1, -1, 7, -1, -1, -1}));
}

TEST(TFLiteIndexing, WhereAndUniqueFindTheirExtents) {
  Operator where(109);
  where.truths({2, 2}, {false, true, true, false}).result(tensorInt64, {-1, 2});
  EXPECT_EQ(where.run().shape(), Shape({2, 2}));
  EXPECT_EQ(where.elements<int64_t>(), Int64s({0, 1, 1, 0}));
  Operator unique(103);
  unique.int64({5}, {4, 4, 7, 4, 2})
      .option(2)
      .result(tensorInt64, {-1})
      .result(tensorInt32, {5});
  EXPECT_EQ(unique.run().elements<int64_t>(), Int64s({4, 7, 2}));
  EXPECT_EQ(unique.elements<int32_t>(1), Int32s({0, 0, 1, 0, 2}));
}

TEST(TFLiteIndexing, Segments) {
  Operator sorted(125);
  sorted.int32({3, 2}, {1, 2, 3, 4, 5, 6})
      .int32({3}, {0, 0, 2})
      .result(tensorInt32, {3, 2});
  EXPECT_EQ(sorted.run().elements<int32_t>(), Int32s({4, 6, 0, 0, 5, 6}));
  std::vector<std::pair<uint16_t, Int32s>> folds = {{153, {3, 5, 1}},
                                                    {154, {3, 5, INT32_MIN}},
                                                    {155, {4, 5, 0}},
                                                    {157, {1, 5, INT32_MAX}}};
  for (auto &[number, expected] : folds) {
    Operator use(number);
    use.int32({4}, {1, 9, 3, 5})
        .int32({4}, {0, -1, 0, 1})
        .int32({1}, {3})
        .result(tensorInt32, {3});
    EXPECT_EQ(use.run().elements<int32_t>(), expected) << number;
  }
}

// Places [0], [2] and [2] of a shape of 4; rows 2, 0 and 1 of a table, times 2,
// 3 and 4.
TEST(TFLiteIndexing, SparseLookups) {
  auto lookUp = [](int32_t combiner) {
    Operator use(33);
    use.int32({3}, {2, 0, 1})
        .int32({3, 2}, {0, 5, 2, 0, 2, 1})
        .int32({2}, {4, 9})
        .float32({3}, {2, 3, 4})
        .float32({3, 2}, {1, 2, 3, 4, 5, 6})
        .option(combiner)
        .result(tensorFloat32, {-1, -1});
    std::vector<float> elements = use.run().elements<float>();
    EXPECT_EQ(use.shape(), (Shape{4, 2}));
    return elements;
  };
  // 2 * {5, 6}; 3 * {1, 2} + 4 * {3, 4}.
  EXPECT_EQ(lookUp(0), (std::vector<float>{10, 12, 0, 0, 15, 22, 0, 0}));
  EXPECT_EQ(lookUp(1),
            (std::vector<float>{5, 6, 0, 0, 15 / 7.0f, 22 / 7.0f, 0, 0}));
  // The root of 3 * 3 + 4 * 4 is 5.
  EXPECT_EQ(lookUp(2), (std::vector<float>{5, 6, 0, 0, 3, 22 / 5.0f, 0, 0}));
}

TEST(TFLiteIndexing, Sequences) {
  Operator reverse(112);
  reverse.int16({2, 3}, {1, 2, 3, 4, 5, 6})
      .int64({2}, {2, 3})
      .option(1)
      .option(0)
      .result(tensorInt16, {2, 3});
  EXPECT_EQ(reverse.run().elements<int16_t>(), Int16s({2, 1, 3, 6, 5, 4}));
  Operator sum(128);
  sum.int64({2, 3}, {1, 2, 3, 4, 5, 6})
      .int32({1}, {-1})
      .option(true)
      .option(true)
      .result(tensorInt64, {2, 3});
  EXPECT_EQ(sum.run().elements<int64_t>(), Int64s({5, 3, 0, 11, 6, 0}));
}

TEST(TFLiteIndexing, Diagonals) {
  Operator diagonal(113);
  diagonal.int16({2}, {1, 2}).result(tensorInt16, {2, 2});
  EXPECT_EQ(diagonal.run().elements<int16_t>(), Int16s({1, 0, 0, 2}));
  Operator set(115);
  set.int16({1, 2, 3}, {1, 2, 3, 4, 5, 6})
      .int16({1, 2}, {8, 9})
      .result(tensorInt16, {1, 2, 3});
  EXPECT_EQ(set.run().elements<int16_t>(), Int16s({8, 2, 3, 4, 9, 6}));
}

} // namespace
