//===- Preparation.cpp - One preparation of a client ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Preparation.h"

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

Result<std::shared_ptr<Preparation>> Preparation::begin(Session &session) {
  NNHAL_RETURN_IF_ERROR(session.checkAccepting());
  NNHAL_ASSIGN_OR_RETURN(Ticket ticket, session.account->preparations.take());
  return std::shared_ptr<Preparation>(
      new Preparation(session.account, session.number, std::move(ticket)));
}

std::vector<MemoryTicket> Preparation::end() {
  hasEnded = true;
  ++account->prepared;
  auto memory = incoming->takeMemory();
  incoming->release();
  ticket.release();
  return memory;
}

Result<rt::PrepareOptions>
Preparation::readOptions(wire::PrepareOptions::Reader wire,
                         Descriptors cacheDescriptors) {
  NNHAL_ASSIGN_OR_RETURN(rt::PrepareOptions options,
                         read(wire, cacheDescriptors));
  options.client = client;
  return options;
}

rt::PrepareObserver Preparation::observer() {
  rt::PrepareObserver observer;
  observer.compile.isCancelled = [self = shared_from_this()] {
    return self->isCancelled.load(std::memory_order_relaxed);
  };
  observer.cacheObserver = [self =
                                shared_from_this()](rt::CacheOutcome outcome,
                                                    std::string_view detail) {
    std::lock_guard lock(self->mutex);
    self->cacheEvents.emplace_back(outcome, detail);
  };
  if (remote)
    remote->addTo(observer);
  return observer;
}
