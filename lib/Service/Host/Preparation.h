//===- Preparation.h - One preparation of a client --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_PREPARATION_H
#define NNHAL_LIB_SERVICE_HOST_PREPARATION_H

#include "Incoming.h"
#include "PreparationObserver.h"
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
  /// resourceExhausted* when too many are under way, deviceUnavailable when the
  /// host drains. The thread of the event loop.
  static rt::Result<std::shared_ptr<Preparation>> begin(Session &session);

  const std::shared_ptr<Incoming> incoming;

  /// The descriptors of the caches have come. \p cacheDescriptors are borrowed.
  rt::Result<rt::PrepareOptions> readOptions(wire::PrepareOptions::Reader wire,
                                             Descriptors cacheDescriptors);

  /// Whom observer() also tells. The thread of the event loop.
  void setClient(std::shared_ptr<LoopQueue> loop,
                 wire::PrepareObserver::Client client) {
    remote = std::make_shared<PreparationObserver>(account, std::move(loop),
                                                   kj::mv(client));
  }
  rt::PrepareObserver observer();

  /// The answer of hasFixedCost() once the model has been read.
  bool isFixed = false;

  /// Makes the device cancel the compilation, unless it has ended.
  void cancel() { isCancelled.store(!hasEnded, std::memory_order_relaxed); }
  /// Gives everything back but the memory of the model. The thread of the event
  /// loop.
  std::vector<MemoryTicket> end();

  /// Writes what the cache said to \p results, which have a list of that.
  template <typename Results> void writeCacheEvents(Results results);

private:
  Preparation(std::shared_ptr<Account> account, uint64_t client, Ticket ticket)
      : incoming(std::make_shared<Incoming>(account)),
        account(std::move(account)), client(client), ticket(std::move(ticket)) {
  }

  // Not the session, which ends on the thread of the event loop only.
  const std::shared_ptr<Account> account;
  const uint64_t client;
  bool hasEnded = false;
  Ticket ticket;
  std::shared_ptr<PreparationObserver> remote;
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
