//===- PreparedModelServer.cpp - A prepared model of a client -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparedModelServer.h"

#include "Limits.h"

#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

Result<wire::PreparedModel::Client>
PreparedModelServer::create(const std::shared_ptr<Session> &session,
                            rt::PreparedModelRef model, MemoryTicket memory) {
  NNHAL_ASSIGN_OR_RETURN(Ticket ticket, session->account->models.take());
  NNHAL_ASSIGN_OR_RETURN(
      MemoryTicket artifact,
      session->account->reserve(model->memoryUse().artifact));
  model = keepWith(std::move(model), std::move(memory), std::move(artifact));
  return session->models.add(kj::heap<PreparedModelServer>(
      session, std::move(model), std::move(ticket)));
}

PreparedModelServer::~PreparedModelServer() noexcept(false) {
  session->discard(std::move(model));
}

kj::Promise<void> PreparedModelServer::describe(DescribeContext context) {
  auto results = context.getResults();
  write(model->interface(), results.initInterface());
  write(model->memoryUse(), results.initMemoryUse());
  return kj::READY_NOW;
}

kj::Promise<void> PreparedModelServer::memoryUse(MemoryUseContext context) {
  write(model->memoryUse(), context.getResults().initMemoryUse());
  return kj::READY_NOW;
}

namespace {
/// What an execution gave.
struct Executed {
  Status status;
  rt::ExecutionResult result;
};

/// A request of a client, and what it takes until it has ended.
struct Execution {
  rt::Request request;
  Ticket ticket;
};

/// Where a thread of the device leaves what an execution gave.
class Outcome {
public:
  using Fulfiller = kj::Own<kj::CrossThreadPromiseFulfiller<Executed>>;
  Outcome(Fulfiller fulfiller, Ticket ticket)
      : fulfiller(kj::mv(fulfiller)), ticket(std::move(ticket)) {}

  void set(Status status, const rt::ExecutionResult &result) {
    // First: the client may ask for the next one when it hears of this one.
    ticket.release();
    fulfiller->fulfill({std::move(status), result});
  }

private:
  Fulfiller fulfiller;
  Ticket ticket;
};
} // namespace

/// Memories and buffers are the client's.
static Result<Execution> readExecution(Session &session,
                                       wire::Request::Reader wire) {
  NNHAL_RETURN_IF_ERROR(session.checkAccepting());
  NNHAL_RETURN_IF_ERROR(checkLists(wire));
  NNHAL_ASSIGN_OR_RETURN(Ticket ticket, session.account->executions.take());
  NNHAL_ASSIGN_OR_RETURN(rt::Request request, read(wire, [&](uint32_t id) {
                           return session.findMemory(id);
                         }));
  NNHAL_RETURN_IF_ERROR(session.checkTokens(request));
  return Execution{std::move(request), std::move(ticket)};
}

template <typename Region, typename Arguments>
static bool areStable(const Arguments &arguments) {
  return std::ranges::all_of(arguments, [](const auto &argument) {
    const auto *region = std::get_if<Region>(&argument.memory.kind());
    return !region || region->pool->isStable();
  });
}

/// Whether all pools are memory, of which the system knows everything without
/// asking whoever serves a file.
static bool isInMemory(const rt::Request &request) {
  return areStable<rt::Memory::Descriptor>(request.inputs) &&
         areStable<rt::OutputMemory::Region>(request.outputs);
}

kj::Promise<void> PreparedModelServer::execute(ExecuteContext context) {
  auto body = [this, context]() mutable -> kj::Promise<Status> {
    NNHAL_ASSIGN_OR_RETURN(
        Execution execution,
        readExecution(*session, context.getParams().getRequest()));
    ++session->account->executed;
    auto pair = kj::newPromiseAndCrossThreadFulfiller<Executed>();
    auto outcome = std::make_shared<Outcome>(kj::mv(pair.fulfiller),
                                             std::move(execution.ticket));
    const bool isQuick = isInMemory(execution.request);
    auto launch = [model = model, outcome,
                   request = std::move(execution.request)]() mutable {
      return model->executeAsync(
          std::move(request),
          [outcome](Status status, const rt::ExecutionResult &result) {
            outcome->set(std::move(status), result);
          });
    };
    kj::Promise<Status> launched =
        isQuick ? kj::Promise<Status>(launch())
                : session->callOnThread(std::move(launch));
    return launched.then([context, ended = kj::mv(pair.promise)](
                             Status launched) mutable -> kj::Promise<Status> {
      if (!launched.isOk())
        return launched;
      context.getResults().setLaunched(true);
      return ended.then([context](Executed executed) mutable {
        write(executed.result, context.getResults().initResult());
        return std::move(executed.status);
      });
    });
  };
  return answer(*session->account, context, kj::mv(body));
}
