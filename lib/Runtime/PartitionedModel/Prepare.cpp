//===- Prepare.cpp - Prepares the steps of a plan -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DividedModel.h"

#include "Runtime/Model/ExtensionUse.h"
#include "Runtime/Model/NeededArguments.h"
#include "Runtime/Partition/Plan.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Trace.h"

#include <algorithm>
#include <map>
#include <new>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

namespace {
/// Prepares one model once.
class Preparation {
public:
  Preparation(std::shared_ptr<const AnnotatedModel> model,
              std::span<const Device *const> devices, const Device *fallback,
              const PartitionOptions &options)
      : model(std::move(model)), devices(devices), fallbackDevice(fallback),
        options(options) {
    stepsIn = std::make_shared<Fallback>(
        this->model, allowedFallback(devices, fallback, options), options);
  }

  Result<std::shared_ptr<PartitionedModel>> run() {
    Result<PartitionPlan> plan =
        planPartition(*model, devices, fallbackDevice, options);
    // A model that nobody can execute is an error of the caller (I-017).
    if (!plan.isOk())
      return fallBack(std::move(plan).takeStatus(), /*isCallers=*/true);
    Result<std::shared_ptr<PartitionedModel>> made = prepare(*std::move(plan));
    if (made.isOk())
      return made;
    return fallBack(std::move(made).takeStatus(), /*isCallers=*/false);
  }

private:
  const Device &deviceOf(const PartitionPlan &plan, uint32_t index) const {
    for (const Device *device : devices)
      if (device->name() == plan.candidates[index].name)
        return *device;
    return *fallbackDevice;
  }

  Result<std::shared_ptr<PartitionedModel>> prepare(PartitionPlan plan) {
    Compound parts;
    parts.clock = options.clock ? options.clock : steadyNow;
    parts.findBuffer = options.findBuffer;
    NNHAL_ASSIGN_OR_RETURN(parts.layout, layOut(*model, plan, devices));
    bool isSimple = plan.isSimple();
    parts.plan = std::move(plan);
    for (uint32_t i = 0; i < parts.plan.steps.size(); ++i) {
      PreparedStep &step = parts.steps.emplace_back();
      if (parts.plan.steps[i].kind == PartitionStep::Kind::execute)
        NNHAL_RETURN_IF_ERROR(prepareStep(parts, i, isSimple, step));
    }
    parts.interface = interfaceOf(*model, extensionsOf(devices));
    return make(std::move(parts), isSimple);
  }

  std::shared_ptr<PartitionedModel> make(Compound parts, bool isSimple) {
    parts.needed = validation::neededInputs(model->model);
    if (isSimple)
      return std::make_shared<SimpleModel>(std::move(parts), reports, stepsIn,
                                           options);
    return std::make_shared<CompoundModel>(std::move(parts), reports, stepsIn,
                                           options);
  }

  Status prepareStep(const Compound &parts, uint32_t number, bool isSimple,
                     PreparedStep &step) {
    const PartitionStep &stated = parts.plan.steps[number];
    const Device &device = deviceOf(parts.plan, stated.device);
    step.device = &device;
    step.isRemote = device.traits().isRemote;
    // A subgraph that is entered from two places has the same steps there.
    for (uint32_t i = 0; i < number; ++i) {
      const PartitionStep &other = parts.plan.steps[i];
      if (other.kind == stated.kind && other.device == stated.device &&
          other.subgraph == stated.subgraph &&
          other.operations == stated.operations) {
        step.model = parts.steps[i].model;
        return Status::ok();
      }
    }
    auto section = traceRuntime(options.tracer.get(), TracePhase::compilation,
                                [&] { return fmt::format("step {}", number); });
    AnnotatedModel extracted;
    auto source = [&]() -> Result<const AnnotatedModel *> {
      // A simple plan gives the original model (I-036).
      if (isSimple)
        return model.get();
      extracted = extractStep(*model, stated.subgraph, stated.operations,
                              parts.layout.steps[number].boundary);
      return &extracted;
    };
    Result<PreparedModelRef> prepared =
        prepareOn(device, stated, isSimple, source);
    if (prepared.isOk() && !*prepared)
      prepared = failure("the device has prepared nothing");
    if (!prepared.isOk())
      return std::move(prepared).takeStatus().withContext(
          fmt::format("step {} on {}", number, device.name()));
    step.model = *std::move(prepared);
    return Status::ok();
  }

  Result<PreparedModelRef>
  prepareOn(const Device &device, const PartitionStep &stated, bool isSimple,
            const CompilationCache::ModelSource &source) {
    CacheReport &report = reports.emplace_back();
    PrepareOptions prepare = options.prepare;
    // Files of the caller are those of a whole model.
    if (!isSimple) {
      prepare.cache = {};
      prepare.contentKey.reset();
    }
    if (!options.cache) {
      NNHAL_ASSIGN_OR_RETURN(const AnnotatedModel *prepared, source());
      return device.prepareModel(*prepared, prepare, options.observer);
    }
    // The token of a step is made from its operations (I-030).
    std::vector<SourceOperation> operations;
    if (!isSimple)
      for (uint32_t operation : stated.operations)
        operations.push_back({stated.subgraph, operation});
    return options.cache->prepare(device, options.token, operations, source,
                                  prepare, report, options.observer);
  }

  /// Prepares the whole model on the fallback device (I-037).
  Result<std::shared_ptr<PartitionedModel>> fallBack(Status cause,
                                                     bool isCallers) {
    if (!stepsIn->isAllowed() ||
        (isCallers && cause.code() == StatusCode::invalidArgument))
      return cause;
    PreparedModelRef whole = stepsIn->wholeModel();
    if (!whole)
      return cause;
    stepsIn->notePreparation(cause);
    reports.assign(1, {});
    Compound parts;
    parts.clock = options.clock ? options.clock : steadyNow;
    parts.findBuffer = options.findBuffer;
    parts.plan = fallbackPlan(cause);
    NNHAL_ASSIGN_OR_RETURN(parts.layout, layOut(*model, parts.plan, devices));
    PreparedStep &step = parts.steps.emplace_back();
    step.device = &stepsIn->target();
    step.isRemote = step.device->traits().isRemote;
    step.model = std::move(whole);
    return make(std::move(parts), /*isSimple=*/true);
  }

  PartitionPlan fallbackPlan(const Status &cause) const {
    PartitionPlan plan;
    plan.candidates.push_back(candidateOf(stepsIn->target(), true));
    PartitionStep &step = plan.steps.emplace_back();
    for (uint32_t i = 0; i < model->model.main.operations.size(); ++i) {
      step.operations.push_back(i);
      plan.assignments.push_back(
          {0, 0, AssignmentReason::policy,
           "the preparation fell back: " + cause.message()});
    }
    return plan;
  }

  std::shared_ptr<const AnnotatedModel> model;
  std::span<const Device *const> devices;
  const Device *fallbackDevice;
  const PartitionOptions &options;
  std::shared_ptr<Fallback> stepsIn;
  std::vector<CacheReport> reports;
};
} // namespace

Result<std::shared_ptr<PartitionedModel>>
nnhal::rt::preparePartitioned(std::shared_ptr<const AnnotatedModel> model,
                              std::span<const Device *const> devices,
                              const Device *fallback,
                              const PartitionOptions &options) {
  if (!model)
    return badData("a preparation needs a model");
  try {
    return Preparation(std::move(model), devices, fallback, options).run();
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory to divide the model");
  }
}
