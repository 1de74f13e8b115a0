//===- Library.cpp - The entry of libNNHalGpu -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "Cuda/CudaDriver.h"
#include "Vulkan/VulkanDriver.h"

#include "Runtime/GpuLoader/GpuApi.h"
#include "nnhal/Backend/DevicePlugin.h"

#include <exception>

using namespace nnhal::rt;

/// The best way to execute on a GPU comes first.
static Result<Backends> makeBackends(const GpuBackendOptions &options) {
  auto cuda = cuda::Engine::open();
  auto vulkan = vulkan::Engine::open();
  if (!cuda.isOk() && !vulkan.isOk())
    return Status(StatusCode::deviceUnavailable,
                  cuda.status().message() + "; " + vulkan.status().message());
  Backends backends;
  if (cuda.isOk())
    backends.push_back(
        createGpuBackend(cuda::createDriver(*std::move(cuda)), options));
  if (vulkan.isOk())
    backends.push_back(
        createGpuBackend(vulkan::createDriver(*std::move(vulkan)), options));
  return backends;
}

/// Nothing may be thrown through a function of C.
static void createBackends(const void *options, void *backends) {
  auto &result = *static_cast<Result<Backends> *>(backends);
  try {
    result = makeBackends(*static_cast<const GpuBackendOptions *>(options));
  } catch (const std::exception &error) {
    result = Status(StatusCode::generalFailure, error.what());
  }
}

extern "C" [[gnu::visibility("default")]] const NNHalGpuApi *nnhalGetGpuApi() {
  static const NNHalGpuApi api = {NNHAL_GPU_API_VERSION, sizeof(NNHalGpuApi),
                                  NNHAL_PLUGIN_SDK, &createBackends};
  return &api;
}
