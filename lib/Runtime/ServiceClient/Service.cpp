//===- Service.cpp - Opens the client of services -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Service.h"

#include "OpenServiceClient.h"

#include "Runtime/Caching/BinaryIdentity.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/DevicePlugin.h"

#include <dlfcn.h>

#include <string_view>

using namespace nnhal::rt;

using Devices = Result<std::vector<std::unique_ptr<Device>>>;

Status nnhal::rt::checkServiceClient(const std::string &path,
                                     const NNHalServiceClientApi *api) {
  if (!api)
    return failure("'{}' returns no table", path);
  if (api->version != NNHAL_SERVICE_CLIENT_VERSION)
    return failure("'{}' has interface version {}, this runtime needs {}", path,
                   api->version, NNHAL_SERVICE_CLIENT_VERSION);
  if (api->structSize < sizeof(NNHalServiceClientApi))
    return failure("'{}' has a table of {} bytes, less than {}", path,
                   api->structSize, sizeof(NNHalServiceClientApi));
  std::string_view sdk = api->sdk ? api->sdk : "";
  if (sdk != NNHAL_PLUGIN_SDK)
    return failure("'{}' was built for '{}', this runtime is '{}'", path, sdk,
                   NNHAL_PLUGIN_SDK);
  if (!api->connectDevices)
    return failure("'{}' leaves a function of its table empty", path);
  return Status::ok();
}

Result<const NNHalServiceClientApi *>
nnhal::rt::openServiceClient(const std::string &path) {
  // Local: the client has a runtime of its own inside. It stays open, because
  // its code may be on the stack of any thread.
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char *reason = ::dlerror();
    return deviceUnavailable("cannot open the client of services '{}': {}",
                             path, reason ? reason : "unknown reason");
  }
  auto get = reinterpret_cast<NNHalGetServiceClientApiFunction>(
      ::dlsym(library, NNHAL_SERVICE_CLIENT_SYMBOL));
  if (!get)
    return failure("'{}' is not a client of services: it does not export {}",
                   path, NNHAL_SERVICE_CLIENT_SYMBOL);
  const NNHalServiceClientApi *api = get();
  NNHAL_RETURN_IF_ERROR(checkServiceClient(path, api));
  return api;
}

Devices nnhal::rt::connectDevices(const NNHalServiceClientApi &api,
                                  const std::string &path,
                                  const DeviceServices &services) {
  Devices devices = failure("the client of services says nothing");
  api.connectDevices(path.c_str(), &services, &devices);
  return devices;
}

Devices nnhal::rt::connectDevices(const std::string &path,
                                  const DeviceServices &services) {
  NNHAL_ASSIGN_OR_RETURN(
      const NNHalServiceClientApi *api,
      openServiceClient(libraryBeside("libNNHalServiceClient.so")));
  return connectDevices(*api, path, services);
}
