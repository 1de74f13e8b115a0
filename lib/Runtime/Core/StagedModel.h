//===- StagedModel.h - Slow at once, fast later -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_STAGEDMODEL_H
#define NNHAL_LIB_RUNTIME_CORE_STAGEDMODEL_H

#include "nnhal/Backend/Backend.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace nnhal::rt {

/// The plan by which a staged model gets its code.
struct StagePlan {
  /// Executions before the compilation begins.
  uint64_t after = 0;
  /// Makes the model whose code takes over; called once, on a thread of
  /// services.preparations. May ask whether anybody still wants it.
  std::function<Result<std::unique_ptr<LoadedModel>>(
      const std::function<bool()> &isCancelled)>
      compile;
  /// PrepareObserver::compileEnded.
  std::function<void(const Status &)> ended;
  std::string device;
  uint64_t client = 0;
  DeviceServices services;
};

/// A model that a baseline executes until compiled code takes its place
/// (E-066). Executions never wait for that: each uses what there is when it
/// begins. The baseline goes with the last execution that uses it; a
/// compilation that fails leaves it in place for good.
///
/// Baseline and code may execute in different ways and on different devices.
///
/// Threads: submit() any. The destructor tells the compilation to stop and does
///          not wait for it (E-070).
class StagedModel final : public LoadedModel {
public:
  /// Begins the compilation when plan.after is 0. \p plan.services are
  /// complete.
  StagedModel(std::unique_ptr<LoadedModel> baseline, StagePlan plan);
  ~StagedModel() override;

  const Interface &interface() const override { return face; }
  MemoryUse memoryUse() const override;
  Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &budget) const override;
  /// Nobody knows whether the code will be asynchronous.
  bool isAsynchronous() const override { return true; }
  bool usesFences() const override;
  Status submit(Invocation &invocation, Completion &completion) const override;

private:
  class Stage;

  class StagedWorkspace;

  void begin() const;
  void countRun() const;

  const uint64_t after;
  const uint64_t client;
  const DeviceServices services;
  /// The baseline's, which may be gone.
  const Interface face;
  const MemoryUse baselineUse;
  /// Shared with the compilation.
  const std::shared_ptr<Stage> stage;
  mutable std::atomic<uint64_t> runs = 0;
  mutable std::atomic<bool> hasBegun = false;
};

/// Backend::load() and what goes with it.
using LoadModel = std::function<Result<std::unique_ptr<LoadedModel>>(
    const AnnotatedModel &model, const PrepareOptions &options,
    const CompileObserver &observer)>;

/// Makes a model that runs on the baseline of \p backend until \p load has
/// compiled it as \p options say. Where there is no baseline it is compiled at
/// once. \p load owns everything that it uses, but no scheduler.
Result<std::unique_ptr<LoadedModel>>
loadStaged(const Backend &backend, const DeviceServices &services,
           const AnnotatedModel &model, const PrepareOptions &options,
           const PrepareObserver &observer, LoadModel load);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_STAGEDMODEL_H
