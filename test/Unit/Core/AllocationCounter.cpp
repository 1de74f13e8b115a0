//===- AllocationCounter.cpp - Counts what a thread allocates -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// On its own: a compiler that sees these bodies inlined beside uses of new and
// delete takes them for mismatched pairs. They are weak because the thread
// sanitizer brings its own; with that nothing is counted.
//
//===----------------------------------------------------------------------===//

#include "AllocationCounter.h"

#include <cstdlib>
#include <new>

static thread_local size_t allocationCount = 0;

[[gnu::weak]] void *operator new(size_t size) {
  ++allocationCount;
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
[[gnu::weak]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::weak]] void operator delete(void *memory, size_t) noexcept {
  std::free(memory);
}

size_t nnhal::rt::allocationsOfThisThread() { return allocationCount; }
