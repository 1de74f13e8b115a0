//===- Elements.cpp - Elements that count against a budget ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "Runtime/Support/Errors.h"

#include <cstdlib>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

static thread_local MemoryBudget *currentBudget = nullptr;

BudgetScope::BudgetScope(MemoryBudget *budget)
    : outer(std::exchange(currentBudget, budget)) {}

BudgetScope::~BudgetScope() { currentBudget = outer; }

/// Stands before the memory, so that it is given back to the right budget
/// whichever thread does so.
namespace {
struct alignas(16) Prefix {
  Reservation reservation;
};
} // namespace

void *reference::allocateCounted(size_t bytes) {
  Reservation reservation;
  if (currentBudget && bytes > 0) {
    Result<Reservation> reserved = currentBudget->reserve(bytes);
    if (!reserved.isOk())
      throw OutOfBudget(std::move(reserved).takeStatus());
    reservation = *std::move(reserved);
  }
  void *memory = std::malloc(sizeof(Prefix) + bytes);
  if (!memory)
    throw OutOfBudget(outOfResources(
        "{} bytes cannot be allocated, {} are in use", bytes,
        currentBudget ? currentBudget->inUse() - reservation.bytes() : 0));
  return new (memory) Prefix{std::move(reservation)} + 1;
}

void reference::freeCounted(void *memory) noexcept {
  if (!memory)
    return;
  Prefix *prefix = static_cast<Prefix *>(memory) - 1;
  prefix->~Prefix();
  std::free(prefix);
}
