//===- Server.cpp - Models that are served --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Server.h"

#include "Catalog.h"
#include "Metrics.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "Runtime/Support/Thread.h"
#include "nnhal/Runtime/Scheduler.h"
#include "nnhal/Runtime/Version.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace nnhal;
using namespace nnhal::serving;
using rt::Status;

/// Queues of models have bounds of their own.
static constexpr size_t mostWaiting = size_t(1) << 20;

/// The server behind its interface.
class Server::Implementation {
public:
  explicit Implementation(ServerOptions given)
      : options(std::move(given)),
        executions({.slots = options.executions, .queueLimit = mostWaiting}),
        quotas(options.quota), catalog(options, executions, metrics) {}

  ~Implementation() {
    {
      std::lock_guard lock(mutex);
      isEnding = true;
    }
    changed.notify_all();
    if (watcher.joinable())
      watcher.join();
  }

  Status start();
  Outcome infer(const InferenceRequest &request, InferenceResponse &response);
  Outcome inferNow(std::shared_ptr<ServedVersion> &version,
                   const InferenceRequest &request,
                   InferenceResponse &response);

  const ServerOptions options;
  Metrics metrics;
  rt::Scheduler executions;
  Quotas quotas;
  Catalog catalog;
  std::atomic<bool> isStarted = false;

  std::mutex mutex;
  std::condition_variable changed;
  uint64_t running = 0;
  bool isDraining = false;
  bool isEnding = false;

private:
  void watch();

  std::thread watcher;
};

rt::Result<std::unique_ptr<Server>> Server::create(ServerOptions options) {
  if (options.engine.devices.empty())
    options.engine.devices = {tools::DeviceSelection().device};
  NNHAL_RETURN_IF_ERROR(scanRepository(options.models).status());
  auto implementation = std::make_unique<Implementation>(std::move(options));
  NNHAL_RETURN_IF_ERROR(implementation->catalog.open());
  return std::unique_ptr<Server>(new Server(std::move(implementation)));
}

Server::Server(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}

Server::~Server() = default;

Status Server::start() { return implementation->start(); }

Status Server::Implementation::start() {
  NNHAL_RETURN_IF_ERROR(catalog.refresh());
  isStarted = true;
  if (options.pollInterval.count() == 0)
    return Status::ok();
  return rt::startThread(watcher, "nnhal-models", [this] { watch(); });
}

void Server::Implementation::watch() {
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, options.pollInterval,
                           [this] { return isEnding; })) {
    lock.unlock();
    Status status = catalog.refresh();
    if (!status.isOk())
      rt::writeLog(*options.log, rt::LogTag::manager, "{}", status.message());
    lock.lock();
  }
}

bool Server::isReady() const {
  if (!implementation->isStarted || !implementation->catalog.isServing())
    return false;
  std::lock_guard lock(implementation->mutex);
  return !implementation->isDraining;
}

Outcome Server::checkModelReady(std::string_view model,
                                std::string_view version) const {
  return implementation->catalog.checkReady(model, version);
}

ServerInfo Server::info() const {
  return {"nnhal-serve", NNHAL_VERSION, {"model_repository"}};
}

Outcome Server::modelInfo(std::string_view model, std::string_view version,
                          ModelInfo &info) const {
  std::shared_ptr<ServedVersion> found;
  if (Outcome missing = implementation->catalog.find(model, version, found);
      !missing.isOk())
    return missing;
  info.name = found->modelName();
  info.versions = implementation->catalog.versionsOf(model);
  info.platform = "nnhal";
  info.version = found->versionName();
  info.inputs = found->signature().inputs;
  info.outputs = found->signature().outputs;
  info.maxBatchSize = found->settings().maxBatchSize;
  return Outcome();
}

namespace {
/// Tells who waits for the end of all requests when it is the last one.
template <typename Function> class AtEnd {
public:
  explicit AtEnd(Function function) : function(std::move(function)) {}
  AtEnd(const AtEnd &) = delete;
  AtEnd &operator=(const AtEnd &) = delete;
  ~AtEnd() { function(); }

private:
  Function function;
};
} // namespace

Outcome Server::infer(const InferenceRequest &request,
                      InferenceResponse &response) {
  return implementation->infer(request, response);
}

Outcome Server::Implementation::infer(const InferenceRequest &request,
                                      InferenceResponse &response) {
  response.trace = TraceContext::continueFrom(request.traceparent);
  int64_t began = rt::steadyNow();
  {
    std::lock_guard lock(mutex);
    if (isDraining)
      return refuse(OutcomeCode::unavailable, "the server is about to end");
    ++running;
  }
  AtEnd release([this] {
    std::lock_guard lock(mutex);
    if (--running == 0 && isDraining)
      changed.notify_all();
  });
  std::shared_ptr<ServedVersion> version;
  Outcome outcome = catalog.find(request.model, request.version, version);
  if (!version) {
    metrics.countUnknown(outcome.code());
    return outcome;
  }
  outcome = inferNow(version, request, response);
  VersionMetrics &counters = version->metrics();
  counters.requests[size_t(outcome.code())]->Increment();
  counters.requestSeconds.Observe(double(rt::steadyNow() - began) * 1e-9);
  response.owners.push_back(std::move(version));
  return outcome;
}

/// Executes \p request by \p version. Where the device of that has died, the
/// version is loaded anew and executed once more (C-082).
Outcome
Server::Implementation::inferNow(std::shared_ptr<ServedVersion> &version,
                                 const InferenceRequest &request,
                                 InferenceResponse &response) {
  Quotas::Admission admission;
  if (Outcome refused = quotas.admit(request.client, admission);
      !refused.isOk())
    return refused;
  Outcome outcome = version->infer(request, response);
  if (!outcome.isDeath())
    return outcome;
  rt::writeLog(*options.log, rt::LogTag::manager,
               "{}; version {} of model '{}' is loaded anew", outcome.message(),
               version->versionName(), version->modelName());
  std::shared_ptr<ServedVersion> next;
  outcome = catalog.replace(*version, request.version, request.deadline, next);
  if (!outcome.isOk())
    return outcome;
  version = std::move(next);
  response.outputs.clear();
  return version->infer(request, response);
}

std::vector<IndexEntry> Server::index(bool readyOnly) const {
  return implementation->catalog.index(readyOnly);
}

Outcome Server::load(std::string_view model) {
  return implementation->catalog.load(model);
}

Outcome Server::unload(std::string_view model) {
  return implementation->catalog.unload(model);
}

void Server::beginDrain() {
  std::lock_guard lock(implementation->mutex);
  implementation->isDraining = true;
}

bool Server::awaitDrain(rt::Deadline deadline) {
  std::unique_lock lock(implementation->mutex);
  auto isIdle = [this] { return implementation->running == 0; };
  if (deadline == rt::noDeadline) {
    implementation->changed.wait(lock, isIdle);
    return true;
  }
  return implementation->changed.wait_until(
      lock,
      std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline)),
      isIdle);
}

std::string Server::metrics() { return implementation->metrics.text(); }
