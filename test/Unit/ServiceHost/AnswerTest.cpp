//===- AnswerTest.cpp - What becomes of exceptions and silence ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Service/Host/Asking.h"

#include <gtest/gtest.h>

using namespace nnhal;
using namespace nnhal::service;
using rt::Status;
using rt::StatusCode;
using namespace std::chrono_literals;

namespace {

TEST(AnswerTest, ExceptionsBecomeStatuses) {
  struct Case {
    kj::Exception::Type type;
    StatusCode code;
    std::string message;
  };
  const Case cases[] = {
      {kj::Exception::Type::FAILED, StatusCode::invalidArgument,
       "a message cannot be read: why"},
      {kj::Exception::Type::UNIMPLEMENTED, StatusCode::invalidArgument,
       "a message cannot be read: why"},
      {kj::Exception::Type::OVERLOADED, StatusCode::resourceExhaustedTransient,
       "why"},
      {kj::Exception::Type::DISCONNECTED, StatusCode::deadObject, "why"}};
  for (const Case &one : cases) {
    Status status = callGuarded([&]() -> Status {
      kj::throwFatalException(
          kj::Exception(one.type, "file", 1, kj::heapString("why")));
    });
    EXPECT_EQ(status.code(), one.code);
    EXPECT_EQ(status.message(), one.message);
  }
}

TEST(AnswerTest, NoMemory) {
  Status status = callGuarded([]() -> Status { throw std::bad_alloc(); });
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "no memory for the call");
}

TEST(QuestionTest, OnlyTheFirstAnswerCounts) {
  Question<Status> question;
  EXPECT_FALSE(question.isAnswered());
  question.answer(Status(StatusCode::generalFailure, "first"));
  question.answer(Status(StatusCode::generalFailure, "second"));
  EXPECT_TRUE(question.isAnswered());
  EXPECT_EQ(question.wait(0ms).message(), "first");
}

TEST(QuestionTest, WaitsNoLongerThanItsPatience) {
  Question<Status> question;
  Status status = question.wait(5ms);
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(), "the client did not answer within 5 ms");
  EXPECT_FALSE(question.isAnswered());
}

} // namespace
