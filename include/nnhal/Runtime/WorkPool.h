//===- WorkPool.h - Threads that share the work of a loop -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_WORKPOOL_H
#define NNHAL_RUNTIME_WORKPOOL_H

#include "nnhal/Backend/EntryAbi.h"
#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Status.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace nnhal::rt {

/// Threads that help a calling thread with the iterations of a loop that are
/// independent of each other (NNHalParallelFor).
///
/// A loop is cut into pieces. Each thread has its share of them, the same part
/// of each loop, so that it often finds in its own caches the data that it has
/// written in the loop before; a thread that is done with its share takes
/// pieces that others have not begun. A loop has ended when all pieces have, so
/// a worker that the system does not let run delays nothing that it has not
/// taken. A pool has one loop at a time: a caller that comes while it has one,
/// from another thread or from inside of a piece, runs its own loop alone. So
/// executions never wait for each other.
///
/// Between two loops workers poll for the next one for some 80 us, which is
/// less than waking them takes; then they sleep.
///
/// Which thread runs a piece, and how many there are, is open: a loop gives the
/// same results with every pool when its iterations are independent. Workers
/// round and flush as the caller does (its MXCSR or FPCR).
///
/// Ownership: shared by the devices and models that use it; it must outlive
///            every run(). The destructor waits for the workers to end.
/// Threads:   every member may be called from any thread.
class NNHAL_API WorkPool {
public:
  /// A number of threads that no machine makes use of.
  static constexpr unsigned maxThreads = 1024;

  /// Makes a pool of \p threads, the caller among them: none is started for 1,
  /// and 0 means one for each that the machine runs at once. Fails with
  /// invalidArgument for more than maxThreads, with resourceExhaustedTransient
  /// when the system gives no thread.
  static Result<std::unique_ptr<WorkPool>> create(unsigned threads);

  ~WorkPool();
  WorkPool(const WorkPool &) = delete;
  WorkPool &operator=(const WorkPool &) = delete;

  /// The number of threads that take part in a loop, the caller included.
  unsigned threads() const { return unsigned(workers.size()) + 1; }

  /// Calls \p body(\p bodyContext, begin, end) for pieces of at least \p grain
  /// iterations that cover [0, \p count), from this thread and from workers,
  /// several at once; returns when all have ended. There is one piece where
  /// there are not two of that size. This takes no lock and does not fail.
  /// \p body throws no exception: one ends the program.
  void run(NNHalParallelBody body, void *bodyContext, int64_t count,
           int64_t grain) noexcept;

  /// Calls run() of the pool \p self, in the form of the entry ABI.
  static void parallelFor(void *self, NNHalParallelBody body, void *bodyContext,
                          int64_t count, int64_t grain) noexcept;

private:
  explicit WorkPool(unsigned threads);

  void publish(NNHalParallelBody body, void *bodyContext, int64_t count,
               uint64_t pieces);
  void wakeWorkers(uint64_t pieces);
  void runPieces(unsigned self);
  void runShare(unsigned share);
  void awaitPieces(uint32_t pieces);
  void runWorker(unsigned self);
  /// Returns when the generation is not \p seen any more, with the new one.
  uint32_t awaitGeneration(uint32_t seen);

  // The loop that is run. The thread that holds isBusy writes it, while the
  // ticket of the loop is closed.
  std::atomic<NNHalParallelBody> body = nullptr;
  std::atomic<void *> bodyContext = nullptr;
  std::atomic<int64_t> count = 0;
  std::atomic<uint64_t> pieces = 0;
  /// The caller's floating-point control register.
  std::atomic<uint64_t> floatControl = 0;

  /// The number of the loop, and the next piece of a share that nobody has
  /// taken. Taking some is a compare-and-exchange of both, so the knowledge of
  /// an earlier loop never makes a late worker take a piece of another.
  struct alignas(64) Ticket {
    std::atomic<uint64_t> value = 0;
  };
  /// One ticket for the share of each thread; the caller's is the first.
  std::vector<Ticket> tickets;

  alignas(64) std::atomic<uint32_t> completed = 0;
  /// The generation changes when there is something for workers to look at.
  alignas(64) std::atomic<uint32_t> generation = 0;
  std::atomic<uint32_t> sleeping = 0;
  std::atomic<bool> isBusy = false;
  std::atomic<bool> isEnding = false;
  std::vector<std::thread> workers;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_WORKPOOL_H
