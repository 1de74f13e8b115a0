//===- MemoryBudget.h - A limit for the bytes of a device -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_MEMORYBUDGET_H
#define NNHAL_RUNTIME_MEMORYBUDGET_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Status.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

namespace nnhal::rt {

/// Counts bytes against a limit, so that a request for too much fails with a
/// status and not with the process.
///
/// Ownership: outlives its reservations (asserted).
/// Threads:   every member may be called from any thread, without locks.
/// Blocking:  only for the length of the function that finds the limit.
class NNHAL_API MemoryBudget {
public:
  /// Bytes that the destructor gives back. A reservation is move-only; a
  /// default one holds nothing.
  class Reservation {
  public:
    Reservation() = default;
    Reservation(Reservation &&other) noexcept
        : budget(std::exchange(other.budget, nullptr)),
          count(std::exchange(other.count, 0)) {}
    Reservation &operator=(Reservation &&other) noexcept {
      if (this != &other) {
        release();
        budget = std::exchange(other.budget, nullptr);
        count = std::exchange(other.count, 0);
      }
      return *this;
    }
    ~Reservation() { release(); }

    uint64_t bytes() const { return count; }
    /// Gives the bytes back now.
    void release();

  private:
    friend class MemoryBudget;
    Reservation(MemoryBudget *budget, uint64_t count)
        : budget(budget), count(count) {}
    MemoryBudget *budget = nullptr;
    uint64_t count = 0;
  };

  /// Takes the limit in bytes; UINT64_MAX stands for none.
  explicit MemoryBudget(uint64_t limit) : unasked(limit), maximum(limit) {}
  /// Takes a limit that is slow to find. \p find is called once, by limit() or
  /// by the first reservation with which more than \p unasked bytes are in use;
  /// so many are given even when the limit turns out to be lower.
  MemoryBudget(uint64_t unasked, uint64_t (*find)())
      : unasked(unasked), find(find) {}
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget &) = delete;
  MemoryBudget &operator=(const MemoryBudget &) = delete;

  /// Reserves \p bytes. Fails with resourceExhaustedPersistent when they exceed
  /// the limit, with resourceExhaustedTransient when they do not fit beside the
  /// bytes in use.
  Result<Reservation> reserve(uint64_t bytes);

  uint64_t limit() const;
  uint64_t inUse() const { return used.load(std::memory_order_relaxed); }
  /// The most bytes that were ever in use at a time.
  uint64_t peak() const { return highest.load(std::memory_order_relaxed); }

private:
  /// Whether \p bytes are within the limit beside \p before.
  Status check(uint64_t bytes, uint64_t before) const;

  const uint64_t unasked;
  /// Null where the limit is given.
  uint64_t (*const find)() = nullptr;
  mutable std::once_flag isFound;
  mutable uint64_t maximum = 0;
  std::atomic<uint64_t> used{0};
  std::atomic<uint64_t> highest{0};
};

using Reservation = MemoryBudget::Reservation;

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_MEMORYBUDGET_H
