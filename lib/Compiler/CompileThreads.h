//===- CompileThreads.h - Threads of one compilation ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_COMPILER_COMPILETHREADS_H
#define NNHAL_LIB_COMPILER_COMPILETHREADS_H

#include "Target/Cancellation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ThreadPool.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace nnhal {

/// A thread pool for an MLIR context. LLVM's own ends the program when the
/// system gives it no thread; this one then works with those that it has, at
/// the least with the one that waits.
///
/// A thread lives no longer than the wait() that it helps, and receives no
/// signals.
class CompileThreads final : public llvm::ThreadPoolInterface {
public:
  /// \p threads at once, those that wait among them; 0 for one per processor,
  /// but no more than are of use. A thread that waits for others asks
  /// \p cancellation meanwhile, which outlives the pool.
  CompileThreads(unsigned threads, Cancellation &cancellation);
  ~CompileThreads() override { wait(); }

  /// Both run what has been enqueued, also on the calling thread.
  void wait() override;
  void wait(llvm::ThreadPoolTaskGroup &group) override;
  unsigned getMaxConcurrency() const override { return threads; }

private:
  using Task = llvm::unique_function<void()>;
  using Tasks = llvm::SmallVector<Task>;

  void asyncEnqueue(Task task, llvm::ThreadPoolTaskGroup *group) override;
  Tasks take(llvm::ThreadPoolTaskGroup *group);
  void run(llvm::MutableArrayRef<Task> tasks);
  bool takeHelper();
  void waitFor(unsigned &running);

  unsigned threads;
  Cancellation &cancellation;
  /// Threads that may be started now.
  std::atomic<unsigned> helpers;
  std::mutex mutex;
  std::condition_variable helperEnded;
  llvm::DenseMap<llvm::ThreadPoolTaskGroup *, Tasks> enqueued;
};

} // namespace nnhal

#endif // NNHAL_LIB_COMPILER_COMPILETHREADS_H
