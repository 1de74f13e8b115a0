//===- LoopTime.h - How long a loop may run ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_LOOPTIME_H
#define NNHAL_LIB_RUNTIME_SUPPORT_LOOPTIME_H

#include "Errors.h"

#include <cstdint>

namespace nnhal::rt {

/// Fails with missedDeadlineTransient where a loop that has run for \p elapsed
/// nanoseconds may not begin another round. Interpreters of WHILE ask between
/// the condition and the body, so that a loop which has ended has not failed
/// (D-085, I-060).
inline Status checkLoopTime(int64_t elapsed, uint64_t timeout) {
  if (uint64_t(elapsed) < timeout)
    return Status::ok();
  return Status(StatusCode::missedDeadlineTransient,
                fmt::format("the loop ran for longer than {} ns", timeout));
}

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_LOOPTIME_H
