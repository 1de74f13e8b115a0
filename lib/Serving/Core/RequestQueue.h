//===- RequestQueue.h - Requests that wait for an execution -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_REQUESTQUEUE_H
#define NNHAL_LIB_SERVING_CORE_REQUESTQUEUE_H

#include "Execution.h"
#include "Metrics.h"
#include "Outcome.h"

#include "nnhal/Runtime/Scheduler.h"
#include "nnhal/Runtime/Trace.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace nnhal::serving {

/// The queue of one version of a model.
///
/// A request is executed by the thread that it is on. Where the model is
/// executed in batches, one of the threads leads: it waits for others that join
/// it, and executes for all of them, while the next one leads already.
///
/// Threads:  every member may be called from any thread at once.
/// Blocking: run() until the execution has ended.
class RequestQueue {
public:
  struct Options {
    /// The name of the model in messages.
    std::string model = {};
    /// Requests that may wait.
    uint64_t maxWaiting = 64;
    /// Samples of a batch; 0 for each request by itself.
    uint64_t maxBatchSize = 0;
    /// Nanoseconds for which a batch waits to become full.
    int64_t maxDelay = 0;
  };

  /// \p executions is shared with other queues; it, \p executable and
  /// \p metrics live longer than the queue. \p tracer may be null.
  RequestQueue(Options options, rt::Scheduler &executions,
               const Executable &executable, VersionMetrics &metrics,
               rt::Tracer *tracer);

  /// How a request wants to wait; the members are those of InferenceRequest.
  struct Terms {
    rt::Priority priority = rt::Priority::medium;
    rt::Deadline deadline = rt::noDeadline;
    std::function<bool()> isAbandoned = {};
  };

  /// Executes \p arguments and fills the outputs and times of \p response,
  /// whose trace is known. Fails with overloaded when the queue is full, with
  /// deadlineExceeded, with cancelled when the client was gone after the
  /// request had waited, and with what the execution reports.
  Outcome run(const Arguments &arguments, const Terms &terms,
              InferenceResponse &response);

private:
  struct Entry;

  Outcome runAlone(Entry &entry);
  Outcome runInBatch(Entry &entry);
  Outcome refuseFull() const;
  rt::Result<rt::Slot> enter(const Entry &entry, rt::Priority priority) const;
  void insert(Entry &entry);
  void remove(Entry &entry);
  void promote();
  void awaitOthers(Entry &leader, std::unique_lock<std::mutex> &lock);
  void takeBatch(Entry &leader);
  Outcome lead(Entry &leader, std::unique_lock<std::mutex> &lock);
  void executeBatch(const std::vector<Entry *> &batch);
  rt::Status execute(const std::vector<Entry *> &batch);
  rt::Status executeNow(std::span<const Arguments *const> arguments,
                        rt::Deadline deadline,
                        std::span<InferenceResponse *const> responses);

  const Options options;
  rt::Scheduler &executions;
  const Executable &executable;
  VersionMetrics &metrics;
  rt::Tracer *const tracer;

  /// Requests outside of batches that wait.
  std::atomic<uint64_t> waitingAlone = 0;

  // The members that follow are for batches.
  std::mutex mutex;
  /// The requests that wait, the leader among them: by priority, then by
  /// arrival.
  std::list<Entry *> waiting;
  uint64_t waitingSamples = 0;
  Entry *leading = nullptr;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_REQUESTQUEUE_H
