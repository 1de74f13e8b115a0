//===- GpuLoader.cpp - Opens the devices of GPUs --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Sha256.cpp says why these functions are used.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "nnhal/Runtime/GpuDevice.h"

#include "GpuApi.h"
#include "GpuBackend.h"

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
      api->structSize < sizeof(NNHalGpuApi) || !api->openDrivers ||
      sdk != NNHAL_PLUGIN_SDK)
    return failure("'{}' has interface version {} and was built for '{}', this "
                   "runtime needs {} and '{}'",
                   path, api->version, sdk, NNHAL_GPU_API_VERSION,
                   NNHAL_PLUGIN_SDK);
  return Status::ok();
}

static const GpuRuntime thisRuntime = {&fmt::vformat, &SHA256_Init,
                                       &SHA256_Update, &SHA256_Final};

/// Whoever loaded this code may unload it, but libNNHalGpu calls it from now
/// on.
static void stayLoaded() {
  Dl_info self = {};
  // A program that has the runtime inside stays anyway.
  if (::dladdr(&thisRuntime, &self) != 0 && self.dli_fname)
    (void)::dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static Result<const NNHalGpuApi *> openApi(const std::string &path) {
  // Local: the library has parts of the runtime inside. It stays open, because
  // its code may be on the stack of any thread.
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char *reason = ::dlerror();
    return deviceUnavailable("cannot open the library of GPUs '{}': {}", path,
                             reason ? reason : "unknown reason");
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

/// The devices of \p offers; fails where no way to execute is offered.
static Result<std::vector<std::unique_ptr<Device>>>
makeDevices(GpuOffers offers, const GpuDevicesOptions &options) {
  GpuCompiler compiler = {
      [lazy = options.compiler] { return lazy->get(); },
      [lazy = options.compiler] { return lazy->identity(); }};
  std::vector<std::unique_ptr<Device>> devices;
  std::string reasons;
  for (GpuOffer &offer : offers) {
    if (offer.driver.isOk())
      devices.push_back(
          createDevice(createGpuBackend(*std::move(offer.driver), compiler),
                       options.services));
    else
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ",
                             offer.device, offer.driver.status().message());
  }
  if (devices.empty())
    return Status(StatusCode::deviceUnavailable, std::move(reasons));
  if (options.absent)
    for (const GpuOffer &offer : offers)
      if (!offer.driver.isOk())
        options.absent(offer.device, offer.driver.status());
  return devices;
}

Result<std::vector<std::unique_ptr<Device>>>
nnhal::rt::createGpuDevices(const GpuDevicesOptions &options) {
  std::string path = options.library.empty() ? libraryBeside("libNNHalGpu.so")
                                             : options.library;
  NNHAL_ASSIGN_OR_RETURN(const NNHalGpuApi *api, openApi(path));
  Result<GpuOffers> offers = GpuOffers();
  stayLoaded();
  api->openDrivers(&thisRuntime, &offers);
  NNHAL_RETURN_IF_ERROR(offers.status());
  return makeDevices(*std::move(offers), options);
}

bool nnhal::rt::isGpuDevice(std::string_view name) {
  return name == anyGpuDevice || !gpuTargetOf(name).empty();
}

std::string_view nnhal::rt::gpuTargetOf(std::string_view name) {
  if (name == "nnhal-cuda")
    return cudaTargetName;
  return name == "nnhal-vulkan" ? vulkanTargetName : std::string_view();
}
