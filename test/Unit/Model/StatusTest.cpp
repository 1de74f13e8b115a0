//===- StatusTest.cpp - Outcomes of fallible operations -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Status.h"
#include "Runtime/Support/Errors.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;

namespace {

TEST(StatusTest, namesAreTheHals) {
  const char *names[] = {"NONE",
                         "DEVICE_UNAVAILABLE",
                         "GENERAL_FAILURE",
                         "OUTPUT_INSUFFICIENT_SIZE",
                         "INVALID_ARGUMENT",
                         "MISSED_DEADLINE_TRANSIENT",
                         "MISSED_DEADLINE_PERSISTENT",
                         "RESOURCE_EXHAUSTED_TRANSIENT",
                         "RESOURCE_EXHAUSTED_PERSISTENT"};
  for (uint32_t code = 0; code < std::size(names); ++code)
    EXPECT_EQ(toString(StatusCode(code)), names[code]);
  EXPECT_EQ(toString(StatusCode(99)), "unknown status");
}

TEST(StatusTest, contextComesFirst) {
  Status status =
      badData("found {}, at most {}", 3, 2).withContext("operand 7");
  EXPECT_EQ(status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(status.message(), "operand 7: found 3, at most 2");
  EXPECT_TRUE(Status().withContext("operand 7").isOk());
  EXPECT_EQ(failure("x").code(), StatusCode::generalFailure);
  EXPECT_EQ(outOfResources("x").code(), StatusCode::resourceExhaustedTransient);
}

TEST(StatusTest, copiesAreIndependent) {
  const Status status = badData("found {}", 3);
  Status copy = status;
  copy = std::move(copy).withContext("operand 7");
  EXPECT_EQ(copy.message(), "operand 7: found 3");
  EXPECT_EQ(status.message(), "found 3");
  copy = status;
  EXPECT_EQ(copy.message(), "found 3");
  EXPECT_EQ(copy.code(), StatusCode::invalidArgument);
  copy = Status::ok();
  EXPECT_TRUE(copy.isOk());
  EXPECT_EQ(copy.message(), "");
}

// Executions return dozens of them.
static_assert(sizeof(Status) == sizeof(void *));

Result<int> half(int number) {
  if (number % 2)
    return badData("{} is odd", number);
  return number / 2;
}

Result<int> quarter(int number) {
  NNHAL_ASSIGN_OR_RETURN(int once, half(number));
  NNHAL_ASSIGN_OR_RETURN(int twice, half(once));
  return twice;
}

Status check(int number) {
  NNHAL_RETURN_IF_ERROR(quarter(number).status());
  return Status::ok();
}

TEST(StatusTest, resultsPropagate) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).status().message(), "3 is odd");
  EXPECT_EQ(quarter(7).takeStatus().message(), "7 is odd");
  EXPECT_TRUE(check(8).isOk());
  EXPECT_EQ(check(2).message(), "1 is odd");
}

} // namespace
