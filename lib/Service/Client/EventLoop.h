//===- EventLoop.h - The thread that speaks with services -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_CLIENT_EVENTLOOP_H
#define NNHAL_LIB_SERVICE_CLIENT_EVENTLOOP_H

#include "nnhal/Runtime/Scheduler.h"
#include "nnhal/Runtime/Status.h"

#include <kj/async-io.h>
#include <kj/async.h>
#include <kj/function.h>

#include <memory>
#include <thread>
#include <utility>

namespace nnhal::service::client {

/// The status of a call that Cap'n Proto has failed: deadObject for a lost
/// connection, resourceExhaustedTransient for an end that has too much to do,
/// otherwise generalFailure.
rt::Status statusOf(const kj::Exception &exception);

/// One thread with an event loop of kj, and threads for what users do.
///
/// All objects of kj and Cap'n Proto live and die on the loop's thread. Nothing
/// of the user's runs there: it could call the device and wait for the loop.
///
/// Ownership: shared by everything that has something on the loop. Any thread
///            may release it.
/// Threads:   every member may be called from any thread but as it says.
class EventLoop {
public:
  /// Fails with resourceExhaustedTransient without threads or descriptors.
  static rt::Result<std::shared_ptr<EventLoop>> create();
  /// Ends the thread when everything that was posted has run.
  ~EventLoop();
  EventLoop(const EventLoop &) = delete;
  EventLoop &operator=(const EventLoop &) = delete;

  /// Calls \p function on the loop's thread and waits for the promise that it
  /// returns: kj::Promise<Status> or kj::Promise<Result<T>>. Exceptions become
  /// the status statusOf() of them. Never called on the loop's thread.
  template <typename Function> auto call(Function &&function) const {
    auto polled = [&] { return function().attach(kj::defer(poll())); };
    using Outcome = decltype(executor().executeSync(polled));
    try {
      return executor().executeSync(polled);
    } catch (const kj::Exception &exception) {
      return Outcome(statusOf(exception));
    }
  }

  /// Calls \p function on the loop's thread soon, in the order of the calls,
  /// and does not wait.
  void post(kj::Function<void()> function) const;

  /// Calls \p job on a thread for what users do.
  void callUser(std::function<void()> job) const;

  /// Streams and timers. Only on the loop's thread.
  kj::AsyncIoContext &io() const;

private:
  struct State;

  explicit EventLoop(std::shared_ptr<State> state);
  /// Lets the loop poll until the function that this returns is called. Only on
  /// the loop's thread.
  kj::Function<void()> poll() const;
  const kj::Executor &executor() const;

  const std::shared_ptr<State> state;
  const std::shared_ptr<rt::Scheduler> users;
  std::thread thread;
};

/// An object of the loop's thread in the hands of others, which destroys it
/// there. It is move-only.
template <typename T> class OnLoop {
public:
  OnLoop() = default;
  OnLoop(std::shared_ptr<EventLoop> loop, T value)
      : loop(std::move(loop)), value(kj::heap<T>(kj::mv(value))) {}
  OnLoop(OnLoop &&other) noexcept = default;
  OnLoop &operator=(OnLoop &&other) noexcept {
    std::swap(loop, other.loop);
    std::swap(value, other.value);
    return *this;
  }
  ~OnLoop() noexcept {
    if (loop && value.get())
      loop->post([value = kj::mv(value)]() {});
  }

  /// Only on the loop's thread.
  T &operator*() const { return *const_cast<T *>(value.get()); }
  T *operator->() const { return const_cast<T *>(value.get()); }

private:
  std::shared_ptr<EventLoop> loop;
  kj::Own<T> value;
};

} // namespace nnhal::service::client

#endif // NNHAL_LIB_SERVICE_CLIENT_EVENTLOOP_H
