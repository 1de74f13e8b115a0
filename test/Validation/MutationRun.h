//===- MutationRun.h - Programs that mutate many cases ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_VALIDATION_MUTATIONRUN_H
#define NNHAL_TEST_VALIDATION_MUTATIONRUN_H

#include "Judge.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::mutations {

/// The cases to mutate, and how many at a time.
struct MutationRequest {
  std::vector<std::string> paths;
  std::string device = "nnhal-reference";
  std::string filter;
  std::optional<uint64_t> sample;
  uint64_t jobs = 1;
  uint64_t timeout = 600;
  bool help = false;
};

/// Reads a command line. Fails with invalidArgument for one that is wrong.
rt::Result<MutationRequest>
readMutationRequest(std::span<const std::string_view> arguments);

/// Returns the help text of \p program, which reads such a command line.
std::string mutationHelp(std::string_view program);

using JudgeCase =
    std::function<void(const rt::TestCase &, Tally &, const Progress &)>;
/// Makes what judges cases, in the process that does so.
using MakeJudge =
    std::function<rt::Result<JudgeCase>(const MutationRequest &request)>;

/// Judges the cases of \p request and prints violations and the summary. Fails
/// when there is a violation, or no mutation at all.
rt::Status runMutations(const MutationRequest &request, const MakeJudge &make);

} // namespace nnhal::mutations

#endif // NNHAL_TEST_VALIDATION_MUTATIONRUN_H
