//===- GpuExecution.h - One execution of a program at a time ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_GPUEXECUTION_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_GPUEXECUTION_H

#include "Runtime/Artifact/GpuProgram.h"
#include "Runtime/GpuLoader/GpuDriver.h"
#include "nnhal/Backend/Backend.h"

#include <chrono>
#include <map>
#include <utility>
#include <vector>

namespace nnhal::rt {

/// The commands that a device executes between two decisions of the host.
struct GpuSegment {
  /// Where the segment begins: 0 for the first one of an execution.
  uint32_t first = 0;
  /// Numbers of commands, none of which is the host's.
  std::vector<uint32_t> commands;
  /// The operations of the successive commands, each run of equal ones once. A
  /// barrier belongs to no run.
  std::vector<uint32_t> runs;
  /// The branch, loop or repeat that the host goes on with, or the number of
  /// commands at the end of the program.
  uint32_t end = 0;
};

/// The segment of \p commands, those of a program, that begins with number
/// \p first.
GpuSegment segmentFrom(const std::vector<GpuCommand> &commands, uint32_t first);

/// Returns what \p recorded has of the segment of \p commands that begins with
/// number \p first; made, with its `table`, when it is asked for first. Where
/// that throws, \p recorded stays as it is.
template <typename Recorded>
Recorded &segmentIn(std::map<uint32_t, Recorded> &recorded,
                    const std::vector<GpuCommand> &commands, uint32_t first) {
  auto known = recorded.find(first);
  if (known == recorded.end()) {
    Recorded made;
    made.table = segmentFrom(commands, first);
    known = recorded.emplace(first, std::move(made)).first;
  }
  return known->second;
}

/// The commands of a program, recorded for the locations of its arguments.
class GpuRecording {
public:
  virtual ~GpuRecording() = default;

  /// Begins to execute the segment from command \p first on, and returns its
  /// end. A segment is recorded for its first submission. The last submission
  /// has finished.
  virtual Result<uint32_t> submit(uint32_t first) = 0;
  /// Returns whether the last submission has finished, after waiting for about
  /// \p limit.
  virtual Result<bool> wait(std::chrono::nanoseconds limit) = 0;
  /// A sync_file that signals when the last submission has finished; none where
  /// it has, or where the driver exports none.
  virtual UniqueFd exportSyncFile() { return {}; }
  /// Waits for the last submission as long as it takes. A lost device finishes
  /// nothing.
  virtual void finish() noexcept = 0;
  /// The nanoseconds of the last submission, which has finished, by the clock
  /// of the device; -1 where the driver does not tell.
  virtual int64_t elapsed() const = 0;
  /// Tells \p observer how long the operations of the last submission took,
  /// which has finished and was prepared for that. \p begin is when it was
  /// submitted, by the observer's clock.
  virtual void reportOperations(OperationObserver &observer,
                                int64_t begin) const = 0;

protected:
  GpuRecording() = default;
  GpuRecording(GpuRecording &&) = default;
  GpuRecording &operator=(GpuRecording &&) = default;
};

/// The arena, the arguments and the commands of one execution at a time.
///
/// Ownership: whoever derives from it waits in its destructor for what the
///            device still executes.
class GpuExecution : public Workspace {
public:
  /// Executes \p invocation, whose outputs suffice. Fails with
  /// missedDeadlineTransient when it is cancelled before it has finished.
  Status run(Invocation &invocation);

  /// See GpuCode, whose hasSyncFiles() has said so.
  Result<GpuLaunch> launch(Invocation &invocation);
  Status conclude(Invocation &invocation);

protected:
  /// \p table: the commands of the program, which whoever derives from it
  /// keeps.
  explicit GpuExecution(const std::vector<GpuCommand> &table) : table(table) {}

  /// Places the arguments of \p invocation, with isStaged for each output, and
  /// records the commands; those of each operation timed where \p isTimed says
  /// so. Nothing is in flight.
  virtual Status prepare(Invocation &invocation, bool isTimed) = 0;
  virtual GpuRecording &commands() = 0;
  /// The status words that the program begins with, gpuStatusSizeFor() bytes.
  virtual std::span<std::byte> firstStatus() = 0;
  /// The status words after an execution, gpuStatusSize bytes.
  virtual std::span<const std::byte> lastStatus() const = 0;
  /// The bytes of output \p index, which is staged.
  virtual std::span<const std::byte> stagedOutput(size_t index) const = 0;

  /// The outputs of this execution that are not where the client wants them.
  std::vector<bool> isStaged;
  bool isInFlight = false;

private:
  Status drain(const Invocation &invocation);
  Status begin(Invocation &invocation);
  Result<uint32_t> runSegment(Invocation &invocation, uint32_t first);
  Status finish(Invocation &invocation, int64_t submitted);
  Result<uint32_t> decide(const Invocation &invocation, uint32_t index);
  Status copyOutputs(Invocation &invocation) const;

  const std::vector<GpuCommand> &table;
  /// When loops began, by the clock of the services and the number of the
  /// command.
  std::map<uint32_t, int64_t> loopBegins;
  bool isLaunched = false;
  /// When that was, by the clock of Invocation::operations.
  int64_t launchTime = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_GPUEXECUTION_H
