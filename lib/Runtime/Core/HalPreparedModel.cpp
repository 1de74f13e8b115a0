//===- HalPreparedModel.cpp - Executions on this thread and on others -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalPreparedModel.h"

#include "OperationTimes.h"

#include "Runtime/Burst/BurstServer.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Trace.h"

#include <condition_variable>
#include <new>
#include <utility>

using namespace nnhal::rt;

HalPreparedModel::HalPreparedModel(std::shared_ptr<DeviceState> device,
                                   std::unique_ptr<LoadedModel> model,
                                   Priority priority, uint64_t client)
    : state(std::move(device)), loaded(std::move(model)),
      face(loaded->interface()), deviceName(state->backend->info().name),
      isAsynchronous(loaded->isAsynchronous()), priority(priority),
      client(client), number(++state->lastModel),
      frames(*loaded, state->services) {}

void HalPreparedModel::describe(Frame &frame, const Request &request,
                                Deadline deadline,
                                Invocation &invocation) const {
  invocation.inputs = frame.inputs;
  invocation.outputs = frame.outputs;
  invocation.workspace = frame.workspace.get();
  invocation.services = &state->services;
  invocation.cancelFlag = &frame.isCancelled;
  invocation.deadline = deadline;
  invocation.loopTimeout = request.loopTimeout;
}

namespace {
/// Blocks a thread until a backend has ended an execution.
class Waiter final : public Completion {
public:
  void complete(Status status) override {
    std::lock_guard lock(mutex);
    outcome = std::move(status);
    // This is called under the lock: afterwards there may be no waiter any
    // more.
    ended.notify_one();
  }
  Status wait() {
    std::unique_lock lock(mutex);
    ended.wait(lock, [this] { return outcome.has_value(); });
    return *std::move(outcome);
  }

private:
  std::mutex mutex;
  std::condition_variable ended;
  std::optional<Status> outcome;
};
} // namespace

Status HalPreparedModel::submitAndWait(Invocation &invocation) const {
  Waiter waiter;
  Workspace *workspace = invocation.workspace;
  Status status = loaded->submit(invocation, waiter);
  if (status.isOk())
    status = waiter.wait();
  invocation.workspace = workspace; // A backend may have put in a part of it.
  if (workspace)
    workspace->recycle();
  return status;
}

Status HalPreparedModel::invoke(Frame &frame, const Request &request,
                                Deadline deadline, ExecutionResult &result,
                                int64_t &onDevice) const {
  CancelTimer timer(*state->services.reactor, frame);
  NNHAL_RETURN_IF_ERROR(timer.start(deadline));
  Invocation invocation;
  describe(frame, request, deadline, invocation);
  OperationTimes times(tracer(), state->services.clock, result);
  invocation.operations = times.observer(request.measureOperations);
  while (true) {
    auto section = traceDriver(tracer(), TracePhase::computation, deviceName);
    int64_t begin = request.measureTiming ? now() : 0;
    invocation.timeOnDevice = -1;
    Status status =
        isAsynchronous ? submitAndWait(invocation) : loaded->run(invocation);
    if (request.measureTiming)
      onDevice += invocation.timeOnDevice >= 0 ? invocation.timeOnDevice
                                               : now() - begin;
    frame.copiedBytes += std::exchange(invocation.copiedBytes, 0);
    bool isRetried = false;
    if (status.code() == StatusCode::outputInsufficientSize ||
        (status.isOk() && !frame.buffers.empty())) {
      NNHAL_ASSIGN_OR_RETURN(isRetried, growBuffers(interface(), frame));
    }
    if (!isRetried)
      return status;
  }
}

void HalPreparedModel::finish(Frame &frame, Status &status,
                              ExecutionResult &result) const {
  bool hasShapes =
      status.isOk() || status.code() == StatusCode::outputInsufficientSize;
  if (hasShapes) {
    Status collected = collectOutputs(interface(), frame, result.outputShapes);
    if (!collected.isOk())
      status = std::move(collected);
  }
  Status ended = endArguments(interface(), frame, status.isOk());
  if (status.isOk())
    status = std::move(ended);
  finishBuffers(frame, status.isOk());
  result.copiedBytes = frame.copiedBytes;
}

Status HalPreparedModel::runInFrame(Frame &frame, const Request &request,
                                    std::span<const BufferPin> pins,
                                    Deadline deadline, ExecutionResult &result,
                                    int64_t &onDevice) const {
  Status bound = bindArguments(interface(), request, scope(pins), frame);
  if (bound.code() == StatusCode::outputInsufficientSize)
    return collectOutputs(interface(), frame, result.outputShapes);
  NNHAL_RETURN_IF_ERROR(std::move(bound));
  BufferLocks locks;
  if (!frame.buffers.empty())
    locks.lock(frame);
  NNHAL_RETURN_IF_ERROR(bindBuffers(interface(), frame));
  Status status = beginArguments(interface(), frame);
  if (status.isOk())
    status = invoke(frame, request, deadline, result, onDevice);
  finish(frame, status, result);
  return status;
}

void HalPreparedModel::report(const Status &status,
                              ExecutionResult &result) const {
  // Shapes are reported only with success and when an output had too little
  // room (D-019).
  if (!status.isOk() && status.code() != StatusCode::outputInsufficientSize)
    result.outputShapes.clear();
  writeLog(*state->services.log, LogTag::execution, "{}: {}", deviceName,
           status.isOk() ? "executed" : status.message());
}

Status HalPreparedModel::run(const Request &request,
                             std::span<const BufferPin> pins, Deadline deadline,
                             int64_t arrival, ExecutionResult &result,
                             const Slot *slot) const {
  auto section = traceDriver(tracer(), TracePhase::execution, deviceName);
  int64_t onDevice = 0;
  Status status;
  try {
    auto lease = slot ? frames.takeFor(*slot) : frames.take();
    status = lease.isOk() ? runInFrame(**lease, request, pins, deadline, result,
                                       onDevice)
                          : std::move(lease).takeStatus();
  } catch (const std::bad_alloc &) {
    status = outOfResources("no memory to execute the model");
  }
  if (status.isOk() && request.measureTiming) {
    result.timing.timeOnDevice = uint64_t(onDevice) / 1000;
    result.timing.timeInDriver = uint64_t(now() - arrival) / 1000;
  }
  report(status, result);
  return status;
}

static void clear(ExecutionResult &result) {
  result.timing = {};
  result.outputShapes.clear();
  result.copiedBytes = 0;
}

Status HalPreparedModel::checkDeadline(Deadline deadline) const {
  // A deadline that has passed before the start is a persistent failure (D-016,
  // D-024).
  if (deadline != noDeadline && now() >= deadline)
    return Status(StatusCode::missedDeadlinePersistent,
                  "the deadline had passed before the execution began");
  return Status::ok();
}

Status HalPreparedModel::execute(const Request &request,
                                 ExecutionResult &result) const {
  int64_t arrival = request.measureTiming ? now() : 0;
  auto section = traceRuntime(tracer(), TracePhase::execution, "execute");
  result.timing = {};
  result.copiedBytes = 0;
  Status status = checkDeadline(request.deadline);
  if (status.isOk()) {
    auto slot = state->services.executions->enter(ticketFor(request.deadline));
    if (slot.isOk())
      return run(request, /*pins=*/{}, request.deadline, arrival, result,
                 &*slot);
    status = std::move(slot).takeStatus();
  }
  clear(result);
  return status;
}

Status HalPreparedModel::checkRequest(const Request &request, bool isFenced,
                                      std::vector<BufferPin> &pins) const {
  try {
    NNHAL_ASSIGN_OR_RETURN(FramePool::Lease lease,
                           frames.take(/*isSoonTakenAgain=*/true));
    Status bound = bindArguments(interface(), request, scope({}), *lease);
    for (const Frame::BufferUse &use : lease->buffers)
      pins.push_back({use.token, use.buffer});
    if (isFenced && bound.code() == StatusCode::outputInsufficientSize)
      return Status(StatusCode::invalidArgument, bound.message());
    if (isFenced && bound.isOk())
      return checkFullySpecified(interface(), *lease);
    return bound.code() == StatusCode::outputInsufficientSize ? Status::ok()
                                                              : bound;
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory to launch the execution");
  }
}

Status HalPreparedModel::executeAsync(Request request,
                                      ExecutionCallback callback) const {
  int64_t arrival = now();
  TraceSpan span(tracer(), TraceLayer::runtime, TracePhase::execution,
                 "executeAsync");
  if (!callback)
    return badData("an asynchronous execution needs a callback");
  std::vector<BufferPin> pins;
  Status launched = checkRequest(request, /*isFenced=*/false, pins);
  if (!launched.isOk()) {
    callback(launched, {});
    return launched;
  }
  Status missed = checkDeadline(request.deadline);
  // The callback reports a missed deadline; the call succeeds (D-016).
  if (!missed.isOk()) {
    callback(missed, {});
    return Status::ok();
  }
  Ticket ticket = ticketFor(request.deadline);
  // The callback may release the model before submit() returns.
  std::shared_ptr<DeviceState> keep = state;
  // Whichever of job and launch failure calls it.
  auto notify = std::make_shared<ExecutionCallback>(std::move(callback));
  auto running = std::make_shared<TraceSpan>(std::move(span));
  auto job = [self = shared_from_this(), request = std::move(request),
              pins = std::move(pins), notify, running,
              arrival](Status admitted) {
    ExecutionResult result;
    Status status = admitted.isOk() ? self->run(request, pins, request.deadline,
                                                arrival, result)
                                    : std::move(admitted);
    running->end();
    (*notify)(std::move(status), result);
  };
  launched = keep->services.executions->submit(ticket, std::move(job));
  if (!launched.isOk())
    (*notify)(launched, {});
  return launched;
}

Result<std::unique_ptr<BurstContext>>
HalPreparedModel::configureBurst(std::shared_ptr<BurstCallback> callback,
                                 BurstChannels channels) const {
  BurstServerOptions options;
  options.log = state->services.log;
  return serveBurst(
      createBurstExecutor(shared_from_this(), BurstCache::memories),
      std::move(callback), std::move(channels), options);
}
