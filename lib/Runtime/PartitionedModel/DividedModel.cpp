//===- DividedModel.cpp - A prepared model over steps ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DividedModel.h"

#include "BufferCopies.h"

#include "Runtime/Burst/BurstExecutor.h"
#include "Runtime/Burst/BurstServer.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Trace.h"

#include <algorithm>
#include <new>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

DividedModel::DividedModel(Compound parts, std::vector<CacheReport> reports,
                           std::shared_ptr<Fallback> fallback,
                           const PartitionOptions &options)
    : parts(std::move(parts)), fallback(std::move(fallback)),
      reports(std::move(reports)), trace(options.tracer),
      givenClock(options.clock), executions(options.executions),
      waiter(options.reactor) {}

MemoryUse DividedModel::memoryUse() const {
  MemoryUse sum;
  std::vector<const PreparedModel *> seen;
  for (const PreparedStep &step : parts.steps) {
    if (!step.model || std::ranges::count(seen, step.model.get()) != 0)
      continue;
    seen.push_back(step.model.get());
    MemoryUse use = step.model->memoryUse();
    sum.arena += use.arena;
    sum.arenaLowerBound += use.arenaLowerBound;
    sum.artifact += use.artifact;
  }
  sum.arena += parts.layout.size;
  return sum;
}

void DividedModel::addRoles(Place::Kind kind, uint32_t index,
                            std::vector<Role> &roles) const {
  auto add = [&](const PreparedStep &step, const std::vector<Place> &places,
                 bool isInput) {
    for (uint32_t k = 0; k < places.size(); ++k) {
      if (places[k].kind != kind || places[k].index != index)
        continue;
      auto isSame = [&](const Role &role) {
        return role.model == step.model && role.index == k &&
               role.isInput == isInput;
      };
      if (std::ranges::none_of(roles, isSame))
        roles.push_back({step.device, step.model, k, isInput});
    }
  };
  for (size_t i = 0; i < parts.steps.size(); ++i)
    add(parts.steps[i], parts.layout.steps[i].outputs, /*isInput=*/false);
  for (size_t i = 0; i < parts.steps.size(); ++i)
    add(parts.steps[i], parts.layout.steps[i].inputs, /*isInput=*/true);
}

std::vector<PartitionedModel::Role>
DividedModel::rolesOfInput(uint32_t index) const {
  std::vector<Role> roles;
  addRoles(Place::Kind::input, index, roles);
  return roles;
}

std::vector<PartitionedModel::Role>
DividedModel::rolesOfOutput(uint32_t index) const {
  std::vector<Role> roles;
  addRoles(Place::Kind::output, index, roles);
  return roles;
}

Status DividedModel::executeWhole(const Request &request,
                                  ExecutionResult &result, Status cause) const {
  if (!fallback->isAllowed())
    return cause;
  PreparedModelRef whole = fallback->wholeModel();
  if (!whole)
    return cause;
  TraceSection section(tracer(), TraceLayer::runtime, TracePhase::execution,
                       "model on the fallback device");
  fallback->noteModel(cause);
  if (!hasBuffers(request))
    return whole->execute(request, result);
  auto describe = [&](bool isInput, size_t k) {
    const Interface &interface = this->interface();
    const InterfaceTensor &tensor =
        isInput ? interface.inputs[k] : interface.outputs[k];
    return BufferArgument{
        deviceOf(parts, isInput ? Place::Kind::input : Place::Kind::output,
                 uint32_t(k)),
        byteSizeOf(tensor).value_or(0)};
  };
  Request copied = request;
  BufferCopies copies;
  NNHAL_RETURN_IF_ERROR(copies.begin(parts.findBuffer, describe, copied));
  NNHAL_RETURN_IF_ERROR(whole->execute(copied, result));
  return copies.end(result);
}

namespace {
/// Executes steps by calls of their devices.
class DirectExecutor final : public StepExecutor {
public:
  explicit DirectExecutor(const std::vector<PreparedStep> &steps)
      : steps(steps) {}
  Status execute(uint32_t step, const Request &request,
                 ExecutionResult &result) override {
    return steps[step].model->execute(request, result);
  }

private:
  const std::vector<PreparedStep> &steps;
};
} // namespace

Status DividedModel::execute(const Request &request,
                             ExecutionResult &result) const {
  DirectExecutor executor(parts.steps);
  return executeWith(executor, request, result);
}

//===----------------------------------------------------------------------===//
// Simple plans
//===----------------------------------------------------------------------===//

const Interface &SimpleModel::interface() const {
  return parts.steps[0].model->interface();
}

Status SimpleModel::recover(const Request &request, ExecutionResult &result,
                            Status cause) const {
  if (cause.code() == StatusCode::outputInsufficientSize || !canFallBack())
    return cause;
  // Another device does not make a request right that breaks a rule.
  if (cause.code() == StatusCode::invalidArgument &&
      !checkArguments(request).isOk())
    return cause;
  return executeWhole(request, result, std::move(cause));
}

Status SimpleModel::execute(const Request &request,
                            ExecutionResult &result) const {
  Status status = parts.steps[0].model->execute(request, result);
  if (status.isOk()) [[likely]]
    return status;
  return recover(request, result, std::move(status));
}

Status SimpleModel::executeWith(StepExecutor &executor, const Request &request,
                                ExecutionResult &result) const {
  Status status = executor.execute(0, request, result);
  if (status.isOk())
    return status;
  return recover(request, result, std::move(status));
}

Status SimpleModel::executeAsync(Request request,
                                 ExecutionCallback callback) const {
  if (canFallBack())
    return DividedModel::executeAsync(std::move(request), std::move(callback));
  return parts.steps[0].model->executeAsync(std::move(request),
                                            std::move(callback));
}

Result<std::unique_ptr<BurstContext>>
SimpleModel::configureBurst(std::shared_ptr<BurstCallback> callback,
                            BurstChannels channels) const {
  return parts.steps[0].model->configureBurst(std::move(callback),
                                              std::move(channels));
}

//===----------------------------------------------------------------------===//
// Compound plans
//===----------------------------------------------------------------------===//

/// The memory of an execution that has ended, or new one.
Result<std::unique_ptr<Run>> CompoundModel::take() const {
  {
    std::lock_guard lock(mutex);
    if (!idle.empty()) {
      std::unique_ptr<Run> run = std::move(idle.back());
      idle.pop_back();
      return run;
    }
  }
  return Run::create(parts);
}

Result<std::unique_ptr<BurstContext>>
CompoundModel::configureBurst(std::shared_ptr<BurstCallback> callback,
                              BurstChannels channels) const {
  return serveBurst(
      createBurstExecutor(shared_from_this(), BurstCache::memories),
      std::move(callback), std::move(channels));
}

Status CompoundModel::executeWith(StepExecutor &executor,
                                  const Request &request,
                                  ExecutionResult &result) const {
  TraceSection section(tracer(), TraceLayer::runtime, TracePhase::execution,
                       "steps");
  Status status = checkArguments(request);
  if (!status.isOk()) {
    result = {};
    return status;
  }
  bool needsWhole = true;
  try {
    auto run = take();
    status = run.status();
    if (run.isOk()) {
      Execution execution(parts, **run, *fallback, executor, request, result);
      status = execution.start();
      needsWhole = execution.needsWhole();
      (*run)->release(parts);
      std::lock_guard lock(mutex);
      idle.push_back(*std::move(run));
    }
  } catch (const std::bad_alloc &) {
    status = outOfResources("no memory to execute the steps of the model");
    needsWhole = true;
  }
  if (!status.isOk() && needsWhole)
    return executeWhole(request, result, std::move(status));
  return status;
}
