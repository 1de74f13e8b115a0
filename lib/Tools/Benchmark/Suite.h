//===- Suite.h - All runs of a description ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_SUITE_H
#define NNHAL_LIB_TOOLS_BENCHMARK_SUITE_H

#include "ModelRun.h"

#include <functional>
#include <span>

namespace nnhal::tools {

/// The runs of \p description: its models times data times devices times ways
/// times threads. The folders of the plans are empty.
std::vector<RunPlan> planRuns(const Description &description);

/// What is told of a suite while it runs.
struct SuiteObserver {
  /// Called a few times a second: \p done of \p total runs have ended.
  std::function<void(size_t done, size_t total, const RunName &current)>
      waiting;
  /// Called when a run has ended.
  std::function<void(const RunResult &run)> ended;
};

/// Performs \p plans, each in a process of its own, and the measurement of the
/// roofs where \p withRoofs. What keeps a run from its end is in its result and
/// fails nothing (L-092). Fails with generalFailure when there is no folder for
/// temporary files.
rt::Result<Report> runSuite(std::span<const RunPlan> plans, bool withRoofs,
                            const SuiteObserver &observer);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_SUITE_H
