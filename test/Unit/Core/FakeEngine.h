//===- FakeEngine.h - A device with its own threads -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_CORE_FAKEENGINE_H
#define NNHAL_TEST_UNIT_CORE_FAKEENGINE_H

#include "ReluModel.h"

#include "nnhal/Backend/Backend.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace nnhal::rt::testing {

using test::reluModel;

/// What a test says to a fake engine, and what it hears of it.
///
/// Threads: any.
class EngineControl {
public:
  /// Executions that are begun from now on wait for release().
  void hold();
  void release();
  /// Returns when released, or false when \p isCancelled says so.
  bool waitForRelease(const std::function<bool()> &isCancelled);

  /// The answers of submit() and of the execution.
  Status submitStatus;
  std::atomic<bool> lacksMemory = false;
  Status status;
  /// Added to the extent that an execution reports, and to its elements.
  std::atomic<uint32_t> addedExtent = 0;
  std::atomic<bool> importsPools = false;
  std::atomic<bool> makesFences = true;
  std::atomic<int64_t> timeOnDevice = -1;
  /// What loadBaseline() gives.
  std::function<std::unique_ptr<LoadedModel>(const AnnotatedModel &)> baseline;

  std::atomic<int> submitted = 0;
  std::atomic<int> ended = 0;
  std::atomic<int> cancelled = 0;
  /// Fences that the engine waited for.
  std::atomic<int> fencesWaitedFor = 0;
  /// Between its memory and the host's.
  std::atomic<int> copies = 0;
  /// Arguments that were a pool without bytes.
  std::atomic<int> importedPools = 0;
  std::atomic<int> workspaces = 0;
  std::atomic<std::thread::id> thread;
  std::atomic<std::thread::id> destroyedOn;
  std::atomic<bool> isDestroyed = false;

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isHeld = false;
};

/// A backend "test-engine" whose models add 1 to each element of their one
/// float input. It has one command queue with a thread, memory that the host
/// does not reach, and fences that are descriptors, as a sync_file is.
std::unique_ptr<Backend>
createFakeEngine(std::shared_ptr<EngineControl> control);

} // namespace nnhal::rt::testing

#endif // NNHAL_TEST_UNIT_CORE_FAKEENGINE_H
