//===- ConnectionThreads.cpp - The threads of connections -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConnectionThreads.h"

#include "Runtime/Support/Thread.h"

using namespace nnhal;
using namespace nnhal::serving;

ConnectionThreads::ConnectionThreads(size_t most,
                                     std::function<void(rt::UniqueFd)> serve)
    : most(most), serve(std::move(serve)) {}

ConnectionThreads::~ConnectionThreads() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

bool ConnectionThreads::take(rt::UniqueFd &connection) {
  std::lock_guard lock(mutex);
  if (idle <= waiting.size()) {
    if (threads.size() >= most)
      return false;
    std::thread thread;
    if (!rt::startThread(thread, "nnhal-http", [this] { run(); }).isOk())
      return false;
    threads.push_back(std::move(thread));
    ++idle;
  }
  waiting.push_back(std::move(connection));
  changed.notify_one();
  return true;
}

void ConnectionThreads::run() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return isEnding || !waiting.empty(); });
    if (waiting.empty())
      return;
    rt::UniqueFd connection = std::move(waiting.front());
    waiting.pop_front();
    --idle;
    lock.unlock();
    serve(std::move(connection));
    lock.lock();
    ++idle;
  }
}
