//===- Preparation.h - How models are prepared ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_EXECUTION_PREPARATION_H
#define NNHAL_LIB_TOOLS_EXECUTION_PREPARATION_H

#include "nnhal/Runtime/Device.h"

#include <optional>

namespace nnhal::tools {

/// The part that every preparation of a program has in common.
struct Preparation {
  rt::CompileOptions compile;
  rt::ExecutionPreference preference =
      rt::ExecutionPreference::fastSingleAnswer;
  rt::Priority priority = rt::Priority::medium;
  /// Nanoseconds in which a preparation has to end; no bound without it.
  std::optional<uint64_t> timeLimit;
};

/// The moment at which \p timeLimit, in nanoseconds, ends when it begins now.
inline rt::Deadline deadlineAfter(std::optional<uint64_t> timeLimit) {
  return timeLimit ? rt::steadyNow() + rt::Deadline(*timeLimit)
                   : rt::noDeadline;
}

/// The options of a preparation that begins now.
inline rt::PrepareOptions prepareOptions(const Preparation &preparation) {
  rt::PrepareOptions options;
  options.compile = preparation.compile;
  options.preference = preparation.preference;
  options.priority = preparation.priority;
  options.deadline = deadlineAfter(preparation.timeLimit);
  return options;
}

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_PREPARATION_H
