//===- RemoteFenced.cpp - Fenced executions of a service ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteModel.h"

#include "Runtime/Support/Errors.h"
#include "Service/Protocol/Convert.h"
#include "nnhal/Runtime/Fence.h"
#include "nnhal/Runtime/Reactor.h"
#include "nnhal/Runtime/Trace.h"

#include <utility>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using rt::ExecutionInfo;
using rt::Fence;
using rt::FenceRef;
using rt::Request;
using rt::Result;
using rt::Staging;
using rt::Status;
using rt::UniqueFd;

/// A fenced execution that was launched. The descriptor is empty when it has
/// ended already.
struct RemoteModel::FencedAnswer {
  OnLoop<wire::FencedExecution::Client> execution;
  UniqueFd fence;
};

namespace {
class RemoteFenced final : public rt::FencedExecution {
public:
  RemoteFenced(std::shared_ptr<Session> session,
               OnLoop<wire::FencedExecution::Client> execution,
               std::vector<FenceRef> waitFor)
      : session(std::move(session)), execution(std::move(execution)),
        waitFor(std::move(waitFor)) {}

  FenceRef fence() const override { return end; }
  ExecutionInfo executionInfo() const override;

  void setFence(FenceRef fence) { end = std::move(fence); }

private:
  const std::shared_ptr<Session> session;
  const OnLoop<wire::FencedExecution::Client> execution;
  const std::vector<FenceRef> waitFor;
  FenceRef end; // The client's own; null: has ended already.
};

/// The work between the fence of the service and that of the client.
struct Ending {
  std::shared_ptr<Session> session;
  uint64_t watcher = 0;
  FenceRef fence; // The client's own.
  std::shared_ptr<RemoteFenced> execution;
  std::shared_ptr<const Request> request;
  std::shared_ptr<Staging> staging;
  std::vector<rt::OutputShape> shapes;
  rt::TraceSpan span;

  void end(Status status) {
    session->forget(watcher);
    if (status.isOk())
      status = staging->collect(*request, shapes);
    else if (Status why = execution->executionInfo().status; !why.isOk())
      status = std::move(why); // A descriptor does not tell.
    span.end();
    session->fetchTrace();
    fence->complete(std::move(status));
  }
};
} // namespace

ExecutionInfo RemoteFenced::executionInfo() const {
  using Info = Result<ExecutionInfo>;
  Info info = session->call([&](Session::Wire &) {
    return execution->infoRequest().send().then([](auto answer) -> Info {
      return ExecutionInfo{read(answer.getStatus()), read(answer.getLaunched()),
                           read(answer.getFenced())};
    });
  });
  if (!info.isOk())
    return {info.status(), {}, {}};
  // The reason of a fence that has failed does not travel.
  if (info->status.code() == rt::StatusCode::generalFailure)
    for (const FenceRef &fence : waitFor)
      if (auto outcome = fence->outcome(); outcome && !outcome->isOk())
        info->status = *outcome;
  return *info;
}

/// A fence that signals when \p waitFor have and the inputs of \p request are
/// in
/// \p staging: until then an input may be written by those who are waited for.
static Result<FenceRef> copyAfter(const Session &session,
                                  const std::vector<FenceRef> &waitFor,
                                  const std::shared_ptr<const Request> &request,
                                  const std::shared_ptr<Staging> &staging) {
  NNHAL_ASSIGN_OR_RETURN(FenceRef copied, Fence::create());
  NNHAL_RETURN_IF_ERROR(session.services().reactor->whenAll(
      waitFor, rt::noDeadline,
      [copied, request, staging,
       loop = session.eventLoop()](const Status &status) {
        loop->callUser([copied, request, staging, status] {
          copied->complete(status.isOk() ? staging->copyInputs(*request)
                                         : status);
        });
      }));
  return copied;
}

/// The shapes of outputs, which a fenced execution knows before it begins
/// (D-050).
static std::vector<rt::OutputShape> shapesOf(const rt::Interface &interface,
                                             const Request &request) {
  std::vector<rt::OutputShape> shapes(request.outputs.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    shapes[i].dimensions = request.outputs[i].dimensions;
    if (shapes[i].dimensions.empty() && i < interface.outputs.size())
      shapes[i].dimensions = interface.outputs[i].dimensions;
  }
  return shapes;
}

/// Fences that have a descriptor, as capabilities.
static Status writeFences(const std::vector<FenceRef> &fences,
                          capnp::List<wire::Descriptor>::Builder list) {
  for (unsigned i = 0; i < fences.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(UniqueFd fd, fences[i]->share());
    list.set(i, makeDescriptor(std::move(fd)));
  }
  return Status::ok();
}

kj::Promise<Result<RemoteModel::FencedAnswer>>
RemoteModel::sendFenced(Session::Wire &wire, const Request &request,
                        const Staging &staging,
                        const std::vector<FenceRef> &waitFor,
                        std::optional<uint64_t> durationAfterFence) const {
  using Answered = Result<FencedAnswer>;
  Memories &memories = wire.memories;
  return makePoolsKnown(memories, request, staging)
      .then([&, durationAfterFence](Status known) -> kj::Promise<Answered> {
        if (!known.isOk())
          return Answered(std::move(known));
        auto call = client().executeFencedRequest();
        fillRequest(request, staging, memories, call.initRequest());
        Status shared =
            writeFences(waitFor, call.initWaitFor(unsigned(waitFor.size())));
        if (!shared.isOk())
          return Answered(std::move(shared));
        call.setHasDuration(durationAfterFence.has_value());
        call.setDurationAfterFence(durationAfterFence.value_or(0));
        return call.send().then([this](auto answer) -> kj::Promise<Answered> {
          if (Status status = read(answer.getStatus()); !status.isOk())
            return Answered(std::move(status));
          auto launched = std::make_shared<FencedAnswer>();
          launched->execution = {session->eventLoop(), answer.getExecution()};
          if (!answer.hasFence())
            return Answered(std::move(*launched));
          std::vector<NamedDescriptor> named;
          named.push_back({answer.getFence(), "the fence of an execution"});
          return takeDescriptors(std::move(named))
              .then(
                  [launched](Result<std::vector<UniqueFd>> taken) -> Answered {
                    if (!taken.isOk())
                      return rt::failure("{}", taken.status().message());
                    launched->fence = std::move((*taken)[0]);
                    return std::move(*launched);
                  });
        });
      });
}

Result<std::shared_ptr<rt::FencedExecution>>
RemoteModel::executeFenced(Request asked, std::vector<FenceRef> waitFor,
                           std::optional<uint64_t> durationAfterFence) const {
  using Execution = std::shared_ptr<rt::FencedExecution>;
  rt::TraceSpan span(session->tracer(), rt::TraceLayer::ipc,
                     rt::TracePhase::execution, session->device());
  for (size_t i = 0; i < waitFor.size(); ++i)
    if (waitFor[i] && waitFor[i]->poll() == rt::FenceState::error)
      return rt::failure("fence {} of the execution has failed", i);
  std::erase(waitFor, nullptr);
  if (waitFor.size() > maxDescriptorsPerMessage)
    return rt::badData("an execution waits for {} fences, expected at most {}",
                       waitFor.size(), maxDescriptorsPerMessage);
  auto request = std::make_shared<const Request>(std::move(asked));
  NNHAL_RETURN_IF_ERROR(checkPools(*request));
  std::shared_ptr<Staging> staging = shareStaging();
  NNHAL_RETURN_IF_ERROR(staging->reservePlaces(*request));
  std::vector<FenceRef> sent = waitFor;
  if (staging->hasInputs() && !waitFor.empty()) {
    NNHAL_ASSIGN_OR_RETURN(FenceRef copied,
                           copyAfter(*session, waitFor, request, staging));
    sent = {std::move(copied)};
  } else {
    NNHAL_RETURN_IF_ERROR(staging->copyInputs(*request));
  }
  NNHAL_ASSIGN_OR_RETURN(
      FencedAnswer answer, session->call([&](Session::Wire &wire) {
        return sendFenced(wire, *request, *staging, sent, durationAfterFence);
      }));
  auto execution = std::make_shared<RemoteFenced>(
      session, std::move(answer.execution), std::move(waitFor));
  std::vector<rt::OutputShape> shapes = shapesOf(interface(), *request);
  if (!answer.fence.isValid()) {
    if (staging->hasOutputs() && execution->executionInfo().status.isOk())
      NNHAL_RETURN_IF_ERROR(staging->collect(*request, shapes));
    session->fetchTrace();
    return Execution(std::move(execution));
  }
  auto fence = Fence::adopt(std::move(answer.fence));
  if (!fence.isOk())
    return rt::failure("the fence of an execution cannot be waited on: {}",
                       fence.status().message());
  NNHAL_ASSIGN_OR_RETURN(FenceRef own, Fence::create());
  uint64_t watcher =
      session->watch([own, death = session->death()] { own->complete(death); });
  if (watcher == 0)
    return session->death();
  execution->setFence(own);
  auto ending = std::make_shared<Ending>(
      Ending{session, watcher, own, execution, request, staging,
             std::move(shapes), std::move(span)});
  // The descriptor of a dead service may never signal: its end is seen by the
  // watcher, whichever comes first.
  NNHAL_RETURN_IF_ERROR(session->services().reactor->whenAll(
      {*fence}, rt::noDeadline, [ending](const Status &status) {
        auto end = [ending, status] { ending->end(status); };
        // The copy of outputs would hold up others.
        ending->session->eventLoop()->callUser(std::move(end));
      }));
  return Execution(std::move(execution));
}
