//===- VulkanDriver.cpp - GPUs by way of Vulkan ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VulkanDriver.h"

#include "GpuMemory.h"
#include "Model.h"

using namespace nnhal::rt;
using namespace nnhal::rt::vulkan;

namespace {
struct VulkanCache final : DriverCache {
  explicit VulkanCache(PipelineCache pipelines)
      : pipelines(std::move(pipelines)) {}

  std::vector<std::byte> data() const override { return pipelines.data(); }

  PipelineCache pipelines;
};

class VulkanDriver final : public GpuDriver {
public:
  explicit VulkanDriver(EngineRef engine) : engine(std::move(engine)) {}

  std::string_view deviceName() const override { return "nnhal-vulkan"; }
  std::string_view targetName() const override { return vulkanTargetName; }
  TargetKind targetKind() const override { return TargetKind::spirv; }
  std::string_view deviceClass() const override {
    return engine->deviceClass();
  }

  std::unique_ptr<DriverCache>
  createCache(std::span<const std::byte> kept) const override {
    return std::make_unique<VulkanCache>(PipelineCache::create(engine, kept));
  }

  Result<std::unique_ptr<GpuCode>> load(GpuArtifact code,
                                        DriverCache *cache) const override {
    const PipelineCache none;
    return VulkanModel::create(
        engine, std::move(code),
        cache ? static_cast<VulkanCache *>(cache)->pipelines : none);
  }

  std::unique_ptr<DeviceMemory>
  allocate(std::shared_ptr<MemoryBudget> budget) const override {
    return std::make_unique<GpuMemory>(engine, std::move(budget));
  }

private:
  const EngineRef engine;
};
} // namespace

std::unique_ptr<GpuDriver> vulkan::createDriver(EngineRef engine) {
  return std::make_unique<VulkanDriver>(std::move(engine));
}
