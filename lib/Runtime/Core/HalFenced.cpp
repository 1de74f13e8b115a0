//===- HalFenced.cpp - Executions after fences ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalPreparedModel.h"

#include "OperationTimes.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Trace.h"

#include <algorithm>
#include <mutex>
#include <new>

using namespace nnhal::rt;

/// An execution that a backend has on its own threads, with what it needs
/// there.
struct HalPreparedModel::OnDevice final : Completion {
  OnDevice(const HalPreparedModel &model, Slot slot, FramePool::Lease lease)
      : slot(std::move(slot)), frame(std::move(lease)),
        timer(*model.state->services.reactor, *frame),
        times(model.tracer(), model.state->services.clock, result) {}

  /// This only tells the runtime, whose threads do the rest: a thread of the
  /// backend must not release the last reference to the backend.
  void complete(Status status) override {
    FenceRef keep = done; // This object may be gone as soon as it is known.
    keep->complete(std::move(status));
  }

  Slot slot;
  FramePool::Lease frame;
  BufferLocks locks;
  CancelTimer timer;
  ExecutionResult result;
  OperationTimes times;
  Invocation invocation;
  std::vector<FenceRef> waitFor;
  /// Ends with the backend's work; the runtime's own work follows.
  FenceRef done;
  int64_t begin = 0;
  /// The time is of the tracer's clock.
  int64_t sectionBegin = 0;
};

/// One fenced execution on its way. Held by the client and by whoever has to
/// move it on: the reactor until the fences have signaled, then the scheduler;
/// or the reactor until the backend has ended it.
class HalPreparedModel::Fenced final
    : public FencedExecution,
      public std::enable_shared_from_this<Fenced> {
public:
  Fenced(std::shared_ptr<const HalPreparedModel> model, Request request,
         std::vector<BufferPin> pins, FenceRef fence,
         std::optional<uint64_t> duration, TraceSpan span)
      : model(std::move(model)), request(std::move(request)),
        pins(std::move(pins)), end(std::move(fence)), duration(duration),
        launchTime(this->model->now()), span(std::move(span)) {}

  FenceRef fence() const override { return end; }

  ExecutionInfo executionInfo() const override {
    // The backend's own fence may signal before the runtime has looked.
    if (isBackendsFence && end->poll() != FenceState::active)
      const_cast<Fenced *>(this)->conclude();
    std::lock_guard lock(mutex);
    return info;
  }

  /// Waits for \p waitFor, then executes.
  Status launch(std::vector<FenceRef> waitFor) {
    std::erase(waitFor, nullptr);
    if (model->loaded->usesFences() && launchOnDevice(waitFor))
      return Status::ok();
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
  /// Hands the execution to the backend at once, fences included. False when
  /// somebody would have to wait or to copy: then it goes the common way, and
  /// nothing has happened.
  bool launchOnDevice(const std::vector<FenceRef> &waitFor);
  bool bind(OnDevice &execution) const;
  /// Does what is left to do when the backend has ended the execution; waits
  /// for that.
  void conclude();

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
    FenceRef signal = isBackendsFence ? nullptr : end;
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
    if (signal)
      signal->complete(std::move(status));
  }

  /// The pointer is null once the execution has ended.
  std::shared_ptr<const HalPreparedModel> model;
  /// The request belongs to the thread that moves the execution on; the client
  /// never looks.
  Request request;
  std::vector<BufferPin> pins;
  /// Until the launch the fence is the runtime's own.
  FenceRef end;
  bool isBackendsFence = false;
  const std::optional<uint64_t> duration;
  const int64_t launchTime;
  TraceSpan span;
  /// Held while the backend is given the execution and while its end is dealt
  /// with.
  std::mutex deviceMutex;
  /// The pointer is null unless the backend has the execution.
  std::unique_ptr<OnDevice> onDevice;
  mutable std::mutex mutex;
  ExecutionInfo info = {failure("the execution has not ended"), {}, {}};
};

/// Binds the arguments of an execution that reads and writes nothing before its
/// fences have signaled; false when that, or something else, is not so.
bool HalPreparedModel::Fenced::bind(OnDevice &execution) const {
  Frame &frame = *execution.frame;
  return bindArguments(model->interface(), request, model->scope(pins), frame)
             .isOk() &&
         frame.loads.empty() && frame.stores.empty() &&
         execution.locks.tryLock(frame) &&
         bindBuffers(model->interface(), frame).isOk() &&
         beginArguments(model->interface(), frame).isOk() &&
         execution.timer.start(request.deadline).isOk();
}

bool HalPreparedModel::Fenced::launchOnDevice(
    const std::vector<FenceRef> &waitFor) {
  const DeviceServices &services = model->state->services;
  const Backend &backend = *model->state->backend;
  auto waits = [&](const FenceRef &fence) { return backend.waitsFor(*fence); };
  // Only the runtime can tell when a duration begins.
  if (duration || !std::ranges::all_of(waitFor, waits))
    return false;
  std::optional<Slot> slot = services.executions->tryTake();
  if (!slot)
    return false;
  auto lease = model->frames.take();
  auto done = Fence::create();
  if (!lease.isOk() || !done.isOk())
    return false;
  auto execution =
      std::make_unique<OnDevice>(*model, *std::move(slot), *std::move(lease));
  if (!bind(*execution))
    return false;
  execution->done = *done;
  execution->waitFor = waitFor;
  Invocation &invocation = execution->invocation;
  model->describe(*execution->frame, request, request.deadline, invocation);
  invocation.operations = execution->times.observer(request.measureOperations);
  invocation.waitFor = execution->waitFor;
  invocation.wantsFence = true;
  execution->begin = model->now();
  if (model->tracer())
    execution->sectionBegin = model->tracer()->now();
  std::lock_guard lock(deviceMutex);
  onDevice = std::move(execution);
  if (!services.reactor
           ->whenAll({*done}, noDeadline,
                     [self = shared_from_this()](const Status &) {
                       self->conclude();
                     })
           .isOk()) {
    onDevice.reset();
    return false;
  }
  Status launched;
  try {
    launched = model->loaded->submit(invocation, *onDevice);
  } catch (const std::bad_alloc &) {
    launched = outOfResources("no memory to launch the execution");
  }
  if (!launched.isOk())
    (*done)->complete(std::move(launched));
  else if (invocation.fence) {
    end = invocation.fence;
    isBackendsFence = true;
  }
  return true;
}

void HalPreparedModel::Fenced::conclude() {
  // Released after the lock, which the reactor's thread may wait for: with the
  // last model the reactor may go, which joins its thread.
  std::shared_ptr<const HalPreparedModel> keep;
  std::lock_guard lock(deviceMutex);
  if (!onDevice)
    return;
  keep = model;
  std::unique_ptr<OnDevice> execution = std::move(onDevice);
  Status status = execution->done->wait(noDeadline);
  Frame &frame = *execution->frame;
  const Invocation &invocation = execution->invocation;
  ExecutionResult &result = execution->result;
  if (frame.workspace)
    frame.workspace->recycle();
  frame.copiedBytes += invocation.copiedBytes;
  if (status.isOk() && !frame.buffers.empty()) {
    auto grown = growBuffers(model->interface(), frame);
    if (!grown.isOk())
      status = std::move(grown).takeStatus();
    else if (*grown)
      status = failure("an output of a fenced execution has outgrown its "
                       "buffer");
  }
  model->finish(frame, status, result);
  int64_t now = model->now();
  int64_t fenceTime = invocation.fencesSignaled >= 0 ? invocation.fencesSignaled
                                                     : execution->begin;
  if (status.isOk() && request.measureTiming) {
    int64_t taken = invocation.timeOnDevice >= 0 ? invocation.timeOnDevice
                                                 : now - fenceTime;
    result.timing.timeOnDevice = uint64_t(taken) / 1000;
    result.timing.timeInDriver = uint64_t(now - fenceTime) / 1000;
  }
  model->report(status, result);
  if (Tracer *tracer = model->tracer())
    tracer->addSection({TraceLayer::driver, TracePhase::computation},
                       model->state->backend->info().name,
                       execution->sectionBegin, tracer->now());
  ExecutionResult kept = std::move(result);
  // The slot and the buffers are free before the runtime's fence says so.
  execution.reset();
  finish(std::move(status), kept, fenceTime);
}

Result<std::shared_ptr<FencedExecution>>
HalPreparedModel::executeFenced(Request request, std::vector<FenceRef> waitFor,
                                std::optional<uint64_t> duration) const {
  TraceSpan span(tracer(), TraceLayer::runtime, TracePhase::execution,
                 "executeFenced");
  std::vector<BufferPin> pins;
  NNHAL_RETURN_IF_ERROR(checkRequest(request, /*isFenced=*/true, pins));
  NNHAL_RETURN_IF_ERROR(checkDeadline(request.deadline));
  // A fence in the error state fails the execution (D-052).
  for (size_t i = 0; i < waitFor.size(); ++i)
    if (waitFor[i] && waitFor[i]->poll() == FenceState::error)
      return failure("fence {} of the execution has failed", i);
  NNHAL_ASSIGN_OR_RETURN(FenceRef fence, Fence::create());
  auto execution = std::make_shared<Fenced>(
      shared_from_this(), std::move(request), std::move(pins), std::move(fence),
      duration, std::move(span));
  NNHAL_RETURN_IF_ERROR(execution->launch(std::move(waitFor)));
  return std::shared_ptr<FencedExecution>(std::move(execution));
}
