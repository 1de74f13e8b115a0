//===- Judge.h - Whether a device answers mutations as it must --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_VALIDATION_JUDGE_H
#define NNHAL_TEST_VALIDATION_JUDGE_H

#include "RequestMutation.h"

#include "nnhal/Runtime/Device.h"

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nnhal::mutations {

/// How often each kind of mutation was answered in which way, and what was
/// answered wrongly.
struct Tally {
  std::map<std::pair<Kind, rt::StatusCode>, uint64_t> counts;
  /// Each names the case, the mutation and the answer.
  std::vector<std::string> violations;
  uint64_t cases = 0;
  /// Cases whose requests were mutated, too.
  uint64_t prepared = 0;

  void add(const Tally &other);
  uint64_t total() const;
  /// A line per kind and status, and the totals.
  std::string summary() const;
};

/// A judgement calls this with the name of the case and the mutation that is
/// next, so that a crash can be told from others.
using Progress = std::function<void(const std::string &what)>;

/// How long a judgement waits for a callback or a fence. Loops end after two
/// seconds; the rest is for machines with much else to do.
inline constexpr std::chrono::milliseconds defaultPatience =
    std::chrono::minutes(5);

/// Gives every mutation of \p test to \p device, and counts in \p tally. A
/// call whose callback does not come within \p patience is a violation and not
/// made again for this case.
void judgeCase(const rt::TestCase &test, const rt::Device &device, Tally &tally,
               const Progress &progress = {},
               std::chrono::milliseconds patience = defaultPatience);

} // namespace nnhal::mutations

#endif // NNHAL_TEST_VALIDATION_JUDGE_H
