//===- Roofs.cpp - What this core can do at most --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Roofs.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <immintrin.h>
#include <memory>
#include <unistd.h>

using namespace nnhal;

namespace {

using Clock = std::chrono::steady_clock;

/// The highest rate of \p body, which returns how much it did, within
/// \p seconds, and at least five times.
template <typename Body> double bestRate(double seconds, Body body) {
  double best = 0;
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (int run = 0; run < 5 || Clock::now() < end; ++run) {
    auto start = Clock::now();
    double amount = body();
    std::chrono::duration<double> taken = Clock::now() - start;
    best = std::max(best, amount / taken.count());
  }
  return best / 1e9;
}

// Make the compiler believe that a value changed.
__attribute__((target("avx2,fma"))) inline void obscure(__m256 &value) {
  asm volatile("" : "+x"(value));
}
__attribute__((target("avx2"))) inline void obscure(__m256i &value) {
  asm volatile("" : "+x"(value));
}
__attribute__((target("avx512f"))) inline void obscure(__m512 &value) {
  asm volatile("" : "+v"(value));
}

constexpr int accumulators = 12;
/// About 50 us on current cores: longer than the clock's steps, shorter than
/// most disturbances.
constexpr int steps = 10000;

__attribute__((target("avx2,fma"))) double runFma() {
  __m256 sums[accumulators];
  for (__m256 &sum : sums)
    sum = _mm256_setzero_ps();
  __m256 x = _mm256_set1_ps(1.0f), y = _mm256_set1_ps(1e-6f);
  obscure(x);
  obscure(y);
  for (int step = 0; step < steps; ++step)
    for (__m256 &sum : sums)
      sum = _mm256_fmadd_ps(x, y, sum);
  for (__m256 &sum : sums)
    obscure(sum);
  return 2.0 * 8 * accumulators * steps;
}

__attribute__((target("avx512f"))) double runWideFma() {
  __m512 sums[accumulators];
  for (__m512 &sum : sums)
    sum = _mm512_setzero_ps();
  __m512 x = _mm512_set1_ps(1.0f), y = _mm512_set1_ps(1e-6f);
  obscure(x);
  obscure(y);
  for (int step = 0; step < steps; ++step)
    for (__m512 &sum : sums)
      sum = _mm512_fmadd_ps(x, y, sum);
  for (__m512 &sum : sums)
    obscure(sum);
  return 2.0 * 16 * accumulators * steps;
}

__attribute__((target("avx2"))) double runPairs() {
  __m256i sums[accumulators];
  for (__m256i &sum : sums)
    sum = _mm256_setzero_si256();
  __m256i x = _mm256_set1_epi16(3), y = _mm256_set1_epi16(5);
  obscure(y);
  for (int step = 0; step < steps; ++step)
    for (__m256i &sum : sums) {
      // Else one product would serve all sums.
      obscure(x);
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(x, y));
    }
  for (__m256i &sum : sums)
    obscure(sum);
  return 2.0 * 16 * accumulators * steps;
}

__attribute__((target("avx512f,avx512vnni"))) double runQuads() {
  __m512i sums[accumulators];
  for (__m512i &sum : sums)
    sum = _mm512_setzero_si512();
  __m512i x = _mm512_set1_epi8(3), y = _mm512_set1_epi8(5);
  for (int step = 0; step < steps; ++step)
    for (__m512i &sum : sums)
      sum = _mm512_dpbusd_epi32(sum, x, y);
  for (__m512i &sum : sums)
    asm volatile("" : "+v"(sum));
  return 2.0 * 64 * accumulators * steps;
}

__attribute__((target("avx2"))) void readOnce(const std::byte *data,
                                              size_t bytes) {
  constexpr size_t registers = 8;
  __m256i seen[registers];
  for (__m256i &value : seen)
    value = _mm256_setzero_si256();
  for (size_t offset = 0; offset < bytes; offset += registers * 32)
    for (size_t i = 0; i < registers; ++i)
      seen[i] = _mm256_or_si256(
          seen[i], _mm256_load_si256(reinterpret_cast<const __m256i *>(
                       data + offset + i * 32)));
  for (__m256i &value : seen)
    obscure(value);
}

size_t cacheSize(int name, size_t otherwise) {
  long size = sysconf(name);
  return size > 0 ? size_t(size) : otherwise;
}

} // namespace

double nnhal::measureFmaPeak(double seconds) {
  return bestRate(seconds, runFma);
}

double nnhal::measureWideFmaPeak(double seconds) {
  return __builtin_cpu_supports("avx512f") ? bestRate(seconds, runWideFma) : 0;
}

double nnhal::measurePairPeak(double seconds) {
  return bestRate(seconds, runPairs);
}

double nnhal::measureQuadPeak(double seconds) {
  return __builtin_cpu_supports("avx512vnni") ? bestRate(seconds, runQuads) : 0;
}

double nnhal::measureReadBandwidth(size_t bytes, double seconds) {
  bytes = (bytes + 4095) / 4096 * 4096;
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory(std::aligned_alloc(4096, bytes));
  if (!memory)
    return 0;
  // Not zeros: pages that were never written are one and the same.
  std::memset(memory.get(), 1, bytes);
  size_t repetitions = std::max<size_t>(1, (size_t(1) << 20) / bytes);
  return bestRate(seconds, [&] {
    for (size_t i = 0; i < repetitions; ++i)
      readOnce(static_cast<const std::byte *>(memory.get()), bytes);
    return double(bytes) * double(repetitions);
  });
}

MemoryLevels nnhal::memoryLevels() {
  size_t l1 = cacheSize(_SC_LEVEL1_DCACHE_SIZE, 32 << 10);
  size_t l2 = cacheSize(_SC_LEVEL2_CACHE_SIZE, 512 << 10);
  size_t l3 = cacheSize(_SC_LEVEL3_CACHE_SIZE, 16 << 20);
  // The last level is shared: a part of it is what one core can count on.
  return {l1 / 2, l2 / 2, std::min(4 * l2, l3 / 2),
          std::min<size_t>(2 * l3, size_t(1) << 30)};
}
