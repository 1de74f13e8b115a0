//===- Workers.h - Threads for calls that may block -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_WORKERS_H
#define NNHAL_LIB_SERVING_CORE_WORKERS_H

#include "nnhal/Runtime/Execution.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace nnhal::serving {

/// Threads that are started when there is work for them, up to a number, and
/// refuse what they have no thread for. rt::WorkPool shares one execution among
/// threads, which have no queue.
///
/// Threads:  every member may be called from any thread.
/// Blocking: the destructor, until all that was taken has ended.
class Workers {
public:
  /// At most \p most threads, which the system calls \p name, a text that
  /// stays: at most 15 characters.
  Workers(const char *name, size_t most) : name(name), most(most) {}
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  size_t size() const { return most; }

  /// Runs \p work, which throws nothing, on one of the threads. Returns false,
  /// and runs nothing, when each thread has work or the system gives none: the
  /// sender of what would wait can go elsewhere.
  bool tryRun(std::function<void()> work);

  /// Waits until no thread has work, at most until \p deadline.
  void awaitIdle(rt::Deadline deadline);

private:
  void run();

  const char *const name;
  const size_t most;
  std::mutex mutex;
  /// Notified of work, and of the end.
  std::condition_variable changed;
  std::condition_variable isIdle;
  std::deque<std::function<void()>> waiting;
  /// The number of those that were taken and have not ended.
  size_t taken = 0;
  bool isEnding = false;
  std::vector<std::thread> threads;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_WORKERS_H
