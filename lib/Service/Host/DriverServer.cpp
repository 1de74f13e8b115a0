//===- DriverServer.cpp - A device for one client -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverServer.h"

#include "Limits.h"
#include "Preparation.h"
#include "PreparedModelServer.h"

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

kj::Promise<void> DriverServer::describe(DescribeContext context) {
  write(session->host->description, context.getResults().initDevice());
  return kj::READY_NOW;
}

kj::Promise<void> DriverServer::status(StatusContext context) {
  auto ask = [session = session]() -> Result<rt::DeviceStatus> {
    NNHAL_ASSIGN_OR_RETURN(const rt::Device *device, session->device());
    return device->status();
  };
  return session->callOnThread(ask).then(
      [context](Result<rt::DeviceStatus> asked) mutable {
        auto status = asked.isOk() ? *asked : rt::DeviceStatus::unknown;
        context.getResults().setStatus(uint32_t(status));
      });
}

/// Launches \p preparation of what \p params says, on a thread for calls. When
/// this is a success \p notify is called once.
static Status launch(Session &session, Preparation &preparation,
                     wire::Driver::PrepareModelParams::Reader params,
                     const rt::PrepareCallback &notify) {
  NNHAL_ASSIGN_OR_RETURN(auto model, preparation.readModel(params.getModel()));
  NNHAL_ASSIGN_OR_RETURN(rt::PrepareOptions options,
                         preparation.readOptions(params.getOptions()));
  NNHAL_ASSIGN_OR_RETURN(const rt::Device *device, session.device());
  return device->prepareModelAsync(std::move(model), options, notify,
                                   preparation.observer());
}

kj::Promise<void> DriverServer::prepareModel(PrepareModelContext context) {
  auto body = [this, context]() mutable -> kj::Promise<Status> {
    auto params = context.getParams();
    NNHAL_RETURN_IF_ERROR(checkLists(params.getModel()));
    NNHAL_RETURN_IF_ERROR(checkLists(params.getOptions()));
    NNHAL_ASSIGN_OR_RETURN(auto preparation, Preparation::begin(*session));
    return preparation
        ->takeDescriptors(descriptorsOf(params.getModel()),
                          descriptorsOf(params.getOptions()))
        .then([this, context, preparation](Status taken) mutable {
          return taken.isOk() ? prepare(context, preparation)
                              : kj::Promise<Status>(std::move(taken));
        })
        .then([context, preparation](Status status) mutable {
          preparation->writeCacheEvents(context.getResults());
          return status;
        });
  };
  return answer(*session->account, context, kj::mv(body));
}

kj::Promise<Status>
DriverServer::prepare(PrepareModelContext context,
                      const std::shared_ptr<Preparation> &preparation) {
  using Prepared = Result<rt::PreparedModelRef>;
  auto pair = kj::newPromiseAndCrossThreadFulfiller<Prepared>();
  auto notify = [fulfiller = std::make_shared<decltype(pair.fulfiller)>(
                     kj::mv(pair.fulfiller))](Prepared prepared) {
    (*fulfiller)->fulfill(kj::mv(prepared));
  };
  auto launched = session->callOnThread(
      [this, preparation, notify, params = context.getParams()] {
        return launch(*session, *preparation, params, notify);
      });
  return launched.then(
      [this, context, preparation, prepared = kj::mv(pair.promise)](
          Status launched) mutable -> kj::Promise<Status> {
        if (!launched.isOk())
          return launched;
        context.getResults().setLaunched(true);
        // From here on nothing reads the message, and a client that drops the
        // call or dies cancels the compilation.
        context.allowCancellation();
        return prepared
            .then([this, context, preparation](Prepared prepared) mutable {
              return finish(context, *preparation, std::move(prepared));
            })
            .attach(CancelOnDrop(preparation));
      });
}

Status DriverServer::finish(PrepareModelContext context,
                            Preparation &preparation,
                            Result<rt::PreparedModelRef> prepared) {
  MemoryTicket memory = preparation.end();
  NNHAL_ASSIGN_OR_RETURN(rt::PreparedModelRef model, std::move(prepared));
  NNHAL_ASSIGN_OR_RETURN(auto capability,
                         PreparedModelServer::create(session, std::move(model),
                                                     std::move(memory)));
  context.getResults().setModel(kj::mv(capability));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Memory
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
  return answer(*session->account, context, kj::mv(body));
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
