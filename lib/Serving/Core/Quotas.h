//===- Quotas.h - What each client may ask for ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_QUOTAS_H
#define NNHAL_LIB_SERVING_CORE_QUOTAS_H

#include "Outcome.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace nnhal::serving {

/// The bounds of one client; 0 for none.
struct Quota {
  /// Requests of inference per second, on average: a client that has waited may
  /// send as many at once.
  uint64_t requestsPerSecond = 0;
  /// Requests of inference that wait or execute at a time.
  uint64_t concurrentRequests = 0;
};

/// Counts the requests of clients against one quota.
///
/// Ownership: outlives its admissions.
/// Threads:   every member may be called from any thread at once.
class Quotas {
public:
  /// A request that is under way; the destructor ends it. Move-only.
  class Admission {
  public:
    Admission() = default;
    Admission(Admission &&other) noexcept
        : owner(std::exchange(other.owner, nullptr)),
          client(std::move(other.client)) {}
    Admission &operator=(Admission &&other) noexcept {
      std::swap(owner, other.owner);
      std::swap(client, other.client);
      return *this;
    }
    ~Admission() {
      if (owner)
        owner->release(client);
    }

  private:
    friend class Quotas;
    Admission(Quotas *owner, std::string client)
        : owner(owner), client(std::move(client)) {}
    Quotas *owner = nullptr;
    std::string client;
  };

  /// \p clock tells nanoseconds that never go back; rt::steadyNow() where it is
  /// empty.
  explicit Quotas(Quota quota, std::function<int64_t()> clock = {});

  /// Begins a request of \p client. Fails with overloaded, naming the bound.
  Outcome admit(const std::string &client, Admission &admission);

  /// The clients of whom something is remembered.
  size_t clients() {
    std::lock_guard lock(mutex);
    return accounts.size();
  }

private:
  struct Account {
    double tokens = 0.0;
    int64_t refilled = 0;
    uint64_t running = 0;
  };
  void release(const std::string &client);
  void refill(Account &account, int64_t now) const;
  void forgetIdle(int64_t now);

  const Quota quota;
  const std::function<int64_t()> clock;
  std::mutex mutex;
  std::unordered_map<std::string, Account> accounts;
  int64_t lastForgotten = 0;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_QUOTAS_H
