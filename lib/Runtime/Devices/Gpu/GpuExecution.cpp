//===- GpuExecution.cpp - One execution of a program at a time ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuExecution.h"

#include "Runtime/Artifact/FailureReasons.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/DeviceMemory.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace nnhal::rt;

/// How long an execution waits before it asks again whether it is cancelled.
static constexpr std::chrono::milliseconds waitSlice(2);

//===----------------------------------------------------------------------===//
// Status words
//===----------------------------------------------------------------------===//

/// Writes to \p words the status that a program begins with: no check has
/// failed, and which inputs \p invocation has.
static void writeFirstStatus(const Invocation &invocation,
                             std::span<std::byte> words) {
  std::memset(words.data(), 0, words.size());
  for (size_t i = 0; i < invocation.inputs.size(); ++i) {
    auto isPresent = uint32_t(invocation.inputs[i].isPresent);
    std::memcpy(&words[gpuStatusSize + i * sizeof(isPresent)], &isPresent,
                sizeof(isPresent));
  }
}

/// Success, or the failure of a check that \p bytes, the status words after an
/// execution, tell of.
static Status statusOf(std::span<const std::byte> bytes) {
  std::array<uint32_t, gpuStatusSize / sizeof(uint32_t)> words;
  std::memcpy(words.data(), bytes.data(), sizeof(words));
  auto [count, reason, operation, unused, foundLow, foundHigh, boundLow,
        boundHigh] = words;
  if (count == 0)
    return Status::ok();
  auto join = [](uint32_t low, uint32_t high) {
    return int64_t(uint64_t(high) << 32 | low);
  };
  Status failed = toStatus(FailureReason(reason), join(foundLow, foundHigh),
                           join(boundLow, boundHigh));
  if (failed.isOk())
    return failure("{} checks of the GPU failed for no reason", count);
  if (operation == UINT32_MAX)
    return failed;
  return std::move(failed).withContext(fmt::format("operation {}", operation));
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Status nnhal::rt::readInput(const InvocationArgument &argument,
                            std::span<std::byte> bytes) {
  if (argument.data) {
    std::memcpy(bytes.data(), argument.data, bytes.size());
    return Status::ok();
  }
  return argument.memory ? argument.memory->read(bytes)
                         : argument.pool->read(argument.offset, bytes);
}

/// Copies an output from memory of the host to wherever the client wants it.
static Status writeOutput(const InvocationArgument &argument,
                          std::span<const std::byte> bytes) {
  if (argument.data) {
    std::memcpy(argument.data, bytes.data(), bytes.size());
    return Status::ok();
  }
  return argument.memory ? argument.memory->write(bytes)
                         : argument.pool->write(argument.offset, bytes);
}

std::vector<uint32_t>
nnhal::rt::runsOf(const std::vector<GpuCommand> &commands) {
  std::vector<uint32_t> runs;
  for (const GpuCommand &command : commands)
    if (command.kind != GpuCommandKind::barrier &&
        (runs.empty() || runs.back() != command.operation))
      runs.push_back(command.operation);
  return runs;
}

//===----------------------------------------------------------------------===//
// Executions
//===----------------------------------------------------------------------===//

static Status cancelled() { return toStatus(FailureReason::cancelled, 0, 0); }

/// Waits for the last submission, unless \p invocation is cancelled before.
Status GpuExecution::drain(const Invocation &invocation) {
  while (isInFlight) {
    auto finished = commands().wait(waitSlice);
    // A lost device finishes nothing.
    isInFlight = finished.isOk()
                     ? !*finished
                     : finished.status().code() != StatusCode::deadObject;
    NNHAL_RETURN_IF_ERROR(finished.status());
    if (isInFlight && invocation.isCancelled())
      return cancelled();
  }
  return Status::ok();
}

Status GpuExecution::run(Invocation &invocation) {
  if (invocation.isCancelled())
    return cancelled();
  NNHAL_RETURN_IF_ERROR(drain(invocation));
  OperationObserver *observer = invocation.operations;
  NNHAL_RETURN_IF_ERROR(prepare(invocation, observer != nullptr));
  writeFirstStatus(invocation, firstStatus());
  if (invocation.isCancelled())
    return cancelled();
  submitted = observer ? observer->now() : 0;
  NNHAL_RETURN_IF_ERROR(commands().submit());
  isInFlight = true;
  return finish(invocation);
}

Status GpuExecution::finish(Invocation &invocation) {
  Status status = drain(invocation);
  // Nobody writes to the client's memory after the end of an execution.
  if (isInFlight && std::ranges::find(isStaged, false) != isStaged.end()) {
    commands().finish();
    isInFlight = false;
  }
  NNHAL_RETURN_IF_ERROR(status);
  invocation.timeOnDevice = commands().elapsed();
  if (invocation.operations)
    commands().reportOperations(*invocation.operations, submitted);
  NNHAL_RETURN_IF_ERROR(statusOf(lastStatus()));
  return copyOutputs(invocation);
}

Status GpuExecution::copyOutputs(Invocation &invocation) const {
  for (size_t i = 0; i < isStaged.size(); ++i) {
    if (!isStaged[i])
      continue;
    std::span<const std::byte> bytes = stagedOutput(i);
    invocation.copiedBytes += bytes.size();
    NNHAL_RETURN_IF_ERROR(writeOutput(invocation.outputs[i], bytes));
  }
  return Status::ok();
}
