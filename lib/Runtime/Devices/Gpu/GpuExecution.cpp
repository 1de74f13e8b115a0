//===- GpuExecution.cpp - One execution of a program at a time ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuExecution.h"

#include "Runtime/Artifact/FailureReasons.h"
#include "Runtime/GpuLoader/ArgumentBytes.h"
#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

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

/// The failure \p status, of operation \p operation unless that is UINT32_MAX.
static Status ofOperation(Status status, uint32_t operation) {
  if (operation == UINT32_MAX)
    return status;
  return std::move(status).withContext(fmt::format("operation {}", operation));
}

/// Success, or the failure of a check that \p bytes, the status words after an
/// execution, tell of.
static Status statusOf(std::span<const std::byte> bytes) {
  std::array<uint32_t, gpuStatusSize / sizeof(uint32_t)> words;
  std::memcpy(words.data(), bytes.data(), sizeof(words));
  auto [count, reason, operation, condition, foundLow, foundHigh, boundLow,
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
  return ofOperation(std::move(failed), operation);
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

GpuSegment nnhal::rt::segmentFrom(const std::vector<GpuCommand> &commands,
                                  uint32_t first) {
  GpuSegment segment;
  segment.first = first;
  uint32_t next = first;
  // Jumps lead forward alone.
  while (next < commands.size()) {
    const GpuCommand &command = commands[next];
    if (command.kind == GpuCommandKind::jump) {
      next = command.target;
      continue;
    }
    if (isControl(command.kind))
      break;
    segment.commands.push_back(next++);
    if (command.kind != GpuCommandKind::barrier &&
        (segment.runs.empty() || segment.runs.back() != command.operation))
      segment.runs.push_back(command.operation);
  }
  segment.end = next;
  return segment;
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

/// Places the arguments of \p invocation.
Status GpuExecution::begin(Invocation &invocation) {
  if (invocation.isCancelled())
    return cancelled();
  NNHAL_RETURN_IF_ERROR(drain(invocation));
  NNHAL_RETURN_IF_ERROR(prepare(invocation, invocation.operations != nullptr));
  writeFirstStatus(invocation, firstStatus());
  loopBegins.clear();
  invocation.timeOnDevice = 0;
  return Status::ok();
}

Result<GpuLaunch> GpuExecution::launch(Invocation &invocation) {
  NNHAL_RETURN_IF_ERROR(begin(invocation));
  launchTime = invocation.operations ? invocation.operations->now() : 0;
  NNHAL_RETURN_IF_ERROR(commands().submit(0).status());
  isInFlight = isLaunched = true;
  GpuLaunch launched;
  try {
    launched.syncFile = commands().exportSyncFile();
  } catch (const std::bad_alloc &) {
    // The execution is under way, and has to be ended as one without it.
    launched.syncFile = {};
  }
  launched.isWhole = std::ranges::count(isStaged, true) == 0;
  return launched;
}

Status GpuExecution::conclude(Invocation &invocation) {
  // Outputs that do not suffice need no commands.
  if (!std::exchange(isLaunched, false))
    return Status::ok();
  NNHAL_RETURN_IF_ERROR(finish(invocation, launchTime));
  return copyOutputs(invocation);
}

Status GpuExecution::run(Invocation &invocation) {
  NNHAL_RETURN_IF_ERROR(begin(invocation));
  // Outputs come from the segment that ends the program, even an empty one.
  NNHAL_ASSIGN_OR_RETURN(uint32_t end, runSegment(invocation, 0));
  while (end < table.size()) {
    NNHAL_ASSIGN_OR_RETURN(uint32_t next, decide(invocation, end));
    NNHAL_ASSIGN_OR_RETURN(end, runSegment(invocation, next));
  }
  return copyOutputs(invocation);
}

/// Executes the segment from command \p first on, and returns its end.
Result<uint32_t> GpuExecution::runSegment(Invocation &invocation,
                                          uint32_t first) {
  if (invocation.isCancelled())
    return cancelled();
  OperationObserver *observer = invocation.operations;
  int64_t submitted = observer ? observer->now() : 0;
  NNHAL_ASSIGN_OR_RETURN(uint32_t end, commands().submit(first));
  isInFlight = true;
  NNHAL_RETURN_IF_ERROR(finish(invocation, submitted));
  return end;
}

/// Waits for the segment that was submitted at the time \p submitted, by the
/// clock of Invocation::operations.
Status GpuExecution::finish(Invocation &invocation, int64_t submitted) {
  Status status = drain(invocation);
  // Nobody writes to the client's memory after the end of an execution.
  if (isInFlight && std::ranges::find(isStaged, false) != isStaged.end()) {
    commands().finish();
    isInFlight = false;
  }
  NNHAL_RETURN_IF_ERROR(status);
  int64_t elapsed = commands().elapsed();
  if (elapsed < 0 || invocation.timeOnDevice < 0)
    invocation.timeOnDevice = -1;
  else
    invocation.timeOnDevice += elapsed;
  if (invocation.operations)
    commands().reportOperations(*invocation.operations, submitted);
  return statusOf(lastStatus());
}

/// The command that follows \p index, a branch, loop or repeat; all before it
/// have been executed.
Result<uint32_t> GpuExecution::decide(const Invocation &invocation,
                                      uint32_t index) {
  const GpuCommand &command = table[index];
  int64_t now = invocation.services->clock();
  if (command.kind == GpuCommandKind::loop) {
    loopBegins[index] = now;
    return command.target;
  }
  uint32_t condition = 0;
  std::memcpy(&condition, &lastStatus()[gpuConditionWord * sizeof(condition)],
              sizeof(condition));
  if (command.kind == GpuCommandKind::branch)
    return condition != 0 ? index + 1 : command.target;
  if (condition == 0)
    return index + 1;
  // A damaged program may get into a loop by another way than its beginning.
  int64_t begin = loopBegins.try_emplace(command.target - 1, now).first->second;
  auto elapsed = uint64_t(now - begin);
  if (elapsed < invocation.loopTimeout)
    return command.target;
  return ofOperation(toStatus(FailureReason::loopTimeout, int64_t(elapsed),
                              int64_t(invocation.loopTimeout)),
                     command.operation);
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
