//===- Workers.cpp - Threads for calls that block -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workers.h"

#include "Runtime/Support/Thread.h"

#include <chrono>
#include <utility>

using namespace nnhal;
using namespace nnhal::serving;

Workers::~Workers() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

bool Workers::tryRun(std::function<void()> work) {
  std::lock_guard lock(mutex);
  if (taken == threads.size()) {
    std::thread thread;
    if (taken == most ||
        !rt::startThread(thread, name, [this] { run(); }).isOk())
      return false;
    threads.push_back(std::move(thread));
  }
  ++taken;
  waiting.push_back(std::move(work));
  changed.notify_one();
  return true;
}

void Workers::awaitIdle(rt::Deadline deadline) {
  std::chrono::steady_clock::time_point until{
      std::chrono::nanoseconds(deadline)};
  std::unique_lock lock(mutex);
  isIdle.wait_until(lock, until, [this] { return taken == 0; });
}

void Workers::run() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return isEnding || !waiting.empty(); });
    if (waiting.empty())
      return;
    std::function<void()> work = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    if (--taken == 0)
      isIdle.notify_all();
  }
}
