//===- HalFenced.cpp - Executions after fences ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalPreparedModel.h"

#include "nnhal/Runtime/Reactor.h"
#include "nnhal/Runtime/Trace.h"

#include <algorithm>
#include <mutex>

using namespace nnhal::rt;

/// One fenced execution on its way. Held by the client and by whoever has to
/// move it on: the reactor until the fences have signaled, then the scheduler.
class HalPreparedModel::Fenced final
    : public FencedExecution,
      public std::enable_shared_from_this<Fenced> {
public:
  Fenced(std::shared_ptr<const HalPreparedModel> model, Request request,
         std::vector<BufferPin> pins, FenceRef fence,
         std::optional<uint64_t> duration)
      : model(std::move(model)), request(std::move(request)),
        pins(std::move(pins)), end(std::move(fence)), duration(duration),
        launchTime(this->model->now()),
        span(this->model->tracer(), TraceLayer::runtime, TracePhase::execution,
             "executeFenced") {}

  FenceRef fence() const override { return end; }

  ExecutionInfo executionInfo() const override {
    std::lock_guard lock(mutex);
    return info;
  }

  /// Waits for \p waitFor, then executes.
  Status launch(std::vector<FenceRef> waitFor) {
    std::erase(waitFor, nullptr);
    if (waitFor.empty())
      return submit();
    return model->state->services.reactor->whenAll(
        std::move(waitFor), request.deadline,
        [self = shared_from_this()](Status signaled) {
          if (signaled.isOk())
            signaled = self->submit();
          if (!signaled.isOk())
            self->finish(std::move(signaled), {}, 0);
        });
  }

private:
  /// All fences have signaled.
  Status submit() {
    int64_t fenceTime = model->now();
    Deadline deadline = request.deadline;
    // Saturates: a duration up to 2^64 is legal.
    uint64_t left = uint64_t(noDeadline - fenceTime);
    if (duration && *duration < left)
      deadline = std::min(deadline, fenceTime + int64_t(*duration));
    // The execution may end, and release the model, before submit() returns.
    std::shared_ptr<DeviceState> keep = model->state;
    return keep->services.executions->submit(
        model->ticketFor(deadline),
        [self = shared_from_this(), deadline, fenceTime](Status admitted) {
          self->execute(std::move(admitted), deadline, fenceTime);
        });
  }

  void execute(Status admitted, Deadline deadline, int64_t fenceTime) {
    ExecutionResult result;
    Status status = std::move(admitted);
    if (status.isOk())
      status = model->run(request, pins, deadline, fenceTime, result);
    finish(std::move(status), result, fenceTime);
  }

  void finish(Status status, const ExecutionResult &result, int64_t fenceTime) {
    span.end();
    FenceRef signal = end;
    {
      std::lock_guard lock(mutex);
      info.status = status;
      info.timingFenced = result.timing;
      info.timingLaunched = result.timing;
      // run() has measured from the fences on.
      if (result.timing.timeInDriver != noTiming)
        info.timingLaunched.timeInDriver +=
            uint64_t(fenceTime - launchTime) / 1000;
    }
    // The pools of the client and the model end here, not with the client's
    // interest in how it went.
    request = {};
    pins.clear();
    std::shared_ptr<const HalPreparedModel> last = std::move(model);
    signal->complete(std::move(status));
  }

  /// Null once the execution has ended.
  std::shared_ptr<const HalPreparedModel> model;
  /// Of the thread that moves the execution on; the client never looks.
  Request request;
  std::vector<BufferPin> pins;
  const FenceRef end;
  const std::optional<uint64_t> duration;
  const int64_t launchTime;
  TraceSpan span;
  mutable std::mutex mutex;
  ExecutionInfo info = {failure("the execution has not ended"), {}, {}};
};

Result<std::shared_ptr<FencedExecution>>
HalPreparedModel::executeFenced(Request request, std::vector<FenceRef> waitFor,
                                std::optional<uint64_t> duration) const {
  std::vector<BufferPin> pins;
  NNHAL_RETURN_IF_ERROR(checkRequest(request, /*isFenced=*/true, pins));
  NNHAL_RETURN_IF_ERROR(checkDeadline(request.deadline));
  // A fence in the error state fails the execution (D-052).
  for (size_t i = 0; i < waitFor.size(); ++i)
    if (waitFor[i] && waitFor[i]->poll() == FenceState::error)
      return failure("fence {} of the execution has failed", i);
  NNHAL_ASSIGN_OR_RETURN(FenceRef fence, Fence::create());
  auto execution =
      std::make_shared<Fenced>(shared_from_this(), std::move(request),
                               std::move(pins), std::move(fence), duration);
  NNHAL_RETURN_IF_ERROR(execution->launch(std::move(waitFor)));
  return std::shared_ptr<FencedExecution>(std::move(execution));
}
