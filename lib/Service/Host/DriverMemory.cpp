//===- DriverMemory.cpp - Memories and buffers of a client ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferServer.h"
#include "DriverServer.h"
#include "Limits.h"
#include "PreparedModelServer.h"

#include "Service/Protocol/Wire.h"

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

namespace {
/// Keeps the number of a memory until the capability is dropped.
class MemoryServer final : public wire::Memory::Server {
public:
  MemoryServer(std::shared_ptr<Session> session, uint32_t id)
      : session(std::move(session)), id(id) {}
  ~MemoryServer() noexcept(false) { session->removeMemory(id); }

private:
  const std::shared_ptr<Session> session;
  const uint32_t id;
};
} // namespace

kj::Promise<void> DriverServer::importMemory(ImportMemoryContext context) {
  auto body = [this, context]() mutable -> kj::Promise<Status> {
    auto pool = context.getParams().getPool();
    NNHAL_ASSIGN_OR_RETURN(Ticket ticket, session->account->descriptors.take());
    NNHAL_ASSIGN_OR_RETURN(MemoryTicket bytes,
                           session->account->reserve(pool.getSize()));
    std::vector<NamedDescriptor> named;
    named.push_back(descriptorOf(pool, "a memory"));
    return takeDescriptors(std::move(named))
        .then([this, context, ticket = std::move(ticket),
               bytes = std::move(bytes)](auto taken) mutable {
          return taken.isOk()
                     ? adopt(context, std::move(taken->front()),
                             std::move(ticket), std::move(bytes))
                     : kj::Promise<Status>(std::move(taken).takeStatus());
        });
  };
  return session->answer(context, rt::TracePhase::unspecified, "importMemory",
                         kj::mv(body));
}

kj::Promise<Status> DriverServer::adopt(ImportMemoryContext context,
                                        rt::UniqueFd descriptor, Ticket ticket,
                                        MemoryTicket bytes) {
  using Adopted = Result<std::shared_ptr<rt::SharedMemory>>;
  auto read = [pool = context.getParams().getPool(),
               descriptor = std::move(descriptor)]() mutable -> Adopted {
    return service::read(pool, std::move(descriptor));
  };
  return session->callOnThread(std::move(read))
      .then([this, context, ticket = std::move(ticket),
             bytes = std::move(bytes)](Adopted adopted) mutable -> Status {
        NNHAL_ASSIGN_OR_RETURN(auto memory, std::move(adopted));
        uint32_t id = session->addMemory(
            keepWith(std::move(memory), std::move(bytes), std::move(ticket)));
        context.getResults().setId(id);
        context.getResults().setMemory(kj::heap<MemoryServer>(session, id));
        return Status::ok();
      });
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Model number \p index of a call, which is one that this session has given.
static kj::Promise<Result<rt::PreparedModelRef>>
resolve(Session &session, wire::PreparedModel::Client capability,
        unsigned index) {
  using Found = Result<rt::PreparedModelRef>;
  auto found = session.models.getLocalServer(capability);
  return found
      .then(
          [index](kj::Maybe<wire::PreparedModel::Server &> &&server) -> Found {
            KJ_IF_MAYBE (known, server)
              return kj::downcast<PreparedModelServer>(*known).prepared();
            return rt::badData("model {} is not one of the client's", index);
          })
      .attach(kj::mv(capability));
}

static std::vector<rt::BufferRole>
rolesOf(capnp::List<wire::BufferRole>::Reader list) {
  std::vector<rt::BufferRole> roles;
  for (auto role : list)
    roles.push_back({.modelIndex = role.getModelIndex(),
                     .ioIndex = role.getIoIndex(),
                     .frequency = role.getFrequency()});
  return roles;
}

static Status checkLists(wire::Driver::AllocateParams::Reader params) {
  NNHAL_RETURN_IF_ERROR(
      checkList("dimensions", params.getDimensions().size(), maxRank));
  NNHAL_RETURN_IF_ERROR(
      checkList("models", params.getModels().size(), maxBufferRoles));
  NNHAL_RETURN_IF_ERROR(
      checkList("roles", params.getInputRoles().size(), maxBufferRoles));
  return checkList("roles", params.getOutputRoles().size(), maxBufferRoles);
}

kj::Promise<void> DriverServer::allocate(AllocateContext context) {
  auto body = [this, context]() mutable -> kj::Promise<Status> {
    auto params = context.getParams();
    NNHAL_RETURN_IF_ERROR(session->checkAccepting());
    NNHAL_RETURN_IF_ERROR(::checkLists(params));
    kj::Vector<kj::Promise<Result<rt::PreparedModelRef>>> models;
    for (wire::PreparedModel::Client model : params.getModels())
      models.add(resolve(*session, kj::mv(model), unsigned(models.size())));
    return kj::joinPromises(models.releaseAsArray())
        .then([this, context](auto found) mutable -> kj::Promise<Status> {
          std::vector<rt::PreparedModelRef> models;
          for (auto &model : found) {
            NNHAL_ASSIGN_OR_RETURN(models.emplace_back(), std::move(model));
          }
          return allocate(context, std::move(models));
        });
  };
  return session->answer(context, rt::TracePhase::unspecified, "allocate",
                         kj::mv(body));
}

kj::Promise<Status>
DriverServer::allocate(AllocateContext context,
                       std::vector<rt::PreparedModelRef> models) {
  using Allocated = Result<std::shared_ptr<rt::Buffer>>;
  NNHAL_ASSIGN_OR_RETURN(Ticket ticket, session->account->buffers.take());
  auto params = context.getParams();
  auto allocate = [this, models = std::move(models),
                   inputs = rolesOf(params.getInputRoles()),
                   outputs = rolesOf(params.getOutputRoles()),
                   description = rt::BufferDesc{numbersOf<uint32_t>(
                       params.getDimensions())}]() -> Allocated {
    NNHAL_ASSIGN_OR_RETURN(const rt::Device *device, session->device());
    return device->allocate(description, models, inputs, outputs);
  };
  return session->callOnThread(std::move(allocate))
      .then([this, context, ticket = std::move(ticket)](
                Allocated allocated) mutable -> Status {
        NNHAL_ASSIGN_OR_RETURN(auto buffer, std::move(allocated));
        context.getResults().setToken(buffer->token());
        context.getResults().setBuffer(kj::heap<BufferServer>(
            session, std::move(buffer), std::move(ticket)));
        return Status::ok();
      });
}
