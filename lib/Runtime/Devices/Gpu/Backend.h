//===- Backend.h - The engine behind nnhal-vulkan ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_BACKEND_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_BACKEND_H

#include "Vulkan/Engine.h"

#include "Runtime/GpuLoader/GpuBackendOptions.h"
#include "nnhal/Backend/Backend.h"

#include <memory>

namespace nnhal::rt {

/// Makes the backend of the device "nnhal-vulkan", which executes on \p engine.
std::unique_ptr<Backend> createVulkanBackend(vulkan::EngineRef engine,
                                             GpuBackendOptions options);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_BACKEND_H
