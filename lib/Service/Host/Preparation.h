//===- Preparation.h - One preparation of a client --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_PREPARATION_H
#define NNHAL_LIB_SERVICE_HOST_PREPARATION_H

#include "Session.h"

#include <atomic>
#include <mutex>

namespace nnhal::service {

/// One preparation of a client: what is held for it, and what it tells.
///
/// Ownership: shared by the call and by the functions that the device holds.
/// Threads:   any, except where it is said.
class Preparation : public std::enable_shared_from_this<Preparation> {
public:
  /// Takes a share of the quotas. resourceExhausted* when there is none,
  /// deviceUnavailable when the host drains. The thread of the event loop.
  static rt::Result<std::shared_ptr<Preparation>> begin(Session &session);

  /// Takes the descriptors of a message, with a share of the quota for them.
  /// The thread of the event loop.
  kj::Promise<rt::Status> takeDescriptors(std::vector<NamedDescriptor> model,
                                          std::vector<NamedDescriptor> options);

  /// Makes the device cancel the compilation, unless it has ended.
  void cancel() { isCancelled.store(!hasEnded, std::memory_order_relaxed); }
  /// Gives back what is not held for the model; the result is. The thread of
  /// the event loop.
  MemoryTicket end();

  /// Reads \p wire and adds to the budget what it takes.
  rt::Result<std::shared_ptr<const rt::AnnotatedModel>>
  readModel(wire::Model::Reader wire);
  rt::Result<rt::PrepareOptions> readOptions(wire::PrepareOptions::Reader wire);

  rt::PrepareObserver observer();
  /// Writes what the cache said to \p results, which have a list of that.
  template <typename Results> void writeCacheEvents(Results results);

private:
  Preparation(std::shared_ptr<Account> account, uint64_t client)
      : account(std::move(account)), client(client) {}

  // Not the session, which ends on the thread of the event loop only.
  const std::shared_ptr<Account> account;
  const uint64_t client;
  std::vector<rt::UniqueFd> descriptors; // Those of the model come first.
  size_t modelDescriptors = 0;
  bool hasEnded = false;
  Ticket ticket;
  Ticket descriptorTicket;
  MemoryTicket memory;
  std::atomic<bool> isCancelled = false;
  std::mutex mutex;
  std::vector<std::pair<rt::CacheOutcome, std::string>> cacheEvents;
};

template <typename Results>
void Preparation::writeCacheEvents(Results results) {
  std::lock_guard lock(mutex);
  auto list = results.initCache(unsigned(cacheEvents.size()));
  for (unsigned i = 0; i < cacheEvents.size(); ++i) {
    const auto &[outcome, detail] = cacheEvents[i];
    list[i].setOutcome(uint32_t(outcome));
    list[i].setDetail(kj::heapString(detail.data(), detail.size()));
  }
}

/// Cancels a preparation whose call is dropped before it ends.
class CancelOnDrop {
public:
  explicit CancelOnDrop(std::shared_ptr<Preparation> preparation)
      : preparation(std::move(preparation)) {}
  CancelOnDrop(CancelOnDrop &&) = default;
  ~CancelOnDrop() {
    if (preparation)
      preparation->cancel();
  }

private:
  std::shared_ptr<Preparation> preparation;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_PREPARATION_H
