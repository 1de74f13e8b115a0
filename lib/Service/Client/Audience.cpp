//===- Audience.cpp - Who hears of a preparation --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Audience.h"

#include "Runtime/Support/Errors.h"
#include "Service/Protocol/Convert.h"
#include "Service/Protocol/Wire.h"
#include "nnhal/Runtime/Compiler.h"

#include <chrono>
#include <utility>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using rt::PreparedModelRef;
using rt::Result;
using rt::Status;
using rt::UniqueFd;

//===----------------------------------------------------------------------===//
// Audience
//===----------------------------------------------------------------------===//

void Audience::runAll(std::unique_lock<std::mutex> &lock) {
  while (!jobs.empty()) {
    std::function<void()> job = std::move(jobs.front());
    jobs.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

void Audience::drain() {
  std::unique_lock lock(mutex);
  runAll(lock);
  isHeard = false;
}

/// Under the lock.
void Audience::add(std::function<void()> job) {
  jobs.push_back(std::move(job));
  changed.notify_one();
  if (!std::exchange(isHeard, true))
    loop->callUser([self = shared_from_this()] { self->drain(); });
}

void Audience::tell(News news, std::function<void()> job) {
  std::lock_guard lock(mutex);
  if (!hasEnded || (news == News::background && hasBackground))
    add(std::move(job));
}

void Audience::end(Result<PreparedModelRef> ended) {
  std::lock_guard lock(mutex);
  if (std::exchange(hasEnded, true))
    return;
  if (!callback) {
    outcome = std::move(ended);
    changed.notify_one();
    return;
  }
  add([callback = std::exchange(callback, nullptr), ended = std::move(ended)] {
    callback(ended);
  });
}

std::optional<Result<PreparedModelRef>>
Audience::listen(const std::function<bool()> &isCancelled) {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex);
  bool hasBeenCancelled = false;
  while (true) {
    runAll(lock);
    if (outcome || hasBeenCancelled)
      break;
    if (!isCancelled) {
      changed.wait(lock);
      continue;
    }
    changed.wait_for(lock, 1ms);
    lock.unlock();
    hasBeenCancelled = isCancelled();
    lock.lock();
  }
  isHeard = false;
  hasEnded = true;
  return std::exchange(outcome, std::nullopt);
}

//===----------------------------------------------------------------------===//
// The capability
//===----------------------------------------------------------------------===//

namespace {
using News = Audience::News;

class Observer final : public wire::PrepareObserver::Server {
public:
  Observer(rt::PrepareObserver observer, std::shared_ptr<Audience> audience)
      : observer(std::move(observer)), audience(std::move(audience)) {}

  kj::Promise<void> compileEnded(CompileEndedContext context) override {
    // A second end would be news about nothing.
    if (!observer.compileEnded || std::exchange(hasEnded, true))
      return kj::READY_NOW;
    return tell(
        News::background,
        [function = observer.compileEnded,
         status = read(context.getParams().getStatus())] { function(status); });
  }

  kj::Promise<void> diagnostic(DiagnosticContext context) override {
    if (!observer.compile.diagnostic)
      return kj::READY_NOW;
    auto params = context.getParams();
    return tell(News::preparation,
                [function = observer.compile.diagnostic,
                 isError = params.getIsError(),
                 text = textOf(params.getText())] { function(isError, text); });
  }

  kj::Promise<void> keepArtifact(KeepArtifactContext context) override {
    auto params = context.getParams();
    std::vector<NamedDescriptor> named;
    named.push_back({params.getModelCache(), "the model cache"});
    named.push_back({params.getDataCache(), "the data cache"});
    return takeDescriptors(std::move(named))
        .then([this, context](Result<std::vector<UniqueFd>> taken) mutable {
          return keep(std::move(taken), context);
        });
  }

private:
  /// The service hears that \p job has run, so that it cannot tell faster than
  /// somebody listens.
  kj::Promise<void> tell(News news, std::function<void()> job) {
    auto done = kj::newPromiseAndCrossThreadFulfiller<void>();
    auto fulfiller =
        std::make_shared<decltype(done.fulfiller)>(kj::mv(done.fulfiller));
    audience->tell(news, [job = std::move(job), fulfiller] {
      job();
      (*fulfiller)->fulfill();
    });
    return kj::mv(done.promise);
  }

  kj::Promise<void> keep(Result<std::vector<UniqueFd>> taken,
                         KeepArtifactContext context);

  const rt::PrepareObserver observer;
  const std::shared_ptr<Audience> audience;
  bool hasEnded = false;
};
} // namespace

/// Gives the artifact behind \p descriptors to \p function.
static Status
keepBytes(const std::function<Status(const rt::CompiledModel &)> &function,
          std::vector<UniqueFd> &descriptors, uint64_t modelCacheSize,
          uint64_t dataCacheSize) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory code,
                         readBytes(std::move(descriptors[0]), modelCacheSize));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, code.bytes());
  rt::CompiledModel artifact;
  artifact.modelCache.assign(bytes.begin(), bytes.end());
  NNHAL_ASSIGN_OR_RETURN(artifact.dataCache,
                         readBytes(std::move(descriptors[1]), dataCacheSize));
  return function(artifact);
}

kj::Promise<void> Observer::keep(Result<std::vector<UniqueFd>> taken,
                                 KeepArtifactContext context) {
  if (!taken.isOk() || !observer.keepArtifact) {
    write(taken.status(), context.getResults().initStatus());
    return kj::READY_NOW;
  }
  auto params = context.getParams();
  auto status = std::make_shared<Status>();
  auto descriptors = std::make_shared<std::vector<UniqueFd>>(*std::move(taken));
  auto job = [function = observer.keepArtifact, status, descriptors,
              code = params.getModelCacheSize(),
              data = params.getDataCacheSize()] {
    *status = keepBytes(function, *descriptors, code, data);
  };
  return tell(News::background, std::move(job))
      .then([status, context]() mutable {
        write(*status, context.getResults().initStatus());
      });
}

wire::PrepareObserver::Client
client::makeObserver(const rt::PrepareObserver &observer,
                     std::shared_ptr<Audience> audience) {
  if (!observer.compileEnded && !observer.keepArtifact &&
      !observer.compile.diagnostic)
    return nullptr;
  return kj::heap<Observer>(observer, std::move(audience));
}
