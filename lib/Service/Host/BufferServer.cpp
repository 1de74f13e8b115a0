//===- BufferServer.cpp - A buffer of a client ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferServer.h"

#include "Limits.h"

#include "Service/Protocol/Wire.h"
#include "nnhal/Runtime/SharedMemory.h"

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

BufferServer::BufferServer(std::shared_ptr<Session> owner,
                           std::shared_ptr<rt::Buffer> allocated, Ticket share)
    : session(std::move(owner)), buffer(std::move(allocated)),
      ticket(std::move(share)) {
  session->tokens.insert(buffer->token());
}

BufferServer::~BufferServer() noexcept(false) {
  session->tokens.erase(buffer->token());
  session->discard(std::move(buffer));
}

Result<std::shared_ptr<rt::SharedMemory>>
BufferServer::find(uint32_t id) const {
  auto memory = session->findMemory(id);
  if (!memory)
    return rt::badData("memory {} is not one that was imported", id);
  return memory;
}

kj::Promise<void> BufferServer::copyTo(CopyToContext context) {
  auto body = [this, context]() mutable -> kj::Promise<Status> {
    NNHAL_ASSIGN_OR_RETURN(auto memory, find(context.getParams().getMemory()));
    return session->callOnThread([buffer = buffer, memory = std::move(memory)] {
      return buffer->copyTo(*memory);
    });
  };
  return session->answer(context, rt::TracePhase::unspecified, "copyTo",
                         kj::mv(body));
}

kj::Promise<void> BufferServer::copyFrom(CopyFromContext context) {
  auto body = [this, context]() mutable -> kj::Promise<Status> {
    auto params = context.getParams();
    NNHAL_RETURN_IF_ERROR(
        checkList("dimensions", params.getDimensions().size(), maxRank));
    NNHAL_ASSIGN_OR_RETURN(auto memory, find(params.getMemory()));
    return session->callOnThread(
        [buffer = buffer, memory = std::move(memory),
         dimensions = numbersOf<uint32_t>(params.getDimensions())] {
          return buffer->copyFrom(*memory, dimensions);
        });
  };
  return session->answer(context, rt::TracePhase::unspecified, "copyFrom",
                         kj::mv(body));
}
