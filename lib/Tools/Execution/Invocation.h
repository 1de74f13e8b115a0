//===- Invocation.h - One request, executed again and again -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_EXECUTION_INVOCATION_H
#define NNHAL_LIB_TOOLS_EXECUTION_INVOCATION_H

#include "ArgumentPlaces.h"
#include "Modes.h"

#include "nnhal/Runtime/AlignedBuffer.h"
#include "nnhal/Runtime/Trace.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace nnhal::tools {

/// An argument of an execution: views that live as long as the call of the
/// observer.
struct ObservedTensor {
  std::span<const uint32_t> dimensions;
  std::span<const std::byte> bytes;
};

/// One execution, warm-up included.
struct ObservedExecution {
  ExecutionMode mode = ExecutionMode::sync;
  rt::Status status;
  uint64_t nanoseconds = 0;
  uint64_t loopTimeout = rt::defaultLoopTimeout;
  std::vector<ObservedTensor> inputs;
  /// Empty where the execution failed.
  std::vector<ObservedTensor> outputs;
};

/// The number and the kind of the executions of a model.
struct RunRequest {
  /// Executions that are not measured, before the others.
  uint64_t warmup = 0;
  uint64_t repeat = 1;
  /// Run once per frame; each state output becomes the input of the next.
  bool frames = false;
  /// Nanoseconds of one WHILE.
  uint64_t loopTimeout = rt::defaultLoopTimeout;
  /// Fill Executed::operationTimes.
  bool measureOperations = false;
  /// Nanoseconds in which each execution has to end; no bound without it.
  std::optional<uint64_t> timeLimit;
  /// A fenced execution waits for a fence that signals after so many
  /// nanoseconds; for none without it.
  std::optional<uint64_t> fenceAfter;
  rt::BurstOptions burst;
  ArgumentPlace place = ArgumentPlace::process;
  /// Sees each execution after its end; may be empty.
  std::function<void(const ObservedExecution &)> observer = {};
};

/// One execution in microseconds.
struct Duration {
  double total = 0.0;
  rt::Timing timing;
};

/// One request of a prepared model with the memory of its outputs. The inputs
/// change from execution to execution, a burst and the memory stay.
///
/// Threads: one at a time.
class Invocation {
public:
  /// Executes \p model, which \p device has prepared, in \p mode. \p asked,
  /// which has to live longer, says how; its numbers of executions are not
  /// looked at.
  Invocation(const RunRequest &asked, ExecutionMode mode,
             const rt::Device &device, const rt::PreparedModelRef &model,
             rt::Tracer *tracer = nullptr);

  /// Makes room for the outputs. \p inputShapes has the shape of every input.
  /// Fails with what the system or the device reports.
  rt::Status prepare(std::span<const std::vector<uint32_t>> inputShapes);

  /// Input \p index of the next executions. \p bytes have to stay where they
  /// are until then.
  rt::Status bindInput(size_t index, std::span<const std::byte> bytes);

  /// Executes once and waits for the end; once more, in larger outputs, where
  /// these were too small. Fails with what the execution reports.
  rt::Result<Duration> execute();

  /// What the last execution has reported.
  const rt::ExecutionResult &result() const { return reported; }
  /// A view of output \p index of the last execution.
  rt::Result<std::span<const std::byte>> output(size_t index) const;
  /// The whole buffer of output \p index.
  const rt::AlignedBuffer &outputBuffer(size_t index) const {
    return outputs[index];
  }
  std::vector<rt::AlignedBuffer> takeOutputs() && { return std::move(outputs); }

private:
  rt::Status allocateOutput(size_t index, uint64_t size,
                            std::span<const uint32_t> dimensions);
  rt::Status executeNow();
  rt::Status fetchOutputs();
  rt::Status growOutputs();
  rt::Status observe(const rt::Status &status, uint64_t nanoseconds) const;

  const RunRequest &asked;
  ExecutionMode mode;
  rt::PreparedModelRef model;
  Executions executions;
  rt::Tracer *tracer;
  rt::Request request;
  rt::ExecutionResult reported;
  /// The memory of the arguments, if that is not in `outputs` and the caller's.
  std::optional<ArgumentPlaces> places;
  std::vector<rt::AlignedBuffer> outputs;
  /// The bytes of the inputs, wherever they lie.
  std::vector<std::span<const std::byte>> bound;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_INVOCATION_H
