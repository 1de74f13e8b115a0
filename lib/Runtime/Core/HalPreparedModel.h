//===- HalPreparedModel.h - Every way to execute ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_HALPREPAREDMODEL_H
#define NNHAL_LIB_RUNTIME_CORE_HALPREPAREDMODEL_H

#include "Arguments.h"
#include "HalDevice.h"

#include "nnhal/Runtime/Reactor.h"
#include "nnhal/Runtime/Scheduler.h"

namespace nnhal::rt {

/// Sets the cancel flag of a frame when a deadline passes.
class CancelTimer {
public:
  CancelTimer(Reactor &reactor, Frame &frame)
      : reactor(reactor), frame(frame) {}
  CancelTimer(const CancelTimer &) = delete;
  CancelTimer &operator=(const CancelTimer &) = delete;
  ~CancelTimer() {
    if (timer != 0)
      reactor.cancel(timer);
  }

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

/// A loaded model with everything that the HAL promises of its executions.
class HalPreparedModel final
    : public PreparedModel,
      public std::enable_shared_from_this<HalPreparedModel> {
public:
  HalPreparedModel(std::shared_ptr<DeviceState> state,
                   std::unique_ptr<LoadedModel> loaded, Priority priority,
                   uint64_t client);

  const Interface &interface() const override { return face; }
  MemoryUse memoryUse() const override { return loaded->memoryUse(); }
  Status execute(const Request &request,
                 ExecutionResult &result) const override;
  Status executeAsync(Request request,
                      ExecutionCallback callback) const override;
  Result<std::shared_ptr<FencedExecution>>
  executeFenced(Request request, std::vector<FenceRef> waitFor,
                std::optional<uint64_t> durationAfterFence) const override;
  Result<std::unique_ptr<BurstContext>>
  configureBurst(std::shared_ptr<BurstCallback> callback,
                 BurstChannels channels) const override;

  /// Unique for the life of the device; see ArgumentRole.
  uint64_t id() const { return number; }
  const LoadedModel &model() const { return *loaded; }
  /// Whether this is a model of the device with \p other.
  bool isOf(const DeviceState &other) const { return state.get() == &other; }

private:
  class Fenced;

  struct OnDevice;

  /// Executes on this thread, which has been admitted. \p arrival is when the
  /// execution was asked for, and \p slot what the caller was admitted with,
  /// where it has that; null where somebody else has it.
  Status run(const Request &request, std::span<const BufferPin> pins,
             Deadline deadline, int64_t arrival, ExecutionResult &result,
             const Slot *slot = nullptr) const;
  Status runInFrame(Frame &frame, const Request &request,
                    std::span<const BufferPin> pins, Deadline deadline,
                    ExecutionResult &result, int64_t &onDevice) const;
  /// Has the backend execute until the buffers of the outputs are large enough.
  Status invoke(Frame &frame, const Request &request, Deadline deadline,
                ExecutionResult &result, int64_t &onDevice) const;
  /// Has the backend execute once on its own threads, and waits for it.
  Status submitAndWait(Invocation &invocation) const;
  /// \p invocation of a frame whose arguments are bound.
  void describe(Frame &frame, const Request &request, Deadline deadline,
                Invocation &invocation) const;
  /// Leaves the traces of an execution that ended with \p status in its frame,
  /// in its buffers and in \p result; \p status becomes the status that is
  /// reported.
  void finish(Frame &frame, Status &status, ExecutionResult &result) const;
  /// Reports an execution that has ended in \p result: empties everything that
  /// a failure does not report, and logs.
  void report(const Status &status, ExecutionResult &result) const;
  /// Checks everything about \p request that can be checked before it is
  /// launched. For a fenced one, outputs that do not suffice are wrong. \p pins
  /// receives the buffers of \p request.
  Status checkRequest(const Request &request, bool isFenced,
                      std::vector<BufferPin> &pins) const;
  /// Fails with missedDeadlinePersistent when \p deadline has passed.
  Status checkDeadline(Deadline deadline) const;
  BufferScope scope(std::span<const BufferPin> pins) const {
    return {*state->backend, state->buffers, number,
            state->services.memory.get(), pins};
  }
  Ticket ticketFor(Deadline deadline) const {
    return {client, priority, deadline};
  }
  int64_t now() const { return state->services.clock(); }
  Tracer *tracer() const { return state->services.tracer.get(); }

  const std::shared_ptr<DeviceState> state;
  const std::unique_ptr<LoadedModel> loaded;
  // The interface of `loaded` and the name of the backend's device are kept,
  // because each execution would call virtual functions for them.
  const Interface &face;
  const std::string deviceName;
  const bool isAsynchronous;
  const Priority priority;
  const uint64_t client;
  const uint64_t number;
  mutable FramePool frames;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_HALPREPAREDMODEL_H
