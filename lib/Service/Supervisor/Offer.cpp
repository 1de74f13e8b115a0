//===- Offer.cpp - The devices that a service offers ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offer.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/BuiltInDevices.h"
#include "nnhal/Runtime/DevicePlugins.h"
#include "nnhal/Runtime/DeviceRegistry.h"
#include "nnhal/Runtime/GpuDevice.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using nlohmann::json;
using rt::Result;
using rt::Status;

//===----------------------------------------------------------------------===//
// Telling
//===----------------------------------------------------------------------===//

/// Devices of a plug-in have it alone; extensions are for those of the library.
static Status addPlugin(const std::string &path, rt::DeviceRegistry &registry,
                        std::vector<FoundDevice> &found,
                        std::vector<std::string> &withExtensions) {
  NNHAL_ASSIGN_OR_RETURN(rt::LoadedPlugin plugin, rt::loadPlugin(path, {}));
  if (!plugin.extensions.empty())
    withExtensions.push_back(path);
  for (std::unique_ptr<rt::Device> &device : plugin.devices) {
    found.push_back({std::string(device->name()), {path}});
    NNHAL_RETURN_IF_ERROR(registry.add(std::move(device))
                              .withContext(fmt::format("plug-in '{}'", path)));
  }
  return Status::ok();
}

/// Adds the devices of GPUs that \p names lists.
static Status addGpus(const std::vector<std::string> &names,
                      rt::DeviceRegistry &registry,
                      std::vector<FoundDevice> &found) {
  auto isWanted = [&](std::string_view name) {
    return !rt::gpuTargetOf(name).empty() &&
           std::ranges::find(names, name) != names.end();
  };
  if (std::ranges::none_of(names, isWanted))
    return Status::ok();
  Status problem;
  rt::GpuDevicesOptions options;
  options.absent = [&](std::string_view name, const Status &reason) {
    if (isWanted(name))
      problem =
          rt::failure("there is no device '{}': {}", name, reason.message());
  };
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<rt::Device>> devices,
                         rt::createGpuDevices(options));
  NNHAL_RETURN_IF_ERROR(std::move(problem));
  for (std::unique_ptr<rt::Device> &device : devices)
    if (isWanted(device->name())) {
      found.push_back({std::string(device->name()), {}});
      NNHAL_RETURN_IF_ERROR(registry.add(std::move(device)));
    }
  return Status::ok();
}

static Result<std::vector<FoundDevice>>
listDevices(const std::vector<std::string> &plugins,
            const std::vector<std::string> &names) {
  rt::DeviceRegistry registry;
  std::vector<FoundDevice> found;
  for (std::unique_ptr<rt::Device> &device : rt::createBuiltInDevices()) {
    found.push_back({std::string(device->name()), {}});
    NNHAL_RETURN_IF_ERROR(registry.add(std::move(device)));
  }
  const size_t builtInCount = found.size();
  std::vector<std::string> withExtensions;
  for (const std::string &plugin : plugins)
    NNHAL_RETURN_IF_ERROR(addPlugin(plugin, registry, found, withExtensions));
  for (size_t i = 0; i < builtInCount; ++i)
    found[i].plugins = withExtensions;
  NNHAL_RETURN_IF_ERROR(addGpus(names, registry, found));
  return found;
}

Status service::tellDevices(const std::vector<std::string> &plugins,
                            const std::vector<std::string> &names,
                            rt::UniqueFd channel) {
  json answer;
  auto found = listDevices(plugins, names);
  if (!found.isOk()) {
    answer["error"] = found.status().message();
  } else {
    answer["devices"] = json::array();
    for (const FoundDevice &device : *found)
      answer["devices"].push_back(
          {{"name", device.name}, {"plugins", device.plugins}});
  }
  std::string text = answer.dump();
  if (::write(channel.get(), text.data(), text.size()) != ssize_t(text.size()))
    return rt::failure("cannot tell the devices: {}",
                       std::generic_category().message(errno));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

static std::string readAll(int fd) {
  std::string text;
  char part[4096];
  while (true) {
    ssize_t count = ::read(fd, part, sizeof(part));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return text;
    text.append(part, size_t(count));
  }
}

static Result<std::vector<FoundDevice>> parseAnswer(const std::string &text) {
  try {
    json answer = json::parse(text);
    if (answer.contains("error"))
      return rt::badData("{}", answer.at("error").get<std::string>());
    std::vector<FoundDevice> found;
    for (const json &device : answer.at("devices"))
      found.push_back({device.at("name"), device.at("plugins")});
    return found;
  } catch (const json::exception &error) {
    return rt::failure("the list of devices is damaged: {}", error.what());
  }
}

Result<std::vector<FoundDevice>>
service::findDevices(const ChildProgram &lister) {
  NNHAL_ASSIGN_OR_RETURN(LaunchedProcess launched, launch(lister));
  std::string text = readAll(launched.channel.get());
  int status = 0;
  while (::waitpid(launched.process, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0)
    return rt::failure("the process that lists the devices has ended: {}",
                       describeEnd(status));
  return parseAnswer(text);
}

Result<std::vector<FoundDevice>>
service::selectDevices(std::vector<FoundDevice> found,
                       const std::vector<std::string> &names) {
  if (names.empty())
    return found;
  std::vector<FoundDevice> selected;
  for (const std::string &name : names) {
    auto device = std::ranges::find(found, name, &FoundDevice::name);
    if (device == found.end()) {
      std::vector<std::string> known;
      known.reserve(found.size());
      for (const FoundDevice &one : found)
        known.push_back(one.name);
      return rt::badData("unknown device '{}'; known devices: {}", name,
                         fmt::join(known, ", "));
    }
    bool isThere =
        std::ranges::find(selected, name, &FoundDevice::name) != selected.end();
    if (!isThere)
      selected.push_back(*device);
  }
  return selected;
}
