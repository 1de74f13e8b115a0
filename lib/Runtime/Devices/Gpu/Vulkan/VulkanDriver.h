//===- VulkanDriver.h - GPUs by way of Vulkan -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_VULKANDRIVER_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_VULKANDRIVER_H

#include "Engine.h"

#include "Runtime/GpuLoader/GpuDriver.h"

namespace nnhal::rt::vulkan {

/// Makes the interface to Vulkan through which the device "nnhal-vulkan"
/// executes.
std::unique_ptr<GpuDriver> createDriver(EngineRef engine);

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_VULKANDRIVER_H
