//===- StagedModel.h - Slow at once, fast later -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_STAGEDMODEL_H
#define NNHAL_LIB_RUNTIME_CORE_STAGEDMODEL_H

#include "BudgetedBuffer.h"

#include "nnhal/Runtime/Backend.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace nnhal::rt {

/// How a staged model comes to its code.
struct StagePlan {
  /// Executions before the compilation begins.
  uint64_t after = 0;
  /// Makes the model whose code takes over; called once, on a thread of
  /// services.preparations. May ask whether anybody still wants it.
  std::function<Result<std::unique_ptr<LoadedModel>>(
      const std::function<bool()> &isCancelled)>
      compile;
  /// PrepareOptions::compileEnded.
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
/// Threads: run() any. The destructor tells the compilation to stop and does
///          not wait for it (E-070).
class StagedModel final : public LoadedModel {
public:
  /// Begins the compilation when plan.after is 0. \p plan.services are
  /// complete.
  StagedModel(std::unique_ptr<LoadedModel> baseline, StagePlan plan);
  ~StagedModel() override;

  const Interface &interface() const override { return face; }
  uint64_t arenaSize() const override { return baselineArena; }
  MemoryUse memoryUse() const override;
  Status run(NNHalExecutionContext &context) const override;

private:
  class Stage;

  void begin() const;
  Status runCompiled(const LoadedModel &model,
                     NNHalExecutionContext &context) const;
  Result<BudgetedBuffer> takeArena(uint64_t size) const;
  void giveArena(BudgetedBuffer arena) const;

  const uint64_t after;
  const uint64_t client;
  const DeviceServices services;
  /// The baseline's, which may be gone.
  const Interface face;
  const uint64_t baselineArena;
  /// Shared with the compilation.
  const std::shared_ptr<Stage> stage;
  mutable std::atomic<uint64_t> runs = 0;
  mutable std::atomic<bool> hasBegun = false;
  mutable std::mutex mutex;
  /// Frames were made with the baseline's arenas; the code's are these.
  mutable std::vector<BudgetedBuffer> idleArenas;
};

/// Backend::load() and what goes with it.
using LoadModel = std::function<Result<std::unique_ptr<LoadedModel>>(
    const AnnotatedModel &model, const PrepareOptions &options)>;

/// \p model on the baseline of \p backend, until \p load has compiled it as
/// \p options say. Where there is no baseline it is compiled at once. \p load
/// owns what it uses, but no scheduler.
Result<std::unique_ptr<LoadedModel>> loadStaged(const Backend &backend,
                                                const DeviceServices &services,
                                                const AnnotatedModel &model,
                                                const PrepareOptions &options,
                                                LoadModel load);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_STAGEDMODEL_H
