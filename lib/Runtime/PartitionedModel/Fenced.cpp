//===- Fenced.cpp - Executions on threads, and after fences ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferCopies.h"
#include "DividedModel.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Fence.h"
#include "nnhal/Runtime/Trace.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

std::shared_ptr<Scheduler> DividedModel::scheduler() const {
  std::lock_guard lock(mutex);
  if (!executions) {
    Scheduler::Options schedulerOptions;
    schedulerOptions.clock = givenClock;
    executions = Scheduler::create(schedulerOptions);
  }
  return executions;
}

std::shared_ptr<Reactor> DividedModel::reactor() const {
  std::lock_guard lock(mutex);
  if (!waiter)
    waiter = Reactor::create(givenClock);
  return waiter;
}

Status DividedModel::executeAsync(Request request,
                                  ExecutionCallback callback) const {
  if (!callback)
    return badData("an asynchronous execution needs a callback");
  Status launched = checkArguments(request);
  if (!launched.isOk()) {
    callback(launched, {});
    return launched;
  }
  // Whichever of job and launch failure calls it.
  auto notify = std::make_shared<ExecutionCallback>(std::move(callback));
  auto running = std::make_shared<TraceSpan>(
      tracer(), TraceLayer::runtime, TracePhase::execution, "executeAsync");
  auto job = [self = shared_from_this(), request = std::move(request), notify,
              running](Status admitted) {
    ExecutionResult result;
    Status status =
        admitted.isOk() ? self->execute(request, result) : std::move(admitted);
    running->end();
    (*notify)(std::move(status), result);
  };
  // The callback may release the model before submit() returns.
  std::shared_ptr<Scheduler> keep = scheduler();
  launched = keep->submit({}, std::move(job));
  if (!launched.isOk())
    (*notify)(launched, {});
  return launched;
}

/// One fenced execution on its way: the reactor has it until the fences have
/// signaled, then a thread of the scheduler.
class DividedModel::Fenced final : public FencedExecution,
                                   public std::enable_shared_from_this<Fenced> {
public:
  Fenced(std::shared_ptr<const DividedModel> model, Request request,
         FenceRef end, std::optional<uint64_t> duration)
      : model(std::move(model)), request(std::move(request)),
        end(std::move(end)), duration(duration),
        clock(this->model->parts.clock), launchTime(clock()),
        span(this->model->tracer(), TraceLayer::runtime, TracePhase::execution,
             "executeFenced") {}

  FenceRef fence() const override { return end; }
  ExecutionInfo executionInfo() const override {
    std::lock_guard lock(infoMutex);
    return info;
  }

  Status launch(std::vector<FenceRef> waitFor) {
    std::erase(waitFor, nullptr);
    if (waitFor.empty())
      return submit();
    std::shared_ptr<Reactor> keep = model->reactor();
    return keep->whenAll(std::move(waitFor), request.deadline,
                         [self = shared_from_this()](Status signaled) {
                           if (signaled.isOk())
                             signaled = self->submit();
                           if (!signaled.isOk())
                             self->finish(std::move(signaled), {}, 0);
                         });
  }

private:
  Status submit() {
    int64_t fenceTime = clock();
    // Saturates: a duration up to 2^64 is legal.
    uint64_t left = uint64_t(noDeadline - fenceTime);
    if (duration && *duration < left)
      request.deadline =
          std::min(request.deadline, fenceTime + int64_t(*duration));
    std::shared_ptr<Scheduler> keep = model->scheduler();
    return keep->submit(
        {}, [self = shared_from_this(), fenceTime](Status admitted) {
          ExecutionResult result;
          Status status = std::move(admitted);
          if (status.isOk())
            status = self->model->execute(self->request, result);
          self->finish(std::move(status), result, fenceTime);
        });
  }

  void finish(Status status, const ExecutionResult &result, int64_t fenceTime) {
    span.end();
    {
      std::lock_guard lock(infoMutex);
      info.status = status;
      info.timingFenced = result.timing;
      info.timingLaunched = result.timing;
      if (result.timing.timeInDriver != noTiming)
        info.timingLaunched.timeInDriver +=
            uint64_t(fenceTime - launchTime) / 1000;
    }
    // The memory of the client ends here, not with his interest in how it went.
    request = {};
    std::shared_ptr<const DividedModel> last = std::move(model);
    end->complete(std::move(status));
  }

  /// The pointer is null once the execution has ended.
  std::shared_ptr<const DividedModel> model;
  Request request;
  const FenceRef end;
  const std::optional<uint64_t> duration;
  const std::function<int64_t()> clock;
  const int64_t launchTime;
  TraceSpan span;
  mutable std::mutex infoMutex;
  ExecutionInfo info = {failure("the execution has not ended"), {}, {}};
};

/// The shapes of outputs of fenced executions are known (D-035, D-050).
static Status checkOutputShapes(const Interface &interface,
                                const Request &request) {
  for (size_t i = 0; i < interface.outputs.size(); ++i) {
    const InterfaceTensor &tensor = interface.outputs[i];
    if (!isTensor(tensor))
      continue;
    const std::vector<uint32_t> &stated = request.outputs[i].dimensions;
    bool isKnown = !tensor.dimensions.empty() || !stated.empty();
    for (size_t d = 0; d < tensor.dimensions.size(); ++d)
      isKnown = isKnown && (tensor.dimensions[d] != 0 ||
                            (d < stated.size() && stated[d] != 0));
    if (!isKnown)
      return badData("output {} of a fenced execution has unknown extents", i);
  }
  return Status::ok();
}

Result<std::shared_ptr<FencedExecution>>
DividedModel::executeFenced(Request request, std::vector<FenceRef> waitFor,
                            std::optional<uint64_t> duration) const {
  NNHAL_RETURN_IF_ERROR(checkArguments(request));
  NNHAL_RETURN_IF_ERROR(checkOutputShapes(interface(), request));
  if (request.deadline != noDeadline && parts.clock() >= request.deadline)
    return Status(StatusCode::missedDeadlinePersistent,
                  "the deadline had passed before the execution began");
  // A fence in the error state fails the execution (D-052).
  for (size_t i = 0; i < waitFor.size(); ++i)
    if (waitFor[i] && waitFor[i]->poll() == FenceState::error)
      return failure("fence {} of the execution has failed", i);
  NNHAL_ASSIGN_OR_RETURN(FenceRef fence, Fence::create());
  auto execution = std::make_shared<Fenced>(
      shared_from_this(), std::move(request), std::move(fence), duration);
  NNHAL_RETURN_IF_ERROR(execution->launch(std::move(waitFor)));
  return std::shared_ptr<FencedExecution>(std::move(execution));
}

/// A fenced execution that the device has on its way, with its own fences. The
/// fallback device executes the model again when it fails, but for a fence that
/// it waited for: that fails any execution (D-052).
class SimpleModel::Guarded final
    : public FencedExecution,
      public std::enable_shared_from_this<Guarded> {
public:
  Guarded(std::shared_ptr<const SimpleModel> model, Request request,
          std::vector<FenceRef> waitFor, std::shared_ptr<FencedExecution> inner,
          FenceRef end)
      : model(std::move(model)), request(std::move(request)),
        waitFor(std::move(waitFor)), inner(std::move(inner)),
        end(std::move(end)) {}

  FenceRef fence() const override { return end; }
  ExecutionInfo executionInfo() const override {
    std::lock_guard lock(infoMutex);
    return info;
  }

  Status watch(FenceRef ended) {
    std::shared_ptr<Reactor> keep = model->reactor();
    return keep->whenAll(
        {std::move(ended)}, noDeadline,
        [self = shared_from_this()](const Status &) { self->conclude(); });
  }

private:
  /// On the reactor's thread, which must not wait.
  void conclude() {
    ExecutionInfo ended = inner->executionInfo();
    if (ended.status.isOk())
      return finish(std::move(ended));
    // A device may fail before the fences have signaled, when it dies.
    std::shared_ptr<Reactor> keep = model->reactor();
    Status waited = keep->whenAll(
        waitFor, request.deadline,
        [self = shared_from_this(), ended](const Status &signaled) mutable {
          if (signaled.isOk())
            return self->repeat(std::move(ended));
          if (signaled.code() == StatusCode::generalFailure)
            ended.status = signaled;
          self->finish(std::move(ended));
        });
    if (!waited.isOk())
      finish(std::move(ended));
  }

  void repeat(ExecutionInfo ended) {
    std::shared_ptr<Scheduler> keep = model->scheduler();
    Status launched =
        keep->submit({}, [self = shared_from_this(),
                          cause = ended.status](const Status &admitted) {
          ExecutionInfo repeated;
          ExecutionResult result;
          repeated.status =
              admitted.isOk()
                  ? self->model->recover(self->request, result, cause)
                  : cause;
          repeated.timingLaunched = repeated.timingFenced = result.timing;
          self->finish(std::move(repeated));
        });
    if (!launched.isOk())
      finish(std::move(ended));
  }

  void finish(ExecutionInfo outcome) {
    Status status = outcome.status;
    {
      std::lock_guard lock(infoMutex);
      info = std::move(outcome);
    }
    request = {};
    waitFor.clear();
    std::shared_ptr<const SimpleModel> last = std::move(model);
    end->complete(std::move(status));
  }

  /// The pointer is null once the execution has ended.
  std::shared_ptr<const SimpleModel> model;
  Request request;
  std::vector<FenceRef> waitFor;
  const std::shared_ptr<FencedExecution> inner;
  const FenceRef end;
  mutable std::mutex infoMutex;
  ExecutionInfo info = {failure("the execution has not ended"), {}, {}};
};

Result<std::shared_ptr<FencedExecution>>
SimpleModel::executeFenced(Request request, std::vector<FenceRef> waitFor,
                           std::optional<uint64_t> duration) const {
  const PreparedModel &prepared = *parts.steps[0].model;
  if (!canFallBack())
    return prepared.executeFenced(std::move(request), std::move(waitFor),
                                  duration);
  auto launched = prepared.executeFenced(request, waitFor, duration);
  // An execution that the device does not launch runs on a thread, with
  // fallback.
  if (!launched.isOk())
    return DividedModel::executeFenced(std::move(request), std::move(waitFor),
                                       duration);
  FenceRef ended = (*launched)->fence();
  if (!ended && (*launched)->executionInfo().status.isOk())
    return launched;
  NNHAL_ASSIGN_OR_RETURN(FenceRef end, Fence::create());
  auto self = std::static_pointer_cast<const SimpleModel>(shared_from_this());
  std::erase(waitFor, nullptr);
  auto guarded =
      std::make_shared<Guarded>(std::move(self), std::move(request),
                                std::move(waitFor), *launched, std::move(end));
  // The device has the memory of the caller until it has ended.
  if (Status watched = guarded->watch(ended); !watched.isOk())
    return launched;
  return std::shared_ptr<FencedExecution>(std::move(guarded));
}
