//===- Model.h - A model compiled for Vulkan --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_MODEL_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_MODEL_H

#include "PipelineCache.h"
#include "Recording.h"

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Backend/Backend.h"

namespace nnhal::rt::vulkan {

/// An artifact whose kernels are compiled and whose constants are with the
/// device.
class VulkanModel final : public LoadedModel {
public:
  /// See Device::prepareModelFromArtifact(). \p modelCacheSize is what
  /// \p artifact was read from. The driver looks into \p pipelines.
  static Result<std::unique_ptr<LoadedModel>>
  create(const EngineRef &engine, Artifact artifact, uint64_t modelCacheSize,
         const Memory &dataCache, const PipelineCache &pipelines);

  const Interface &interface() const override { return face; }
  MemoryUse memoryUse() const override;
  Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &budget) const override;
  Status run(Invocation &invocation) const override;

private:
  VulkanModel() = default;

  void findOmittable(const ArtifactEntry &entry, LoadedProgram &loaded);
  Status checkPresence(const Invocation &invocation) const;

  Interface face;
  std::shared_ptr<const LoadedProgram> program;
  /// Whether every request must give the input.
  std::vector<bool> isRequired;
  MemoryUse use;
};

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_MODEL_H
