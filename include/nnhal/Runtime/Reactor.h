//===- Reactor.h - Waits for fences and times without blocking --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_REACTOR_H
#define NNHAL_RUNTIME_REACTOR_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Fence.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace nnhal::rt {

/// One thread that waits for any number of fences and deadlines, so that no
/// caller has to block for them (D-061). It is started by the first use and
/// joined by the destructor.
///
/// Handlers:  run one after another on the reactor's thread, outside of its
///            lock; they may call every member. They must be short (a slow one
///            delays all others), must not throw and must not wait for what
///            another handler does.
/// Ownership: a handler and what it captured are destroyed on the reactor's
///            thread once it ran. A fence that is waited for is not kept alive:
///            an own fence fails when its last holder leaves.
/// Threads:   every member may be called from any thread. The destructor may
///            not be called by a handler (asserted; without assertions the
///            program ends, it does not hang); create() makes reactors whose
///            last reference a handler may release.
/// Blocking:  only the destructor, and cancel() while that timer's function
///            runs.
class NNHAL_API Reactor {
public:
  /// The nanoseconds on the clock that times and deadlines are read from; any
  /// thread asks it. A clock that is not the system's steady clock is looked at
  /// when the reactor has something to do, and when as much time has passed as
  /// a timer was away when it became the next one.
  using Clock = std::function<int64_t()>;

  /// An empty \p clock is the system's steady clock.
  explicit Reactor(Clock clock = {});
  /// Makes a reactor that any thread may release. When one of its own handlers
  /// releases it, it is destroyed on a thread that is started for this and ends
  /// with it; should the system give no thread, it stays for the life of the
  /// process.
  static std::shared_ptr<Reactor> create(Clock clock = {});
  /// Joins the thread. Calls the handlers that are still due with
  /// generalFailure; timers are dropped without a call.
  ~Reactor();
  Reactor(const Reactor &) = delete;
  Reactor &operator=(const Reactor &) = delete;

  /// Calls \p handler once on the reactor's thread: ok when all \p fences are
  /// signalled (null ones are), the first failure as soon as there is one,
  /// missedDeadlineTransient when \p deadline passes before.
  /// When this returns a failure, \p handler is never called:
  /// resourceExhaustedTransient (no descriptors or no thread), generalFailure
  /// (the reactor is being destroyed).
  Status whenAll(std::vector<FenceRef> fences, Deadline deadline,
                 std::function<void(Status)> handler);

  /// Calls \p function once on the reactor's thread, not before \p time; at
  /// once when that has passed, never for noDeadline. Returns the number that
  /// cancel() takes; fails like whenAll().
  Result<uint64_t> at(Deadline time, std::function<void()> function);

  /// On return the function of \p timer has run to its end or never will; when
  /// called by that function itself, it returns at once. A timer that ran, or
  /// 0, is ignored. The caller must not hold a lock that the function takes.
  void cancel(uint64_t timer);

  /// Returns a fence that is signalled when all \p fences are and fails with
  /// the first failure. The result is null when all are signalled already, and
  /// the fence itself when there is only one to wait for.
  Result<FenceRef> join(std::vector<FenceRef> fences);

private:
  struct Loop;
  std::unique_ptr<Loop> loop;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_REACTOR_H
