//===- Heap.cpp - How the heap of a process grows -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Heap.h"

#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal;

/// Compilations of large models use so much.
static constexpr size_t reserve = 64u << 20;
static constexpr uintptr_t largePage = 2u << 20;

void tools::growHeapInLargePages() {
  // The C library has no other way to grow it than to ask for more than there
  // is, and gives back what is free at its end beyond what these say.
  ::mallopt(M_TOP_PAD, int(reserve));
  ::mallopt(M_TRIM_THRESHOLD, int(2 * reserve));
  auto before = reinterpret_cast<uintptr_t>(::sbrk(0));
  // Compilers leave a pair of calls out whose block nobody has.
  void *volatile block = std::malloc(1u << 20);
  std::free(block);
  auto end = reinterpret_cast<uintptr_t>(::sbrk(0));
  uintptr_t first = (before + largePage - 1) / largePage * largePage;
  uintptr_t last = end / largePage * largePage;
  if (first < last)
    ::madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE);
}
