//===- Status.cpp - Outcome of a fallible operation -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Status.h"

namespace nnhal::rt {

std::string_view toString(StatusCode code) {
  switch (code) {
  case StatusCode::none:
    return "NONE";
  case StatusCode::deviceUnavailable:
    return "DEVICE_UNAVAILABLE";
  case StatusCode::generalFailure:
    return "GENERAL_FAILURE";
  case StatusCode::outputInsufficientSize:
    return "OUTPUT_INSUFFICIENT_SIZE";
  case StatusCode::invalidArgument:
    return "INVALID_ARGUMENT";
  case StatusCode::missedDeadlineTransient:
    return "MISSED_DEADLINE_TRANSIENT";
  case StatusCode::missedDeadlinePersistent:
    return "MISSED_DEADLINE_PERSISTENT";
  case StatusCode::resourceExhaustedTransient:
    return "RESOURCE_EXHAUSTED_TRANSIENT";
  case StatusCode::resourceExhaustedPersistent:
    return "RESOURCE_EXHAUSTED_PERSISTENT";
  case StatusCode::deadObject:
    return "DEAD_OBJECT";
  }
  // Codes also arrive as plain integers, through C tables.
  return "unknown status";
}

} // namespace nnhal::rt
