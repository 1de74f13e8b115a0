//===- UnknownRanksTest.cpp - Rules for inputs of unknown rank ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"

#include "nnhal/Backend/Rules.h"

#include <gtest/gtest.h>

#include <map>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

const TensorType unranked = unrankedTensor(OperandType::TENSOR_FLOAT32);

/// The element type of a result whose rank is not known; what is wrong
/// otherwise.
std::string outcomeOf(const Result<TensorType> &result) {
  if (!result.isOk())
    return result.status().message();
  return result->isRanked ? "ranked" : nameOf(result->type);
}

// A rank that is not known is one that any list may fit.
TEST(UnknownRanksTest, ResultsHaveUnknownRank) {
  const std::vector<int64_t> list = {1, 0, 2, 5, 3, 4, 1};
  const std::map<std::string, Result<TensorType>> results = {
      {"squeeze", squeeze(unranked, list)},
      {"expand_dims", expandDims(unranked, 7)},
      {"transpose", transpose(unranked, list)},
      {"split", split(unranked, 7, 2)},
      {"slice", slice(unranked, list, list)},
      {"strided_slice", stridedSlice(unranked, list, list, list, list)},
      {"pad", pad(unranked, list)},
      {"tile", tile(unranked, list)},
      {"gather", gather(unranked, int32Tensor({2}), 7)},
      {"channel_shuffle", channelShuffle(unranked, 2, 7)}};
  for (const auto &[name, result] : results)
    EXPECT_EQ(outcomeOf(result), "TENSOR_FLOAT32") << name;
  EXPECT_EQ(outcomeOf(gather(floatTensor({2}),
                             unrankedTensor(OperandType::TENSOR_INT32), 0)),
            "TENSOR_FLOAT32");
}

// Rules that do not depend on the rank hold where it is unknown, too.
TEST(UnknownRanksTest, TypesAndNumbersAreChecked) {
  const TensorType integers = unrankedTensor(OperandType::TENSOR_BOOL8);
  for (const Result<TensorType> &result :
       {squeeze(integers, {}), expandDims(integers, 0), transpose(integers, {}),
        split(integers, 0, 2), slice(integers, {}, {}), pad(integers, {}),
        tile(integers, {}), gather(integers, int32Tensor({2}), 0)})
    EXPECT_TRUE(
        outcomeOf(result).starts_with("input type TENSOR_BOOL8 is not among "))
        << outcomeOf(result);
  EXPECT_EQ(outcomeOf(split(unranked, 0, 0)), "0 results, expected at least 1");
  EXPECT_EQ(outcomeOf(channelShuffle(unranked, 0, 0)),
            "groups 0 must be positive");
  EXPECT_EQ(outcomeOf(depthToSpace(unranked, 0)),
            "block size 0 must be positive");
  EXPECT_EQ(outcomeOf(spaceToDepth(unranked, 0)),
            "block size 0 must be positive");
}

} // namespace
