//===- DevicePlugins.cpp - Devices from shared libraries ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/DevicePlugins.h"

#include "Runtime/Caching/BinaryIdentity.h"
#include "Runtime/Model/ExtensionCalls.h"
#include "Runtime/Model/ExtensionUse.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/DevicePlugin.h"
#include "nnhal/Runtime/OlderDevice.h"

#include <algorithm>
#include <dlfcn.h>

using namespace nnhal::rt;

namespace {
/// The objects and the failure that a plug-in gives through NNHalPluginHost.
struct Received {
  Backends backends;
  ExtensionBackends extensions;
  bool hasFailed = false;
  std::string reason;

  // Nothing may be thrown through the plug-in, which is built by others.
  template <typename T>
  void keep(std::vector<std::unique_ptr<T>> &list, void *object) {
    std::unique_ptr<T> owned(static_cast<T *>(object));
    try {
      list.push_back(std::move(owned));
    } catch (const std::bad_alloc &) {
      hasFailed = true;
    }
  }
  static void onBackend(void *context, void *backend) {
    auto &received = *static_cast<Received *>(context);
    received.keep(received.backends, backend);
  }
  static void onExtension(void *context, void *extension) {
    auto &received = *static_cast<Received *>(context);
    received.keep(received.extensions, extension);
  }
  static void onFailure(void *context, const char *message) {
    auto &received = *static_cast<Received *>(context);
    received.hasFailed = true;
    try {
      received.reason = message ? message : "no reason is given";
    } catch (const std::bad_alloc &) {
      received.reason.clear();
    }
  }
};
} // namespace

static Status checkTable(const std::string &path,
                         const NNHalDevicePlugin *plugin) {
  if (!plugin)
    return badData("plug-in '{}' returns no table", path);
  if (plugin->version != NNHAL_DEVICE_PLUGIN_VERSION)
    return badData("plug-in '{}' has interface version {}, this program needs "
                   "{}",
                   path, plugin->version, NNHAL_DEVICE_PLUGIN_VERSION);
  if (plugin->structSize < sizeof(NNHalDevicePlugin))
    return badData("plug-in '{}' has a table of {} bytes, less than {}", path,
                   plugin->structSize, sizeof(NNHalDevicePlugin));
  std::string_view sdk = plugin->sdk ? plugin->sdk : "";
  if (sdk != NNHAL_PLUGIN_SDK)
    return badData("plug-in '{}' was built for '{}', this program is '{}'",
                   path, sdk, NNHAL_PLUGIN_SDK);
  if (!plugin->create)
    return badData("plug-in '{}' leaves a function of its table empty", path);
  return Status::ok();
}

static Result<const NNHalDevicePlugin *> openPlugin(const std::string &path) {
  // Local: two plug-ins must not see each other's symbols.
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char *reason = ::dlerror();
    return deviceUnavailable("cannot open the plug-in '{}': {}", path,
                             reason ? reason : "unknown reason");
  }
  auto get = reinterpret_cast<NNHalGetDevicePluginFunction>(
      ::dlsym(library, NNHAL_DEVICE_PLUGIN_SYMBOL));
  if (!get)
    return badData("'{}' is not a plug-in: it does not export {}", path,
                   NNHAL_DEVICE_PLUGIN_SYMBOL);
  const NNHalDevicePlugin *plugin = get();
  NNHAL_RETURN_IF_ERROR(checkTable(path, plugin));
  return plugin;
}

static Status checkDescription(const ExtensionBackend &backend) {
  NNHAL_RETURN_IF_ERROR(checkDescription(backend.extension()));
  return checkCustomOperators(backend.extension().name,
                              backend.customOperators());
}

static Status addExtensions(const std::string &path,
                            const NNHalDevicePlugin *plugin,
                            ExtensionBackends backends,
                            std::vector<InstalledExtension> &extensions) {
  if (backends.empty())
    return Status::ok();
  // The sandbox of a service may keep the file from being read by now.
  NNHAL_ASSIGN_OR_RETURN(
      std::string identity,
      loadedIdentity(reinterpret_cast<const void *>(plugin->create)));
  for (std::unique_ptr<ExtensionBackend> &backend : backends) {
    NNHAL_RETURN_IF_ERROR(checkDescription(*backend).withContext(
        fmt::format("plug-in '{}'", path)));
    extensions.push_back({std::move(backend), identity});
  }
  return Status::ok();
}

Result<LoadedPlugin> nnhal::rt::loadPlugin(const std::string &path,
                                           const DeviceServices &services) {
  NNHAL_ASSIGN_OR_RETURN(const NNHalDevicePlugin *plugin, openPlugin(path));
  DeviceServices complete = completeServices(services);
  Received received;
  NNHalPluginHost host = {NNHAL_DEVICE_PLUGIN_VERSION,
                          sizeof(NNHalPluginHost),
                          &received,
                          &complete,
                          &Received::onBackend,
                          &Received::onFailure,
                          &Received::onExtension};
  plugin->create(&host);
  if (received.hasFailed)
    return failure("plug-in '{}' fails: {}", path, received.reason);
  if (received.backends.empty() && received.extensions.empty())
    return failure("plug-in '{}' has neither a device nor an extension", path);

  LoadedPlugin loaded;
  for (std::unique_ptr<Backend> &backend : received.backends) {
    // A backend of an older version is held to that version.
    HalVersion version = backend->info().halVersion;
    loaded.devices.push_back(asHalVersion(
        createDevice(std::move(backend), complete), version, complete.reactor));
  }
  NNHAL_RETURN_IF_ERROR(addExtensions(
      path, plugin, std::move(received.extensions), loaded.extensions));
  return loaded;
}

std::vector<std::string> nnhal::rt::pluginPaths(std::string_view text) {
  std::vector<std::string> paths;
  while (!text.empty()) {
    size_t end = std::min(text.find(':'), text.size());
    if (end > 0)
      paths.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return paths;
}
