//===- Invocation.h - What a backend executes -------------------*- C++ -*-===//
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

/// One input or output of one execution, of which everything that can be known
/// before the execution has been checked.
struct InvocationArgument {
  /// The elements in row-major order, aligned to one of them. Null when the
  /// argument is omitted or empty, when it is a pool that the backend imports,
  /// or memory that the host does not reach.
  std::byte *data = nullptr;
  /// Bytes of the elements; of an output those that there is room for.
  uint64_t size = 0;
  /// `rank` extents. Of an output those that are known, 0 where they are not:
  /// the backend writes all of them.
  int64_t *extents = nullptr;
  uint32_t rank = 0;
  /// False: an optional input is omitted.
  bool isPresent = false;
  /// Of an output: the backend writes false when the elements do not fit.
  bool isSufficient = true;
  /// The pool whose bytes these are, from `offset` on; null for other memory
  /// and for a copy of a pool.
  std::shared_ptr<const SharedMemory> pool;
  uint64_t offset = 0;
  /// The backend's own object where the argument is a buffer of its device.
  DeviceMemory *memory = nullptr;

  std::span<int64_t> shape() const { return {extents, rank}; }
};

/// Told what single operations of the main subgraph took.
class NNHAL_API OperationObserver {
public:
  /// The clock that took() expects: nanoseconds.
  virtual int64_t now() const = 0;
  virtual void took(uint32_t operation, int64_t begin, int64_t end) = 0;

protected:
  ~OperationObserver() = default;
};

/// What one execution at a time needs beside its arguments: an arena or a
/// command buffer, for example. The runtime makes as many as executions ever
/// run at once and uses them again. A workspace may outlive its model.
class NNHAL_API Workspace {
public:
  virtual ~Workspace() = default;
  /// The execution that LoadedModel::submit() was called for has ended, or has
  /// not begun. Called on a thread of the runtime or of a client, never on one
  /// of the backend.
  virtual void recycle() {}
};

/// Told once that an execution has ended.
class NNHAL_API Completion {
public:
  /// From any thread, without locks that submit() takes. From then on the
  /// backend touches neither this object nor the invocation.
  virtual void complete(Status status) = 0;

protected:
  ~Completion() = default;
};

/// One execution as a backend sees it. Lives until it has ended.
///
/// Threads: the backend's while it executes, but for cancelFlag.
struct Invocation {
  std::span<const InvocationArgument> inputs;
  std::span<InvocationArgument> outputs;
  /// From LoadedModel::createWorkspace() of this model.
  Workspace *workspace = nullptr;
  /// Clock, memory, workers, log and tracer; complete. Its schedulers and its
  /// reactor are the runtime's.
  const DeviceServices *services = nullptr;
  /// Not 0: stop soon, between two submissions for example, with
  /// missedDeadlineTransient. Set when the deadline passes.
  const std::atomic<uint32_t> *cancelFlag = nullptr;
  /// By the services' clock.
  Deadline deadline = noDeadline;
  uint64_t loopTimeout = defaultLoopTimeout;
  /// Null: nobody asks what operations take.
  OperationObserver *operations = nullptr;
  /// Fences that Backend::waitsFor() has accepted and that no argument may be
  /// read or written before; fails with generalFailure when one of them does.
  /// Only for submit().
  std::span<const FenceRef> waitFor;
  /// Whether the backend may set `fence`.
  bool wantsFence = false;

  // What the backend reports.

  /// A fence that signals with the end of the execution and fails with it,
  /// known when submit() returns; complete() follows without anybody's help.
  /// Null: the runtime makes one.
  FenceRef fence;
  /// Bytes of arguments that the backend has copied.
  uint64_t copiedBytes = 0;
  /// What the execution took by the device's own clock, in nanoseconds.
  /// Negative: the runtime measures.
  int64_t timeOnDevice = -1;
  /// When the fences of `waitFor` had signaled, by the services' clock.
  /// Negative: not known, as when it was submitted.
  int64_t fencesSignaled = -1;

  bool isCancelled() const {
    return cancelFlag->load(std::memory_order_relaxed) != 0;
  }
};

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_INVOCATION_H
