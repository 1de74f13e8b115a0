//===- Devices.cpp - The devices of a program -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Devices.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/BuiltInDevices.h"
#include "nnhal/Runtime/DevicePlugins.h"
#include "nnhal/Runtime/Service.h"

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

static Status registerService(const std::string &path,
                              const rt::DeviceServices &services,
                              rt::DeviceRegistry &registry) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<rt::Device>> devices,
                         rt::connectDevices(path, services));
  for (std::unique_ptr<rt::Device> &device : devices)
    NNHAL_RETURN_IF_ERROR(registry.add(std::move(device))
                              .withContext(fmt::format("service '{}'", path)));
  return Status::ok();
}

static Status registerPlugin(const std::string &path,
                             const rt::DeviceServices &services,
                             rt::DeviceRegistry &registry) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<rt::Device>> devices,
                         rt::loadDevicePlugin(path, services));
  for (std::unique_ptr<rt::Device> &device : devices)
    NNHAL_RETURN_IF_ERROR(registry.add(std::move(device))
                              .withContext(fmt::format("plug-in '{}'", path)));
  return Status::ok();
}

Status tools::registerDevices(const DevicesRequest &request,
                              rt::DeviceRegistry &registry) {
  if (!request.service.empty())
    NNHAL_RETURN_IF_ERROR(
        registerService(request.service, request.services, registry));
  else
    for (std::unique_ptr<rt::Device> &device :
         rt::createBuiltInDevices({request.services, request.compiler}))
      NNHAL_RETURN_IF_ERROR(registry.add(std::move(device)));
  for (const std::string &path : request.plugins)
    NNHAL_RETURN_IF_ERROR(registerPlugin(path, request.services, registry));
  return Status::ok();
}

rt::Result<const rt::Device *>
tools::findDevice(const rt::DeviceRegistry &registry, std::string_view name) {
  if (const rt::Device *device = registry.find(name))
    return device;
  std::vector<std::string_view> names;
  names.reserve(registry.devices().size());
  for (const auto &device : registry.devices())
    names.push_back(device->name());
  return rt::badData("unknown device '{}'; known devices: {}", name,
                     fmt::join(names, ", "));
}
