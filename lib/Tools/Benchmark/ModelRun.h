//===- ModelRun.h - Measures one model in one way ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_MODELRUN_H
#define NNHAL_LIB_TOOLS_BENCHMARK_MODELRUN_H

#include "Description.h"
#include "Result.h"

namespace nnhal::tools {

/// One of the runs that a description amounts to.
struct RunPlan {
  RunName name;
  ModelEntry model;
  DataEntry data;
  BenchmarkWay way;
  Effort effort;
  std::vector<std::string> plugins;
  /// An existing folder of this user alone, for the caches of this run.
  std::string folder;
};

/// Loads the model of \p plan, executes it on its data and judges the outputs,
/// in this process, in which no device may have been made before. Fails with
/// what reading, preparation, execution or the data set report.
rt::Result<RunResult> measureRun(const RunPlan &plan);

/// Loads the model from the caches that measureRun() has left in the folder,
/// and executes it once. Nothing when there is no such cache.
rt::Result<std::optional<StartTimes>> measureWarmStart(const RunPlan &plan);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_MODELRUN_H
