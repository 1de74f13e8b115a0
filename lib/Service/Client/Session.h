//===- Session.h - A client at the process of a device ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_CLIENT_SESSION_H
#define NNHAL_LIB_SERVICE_CLIENT_SESSION_H

#include "Connection.h"
#include "EventLoop.h"
#include "Memories.h"

#include "nnhal/Runtime/DeviceServices.h"

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace nnhal::service::client {

/// A client's connection to the process of a device, until one of them ends.
///
/// Ownership: shared by the device and everything that it has made through this
///            connection.
/// Threads:   every member may be called from any thread but that of the loop,
///            unless it says otherwise.
class Session : public std::enable_shared_from_this<Session> {
public:
  /// The objects of the loop's thread.
  struct Wire;

  /// generalFailure for a descriptor that is not a socket.
  static rt::Result<std::shared_ptr<Session>>
  open(std::shared_ptr<EventLoop> loop, rt::UniqueFd socket, std::string device,
       rt::DeviceServices services);
  ~Session();

  /// Calls \p function with the Wire on the loop's thread, and waits for the
  /// promise of a Status or a Result that it returns. deadObject once the
  /// connection is lost; other exceptions as statusOf() says.
  template <typename Function> auto call(Function function) {
    auto guarded = [&] { return guard([&] { return function(*wire()); }); };
    using Outcome = decltype(loop->call(guarded));
    if (isDead())
      return Outcome(death());
    return loop->call(guarded);
  }
  /// The promise that \p function returns, with its exceptions as failures.
  /// Only on the loop's thread.
  template <typename Function>
  auto guard(Function &&function) -> decltype(function()) {
    auto promise = kj::evalNow(std::forward<Function>(function));
    using Outcome = decltype(promise.wait(std::declval<kj::WaitScope &>()));
    auto self = shared_from_this();
    return promise.catch_([self](kj::Exception &&exception) -> Outcome {
      return self->failed(exception);
    });
  }
  /// Keeps \p promise until it ends. Only on the loop's thread.
  void start(kj::Promise<void> promise);

  bool isDead() const { return dead.load(std::memory_order_acquire); }
  /// deadObject, with the name of the device.
  rt::Status death() const;

  /// Calls \p function on a thread for what users do when the connection is
  /// lost. Returns the number for forget(), or 0 when it is lost already
  /// (C-078).
  uint64_t watch(std::function<void()> function);
  void forget(uint64_t watcher);

  /// Adds the sections of the service to the tracer, if there is one.
  void fetchTrace();

  const std::string &device() const { return name; }
  const rt::DeviceServices &services() const { return shared; }
  rt::Tracer *tracer() const { return shared.tracer.get(); }
  const std::shared_ptr<EventLoop> &eventLoop() const { return loop; }

private:
  Session(std::shared_ptr<EventLoop> loop, std::string device,
          rt::DeviceServices services);
  Wire *wire() const;
  rt::Status failed(const kj::Exception &exception);
  void die();

  const std::shared_ptr<EventLoop> loop;
  const std::string name;
  const rt::DeviceServices shared;
  OnLoop<std::unique_ptr<Wire>> connection;
  std::atomic<bool> dead = false;
  std::mutex mutex;
  uint64_t lastWatcher = 0;
  std::map<uint64_t, std::function<void()>> watchers;
};

struct Session::Wire final : private kj::TaskSet::ErrorHandler {
  Wire(kj::AsyncIoContext &io, rt::UniqueFd socket);

  Connection connection;
  wire::Driver::Client driver;
  Memories memories;
  kj::TaskSet tasks;

private:
  /// Tasks report through what they have captured.
  void taskFailed(kj::Exception &&) override {}
};

} // namespace nnhal::service::client

#endif // NNHAL_LIB_SERVICE_CLIENT_SESSION_H
