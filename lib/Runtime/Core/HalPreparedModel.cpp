//===- HalPreparedModel.cpp - Executions on this thread and on others -*- C++
//-*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalPreparedModel.h"

#include "OperationTimes.h"

#include "nnhal/Runtime/FailureReasons.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Reactor.h"
#include "nnhal/Runtime/Trace.h"
#include "nnhal/Runtime/WorkPool.h"

#include <algorithm>
#include <new>

using namespace nnhal::rt;

HalPreparedModel::HalPreparedModel(std::shared_ptr<DeviceState> device,
                                   std::unique_ptr<LoadedModel> model,
                                   Priority priority, uint64_t client)
    : state(std::move(device)), loaded(std::move(model)), priority(priority),
      client(client), number(++state->lastModel),
      frames(loaded->interface(), loaded->arenaSize(), state->services.memory) {
}

/// Bytes of one tensor, as of those of requests.
static constexpr uint64_t tensorLimit = UINT32_MAX;

namespace {
/// What the code of one run asks for.
class RunServices {
public:
  RunServices(Frame &frame, const DeviceServices &services,
              NNHalExecutionContext &context)
      : frame(frame), services(services), context(context) {
    context.allocate = allocate;
    context.allocateContext = this;
    context.clock = readClock;
    context.clockContext = this;
  }
  RunServices(const RunServices &) = delete;
  RunServices &operator=(const RunServices &) = delete;
  ~RunServices() { frame.resetRun(); }

private:
  static void *allocate(void *self, const int64_t *extents, uint32_t rank,
                        uint64_t elementSize) {
    return static_cast<RunServices *>(self)->allocate({extents, rank},
                                                      elementSize);
  }
  static int64_t readClock(void *self) {
    return static_cast<RunServices *>(self)->services.clock();
  }
  void *allocate(std::span<const int64_t> extents, uint64_t elementSize);

  Frame &frame;
  const DeviceServices &services;
  NNHalExecutionContext &context;
};
} // namespace

void *RunServices::allocate(std::span<const int64_t> extents,
                            uint64_t elementSize) {
  auto refuse = [&](FailureReason reason, int64_t found, int64_t bound) {
    context.failureReason = uint32_t(reason);
    context.failureFound = found;
    context.failureBound = bound;
    return nullptr;
  };
  uint64_t bytes = elementSize;
  for (int64_t extent : extents) {
    if (extent < 0)
      return refuse(FailureReason::negativeExtent, extent, 0);
    // Saturates: what does not fit is above any limit.
    if (__builtin_mul_overflow(bytes, uint64_t(extent), &bytes))
      bytes = std::ranges::find(extents, 0) == extents.end() ? INT64_MAX : 0;
  }
  if (bytes > tensorLimit)
    return refuse(FailureReason::tensorTooLarge, int64_t(bytes),
                  int64_t(tensorLimit));
  // Not empty: a null pointer is that of an omitted input.
  auto buffer = BudgetedBuffer::allocate(std::max<uint64_t>(bytes, 1),
                                         services.memory.get());
  if (!buffer.isOk())
    return refuse(FailureReason::outOfMemory, int64_t(bytes), 0);
  frame.allocations.push_back(*std::move(buffer));
  return frame.allocations.back().bytes.data();
}

NNHalExecutionContext HalPreparedModel::contextFor(Frame &frame,
                                                   const Request &request,
                                                   Deadline deadline) const {
  NNHalExecutionContext context = {};
  context.structSize = sizeof(context);
  context.version = NNHAL_ENTRY_ABI_VERSION;
  context.inputs = frame.inputs.data();
  context.outputs = frame.outputs.data();
  context.inputCount = uint32_t(frame.inputs.size());
  context.outputCount = uint32_t(frame.outputs.size());
  context.arena = frame.arena.bytes.data();
  context.arenaSize = frame.arena.bytes.size();
  if (WorkPool *workers = state->services.workers.get();
      workers && workers->threads() > 1) {
    context.parallelFor = WorkPool::parallelFor;
    context.parallelForContext = workers;
  }
  // The code polls a plain integer; the timer writes it atomically.
  static_assert(sizeof(frame.isCancelled) == sizeof(uint32_t) &&
                std::atomic<uint32_t>::is_always_lock_free);
  context.cancelFlag =
      reinterpret_cast<const volatile uint32_t *>(&frame.isCancelled);
  context.deadline = deadline;
  context.loopTimeout = request.loopTimeout;
  return context;
}

namespace {
/// Sets the cancel flag of a frame when a deadline passes.
class CancelTimer {
public:
  CancelTimer(Reactor &reactor, Frame &frame)
      : reactor(reactor), frame(frame) {}
  CancelTimer(const CancelTimer &) = delete;
  CancelTimer &operator=(const CancelTimer &) = delete;
  ~CancelTimer() { reactor.cancel(timer); }

  Status start(Deadline deadline) {
    if (deadline == noDeadline)
      return Status::ok();
    NNHAL_ASSIGN_OR_RETURN(timer, reactor.at(deadline, [this] {
      frame.isCancelled.store(1, std::memory_order_relaxed);
    }));
    return Status::ok();
  }

private:
  Reactor &reactor;
  Frame &frame;
  uint64_t timer = 0;
};
} // namespace

Status HalPreparedModel::runCode(Frame &frame, const Request &request,
                                 Deadline deadline, ExecutionResult &result,
                                 int64_t &onDevice) const {
  CancelTimer timer(*state->services.reactor, frame);
  NNHAL_RETURN_IF_ERROR(timer.start(deadline));
  NNHalExecutionContext context = contextFor(frame, request, deadline);
  RunServices services(frame, state->services, context);
  OperationTimes times(tracer(), request.measureOperations,
                       state->services.clock, result, context);
  while (true) {
    TraceSection section(tracer(), TraceLayer::driver, TracePhase::computation,
                         state->backend->info().name);
    int64_t begin = request.measureTiming ? now() : 0;
    Status status = loaded->run(context);
    onDevice += request.measureTiming ? now() - begin : 0;
    bool isRetried = false;
    if (status.code() == StatusCode::outputInsufficientSize ||
        (status.isOk() && !frame.buffers.empty())) {
      NNHAL_ASSIGN_OR_RETURN(isRetried, growBuffers(interface(), frame));
    }
    if (!isRetried)
      return status;
    frame.resetRun();
  }
}

Status HalPreparedModel::runInFrame(Frame &frame, const Request &request,
                                    std::span<const BufferPin> pins,
                                    Deadline deadline, ExecutionResult &result,
                                    int64_t &onDevice) const {
  Status bound = bindArguments(interface(), request, scope(pins), frame);
  if (bound.code() == StatusCode::outputInsufficientSize)
    return collectOutputs(interface(), frame, result.outputShapes);
  NNHAL_RETURN_IF_ERROR(std::move(bound));
  BufferLocks locks(frame);
  NNHAL_RETURN_IF_ERROR(bindBuffers(interface(), frame));
  Status status = beginArguments(interface(), frame);
  if (status.isOk())
    status = runCode(frame, request, deadline, result, onDevice);
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
  return status;
}

Status HalPreparedModel::run(const Request &request,
                             std::span<const BufferPin> pins, Deadline deadline,
                             int64_t arrival, ExecutionResult &result) const {
  TraceSection section(tracer(), TraceLayer::driver, TracePhase::execution,
                       state->backend->info().name);
  int64_t onDevice = 0;
  Status status;
  try {
    auto lease = frames.take();
    status = lease.isOk() ? runInFrame(**lease, request, pins, deadline, result,
                                       onDevice)
                          : std::move(lease).takeStatus();
  } catch (const std::bad_alloc &) {
    status = outOfResources("no memory to execute the model");
  }
  // Shapes are reported with success and insufficient sizes only (D-019).
  if (!status.isOk() && status.code() != StatusCode::outputInsufficientSize)
    result.outputShapes.clear();
  if (status.isOk() && request.measureTiming) {
    result.timing.timeOnDevice = uint64_t(onDevice) / 1000;
    result.timing.timeInDriver = uint64_t(now() - arrival) / 1000;
  }
  state->services.log->write(LogTag::execution, "{}: {}",
                             state->backend->info().name,
                             status.isOk() ? "executed" : status.message());
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
  TraceSection section(tracer(), TraceLayer::runtime, TracePhase::execution,
                       "execute");
  result.timing = {};
  result.copiedBytes = 0;
  Status status = checkDeadline(request.deadline);
  if (status.isOk()) {
    auto slot = state->services.executions->enter(ticketFor(request.deadline));
    if (slot.isOk())
      return run(request, /*pins=*/{}, request.deadline, arrival, result);
    status = std::move(slot).takeStatus();
  }
  clear(result);
  return status;
}

Status HalPreparedModel::checkRequest(const Request &request, bool isFenced,
                                      std::vector<BufferPin> &pins) const {
  try {
    NNHAL_ASSIGN_OR_RETURN(FramePool::Lease lease, frames.take());
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
  auto span = std::make_shared<TraceSpan>(
      tracer(), TraceLayer::runtime, TracePhase::execution, "executeAsync");
  auto job = [self = shared_from_this(), request = std::move(request),
              pins = std::move(pins), notify, span, arrival](Status admitted) {
    ExecutionResult result;
    Status status = admitted.isOk() ? self->run(request, pins, request.deadline,
                                                arrival, result)
                                    : std::move(admitted);
    span->end();
    (*notify)(std::move(status), result);
  };
  launched = keep->services.executions->submit(ticket, std::move(job));
  if (!launched.isOk())
    (*notify)(launched, {});
  return launched;
}
