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
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/DevicePlugin.h"

#include <exception>
#include <utility>
#include <vector>

using namespace nnhal::rt;

/// The best way to execute on a GPU comes first.
static Result<Backends> makeBackends(const GpuBackendOptions &options) {
  Backends backends;
  std::vector<std::pair<std::string_view, Status>> absent;
  auto add = [&](std::string_view name, auto engine, auto createDriver) {
    if (engine.isOk())
      backends.push_back(
          createGpuBackend(createDriver(*std::move(engine)), options));
    else
      absent.emplace_back(name, engine.status());
  };
  add("nnhal-cuda", cuda::Engine::open(), &cuda::createDriver);
  add("nnhal-vulkan", vulkan::Engine::open(), &vulkan::createDriver);
  std::string reasons;
  for (const auto &[name, reason] : absent) {
    if (!backends.empty() && options.absent)
      options.absent(name, reason);
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", name,
                           reason.message());
  }
  if (backends.empty())
    return Status(StatusCode::deviceUnavailable, std::move(reasons));
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
