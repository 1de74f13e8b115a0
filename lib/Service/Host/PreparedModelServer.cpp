//===- PreparedModelServer.cpp - A prepared model of a client -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparedModelServer.h"

#include "BurstServer.h"
#include "ClientExecution.h"
#include "Incoming.h"

#include <sys/stat.h>

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

Result<wire::PreparedModel::Client>
PreparedModelServer::create(const std::shared_ptr<Session> &session,
                            rt::PreparedModelRef model,
                            std::vector<MemoryTicket> memory, bool isFixed) {
  NNHAL_ASSIGN_OR_RETURN(Ticket ticket, session->account->models.take());
  NNHAL_ASSIGN_OR_RETURN(
      MemoryTicket artifact,
      session->account->reserve(model->memoryUse().artifact));
  model = keepWith(std::move(model), std::move(memory), std::move(artifact));
  return session->models.add(kj::heap<PreparedModelServer>(
      session, std::move(model), std::move(ticket), isFixed));
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
/// The outcome of an execution.
struct Executed {
  Status status;
  rt::ExecutionResult result;
  std::chrono::nanoseconds took{};
};

/// Where a thread of the device leaves what an execution gave.
class Outcome {
public:
  using Fulfiller = kj::Own<kj::CrossThreadPromiseFulfiller<Executed>>;
  /// Gives the client the times of the execution where it \p wantsTiming.
  Outcome(Fulfiller fulfiller, Ticket ticket, bool wantsTiming)
      : fulfiller(kj::mv(fulfiller)), ticket(std::move(ticket)),
        wantsTiming(wantsTiming) {}

  void set(Status status, const rt::ExecutionResult &result) {
    // First: the client may ask for the next one when it hears of this one.
    ticket.release();
    Executed executed{std::move(status), result, durationOf(result)};
    if (!wantsTiming)
      executed.result.timing = {};
    fulfiller->fulfill(std::move(executed));
  }

private:
  /// The time of the execution alone, since a thread had to be woken for it.
  std::chrono::nanoseconds durationOf(const rt::ExecutionResult &result) const {
    if (result.timing.timeOnDevice != rt::noTiming)
      return std::chrono::microseconds(result.timing.timeOnDevice);
    return std::chrono::nanoseconds(rt::steadyNow() - begin);
  }

  const int64_t begin = rt::steadyNow();
  Fulfiller fulfiller;
  Ticket ticket;
  const bool wantsTiming;
};
} // namespace

/// Whether \p execution may run on the thread of the event loop: it is short,
/// it waits for nothing, and the client does not ask when it begins.
bool PreparedModelServer::isQuick(const ClientExecution &execution) const {
  if (!pace.isShort() || !execution.isInMemory() || execution.hasBuffers())
    return false;
  auto stats = session->host->options.services.executions->stats();
  return stats.queued == 0 && stats.running < stats.slots;
}

kj::Promise<void> PreparedModelServer::execute(ExecuteContext context) {
  auto body = [this, context]() mutable -> kj::Promise<Status> {
    auto params = context.getParams();
    NNHAL_ASSIGN_OR_RETURN(
        ClientExecution execution,
        ClientExecution::begin(*session, params.getRequest()));
    if (!params.hasLaunch() && isQuick(execution))
      return executeHere(context, std::move(execution));
    return executeOnThread(context, std::move(execution));
  };
  return session->answer(context, rt::TracePhase::execution, "execute",
                         kj::mv(body));
}

Status PreparedModelServer::executeHere(ExecuteContext context,
                                        ClientExecution execution) {
  const int64_t begin = rt::steadyNow();
  rt::ExecutionResult result;
  Status status = model->execute(execution.request, result);
  pace.note(std::chrono::nanoseconds(rt::steadyNow() - begin));
  context.getResults().setLaunched(true);
  write(result, context.getResults().initResult());
  return status;
}

kj::Promise<Status>
PreparedModelServer::executeOnThread(ExecuteContext context,
                                     ClientExecution execution) {
  auto pair = kj::newPromiseAndCrossThreadFulfiller<Executed>();
  auto outcome = std::make_shared<Outcome>(
      kj::mv(pair.fulfiller), std::move(execution.ticket),
      std::exchange(execution.request.measureTiming, true));
  const bool isInMemory = execution.isInMemory();
  auto launch = [model = model, outcome,
                 request = std::move(execution.request)]() mutable {
    return model->executeAsync(
        std::move(request),
        [outcome](Status status, const rt::ExecutionResult &result) {
          outcome->set(std::move(status), result);
        });
  };
  kj::Promise<Status> launched = isInMemory
                                     ? kj::Promise<Status>(launch())
                                     : session->callOnThread(std::move(launch));
  return launched.then([this, context, ended = kj::mv(pair.promise)](
                           Status launched) mutable -> kj::Promise<Status> {
    if (!launched.isOk())
      return launched;
    context.getResults().setLaunched(true);
    if (context.getParams().hasLaunch())
      tell(session->account, context.getParams().getLaunch().launchedRequest());
    return ended.then([this, context](Executed executed) mutable {
      pace.note(executed.took);
      write(executed.result, context.getResults().initResult());
      return std::move(executed.status);
    });
  });
}

//===----------------------------------------------------------------------===//
// Bursts
//===----------------------------------------------------------------------===//

namespace {
/// A burst that was made, and the memory of its queues.
struct Configured {
  std::shared_ptr<rt::BurstContext> burst;
  std::vector<MemoryTicket> queues;
};
} // namespace

/// The queue behind \p fd is mapped, and copied from as much.
static Status reserveQueue(Incoming &incoming, const rt::UniqueFd &fd) {
  struct stat state;
  if (::fstat(fd.get(), &state) != 0 || state.st_size < 0)
    return rt::badData("the queue of a burst has no size");
  NNHAL_RETURN_IF_ERROR(incoming.reserve(uint64_t(state.st_size)));
  return incoming.reserve(uint64_t(state.st_size));
}

static Result<Configured> configure(const rt::PreparedModel &model,
                                    std::shared_ptr<rt::BurstCallback> callback,
                                    Incoming &incoming) {
  Descriptors queues = incoming.descriptors();
  for (const rt::UniqueFd &queue : queues)
    NNHAL_RETURN_IF_ERROR(reserveQueue(incoming, queue));
  NNHAL_ASSIGN_OR_RETURN(
      auto burst, model.configureBurst(std::move(callback),
                                       {.requests = std::move(queues[0]),
                                        .results = std::move(queues[1])}));
  if (!burst)
    return rt::failure("the prepared model has no bursts");
  return Configured{std::move(burst), incoming.takeMemory()};
}

kj::Promise<void>
PreparedModelServer::configureBurst(ConfigureBurstContext context) {
  auto body = [this, context]() mutable -> kj::Promise<Status> {
    auto params = context.getParams();
    NNHAL_RETURN_IF_ERROR(session->checkAccepting());
    if (!params.hasCallback())
      return rt::badData("a burst has no callback");
    NNHAL_ASSIGN_OR_RETURN(Ticket ticket, session->account->bursts.take());
    std::vector<NamedDescriptor> named;
    named.push_back({params.getRequests(), "the queue of requests"});
    named.push_back({params.getResults(), "the queue of results"});
    auto incoming = std::make_shared<Incoming>(session->account);
    return incoming->take({}, std::move(named))
        .then([this, context, incoming,
               ticket = std::move(ticket)](Status taken) mutable {
          return taken.isOk()
                     ? configureBurst(context, incoming, std::move(ticket))
                     : kj::Promise<Status>(std::move(taken));
        });
  };
  return session->answer(context, rt::TracePhase::unspecified, "configureBurst",
                         kj::mv(body));
}

kj::Promise<Status>
PreparedModelServer::configureBurst(ConfigureBurstContext context,
                                    const std::shared_ptr<Incoming> &incoming,
                                    Ticket ticket) {
  auto memories = std::make_shared<ClientMemories>(
      *session, context.getParams().getCallback());
  auto configured = session->callOnThread([model = model, memories, incoming] {
    return configure(*model, memories, *incoming);
  });
  return configured.then(
      [this, context, memories, incoming, ticket = std::move(ticket)](
          Result<Configured> answered) mutable -> Status {
        NNHAL_ASSIGN_OR_RETURN(Configured made, std::move(answered));
        std::vector<Ticket> tickets;
        tickets.push_back(std::move(ticket));
        tickets.push_back(incoming->takeTicket());
        context.getResults().setContext(
            kj::heap<BurstServer>(session, memories, std::move(made.burst),
                                  std::move(made.queues), std::move(tickets)));
        return Status::ok();
      });
}
