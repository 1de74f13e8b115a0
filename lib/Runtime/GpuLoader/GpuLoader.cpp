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

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>

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

//===----------------------------------------------------------------------===//
// Drivers
//===----------------------------------------------------------------------===//

class nnhal::rt::GpuDrivers {
public:
  /// A way to execute on a GPU, or why this machine has none of the kind.
  struct Way {
    std::string_view device;
    Result<std::shared_ptr<const GpuDriver>> driver;
  };

  GpuDrivers(GpuOffers offers, std::vector<std::string> deviceNodes)
      : deviceNodes(std::move(deviceNodes)) {
    for (GpuOffer &offer : offers) {
      Result<std::shared_ptr<const GpuDriver>> driver = offer.driver.status();
      if (offer.driver.isOk())
        driver = std::shared_ptr<const GpuDriver>(*std::move(offer.driver));
      ways.push_back({offer.device, std::move(driver)});
    }
  }

  /// The best one comes first.
  std::vector<Way> ways;
  /// Those that all drivers together have opened.
  const std::vector<std::string> deviceNodes;
};

/// The device nodes that this process has open.
static std::set<std::string> openNodes() {
  std::set<std::string> nodes;
  std::error_code error;
  for (const auto &entry :
       std::filesystem::directory_iterator("/proc/self/fd", error)) {
    std::filesystem::path target =
        std::filesystem::read_symlink(entry.path(), error);
    if (!error && target.string().starts_with("/dev/") &&
        std::filesystem::is_character_file(target, error))
      nodes.insert(target.string());
  }
  return nodes;
}

Result<GpuDriversRef> nnhal::rt::openGpuDrivers(const std::string &library) {
  NNHAL_ASSIGN_OR_RETURN(
      const NNHalGpuApi *api,
      openApi(library.empty() ? libraryBeside("libNNHalGpu.so") : library));
  std::set<std::string> before = openNodes();
  Result<GpuOffers> offers = GpuOffers();
  stayLoaded();
  api->openDrivers(&thisRuntime, &offers);
  NNHAL_RETURN_IF_ERROR(offers.status());
  std::vector<std::string> opened;
  std::ranges::set_difference(openNodes(), before, std::back_inserter(opened));
  return std::make_shared<const GpuDrivers>(*std::move(offers),
                                            std::move(opened));
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// The devices of \p drivers; fails where no way to execute is offered.
static Result<std::vector<std::unique_ptr<Device>>>
makeDevices(const GpuDrivers &drivers, const GpuDevicesOptions &options) {
  GpuCompiler compiler = {
      [lazy = options.compiler] { return lazy->get(); },
      [lazy = options.compiler] { return lazy->identity(); }};
  std::vector<std::unique_ptr<Device>> devices;
  std::string reasons;
  for (const GpuDrivers::Way &way : drivers.ways) {
    if (way.driver.isOk())
      devices.push_back(createDevice(
          createGpuBackend(*way.driver, compiler, drivers.deviceNodes),
          options.services));
    else
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ",
                             way.device, way.driver.status().message());
  }
  if (devices.empty())
    return Status(StatusCode::deviceUnavailable, std::move(reasons));
  if (options.absent)
    for (const GpuDrivers::Way &way : drivers.ways)
      if (!way.driver.isOk())
        options.absent(way.device, way.driver.status());
  return devices;
}

Result<std::vector<std::unique_ptr<Device>>>
nnhal::rt::createGpuDevices(const GpuDevicesOptions &options) {
  GpuDriversRef drivers = options.drivers;
  if (!drivers) {
    NNHAL_ASSIGN_OR_RETURN(drivers, openGpuDrivers(options.library));
  }
  return makeDevices(*drivers, options);
}

bool nnhal::rt::isGpuDevice(std::string_view name) {
  return name == anyGpuDevice || !gpuTargetOf(name).empty();
}

std::string_view nnhal::rt::gpuTargetOf(std::string_view name) {
  if (name == "nnhal-cuda")
    return cudaTargetName;
  return name == "nnhal-vulkan" ? vulkanTargetName : std::string_view();
}
