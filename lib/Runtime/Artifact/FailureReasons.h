//===- FailureReasons.h - Why generated code stops --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_ARTIFACT_FAILUREREASONS_H
#define NNHAL_LIB_RUNTIME_ARTIFACT_FAILUREREASONS_H

#include "nnhal/Runtime/Status.h"

#include <cstdint>

namespace nnhal::rt {

/// See FailureReasons.def.
enum class FailureReason : uint32_t {
  none = 0,
#define NNHAL_FAILURE_REASON(NUMBER, NAME, STATUS, TEXT) NAME = NUMBER,
#include "FailureReasons.def"
};

/// Returns the status that an execution ends with for \p reason; generalFailure
/// for a number that this version does not know.
StatusCode statusCodeOf(FailureReason reason);

/// The status for \p reason with \p found and \p bound in its message.
Status toStatus(FailureReason reason, int64_t found, int64_t bound);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_ARTIFACT_FAILUREREASONS_H
