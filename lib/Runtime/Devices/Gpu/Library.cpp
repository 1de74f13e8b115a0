//===- Library.cpp - The entry of libNNHalGpu -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "Runtime/GpuLoader/GpuApi.h"
#include "nnhal/Backend/DevicePlugin.h"

#include <exception>

using namespace nnhal::rt;

static Result<Backends> makeBackends(const GpuBackendOptions &options) {
  NNHAL_ASSIGN_OR_RETURN(vulkan::EngineRef engine, vulkan::Engine::open());
  Backends backends;
  backends.push_back(createVulkanBackend(std::move(engine), options));
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
