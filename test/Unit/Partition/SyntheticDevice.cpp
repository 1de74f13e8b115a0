//===- SyntheticDevice.cpp - Devices made up for tests --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyntheticDevice.h"

#include <random>

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;

namespace {
/// A fenced execution that has failed.
class FailedExecution final : public FencedExecution {
public:
  explicit FailedExecution(FenceRef end) : end(std::move(end)) {}
  FenceRef fence() const override { return end; }
  ExecutionInfo executionInfo() const override {
    return {Status(StatusCode::generalFailure, "a late failure"), {}, {}};
  }

private:
  FenceRef end;
};

/// A model of the reference device that fails when its device wants it to.
class SyntheticModel final : public PreparedModel {
public:
  SyntheticModel(PreparedModelRef inner, std::shared_ptr<SyntheticState> state)
      : inner(std::move(inner)), state(std::move(state)) {}

  const PreparedModelRef inner;

  const Interface &interface() const override { return inner->interface(); }
  MemoryUse memoryUse() const override {
    return {.artifact = SyntheticDevice::artifactSize};
  }
  Status execute(const Request &request,
                 ExecutionResult &result) const override {
    NNHAL_RETURN_IF_ERROR(begin(request));
    if (state->hasNoRoom) {
      result.outputShapes.clear();
      for (const InterfaceTensor &output : interface().outputs)
        result.outputShapes.push_back({output.dimensions, false});
      return Status(StatusCode::outputInsufficientSize, "no room on purpose");
    }
    return inner->execute(request, result);
  }
  Status executeAsync(Request request,
                      ExecutionCallback callback) const override {
    Status status = begin(request);
    if (!status.isOk()) {
      callback(status, {});
      return status;
    }
    return inner->executeAsync(std::move(request), std::move(callback));
  }
  Result<std::shared_ptr<FencedExecution>>
  executeFenced(Request request, std::vector<FenceRef> waitFor,
                std::optional<uint64_t> duration) const override {
    NNHAL_RETURN_IF_ERROR(begin(request));
    if (state->failsAfterLaunch) {
      NNHAL_ASSIGN_OR_RETURN(FenceRef fence, Fence::create());
      fence->complete(Status(StatusCode::generalFailure, "a late failure"));
      return std::shared_ptr<FencedExecution>(
          std::make_shared<FailedExecution>(std::move(fence)));
    }
    return inner->executeFenced(std::move(request), std::move(waitFor),
                                duration);
  }
  Result<std::unique_ptr<BurstContext>>
  configureBurst(std::shared_ptr<BurstCallback> callback,
                 BurstChannels channels) const override {
    return inner->configureBurst(std::move(callback), std::move(channels));
  }

private:
  Status begin(const Request &request) const {
    uint64_t number = state->executions++;
    if (state->isDead)
      return Status(StatusCode::deadObject, "the synthetic device is dead");
    if (state->failExecutions != StatusCode::none &&
        number >= state->failFrom &&
        number - state->failFrom < state->failCount)
      return Status(state->failExecutions, "a synthetic failure");
    std::lock_guard lock(state->mutex);
    if (state->onExecution)
      state->onExecution(request);
    return Status::ok();
  }

  std::shared_ptr<SyntheticState> state;
};
} // namespace

DeviceTraits SyntheticDevice::traits() const {
  DeviceTraits traits;
  traits.isRemote = options.isRemote;
  return traits;
}

Status SyntheticDevice::checkSupport(const Model &model,
                                     const Subgraph &subgraph,
                                     const Operation &operation,
                                     unsigned depth) const {
  if (options.supports)
    NNHAL_RETURN_IF_ERROR(options.supports(model, subgraph, operation));
  if (operation.type != OperationType::IF &&
      operation.type != OperationType::WHILE)
    return Status::ok();
  if (depth > 32)
    return Status(StatusCode::invalidArgument, "too deep");
  for (uint32_t input : operation.inputs) {
    const Operand &operand = subgraph.operands[input];
    if (operand.lifetime != OperandLifeTime::SUBGRAPH)
      continue;
    const Subgraph &callee = model.referenced[operand.location.offset];
    for (const Operation &inner : callee.operations)
      NNHAL_RETURN_IF_ERROR(checkSupport(model, callee, inner, depth + 1));
  }
  return Status::ok();
}

Result<std::vector<Status>>
SyntheticDevice::supportedOperations(const AnnotatedModel &model) const {
  ++state->questions;
  if (state->isDead)
    return Status(StatusCode::deadObject, "the synthetic device is dead");
  std::vector<Status> answers;
  if (state->takesAll)
    return std::vector<Status>(model.model.main.operations.size());
  for (const Operation &operation : model.model.main.operations)
    answers.push_back(
        checkSupport(model.model, model.model.main, operation, 0));
  if (state->forgetsAnAnswer)
    answers.pop_back();
  return answers;
}

Result<PreparedModelRef>
SyntheticDevice::prepareModel(const AnnotatedModel &model,
                              const PrepareOptions &given,
                              const PrepareObserver &observer) const {
  ++state->preparations;
  {
    std::lock_guard lock(state->mutex);
    state->models.push_back(model);
    state->options.push_back(given);
  }
  if (state->isDead)
    return Status(StatusCode::deadObject, "the synthetic device is dead");
  if (state->failPreparations != StatusCode::none)
    return Status(state->failPreparations, "a synthetic failure");
  if (state->preparesNothing)
    return PreparedModelRef();
  for (const Operation &operation : model.model.main.operations)
    NNHAL_RETURN_IF_ERROR(
        checkSupport(model.model, model.model.main, operation, 0));
  NNHAL_ASSIGN_OR_RETURN(PreparedModelRef inner,
                         reference.prepareModel(model, given, observer));
  return PreparedModelRef(
      std::make_shared<SyntheticModel>(std::move(inner), state));
}

Status SyntheticDevice::prepareModelAsync(
    std::shared_ptr<const AnnotatedModel> model, const PrepareOptions &given,
    PrepareCallback callback, const PrepareObserver &observer) const {
  callback(prepareModel(*model, given, observer));
  return Status::ok();
}

Result<PreparedModelRef>
SyntheticDevice::prepareModelFromCache(const CacheHandles &, const CacheToken &,
                                       const PrepareOptions &,
                                       const PrepareObserver &) const {
  return Status(StatusCode::generalFailure, "a synthetic device loads nothing");
}

Result<PreparedModelRef> SyntheticDevice::prepareModelFromArtifact(
    std::span<const std::byte>, const Memory &, const PrepareOptions &) const {
  return Status(StatusCode::generalFailure, "a synthetic device loads nothing");
}

Result<std::shared_ptr<Buffer>>
SyntheticDevice::allocate(const BufferDesc &desc,
                          std::span<const PreparedModelRef> models,
                          std::span<const BufferRole> inputRoles,
                          std::span<const BufferRole> outputRoles) const {
  std::vector<PreparedModelRef> inner;
  for (const PreparedModelRef &model : models) {
    auto *own = dynamic_cast<SyntheticModel *>(model.get());
    inner.push_back(own ? own->inner : model);
  }
  return reference.allocate(desc, inner, inputRoles, outputRoles);
}

std::function<Status(const Model &, const Subgraph &, const Operation &)>
nnhal::rt::partitiontest::supportsOnly(std::set<OperationType> types) {
  return [types = std::move(types)](const Model &, const Subgraph &,
                                    const Operation &operation) {
    if (types.contains(operation.type))
      return Status::ok();
    return Status(StatusCode::invalidArgument,
                  "not among the operations of the synthetic device");
  };
}

SyntheticOptions nnhal::rt::partitiontest::drawDevice(uint64_t seed,
                                                      unsigned index,
                                                      unsigned percent) {
  // Numbers are equal everywhere: no distribution of the library is used.
  std::mt19937_64 random(seed * 64 + index);
  auto draw = [&](unsigned bound) { return unsigned(random() % bound); };
  std::set<OperationType> types;
  for (const OperationInfo &info : allOperations())
    if (draw(100) < percent)
      types.insert(info.type);
  SyntheticOptions options;
  options.name = "synthetic-" + std::to_string(index);
  options.supports = supportsOnly(std::move(types));
  options.capabilities = uniformCapabilities({0.9f, 0.9f});
  for (OperandPerformance &entry : options.capabilities.operandPerformance)
    entry.info = {0.1f + float(draw(100)) / 100, 0.1f + float(draw(100)) / 100};
  options.capabilities.ifPerformance = {0.1f + float(draw(200)) / 100, 0.5f};
  options.capabilities.whilePerformance = {0.1f + float(draw(200)) / 100, 0.5f};
  options.type = DeviceType(1 + draw(4));
  options.isRemote = draw(4) == 0;
  return options;
}
