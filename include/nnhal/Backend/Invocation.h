//===- Invocation.h - One execution for a backend ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_INVOCATION_H
#define NNHAL_BACKEND_INVOCATION_H

#include "nnhal/Backend/DeviceMemory.h"
#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/DeviceServices.h"
#include "nnhal/Runtime/Fence.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace nnhal::rt {

/// The most extents of an argument whose rank the model leaves open.
inline constexpr uint32_t maxOpenRank = 256;

/// One input or output of one execution. The runtime has checked everything
/// about it that can be known before the execution.
struct InvocationArgument {
  /// The elements in row-major order, aligned to one of them. The pointer is
  /// null when the argument is omitted or empty, when it is in a pool that the
  /// backend imports, and when it is in memory that the host does not reach.
  std::byte *data = nullptr;
  /// The bytes of an input's elements, or the bytes that there is room for in
  /// an output.
  uint64_t size = 0;
  /// The `rank` extents. Those of an output that are not known are 0, and the
  /// backend writes all of them. When neither the model nor the request states
  /// the rank of an output, `rank` is 0: the backend writes it, too, and up to
  /// maxOpenRank extents.
  int64_t *extents = nullptr;
  uint32_t rank = 0;
  /// This is false when an optional input is omitted.
  bool isPresent = false;
  /// The backend writes false when the elements of an output do not fit.
  bool isSufficient = true;
  /// The pool whose bytes these are, from `offset` on. The pointer is null for
  /// other memory and for a copy of a pool.
  std::shared_ptr<const SharedMemory> pool;
  uint64_t offset = 0;
  /// The backend's own object where the argument is a buffer of its device.
  DeviceMemory *memory = nullptr;

  std::span<int64_t> shape() const { return {extents, rank}; }
};

/// Receives the times of single operations of the main subgraph.
class NNHAL_API OperationObserver {
public:
  /// Reads the clock that took() expects, in nanoseconds.
  virtual int64_t now() const = 0;
  virtual void took(uint32_t operation, int64_t begin, int64_t end) = 0;

protected:
  ~OperationObserver() = default;
};

/// Everything that one execution at a time needs beside its arguments: an arena
/// or a command buffer, for example. The runtime makes as many workspaces as
/// executions ever run at once and uses them again. A workspace may outlive its
/// model.
class NNHAL_API Workspace {
public:
  virtual ~Workspace() = default;
  /// The runtime calls this when the execution that LoadedModel::submit() was
  /// called for has ended, or has not begun. The call comes on a thread of the
  /// runtime or of a client, never on one of the backend.
  virtual void recycle() {}
};

/// Receives, once, the news that an execution has ended.
class NNHAL_API Completion {
public:
  /// The backend may call this from any thread, without holding locks that
  /// submit() takes. From then on it touches neither this object nor the
  /// invocation.
  virtual void complete(Status status) = 0;

protected:
  ~Completion() = default;
};

/// One execution as a backend sees it. The object lives until the execution has
/// ended.
///
/// Threads: while the execution runs the object belongs to the backend, except
/// cancelFlag.
struct Invocation {
  std::span<const InvocationArgument> inputs;
  std::span<InvocationArgument> outputs;
  /// A workspace that LoadedModel::createWorkspace() of this model has made.
  Workspace *workspace = nullptr;
  /// The clock, memory, workers, log and tracer; all are present. The
  /// schedulers and the reactor among the services are the runtime's.
  const DeviceServices *services = nullptr;
  /// A value other than 0 asks the backend to stop soon, between two
  /// submissions for example, with missedDeadlineTransient. The runtime sets it
  /// when the deadline passes.
  const std::atomic<uint32_t> *cancelFlag = nullptr;
  /// The deadline is a time of the services' clock.
  Deadline deadline = noDeadline;
  uint64_t loopTimeout = defaultLoopTimeout;
  /// The pointer is null when nobody asks how long operations take.
  OperationObserver *operations = nullptr;
  /// Fences that Backend::waitsFor() has accepted. No argument may be read or
  /// written before all of them signal; when one of them fails, the execution
  /// fails with generalFailure. Only submit() is given any.
  std::span<const FenceRef> waitFor;
  /// Whether the backend may set `fence`.
  bool wantsFence = false;

  // The remaining members are results, which the backend reports.

  /// A fence that signals with the end of the execution and fails with it. It
  /// is known when submit() returns, and complete() follows without anybody's
  /// help. When it stays null the runtime makes a fence.
  FenceRef fence;
  /// The bytes of arguments that the backend has copied.
  uint64_t copiedBytes = 0;
  /// The duration of the execution by the device's own clock, in nanoseconds.
  /// When it is negative the runtime measures.
  int64_t timeOnDevice = -1;
  /// The time, by the services' clock, at which the fences of `waitFor` had
  /// signaled. When it is negative the runtime takes the time of the
  /// submission.
  int64_t fencesSignaled = -1;

  bool isCancelled() const {
    return cancelFlag->load(std::memory_order_relaxed) != 0;
  }
};

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_INVOCATION_H
