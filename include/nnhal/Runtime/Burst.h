//===- Burst.h - Many executions over queues in shared memory ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A burst executes one prepared model many times with little overhead: requests
// and results travel over two queues in shared memory, without a call, a system
// call or a lock per execution while both ends poll. The two ends may be in one
// process or in two. Burst is the client's end; BurstContext stands for the
// server's, which PreparedModel::configureBurst() makes. docs/Devices/Burst.md
// describes queues and packets.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_BURST_H
#define NNHAL_RUNTIME_BURST_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/PrepareOptions.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace nnhal::rt {

class PreparedModel;
class SharedMemory;

/// The client's answers to a server: the HAL's IBurstCallback.
/// Threads: called on the thread of the server.
class NNHAL_API BurstCallback {
public:
  virtual ~BurstCallback() = default;

  /// One memory per slot of \p slots, each with a descriptor of its own.
  /// invalidArgument, and no memory, for a slot that was never given or is
  /// freed (G-041).
  virtual Result<std::vector<std::shared_ptr<SharedMemory>>>
  getMemories(std::span<const int32_t> slots) = 0;

  /// Says that the process of the context has died, or cannot be reached any
  /// more: nothing that was sent will be answered (G-011, G-065). Called at
  /// most once, and never by a context in this process. Threads: any.
  virtual void contextDied() {}
};

/// The server's end of a burst: the HAL's IBurstContext. Its end lets go of
/// queues, memories and the thread of the server (G-012); it waits for the
/// execution that runs, unless the server is in another process, which is only
/// told.
class NNHAL_API BurstContext {
public:
  virtual ~BurstContext() = default;

  /// Forgets the memory of \p slot once the execution that runs has ended;
  /// slots that are unknown are ignored (G-043, G-061). Threads: any.
  virtual void freeMemory(int32_t slot) = 0;
};

/// The memory of the two queues of a burst, made by the client.
struct BurstChannels {
  UniqueFd requests;
  UniqueFd results;
};

struct BurstOptions {
  /// Elements of each queue; a request has 2 + inputs + outputs + pools
  /// elements and one for each extent that it states.
  uint32_t capacity = 1024;
  /// How long an end polls for what it waits for before it sleeps. 0 suits
  /// clients that save power (G-049).
  std::chrono::microseconds pollingWindow{50};
};

/// The options of a client with \p preference: one that saves power does not
/// poll (G-049). For others NNHAL_BURST_POLLING_WINDOW, for which \p
/// environment answers as getenv(), replaces the window, in microseconds: less
/// than 0 counts as 0, more than a second as one, and what is not an integer is
/// ignored (G-051).
NNHAL_API BurstOptions
burstOptions(ExecutionPreference preference,
             const std::function<const char *(const char *)> &environment);

/// The client's end of a burst.
///
/// Ownership: keeps the prepared model. Memories of requests are referred to
///            weakly: the server lets go of a memory when the next execution
///            begins after its last owner did, or at freeMemory().
/// Threads:   any, but one execution at a time.
/// Blocking:  execute() returns when the execution has ended.
class NNHAL_API Burst {
public:
  /// Makes the queues and has \p model serve them. A burst over a model that
  /// has none, as those of devices before HAL 1.2, executes everything by
  /// PreparedModel::execute() (G-003). What
  /// PreparedModel::configureBurst() reports; invalidArgument for a capacity
  /// that is not 1 to 2^20, resourceExhaustedTransient without memory.
  static Result<std::unique_ptr<Burst>>
  create(std::shared_ptr<const PreparedModel> model,
         const BurstOptions &options = {});

  virtual ~Burst() = default;

  /// Executes once, as PreparedModel::execute() does.
  ///
  /// Arguments in pools travel as they are. Borrowed ones are copied through a
  /// pool of the burst. Requests that a packet cannot state (buffers,
  /// deadlines, time-outs of loops, times of operations, paddings) and those
  /// that do not fit the queue are executed by PreparedModel::execute() (G-037,
  /// G-059, G-067); the result of a request that was sent is final.
  ///
  /// invalidArgument and generalFailure as the server reports them: a packet
  /// carries no message, the log of the server has it. generalFailure while
  /// another execution of the burst runs (G-007) and for a result that cannot
  /// be read (G-038); deadObject once the burst is invalidated (G-057, G-058).
  virtual Status execute(const Request &request, ExecutionResult &result) = 0;

  /// Frees the slot of \p memory here, then at the server (G-044). Nothing for
  /// memory that no execution has used.
  virtual void freeMemory(const SharedMemory &memory) = 0;

  /// Ends an execution that waits for a server which has died, and every later
  /// one, with deadObject. BurstCallback::contextDied() does so by itself.
  virtual void invalidate() = 0;

  /// How many executions did not go over the queues.
  virtual uint64_t ordinaryExecutions() const = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_BURST_H
