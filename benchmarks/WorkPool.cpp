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
// loops.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/WorkPool.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

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

} // namespace

int main(int argc, char **argv) {
  benchmark::RegisterBenchmark("shareLoop", shareLoop)
      ->ArgNames({"threads", "work", "pause"})
      ->ArgsProduct({{1, 2}, {0, 2, 5, 10, 20, 50, 100, 200}, {0}})
      ->ArgsProduct({{1, 2}, {20, 50}, {10, 200}})
      ->UseRealTime();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
