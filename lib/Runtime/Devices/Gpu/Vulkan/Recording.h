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

#include <map>
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
  /// Whether its ends are exported as sync_files.
  bool hasSyncFiles = false;
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

/// Command buffers with the segments of a program, each of which is recorded
/// for its first submission and submitted as often as the locations stay the
/// same, and the fence of the last submission.
///
/// Ownership: move-only; the program is shared. Nothing that it executes may be
///            destroyed before it has finished.
class Recording final : public GpuRecording {
public:
  static Result<Recording> create(std::shared_ptr<const LoadedProgram> program);

  /// Drops what is recorded for other locations than \p locations, and records
  /// the first segment unless it is recorded; \p timesOperations: with
  /// timestamps around the commands of each operation, where the device has
  /// any. The last submission has finished.
  Status prepare(const Locations &locations, bool timesOperations = false);
  Result<uint32_t> submit(uint32_t first) override;
  Result<bool> wait(std::chrono::nanoseconds limit) override;
  UniqueFd exportSyncFile() override;
  void finish() noexcept override;
  int64_t elapsed() const override;
  void reportOperations(OperationObserver &observer,
                        int64_t begin) const override;

private:
  using OwnedQueries = Owned<VkQueryPool, &Functions::DestroyQueryPool>;

  /// Where the commands of a segment are recorded.
  struct Segment {
    GpuSegment table;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    bool isRecorded = false;
    /// The first one is written before all commands, the others after each run
    /// of `table`. Made when somebody asks for times.
    OwnedQueries stamps;
  };

  explicit Recording(std::shared_ptr<const LoadedProgram> loaded)
      : program(std::move(loaded)) {}

  Status createObjects();
  Status createSets();
  /// A fence, to be exported as \p types.
  Result<VkFence> createFence(VkExternalFenceHandleTypeFlags types) const;
  Result<OwnedQueries> createQueries(uint32_t count) const;
  Status dropRecorded();
  void updateSets() const;
  /// The segment from command \p first on, recorded.
  Result<const Segment *> segmentAt(uint32_t first);
  Status createCommands(Segment &segment) const;
  Status record(Segment &segment) const;
  void recordCommands(const Segment &segment) const;
  void recordCommand(uint32_t number, VkCommandBuffer commands) const;
  void recordDispatch(uint32_t number, VkCommandBuffer commands) const;
  VkDescriptorBufferInfo place(const GpuBinding &binding) const;

  std::shared_ptr<const LoadedProgram> program;
  Owned<VkCommandPool, &Functions::DestroyCommandPool> commandPool;
  Owned<VkDescriptorPool, &Functions::DestroyDescriptorPool> setPool;
  OwnedQueries timestamps;
  bool isTimed = false;
  Owned<VkFence, &Functions::DestroyFence> fence;
  /// The one that sync_files are made of, which takes what `fence` waits for
  /// away from itself. Made for the first of them.
  Owned<VkFence, &Functions::DestroyFence> exported;
  /// One for each command; null for those that dispatch nothing.
  std::vector<VkDescriptorSet> sets;
  /// By their first commands.
  std::map<uint32_t, Segment> segments;
  /// The one of the last submission.
  const Segment *submitted = nullptr;
  Locations recorded;
};

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_RECORDING_H
