//===- Preparation.cpp - One preparation of a client ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Preparation.h"

#include "Limits.h"

#include "nnhal/Runtime/SharedMemory.h"

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

Result<std::shared_ptr<Preparation>> Preparation::begin(Session &session) {
  NNHAL_RETURN_IF_ERROR(session.checkAccepting());
  std::shared_ptr<Preparation> begun(
      new Preparation(session.account, session.number));
  NNHAL_ASSIGN_OR_RETURN(begun->ticket, session.account->preparations.take());
  return begun;
}

kj::Promise<Status>
Preparation::takeDescriptors(std::vector<NamedDescriptor> named,
                             std::vector<NamedDescriptor> options) {
  modelDescriptors = named.size();
  std::ranges::move(options, std::back_inserter(named));
  NNHAL_ASSIGN_OR_RETURN(descriptorTicket,
                         account->descriptors.take(named.size()));
  return service::takeDescriptors(std::move(named))
      .then([self = shared_from_this()](
                Result<std::vector<rt::UniqueFd>> taken) -> Status {
        NNHAL_ASSIGN_OR_RETURN(self->descriptors, std::move(taken));
        return Status::ok();
      });
}

MemoryTicket Preparation::end() {
  hasEnded = true;
  ++account->prepared;
  descriptors.clear();
  descriptorTicket.release();
  ticket.release();
  return std::move(memory);
}

Result<std::shared_ptr<const rt::AnnotatedModel>>
Preparation::readModel(wire::Model::Reader wire) {
  NNHAL_ASSIGN_OR_RETURN(uint64_t bytes, bytesOf(wire));
  NNHAL_ASSIGN_OR_RETURN(memory, account->reserve(bytes));
  NNHAL_ASSIGN_OR_RETURN(rt::AnnotatedModel model, read(wire, descriptors));
  // A pool takes a part of the quotas for as long as the device keeps it.
  for (rt::Pool &pool : model.model.pools) {
    const auto *region =
        std::get_if<rt::Memory::Descriptor>(&pool.memory.kind());
    if (!region)
      continue;
    NNHAL_ASSIGN_OR_RETURN(MemoryTicket held, account->reserve(region->size));
    pool.memory = rt::Memory::region(
        keepWith(region->pool, std::move(held), descriptorTicket.split(1)),
        region->offset, region->size, region->padding);
  }
  return std::make_shared<const rt::AnnotatedModel>(std::move(model));
}

Result<rt::PrepareOptions>
Preparation::readOptions(wire::PrepareOptions::Reader wire) {
  NNHAL_ASSIGN_OR_RETURN(
      rt::PrepareOptions options,
      read(wire, std::span(descriptors).subspan(modelDescriptors)));
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
  return observer;
}
