//===- Execution.h - One execution of a program at a time -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_EXECUTION_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_EXECUTION_H

#include "Recording.h"

#include "Runtime/Devices/Gpu/GpuExecution.h"
#include "nnhal/Backend/DeviceMemory.h"

#include <optional>

namespace nnhal::rt::cuda {

/// Memory of the device behind a buffer of the HAL, which executions use where
/// it is.
class CudaMemory final : public DeviceMemory {
public:
  CudaMemory(EngineRef engine, std::shared_ptr<MemoryBudget> budget)
      : engine(std::move(engine)), budget(std::move(budget)) {}

  Status resize(std::span<const uint32_t> dimensions, uint64_t size) override;
  Status read(std::span<std::byte> target) const override;
  Status write(std::span<const std::byte> source) override;

  /// Commands that are recorded for the buffer keep it; null before the first
  /// resize().
  std::shared_ptr<const DeviceBuffer> buffer() const { return bytes; }

private:
  const EngineRef engine;
  std::shared_ptr<MemoryBudget> budget;
  std::shared_ptr<DeviceBuffer> bytes;
};

/// The arena, the arguments and the graph of one execution at a time.
/// Arguments are copied by way of pinned memory, unless they are buffers of the
/// device.
///
/// Ownership: waits, when it goes, for what the device still executes.
class Execution final : public GpuExecution {
public:
  static Result<std::unique_ptr<Workspace>>
  create(const std::shared_ptr<const LoadedProgram> &program,
         std::shared_ptr<MemoryBudget> budget);
  ~Execution() override;

private:
  /// An argument on its way.
  struct Staged {
    DeviceBuffer device;
    PinnedBuffer host;
  };

  Execution(std::shared_ptr<const LoadedProgram> program, Recording recording,
            std::shared_ptr<MemoryBudget> budget)
      : GpuExecution(program->program.commands), budget(std::move(budget)),
        program(std::move(program)), recording(std::move(recording)) {}

  Status prepare(Invocation &invocation, bool isTimed) override;
  GpuRecording &commands() override { return recording; }
  std::span<std::byte> firstStatus() override;
  std::span<const std::byte> lastStatus() const override;
  std::span<const std::byte> stagedOutput(size_t index) const override;
  Status placeArguments(Invocation &invocation, Locations &locations);
  Result<Location> placeInput(Invocation &invocation, size_t index);
  /// Zeroes, which stand for an input that is omitted.
  Result<Location> placeOmitted();
  /// Nothing where the argument is no buffer of the device.
  std::optional<Location> tryBuffer(const InvocationArgument &argument);
  Result<Location> stage(Staged &staged, uint64_t size);

  // The buffers below are counted against it.
  std::shared_ptr<MemoryBudget> budget;
  std::shared_ptr<const LoadedProgram> program;
  DeviceBuffer arena;
  DeviceBuffer status;
  /// Made for the first execution that omits an input.
  DeviceBuffer zeroes;
  /// The status before and after an execution.
  PinnedBuffer statusWords;
  std::vector<Staged> inputs;
  std::vector<Staged> outputs;
  /// The buffers of the device that the recorded commands refer to.
  std::vector<std::shared_ptr<const DeviceBuffer>> buffers;
  /// The buffers of the device that the execution that begins refers to.
  std::vector<std::shared_ptr<const DeviceBuffer>> newBuffers;
  Recording recording;
};

} // namespace nnhal::rt::cuda

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_EXECUTION_H
