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
#include "nnhal/Runtime/Extensions.h"
#include "nnhal/Runtime/GpuDevice.h"
#include "nnhal/Runtime/Service.h"

#include <algorithm>
#include <iterator>

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

rt::Result<RegisteredExtensions>
tools::registerDevices(const DevicesRequest &request,
                       rt::DeviceRegistry &registry) {
  // The devices of this process execute the extensions of all plug-ins.
  rt::DeviceServices services = request.services;
  std::vector<rt::LoadedPlugin> plugins;
  for (const std::string &path : request.plugins) {
    NNHAL_ASSIGN_OR_RETURN(rt::LoadedPlugin plugin,
                           rt::loadPlugin(path, request.services));
    std::ranges::move(plugin.extensions,
                      std::back_inserter(services.extensions));
    plugins.push_back(std::move(plugin));
  }
  std::ranges::move(rt::installedExtensions(request.services),
                    std::back_inserter(services.extensions));
  RegisteredExtensions registered;
  registered.installed = services.extensions;
  if (!request.service.empty()) {
    NNHAL_RETURN_IF_ERROR(
        registerService(request.service, request.services, registry));
  } else {
    registered.compiled = rt::compiledExtensions(services.extensions);
    for (std::unique_ptr<rt::Device> &device :
         rt::createBuiltInDevices({std::move(services), request.compiler}))
      NNHAL_RETURN_IF_ERROR(registry.add(std::move(device)));
  }
  for (size_t i = 0; i < plugins.size(); ++i)
    for (std::unique_ptr<rt::Device> &device : plugins[i].devices)
      NNHAL_RETURN_IF_ERROR(
          registry.add(std::move(device))
              .withContext(fmt::format("plug-in '{}'", request.plugins[i])));
  return registered;
}

Status tools::registerGpus(
    const DevicesRequest &request, rt::DeviceRegistry &registry,
    std::function<void(std::string_view, const rt::Status &)> absent) {
  rt::GpuDevicesOptions options;
  options.compiler = request.compiler;
  options.services = request.services;
  options.absent = std::move(absent);
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<rt::Device>> devices,
                         rt::createGpuDevices(options));
  for (std::unique_ptr<rt::Device> &device : devices)
    NNHAL_RETURN_IF_ERROR(registry.add(std::move(device)));
  return Status::ok();
}

rt::Result<const rt::Device *>
tools::findDevice(const rt::DeviceRegistry &registry, std::string_view name) {
  if (name == rt::anyGpuDevice)
    for (const auto &device : registry.devices())
      if (device->type() == rt::DeviceType::gpu)
        return device.get();
  if (const rt::Device *device = registry.find(name))
    return device;
  std::vector<std::string_view> names;
  names.reserve(registry.devices().size());
  for (const auto &device : registry.devices())
    names.push_back(device->name());
  return rt::badData("unknown device '{}'; known devices: {}", name,
                     fmt::join(names, ", "));
}

static constexpr std::string_view fallbackName = "nnhal-reference";

static rt::Result<std::vector<const rt::Device *>>
findDevices(const rt::DeviceRegistry &registry,
            const std::vector<std::string> &names) {
  std::vector<const rt::Device *> found;
  for (const std::string &name : names) {
    NNHAL_ASSIGN_OR_RETURN(const rt::Device *device,
                           findDevice(registry, name));
    if (std::ranges::find(found, device) != found.end())
      return rt::badData("device {} is listed twice", name);
    found.push_back(device);
  }
  return found;
}

/// The registered devices in their order, but for the fallback, which is last.
static std::vector<const rt::Device *>
everyDevice(const rt::DeviceRegistry &registry) {
  std::vector<const rt::Device *> devices;
  for (const auto &device : registry.devices())
    devices.push_back(device.get());
  auto fallback = std::ranges::find(devices, fallbackName, &rt::Device::name);
  if (fallback != devices.end())
    std::rotate(fallback, fallback + 1, devices.end());
  return devices;
}

rt::Result<SelectedDevice>
tools::selectDevice(const rt::DeviceRegistry &registry,
                    const DeviceSelection &selection,
                    const rt::DeviceServices &services,
                    std::shared_ptr<const rt::CompilationCache> cache) {
  SelectedDevice selected;
  if (selection.several.empty() && selection.device != allDevices) {
    NNHAL_ASSIGN_OR_RETURN(selected.device,
                           findDevice(registry, selection.device));
    return selected;
  }
  rt::DeviceSetOptions options;
  options.name = allDevices;
  if (selection.several.empty()) {
    options.devices = everyDevice(registry);
  } else {
    NNHAL_ASSIGN_OR_RETURN(options.devices,
                           findDevices(registry, selection.several));
  }
  const rt::Device *fallback = registry.find(fallbackName);
  if (std::ranges::find(options.devices, fallback) != options.devices.end())
    options.fallback = fallback;
  if (selection.isRequired || !options.fallback)
    options.mode = rt::PartitionMode::withoutFallback;
  options.planner = selection.planner;
  options.cache = std::move(cache);
  options.services = services;
  selected.members = options;
  selected.set = rt::createDeviceSet(std::move(options));
  selected.device = selected.set.get();
  return selected;
}
