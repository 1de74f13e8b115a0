//===- TFLiteSelectionTest.cpp - Tests of choices and blocks --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that choose the best elements, and those that move blocks of space.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

TEST(TFLiteSelection, TopKTakesTheFirstOfEqualElements) {
  Operator use(48);
  use.int64({2, 4}, {3, 7, 7, 1, -2, -2, -5, -2})
      .int32({1}, {3})
      .result(tensorInt64, {2, 3})
      .result(tensorInt32, {2, 3});
  EXPECT_EQ(use.run().elements<int64_t>(0), Int64s({7, 7, 3, -2, -2, -2}));
  EXPECT_EQ(use.elements<int32_t>(1), Int32s({1, 2, 0, 0, 1, 3}));
}

TEST(TFLiteSelection, TopKPutsWhatIsNotANumberLast) {
  Operator use(48);
  use.float32({4}, {NAN, 1.0f, NAN, INFINITY})
      .int32({1}, {4})
      .result(tensorFloat32, {4})
      .result(tensorInt32, {4});
  EXPECT_EQ(use.run().elements<int32_t>(1), Int32s({3, 1, 0, 2}));
}

TEST(TFLiteSelection, TopKRefusesMoreThanThereAre) {
  for (int32_t count : {-1, 4}) {
    Operator use(48);
    use.float32({3}, {1, 2, 3})
        .int32({1}, {count})
        .result(tensorFloat32, {-1})
        .result(tensorInt32, {-1});
    EXPECT_EQ(use.refusal(), "TOPK_V2: the number of chosen elements is " +
                                 std::to_string(count) +
                                 ", but must be 0 to 3");
  }
}

/// Three boxes of which the first two share a half, and one far away.
Operator boxes(uint16_t number) {
  Operator use(number);
  use.float32({3, 4}, {0, 0, 1, 1, 1, 1, 0, 0.5f, 5, 5, 6, 6})
      .float32({3}, {0.9f, 0.8f, 0.7f});
  return use;
}

TEST(TFLiteSelection, OverlappingBoxesAreSuppressed) {
  Operator use = boxes(120);
  use.int32({1}, {3})
      .float32({1}, {0.4f})
      .float32({1}, {0.1f})
      .result(tensorInt32, {3})
      .result(tensorInt32, {1});
  EXPECT_EQ(use.run().elements<int32_t>(0), Int32s({0, 2, 0}));
  EXPECT_EQ(use.elements<int32_t>(1), Int32s({2}));
  Operator tolerant = boxes(120);
  tolerant.int32({1}, {2})
      .float32({1}, {0.6f})
      .float32({1}, {0.1f})
      .result(tensorInt32, {2})
      .result(tensorInt32, {1});
  EXPECT_EQ(tolerant.run().elements<int32_t>(0), Int32s({0, 1}));
}

TEST(TFLiteSelection, SoftSuppressionLowersScores) {
  Operator use = boxes(121);
  use.int32({1}, {4})
      .float32({1}, {1.0f})
      .float32({1}, {0.1f})
      .float32({1}, {0.5f})
      .result(tensorInt32, {4})
      .result(tensorFloat32, {4})
      .result(tensorInt32, {1});
  // The overlap of 1/2 makes 0.8 to 0.8 exp(-1/4).
  EXPECT_EQ(use.run().elements<int32_t>(0), Int32s({0, 2, 1, 0}));
  Floats scores = use.elements<float>(1);
  EXPECT_EQ(scores[1], 0.7f);
  EXPECT_NEAR(scores[2], 0.8 * std::exp(-0.25), 1e-6);
  EXPECT_EQ(scores[3], 0.0f);
  EXPECT_EQ(use.elements<int32_t>(2), Int32s({3}));
}

TEST(TFLiteSelection, SuppressionRefusesNegativeNumbers) {
  Operator number = boxes(120);
  number.int32({1}, {-1})
      .float32({1}, {0.5f})
      .float32({1}, {0.1f})
      .result(tensorInt32, {-1})
      .result(tensorInt32, {1});
  EXPECT_EQ(number.refusal(), "NON_MAX_SUPPRESSION_V4: the number of boxes -1 "
                              "must not be negative");
  Operator sigma = boxes(121);
  sigma.int32({1}, {1})
      .float32({1}, {0.5f})
      .float32({1}, {0.1f})
      .float32({1}, {-1.0f})
      .result(tensorInt32, {1})
      .result(tensorFloat32, {1})
      .result(tensorInt32, {1});
  EXPECT_EQ(sigma.failure(), "NON_MAX_SUPPRESSION_V5: input 5 (sigma) is -1, "
                             "but must be at least 0");
}

TEST(TFLiteBlocks, SpaceToBatchPadsWithWhatStandsFor0) {
  // The padded row is 9 1 2 3 9 9.
  Operator use(38);
  use.tensor<int8_t>(tensorInt8, {1, 3, 1}, {1, 2, 3}, 1.0f, 9)
      .int32({1}, {2})
      .int32({1, 2}, {1, 2})
      .result(tensorInt8, {2, 3, 1}, 1.0f, 9);
  EXPECT_EQ(use.run().elements<int8_t>(), Int8s({9, 2, 9, 1, 3, 9}));
}

TEST(TFLiteBlocks, BlocksOfImages) {
  Int32s pixels = {1, 2, 3, 4, 5, 6, 7, 8};
  Operator split(38);
  split.int32({1, 2, 4, 1}, pixels)
      .int32({2}, {2, 2})
      .int32({2, 2}, {0, 0, 0, 0})
      .result(tensorInt32, {4, 1, 2, 1});
  Int32s batches = {1, 3, 2, 4, 5, 7, 6, 8};
  EXPECT_EQ(split.run().elements<int32_t>(), batches);
  Operator join(37);
  join.int32({4, 1, 2, 1}, batches)
      .int32({2}, {2, 2})
      .int32({2, 2}, {0, 0, 0, 0})
      .result(tensorInt32, {1, 2, 4, 1});
  EXPECT_EQ(join.run().elements<int32_t>(), pixels);
  Operator crop(37);
  crop.int32({4, 1, 2, 1}, batches)
      .int32({2}, {2, 2})
      .int32({2, 2}, {1, 0, 1, 2})
      .result(tensorInt32, {1, 1, 1, 1});
  EXPECT_EQ(crop.run().elements<int32_t>(), Int32s({6}));
}

std::string blocksRefusal(uint16_t number, Shape input, int32_t block,
                          Int32s margins) {
  Operator use(number);
  use.open(tensorInt32, std::move(input))
      .int32({1}, {block})
      .int32({1, 2}, std::move(margins))
      .result(tensorInt32, {-1, -1, -1});
  return use.refusal();
}

TEST(TFLiteBlocks, Refusals) {
  EXPECT_EQ(blocksRefusal(38, {1, 3, 1}, 0, {0, 0}),
            "SPACE_TO_BATCH_ND: block size 0 must be 1 to 32768");
  EXPECT_EQ(blocksRefusal(38, {1, 3, 1}, 2, {-1, 0}),
            "SPACE_TO_BATCH_ND: margin -1 of a block must be 0 to 2147483647");
  EXPECT_EQ(blocksRefusal(38, {1, 3, 1}, 2, {0, 2}),
            "SPACE_TO_BATCH_ND: padded extent 5 of dimension 1 must be a "
            "multiple of the block size 2");
  EXPECT_EQ(blocksRefusal(37, {3, 3, 1}, 2, {0, 0}),
            "BATCH_TO_SPACE_ND: batch 3 must be a multiple of the block size "
            "2");
  EXPECT_EQ(blocksRefusal(37, {2, 3, 1}, 2, {4, 3}),
            "BATCH_TO_SPACE_ND: crops of 7 elements exceed the extent 6 of "
            "dimension 1");
  EXPECT_EQ(blocksRefusal(37, {2, 3}, 2, {0, 0}),
            "BATCH_TO_SPACE_ND: input 0 (input) has rank 2, but must have 3 "
            "to 4");
}

} // namespace
