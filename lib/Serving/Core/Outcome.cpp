//===- Outcome.cpp - What became of a request -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outcome.h"

using namespace nnhal;
using namespace nnhal::serving;

std::string_view serving::nameOf(OutcomeCode code) {
  switch (code) {
  case OutcomeCode::ok:
    return "ok";
  case OutcomeCode::invalidArgument:
    return "invalid_argument";
  case OutcomeCode::notFound:
    return "not_found";
  case OutcomeCode::overloaded:
    return "overloaded";
  case OutcomeCode::unavailable:
    return "unavailable";
  case OutcomeCode::deadlineExceeded:
    return "deadline_exceeded";
  case OutcomeCode::cancelled:
    return "cancelled";
  case OutcomeCode::failed:
    break;
  }
  return "failed";
}

static OutcomeCode codeOf(rt::StatusCode code) {
  using enum rt::StatusCode;
  switch (code) {
  case none:
    return OutcomeCode::ok;
  case invalidArgument:
    return OutcomeCode::invalidArgument;
  case missedDeadlineTransient:
  case missedDeadlinePersistent:
    return OutcomeCode::deadlineExceeded;
  case resourceExhaustedTransient:
    return OutcomeCode::overloaded;
  case deviceUnavailable:
  case deadObject:
    return OutcomeCode::unavailable;
  case generalFailure:
  case outputInsufficientSize:
  case resourceExhaustedPersistent:
    break;
  }
  return OutcomeCode::failed;
}

Outcome::Outcome(const rt::Status &status)
    : codeValue(codeOf(status.code())),
      isOfDead(status.code() == rt::StatusCode::deadObject),
      text(status.message()) {}
