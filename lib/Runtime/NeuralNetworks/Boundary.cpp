//===- Boundary.cpp - Where C++ ends and C begins -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"

using namespace nnhal;
using rt::StatusCode;

int ndk::resultCodeOf(const rt::Status &status) {
  switch (status.code()) {
  case StatusCode::none:
    return ANEURALNETWORKS_NO_ERROR;
  case StatusCode::deviceUnavailable:
    return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
  case StatusCode::generalFailure:
    return ANEURALNETWORKS_OP_FAILED;
  case StatusCode::outputInsufficientSize:
    return ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
  case StatusCode::invalidArgument:
    return ANEURALNETWORKS_BAD_DATA;
  case StatusCode::missedDeadlineTransient:
    return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
  case StatusCode::missedDeadlinePersistent:
    return ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT;
  case StatusCode::resourceExhaustedTransient:
    return ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT;
  case StatusCode::resourceExhaustedPersistent:
    return ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT;
  case StatusCode::deadObject:
    return ANEURALNETWORKS_DEAD_OBJECT;
  }
  // Other values are those of no version (C-100).
  return ANEURALNETWORKS_OP_FAILED;
}
