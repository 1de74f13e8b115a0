//===- Account.h - What a client has, against its quotas --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_ACCOUNT_H
#define NNHAL_LIB_SERVICE_HOST_ACCOUNT_H

#include "Quotas.h"

#include "nnhal/Runtime/MemoryBudget.h"
#include "nnhal/Runtime/Status.h"

#include <atomic>
#include <memory>
#include <tuple>
#include <utility>

namespace nnhal::service {

/// A share of a quota, which the destructor gives back. It is move-only; a
/// default one holds nothing. It may outlive the account.
class Ticket {
public:
  Ticket() = default;
  Ticket(Ticket &&other) noexcept
      : used(std::move(other.used)), count(std::exchange(other.count, 0)) {}
  Ticket &operator=(Ticket &&other) noexcept {
    release();
    used = std::move(other.used);
    count = std::exchange(other.count, 0);
    return *this;
  }
  ~Ticket() { release(); }

  void release() {
    if (auto counter = std::exchange(used, nullptr))
      counter->fetch_sub(count, std::memory_order_relaxed);
  }
  /// Cuts \p share off as a ticket of its own.
  Ticket split(uint64_t share);

private:
  friend class Quota;
  using Used = std::shared_ptr<std::atomic<uint64_t>>;
  Ticket(Used used, uint64_t count) : used(std::move(used)), count(count) {}

  Used used;
  uint64_t count = 0;
};

/// One quota. Threads: any.
class Quota {
public:
  /// \p what names many of them: "prepared models" for example.
  Quota(const char *what, uint64_t limit) : what(what), limit(limit) {}

  /// resourceExhaustedTransient when the client has too many,
  /// resourceExhaustedPersistent when \p count alone is too many.
  rt::Result<Ticket> take(uint64_t count = 1);
  uint64_t inUse() const { return used->load(std::memory_order_relaxed); }

private:
  const char *what;
  const uint64_t limit;
  const Ticket::Used used = std::make_shared<std::atomic<uint64_t>>(0);
};

/// Reserved bytes, which may outlive the account.
class MemoryTicket {
public:
  MemoryTicket() = default;
  MemoryTicket(std::shared_ptr<rt::MemoryBudget> budget, rt::Reservation bytes)
      : budget(std::move(budget)), bytes(std::move(bytes)) {}
  MemoryTicket(MemoryTicket &&other) noexcept = default;
  MemoryTicket &operator=(MemoryTicket &&other) noexcept {
    bytes = std::move(other.bytes); // First: it refers to the budget.
    budget = std::move(other.budget);
    return *this;
  }

private:
  std::shared_ptr<rt::MemoryBudget> budget;
  rt::Reservation bytes;
};

/// Everything that a client has. Threads: any.
class Account {
public:
  explicit Account(const Quotas &quotas);

  /// Fails like MemoryBudget::reserve(), for the memory of the client.
  rt::Result<MemoryTicket> reserve(uint64_t bytes);

  /// Limits the client's devices, too.
  const std::shared_ptr<rt::MemoryBudget> memory;
  Quota models;
  Quota buffers;
  Quota bursts;
  Quota executions;
  Quota preparations;
  Quota descriptors;

  /// Calls of the client that nobody waits for. The thread of the event loop.
  unsigned unanswered = 0;

  /// Counts \p status as the outcome of a call.
  void note(const rt::Status &status);
  std::atomic<uint64_t> executed{0};
  std::atomic<uint64_t> prepared{0};
  std::atomic<uint64_t> failures{0};
  /// Failures with resourceExhausted*.
  std::atomic<uint64_t> refusals{0};
};

/// \p object, with \p held for as long as somebody refers to it.
template <typename T, typename... Held>
std::shared_ptr<T> keepWith(std::shared_ptr<T> object, Held... held) {
  struct Both {
    std::tuple<Held...> held;
    std::shared_ptr<T> object;
  };
  T *raw = object.get();
  auto both = std::make_shared<Both>(
      Both{std::tuple<Held...>(std::move(held)...), std::move(object)});
  return std::shared_ptr<T>(std::move(both), raw);
}

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_ACCOUNT_H
