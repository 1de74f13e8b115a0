//===- Scheduler.cpp - The order of executions ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `state` holds, from the low bits up: the slots taken (32 bits), the number
// waiting (31 bits) and the stop bit. While somebody waits all slots are taken
// and only holders of the mutex change the word: a slot goes from hand to hand.
// While nobody does, and the scheduler is not stopping, entering and leaving
// are one compare-and-exchange each.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Scheduler.h"

#include "WaitingLine.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Thread.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace nnhal::rt;

namespace {

constexpr uint64_t oneWaiting = uint64_t(1) << 32;
constexpr uint64_t stopBit = uint64_t(1) << 63;

unsigned takenOf(uint64_t state) { return static_cast<uint32_t>(state); }
unsigned waitingOf(uint64_t state) {
  return static_cast<unsigned>((state & ~stopBit) >> 32);
}

Status stopped() {
  return {StatusCode::generalFailure, "the scheduler has stopped"};
}

Status missedWhileWaiting() {
  return {StatusCode::missedDeadlineTransient,
          "the deadline passed before the device had time"};
}

} // namespace

/// All that the mutex protects. No job runs, and none is destroyed, under it.
struct Scheduler::Queue {
  using Lock = std::unique_lock<std::mutex>;

  Scheduler &owner;
  const size_t limit;
  const std::function<int64_t()> clock;

  std::mutex mutex;
  std::condition_variable work;    // For the workers.
  std::condition_variable drained; // For the destructor.
  WaitingLine line;
  /// The jobs in the line that have a deadline.
  std::set<std::pair<Deadline, WaitingRef>> expiring;
  std::deque<WaitingRef> ready;   // Jobs that have a slot.
  std::deque<WaitingRef> overdue; // Jobs that missed their deadline.
  std::vector<std::thread> workers;
  size_t idle = 0;
  unsigned callers = 0; // In waitForSlot().
  bool isQuitting = false;
  unsigned peakQueued = 0;
  uint64_t rejected = 0;
  uint64_t missed = 0;

  Queue(Scheduler &owner, Options &options)
      : owner(owner), limit(options.queueLimit),
        clock(options.clock ? std::move(options.clock) : steadyNow) {}

  enum class Admission { slot, line };
  Result<Admission> admit(const WaitingRef &entry);
  void withdraw(const WaitingRef &entry);
  void passOn();
  void expire(int64_t now);
  Status startWorker();
  void wakeWorker();
  void keepTime();
  template <typename Condition>
  void waitUntil(Lock &lock, Condition &condition, Deadline deadline) const;
  void runWorker();
  void call(Lock &lock, std::deque<WaitingRef> &jobs, Status status);
  void stop();
};

/// Gives \p entry a slot, or a place in the line.
Result<Scheduler::Queue::Admission>
Scheduler::Queue::admit(const WaitingRef &entry) {
  uint64_t state = owner.state.load(std::memory_order_relaxed);
  while (true) {
    if (state & stopBit)
      return stopped();
    bool takesSlot = waitingOf(state) == 0 && takenOf(state) < owner.slots;
    if (!takesSlot && waitingOf(state) >= limit) {
      ++rejected;
      return outOfResources("{} executions are waiting, the limit is {}",
                            waitingOf(state), limit);
    }
    uint64_t next = state + (takesSlot ? 1 : oneWaiting);
    if (!owner.state.compare_exchange_weak(
            state, next, std::memory_order_acq_rel, std::memory_order_relaxed))
      continue;
    if (takesSlot) {
      owner.notePeak(takenOf(next));
      return Admission::slot;
    }
    peakQueued = std::max(peakQueued, waitingOf(next));
    line.push(entry);
    if (entry->isJob() && entry->ticket.deadline != noDeadline)
      expiring.emplace(entry->ticket.deadline, entry);
    return Admission::line;
  }
}

/// Takes \p entry, which is in the line, out of it.
void Scheduler::Queue::withdraw(const WaitingRef &entry) {
  line.remove(*entry);
  expiring.erase({entry->ticket.deadline, entry});
  owner.state.fetch_sub(oneWaiting, std::memory_order_acq_rel);
}

/// Hands a slot of the caller's to the next in the line, or gives it back.
void Scheduler::Queue::passOn() {
  while (!line.isEmpty()) {
    WaitingRef entry = line.pop();
    expiring.erase({entry->ticket.deadline, entry});
    owner.state.fetch_sub(oneWaiting, std::memory_order_acq_rel);
    bool isLate =
        entry->ticket.deadline != noDeadline && entry->hasPassed(clock());
    missed += isLate;
    if (entry->isJob()) {
      (isLate ? overdue : ready).push_back(std::move(entry));
      wakeWorker();
    } else {
      entry->answer = isLate ? missedWhileWaiting() : Status::ok();
      entry->answered.notify_one();
    }
    if (!isLate)
      return;
  }
  uint64_t before = owner.state.fetch_sub(1, std::memory_order_acq_rel);
  if (before & stopBit)
    drained.notify_all();
}

/// Takes the jobs whose deadline has passed out of the line.
void Scheduler::Queue::expire(int64_t now) {
  while (!expiring.empty() && expiring.begin()->second->hasPassed(now)) {
    WaitingRef entry = expiring.begin()->second;
    withdraw(entry);
    ++missed;
    overdue.push_back(std::move(entry));
  }
}

Status Scheduler::Queue::startWorker() {
  std::thread thread;
  NNHAL_RETURN_IF_ERROR(
      startThread(thread, "nnhal-worker", [this] { runWorker(); }));
  workers.push_back(std::move(thread));
  return Status::ok();
}

/// One worker more than there are slots: while all run jobs, one still reports
/// missed deadlines.
void Scheduler::Queue::wakeWorker() {
  work.notify_one();
  if (ready.size() + overdue.size() > idle && workers.size() <= owner.slots)
    (void)startWorker(); // There is at least one, which comes to it later.
}

/// Sees to it that a worker watches the deadlines of the line.
void Scheduler::Queue::keepTime() {
  if (expiring.empty())
    return;
  work.notify_one();
  if (idle == 0 && workers.size() <= owner.slots)
    (void)startWorker();
}

template <typename Condition>
void Scheduler::Queue::waitUntil(Lock &lock, Condition &condition,
                                 Deadline deadline) const {
  if (deadline == noDeadline)
    return condition.wait(lock);
  // Far deadlines in pieces, so that no sum overflows whatever the clock says.
  constexpr int64_t piece = 3600'000'000'000;
  int64_t now = clock();
  if (now >= deadline)
    return;
  int64_t left = now < deadline - piece ? piece : deadline - now;
  condition.wait_for(lock, std::chrono::nanoseconds(left));
}

/// Calls the first of \p jobs.
void Scheduler::Queue::call(Lock &lock, std::deque<WaitingRef> &jobs,
                            Status status) {
  WaitingRef entry = std::move(jobs.front());
  jobs.pop_front();
  lock.unlock();
  entry->job(std::move(status));
  entry.reset();
  lock.lock();
}

void Scheduler::Queue::runWorker() {
  Lock lock(mutex);
  while (true) {
    if (!expiring.empty())
      expire(clock());
    if (!overdue.empty()) {
      call(lock, overdue, missedWhileWaiting());
    } else if (!ready.empty()) {
      keepTime();
      call(lock, ready, Status::ok());
      ++idle; // This worker can take what it passes on.
      passOn();
      --idle;
    } else if (isQuitting) {
      return;
    } else {
      ++idle;
      waitUntil(lock, work,
                expiring.empty() ? noDeadline : expiring.begin()->first);
      --idle;
    }
  }
}

/// Refuses newcomers, ends those in the line, waits for those who run.
void Scheduler::Queue::stop() {
  std::deque<WaitingRef> jobs;
  Lock lock(mutex);
  owner.state.fetch_or(stopBit, std::memory_order_acq_rel);
  while (!line.isEmpty()) {
    WaitingRef entry = line.pop();
    owner.state.fetch_sub(oneWaiting, std::memory_order_acq_rel);
    if (entry->isJob()) {
      jobs.push_back(std::move(entry));
      continue;
    }
    entry->answer = stopped();
    entry->answered.notify_one();
  }
  expiring.clear();
  while (!jobs.empty())
    call(lock, jobs, stopped());
  drained.wait(lock, [this] {
    return callers == 0 &&
           takenOf(owner.state.load(std::memory_order_acquire)) == 0;
  });
  isQuitting = true;
  work.notify_all();
  lock.unlock();
  for (std::thread &worker : workers)
    worker.join();
}

/// Asked once, because the C library reads a file for it: a program with two
/// devices has six schedulers.
static unsigned hardwareThreads() {
  static const unsigned count =
      std::max(1u, std::thread::hardware_concurrency());
  return count;
}

Scheduler::Scheduler(Options options)
    : slots(options.slots != 0 ? options.slots : hardwareThreads()),
      queue(std::make_unique<Queue>(*this, options)) {}

std::shared_ptr<Scheduler> Scheduler::create(Options options) {
  return {new Scheduler(std::move(options)), [](Scheduler *scheduler) {
            // The destructor joins this thread, so another one has to call it.
            // Left behind when there is none: this thread cannot wait for
            // itself.
            if (scheduler->isOwnThread())
              (void)startDetached("nnhal-cleanup",
                                  [scheduler] { delete scheduler; });
            else
              delete scheduler;
          }};
}

bool Scheduler::isOwnThread() const {
  std::lock_guard lock(queue->mutex);
  return std::ranges::any_of(queue->workers, [](const std::thread &worker) {
    return worker.get_id() == std::this_thread::get_id();
  });
}

Scheduler::~Scheduler() {
  if (isOwnThread()) {
    assert(false && "a job must not destroy its scheduler");
    std::terminate(); // Better than to wait for itself.
  }
  queue->stop();
}

void Scheduler::notePeak(unsigned taken) {
  unsigned peak = peakRunning.load(std::memory_order_relaxed);
  while (peak < taken && !peakRunning.compare_exchange_weak(
                             peak, taken, std::memory_order_relaxed)) {
  }
}

Scheduler::Entry Scheduler::tryEnter() {
  uint64_t before = state.load(std::memory_order_relaxed);
  do {
    // Nobody waits, and the stop bit is not set.
    if (before >= slots)
      return Entry::refused;
  } while (!state.compare_exchange_weak(before, before + 1,
                                        std::memory_order_acq_rel,
                                        std::memory_order_relaxed));
  notePeak(takenOf(before) + 1);
  // All changes of the state are read-modify-writes, so that this one sees what
  // every holder before has released.
  return before == 0 ? Entry::first : Entry::beside;
}

void Scheduler::leave() {
  uint64_t before = state.load(std::memory_order_relaxed);
  while (before < oneWaiting)
    if (state.compare_exchange_weak(before, before - 1,
                                    std::memory_order_acq_rel,
                                    std::memory_order_relaxed))
      return;
  std::lock_guard lock(queue->mutex);
  queue->passOn();
}

/// A deadline that passed before the start is a persistent failure (D-024,
/// D-079).
Status Scheduler::checkDeadline(const Ticket &ticket) {
  if (ticket.deadline == noDeadline || queue->clock() < ticket.deadline)
    return Status::ok();
  std::lock_guard lock(queue->mutex);
  ++queue->missed;
  return {StatusCode::missedDeadlinePersistent,
          "the deadline had passed before the call"};
}

Status Scheduler::waitForSlot(const Ticket &ticket) {
  auto entry = std::make_shared<Waiting>(ticket);
  Queue::Lock lock(queue->mutex);
  NNHAL_ASSIGN_OR_RETURN(Queue::Admission admission, queue->admit(entry));
  if (admission == Queue::Admission::slot)
    return Status::ok();
  ++queue->callers;
  while (!entry->answer) {
    if (ticket.deadline != noDeadline && entry->hasPassed(queue->clock())) {
      queue->withdraw(entry);
      ++queue->missed;
      entry->answer = missedWhileWaiting();
      break;
    }
    queue->waitUntil(lock, entry->answered, ticket.deadline);
  }
  if (--queue->callers == 0)
    queue->drained.notify_all();
  return *std::move(entry->answer);
}

Result<Slot> Scheduler::enter(const Ticket &ticket) {
  NNHAL_RETURN_IF_ERROR(checkDeadline(ticket));
  Entry entry = tryEnter();
  if (entry == Entry::refused)
    NNHAL_RETURN_IF_ERROR(waitForSlot(ticket));
  return Slot(this, entry == Entry::first);
}

std::optional<Slot> Scheduler::tryTake() {
  Entry entry = tryEnter();
  if (entry == Entry::refused)
    return std::nullopt;
  return Slot(this, entry == Entry::first);
}

Status Scheduler::submit(const Ticket &ticket,
                         std::function<void(Status)> job) {
  assert(job && "a job needs a function");
  NNHAL_RETURN_IF_ERROR(checkDeadline(ticket));
  auto entry = std::make_shared<Waiting>(ticket);
  entry->job = std::move(job);
  std::lock_guard lock(queue->mutex);
  if (queue->workers.empty())
    NNHAL_RETURN_IF_ERROR(queue->startWorker());
  NNHAL_ASSIGN_OR_RETURN(Queue::Admission admission, queue->admit(entry));
  if (admission == Queue::Admission::slot) {
    queue->ready.push_back(std::move(entry));
    queue->wakeWorker();
  } else if (ticket.deadline != noDeadline) {
    queue->keepTime();
  }
  return Status::ok();
}

Scheduler::Stats Scheduler::stats() const {
  Stats stats;
  uint64_t now = state.load(std::memory_order_relaxed);
  stats.slots = slots;
  stats.running = takenOf(now);
  stats.queued = waitingOf(now);
  stats.peakRunning = peakRunning.load(std::memory_order_relaxed);
  std::lock_guard lock(queue->mutex);
  stats.peakQueued = queue->peakQueued;
  stats.rejected = queue->rejected;
  stats.missed = queue->missed;
  return stats;
}
