//===- Preparation.cpp - Models that a service prepares -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Preparation.h"

#include "Audience.h"
#include "RemoteModel.h"

#include "Runtime/Support/Errors.h"
#include "Service/Protocol/Convert.h"
#include "Service/Protocol/Wire.h"
#include "nnhal/Runtime/Trace.h"

#include <atomic>
#include <utility>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using rt::PreparedModelRef;
using rt::Result;
using rt::Status;

using Prepared = Result<PreparedModelRef>;
using SessionRef = std::shared_ptr<Session>;

/// The prepared model behind \p client, which a service calls a success.
static kj::Promise<Prepared> adopt(const SessionRef &session, bool isThere,
                                   wire::PreparedModel::Client client) {
  if (!isThere)
    return Prepared(
        rt::failure("the service prepared a model and did not send it"));
  auto call = client.describeRequest();
  return call.send().then(
      [session, client = kj::mv(client)](auto answer) mutable -> Prepared {
        RemoteParts parts;
        NNHAL_ASSIGN_OR_RETURN(parts.interface, read(answer.getInterface()));
        parts.use = read(answer.getMemoryUse());
        parts.capability = {session->eventLoop(), kj::mv(client)};
        return PreparedModelRef(
            std::make_shared<RemoteModel>(session, std::move(parts)));
      });
}

/// An outcome that this end does not know is "off", which is not reported.
static std::vector<std::pair<rt::CacheOutcome, std::string>>
eventsOf(capnp::List<wire::CacheEvent>::Reader list) {
  std::vector<std::pair<rt::CacheOutcome, std::string>> events;
  for (wire::CacheEvent::Reader event : list) {
    auto outcome = rt::CacheOutcome(event.getOutcome());
    if (outcome > rt::CacheOutcome::off &&
        outcome <= rt::CacheOutcome::missWritableByOthers)
      events.emplace_back(outcome, textOf(event.getDetail()));
  }
  return events;
}

//===----------------------------------------------------------------------===//
// From a model
//===----------------------------------------------------------------------===//

namespace {
/// One preparation. Lives as long as its promise on the loop.
struct Attempt {
  SessionRef session;
  std::shared_ptr<Audience> audience;
  rt::CacheObserver cacheObserver;
  /// Written on the loop's thread.
  std::atomic<bool> hasBegun = false;
  /// Null when nobody waits for the begin alone.
  kj::Own<kj::PromiseFulfiller<Status>> begun;

  void begin() {
    hasBegun = true;
    if (begun.get() != nullptr)
      begun->fulfill(Status::ok());
  }
  void hear(capnp::List<wire::CacheEvent>::Reader cache) {
    if (!cacheObserver)
      return;
    for (auto &event : eventsOf(cache))
      audience->tell(Audience::News::preparation,
                     [observer = cacheObserver, event = std::move(event)] {
                       observer(event.first, event.second);
                     });
  }
  void end(Prepared outcome) {
    if (outcome.isOk())
      begin();
    // Where the begin is waited for, a failure to begin is told there.
    if (begun.get() != nullptr && !hasBegun)
      begun->fulfill(outcome.status());
    else
      audience->end(std::move(outcome));
  }
};

class LaunchServer final : public wire::Launch::Server {
public:
  explicit LaunchServer(std::shared_ptr<Attempt> attempt)
      : attempt(std::move(attempt)) {}
  kj::Promise<void> launched(LaunchedContext) override {
    attempt->begin();
    return kj::READY_NOW;
  }

private:
  const std::shared_ptr<Attempt> attempt;
};
} // namespace

/// Writes \p options. Nothing that is wrong with the files of a cache fails a
/// preparation (E-033): then it goes without them, and the observer hears why.
static Status writeOptions(const rt::PrepareOptions &options, Attempt &attempt,
                           wire::PrepareOptions::Builder builder) {
  Status written = write(options, builder);
  if (written.isOk() || options.cache.isEmpty())
    return written;
  if (attempt.cacheObserver)
    attempt.audience->tell(Audience::News::preparation,
                           [observer = attempt.cacheObserver, written] {
                             observer(rt::CacheOutcome::missUnreadable,
                                      written.message());
                           });
  rt::PrepareOptions uncached = options;
  uncached.cache = {};
  builder.disownModelCache();
  builder.disownDataCache();
  return write(uncached, builder);
}

/// Sends the request. The promise ends when everything has been told.
static Result<kj::Promise<void>> start(Session::Wire &wire,
                                       const std::shared_ptr<Attempt> &attempt,
                                       const rt::AnnotatedModel &model,
                                       const rt::PrepareOptions &options,
                                       const rt::PrepareObserver &observer) {
  auto call = wire.driver.prepareModelRequest();
  NNHAL_RETURN_IF_ERROR(write(model, call.initModel()));
  NNHAL_RETURN_IF_ERROR(writeOptions(options, *attempt, call.initOptions()));
  call.setObserver(makeObserver(observer, attempt->audience));
  call.setLaunch(kj::heap<LaunchServer>(attempt));
  const SessionRef &session = attempt->session;
  auto prepared = session->guard([&] {
    return call.send().then([attempt](auto answer) -> kj::Promise<Prepared> {
      attempt->hear(answer.getCache());
      if (answer.getLaunched())
        attempt->begin();
      if (Status status = read(answer.getStatus()); !status.isOk())
        return Prepared(std::move(status));
      return adopt(attempt->session, answer.hasModel(), answer.getModel());
    });
  });
  return prepared
      .then([attempt](Prepared outcome) { attempt->end(std::move(outcome)); })
      .eagerlyEvaluate(nullptr);
}

Prepared client::prepare(const SessionRef &session,
                         const rt::AnnotatedModel &model,
                         const rt::PrepareOptions &options,
                         const rt::PrepareObserver &observer, bool &hasBegun) {
  auto audience = std::make_shared<Audience>(session->eventLoop(),
                                             options.compileAfter.has_value());
  auto attempt = std::make_shared<Attempt>();
  attempt->session = session;
  attempt->audience = audience;
  attempt->cacheObserver = observer.cacheObserver;
  // Who lets go of the promise cancels the call.
  OnLoop<kj::Promise<void>> running;
  Status started =
      session->call([&](Session::Wire &wire) -> kj::Promise<Status> {
        auto promise = start(wire, attempt, model, options, observer);
        if (promise.isOk())
          running = {session->eventLoop(), *std::move(promise)};
        return promise.status();
      });
  NNHAL_RETURN_IF_ERROR(std::move(started));
  std::optional<Prepared> outcome =
      audience->listen(observer.compile.isCancelled);
  hasBegun = attempt->hasBegun;
  if (!outcome)
    return rt::failure("the preparation was cancelled");
  return *std::move(outcome);
}

Status client::beginPreparation(const SessionRef &session,
                                const rt::AnnotatedModel &model,
                                const rt::PrepareOptions &options,
                                const rt::PrepareObserver &observer,
                                const rt::PrepareCallback &callback,
                                bool &hasBegun) {
  auto span = std::make_shared<rt::TraceSpan>(
      session->tracer(), rt::TraceLayer::ipc, rt::TracePhase::preparation,
      session->device());
  auto told = [callback, span, session](Prepared outcome) {
    span->end();
    session->fetchTrace();
    callback(std::move(outcome));
  };
  auto attempt = std::make_shared<Attempt>();
  attempt->session = session;
  attempt->audience = std::make_shared<Audience>(
      session->eventLoop(), options.compileAfter.has_value(), std::move(told));
  attempt->cacheObserver = observer.cacheObserver;
  Status status =
      session->call([&](Session::Wire &wire) -> kj::Promise<Status> {
        auto begun = kj::newPromiseAndFulfiller<Status>();
        attempt->begun = kj::mv(begun.fulfiller);
        auto promise = start(wire, attempt, model, options, observer);
        if (!promise.isOk())
          return promise.status();
        session->start(*std::move(promise));
        return kj::mv(begun.promise);
      });
  hasBegun = attempt->hasBegun;
  return status;
}

//===----------------------------------------------------------------------===//
// From what was compiled
//===----------------------------------------------------------------------===//

Prepared client::loadFromCache(const SessionRef &session,
                               const rt::PrepareOptions &options,
                               const rt::PrepareObserver &observer) {
  std::vector<std::pair<rt::CacheOutcome, std::string>> events;
  Prepared prepared =
      session->call([&](Session::Wire &wire) -> kj::Promise<Prepared> {
        auto call = wire.driver.prepareModelFromCacheRequest();
        Status written = write(options, call.initOptions());
        if (!written.isOk())
          return Prepared(std::move(written));
        return call.send().then([&](auto answer) -> kj::Promise<Prepared> {
          events = eventsOf(answer.getCache());
          if (Status status = read(answer.getStatus()); !status.isOk())
            return Prepared(std::move(status));
          return adopt(session, answer.hasModel(), answer.getModel());
        });
      });
  if (observer.cacheObserver)
    for (const auto &[outcome, detail] : events)
      observer.cacheObserver(outcome, detail);
  return prepared;
}

Prepared client::loadFromArtifact(const SessionRef &session,
                                  std::span<const std::byte> modelCache,
                                  std::span<const std::byte> dataCache,
                                  const rt::PrepareOptions &options) {
  return session->call([&](Session::Wire &wire) -> kj::Promise<Prepared> {
    auto call = wire.driver.prepareModelFromArtifactRequest();
    Status written = [&]() -> Status {
      NNHAL_RETURN_IF_ERROR(write(options, call.initOptions()));
      NNHAL_ASSIGN_OR_RETURN(auto code, makeBytes(modelCache));
      NNHAL_ASSIGN_OR_RETURN(auto constants, makeBytes(dataCache));
      call.setModelCache(kj::mv(code));
      call.setDataCache(kj::mv(constants));
      return Status::ok();
    }();
    if (!written.isOk())
      return Prepared(std::move(written));
    call.setModelCacheSize(modelCache.size());
    call.setDataCacheSize(dataCache.size());
    return call.send().then([&](auto answer) -> kj::Promise<Prepared> {
      if (Status status = read(answer.getStatus()); !status.isOk())
        return Prepared(std::move(status));
      return adopt(session, answer.hasModel(), answer.getModel());
    });
  });
}
