//===- Reactor.cpp - Waits for fences and times without blocking ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Reactor.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Thread.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <unordered_map>

using namespace nnhal::rt;

namespace {

/// The id under which epoll reports the reactor's own descriptors; the numbers
/// of fences, waits and timers are above.
constexpr uint64_t wakeId = 0;
constexpr uint64_t clockId = 1;
constexpr uint64_t firstId = 2;

std::string errorText(int error) {
  return std::generic_category().message(error);
}

Status stopped() {
  return {StatusCode::generalFailure, "the reactor has stopped"};
}

Status missedDeadline() {
  return {StatusCode::missedDeadlineTransient,
          "the fences were not signalled before the deadline"};
}

Status addTo(int poller, int fd, uint32_t events, uint64_t id) {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = id;
  if (::epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) == 0)
    return Status::ok();
  return outOfResources("cannot wait for descriptor {}: {}", fd,
                        errorText(errno));
}

} // namespace

/// All that the thread and the callers share. Lock order: mutex, then that of
/// an own fence. No handler runs, and none is destroyed, under the lock.
struct Reactor::Loop {
  using Handler = std::function<void(Status)>;
  using TimerKey = std::pair<Deadline, uint64_t>;

  /// One fence of one wait, with a duplicate of its descriptor: epoll takes
  /// each number only once.
  struct Source {
    Fence::Watch watch;
    uint64_t wait = 0;
  };
  struct Wait {
    Handler handler;
    std::vector<uint64_t> sources;
    size_t remaining = 0;
    Deadline deadline = noDeadline;
  };
  struct Call {
    Handler handler;
    Status status;
  };

  explicit Loop(Clock given) : now(std::move(given)) {}

  /// Empty: the system's.
  const Clock now;
  std::mutex mutex;
  std::condition_variable timerEnded;
  std::thread thread;
  bool stopping = false;
  UniqueFd poller;
  UniqueFd wake;
  UniqueFd clock;
  uint64_t nextId = firstId;
  std::unordered_map<uint64_t, Source> sources;
  std::unordered_map<uint64_t, Wait> waits;
  /// The functions of at(); those of waits are empty.
  std::map<TimerKey, std::function<void()>> timers;
  std::unordered_map<uint64_t, Deadline> timerTimes; // Those of at() only.
  Deadline armed = noDeadline;
  uint64_t runningTimer = 0;
  std::vector<Call> due;

  bool isOwnThread() const {
    return thread.get_id() == std::this_thread::get_id();
  }

  Status start();
  void notify() const;
  Status addWait(std::vector<FenceRef> &fences, Wait wait);
  Status watchAll(const std::vector<FenceRef> &fences, Wait &wait);
  void finish(uint64_t id, Status status);
  void dropSources(const Wait &wait);
  Deadline timeOf(Deadline deadline) const;
  void arm();
  void handle(const epoll_event &event);
  void runCalls(std::unique_lock<std::mutex> &lock);
  void runTimers(std::unique_lock<std::mutex> &lock);
  void run();
  void shutDown(std::unique_lock<std::mutex> &lock);
};

/// Callers hold the lock.
Status Reactor::Loop::start() {
  if (stopping)
    return stopped();
  if (thread.joinable())
    return Status::ok();
  poller = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  wake = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  clock =
      UniqueFd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!poller.isValid() || !wake.isValid() || !clock.isValid())
    return outOfResources("cannot wait for fences: {}", errorText(errno));
  // Edge-triggered: nobody has to read them.
  constexpr uint32_t events = EPOLLIN | EPOLLET;
  NNHAL_RETURN_IF_ERROR(addTo(poller.get(), wake.get(), events, wakeId));
  NNHAL_RETURN_IF_ERROR(addTo(poller.get(), clock.get(), events, clockId));
  return startThread(thread, "nnhal-reactor", [this] { run(); });
}

void Reactor::Loop::notify() const {
  // Fails only when the counter is full, and then the thread wakes anyway.
  uint64_t one = 1;
  while (::write(wake.get(), &one, sizeof(one)) < 0 && errno == EINTR) {
  }
}

/// When \p deadline is by the system's clock, as far as that can be foreseen.
Deadline Reactor::Loop::timeOf(Deadline deadline) const {
  if (!now)
    return deadline;
  return steadyNow() + std::max<int64_t>(deadline - now(), 0);
}

/// Makes the clock wake the thread for the earliest timer.
void Reactor::Loop::arm() {
  Deadline earliest = timers.empty() ? noDeadline : timers.begin()->first.first;
  if (earliest >= armed)
    return; // At worst it wakes once for nothing.
  armed = earliest;
  Deadline time = std::max<Deadline>(timeOf(earliest), 1); // 0 would disarm.
  itimerspec setting = {};
  setting.it_value.tv_sec = static_cast<time_t>(time / 1'000'000'000);
  setting.it_value.tv_nsec = static_cast<long>(time % 1'000'000'000);
  ::timerfd_settime(clock.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
}

void Reactor::Loop::dropSources(const Wait &wait) {
  for (uint64_t id : wait.sources) {
    auto source = sources.find(id);
    if (source == sources.end())
      continue;
    // Closing the duplicate would not end its registration.
    ::epoll_ctl(poller.get(), EPOLL_CTL_DEL, source->second.watch.fd.get(),
                nullptr);
    sources.erase(source);
  }
}

/// Makes the handler of a wait due.
void Reactor::Loop::finish(uint64_t id, Status status) {
  auto node = waits.extract(id);
  if (node.empty())
    return;
  Wait &wait = node.mapped();
  dropSources(wait);
  if (wait.deadline != noDeadline)
    timers.erase({wait.deadline, id});
  due.push_back({std::move(wait.handler), std::move(status)});
}

Status Reactor::Loop::addWait(std::vector<FenceRef> &fences, Wait wait) {
  std::lock_guard lock(mutex);
  NNHAL_RETURN_IF_ERROR(start());
  try {
    return watchAll(fences, wait);
  } catch (...) {
    // Without memory no source may stay that belongs to no wait.
    dropSources(wait);
    throw;
  }
}

/// Callers hold the lock.
Status Reactor::Loop::watchAll(const std::vector<FenceRef> &fences,
                               Wait &wait) {
  uint64_t waitId = nextId++;
  Status status;
  Status known;
  for (const FenceRef &fence : fences) {
    std::optional<Status> outcome = fence ? fence->outcome() : Status::ok();
    if (outcome && outcome->isOk())
      continue;
    if (outcome) {
      known = *std::move(outcome);
      break;
    }
    Result<Fence::Watch> watch = fence->watch();
    status = watch.status();
    if (!status.isOk())
      break;
    uint64_t id = nextId++;
    // Edge-triggered: bytes that others put into an own fence wake once only.
    status = addTo(poller.get(), watch->fd.get(), EPOLLIN | EPOLLET, id);
    if (!status.isOk())
      break;
    wait.sources.push_back(id);
    sources.try_emplace(id, Source{*std::move(watch), waitId});
  }
  if (!status.isOk() || !known.isOk())
    dropSources(wait);
  NNHAL_RETURN_IF_ERROR(status);
  wait.remaining = wait.sources.size();
  if (wait.remaining == 0 || !known.isOk()) {
    due.push_back({std::move(wait.handler), std::move(known)});
    notify();
    return Status::ok();
  }
  if (wait.deadline != noDeadline) {
    timers.emplace(TimerKey{wait.deadline, waitId}, nullptr);
    arm();
  }
  waits.emplace(waitId, std::move(wait));
  return Status::ok();
}

/// Callers hold the lock.
void Reactor::Loop::handle(const epoll_event &event) {
  uint64_t id = event.data.u64;
  if (id == wakeId)
    return;
  if (id == clockId) {
    armed = noDeadline; // Once too often at worst: arm() sets it again.
    return;
  }
  auto source = sources.find(id);
  if (source == sources.end())
    return; // Its wait ended by an event before this one.
  std::optional<Status> outcome = source->second.watch.outcome(event.events);
  if (!outcome)
    return;
  uint64_t waitId = source->second.wait;
  Wait &wait = waits.at(waitId);
  if (!outcome->isOk() || wait.remaining == 1)
    return finish(waitId, *std::move(outcome));
  --wait.remaining;
  ::epoll_ctl(poller.get(), EPOLL_CTL_DEL, source->second.watch.fd.get(),
              nullptr);
  sources.erase(source);
}

void Reactor::Loop::runCalls(std::unique_lock<std::mutex> &lock) {
  std::vector<Call> calls = std::exchange(due, {});
  if (calls.empty())
    return;
  lock.unlock();
  for (Call &call : calls) {
    call.handler(std::move(call.status));
    call.handler = nullptr;
  }
  lock.lock();
}

void Reactor::Loop::runTimers(std::unique_lock<std::mutex> &lock) {
  if (timers.empty())
    return;
  // This takes only the timers that are due now: a function that always starts
  // another timer must not keep the fences waiting.
  std::vector<TimerKey> keys;
  Deadline present = now ? now() : steadyNow();
  for (auto &timer : timers) {
    if (timer.first.first > present)
      break;
    keys.push_back(timer.first);
  }
  for (const TimerKey &key : keys) {
    auto node = timers.extract(key);
    if (node.empty())
      continue; // Cancelled, or its wait has ended.
    if (!node.mapped()) {
      finish(key.second, missedDeadline());
      continue;
    }
    timerTimes.erase(key.second);
    runningTimer = key.second;
    lock.unlock();
    node.mapped()();
    node.mapped() = nullptr;
    lock.lock();
    runningTimer = 0;
    timerEnded.notify_all();
    if (stopping)
      return;
  }
}

void Reactor::Loop::run() {
  std::unique_lock lock(mutex);
  while (!stopping) {
    runTimers(lock);
    runCalls(lock);
    arm();
    bool isBusy = stopping || !due.empty();
    lock.unlock();
    std::array<epoll_event, 64> events;
    int count = ::epoll_wait(poller.get(), events.data(), events.size(),
                             isBusy ? 0 : -1);
    lock.lock();
    for (int i = 0; i < count; ++i)
      handle(events[static_cast<size_t>(i)]);
  }
  shutDown(lock);
}

/// Ends what is pending. The handlers can start nothing new.
void Reactor::Loop::shutDown(std::unique_lock<std::mutex> &lock) {
  while (!waits.empty())
    finish(waits.begin()->first, stopped());
  auto dropped = std::exchange(timers, {});
  timerTimes.clear();
  runCalls(lock);
  lock.unlock(); // What the timers captured is destroyed without it.
}

Reactor::Reactor(Clock clock)
    : loop(std::make_unique<Loop>(std::move(clock))) {}

std::shared_ptr<Reactor> Reactor::create(Clock clock) {
  return {new Reactor(std::move(clock)), [](Reactor *reactor) {
            bool isOwn;
            {
              std::lock_guard lock(reactor->loop->mutex);
              isOwn = reactor->loop->isOwnThread();
            }
            // The destructor joins this thread, so another one has to call it.
            // Left behind when there is none: this thread cannot wait for
            // itself.
            if (isOwn)
              (void)startDetached("nnhal-cleanup",
                                  [reactor] { delete reactor; });
            else
              delete reactor;
          }};
}

Reactor::~Reactor() {
  {
    std::lock_guard lock(loop->mutex);
    if (loop->isOwnThread()) {
      assert(false && "a handler must not destroy its reactor");
      std::terminate(); // Better than to wait for itself.
    }
    loop->stopping = true;
    if (loop->thread.joinable())
      loop->notify();
  }
  if (loop->thread.joinable())
    loop->thread.join();
}

Status Reactor::whenAll(std::vector<FenceRef> fences, Deadline deadline,
                        std::function<void(Status)> handler) {
  Loop::Wait wait;
  wait.handler = std::move(handler);
  wait.deadline = deadline;
  return loop->addWait(fences, std::move(wait));
}

Result<uint64_t> Reactor::at(Deadline time, std::function<void()> function) {
  assert(function && "a timer needs a function");
  if (time == noDeadline)
    return uint64_t(0);
  std::lock_guard lock(loop->mutex);
  NNHAL_RETURN_IF_ERROR(loop->start());
  uint64_t id = loop->nextId++;
  loop->timers.emplace(Loop::TimerKey{time, id}, std::move(function));
  loop->timerTimes.emplace(id, time);
  loop->arm();
  return id;
}

void Reactor::cancel(uint64_t timer) {
  decltype(loop->timers)::node_type dropped; // Destroyed without the lock.
  std::unique_lock lock(loop->mutex);
  if (auto time = loop->timerTimes.extract(timer); !time.empty())
    dropped = loop->timers.extract({time.mapped(), timer});
  else if (timer != 0 && !loop->isOwnThread())
    loop->timerEnded.wait(lock, [&] { return loop->runningTimer != timer; });
}

Result<FenceRef> Reactor::join(std::vector<FenceRef> fences) {
  std::erase_if(fences, [](const FenceRef &fence) {
    return !fence || fence->poll() == FenceState::signaled;
  });
  if (fences.empty())
    return FenceRef();
  if (fences.size() == 1)
    return fences.front();
  NNHAL_ASSIGN_OR_RETURN(FenceRef joined, Fence::create());
  NNHAL_RETURN_IF_ERROR(
      whenAll(std::move(fences), noDeadline, [joined](Status status) {
        joined->complete(std::move(status));
      }));
  return joined;
}
