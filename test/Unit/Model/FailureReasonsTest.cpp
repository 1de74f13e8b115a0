//===- FailureReasonsTest.cpp - What generated code reports ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Artifact/FailureReasons.h"

#include <gtest/gtest.h>

#include <set>

using namespace nnhal::rt;

namespace {
struct Row {
  /// Part of artifacts: never changes.
  uint32_t number;
  FailureReason reason;
  StatusCode code;
  const char *message;
};
} // namespace

using enum FailureReason;
using StatusCode::generalFailure;
using StatusCode::missedDeadlineTransient;
using StatusCode::resourceExhaustedPersistent;
using StatusCode::resourceExhaustedTransient;

/// For found value 7 and bound 3.
static constexpr Row rows[] = {
    {1, extentsDiffer, generalFailure, "an extent is 7, expected 3"},
    {2, statedExtentDiffers, generalFailure,
     "an extent of the result is 7, the model states 3"},
    {3, extentsDoNotBroadcast, generalFailure,
     "extents 7 and 3 do not broadcast"},
    {4, indexOutOfRange, generalFailure,
     "index 7 is outside a dimension of extent 3"},
    {5, axisOutOfRange, generalFailure, "axis 7 is outside a tensor of rank 3"},
    {6, elementCountDiffers, generalFailure,
     "7 elements do not fill a shape of 3"},
    {7, negativeExtent, generalFailure, "an extent is 7, below 3"},
    {8, valueTooSmall, generalFailure, "a parameter is 7, below 3"},
    {9, valueTooLarge, generalFailure, "a parameter is 7, above 3"},
    {10, notDivisible, generalFailure, "extent 7 is not a multiple of 3"},
    {11, notAPermutation, generalFailure,
     "dimension 7 of 3 is named twice by the permutation"},
    {12, zeroStride, generalFailure, "stride 7 of dimension 3 is zero"},
    {13, conditionNotSingle, generalFailure,
     "the condition has 7 elements, expected 3"},
    {14, loopTimeout, missedDeadlineTransient,
     "the loop ran for 7 ns, its time-out is 3 ns"},
    {15, cancelled, missedDeadlineTransient,
     "the deadline passed while the model was executed"},
    {16, outOfMemory, resourceExhaustedTransient,
     "7 bytes of memory are not available"},
    {17, inputOmitted, generalFailure,
     "input 7 of the operation is omitted by the request"},
    {18, windowTooLarge, generalFailure,
     "a window of 7 does not fit an input of 3"},
    {19, tensorTooLarge, resourceExhaustedPersistent,
     "a tensor of 7 bytes exceeds 3"},
    {20, inputsNotTogether, generalFailure,
     "one of the inputs 7 and 3 of the operation is given, the other is "
     "omitted"},
    {21, inputNeedsAnother, generalFailure,
     "input 7 of the operation is given, but not input 3, which it goes with"},
    {22, inputNotExpected, generalFailure,
     "input 7 of the operation is given, but its stated rank is not 3"},
    {23, rankDiffers, generalFailure,
     "the result has rank 7, the model states 3"},
    {24, severalWildcards, generalFailure,
     "7 elements of the shape are -1, expected at most 3"},
    {25, cornersDisordered, generalFailure,
     "box 7 of 3 has its first corner beyond the second"},
    {26, regionOutside, generalFailure,
     "region 7 of 3 exceeds the feature map"},
};

TEST(FailureReasonsTest, EveryReasonHasANumberAStatusAndAMessage) {
  for (const Row &row : rows) {
    EXPECT_EQ(uint32_t(row.reason), row.number);
    EXPECT_EQ(statusCodeOf(row.reason), row.code) << row.number;
    Status status = toStatus(row.reason, 7, 3);
    EXPECT_EQ(status.code(), row.code) << row.number;
    EXPECT_EQ(status.message(), row.message);
  }
}

TEST(FailureReasonsTest, EveryReasonIsTested) {
  std::set<uint32_t> tested;
  for (const Row &row : rows)
    tested.insert(row.number);
#define NNHAL_FAILURE_REASON(NUMBER, NAME, STATUS, TEXT)                       \
  EXPECT_EQ(tested.count(NUMBER), 1u) << #NAME;
#include "Runtime/Artifact/FailureReasons.def"
}

TEST(FailureReasonsTest, NoneIsSuccess) {
  EXPECT_EQ(statusCodeOf(FailureReason::none), StatusCode::none);
  EXPECT_TRUE(toStatus(FailureReason::none, 7, 3).isOk());
}

TEST(FailureReasonsTest, ReasonOfALaterVersionIsAFailure) {
  Status status = toStatus(FailureReason(4000), 7, 3);
  EXPECT_EQ(status.code(), generalFailure);
  EXPECT_EQ(status.message(), "generated code stopped for reason 4000, which "
                              "this version does not know");
  EXPECT_EQ(statusCodeOf(FailureReason(4000)), generalFailure);
}
