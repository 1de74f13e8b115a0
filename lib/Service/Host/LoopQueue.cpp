//===- LoopQueue.cpp - Work of other threads on the event loop ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopQueue.h"

#include <utility>

using namespace nnhal::service;

void LoopQueue::post(std::function<void()> function) {
  kj::Own<kj::CrossThreadPromiseFulfiller<void>> sleeper;
  {
    std::lock_guard lock(mutex);
    functions.push_back(std::move(function));
    sleeper = kj::mv(bell);
  }
  if (sleeper.get())
    sleeper->fulfill();
}

/// Returns when there are functions.
kj::Promise<void> LoopQueue::wait() {
  std::lock_guard lock(mutex);
  if (!functions.empty())
    return kj::READY_NOW;
  auto pair = kj::newPromiseAndCrossThreadFulfiller<void>();
  bell = kj::mv(pair.fulfiller);
  return kj::mv(pair.promise);
}

void LoopQueue::callAll() {
  Functions arrived;
  {
    std::lock_guard lock(mutex);
    arrived = std::exchange(functions, {});
  }
  for (const std::function<void()> &function : arrived)
    function();
}

kj::Promise<void> LoopQueue::run() {
  return wait().then([this] {
    callAll();
    return run();
  });
}
