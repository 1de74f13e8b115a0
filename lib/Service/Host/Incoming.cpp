//===- Incoming.cpp - What comes with a call ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Incoming.h"

#include "Limits.h"

#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>
#include <iterator>

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

kj::Promise<Status> Incoming::take(std::vector<NamedDescriptor> ofModel,
                                   std::vector<NamedDescriptor> others) {
  modelDescriptors = ofModel.size();
  std::ranges::move(others, std::back_inserter(ofModel));
  NNHAL_ASSIGN_OR_RETURN(ticket, account->descriptors.take(ofModel.size()));
  return takeDescriptors(std::move(ofModel))
      .then([self = shared_from_this()](
                Result<std::vector<rt::UniqueFd>> arrived) -> Status {
        NNHAL_ASSIGN_OR_RETURN(self->taken, std::move(arrived));
        return Status::ok();
      });
}

Result<std::shared_ptr<const rt::AnnotatedModel>>
Incoming::readModel(wire::Model::Reader wire) {
  NNHAL_ASSIGN_OR_RETURN(uint64_t bytes, bytesOf(wire));
  NNHAL_RETURN_IF_ERROR(reserve(bytes));
  NNHAL_ASSIGN_OR_RETURN(rt::AnnotatedModel model,
                         read(wire, std::span(taken).first(modelDescriptors)));
  for (rt::Pool &pool : model.model.pools) {
    const auto *region =
        std::get_if<rt::Memory::Descriptor>(&pool.memory.kind());
    if (!region)
      continue;
    NNHAL_ASSIGN_OR_RETURN(MemoryTicket held, account->reserve(region->size));
    pool.memory = rt::Memory::region(
        keepWith(region->pool, std::move(held), ticket.split(1)),
        region->offset, region->size, region->padding);
  }
  return std::make_shared<const rt::AnnotatedModel>(std::move(model));
}

Status Incoming::reserve(uint64_t bytes) {
  NNHAL_ASSIGN_OR_RETURN(memory.emplace_back(), account->reserve(bytes));
  return Status::ok();
}

void Incoming::release() {
  taken.clear();
  ticket.release();
  memory.clear();
}
