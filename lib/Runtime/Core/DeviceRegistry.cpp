//===- DeviceRegistry.cpp - The devices of a program ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/DeviceRegistry.h"
#include "Runtime/Model/ExtensionUse.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"

#include <algorithm>

using namespace nnhal::rt;

/// "VENDOR-DEVICE" (C-012).
static bool isDeviceName(std::string_view name) {
  size_t hyphen = name.find('-');
  return hyphen != std::string_view::npos && hyphen > 0 &&
         hyphen + 1 < name.size() && std::ranges::count(name, '-') == 1;
}

static Status checkDevice(const Device &device) {
  if (!isDeviceName(device.name()))
    return badData("the name must be of the form VENDOR-DEVICE");
  if (device.version().empty())
    return badData("the version must not be empty");
  // A type is OTHER, CPU, GPU or ACCELERATOR (C-011).
  // Before HAL 1.2 nobody says (C-085).
  bool saysType = device.halVersion() >= HalVersion::V1_2;
  if (uint32_t type = uint32_t(device.type());
      (type < uint32_t(DeviceType::other) && saysType) ||
      type > uint32_t(DeviceType::accelerator))
    return badData("the type {} is not between 1 and 4", type);
  for (const Extension &extension : device.extensions())
    NNHAL_RETURN_IF_ERROR(checkDescription(extension));
  CacheFiles files = device.cacheFiles();
  if (files.modelCache > maxCacheFiles || files.dataCache > maxCacheFiles)
    return badData("{} model cache and {} data cache files exceed {}",
                   files.modelCache, files.dataCache, maxCacheFiles);
  return validateCapabilities(device.capabilities());
}

Status DeviceRegistry::add(std::unique_ptr<Device> device) {
  if (!device)
    return badData("there is no device to register");
  Status status = find(device->name())
                      ? badData("a device of this name is registered already")
                      : checkDevice(*device);
  if (log)
    writeLog(*log, LogTag::manager, "{} {}: {}", device->name(),
             device->version(),
             status.isOk() ? "registered" : status.message());
  if (!status.isOk())
    return std::move(status).withContext(
        fmt::format("device '{}'", device->name()));
  list.push_back(std::move(device));
  return Status::ok();
}

Device *DeviceRegistry::find(std::string_view name) const {
  auto found = std::ranges::find_if(
      list, [&](const auto &device) { return device->name() == name; });
  return found == list.end() ? nullptr : found->get();
}
