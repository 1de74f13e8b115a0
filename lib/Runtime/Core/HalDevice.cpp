//===- HalDevice.cpp - The HAL over a backend -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalDevice.h"

#include "ConstantPools.h"
#include "HalPreparedModel.h"
#include "MachineMemory.h"
#include "StagedModel.h"

#include "Runtime/Model/ExtensionUse.h"
#include "Runtime/Support/CompileTrace.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "nnhal/Runtime/GraphDump.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/MemoryBudget.h"
#include "nnhal/Runtime/Reactor.h"
#include "nnhal/Runtime/Trace.h"
#include "nnhal/Runtime/Validate.h"

#include <functional>
#include <new>

using namespace nnhal::rt;

DeviceServices nnhal::rt::completeServices(DeviceServices services) {
  bool hasOwnClock = bool(services.clock);
  if (!hasOwnClock)
    services.clock = steadyNow;
  Scheduler::Options options;
  options.clock = services.clock;
  if (!services.executions)
    services.executions = Scheduler::create(options);
  if (!services.preparations)
    services.preparations = Scheduler::create(options);
  if (!services.reactor)
    services.reactor =
        Reactor::create(hasOwnClock ? services.clock : Reactor::Clock());
  if (!services.memory)
    // A client that asks for more shall hear so, and not have the kernel end
    // the process.
    services.memory =
        std::make_shared<MemoryBudget>(smallMemory, machineMemory);
  if (!services.log)
    services.log = std::make_shared<Log>();
  return services;
}

DeviceStatus HalDevice::status() const {
  Scheduler::Stats stats = state->services.executions->stats();
  return stats.queued > 0 ? DeviceStatus::busy : DeviceStatus::available;
}

/// A preference or priority that is not one of the HAL is refused (C-037).
static Status checkOptions(const PrepareOptions &options) {
  if (uint32_t(options.preference) >
      uint32_t(ExecutionPreference::sustainedSpeed))
    return badData("execution preference {} is not between 0 and 2",
                   uint32_t(options.preference));
  if (uint32_t(options.priority) > uint32_t(Priority::high))
    return badData("priority {} is not between 0 and 2",
                   uint32_t(options.priority));
  return Status::ok();
}

static Status checkModel(const AnnotatedModel &model,
                         const PrepareOptions &options) {
  NNHAL_RETURN_IF_ERROR(checkOptions(options));
  return validateModel(model.model, model.model.halVersion);
}

using Load = std::function<Result<std::unique_ptr<LoadedModel>>()>;

static Status missedDeadline() {
  return Status(StatusCode::missedDeadlineTransient,
                "the deadline passed while the model was prepared");
}

/// Calls \p load with an observer that cancels the compilation after \p
/// deadline, too: a driver may give up then (C-049).
template <typename LoadFunction>
static Result<std::unique_ptr<LoadedModel>>
loadBefore(Deadline deadline, const std::function<int64_t()> &clock,
           const CompileObserver &observer, LoadFunction load) {
  if (deadline == noDeadline)
    return load(observer);
  bool isLate = false;
  CompileObserver timed = observer;
  timed.isCancelled = [&] {
    isLate = isLate || clock() >= deadline;
    return isLate || (observer.isCancelled && observer.isCancelled());
  };
  Result<std::unique_ptr<LoadedModel>> loaded = load(timed);
  if (!loaded.isOk() && isLate)
    return missedDeadline();
  return loaded;
}

/// The model is valid, but may not be supported (C-108): the device describes
/// what it uses of extensions (H-022). The compiled entry is also left in \p
/// slot, which may be null.
static Result<std::unique_ptr<LoadedModel>>
loadModel(const DeviceState &state, const AnnotatedModel &model,
          const PrepareOptions &options, const PrepareObserver &observer,
          std::shared_ptr<CacheSlot> slot) {
  NNHAL_RETURN_IF_ERROR(
      checkExtensionUse(model.model, state.backend->info().extensions));
  NNHAL_RETURN_IF_ERROR(checkPools(*state.backend, model.model));
  if (slot && options.compileAfter)
    slot->observer = nullptr; // The caller has gone on.
  // Owns what it uses: it may be called when the device is gone.
  auto load = [backend = state.backend, cache = state.cache,
               slot = std::move(slot), keepArtifact = observer.keepArtifact,
               tracer = state.services.tracer](const AnnotatedModel &model,
                                               const PrepareOptions &options,
                                               const CompileObserver &compile) {
    CompileTrace trace(tracer.get(), compile);
    LoadObserver told = {trace.observer(), keepArtifact, nullptr};
    if (slot)
      told.keepEntry = [&](const CacheContents &contents) {
        cache->save(*slot, contents);
      };
    return backend->load(model, options, told);
  };
  if (options.compileAfter)
    return loadStaged(*state.backend, state.services, model, options, observer,
                      std::move(load));
  return loadBefore(options.deadline, state.services.clock, observer.compile,
                    [&](const CompileObserver &compile) {
                      return load(model, options, compile);
                    });
}

/// Prepares on this thread, which has been admitted.
static Result<PreparedModelRef>
prepareNow(const std::shared_ptr<DeviceState> &state,
           const PrepareOptions &options, const Load &load) {
  auto section =
      traceDriver(state->services.tracer.get(), TracePhase::compilation,
                  state->backend->info().name);
  try {
    NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<LoadedModel> loaded, load());
    if (state->services.clock() >= options.deadline)
      return missedDeadline();
    return PreparedModelRef(std::make_shared<HalPreparedModel>(
        state, std::move(loaded), options.priority, options.client));
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory to prepare the model");
  }
}

static Ticket ticketOf(const PrepareOptions &options) {
  return {options.client, options.priority, options.deadline};
}

/// Reports how a preparation went.
static void log(const DeviceState &state, const Status &status) {
  writeLog(*state.services.log, LogTag::compilation, "{}: {}",
           state.backend->info().name,
           status.isOk() ? "prepared a model" : status.message());
}

/// A model that is prepared is written to the log as a graph (K-022).
static void dump(const DeviceState &state, const AnnotatedModel &model) {
  graphDump(state.backend->info().name, model.model, *state.services.log);
}

/// Says what the device is asked for.
static void logCall(const DeviceState &state, std::string_view member) {
  writeLog(*state.services.log, LogTag::driver, "{}: {}",
           state.backend->info().name, member);
}

/// Every call is a section of traces, whatever comes of it (K-014).
static TraceSection tracePreparation(const DeviceState &state) {
  return traceRuntime(state.services.tracer.get(), TracePhase::preparation,
                      state.backend->info().name);
}

/// Waits to be admitted, then prepares.
static Result<PreparedModelRef>
prepareHere(const std::shared_ptr<DeviceState> &state,
            const PrepareOptions &options, const Load &load) {
  auto slot = state->services.preparations->enter(ticketOf(options));
  if (!slot.isOk())
    return std::move(slot).takeStatus().withContext("the preparation");
  Result<PreparedModelRef> prepared = prepareNow(state, options, load);
  log(*state, prepared.status());
  return prepared;
}

Result<std::vector<Status>>
HalDevice::supportedOperations(const AnnotatedModel &model) const {
  logCall(*state, "supportedOperations");
  auto section = traceRuntime(state->services.tracer.get(),
                              TracePhase::compilation, "supportedOperations");
  NNHAL_RETURN_IF_ERROR(validateModel(model.model, model.model.halVersion));
  NNHAL_ASSIGN_OR_RETURN(std::vector<Status> answers,
                         state->backend->supportedOperations(model));
  refuseForeign(model.model, info().extensions, answers);
  refuseUnreadable(*state->backend, model.model, answers);
  return answers;
}

Result<PreparedModelRef>
HalDevice::prepareModel(const AnnotatedModel &model,
                        const PrepareOptions &options,
                        const PrepareObserver &observer) const {
  logCall(*state, "prepareModel");
  TraceSection section = tracePreparation(*state);
  NNHAL_RETURN_IF_ERROR(checkModel(model, options));
  dump(*state, model);
  std::shared_ptr<CacheSlot> slot =
      state->cache->openSlot(options, observer.cacheObserver);
  return prepareHere(state, options, [&] {
    return loadModel(*state, model, options, observer, slot);
  });
}

Status HalDevice::prepareModelAsync(std::shared_ptr<const AnnotatedModel> model,
                                    const PrepareOptions &options,
                                    PrepareCallback callback,
                                    const PrepareObserver &observer) const {
  logCall(*state, "prepareModelAsync");
  TraceSpan span(state->services.tracer.get(), TraceLayer::runtime,
                 TracePhase::preparation, state->backend->info().name);
  if (!callback)
    return badData("a preparation needs a callback");
  if (!model)
    return badData("a preparation needs a model");
  Status valid = checkModel(*model, options);
  if (!valid.isOk()) {
    callback(valid);
    return valid;
  }
  dump(*state, *model);
  // A deadline that has passed is reported to the callback; the call succeeds
  // (C-050).
  if (state->services.clock() >= options.deadline) {
    callback(Status(StatusCode::missedDeadlinePersistent,
                    "the deadline had passed before the preparation began"));
    return Status::ok();
  }
  // The callback may destroy this device before submit() returns.
  std::shared_ptr<DeviceState> keep = state;
  // Whichever of job and launch failure calls it.
  auto notify = std::make_shared<PrepareCallback>(std::move(callback));
  auto running = std::make_shared<TraceSpan>(std::move(span));
  std::shared_ptr<CacheSlot> slot =
      state->cache->openSlot(options, observer.cacheObserver);
  auto job = [state = state, model = std::move(model), options, observer,
              notify, running, slot = std::move(slot)](Status admitted) {
    auto load = [&] {
      return loadModel(*state, *model, options, observer, slot);
    };
    Result<PreparedModelRef> prepared =
        admitted.isOk() ? prepareNow(state, options, load)
                        : Result<PreparedModelRef>(std::move(admitted));
    log(*state, prepared.status());
    running->end();
    (*notify)(std::move(prepared));
  };
  Status launched =
      keep->services.preparations->submit(ticketOf(options), std::move(job));
  if (!launched.isOk())
    (*notify)(launched);
  return launched;
}

Result<PreparedModelRef> HalDevice::prepareModelFromCache(
    const CacheHandles &handles, const CacheToken &token,
    const PrepareOptions &options, const PrepareObserver &observer) const {
  logCall(*state, "prepareModelFromCache");
  TraceSection section = tracePreparation(*state);
  NNHAL_RETURN_IF_ERROR(checkOptions(options));
  return prepareHere(state, options, [&] {
    return state->cache->load(handles, token, options, observer.cacheObserver);
  });
}

Result<PreparedModelRef>
HalDevice::prepareModelFromArtifact(std::span<const std::byte> modelCache,
                                    const Memory &dataCache,
                                    const PrepareOptions &options) const {
  logCall(*state, "prepareModelFromArtifact");
  TraceSection section = tracePreparation(*state);
  NNHAL_RETURN_IF_ERROR(checkOptions(options));
  return prepareHere(state, options, [&] {
    return state->backend->loadArtifact(modelCache, dataCache);
  });
}

std::unique_ptr<Device>
nnhal::rt::createDevice(std::unique_ptr<Backend> backend,
                        DeviceServices services) {
  return std::make_unique<HalDevice>(std::move(backend), std::move(services));
}
