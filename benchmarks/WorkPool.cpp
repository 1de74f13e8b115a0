//===- WorkPool.cpp - What sharing a loop among threads costs -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of pure computation, by the calling thread alone and by a pool of two,
// one loop after the other as the kernels of an execution follow each other.
// Half of the first time subtracted from the second is what forking and joining
// costs. `pause`: the microseconds that the caller spends by itself between two
// loops. And how long a line of the caches takes from one core to another,
// which is what each further thread costs at least where all add to one
// counter.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/WorkPool.h"

#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <pthread.h>
#include <sched.h>

using namespace nnhal::rt;

namespace {

constexpr int64_t iterations = 32;

/// A chain of multiplications: nothing but time, the same on each thread.
void compute(int64_t steps) {
  uint64_t value = 1;
  for (int64_t i = 0; i < steps; ++i)
    benchmark::DoNotOptimize(value *= 0x9E3779B97F4A7C15);
}

void computeRange(void *context, int64_t begin, int64_t end) {
  compute((end - begin) * *static_cast<int64_t *>(context));
}

/// The steps of compute() that take a microsecond.
double stepsPerMicrosecond() {
  constexpr int64_t steps = 1 << 20;
  double best = 0.0;
  for (int round = 0; round < 20; ++round) {
    auto begin = std::chrono::steady_clock::now();
    compute(steps);
    std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - begin;
    best = std::max(best, double(steps) / taken.count());
  }
  return best;
}

/// Arguments of a benchmark: threads, microseconds of a loop on one thread,
/// microseconds between two loops.
void shareLoop(benchmark::State &state) {
  static const double speed = stepsPerMicrosecond();
  Result<std::unique_ptr<WorkPool>> pool =
      WorkPool::create(unsigned(state.range(0)));
  if (!pool.isOk())
    return state.SkipWithError(pool.status().message().c_str());
  auto steps = int64_t(speed * double(state.range(1)) / double(iterations));
  auto pause = int64_t(speed * double(state.range(2)));
  while (state.KeepRunning()) {
    (*pool)->run(computeRange, &steps, iterations, /*grain=*/1);
    if (pause == 0)
      continue;
    state.PauseTiming();
    compute(pause);
    state.ResumeTiming();
  }
}

/// Takes the calling thread to another processor than \p processor, which a
/// new thread often begins on; two that wait for each other would stay there.
void leave(int processor) {
  cpu_set_t allowed;
  if (pthread_getaffinity_np(pthread_self(), sizeof(allowed), &allowed) != 0)
    return;
  CPU_CLR(processor, &allowed);
  pthread_setaffinity_np(pthread_self(), sizeof(allowed), &allowed);
}

/// A line that two threads write in turn; one iteration is one way.
void passLine(benchmark::State &state) {
  constexpr int64_t ways = 1000;
  alignas(64) std::atomic<int64_t> turn = 0;
  int processor = sched_getcpu();
  // The thread takes the odd turns, until it is given a negative one.
  std::thread other([&] {
    leave(processor);
    for (int64_t seen = turn; seen >= 0; seen = turn)
      if (seen % 2 == 1)
        turn.compare_exchange_strong(seen, seen + 1);
  });
  while (state.KeepRunningBatch(ways)) {
    int64_t first = turn;
    for (int64_t i = 0; i < ways; i += 2) {
      turn = first + i + 1;
      while (turn != first + i + 2) {
      }
    }
  }
  turn = -1;
  other.join();
}

} // namespace

int main(int argc, char **argv) {
  benchmark::RegisterBenchmark("shareLoop", shareLoop)
      ->ArgNames({"threads", "work", "pause"})
      ->ArgsProduct({{1, 2}, {0, 2, 5, 10, 20, 50, 100, 200}, {0}})
      ->ArgsProduct({{1, 2}, {20, 50}, {10, 200}})
      ->UseRealTime();
  benchmark::RegisterBenchmark("passLine", passLine)->UseRealTime();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
