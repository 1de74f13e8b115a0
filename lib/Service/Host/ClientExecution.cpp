//===- ClientExecution.cpp - A request of a client ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientExecution.h"

#include "Limits.h"

#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;

Result<ClientExecution> ClientExecution::begin(Session &session,
                                               wire::Request::Reader wire) {
  NNHAL_RETURN_IF_ERROR(session.checkAccepting());
  NNHAL_RETURN_IF_ERROR(checkLists(wire));
  NNHAL_ASSIGN_OR_RETURN(Ticket ticket, session.account->executions.take());
  NNHAL_ASSIGN_OR_RETURN(rt::Request request, read(wire, [&](uint32_t id) {
                           return session.findMemory(id);
                         }));
  NNHAL_RETURN_IF_ERROR(session.checkTokens(request));
  ++session.account->executed;
  return ClientExecution{std::move(request), std::move(ticket)};
}

template <typename Region, typename Arguments>
static bool areStable(const Arguments &arguments) {
  return std::ranges::all_of(arguments, [](const auto &argument) {
    const auto *region = std::get_if<Region>(&argument.memory.kind());
    return !region || region->pool->isStable();
  });
}

bool ClientExecution::isInMemory() const {
  return areStable<rt::Memory::Descriptor>(request.inputs) &&
         areStable<rt::OutputMemory::Region>(request.outputs);
}
