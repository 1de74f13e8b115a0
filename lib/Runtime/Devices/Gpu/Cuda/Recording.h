//===- Recording.h - The commands of a program, recorded --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_RECORDING_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_RECORDING_H

#include "CudaBuffer.h"
#include "Kernels.h"

#include "Runtime/Devices/Gpu/GpuExecution.h"
#include "nnhal/Backend/Invocation.h"

#include <map>
#include <memory>
#include <vector>

namespace nnhal::rt::cuda {

/// A program that the device can execute, with its constants.
struct LoadedProgram {
  EngineRef engine;
  /// Without its module.
  GpuProgram program;
  Kernels kernels;
  DeviceBuffer constants;
  uint64_t arenaSize = 0;
  /// Bytes of each input and output.
  std::vector<uint64_t> inputSizes;
  std::vector<uint64_t> outputSizes;
  /// Bytes of the largest input that kernels read and a request may omit.
  uint64_t omittedSize = 0;

  uint64_t statusSize() const { return gpuStatusSizeFor(inputSizes.size()); }
};

/// Where the device has an argument, and what the host copies it from or to;
/// null where nothing is copied.
struct Location {
  CUdeviceptr address = 0;
  std::byte *staged = nullptr;
  bool operator==(const Location &) const = default;
};

/// Where the spaces of a program are in an execution.
struct Locations {
  std::vector<Location> inputs;
  std::vector<Location> outputs;
  CUdeviceptr arena = 0;
  CUdeviceptr status = 0;
  /// The status words of the host, before and after an execution.
  std::byte *firstStatus = nullptr;
  std::byte *lastStatus = nullptr;
  bool operator==(const Locations &) const = default;
};

/// Graphs with the segments of a program, the first of which copies the inputs
/// and the last the outputs. Each is captured for its first submission, and
/// launched as often as the locations stay the same.
///
/// Ownership: move-only; the program is shared. Nothing that it executes may be
///            destroyed before it has finished.
class Recording final : public GpuRecording {
public:
  static Result<Recording> create(std::shared_ptr<const LoadedProgram> program);

  /// Drops what is recorded for other locations than \p locations, and records
  /// the first segment unless it is recorded. With \p timesOperations commands
  /// are enqueued one by one instead when they are submitted, with events
  /// around those of each operation.
  Status prepare(const Locations &locations, bool timesOperations);
  Result<uint32_t> submit(uint32_t first) override;
  Result<bool> wait(std::chrono::nanoseconds limit) override;
  void finish() noexcept override;
  int64_t elapsed() const override;
  void reportOperations(OperationObserver &observer,
                        int64_t begin) const override;

private:
  using OwnedEvent = Owned<CUevent, &Functions::EventDestroy>;

  struct Segment {
    GpuSegment table;
    Owned<CUgraphExec, &Functions::GraphExecDestroy> graph;
    /// The first one is before all commands, the others after each run of
    /// `table`. Made when somebody asks for times.
    std::vector<OwnedEvent> events;
  };

  explicit Recording(std::shared_ptr<const LoadedProgram> loaded)
      : program(std::move(loaded)) {}

  Status createEvent(OwnedEvent &event) const;
  /// The segment from command \p first on, recorded or ready to be timed.
  Result<Segment *> segmentAt(uint32_t first);
  Status createEvents(Segment &segment) const;
  Status record(Segment &segment) const;
  Status enqueue(const Segment &segment) const;
  Status enqueueInputs() const;
  Status enqueueOutputs(bool isLast) const;
  Status enqueueCommands(const Segment &segment) const;
  Status enqueueCommand(const GpuCommand &command) const;
  CUdeviceptr place(const GpuBinding &binding) const;
  /// The nanoseconds between two events, which have passed.
  std::optional<int64_t> between(const OwnedEvent &first,
                                 const OwnedEvent &last) const;

  std::shared_ptr<const LoadedProgram> program;
  Owned<CUstream, &Functions::StreamDestroy> stream;
  OwnedEvent begin;
  OwnedEvent end;
  bool isTimed = false;
  /// By their first commands.
  std::map<uint32_t, Segment> segments;
  /// The one of the last submission.
  const Segment *submitted = nullptr;
  /// The locations that the commands of the graphs refer to.
  Locations recorded;
};

} // namespace nnhal::rt::cuda

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_RECORDING_H
