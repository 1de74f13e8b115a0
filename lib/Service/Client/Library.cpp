//===- Library.cpp - The entry of libNNHalServiceClient -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

#include "Runtime/ServiceClient/ServiceClientApi.h"
#include "nnhal/Backend/DevicePlugin.h"

#include <exception>

using namespace nnhal;

using Devices = rt::Result<std::vector<std::unique_ptr<rt::Device>>>;

/// Nothing may be thrown through a function of C.
static void connectDevices(const char *path, const void *services,
                           void *devices) {
  auto &result = *static_cast<Devices *>(devices);
  try {
    result = service::client::connectDevices(
        path, *static_cast<const rt::DeviceServices *>(services));
  } catch (const std::bad_alloc &) {
    result = rt::Status(rt::StatusCode::resourceExhaustedTransient,
                        "no memory to connect to a service");
  } catch (const std::exception &error) {
    result = rt::Status(rt::StatusCode::generalFailure, error.what());
  }
}

extern "C" [[gnu::visibility("default")]] const NNHalServiceClientApi *
nnhalGetServiceClientApi() {
  static const NNHalServiceClientApi api = {NNHAL_SERVICE_CLIENT_VERSION,
                                            sizeof(NNHalServiceClientApi),
                                            NNHAL_PLUGIN_SDK, &connectDevices};
  return &api;
}
