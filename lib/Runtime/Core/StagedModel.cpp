//===- StagedModel.cpp - Slow at once, fast later -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedModel.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "nnhal/Backend/ModelCopy.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Scheduler.h"
#include "nnhal/Runtime/Trace.h"

#include <algorithm>
#include <new>
#include <utility>

using namespace nnhal::rt;

/// Requests are checked against the baseline's interface: code for another one
/// would read and write beyond what was checked.
static Status checkSameTensors(const char *what,
                               const std::vector<InterfaceTensor> &baseline,
                               const std::vector<InterfaceTensor> &compiled) {
  if (baseline.size() != compiled.size())
    return failure("the code has {} {}s, the model {}", compiled.size(), what,
                   baseline.size());
  for (size_t i = 0; i < baseline.size(); ++i)
    if (baseline[i].type != compiled[i].type ||
        baseline[i].dimensions != compiled[i].dimensions)
      return failure(
          "{} {} of the code is {} [{}], that of the model {} [{}]", what, i,
          nameOf(compiled[i].type), fmt::join(compiled[i].dimensions, ","),
          nameOf(baseline[i].type), fmt::join(baseline[i].dimensions, ","));
  return Status::ok();
}

/// The state that executions and the compilation share. It owns no scheduler: a
/// thread of that one may release it.
class StagedModel::Stage {
public:
  Stage(std::unique_ptr<LoadedModel> slow, StagePlan &plan)
      : device(std::move(plan.device)), tracer(plan.services.tracer),
        log(plan.services.log), compile(std::move(plan.compile)),
        ended(std::move(plan.ended)), baseline(std::move(slow)) {}

  /// Returns null until the code has taken over; from then on never null.
  const LoadedModel *compiled() const {
    return published.load(std::memory_order_acquire);
  }
  /// Returns null when the code has taken over.
  std::shared_ptr<const LoadedModel> takeBaseline() const {
    std::lock_guard lock(mutex);
    return baseline;
  }

  /// Does the work, on a thread that \p admitted says something about.
  void work(Status admitted);
  void cancel() { isCancelled.store(true, std::memory_order_relaxed); }
  void noteBegin();
  void reportStage(int64_t stage) const {
    if (tracer)
      tracer->addCounter(device + " stage", stage);
  }

  const std::string device;
  const std::shared_ptr<Tracer> tracer;
  const std::shared_ptr<const Log> log;

private:
  Status compileAndPublish();
  void publish(std::unique_ptr<LoadedModel> loaded);

  // The compilation's alone.
  decltype(StagePlan::compile) compile;
  decltype(StagePlan::ended) ended;
  TraceSpan span;

  std::atomic<bool> isCancelled = false;
  std::atomic<const LoadedModel *> published = nullptr;
  mutable std::mutex mutex;
  std::shared_ptr<const LoadedModel> baseline;
  std::unique_ptr<LoadedModel> owner;
};

void StagedModel::Stage::noteBegin() {
  span = TraceSpan(tracer.get(), TraceLayer::runtime, TracePhase::preparation,
                   [this] { return device + " in the background"; });
}

void StagedModel::Stage::publish(std::unique_ptr<LoadedModel> loaded) {
  std::shared_ptr<const LoadedModel> old;
  std::lock_guard lock(mutex);
  owner = std::move(loaded);
  published.store(owner.get(), std::memory_order_release);
  // Destroyed after the lock, unless executions still use it.
  old.swap(baseline);
}

Status StagedModel::Stage::compileAndPublish() {
  auto isUnwanted = [this] {
    return isCancelled.load(std::memory_order_relaxed);
  };
  if (isUnwanted())
    return failure("the model is gone");
  auto section = traceDriver(tracer.get(), TracePhase::compilation,
                             [this] { return device + " in the background"; });
  NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<LoadedModel> loaded,
                         compile(isUnwanted));
  if (isUnwanted())
    return failure("the model is gone");
  std::shared_ptr<const LoadedModel> slow = takeBaseline();
  const Interface &expected = slow->interface();
  const Interface &found = loaded->interface();
  NNHAL_RETURN_IF_ERROR(
      checkSameTensors("input", expected.inputs, found.inputs));
  NNHAL_RETURN_IF_ERROR(
      checkSameTensors("output", expected.outputs, found.outputs));
  publish(std::move(loaded));
  return Status::ok();
}

void StagedModel::Stage::work(Status status) {
  if (status.isOk()) {
    try {
      status = compileAndPublish();
    } catch (const std::bad_alloc &) {
      status = outOfResources("no memory to compile the model");
    }
  }
  compile = nullptr; // With the copy of the model and the files of a cache.
  span.end();
  if (status.isOk()) {
    reportStage(1);
    writeLog(*log, LogTag::compilation, "{}: compiled code takes over", device);
  } else if (isCancelled.load(std::memory_order_relaxed)) {
    writeLog(*log, LogTag::compilation,
             "{}: background compilation stopped: {}", device,
             status.message());
  } else {
    writeError(*log, "{}: the model stays with its baseline: {}", device,
               status.message());
  }
  if (auto tell = std::exchange(ended, nullptr))
    tell(status);
}

StagedModel::StagedModel(std::unique_ptr<LoadedModel> baseline, StagePlan plan)
    : after(plan.after), client(plan.client), services(plan.services),
      face(baseline->interface()), baselineUse(baseline->memoryUse()),
      stage(std::make_shared<Stage>(std::move(baseline), plan)) {
  stage->reportStage(0);
  if (after == 0)
    begin();
}

StagedModel::~StagedModel() { stage->cancel(); }

void StagedModel::begin() const {
  if (hasBegun.exchange(true, std::memory_order_relaxed))
    return;
  stage->noteBegin();
  // The compilation waits behind all work that somebody waits for.
  Status launched = services.preparations->submit(
      {.client = client, .priority = Priority::low},
      [stage = stage](Status admitted) { stage->work(std::move(admitted)); });
  if (launched.isOk())
    return;
  writeLog(*stage->log, LogTag::compilation, "{}: cannot compile yet: {}",
           stage->device, launched.message());
  hasBegun.store(false, std::memory_order_relaxed); // The next execution tries.
}

/// The workspaces of both models, each made when it is first needed.
class StagedModel::StagedWorkspace final : public Workspace {
public:
  explicit StagedWorkspace(std::shared_ptr<MemoryBudget> budget)
      : budget(std::move(budget)) {}

  void recycle() override {
    if (active)
      active->recycle();
    active = nullptr;
    baseline.reset();
  }

  /// The workspace for \p model, which is the baseline or the code.
  Result<Workspace *> take(const LoadedModel &model, bool isBaseline) {
    if (!isBaseline)
      slow.reset();
    std::unique_ptr<Workspace> &own = isBaseline ? slow : fast;
    if (!own) {
      NNHAL_ASSIGN_OR_RETURN(own, model.createWorkspace(budget));
    }
    active = own.get();
    return active;
  }

  /// Keeps the baseline while it executes; null when the code does.
  std::shared_ptr<const LoadedModel> baseline;

private:
  const std::shared_ptr<MemoryBudget> budget;
  std::unique_ptr<Workspace> slow;
  std::unique_ptr<Workspace> fast;
  Workspace *active = nullptr;
};

Result<std::unique_ptr<Workspace>> StagedModel::createWorkspace(
    const std::shared_ptr<MemoryBudget> &budget) const {
  return std::unique_ptr<Workspace>(std::make_unique<StagedWorkspace>(budget));
}

void StagedModel::countRun() const {
  if (runs.fetch_add(1, std::memory_order_relaxed) + 1 >= after)
    begin();
}

Status StagedModel::submit(Invocation &invocation,
                           Completion &completion) const {
  auto &workspace = static_cast<StagedWorkspace &>(*invocation.workspace);
  const LoadedModel *model = stage->compiled();
  std::shared_ptr<const LoadedModel> baseline;
  if (!model) {
    baseline = stage->takeBaseline();
    // The baseline may have been replaced since the first look.
    model = baseline ? baseline.get() : stage->compiled();
  }
  bool isBaseline = baseline != nullptr;
  NNHAL_ASSIGN_OR_RETURN(invocation.workspace,
                         workspace.take(*model, isBaseline));
  if (model->isAsynchronous()) {
    workspace.baseline = std::move(baseline);
    if (isBaseline)
      countRun();
    return model->submit(invocation, completion);
  }
  Status status = model->run(invocation);
  baseline.reset(); // It goes with its last execution.
  if (isBaseline)
    countRun();
  completion.complete(std::move(status));
  return Status::ok();
}

bool StagedModel::usesFences() const {
  const LoadedModel *compiled = stage->compiled();
  return compiled && compiled->usesFences();
}

MemoryUse StagedModel::memoryUse() const {
  if (const LoadedModel *compiled = stage->compiled())
    return compiled->memoryUse();
  return baselineUse;
}

/// C-108: the baseline may support more than what replaces it.
static Status checkSupported(const Backend &backend,
                             const AnnotatedModel &model) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<Status> supported,
                         backend.supportedOperations(model));
  for (size_t i = 0; i < supported.size(); ++i)
    if (!supported[i].isOk())
      return badData("operation {}: {}", i, supported[i].message());
  return Status::ok();
}

/// \p options for a compilation that nobody waits for.
static PrepareOptions inBackground(PrepareOptions options) {
  options.compileAfter.reset();
  options.deadline = noDeadline;
  return options;
}

Result<std::unique_ptr<LoadedModel>>
nnhal::rt::loadStaged(const Backend &backend, const DeviceServices &services,
                      const AnnotatedModel &model,
                      const PrepareOptions &options,
                      const PrepareObserver &observer, LoadModel load) {
  NNHAL_RETURN_IF_ERROR(checkSupported(backend, model));
  // The caller's memory is the caller's when this returns.
  auto owned = std::make_shared<AnnotatedModel>(model);
  NNHAL_ASSIGN_OR_RETURN(owned->model, ownedCopy(model.model));
  auto baseline = backend.loadBaseline(*owned);
  if (!baseline.isOk()) {
    writeLog(*services.log, LogTag::compilation, "{}: compiles at once: {}",
             backend.info().name, baseline.status().message());
    return load(model, options, observer.compile);
  }
  StagePlan plan;
  plan.after = *options.compileAfter;
  plan.compile = [load = std::move(load), owned,
                  options = inBackground(options)](const auto &isCancelled) {
    CompileObserver quiet;
    quiet.isCancelled = isCancelled;
    return load(*owned, options, quiet);
  };
  plan.ended = observer.compileEnded;
  plan.device = backend.info().name;
  plan.client = options.client;
  plan.services = services;
  return std::unique_ptr<LoadedModel>(
      std::make_unique<StagedModel>(*std::move(baseline), std::move(plan)));
}
