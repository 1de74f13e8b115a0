//===- Session.cpp - A client at the process of a device ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "Runtime/Support/Errors.h"
#include "Service/Protocol/Convert.h"
#include "nnhal/Runtime/Trace.h"

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using rt::Result;
using rt::Status;
using rt::StatusCode;

Session::Wire::Wire(kj::AsyncIoContext &io, rt::UniqueFd socket)
    : connection(io, std::move(socket)),
      driver(connection.bootstrap().castAs<wire::Driver>()), memories(driver),
      tasks(*this) {}

Session::Session(std::shared_ptr<EventLoop> loop, std::string device,
                 rt::DeviceServices services)
    : loop(std::move(loop)), name(std::move(device)),
      shared(std::move(services)) {}

Session::~Session() = default;

Result<std::shared_ptr<Session>> Session::open(std::shared_ptr<EventLoop> loop,
                                               rt::UniqueFd socket,
                                               std::string device,
                                               rt::DeviceServices services) {
  std::shared_ptr<Session> session(
      new Session(loop, std::move(device), std::move(services)));
  Status status = loop->call([&]() -> kj::Promise<Status> {
    auto made = std::make_unique<Wire>(loop->io(), std::move(socket));
    Wire &wire = *made;
    session->connection = {loop, std::move(made)};
    std::weak_ptr<Session> weak = session;
    wire.tasks.add(wire.connection.onEnd().then([weak] {
      if (std::shared_ptr<Session> self = weak.lock())
        self->die();
    }));
    return Status::ok();
  });
  NNHAL_RETURN_IF_ERROR(std::move(status));
  return session;
}

Session::Wire *Session::wire() const { return connection->get(); }

void Session::start(kj::Promise<void> promise) {
  wire()->tasks.add(kj::mv(promise));
}

Status Session::death() const {
  return Status(StatusCode::deadObject,
                fmt::format("the service of device '{}' has ended, or the "
                            "connection to it is lost",
                            name));
}

Status Session::failed(const kj::Exception &exception) {
  if (exception.getType() != kj::Exception::Type::DISCONNECTED)
    return statusOf(exception);
  // The calls that wait hear of the end before others do.
  die();
  return death();
}

void Session::die() {
  std::map<uint64_t, std::function<void()>> told;
  {
    std::lock_guard lock(mutex);
    if (dead.exchange(true, std::memory_order_acq_rel))
      return;
    told.swap(watchers);
  }
  for (auto &[number, function] : told)
    loop->callUser(std::move(function));
}

uint64_t Session::watch(std::function<void()> function) {
  std::lock_guard lock(mutex);
  if (isDead())
    return 0;
  watchers[++lastWatcher] = std::move(function);
  return lastWatcher;
}

void Session::forget(uint64_t watcher) {
  std::function<void()> forgotten; // Destroyed after the lock.
  std::lock_guard lock(mutex);
  if (auto found = watchers.find(watcher); found != watchers.end()) {
    forgotten = std::move(found->second);
    watchers.erase(found);
  }
}

void Session::fetchTrace() {
  if (!tracer() || isDead())
    return;
  using Events = Result<std::vector<rt::TraceEvent>>;
  Events events = call([](Wire &wire) {
    return wire.driver.traceRequest().send().then([](auto answer) -> Events {
      std::vector<rt::TraceEvent> events;
      for (wire::TraceEvent::Reader event : answer.getEvents())
        events.push_back(read(event));
      return events;
    });
  });
  // A trace has gaps rather than failing what it follows.
  if (!events.isOk())
    return;
  const std::string owner = name + " (service)";
  for (rt::TraceEvent &event : *events) {
    tracer()->nameThread(event.beginThread, owner);
    tracer()->nameThread(event.endThread, owner);
    tracer()->addEvent(std::move(event));
  }
}
