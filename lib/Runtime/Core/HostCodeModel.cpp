//===- HostCodeModel.cpp - Code for this machine's processor --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/HostCodeModel.h"

#include "SharingChoice.h"

#include "Runtime/Artifact/FailureReasons.h"
#include "Runtime/Support/BudgetedBuffer.h"
#include "nnhal/Runtime/SharedMemory.h"
#include "nnhal/Runtime/Trace.h"
#include "nnhal/Runtime/WorkPool.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

using namespace nnhal::rt;

/// Bytes of one tensor, as of those of requests.
static constexpr uint64_t tensorLimit = UINT32_MAX;

static_assert(NNHAL_ENTRY_ALIGNMENT == AlignedBuffer::minimumAlignment,
              "arenas and buffers are made by AlignedBuffer");

namespace {
/// Gives executions the pool as long as sharing their loops pays.
///
/// Threads: one execution at a time.
class LoopSharing {
public:
  /// Says in \p context how the execution that begins runs its loops. \p pool
  /// may be null.
  void begin(WorkPool *pool, NNHalExecutionContext &context);
  /// The execution has ended, and has done all that it does when \p isWhole.
  void end(bool isWhole);

private:
  static int64_t now() {
    return std::chrono::steady_clock::now().time_since_epoch() /
           std::chrono::nanoseconds(1);
  }
  /// Models without loops to share are never timed: this notes the first.
  static void shareFirst(void *self, NNHalParallelBody body, void *bodyContext,
                         int64_t count, int64_t grain) {
    auto &sharing = *static_cast<LoopSharing *>(self);
    // A piece on another thread may have a loop of its own.
    sharing.hasLoops.store(true, std::memory_order_relaxed);
    sharing.pool->run(body, bodyContext, count, grain);
  }

  WorkPool *pool = nullptr;
  std::atomic<bool> hasLoops = false;
  std::optional<SharingChoice> choice;
  int64_t beginTime = 0;
};

struct HostWorkspace final : Workspace {
  BudgetedBuffer arena;
  std::vector<NNHalTensorArgument> inputs;
  std::vector<NNHalTensorArgument> outputs;
  /// Points at the above.
  NNHalExecutionContext context = {};
  LoopSharing sharing;
  /// The memory that the code allocated in this run.
  std::vector<BudgetedBuffer> allocations;
  /// Copies of arguments that the host does not reach where they are: for a
  /// baseline, which meets memory of another backend.
  std::vector<BudgetedBuffer> copies;
};

/// The services that the code of one run asks for.
class RunServices {
public:
  RunServices(HostWorkspace &workspace, Invocation &invocation,
              NNHalExecutionContext &context)
      : workspace(workspace), invocation(invocation), context(context) {
    context.allocate = allocate;
    context.allocateContext = this;
    context.clock = readClock;
    context.clockContext = this;
    if (!invocation.operations)
      return;
    context.traceHook = noteOperation;
    context.traceContext = this;
    if (invocation.services->tracer)
      noteLoops();
  }
  RunServices(const RunServices &) = delete;
  RunServices &operator=(const RunServices &) = delete;
  ~RunServices() {
    // Loops of code that names no operations are left.
    reportLoops();
    workspace.allocations.clear();
  }

private:
  static void *allocate(void *self, const int64_t *extents, uint32_t rank,
                        uint64_t elementSize) {
    return static_cast<RunServices *>(self)->allocate({extents, rank},
                                                      elementSize);
  }
  static int64_t readClock(void *self) {
    return static_cast<RunServices *>(self)->invocation.services->clock();
  }
  static void noteOperation(void *self, uint32_t operation, uint32_t isEnd) {
    auto &run = *static_cast<RunServices *>(self);
    OperationObserver &observer = *run.invocation.operations;
    if (!isEnd) {
      run.operationBegin = observer.now();
      return;
    }
    observer.took(operation, run.operationBegin, observer.now());
    run.reportLoops();
  }
  /// Puts noteLoop() between the code and the pool. Without a pool the loops
  /// run here, so that the trace of one thread has them, too.
  void noteLoops() {
    share = context.parallelFor;
    shareContext = context.parallelForContext;
    context.parallelFor = noteLoop;
    context.parallelForContext = this;
  }
  static void noteLoop(void *self, NNHalParallelBody body, void *bodyContext,
                       int64_t count, int64_t grain);
  void reportLoops();
  void *allocate(std::span<const int64_t> extents, uint64_t elementSize);

  HostWorkspace &workspace;
  Invocation &invocation;
  NNHalExecutionContext &context;
  int64_t operationBegin = 0;

  /// A loop that threads share.
  struct Loop {
    int64_t rounds, leastRounds, begin, end;
  };
  /// The function that shares loops when they are noted; null without a pool.
  NNHalParallelFor share = nullptr;
  void *shareContext = nullptr;
  /// The loops of the operation that runs. They are reported after it, so that
  /// its time has nothing of that.
  std::vector<Loop> loops;
};
} // namespace

void LoopSharing::begin(WorkPool *given, NNHalExecutionContext &context) {
  pool = given && given->threads() > 1 ? given : nullptr;
  context.parallelFor = nullptr;
  context.parallelForContext = nullptr;
  if (!pool)
    return;
  if (!choice) {
    context.parallelFor = shareFirst;
    context.parallelForContext = this;
    return;
  }
  if (choice->sharesNext()) {
    context.parallelFor = WorkPool::parallelFor;
    context.parallelForContext = pool;
  }
  if (choice->timesNext())
    beginTime = now();
}

void LoopSharing::end(bool isWhole) {
  if (!pool || !isWhole)
    return;
  if (choice)
    choice->ended(choice->timesNext() ? now() - beginTime : 0);
  else if (hasLoops.load(std::memory_order_relaxed))
    choice.emplace(pool->threads());
}

void RunServices::noteLoop(void *self, NNHalParallelBody body,
                           void *bodyContext, int64_t count, int64_t grain) {
  // Only a loop of the model with very many rounds has so many in an operation.
  constexpr size_t mostKept = 4096;
  auto &run = *static_cast<RunServices *>(self);
  Loop loop = {count, grain, run.invocation.operations->now(), 0};
  if (run.share)
    run.share(run.shareContext, body, bodyContext, count, grain);
  else
    body(bodyContext, 0, count);
  loop.end = run.invocation.operations->now();
  if (run.loops.size() < mostKept)
    run.loops.push_back(loop);
}

void RunServices::reportLoops() {
  for (const Loop &loop : loops)
    invocation.services->tracer->addSection(
        {TraceLayer::cpu, TracePhase::computation},
        fmt::format("shared: {} rounds, at least {}", loop.rounds,
                    loop.leastRounds),
        loop.begin, loop.end);
  loops.clear();
}

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
  // The buffer is never empty, because a null pointer is that of an omitted
  // input.
  auto buffer = BudgetedBuffer::allocate(std::max<uint64_t>(bytes, 1),
                                         invocation.services->memory.get());
  if (!buffer.isOk())
    return refuse(FailureReason::outOfMemory, int64_t(bytes), 0);
  workspace.allocations.push_back(*std::move(buffer));
  return workspace.allocations.back().bytes.data();
}

Result<std::unique_ptr<Workspace>> HostCodeModel::createWorkspace(
    const std::shared_ptr<MemoryBudget> &budget) const {
  auto workspace = std::make_unique<HostWorkspace>();
  NNHAL_ASSIGN_OR_RETURN(workspace->arena, BudgetedBuffer::allocateResident(
                                               arenaSize(), budget.get()));
  workspace->inputs.resize(interface().inputs.size());
  workspace->outputs.resize(interface().outputs.size());
  NNHalExecutionContext &context = workspace->context;
  context.structSize = sizeof(context);
  context.version = NNHAL_ENTRY_ABI_VERSION;
  context.inputs = workspace->inputs.data();
  context.outputs = workspace->outputs.data();
  context.inputCount = uint32_t(workspace->inputs.size());
  context.outputCount = uint32_t(workspace->outputs.size());
  context.arena = workspace->arena.bytes.data();
  context.arenaSize = workspace->arena.bytes.size();
  return std::unique_ptr<Workspace>(std::move(workspace));
}

/// Fills in what differs between executions.
static NNHalExecutionContext &contextFor(const Invocation &invocation,
                                         HostWorkspace &workspace) {
  NNHalExecutionContext &context = workspace.context;
  workspace.sharing.begin(invocation.services->workers.get(), context);
  // The code polls a plain integer; the timer writes it atomically.
  static_assert(sizeof(*invocation.cancelFlag) == sizeof(uint32_t) &&
                std::atomic<uint32_t>::is_always_lock_free);
  context.cancelFlag =
      reinterpret_cast<const volatile uint32_t *>(invocation.cancelFlag);
  context.deadline = invocation.deadline;
  context.loopTimeout = invocation.loopTimeout;
  context.traceHook = nullptr;
  context.failureReason = 0;
  return context;
}

static void pass(const InvocationArgument &from, NNHalTensorArgument &to) {
  to.data = from.data;
  to.size = from.size;
  to.shape = from.extents;
  to.rank = from.rank;
  to.isPresent = from.isPresent;
  to.isSufficient = from.isSufficient;
}

/// Whether the elements of \p argument are somewhere where code cannot look.
static bool isOutOfReach(const InvocationArgument &argument) {
  return !argument.data && argument.size > 0 && argument.isPresent;
}

/// Gives the code a copy of \p argument.
static Status copyIn(const InvocationArgument &argument, bool isInput,
                     Invocation &invocation, HostWorkspace &workspace,
                     NNHalTensorArgument &to) {
  NNHAL_ASSIGN_OR_RETURN(BudgetedBuffer copy,
                         BudgetedBuffer::allocate(
                             argument.size, invocation.services->memory.get()));
  to.data = copy.bytes.data();
  workspace.copies.push_back(std::move(copy));
  if (!isInput)
    return Status::ok();
  invocation.copiedBytes += argument.size;
  std::span<std::byte> bytes = workspace.copies.back().bytes.bytes();
  return argument.memory ? argument.memory->read(bytes)
                         : argument.pool->read(argument.offset, bytes);
}

/// Takes what the code has written to a copy of \p argument where it belongs.
static Status copyOut(const InvocationArgument &argument,
                      const NNHalTensorArgument &from, Invocation &invocation) {
  if (!argument.isSufficient)
    return Status::ok();
  std::span bytes(static_cast<const std::byte *>(from.data), from.size);
  invocation.copiedBytes += bytes.size();
  return argument.memory ? argument.memory->write(bytes)
                         : argument.pool->write(argument.offset, bytes);
}

/// Points the context's arguments at those of \p invocation. Whether all of
/// them are in the code's reach.
static bool passArguments(const Invocation &invocation,
                          HostWorkspace &workspace) {
  bool isReached = true;
  for (size_t i = 0; i < workspace.inputs.size(); ++i) {
    pass(invocation.inputs[i], workspace.inputs[i]);
    isReached &= !isOutOfReach(invocation.inputs[i]);
  }
  for (size_t i = 0; i < workspace.outputs.size(); ++i) {
    pass(invocation.outputs[i], workspace.outputs[i]);
    isReached &= !isOutOfReach(invocation.outputs[i]);
  }
  return isReached;
}

static Status copyAllIn(Invocation &invocation, HostWorkspace &workspace) {
  for (size_t i = 0; i < workspace.inputs.size(); ++i)
    if (isOutOfReach(invocation.inputs[i]))
      NNHAL_RETURN_IF_ERROR(copyIn(invocation.inputs[i], /*isInput=*/true,
                                   invocation, workspace, workspace.inputs[i]));
  for (size_t i = 0; i < workspace.outputs.size(); ++i)
    if (isOutOfReach(invocation.outputs[i]))
      NNHAL_RETURN_IF_ERROR(copyIn(invocation.outputs[i], /*isInput=*/false,
                                   invocation, workspace,
                                   workspace.outputs[i]));
  return Status::ok();
}

static Status copyAllOut(Invocation &invocation,
                         const HostWorkspace &workspace) {
  for (size_t i = 0; i < workspace.outputs.size(); ++i)
    if (isOutOfReach(invocation.outputs[i]))
      NNHAL_RETURN_IF_ERROR(
          copyOut(invocation.outputs[i], workspace.outputs[i], invocation));
  return Status::ok();
}

/// Calls \p model once, with arguments that it reaches.
static Status callOnce(const HostCodeModel &model, Invocation &invocation,
                       HostWorkspace &workspace) {
  NNHalExecutionContext &context = contextFor(invocation, workspace);
  RunServices services(workspace, invocation, context);
  Status status = model.call(context);
  workspace.sharing.end(status.isOk());
  for (size_t i = 0; i < workspace.outputs.size(); ++i) {
    invocation.outputs[i].rank = workspace.outputs[i].rank;
    invocation.outputs[i].isSufficient = workspace.outputs[i].isSufficient != 0;
  }
  return status;
}

Status HostCodeModel::run(Invocation &invocation) const {
  auto &workspace = static_cast<HostWorkspace &>(*invocation.workspace);
  if (passArguments(invocation, workspace))
    return callOnce(*this, invocation, workspace);
  Status status = copyAllIn(invocation, workspace);
  if (status.isOk())
    status = callOnce(*this, invocation, workspace);
  if (status.isOk())
    status = copyAllOut(invocation, workspace);
  workspace.copies.clear();
  return status;
}
