//===- Run.h - One execution of the steps of a plan -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_RUN_H
#define NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_RUN_H

#include "Fallback.h"
#include "Layout.h"

#include "nnhal/Runtime/SharedMemory.h"

namespace nnhal::rt::partition {

/// An execute step of a prepared plan; empty for steps of other kinds.
struct PreparedStep {
  const Device *device = nullptr;
  PreparedModelRef model;
  /// Whether the device is in another process, which shares memory by
  /// descriptors.
  bool isRemote = false;
};

/// The unchanging parts of a compound plan that its executions share.
struct Compound {
  PartitionPlan plan;
  Layout layout;
  /// One per step of the plan.
  std::vector<PreparedStep> steps;
  Interface interface;
  /// By input: whether an operation of any graph cannot do without it.
  std::vector<bool> needed;
  std::function<int64_t()> clock;
  std::function<std::shared_ptr<Buffer>(const Device &, uint32_t)> findBuffer;
};

/// The memory of one execution at a time, and its requests: kept for the next
/// one, so that executions in a row allocate nothing (I-055, I-057).
class Run {
public:
  /// Allocates. Fails with resourceExhaustedTransient (I-059).
  static Result<std::unique_ptr<Run>> create(const Compound &compound);

  /// The bytes of a temporary.
  std::span<std::byte> bytes(const Place &place) const {
    return {base + place.offset, place.size};
  }
  /// A region for a device, which may be in another process.
  Memory input(const Place &place, bool isRemote) const;
  OutputMemory output(const Place &place, bool isRemote) const;

  struct LoopState {
    int64_t begin = 0;
    uint64_t iterations = 0;
    /// Whether the condition has been computed for the present values.
    bool isDecided = false;
  };

  /// One per step and per loop of the plan.
  std::vector<Request> requests;
  std::vector<ExecutionResult> results;
  std::vector<LoopState> loops;

  /// Lets go of the memory of the last request.
  void release(const Compound &compound);

private:
  Status allocate(const Compound &compound);

  AlignedBuffer local;
  std::shared_ptr<SharedMemory> shared;
  std::byte *base = nullptr;
};

/// Executes the model of a step: at the device, or over a burst.
class StepExecutor {
public:
  virtual ~StepExecutor() = default;
  virtual Status execute(uint32_t step, const Request &request,
                         ExecutionResult &result) = 0;
};

/// Moves one request through the steps of a plan.
///
/// Threads: one. The arguments of the constructor live longer.
class Execution {
public:
  Execution(const Compound &compound, Run &run, Fallback &fallback,
            StepExecutor &executor, const Request &request,
            ExecutionResult &result)
      : compound(compound), run(run), fallback(fallback), executor(executor),
        request(request), result(result) {}

  /// Fails with what the execution ends with, or with what it can only be
  /// helped out of by executing the whole model elsewhere: then needsWhole().
  Status start();
  bool needsWhole() const { return isBroken; }

private:
  void initShapes();
  Status executeStep(uint32_t number);
  Status repeatStep(uint32_t number, const Status &cause);
  Status finishStep(uint32_t number, Status status);
  void takeTimes(uint32_t number);
  void bind(uint32_t number);
  InputArgument inputArgument(const Place &place, bool isRemote) const;
  OutputArgument outputArgument(const Place &place, bool isRemote) const;
  Place resolve(Place place) const;
  Status followSteps();
  Result<uint32_t> followLoop(uint32_t number, bool isReturn);
  Status leaveLoop(const LoopLayout &loop);
  Result<bool> readCondition(const Place &place) const;
  Result<Memory> valueOf(const Place &place) const;
  Status copy(const Place &from, const Place &to);
  Status copyToOutput(std::span<const std::byte> bytes, uint32_t output);
  Status broken(Status cause);

  const Compound &compound;
  Run &run;
  Fallback &fallback;
  StepExecutor &executor;
  const Request &request;
  ExecutionResult &result;
  bool isBroken = false;
};

/// Whether the argument at \p place is the same in every execution.
bool isFixed(const Place &place);

} // namespace nnhal::rt::partition

#endif // NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_RUN_H
