//===- NdkObjects.cpp - Owners of objects of the NDK API ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NdkObjects.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal;
using rt::StatusCode;

StatusCode test::statusCodeOf(int code) {
  switch (code) {
  case ANEURALNETWORKS_NO_ERROR:
    return StatusCode::none;
  case ANEURALNETWORKS_OUT_OF_MEMORY:
  case ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT:
    return StatusCode::resourceExhaustedTransient;
  case ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT:
    return StatusCode::resourceExhaustedPersistent;
  case ANEURALNETWORKS_UNEXPECTED_NULL:
  case ANEURALNETWORKS_BAD_DATA:
    return StatusCode::invalidArgument;
  case ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE:
    return StatusCode::outputInsufficientSize;
  case ANEURALNETWORKS_UNAVAILABLE_DEVICE:
    return StatusCode::deviceUnavailable;
  case ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT:
    return StatusCode::missedDeadlineTransient;
  case ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT:
    return StatusCode::missedDeadlinePersistent;
  case ANEURALNETWORKS_DEAD_OBJECT:
    return StatusCode::deadObject;
  default:
    return StatusCode::generalFailure;
  }
}

rt::Status test::statusOf(int code, const char *call) {
  if (code == ANEURALNETWORKS_NO_ERROR)
    return rt::Status::ok();
  return rt::Status(statusCodeOf(code),
                    fmt::format("{} returns {}", call, code));
}
