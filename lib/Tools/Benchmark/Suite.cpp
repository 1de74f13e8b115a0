//===- Suite.cpp - All runs of a description ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"

#include "Isolation.h"
#include "ResultJson.h"

#include "Tools/Check/TemporaryFolder.h"
#include "Tools/Roofs/Roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

using namespace nnhal;
using namespace nnhal::tools;

/// The data sets of \p model.
static std::vector<DataEntry> dataOf(const Description &description,
                                     const ModelEntry &model) {
  std::vector<DataEntry> entries;
  for (const DataEntry &entry : description.data)
    if (model.data.empty() ||
        std::ranges::find(model.data, entry.name) != model.data.end())
      entries.push_back(entry);
  DataEntry fallback;
  fallback.kind = model.testCase ? DataKind::examples : DataKind::random;
  fallback.name = model.testCase ? "examples" : "random";
  if (model.data.empty() && (model.testCase || entries.empty()))
    return {fallback};
  return entries;
}

std::vector<RunPlan> tools::planRuns(const Description &description) {
  std::vector<RunPlan> plans;
  for (const ModelEntry &model : description.models)
    for (const DataEntry &data : dataOf(description, model))
      for (const std::string &device : description.devices)
        for (const BenchmarkWay &way : description.ways)
          for (uint64_t threads : description.threads)
            plans.push_back(
                {{model.name, data.name, device, way.name(), threads},
                 model,
                 data,
                 way,
                 description.effort,
                 description.plugins,
                 {}});
  return plans;
}

static rt::Result<std::string> measureAsText(const RunPlan &plan) {
  NNHAL_ASSIGN_OR_RETURN(RunResult run, measureRun(plan));
  return jsonOf(run);
}

static rt::Result<std::string> measureWarmAsText(const RunPlan &plan) {
  NNHAL_ASSIGN_OR_RETURN(std::optional<StartTimes> times,
                         measureWarmStart(plan));
  RunResult run;
  run.latencies = {0.0};
  run.warm = times;
  return jsonOf(run);
}

static rt::Result<RunResult> perform(const RunPlan &plan,
                                     const std::function<void()> &waiting) {
  NNHAL_ASSIGN_OR_RETURN(std::string text,
                         runIsolated([&] { return measureAsText(plan); },
                                     plan.effort.timeLimitSeconds, waiting));
  NNHAL_ASSIGN_OR_RETURN(RunResult run, readRun(text));
  // What a cache gives is extra: a start that fails is one that is not known.
  auto warm = runIsolated([&] { return measureWarmAsText(plan); },
                          plan.effort.timeLimitSeconds, waiting);
  if (warm.isOk()) {
    NNHAL_ASSIGN_OR_RETURN(RunResult started, readRun(*warm));
    run.warm = started.warm;
  }
  return run;
}

static Roofs measureRoofsApart() {
  auto text = runIsolated(
      []() -> rt::Result<std::string> {
        constexpr double seconds = 0.2;
        return fmt::format(
            "{} {} {}",
            std::max(measureFmaPeak(seconds), measureWideFmaPeak(seconds)),
            std::max(measurePairPeak(seconds), measureQuadPeak(seconds)),
            measureReadBandwidth(memoryLevels().dram, seconds));
      },
      60.0);
  Roofs roofs;
  if (!text.isOk())
    return roofs;
  const char *at = text->data(), *end = at + text->size();
  for (double *value : {&roofs.floats, &roofs.integers, &roofs.bandwidth}) {
    at = std::from_chars(at, end, *value).ptr;
    at += at != end ? 1 : 0;
  }
  return roofs;
}

rt::Result<Report> tools::runSuite(std::span<const RunPlan> plans,
                                   bool withRoofs,
                                   const SuiteObserver &observer) {
  Report report;
  if (withRoofs)
    report.roofs = measureRoofsApart();
  for (size_t i = 0; i < plans.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(TemporaryFolder folder, TemporaryFolder::create());
    RunPlan plan = plans[i];
    plan.folder = folder.path();
    auto run = perform(plan, [&] {
      if (observer.waiting)
        observer.waiting(i, plans.size(), plan.name);
    });
    if (run.isOk()) {
      report.runs.push_back(*std::move(run));
    } else {
      RunResult &failed = report.runs.emplace_back();
      failed.name = plan.name;
      failed.benchmarkError = run.status().message();
    }
    if (observer.ended)
      observer.ended(report.runs.back());
  }
  return report;
}
