//===- ElementsTest.cpp - Elements that count against a budget ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Routines/Elements.h"

#include <gtest/gtest.h>

#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

namespace {

/// Why \p bytes cannot be had.
std::string refusalOf(size_t bytes) {
  try {
    Elements<std::byte> elements(bytes);
    return "had";
  } catch (const OutOfBudget &refusal) {
    return std::string(toString(refusal.status.code())) + ": " + refusal.what();
  }
}

TEST(ElementsTest, CountFromAllocationToDestruction) {
  MemoryBudget budget(1000);
  Elements<float> kept;
  {
    BudgetScope scope(&budget);
    Elements<float> elements(10);
    EXPECT_EQ(budget.inUse(), 40u);
    Elements<float> copy = elements;
    EXPECT_EQ(budget.inUse(), 80u);
    kept = std::move(copy);
    EXPECT_EQ(budget.inUse(), 80u);
    EXPECT_EQ(Elements<float>().capacity(), 0u);
  }
  // What outlives the scope stays counted, and goes on any thread.
  EXPECT_EQ(budget.inUse(), 40u);
  Elements<float> uncounted(100);
  EXPECT_EQ(budget.inUse(), 40u);
  std::thread([&] { kept = Elements<float>(); }).join();
  EXPECT_EQ(budget.inUse(), 0u);
}

TEST(ElementsTest, ScopesNestAndBelongToThreads) {
  MemoryBudget outer(100), inner(100);
  BudgetScope scope(&outer);
  {
    BudgetScope nested(&inner);
    Elements<std::byte> elements(7);
    EXPECT_EQ(inner.inUse(), 7u);
    std::thread([&] {
      Elements<std::byte> others(70);
      EXPECT_EQ(inner.inUse(), 7u);
    }).join();
  }
  Elements<std::byte> elements(8);
  EXPECT_EQ(outer.inUse(), 8u);
  EXPECT_EQ(inner.inUse(), 0u);
}

TEST(ElementsTest, RefusalsNameBytesAndLimit) {
  MemoryBudget budget(100);
  BudgetScope scope(&budget);
  Elements<std::byte> elements(60);
  EXPECT_EQ(refusalOf(41), "RESOURCE_EXHAUSTED_TRANSIENT: 41 bytes do not fit: "
                           "60 of 100 are in use");
  EXPECT_EQ(refusalOf(101), "RESOURCE_EXHAUSTED_PERSISTENT: 101 bytes exceed "
                            "the limit of 100");
  EXPECT_EQ(budget.inUse(), 60u);
  MemoryBudget unlimited(UINT64_MAX);
  BudgetScope other(&unlimited);
  Elements<std::byte> few(6);
  // More than an address space has.
  EXPECT_EQ(refusalOf(size_t(1) << 60),
            "RESOURCE_EXHAUSTED_TRANSIENT: 1152921504606846976 bytes cannot be "
            "allocated, 6 are in use");
  EXPECT_EQ(unlimited.inUse(), 6u);
}

} // namespace
