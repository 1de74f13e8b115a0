//===- Heap.cpp - How the heap of a process grows -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Heap.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal;

/// Compilations of large models use as much.
static constexpr size_t reserve = 64u << 20;
static constexpr uintptr_t largePage = 2u << 20;

void tools::growHeapInLargePages() {
  // The C library has no other way to grow it than to ask for more than there
  // is, and gives back what is free at its end beyond what these say.
  ::mallopt(M_TOP_PAD, int(reserve));
  ::mallopt(M_TRIM_THRESHOLD, int(2 * reserve));
  auto *before = static_cast<char *>(::sbrk(0));
  // Compilers leave a pair of calls out whose block nobody has.
  void *volatile block = std::malloc(1u << 20);
  std::free(block);
  auto *end = static_cast<char *>(::sbrk(0));
  auto overhang = [](char *address) {
    return ptrdiff_t(reinterpret_cast<uintptr_t>(address) % largePage);
  };
  char *first = before + (ptrdiff_t(largePage) - overhang(before));
  char *last = end - overhang(end);
  if (first < last)
    ::madvise(first, size_t(last - first), MADV_HUGEPAGE);
}
