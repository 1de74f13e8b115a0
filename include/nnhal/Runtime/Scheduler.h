//===- Scheduler.h - The order of executions --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_SCHEDULER_H
#define NNHAL_RUNTIME_SCHEDULER_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Execution.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace nnhal::rt {

/// The client that asks for a slot, how urgently and until when.
struct Ticket {
  /// Clients share the slots evenly; priorities count within one client.
  uint64_t client = 0;
  Priority priority = Priority::medium;
  /// The deadline of the wait for the slot: an execution that has one checks
  /// its own.
  Deadline deadline = noDeadline;
};

/// Admits at most `slots` executions at a time, those on the callers' threads
/// and those on its own workers together. An execution that does not fit waits:
/// clients take turns; within a client the higher priority goes first, then the
/// earlier arrival, except that after 64 entries of higher priority in a row
/// one of a lower priority has its turn (nobody starves).
///
/// Ownership: one per device; outlives its slots by contract: the destructor
///            waits for them.
/// Threads:   every member may be called from any thread. Workers are started
///            by submit() when needed. The destructor may not be called by a
///            job (asserted; without assertions the program ends, it does not
///            hang); create() makes schedulers whose last reference a job may
///            release.
/// Blocking:  enter() when no slot is free, and the destructor.
/// Deadlock:  a thread that holds a slot, a job included, must not call enter()
///            or wait for a job: all slots could be waiting for one another.
class NNHAL_API Scheduler {
public:
  struct Options {
    /// The number of slots; 0 stands for one per hardware thread.
    unsigned slots = 0;
    /// The number of executions that may wait, callers and jobs together.
    size_t queueLimit = 1024;
    /// The steady clock in nanoseconds; steadyNow() when it is empty.
    std::function<int64_t()> clock = nullptr;
  };

  /// The right to execute, which the destructor gives back. It is move-only.
  class Slot {
  public:
    Slot(Slot &&other) noexcept
        : scheduler(std::exchange(other.scheduler, nullptr)),
          wasTakenFirst(other.wasTakenFirst) {}
    Slot &operator=(Slot &&other) noexcept {
      if (this != &other) {
        release();
        scheduler = std::exchange(other.scheduler, nullptr);
        wasTakenFirst = other.wasTakenFirst;
      }
      return *this;
    }
    ~Slot() { release(); }
    /// Whether nobody had a slot when this one was taken. At most one slot in
    /// existence was: the next such is taken after all of today's were given
    /// back, and sees what their holders have written before that. So it
    /// guards what only its holders touch, as a mutex would. Others may have
    /// slots beside it that were taken later.
    bool wasFirst() const { return wasTakenFirst; }
    /// Gives the slot back now.
    void release() {
      if (Scheduler *owner = std::exchange(scheduler, nullptr))
        owner->leave();
    }

  private:
    friend class Scheduler;
    Slot(Scheduler *scheduler, bool wasTakenFirst)
        : scheduler(scheduler), wasTakenFirst(wasTakenFirst) {}
    Scheduler *scheduler;
    bool wasTakenFirst;
  };

  /// Numbers for traces and tests: a snapshot, each number by itself.
  struct Stats {
    unsigned slots = 0;
    unsigned running = 0;
    unsigned queued = 0;
    unsigned peakRunning = 0;
    unsigned peakQueued = 0;
    /// Executions that were refused because the queue was full.
    uint64_t rejected = 0;
    /// Executions that were refused or dropped from the queue because a
    /// deadline had passed.
    uint64_t missed = 0;
  };

  explicit Scheduler(Options options);
  /// Makes a scheduler that any thread may release. When one of its own jobs
  /// releases it, it is destroyed on a thread that is started for this and ends
  /// with it; should the system give no thread, it stays for the life of the
  /// process.
  static std::shared_ptr<Scheduler> create(Options options);
  /// Lets running jobs and holders of slots finish; calls queued jobs with
  /// generalFailure on this thread, and enter() returns it to those who wait.
  ~Scheduler();
  Scheduler(const Scheduler &) = delete;
  Scheduler &operator=(const Scheduler &) = delete;

  /// Waits on the caller's thread for a slot; one atomic operation when one is
  /// free and nobody waits. The failures are:
  /// - missedDeadlinePersistent: the deadline had passed before the call;
  /// - missedDeadlineTransient: it passed while waiting;
  /// - resourceExhaustedTransient: the queue is full;
  /// - generalFailure: the scheduler is being destroyed.
  Result<Slot> enter(const Ticket &ticket);

  /// Takes a slot when one is free and nobody waits; never waits.
  std::optional<Slot> tryTake();

  /// Calls \p job on a worker thread as soon as a slot is free, with ok, and
  /// holds the slot until it returns. A job whose deadline passes while it
  /// waits is called with missedDeadlineTransient, without a slot and without
  /// waiting for one. The job is called exactly once when this returns ok, and
  /// never otherwise. Fails like enter(), and with resourceExhaustedTransient
  /// when no thread can be started. The job must not throw.
  Status submit(const Ticket &ticket, std::function<void(Status)> job);

  Stats stats() const;

private:
  struct Queue;

  bool isOwnThread() const;
  void leave();
  enum class Entry { refused, first, beside };
  /// Takes a slot on the fast path: one is free and nobody waits.
  Entry tryEnter();
  void notePeak(unsigned taken);
  Status checkDeadline(const Ticket &ticket);
  Status waitForSlot(const Ticket &ticket);

  const unsigned slots;
  /// The slots taken, the number waiting and a stop bit in one word; see
  /// Scheduler.cpp.
  std::atomic<uint64_t> state{0};
  std::atomic<unsigned> peakRunning{0};
  std::unique_ptr<Queue> queue;
};

using Slot = Scheduler::Slot;

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_SCHEDULER_H
