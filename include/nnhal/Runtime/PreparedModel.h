//===- PreparedModel.h - A model that a device can execute ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_PREPAREDMODEL_H
#define NNHAL_RUNTIME_PREPAREDMODEL_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Burst.h"
#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/Fence.h"
#include "nnhal/Runtime/Interface.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace nnhal::rt {

/// The bytes that a prepared model takes beside the arguments of its
/// executions; 0 for a number that is not known.
struct MemoryUse {
  /// Intermediate results of one execution.
  uint64_t arena = 0;
  /// A lower bound of the arena, which no plan can undercut.
  uint64_t arenaLowerBound = 0;
  /// The code and constants as the compiler wrote them.
  uint64_t artifact = 0;
  bool operator==(const MemoryUse &) const = default;
};

/// The outcome of a fenced execution.
struct ExecutionInfo {
  /// The status; generalFailure while the execution has not ended (D-057).
  Status status;
  /// The time from the call, and the time from when all fences had signaled
  /// (D-058).
  Timing timingLaunched;
  Timing timingFenced;
};

/// The HAL's IFencedExecutionCallback.
///
/// Threads: any.
class NNHAL_API FencedExecution {
public:
  virtual ~FencedExecution() = default;

  /// Returns a fence that signals when the execution has ended and fails when
  /// that failed; null when it had ended before the call returned (D-053).
  virtual FenceRef fence() const = 0;
  virtual ExecutionInfo executionInfo() const = 0;
};

/// Is called once with the status and result that PreparedModel::execute()
/// would have returned.
using ExecutionCallback =
    std::function<void(Status status, const ExecutionResult &result)>;

/// A model that a device has made ready.
///
/// Ownership: shared; independent of the device and the model that it came
///            from. Executions under way keep it.
/// Threads:   every member may be called from any number of threads at once.
/// Blocking:  execute() returns when the execution has ended; the others when
///            it has been launched.
///
/// Memory that a request borrows is read and written until the execution has
/// ended; pools and buffers are kept that long. Outputs are written by the time
/// that an end is reported and not later (D-075).
class NNHAL_API PreparedModel {
public:
  virtual ~PreparedModel() = default;

  virtual const Interface &interface() const = 0;

  /// Returns the memory of the code that executes now; a compilation may take
  /// over later.
  virtual MemoryUse memoryUse() const { return {}; }

  /// Executes once on this thread, when the device admits it, and writes
  /// outputs and \p result. The failures are:
  /// - invalidArgument when an argument does not match the interface or the
  ///   roles of its buffer: the message names it, the found value and the
  ///   bound.
  /// - generalFailure when a pool cannot be read or written, an input buffer is
  ///   uninitialized (F-032) or an operation fails.
  /// - outputInsufficientSize with the needed shapes when an output's memory is
  ///   too small; the contents of the outputs are then unspecified.
  /// - missedDeadlinePersistent when the deadline had passed before,
  ///   missedDeadlineTransient when it, or the time of a loop, passed later.
  /// - resourceExhaustedTransient when there is no memory or too many
  ///   executions wait; resourceExhaustedPersistent when the limit of the
  ///   device is less than the model needs.
  virtual Status execute(const Request &request,
                         ExecutionResult &result) const = 0;

  /// Executes once on a thread of the device. The status says whether the
  /// execution was launched (D.2): invalidArgument and resourceExhausted* are
  /// returned and given to \p callback, a deadline that has passed is only
  /// given to it (D-016). Without a callback nothing is called (D-012).
  virtual Status executeAsync(Request request,
                              ExecutionCallback callback) const = 0;

  /// Executes once on a thread of the device after all of \p waitFor have
  /// signaled; null fences have. The shape of every output is known from model
  /// and request, without zero extents, and fits (D-035, D-050).
  ///
  /// \p durationAfterFence, in nanoseconds, is a second deadline that begins
  /// when the fences have signaled (D-060). Fails with generalFailure when a
  /// fence has failed already and with missedDeadlinePersistent for a deadline
  /// that has passed; otherwise the returned fence tells the outcome.
  virtual Result<std::shared_ptr<FencedExecution>>
  executeFenced(Request request, std::vector<FenceRef> waitFor = {},
                std::optional<uint64_t> durationAfterFence = {}) const = 0;

  /// Serves the queues behind \p channels, which the client made, until the
  /// context is destroyed; Burst::create() is the client's side of it. Requests
  /// are executed as execute() does. Null for models without bursts (G-003).
  /// generalFailure for channels that are not the queues of a burst,
  /// invalidArgument without a callback (G-001), resourceExhaustedTransient
  /// without a thread.
  virtual Result<std::unique_ptr<BurstContext>>
  configureBurst(std::shared_ptr<BurstCallback> callback,
                 BurstChannels channels) const;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_PREPAREDMODEL_H
