//===- GpuLoader.cpp - Opens the devices of GPUs --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/GpuDevice.h"

#include "GpuApi.h"
#include "GpuBackendOptions.h"

#include "Runtime/Artifact/GpuProgram.h"
#include "Runtime/Caching/BinaryIdentity.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/Backend.h"
#include "nnhal/Backend/DevicePlugin.h"

#include <dlfcn.h>

using namespace nnhal::rt;

static Status checkApi(const std::string &path, const NNHalGpuApi *api) {
  if (!api)
    return failure("'{}' returns no table", path);
  std::string_view sdk = api->sdk ? api->sdk : "";
  if (api->version != NNHAL_GPU_API_VERSION ||
      api->structSize < sizeof(NNHalGpuApi) || !api->createBackends ||
      sdk != NNHAL_PLUGIN_SDK)
    return failure("'{}' has interface version {} and was built for '{}', this "
                   "runtime needs {} and '{}'",
                   path, api->version, sdk, NNHAL_GPU_API_VERSION,
                   NNHAL_PLUGIN_SDK);
  return Status::ok();
}

static Result<const NNHalGpuApi *> openApi(const std::string &path) {
  // Local: the library has a runtime of its own inside. It stays open, because
  // its code may be on the stack of any thread.
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char *reason = ::dlerror();
    return Status(StatusCode::deviceUnavailable,
                  fmt::format("cannot open the library of GPUs '{}': {}", path,
                              reason ? reason : "unknown reason"));
  }
  auto get = reinterpret_cast<NNHalGetGpuApiFunction>(
      ::dlsym(library, NNHAL_GPU_API_SYMBOL));
  if (!get)
    return failure("'{}' is not the library of GPUs: it does not export {}",
                   path, NNHAL_GPU_API_SYMBOL);
  const NNHalGpuApi *api = get();
  NNHAL_RETURN_IF_ERROR(checkApi(path, api));
  return api;
}

Result<std::vector<std::unique_ptr<Device>>>
nnhal::rt::createGpuDevices(const GpuDevicesOptions &options) {
  std::string path = options.library.empty() ? libraryBeside("libNNHalGpu.so")
                                             : options.library;
  NNHAL_ASSIGN_OR_RETURN(const NNHalGpuApi *api, openApi(path));
  GpuBackendOptions passed;
  passed.compiler = [compiler = options.compiler] { return compiler->get(); };
  passed.compilerIdentity = [compiler = options.compiler] {
    return compiler->identity();
  };
  passed.absent = options.absent;
  Result<Backends> backends = Backends();
  api->createBackends(&passed, &backends);
  NNHAL_RETURN_IF_ERROR(backends.status());
  std::vector<std::unique_ptr<Device>> devices;
  for (std::unique_ptr<Backend> &backend : *backends)
    devices.push_back(createDevice(std::move(backend), options.services));
  return devices;
}

bool nnhal::rt::isGpuDevice(std::string_view name) {
  return name == anyGpuDevice || !gpuTargetOf(name).empty();
}

std::string_view nnhal::rt::gpuTargetOf(std::string_view name) {
  if (name == "nnhal-cuda")
    return cudaTargetName;
  return name == "nnhal-vulkan" ? vulkanTargetName : std::string_view();
}
