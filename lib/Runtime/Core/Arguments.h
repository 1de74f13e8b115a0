//===- Arguments.h - Connects a request with the code -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_ARGUMENTS_H
#define NNHAL_LIB_RUNTIME_CORE_ARGUMENTS_H

#include "Frame.h"

namespace nnhal::rt {

/// The buffers that a request of one prepared model may name.
struct BufferScope {
  const Backend &backend;
  const BufferTable &table;
  /// ArgumentRole::model.
  uint64_t model = 0;
  /// Limits the copies of arguments; may be null.
  MemoryBudget *budget = nullptr;
  /// The buffers that were found when the execution was launched; they are
  /// looked up here before the table.
  std::span<const BufferPin> pins = {};
};

/// Fills the argument lists of \p frame from \p request, so that every size,
/// shape, role and alignment that can be checked before the execution holds.
/// This reads and writes no argument. Fails with invalidArgument, which names
/// the argument, the found value and the bound, and with outputInsufficientSize
/// when memory is known to be too small before anything ran.
Status bindArguments(const Interface &interface, const Request &request,
                     const BufferScope &scope, Frame &frame);

/// Makes the arguments of a bound frame usable: copies in those that cannot be
/// mapped and begins the access to the rest. Fails with generalFailure when
/// memory cannot be read any more.
Status beginArguments(const Interface &interface, Frame &frame);

/// Ends the accesses that beginArguments() began and, when \p isComplete,
/// copies the outputs to memory that cannot be mapped. Fails with
/// generalFailure when that fails.
Status endArguments(const Interface &interface, Frame &frame, bool isComplete);

/// Copies what the backend reported about outputs to \p shapes. failure when it
/// contradicts the interface; outputInsufficientSize when memory was too small.
Status collectOutputs(const Interface &interface, const Frame &frame,
                      std::vector<OutputShape> &shapes);

/// Fails with invalidArgument unless the extents of every output of a bound
/// frame are known and none is 0 (D-035, D-050).
Status checkFullySpecified(const Interface &interface, const Frame &frame);

/// The buffers of the device that one execution uses: inputs can be read by
/// others at the same time, outputs by nobody. Locked in one order for all
/// executions; the destructor, on any thread, unlocks them.
class BufferLocks {
public:
  BufferLocks() = default;
  ~BufferLocks() {
    if (!locks.empty())
      unlock();
  }
  BufferLocks(const BufferLocks &) = delete;
  BufferLocks &operator=(const BufferLocks &) = delete;

  /// Waits for whoever uses the buffers of \p frame.
  void lock(const Frame &frame);
  /// Locks all of them, or none when somebody uses one.
  bool tryLock(const Frame &frame);
  void unlock();

private:
  struct Lock {
    std::shared_ptr<ManagedBuffer> buffer;
    bool isExclusive;
    void unlock() const;
  };
  static std::vector<Lock> inOrder(const Frame &frame);

  std::vector<Lock> locks;
};

/// Points the arguments of \p frame at its buffers, which are locked. Fails
/// with generalFailure when an input is uninitialized (F-032), with
/// invalidArgument when its shape does not fit, and with resourceExhausted*
/// when an output finds no memory. In any case all outputs are uninitialized
/// from now on (F-034).
Status bindBuffers(const Interface &interface, Frame &frame);

/// Gives, after an execution, an output whose extents were unknown the memory
/// that it turned out to need. Returns true when it has to be executed again
/// for that. Fails with generalFailure when the reported shape is not one of
/// the buffer (F-036).
Result<bool> growBuffers(const Interface &interface, Frame &frame);

/// Marks the output buffers as written, with the shapes of \p frame, or as
/// uninitialized (F-033, F-034).
void finishBuffers(Frame &frame, bool isComplete);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_ARGUMENTS_H
