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

template <typename Token, typename Arguments>
static bool haveToken(const Arguments &arguments) {
  return std::ranges::any_of(arguments, [](const auto &argument) {
    return std::holds_alternative<Token>(argument.memory.kind());
  });
}

bool ClientExecution::hasBuffers() const {
  return haveToken<rt::Memory::DeviceToken>(request.inputs) ||
         haveToken<rt::OutputMemory::DeviceToken>(request.outputs);
}

bool service::hasFixedCost(const rt::Model &model) {
  const rt::Subgraph &main = model.main;
  auto hasShape = [&](uint32_t input) {
    if (input >= main.operands.size())
      return false; // The model was not validated yet.
    const rt::Operand &operand = main.operands[input];
    return !rt::isTensor(operand.type) ||
           (!operand.dimensions.empty() &&
            std::ranges::count(operand.dimensions, 0u) == 0);
  };
  return model.referenced.empty() &&
         std::ranges::all_of(main.inputIndexes, hasShape);
}

bool ClientExecution::isInMemory() const {
  return areStable<rt::Memory::Descriptor>(request.inputs) &&
         areStable<rt::OutputMemory::Region>(request.outputs);
}
