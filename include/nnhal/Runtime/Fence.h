//===- Fence.h - A point in time reached once -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_FENCE_H
#define NNHAL_RUNTIME_FENCE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Execution.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace nnhal::rt {

class Fence;
/// A null pointer stands for a fence that has signalled already (D-053).
using FenceRef = std::shared_ptr<Fence>;

/// The states of a fence that poll() reports (D-065).
enum class FenceState { active, signaled, error, unknown };

/// Waits until \p fd is signalled, at most \p timeoutMs milliseconds; a
/// negative value waits without a limit, and 0 only looks. Returns `active`
/// when the time is over, `error` when the fence failed or \p fd is not open,
/// `unknown` when nothing can be asked (\p fd is 0 or less, or poll() fails).
/// Interruptions are retried. (K-047, D-065, D-070)
NNHAL_API FenceState syncWait(int fd, int timeoutMs);

/// A point in time that a device or a client reaches once, well or with a
/// failure; behind it is a descriptor that poll() can wait on (decisions 11).
///
/// A descriptor is read like this: a sync_file tells its own status. For
/// anything else, a byte to read is success; a hang-up, an error or the end of
/// the stream before any byte is a failure (generalFailure). An eventfd cannot
/// fail. The byte is left where it is: a reader of it takes the success away
/// from others.
///
/// Ownership: shared; the last holder closes the descriptor. The last holder of
///            an own fence that nobody completed fails it. A thread in wait()
///            is a holder; a wait of a Reactor is not.
/// Threads:   every member may be called from any thread.
/// Blocking:  only wait().
class NNHAL_API Fence {
public:
  /// Makes a fence of a descriptor that others made. Takes over \p fd, also on
  /// failure; 0 alone is left open. Fails with invalidArgument when it is 0 or
  /// less (D-070), not open, open only for writing, or cannot be waited on (a
  /// regular file, a directory).
  static Result<FenceRef> adopt(UniqueFd fd);
  /// Makes an own fence, which complete() ends. Fails with
  /// resourceExhaustedTransient when the process has no descriptors left.
  static Result<FenceRef> create();
  ~Fence();
  Fence(const Fence &) = delete;
  Fence &operator=(const Fence &) = delete;

  /// Returns ok when the fence is signalled, also when \p deadline has passed
  /// meanwhile. Fails with missedDeadlineTransient when \p deadline passes
  /// first; the fence stays usable. A failed own fence returns the Status given
  /// to complete(), another failed fence generalFailure.
  Status wait(Deadline deadline) const;

  /// Returns the present state without blocking.
  FenceState poll() const;

  /// Returns the status that wait() would return now, or nothing while the
  /// fence is active.
  std::optional<Status> outcome() const;

  /// Returns a duplicate for another process or library, closed on exec
  /// (D-072). It stays valid without this object.
  Result<UniqueFd> share() const;

  /// Ends an own fence; only the first call counts. Holders of a shared
  /// descriptor learn whether it failed, holders of this object also why. Never
  /// raises SIGPIPE, whatever the holders did. Must not be called on an adopted
  /// fence (asserted; ignored otherwise).
  void complete(Status outcome);

  /// The descriptor, which this object owns. To poll: see above.
  int fd() const { return readEnd.get(); }
  bool isOwn() const { return own != nullptr; }

private:
  friend class Reactor;
  /// The outcome of an own fence, and the end of the pipe that tells it.
  struct Own;
  /// Everything that a waiter needs to know the outcome without holding the
  /// fence.
  struct Watch {
    UniqueFd fd;
    std::shared_ptr<const Own> own;
    /// \p events are those that poll() or epoll reported for `fd`.
    std::optional<Status> outcome(uint32_t events) const;
  };

  Fence(UniqueFd readEnd, std::shared_ptr<Own> own);
  Result<Watch> watch() const;

  UniqueFd readEnd;
  std::shared_ptr<Own> own; // Null when adopted.
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_FENCE_H
