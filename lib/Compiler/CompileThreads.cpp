//===- CompileThreads.cpp - Threads of one compilation --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileThreads.h"

#include "Runtime/Support/Thread.h"
#include "nnhal/Compiler/FatalErrors.h"

#include <algorithm>
#include <thread>

namespace nnhal {

using namespace llvm;

/// Models have some ten parts; each thread of a part needs memory.
static constexpr unsigned mostByDefault = 8;

/// How long a request to cancel waits for a thread that waits.
static constexpr std::chrono::milliseconds questionInterval(5);

CompileThreads::CompileThreads(unsigned wanted, Cancellation &cancellation)
    : threads(wanted ? wanted
                     : std::clamp(std::thread::hardware_concurrency(), 1u,
                                  mostByDefault)),
      cancellation(cancellation), helpers(threads - 1) {}

void CompileThreads::asyncEnqueue(Task task, ThreadPoolTaskGroup *group) {
  std::lock_guard lock(mutex);
  enqueued[group].push_back(std::move(task));
}

CompileThreads::Tasks CompileThreads::take(ThreadPoolTaskGroup *group) {
  std::lock_guard lock(mutex);
  auto found = enqueued.find(group);
  if (found == enqueued.end())
    return {};
  Tasks tasks = std::move(found->second);
  enqueued.erase(found);
  return tasks;
}

void CompileThreads::wait(ThreadPoolTaskGroup &group) {
  // Tasks of the group may have added to it.
  for (Tasks tasks = take(&group); !tasks.empty(); tasks = take(&group))
    run(tasks);
}

void CompileThreads::wait() {
  auto next = [this] {
    std::lock_guard lock(mutex);
    Tasks tasks;
    if (!enqueued.empty()) {
      tasks = std::move(enqueued.begin()->second);
      enqueued.erase(enqueued.begin());
    }
    return tasks;
  };
  for (Tasks tasks = next(); !tasks.empty(); tasks = next())
    run(tasks);
}

bool CompileThreads::takeHelper() {
  unsigned left = helpers.load();
  while (left != 0)
    if (helpers.compare_exchange_weak(left, left - 1))
      return true;
  return false;
}

void CompileThreads::waitFor(unsigned &running) {
  std::unique_lock lock(mutex);
  while (!helperEnded.wait_for(lock, questionInterval,
                               [&] { return running == 0; })) {
    // The client is asked without the lock, because its answer may take long.
    lock.unlock();
    cancellation.poll();
    lock.lock();
  }
}

void CompileThreads::run(MutableArrayRef<Task> tasks) {
  unsigned running = 0;
  SmallVector<std::thread> started;
  MutableArrayRef<Task> left = tasks;
  while (left.size() > 1 && takeHelper()) {
    std::thread thread;
    Task &task = left.back();
    auto help = [this, &task, &running, doing = FatalErrorScope::current()] {
      FatalErrorScope scope(doing);
      task();
      std::lock_guard lock(mutex);
      --running;
      helperEnded.notify_all();
    };
    {
      std::lock_guard lock(mutex);
      ++running;
    }
    if (!rt::startThread(thread, "nnhal-compile", help).isOk()) {
      std::lock_guard lock(mutex);
      --running;
      ++helpers;
      break;
    }
    started.push_back(std::move(thread));
    left = left.drop_back();
  }
  for (Task &task : left)
    task();
  waitFor(running);
  for (std::thread &thread : started) {
    thread.join();
    ++helpers;
  }
}

} // namespace nnhal
