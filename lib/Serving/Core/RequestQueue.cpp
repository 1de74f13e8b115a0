//===- RequestQueue.cpp - Requests that wait for an execution -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestQueue.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <span>
#include <vector>

using namespace nnhal;
using namespace nnhal::serving;
using rt::Status;

/// A request under way.
struct RequestQueue::Entry {
  enum class State { waiting, taken, abandoned, done };

  const Arguments &arguments;
  const Terms &terms;
  InferenceResponse &response;
  int64_t begin;
  // The members that follow are for batches, and guarded by the mutex of the
  // queue.
  State state = State::waiting;
  Outcome outcome = {};
  std::condition_variable changed = {};
  /// Room for the batch that it leads.
  std::vector<Entry *> batch = {};

  bool isAbandoned() const { return terms.isAbandoned && terms.isAbandoned(); }
};

static double secondsOf(int64_t nanoseconds) {
  return double(nanoseconds) * 1e-9;
}

/// The moment \p deadline for a condition variable.
static std::chrono::steady_clock::time_point timeOf(rt::Deadline deadline) {
  return std::chrono::steady_clock::time_point(
      std::chrono::nanoseconds(deadline));
}

namespace {
/// Counts what lives as long as the object.
class Counted {
public:
  explicit Counted(prometheus::Gauge &gauge) : gauge(gauge) {
    gauge.Increment();
  }
  Counted(const Counted &) = delete;
  Counted &operator=(const Counted &) = delete;
  ~Counted() { gauge.Decrement(); }

private:
  prometheus::Gauge &gauge;
};
} // namespace

RequestQueue::RequestQueue(Options options, rt::Scheduler &executions,
                           const Executable &executable,
                           VersionMetrics &metrics, rt::Tracer *tracer)
    : options(std::move(options)), executions(executions),
      executable(executable), metrics(metrics), tracer(tracer) {}

Outcome RequestQueue::run(const Arguments &arguments, const Terms &terms,
                          InferenceResponse &response) {
  Entry entry{.arguments = arguments,
              .terms = terms,
              .response = response,
              .begin = rt::steadyNow()};
  if (terms.deadline <= entry.begin)
    return refuse(OutcomeCode::deadlineExceeded,
                  "the deadline had passed before the request was looked at");
  return options.maxBatchSize > 0 ? runInBatch(entry) : runAlone(entry);
}

Outcome RequestQueue::refuseFull() const {
  return refuse(OutcomeCode::overloaded,
                "the queue of model '{}' is full: {} requests wait",
                options.model, options.maxWaiting);
}

static Outcome outcomeOfWait(const Status &status) {
  Outcome outcome(status);
  if (outcome.code() == OutcomeCode::deadlineExceeded)
    return refuse(OutcomeCode::deadlineExceeded,
                  "the deadline passed while the request waited for an "
                  "execution");
  return outcome;
}

static Outcome refuseAbandoned() {
  return refuse(OutcomeCode::cancelled,
                "the client was gone before an execution began");
}

rt::Result<rt::Slot> RequestQueue::enter(const Entry &entry,
                                         rt::Priority priority) const {
  try {
    return executions.enter(
        {.client = 0, .priority = priority, .deadline = entry.terms.deadline});
  } catch (const std::bad_alloc &error) {
    return Status(rt::StatusCode::resourceExhaustedTransient, error.what());
  }
}

Outcome RequestQueue::runAlone(Entry &entry) {
  std::optional<rt::Slot> slot = executions.tryTake();
  if (!slot) {
    if (waitingAlone.fetch_add(1) >= options.maxWaiting) {
      waitingAlone.fetch_sub(1);
      return refuseFull();
    }
    Counted counted(metrics.waiting);
    auto entered = enter(entry, entry.terms.priority);
    waitingAlone.fetch_sub(1);
    if (!entered.isOk())
      return outcomeOfWait(std::move(entered).takeStatus());
    if (entry.isAbandoned())
      return refuseAbandoned();
    slot = *std::move(entered);
  }
  return execute({&entry});
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

void RequestQueue::insert(Entry &entry) {
  auto place = std::ranges::find_if(waiting, [&](const Entry *other) {
    return other->terms.priority < entry.terms.priority;
  });
  waiting.insert(place, &entry);
  waitingSamples += entry.arguments.samples;
  metrics.waiting.Increment();
}

void RequestQueue::remove(Entry &entry) {
  waiting.remove(&entry);
  waitingSamples -= entry.arguments.samples;
  metrics.waiting.Decrement();
}

/// Lets the first of those that wait lead.
void RequestQueue::promote() {
  leading = waiting.empty() ? nullptr : waiting.front();
  if (leading)
    leading->changed.notify_one();
}

Outcome RequestQueue::runInBatch(Entry &entry) {
  // Nothing may be thrown once others wait for this one: a sample is a place.
  entry.batch.reserve(options.maxBatchSize);
  std::unique_lock lock(mutex);
  if (waiting.size() >= std::max<uint64_t>(options.maxWaiting, 1))
    return refuseFull();
  insert(entry);
  if (!leading)
    leading = &entry;
  else if (waitingSamples >= options.maxBatchSize)
    leading->changed.notify_one();
  while (true) {
    if (entry.state == Entry::State::done)
      return std::move(entry.outcome);
    if (entry.state == Entry::State::abandoned)
      return refuseAbandoned();
    if (entry.state == Entry::State::waiting && leading == &entry)
      return lead(entry, lock);
    // A request that executes is answered when its batch has ended.
    if (entry.state == Entry::State::taken ||
        entry.terms.deadline == rt::noDeadline) {
      entry.changed.wait(lock);
      continue;
    }
    entry.changed.wait_until(lock, timeOf(entry.terms.deadline));
    if (entry.state == Entry::State::waiting && leading != &entry &&
        rt::steadyNow() >= entry.terms.deadline) {
      remove(entry);
      return outcomeOfWait(
          Status(rt::StatusCode::missedDeadlineTransient, "waited"));
    }
  }
}

/// Waits until the batch is full, or has waited for as long as it may.
void RequestQueue::awaitOthers(Entry &leader,
                               std::unique_lock<std::mutex> &lock) {
  rt::Deadline until =
      std::min(leader.begin + options.maxDelay, leader.terms.deadline);
  leader.changed.wait_until(lock, timeOf(until), [&] {
    return waitingSamples >= options.maxBatchSize || rt::steadyNow() >= until;
  });
}

/// Whether requests differ in nothing but the number of samples.
static bool canJoin(const Arguments &first, const Arguments &other) {
  for (size_t i = 0; i < first.inputs.size(); ++i)
    if (!std::ranges::equal(std::span(first.inputs[i].dimensions).subspan(1),
                            std::span(other.inputs[i].dimensions).subspan(1)))
      return false;
  return true;
}

/// Takes the leader, and those after it that fit, out of the queue; those whose
/// clients are gone leave it alone.
void RequestQueue::takeBatch(Entry &leader) {
  leader.batch.push_back(&leader);
  uint64_t samples = leader.arguments.samples;
  for (auto next = waiting.begin(); next != waiting.end();) {
    Entry *entry = *next++;
    if (entry == &leader ||
        samples + entry->arguments.samples > options.maxBatchSize ||
        !canJoin(leader.arguments, entry->arguments))
      continue;
    if (entry->isAbandoned()) {
      remove(*entry);
      entry->state = Entry::State::abandoned;
      entry->changed.notify_one();
      continue;
    }
    leader.batch.push_back(entry);
    samples += entry->arguments.samples;
  }
  for (Entry *entry : leader.batch) {
    remove(*entry);
    entry->state = Entry::State::taken;
  }
}

Outcome RequestQueue::lead(Entry &leader, std::unique_lock<std::mutex> &lock) {
  awaitOthers(leader, lock);
  rt::Priority priority = waiting.front()->terms.priority;
  lock.unlock();
  auto slot = enter(leader, priority);
  lock.lock();
  if (!slot.isOk() || leader.isAbandoned()) {
    remove(leader);
    promote();
    return slot.isOk() ? refuseAbandoned()
                       : outcomeOfWait(std::move(slot).takeStatus());
  }
  takeBatch(leader);
  promote();
  lock.unlock();
  try {
    executeBatch(leader.batch);
  } catch (const std::bad_alloc &) {
    // Short enough to need no memory.
    for (Entry *entry : leader.batch)
      entry->outcome = Outcome(OutcomeCode::overloaded, "no memory");
  }
  lock.lock();
  for (Entry *entry : leader.batch) {
    entry->state = Entry::State::done;
    if (entry != &leader)
      entry->changed.notify_one();
  }
  return std::move(leader.outcome);
}

/// Executes \p batch. What fails together is executed one by one, so that no
/// request fails because of another.
void RequestQueue::executeBatch(const std::vector<Entry *> &batch) {
  Status together = execute(batch);
  for (Entry *entry : batch) {
    bool isAlone = batch.size() == 1 || together.isOk();
    if (!isAlone)
      entry->response.outputs.clear();
    entry->outcome = isAlone ? Outcome(together) : Outcome(execute({entry}));
    // The runtime observes the last deadline of a batch.
    if (batch.size() > 1 && entry->outcome.isOk() &&
        rt::steadyNow() >= entry->terms.deadline)
      entry->outcome =
          refuse(OutcomeCode::deadlineExceeded,
                 "the deadline passed while a batch of {} requests executed",
                 batch.size());
  }
}

Status RequestQueue::executeNow(std::span<const Arguments *const> arguments,
                                rt::Deadline deadline,
                                std::span<InferenceResponse *const> responses) {
  try {
    return executable.execute(arguments, deadline, options.maxBatchSize > 0,
                              responses);
  } catch (const std::bad_alloc &error) {
    return Status(rt::StatusCode::resourceExhaustedTransient, error.what());
  }
}

Status RequestQueue::execute(const std::vector<Entry *> &batch) {
  int64_t began = rt::steadyNow();
  std::vector<const Arguments *> arguments;
  std::vector<InferenceResponse *> responses;
  rt::Deadline deadline = batch.front()->terms.deadline;
  uint64_t samples = 0;
  for (Entry *entry : batch) {
    arguments.push_back(&entry->arguments);
    responses.push_back(&entry->response);
    deadline = std::max(deadline, entry->terms.deadline);
    samples += entry->arguments.samples;
    entry->response.queueNanoseconds = began - entry->begin;
    metrics.queueSeconds.Observe(secondsOf(began - entry->begin));
  }
  Counted counted(metrics.executing);
  metrics.batchSamples.Observe(double(samples));
  rt::TraceSection section(
      tracer, rt::TraceLayer::application, rt::TracePhase::execution, [&] {
        std::string ids = fmt::format("infer {}", options.model);
        for (const Entry *entry : batch)
          ids += fmt::format(" trace={} span={}", entry->response.trace.traceId,
                             entry->response.trace.spanId);
        return ids;
      });
  Status status = executeNow(arguments, deadline, responses);
  int64_t took = rt::steadyNow() - began;
  metrics.executionSeconds.Observe(secondsOf(took));
  for (InferenceResponse *response : responses)
    response->executionNanoseconds = took;
  return status;
}
