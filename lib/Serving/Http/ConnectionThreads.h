//===- ConnectionThreads.h - The threads of connections ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_HTTP_CONNECTIONTHREADS_H
#define NNHAL_LIB_SERVING_HTTP_CONNECTIONTHREADS_H

#include "nnhal/Runtime/SharedMemory.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace nnhal::serving {

/// Threads that serve a connection each, started when they are needed.
///
/// Threads:  every member may be called from any thread.
/// Blocking: the destructor, until every connection has been served.
class ConnectionThreads {
public:
  /// \p serve is called with each connection; \p most threads call it.
  ConnectionThreads(size_t most, std::function<void(rt::UniqueFd)> serve);
  ~ConnectionThreads();
  ConnectionThreads(const ConnectionThreads &) = delete;
  ConnectionThreads &operator=(const ConnectionThreads &) = delete;

  /// Serves \p connection. Returns false, and leaves it to the caller, when all
  /// threads are busy or the system gives none.
  bool take(rt::UniqueFd &connection);

private:
  void run();

  const size_t most;
  const std::function<void(rt::UniqueFd)> serve;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<rt::UniqueFd> waiting;
  size_t idle = 0;
  bool isEnding = false;
  std::vector<std::thread> threads;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_HTTP_CONNECTIONTHREADS_H
