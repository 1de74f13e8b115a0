//===- MemoryBudget.cpp - A limit for the bytes of a device ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/MemoryBudget.h"
#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;

MemoryBudget::~MemoryBudget() {
  assert(inUse() == 0 && "a reservation outlives its budget");
}

uint64_t MemoryBudget::limit() const {
  if (find)
    std::call_once(isFound, [this] { maximum = find(); });
  return maximum;
}

Status MemoryBudget::check(uint64_t bytes, uint64_t before) const {
  if (bytes <= unasked && before <= unasked - bytes)
    return Status::ok();
  if (bytes > limit())
    return Status(
        StatusCode::resourceExhaustedPersistent,
        fmt::format("{} bytes exceed the limit of {}", bytes, limit()));
  if (before > limit() - bytes)
    return outOfResources("{} bytes do not fit: {} of {} are in use", bytes,
                          before, limit());
  return Status::ok();
}

Result<Reservation> MemoryBudget::reserve(uint64_t bytes) {
  uint64_t before = used.load(std::memory_order_relaxed);
  do {
    NNHAL_RETURN_IF_ERROR(check(bytes, before));
  } while (!used.compare_exchange_weak(before, before + bytes,
                                       std::memory_order_acq_rel,
                                       std::memory_order_relaxed));
  uint64_t top = highest.load(std::memory_order_relaxed);
  while (top < before + bytes &&
         !highest.compare_exchange_weak(top, before + bytes,
                                        std::memory_order_relaxed)) {
  }
  return Reservation(this, bytes);
}

void Reservation::release() {
  MemoryBudget *owner = std::exchange(budget, nullptr);
  uint64_t bytes = std::exchange(count, 0);
  if (owner)
    owner->used.fetch_sub(bytes, std::memory_order_acq_rel);
}
