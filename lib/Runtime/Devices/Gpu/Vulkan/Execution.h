//===- Execution.h - One execution of a program at a time -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_EXECUTION_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_EXECUTION_H

#include "Recording.h"

#include "Runtime/Devices/Gpu/GpuExecution.h"
#include "nnhal/Runtime/Interface.h"
#include "nnhal/Runtime/MemoryBudget.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <optional>

namespace nnhal::rt::vulkan {

/// Memory that the host and the device share, with its reservation.
struct CountedBuffer {
  GpuBuffer buffer;
  MemoryBudget::Reservation reservation;

  static Result<CountedBuffer> allocate(const EngineRef &engine, uint64_t size,
                                        Place place, MemoryBudget *budget);
};

/// The arena, the arguments and the commands of one execution at a time.
/// Arguments in pools that the driver imports are used where they are. Others
/// are copied. The pools of the last execution stay imported, and mapped, until
/// the next one.
///
/// Ownership: waits, when it goes, for what the device still executes.
class Execution final : public GpuExecution {
public:
  static Result<std::unique_ptr<Workspace>>
  create(const std::shared_ptr<const LoadedProgram> &program,
         std::shared_ptr<MemoryBudget> budget);
  ~Execution() override;

private:
  struct Import {
    std::shared_ptr<const SharedMemory> pool;
    GpuBuffer buffer;
    bool isUsed = false;
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
  Result<Location> placeOutput(const Invocation &invocation, size_t index);
  /// Nothing where the argument is no buffer of the device.
  std::optional<Location> tryBuffer(const InvocationArgument &argument);
  /// Nothing where the argument cannot be used where it is.
  std::optional<Location> tryImport(const InvocationArgument &argument);

  // The buffers below are counted against it.
  std::shared_ptr<MemoryBudget> budget;
  std::shared_ptr<const LoadedProgram> program;
  CountedBuffer arena;
  CountedBuffer status;
  /// Made for the first execution that omits an input.
  CountedBuffer zeroes;
  std::vector<CountedBuffer> inputs;
  std::vector<CountedBuffer> outputs;
  std::vector<Import> imports;
  /// The buffers of the device that the recorded commands refer to.
  std::vector<std::shared_ptr<const CountedBuffer>> buffers;
  /// The buffers of the device that the execution that begins refers to.
  std::vector<std::shared_ptr<const CountedBuffer>> newBuffers;
  Recording recording;
};

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_EXECUTION_H
