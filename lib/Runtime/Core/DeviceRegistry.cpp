//===- DeviceRegistry.cpp - The devices of a program ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/DeviceRegistry.h"
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
