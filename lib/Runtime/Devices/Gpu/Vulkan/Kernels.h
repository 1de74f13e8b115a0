//===- Kernels.h - The kernels of a program, compiled -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_KERNELS_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_KERNELS_H

#include "Engine.h"
#include "SpirvModule.h"

#include "Runtime/Artifact/GpuProgram.h"

#include <map>
#include <vector>

namespace nnhal::rt::vulkan {

/// Fails with invalidArgument, which names the bound, where a kernel or command
/// of \p program exceeds \p limits.
Status checkLimits(const GpuProgram &program, const Limits &limits);

/// Fails with invalidArgument, which names the bound, where what \p kernel
/// \p needs exceeds \p limits.
Status checkNeeds(const GpuKernel &kernel, const KernelNeeds &needs,
                  const Limits &limits);

/// A pipeline for each kernel of a program.
///
/// Ownership: move-only.
/// Threads:   const members may be called from any thread.
class Kernels {
public:
  /// Checks the module of \p program and gives it to the driver. Fails like
  /// checkSpirv() and Engine::check(), and with invalidArgument where a kernel
  /// exceeds a limit of the device. The driver looks into \p cache, which may
  /// be null, and keeps there what it compiles.
  static Result<Kernels> create(const EngineRef &engine,
                                const GpuProgram &program,
                                VkPipelineCache cache = VK_NULL_HANDLE);

  VkPipeline pipeline(uint32_t kernel) const { return pipelines[kernel].get(); }
  VkPipelineLayout layout(uint32_t kernel) const {
    return layouts.at(bindingCounts[kernel]).pipeline.get();
  }
  VkDescriptorSetLayout setLayout(uint32_t kernel) const {
    return layouts.at(bindingCounts[kernel]).set.get();
  }

private:
  struct Layout {
    Owned<VkDescriptorSetLayout, &Functions::DestroyDescriptorSetLayout> set;
    Owned<VkPipelineLayout, &Functions::DestroyPipelineLayout> pipeline;
  };

  Status addLayout(const EngineRef &engine, uint32_t bindingCount);
  Status addPipeline(const EngineRef &engine, VkShaderModule module,
                     const GpuKernel &kernel, const KernelNeeds &needs,
                     VkPipelineCache cache);

  /// By the number of bindings.
  std::map<uint32_t, Layout> layouts;
  std::vector<uint32_t> bindingCounts;
  std::vector<Owned<VkPipeline, &Functions::DestroyPipeline>> pipelines;
};

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_KERNELS_H
