//===- Recording.h - The commands of a program, recorded --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_RECORDING_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_RECORDING_H

#include "GpuBuffer.h"
#include "Kernels.h"

#include "Runtime/Devices/Gpu/GpuExecution.h"
#include "nnhal/Backend/Invocation.h"

#include <memory>
#include <vector>

namespace nnhal::rt::vulkan {

/// A program that the device can execute, with its constants.
struct LoadedProgram {
  EngineRef engine;
  /// Without its module.
  GpuProgram program;
  Kernels kernels;
  GpuBuffer constants;
  uint64_t arenaSize = 0;
  size_t inputCount = 0;
  /// Bytes of each output.
  std::vector<uint64_t> outputSizes;
  /// Bytes of the largest input that kernels read and a request may omit.
  uint64_t omittedSize = 0;
};

/// Bytes of a buffer from an offset on.
struct Location {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  bool operator==(const Location &) const = default;
};

/// Where the spaces of a program are in an execution.
struct Locations {
  std::vector<Location> inputs;
  std::vector<Location> outputs;
  Location arena;
  Location status;
  bool operator==(const Locations &) const = default;
};

/// A command buffer with all commands of a program, which is submitted as often
/// as its locations stay the same, and the fence of the last submission.
///
/// Ownership: move-only; the program is shared. Nothing that it executes may be
///            destroyed before it has finished.
class Recording final : public GpuRecording {
public:
  static Result<Recording> create(std::shared_ptr<const LoadedProgram> program);

  /// Records the commands for \p locations, unless they are recorded already;
  /// \p timesOperations: with timestamps around those of each operation, where
  /// the device has any. The last submission has finished.
  Status prepare(const Locations &locations, bool timesOperations = false);
  Status submit() override;
  Result<bool> wait(std::chrono::nanoseconds limit) override;
  void finish() noexcept override;
  int64_t elapsed() const override;
  void reportOperations(OperationObserver &observer,
                        int64_t begin) const override;
  /// How often prepare() has recorded.
  uint64_t recordings() const { return recordCount; }

private:
  explicit Recording(std::shared_ptr<const LoadedProgram> loaded)
      : program(std::move(loaded)) {}

  Status createObjects();
  Status createSets();
  Result<Owned<VkQueryPool, &Functions::DestroyQueryPool>>
  createQueries(uint32_t count) const;
  Status record();
  void recordCommands() const;
  void recordCommand(const GpuCommand &command, VkDescriptorSet set) const;
  void recordDispatch(const GpuCommand &command, VkDescriptorSet set) const;
  VkDescriptorBufferInfo place(const GpuBinding &binding) const;

  std::shared_ptr<const LoadedProgram> program;
  Owned<VkCommandPool, &Functions::DestroyCommandPool> commandPool;
  Owned<VkDescriptorPool, &Functions::DestroyDescriptorPool> setPool;
  Owned<VkQueryPool, &Functions::DestroyQueryPool> timestamps;
  /// The first one is written before all commands, the others after each of
  /// `timedRuns`. Made when somebody asks for times.
  Owned<VkQueryPool, &Functions::DestroyQueryPool> operationStamps;
  /// The operations of successive commands, each run of equal ones once.
  std::vector<uint32_t> timedRuns;
  bool isTimed = false;
  Owned<VkFence, &Functions::DestroyFence> fence;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  /// One for each dispatch.
  std::vector<VkDescriptorSet> sets;
  Locations recorded;
  uint64_t recordCount = 0;
};

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_RECORDING_H
