//===- Workers.h - Threads for calls that block -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_GRPC_WORKERS_H
#define NNHAL_LIB_SERVING_GRPC_WORKERS_H

#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/Status.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace nnhal::serving {

/// A fixed number of threads that run what the threads of gRPC must not wait
/// for.
///
/// Threads:  every member may be called from any thread at once.
/// Blocking: awaitIdle(), and the destructor until everything that was taken
///           has run.
class Workers {
public:
  /// Fails with resourceExhaustedTransient when the system gives no thread.
  static rt::Result<std::unique_ptr<Workers>> create(unsigned count);
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  unsigned size() const { return unsigned(threads.size()); }

  /// Runs \p work, which throws nothing, on one of the threads. Returns false,
  /// and takes nothing, when each thread has work: what would wait for them is
  /// refused, so that its sender can go elsewhere.
  bool tryRun(std::function<void()> work);

  /// Waits until no thread has work, at most until \p deadline.
  void awaitIdle(rt::Deadline deadline);

private:
  Workers() = default;
  void run();

  std::mutex mutex;
  /// There is work, or the end.
  std::condition_variable changed;
  std::condition_variable isIdle;
  std::deque<std::function<void()>> waiting;
  /// Taken, and not yet ended.
  size_t taken = 0;
  bool isEnding = false;
  std::vector<std::thread> threads;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_GRPC_WORKERS_H
