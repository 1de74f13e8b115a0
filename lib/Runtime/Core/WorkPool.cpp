//===- WorkPool.cpp - Threads that share the work of a loop ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/WorkPool.h"

#include "FloatControl.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Thread.h"

#include <algorithm>
#include <chrono>

using namespace nnhal::rt;

/// A ticket is the number of a loop above the number of a piece.
static constexpr unsigned pieceBits = 24;
static constexpr uint64_t pieceMask = (uint64_t(1) << pieceBits) - 1;
/// No loop has so many pieces: there is none to take.
static constexpr uint64_t closedPiece = pieceMask;

/// Pieces for each thread where there is work for so many. More would even out
/// threads that are slowed down still better, at the cost of shorter runs of
/// each through memory.
static constexpr uint64_t piecesPerThread = 16;

static constexpr auto lookoutTime = std::chrono::microseconds(80);

static void relax() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

/// Whether \p isDone() becomes true in the time that looking out is worth.
template <typename IsDone> static bool lookOut(IsDone isDone) {
  constexpr int looksPerClock = 32;
  auto begin = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < looksPerClock; ++i) {
      if (isDone())
        return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() - begin < lookoutTime);
  return false;
}

WorkPool::WorkPool(unsigned threads) : tickets(threads) {}

Result<std::unique_ptr<WorkPool>> WorkPool::create(unsigned threads) {
  if (threads > maxThreads)
    return badData("a pool of {} threads is larger than {}", threads,
                   maxThreads);
  if (threads == 0)
    threads = std::clamp(std::thread::hardware_concurrency(), 1u, maxThreads);
  std::unique_ptr<WorkPool> pool(new WorkPool(threads));
  pool->workers.reserve(threads - 1);
  for (unsigned i = 1; i < threads; ++i) {
    std::thread worker;
    NNHAL_RETURN_IF_ERROR(startThread(
        worker, "nnhal-loop", [self = pool.get(), i] { self->runWorker(i); }));
    pool->workers.push_back(std::move(worker));
  }
  return pool;
}

WorkPool::~WorkPool() {
  isEnding.store(true);
  generation.fetch_add(1);
  generation.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void WorkPool::parallelFor(void *self, NNHalParallelBody body,
                           void *bodyContext, int64_t count,
                           int64_t grain) noexcept {
  static_cast<WorkPool *>(self)->run(body, bodyContext, count, grain);
}

void WorkPool::run(NNHalParallelBody body, void *bodyContext, int64_t count,
                   int64_t grain) noexcept {
  if (count <= 0)
    return;
  uint64_t most = std::min(piecesPerThread * threads(), closedPiece - 1);
  uint64_t wanted = uint64_t(count) / uint64_t(std::max<int64_t>(grain, 1));
  uint64_t total = std::min(wanted, most);
  if (total < 2 || workers.empty() ||
      isBusy.exchange(true, std::memory_order_acquire))
    return body(bodyContext, 0, count);
  publish(body, bodyContext, count, total);
  wakeWorkers(total);
  runPieces(/*self=*/0);
  awaitPieces(uint32_t(total));
  isBusy.store(false, std::memory_order_release);
}

/// Pieces are of equal size, but for one iteration: the remaining iterations go
/// to the first pieces.
static int64_t firstIterationOf(uint64_t piece, uint64_t pieces,
                                uint64_t iterations) {
  return int64_t(piece * (iterations / pieces) +
                 std::min(piece, iterations % pieces));
}

static uint64_t firstPieceOf(uint64_t share, uint64_t shares, uint64_t pieces) {
  return share * pieces / shares;
}

/// Closes the tickets before what they stand for changes, and opens them after
/// that. The stores in between release: who sees one of them sees each ticket
/// closed, so that a worker which has mixed two loops up takes nothing.
void WorkPool::publish(NNHalParallelBody newBody, void *newContext,
                       int64_t newCount, uint64_t newPieces) {
  uint64_t loop =
      (tickets[0].value.load(std::memory_order_relaxed) >> pieceBits) + 1;
  for (Ticket &ticket : tickets)
    ticket.value.store(loop << pieceBits | closedPiece,
                       std::memory_order_relaxed);
  body.store(newBody, std::memory_order_release);
  bodyContext.store(newContext, std::memory_order_release);
  count.store(newCount, std::memory_order_release);
  pieces.store(newPieces, std::memory_order_release);
  floatControl.store(readFloatControl(), std::memory_order_release);
  completed.store(0, std::memory_order_relaxed);
  for (size_t share = 0; share < tickets.size(); ++share)
    tickets[share].value.store(
        loop << pieceBits | firstPieceOf(share, tickets.size(), newPieces),
        std::memory_order_release);
}

/// Sequentially consistent, as awaitGeneration(): either a worker sees the new
/// generation or this sees that it sleeps.
void WorkPool::wakeWorkers(uint64_t pieces) {
  generation.fetch_add(1, std::memory_order_seq_cst);
  uint64_t count = sleeping.load(std::memory_order_seq_cst);
  for (uint64_t i = 0; i < std::min(count, pieces - 1); ++i)
    generation.notify_one();
}

uint32_t WorkPool::awaitGeneration(uint32_t seen) {
  auto hasChanged = [&] {
    return generation.load(std::memory_order_acquire) != seen;
  };
  while (!lookOut(hasChanged)) {
    sleeping.fetch_add(1, std::memory_order_seq_cst);
    generation.wait(seen, std::memory_order_seq_cst);
    sleeping.fetch_sub(1, std::memory_order_relaxed);
  }
  return generation.load(std::memory_order_acquire);
}

void WorkPool::runWorker(unsigned self) {
  uint32_t seen = 0;
  while (!isEnding.load(std::memory_order_acquire)) {
    runPieces(self);
    seen = awaitGeneration(seen);
  }
}

void WorkPool::runPieces(unsigned self) {
  for (size_t i = 0; i < tickets.size(); ++i)
    runShare(unsigned((self + i) % tickets.size()));
}

/// Takes pieces of \p share of the current loop until there are none, each time
/// half of the remaining ones: the long runs through memory come first, and the
/// last are short. The values that are read of the loop are only used when the
/// exchange has shown that it was still that loop.
///
/// The count of pieces is added to the counter of all threads once: its line
/// goes from core to core. Until then the loop does not end, so that no other
/// one is met here.
void WorkPool::runShare(unsigned share) {
  std::atomic<uint64_t> &ticket = tickets[share].value;
  uint64_t found = ticket.load(std::memory_order_acquire);
  uint64_t done = 0, all = 0;
  while (true) {
    NNHalParallelBody function = body.load(std::memory_order_acquire);
    void *context = bodyContext.load(std::memory_order_acquire);
    uint64_t iterations = uint64_t(count.load(std::memory_order_acquire));
    uint64_t total = pieces.load(std::memory_order_acquire);
    uint64_t control = floatControl.load(std::memory_order_acquire);
    uint64_t first = found & pieceMask;
    uint64_t last = firstPieceOf(share + 1, tickets.size(), total);
    if (first >= last)
      break;
    uint64_t taken = (last - first + 1) / 2;
    if (!ticket.compare_exchange_weak(found, found + taken,
                                      std::memory_order_acq_rel,
                                      std::memory_order_acquire))
      continue;
    adoptFloatControl(control);
    function(context, firstIterationOf(first, total, iterations),
             firstIterationOf(first + taken, total, iterations));
    done += taken;
    all = total;
    found = ticket.load(std::memory_order_acquire);
  }
  // The last one tells a caller that has gone to sleep.
  if (done > 0 &&
      completed.fetch_add(uint32_t(done), std::memory_order_acq_rel) + done ==
          all)
    completed.notify_one();
}

void WorkPool::awaitPieces(uint32_t total) {
  auto isDone = [&] {
    return completed.load(std::memory_order_acquire) == total;
  };
  while (!lookOut(isDone)) {
    uint32_t found = completed.load(std::memory_order_acquire);
    if (found != total)
      completed.wait(found, std::memory_order_acquire);
  }
}
