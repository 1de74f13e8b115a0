//===- PreparedModelFences.cpp - Fenced executions of a client ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientExecution.h"
#include "Incoming.h"
#include "Limits.h"
#include "PreparedModelServer.h"

#include "nnhal/Runtime/Reactor.h"

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

namespace {
/// A fenced execution under way or ended.
class FencedExecutionServer final : public wire::FencedExecution::Server {
public:
  explicit FencedExecutionServer(std::shared_ptr<rt::FencedExecution> execution)
      : execution(std::move(execution)) {}

  kj::Promise<void> info(InfoContext context) override {
    rt::ExecutionInfo info = execution->executionInfo();
    auto results = context.getResults();
    write(info.status, results.initStatus());
    write(info.timingLaunched, results.initLaunched());
    write(info.timingFenced, results.initFenced());
    return kj::READY_NOW;
  }

private:
  const std::shared_ptr<rt::FencedExecution> execution;
};

/// A fenced execution that was launched.
struct Launched {
  std::shared_ptr<rt::FencedExecution> execution;
  rt::UniqueFd fence; // None when the execution has ended.
};
} // namespace

static Result<std::vector<rt::FenceRef>> adoptFences(Descriptors descriptors) {
  std::vector<rt::FenceRef> fences;
  for (rt::UniqueFd &fd : descriptors) {
    auto adopted = rt::Fence::adopt(std::move(fd));
    if (!adopted.isOk())
      return std::move(adopted).takeStatus().withContext(
          fmt::format("fence {}", fences.size()));
    fences.push_back(*std::move(adopted));
  }
  return fences;
}

/// Holds \p held until \p execution has ended.
template <typename... Held>
static void holdUntilEnd(rt::Reactor &reactor,
                         const rt::FencedExecution &execution, Held... held) {
  rt::FenceRef fence = execution.fence();
  if (!fence)
    return;
  auto kept = std::make_shared<std::tuple<Held...>>(std::move(held)...);
  // Without a thread or descriptor for that, the shares go back early.
  (void)reactor.whenAll({std::move(fence)}, rt::noDeadline,
                        [kept = std::move(kept)](const Status &) {});
}

static Result<Launched> launchFenced(const rt::PreparedModel &model,
                                     rt::Reactor &reactor,
                                     ClientExecution execution,
                                     Incoming &incoming,
                                     std::optional<uint64_t> duration) {
  NNHAL_ASSIGN_OR_RETURN(auto fences, adoptFences(incoming.descriptors()));
  Launched launched;
  NNHAL_ASSIGN_OR_RETURN(launched.execution,
                         model.executeFenced(std::move(execution.request),
                                             std::move(fences), duration));
  if (rt::FenceRef fence = launched.execution->fence()) {
    NNHAL_ASSIGN_OR_RETURN(launched.fence, fence->share());
  }
  holdUntilEnd(reactor, *launched.execution, std::move(execution.ticket),
               incoming.takeTicket());
  return launched;
}

kj::Promise<void>
PreparedModelServer::executeFenced(ExecuteFencedContext context) {
  auto body = [this, context]() mutable -> kj::Promise<Status> {
    auto params = context.getParams();
    NNHAL_RETURN_IF_ERROR(
        checkList("fences", params.getWaitFor().size(), maxFences));
    NNHAL_ASSIGN_OR_RETURN(
        ClientExecution execution,
        ClientExecution::begin(*session, params.getRequest()));
    std::vector<NamedDescriptor> named;
    for (wire::Descriptor::Client fence : params.getWaitFor())
      named.push_back({fence, fmt::format("fence {}", named.size())});
    auto incoming = std::make_shared<Incoming>(session->account);
    return incoming->take({}, std::move(named))
        .then([this, context, incoming,
               execution = std::move(execution)](Status taken) mutable {
          return taken.isOk()
                     ? executeFenced(context, incoming, std::move(execution))
                     : kj::Promise<Status>(std::move(taken));
        });
  };
  return session->answer(context, rt::TracePhase::execution, "executeFenced",
                         kj::mv(body));
}

kj::Promise<Status>
PreparedModelServer::executeFenced(ExecuteFencedContext context,
                                   std::shared_ptr<Incoming> incoming,
                                   ClientExecution execution) {
  auto params = context.getParams();
  std::optional<uint64_t> duration;
  if (params.getHasDuration())
    duration = params.getDurationAfterFence();
  auto launch = [this, incoming = std::move(incoming),
                 execution = std::move(execution), duration]() mutable {
    return launchFenced(*model, *session->host->options.services.reactor,
                        std::move(execution), *incoming, duration);
  };
  return session->callOnThread(std::move(launch))
      .then([context](Result<Launched> answered) mutable -> Status {
        NNHAL_ASSIGN_OR_RETURN(Launched launched, std::move(answered));
        auto results = context.getResults();
        results.setExecution(
            kj::heap<FencedExecutionServer>(std::move(launched.execution)));
        if (launched.fence.isValid())
          results.setFence(makeDescriptor(std::move(launched.fence)));
        return Status::ok();
      });
}
