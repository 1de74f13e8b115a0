//===- DividedModel.h - A prepared model over steps -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_DIVIDEDMODEL_H
#define NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_DIVIDEDMODEL_H

#include "Run.h"

#include "nnhal/Runtime/Reactor.h"
#include "nnhal/Runtime/Scheduler.h"

namespace nnhal::rt::partition {

/// Every way to execute a plan. What is not forwarded to one device is done on
/// threads of this object, by the synchronous execution.
class DividedModel : public PartitionedModel,
                     public std::enable_shared_from_this<DividedModel> {
public:
  DividedModel(Compound parts, std::vector<CacheReport> reports,
               std::shared_ptr<Fallback> fallback,
               const PartitionOptions &options);

  const PartitionPlan &plan() const override { return parts.plan; }
  FallbackReport fallbacks() const override { return fallback->report(); }
  std::vector<CacheReport> cacheReports() const override { return reports; }
  const Interface &interface() const override { return parts.interface; }
  MemoryUse memoryUse() const override;
  std::vector<Role> rolesOfInput(uint32_t index) const override;
  std::vector<Role> rolesOfOutput(uint32_t index) const override;

  Status execute(const Request &request,
                 ExecutionResult &result) const override;
  Status executeAsync(Request request,
                      ExecutionCallback callback) const override;
  Result<std::shared_ptr<FencedExecution>>
  executeFenced(Request request, std::vector<FenceRef> waitFor,
                std::optional<uint64_t> durationAfterFence) const override;
  Result<std::unique_ptr<Burst>>
  createBurst(const BurstOptions &options) const override;

  /// Executes once, steps by \p executor.
  virtual Status executeWith(StepExecutor &executor, const Request &request,
                             ExecutionResult &result) const = 0;
  const std::vector<PreparedStep> &steps() const { return parts.steps; }

protected:
  Tracer *tracer() const { return trace.get(); }
  /// The threads of executions, and the wait for fences; made when they are
  /// first needed.
  std::shared_ptr<Scheduler> scheduler() const;
  std::shared_ptr<Reactor> reactor() const;
  /// Checks that the arguments are as many as those of the model and have its
  /// shapes, that none is omitted that the model needs, and that no buffer is
  /// an output and something else (D-013).
  Status checkArguments(const Request &request) const;
  /// Executes the whole model on the fallback device, because of \p cause,
  /// which is returned when that is not possible.
  Status executeWhole(const Request &request, ExecutionResult &result,
                      Status cause) const;

  const Compound parts;
  const std::shared_ptr<Fallback> fallback;

private:
  class Fenced;

  void addRoles(Place::Kind kind, uint32_t index,
                std::vector<Role> &roles) const;

  const std::vector<CacheReport> reports;
  const std::shared_ptr<Tracer> trace;
  /// Empty for the system's clock.
  const std::function<int64_t()> givenClock;
  mutable std::mutex mutex;
  mutable std::shared_ptr<Scheduler> executions;
  mutable std::shared_ptr<Reactor> waiter;
};

/// The undivided model on one device (I-022, I-036). Its executions are those
/// of the device, and a test for whether they failed.
class SimpleModel final : public DividedModel {
public:
  using DividedModel::DividedModel;
  const Interface &interface() const override;
  Status execute(const Request &request,
                 ExecutionResult &result) const override;
  Status executeAsync(Request request,
                      ExecutionCallback callback) const override;
  Result<std::shared_ptr<FencedExecution>>
  executeFenced(Request request, std::vector<FenceRef> waitFor,
                std::optional<uint64_t> durationAfterFence) const override;
  Result<std::unique_ptr<BurstContext>>
  configureBurst(std::shared_ptr<BurstCallback> callback,
                 BurstChannels channels) const override;
  Status executeWith(StepExecutor &executor, const Request &request,
                     ExecutionResult &result) const override;

private:
  class Guarded;

  bool canFallBack() const {
    return fallback->isAllowed() && !fallback->isOn(parts.steps[0].device);
  }
  /// Deals with an execution that the device failed.
  Status recover(const Request &request, ExecutionResult &result,
                 Status cause) const;
};

/// A model in several steps.
class CompoundModel final : public DividedModel {
public:
  using DividedModel::DividedModel;
  Status executeWith(StepExecutor &executor, const Request &request,
                     ExecutionResult &result) const override;
  /// Serves the burst here: each request goes through the steps.
  Result<std::unique_ptr<BurstContext>>
  configureBurst(std::shared_ptr<BurstCallback> callback,
                 BurstChannels channels) const override;

private:
  Result<std::unique_ptr<Run>> take() const;

  /// The memory and requests of executions that have ended.
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Run>> idle;
};

} // namespace nnhal::rt::partition

#endif // NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_DIVIDEDMODEL_H
