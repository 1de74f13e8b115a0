//===- AllocationCounter.cpp - Counts what a thread allocates -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// On its own: a compiler that sees these bodies inlined beside uses of new and
// delete takes them for mismatched pairs.
//
//===----------------------------------------------------------------------===//

#include "AllocationCounter.h"

#include <cstdlib>
#include <new>

static thread_local size_t allocationCount = 0;

void *operator new(size_t size) {
  ++allocationCount;
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

size_t nnhal::rt::allocationsOfThisThread() { return allocationCount; }
