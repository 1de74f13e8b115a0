//===- Allocations.cpp - Counts and fails allocations ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The operators are in a file of their own: a compiler that sees these bodies
// inlined beside uses of new and delete takes them for mismatched pairs. They
// are weak because the thread sanitizer brings its own.
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"

#include <cstdlib>
#include <limits>
#include <new>

static constexpr size_t never = std::numeric_limits<size_t>::max();
static thread_local size_t allocationCount = 0;
static thread_local size_t failingCount = never;

[[gnu::weak]] void *operator new(size_t size) {
  if (allocationCount++ == failingCount)
    throw std::bad_alloc();
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
[[gnu::weak]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::weak]] void operator delete(void *memory, size_t) noexcept {
  std::free(memory);
}

using namespace nnhal::rt;

size_t nnhal::rt::allocationsOfThisThread() { return allocationCount; }

AllocationFailure::AllocationFailure(size_t before) {
  failingCount = allocationCount + before;
}

AllocationFailure::~AllocationFailure() { failingCount = never; }

bool AllocationFailure::hasFailed() const {
  return allocationCount > failingCount;
}

bool AllocationFailure::isPossible() {
  size_t before = allocationCount;
  ::operator delete(::operator new(1));
  return allocationCount != before;
}
