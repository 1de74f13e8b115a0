//===- Session.h - What a device keeps for one client -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_SESSION_H
#define NNHAL_LIB_SERVICE_HOST_SESSION_H

#include "Account.h"
#include "Answer.h"
#include "DeviceHost.h"
#include "Gate.h"
#include "LoopQueue.h"

#include "Runtime/Support/Errors.h"
#include "Service/Protocol/Convert.h"
#include "nnhal/Runtime/Scheduler.h"
#include "nnhal/Runtime/Trace.h"

#include <capnp/capability.h>

#include <map>
#include <new>
#include <set>

namespace nnhal::service {

/// The parts of a host that its sessions share.
struct HostState {
  DeviceHostOptions options;
  DeviceDescription description;
  /// Threads for calls that block; clients take turns. Null once the host ends.
  std::shared_ptr<rt::Scheduler> calls;
  const std::shared_ptr<LoopQueue> loop = std::make_shared<LoopQueue>();
  /// No new work is accepted.
  bool isDraining = false;
};

/// The state of one client in the process of a device: its own device, so that
/// no other client's objects can be named, and what the client has.
///
/// Ownership: shared by the capabilities of the client; never by another
///            thread.
/// Threads:   that of the event loop, except where it is said.
class Session : public std::enable_shared_from_this<Session> {
public:
  Session(std::shared_ptr<HostState> host, ClientIdentity identity,
          uint64_t number);

  const std::shared_ptr<HostState> host;
  const ClientIdentity identity;
  /// Tells clients apart where they take turns.
  const uint64_t number;
  /// Outlives this where threads hold a part of it.
  const std::shared_ptr<Account> account;

  /// The device of the client, made by the first call. May block; for threads
  /// of calls.
  rt::Result<const rt::Device *> device();

  /// Calls \p function, which returns a Status or a Result, on a thread for
  /// calls that block. Exceptions become failures.
  template <typename Function>
  auto callOnThread(Function function) -> kj::Promise<decltype(function())>;

  /// Answers the call of \p method with the status that \p body, which returns
  /// a kj::Promise<Status>, promises or throws. \p body fills the other
  /// results.
  template <typename Context, typename Body>
  kj::Promise<void> answer(Context context, rt::TracePhase phase,
                           const char *method, Body body);

  /// Destroys \p object on such a thread, since that may take a while.
  void discard(std::shared_ptr<const void> object);

  /// Memories by the number that importMemory gave them.
  uint32_t addMemory(std::shared_ptr<rt::SharedMemory> memory);
  void removeMemory(uint32_t id) { memories.erase(id); }
  std::shared_ptr<rt::SharedMemory> findMemory(uint32_t id) const;

  /// Tokens of the client's buffers.
  std::set<uint32_t> tokens;
  /// invalidArgument for a buffer that is not one of the client's.
  rt::Status checkTokens(const rt::Request &request) const;

  capnp::CapabilityServerSet<wire::PreparedModel> models;

  /// deviceUnavailable when the host drains.
  rt::Status checkAccepting() const;

  /// Null until tracing is on.
  std::shared_ptr<rt::Tracer> tracer;

  void report(wire::HostReport::Client::Builder builder) const;

private:
  rt::Result<std::unique_ptr<rt::Device>> makeDevice() const;
  rt::Status submit(std::function<void(rt::Status)> job) const;

  std::mutex deviceMutex;
  std::optional<rt::Result<std::unique_ptr<rt::Device>>> madeDevice;
  Gate gate;
  std::map<uint32_t, std::shared_ptr<rt::SharedMemory>> memories;
  uint32_t lastMemory = 0;
};

template <typename Context, typename Body>
kj::Promise<void> Session::answer(Context context, rt::TracePhase phase,
                                  const char *method, Body body) {
  rt::TraceSpan span(tracer.get(), rt::TraceLayer::ipc, phase, method);
  auto answered =
      kj::evalNow(kj::mv(body))
          .catch_([](kj::Exception &&exception) { return statusOf(exception); })
          .then([this, context](const rt::Status &status) mutable {
            account->note(status);
            write(status, context.getResults().initStatus());
            if (LoopPolling *polling = host->options.polling.get())
              polling->begin();
          });
  if (!tracer)
    return answered;
  return answered.attach(kj::mv(span));
}

template <typename Function>
auto Session::callOnThread(Function function)
    -> kj::Promise<decltype(function())> {
  using Outcome = decltype(function());
  // Functions of schedulers can be copied.
  auto shared = std::make_shared<Function>(std::move(function));
  return gate.enter().then(
      [this, shared](Gate::Pass pass) -> kj::Promise<Outcome> {
        auto pair = kj::newPromiseAndCrossThreadFulfiller<Outcome>();
        auto fulfiller =
            std::make_shared<decltype(pair.fulfiller)>(kj::mv(pair.fulfiller));
        auto job = [shared, fulfiller](rt::Status admitted) {
          (*fulfiller)
              ->fulfill(admitted.isOk() ? callGuarded(*shared)
                                        : Outcome(std::move(admitted)));
        };
        rt::Status launched = submit(std::move(job));
        if (!launched.isOk())
          return Outcome(std::move(launched));
        return pair.promise.attach(kj::mv(pass));
      });
}

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_SESSION_H
