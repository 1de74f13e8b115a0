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

#include "Runtime/Devices/Gpu/GpuModel.h"

namespace nnhal::rt::vulkan {

/// An artifact whose kernels are compiled and whose constants are with the
/// device.
class VulkanModel final : public GpuModel {
public:
  /// See GpuDriver::load(). The driver looks into \p pipelines.
  static Result<std::unique_ptr<GpuCode>>
  create(const EngineRef &engine, GpuArtifact code,
         const PipelineCache &pipelines);

  Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &budget) const override;
  bool hasSyncFiles() const override { return program->hasSyncFiles; }

private:
  VulkanModel(GpuArtifact &code, std::shared_ptr<const LoadedProgram> loaded)
      : GpuModel(code), program(std::move(loaded)) {}

  std::shared_ptr<const LoadedProgram> program;
};

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_MODEL_H
