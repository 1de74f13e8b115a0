//===- FailureReasons.cpp - Why generated code stops ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FailureReasons.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;

StatusCode nnhal::rt::statusCodeOf(FailureReason reason) {
  switch (reason) {
  case FailureReason::none:
    return StatusCode::none;
#define NNHAL_FAILURE_REASON(NUMBER, NAME, STATUS, TEXT)                       \
  case FailureReason::NAME:                                                    \
    return StatusCode::STATUS;
#include "FailureReasons.def"
  }
  return StatusCode::generalFailure;
}

Status nnhal::rt::toStatus(FailureReason reason, int64_t found, int64_t bound) {
  switch (reason) {
  case FailureReason::none:
    return Status::ok();
#define NNHAL_FAILURE_REASON(NUMBER, NAME, STATUS, TEXT)                       \
  case FailureReason::NAME:                                                    \
    return formatFailure(StatusCode::STATUS, TEXT,                             \
                         fmt::make_format_args(found, bound));
#include "FailureReasons.def"
  }
  return failure("generated code stopped for reason {}, which this version "
                 "does not know",
                 uint32_t(reason));
}
