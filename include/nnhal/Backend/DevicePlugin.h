//===- DevicePlugin.h - The entry of a plug-in of devices -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plug-in is a shared library that exports one C function,
// nnhalGetDevicePlugin. It brings devices of its own, or extensions for the
// devices nnhal-cpu and nnhal-reference. Programs open it with loadPlugin()
// (nnhal/Runtime/DevicePlugins.h); nnhal-run does so for --plugin and the
// environment variable NNHAL_PLUGINS. In C++ one line makes the entry:
//
//   static Result<Backends> createBackends(const DeviceServices &services);
//   NNHAL_DEVICE_PLUGIN("my accelerator", createBackends)
//
//   static Result<ExtensionBackends> createExtensions();
//   NNHAL_EXTENSION_PLUGIN("my operations", createExtensions)
//
// Both are C++ objects. A program therefore refuses a plug-in whose `sdk`
// differs from its own NNHAL_PLUGIN_SDK: the version of NNHal without its patch
// number and the ABI of the C++ library.
//
// C99-clean; fields are only ever appended.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_DEVICEPLUGIN_H
#define NNHAL_BACKEND_DEVICEPLUGIN_H

#include "nnhal/Runtime/Version.h"

#ifdef __cplusplus
#include <cstdint>
extern "C" {
#else
#include <stdint.h>
#endif

#define NNHAL_DEVICE_PLUGIN_VERSION 6
#define NNHAL_DEVICE_PLUGIN_SYMBOL "nnhalGetDevicePlugin"

#define NNHAL_PLUGIN_TEXT_(X) #X
#define NNHAL_PLUGIN_TEXT(X) NNHAL_PLUGIN_TEXT_(X)
#ifdef _GLIBCXX_USE_CXX11_ABI
#define NNHAL_PLUGIN_CXX                                                       \
  "libstdc++ abi " NNHAL_PLUGIN_TEXT(_GLIBCXX_USE_CXX11_ABI)
#else
#define NNHAL_PLUGIN_CXX "another C++ library"
#endif
#define NNHAL_PLUGIN_SDK                                                       \
  "nnhal " NNHAL_PLUGIN_TEXT(NNHAL_VERSION_MAJOR) "." NNHAL_PLUGIN_TEXT(       \
      NNHAL_VERSION_MINOR) ", " NNHAL_PLUGIN_CXX

/// The arguments that the program gives to createBackends. They live until that
/// returns.
typedef struct NNHalPluginHost {
  /// The NNHAL_DEVICE_PLUGIN_VERSION of the program.
  uint32_t version;
  uint32_t structSize;
  void *context;
  /// A `const nnhal::rt::DeviceServices *`, which the devices share.
  const void *services;
  /// Takes over a `nnhal::rt::Backend *`.
  void (*addBackend)(void *context, void *backend);
  /// Takes the reason of a failure. \p message lives until this returns.
  void (*fail)(void *context, const char *message);
  /// Takes over a `nnhal::rt::ExtensionBackend *`.
  void (*addExtension)(void *context, void *extension);
} NNHalPluginHost;

typedef struct NNHalDevicePlugin {
  /// The NNHAL_DEVICE_PLUGIN_VERSION of the plug-in.
  uint32_t version;
  uint32_t structSize;
  /// The NNHAL_PLUGIN_SDK that the plug-in was built with.
  const char *sdk;
  /// The name by which messages call the plug-in.
  const char *name;
  /// Calls host->addBackend for each device and host->addExtension for each
  /// extension, or host->fail. It throws nothing.
  void (*create)(const NNHalPluginHost *host);
} NNHalDevicePlugin;

/// The type of nnhalGetDevicePlugin. The table lives as long as the library.
typedef const NNHalDevicePlugin *(*NNHalGetDevicePluginFunction)(void);

#ifdef __cplusplus
} // extern "C"

#include "nnhal/Backend/Backend.h"
#include "nnhal/Backend/ExtensionBackend.h"

#include <exception>
#include <vector>

namespace nnhal::rt {

using Backends = std::vector<std::unique_ptr<Backend>>;
using ExtensionBackends = std::vector<std::unique_ptr<ExtensionBackend>>;

/// Calls \p create and passes each object that it makes to \p add, or its
/// failure or the exception that it throws to \p host.
template <typename Create, typename Add>
void createForHost(const NNHalPluginHost *host, Create create, Add add) {
  try {
    auto created = create();
    if (!created.isOk())
      return host->fail(host->context, created.status().message().c_str());
    for (auto &object : *created)
      add(host->context, object.release());
  } catch (const std::exception &error) {
    host->fail(host->context, error.what());
  } catch (...) {
    host->fail(host->context, "an exception of an unknown type");
  }
}

} // namespace nnhal::rt

/// Defines the entry of a plug-in by the body of its function create(host).
#define NNHAL_PLUGIN_ENTRY_(NAME, ...)                                         \
  extern "C" [[gnu::visibility("default")]] const NNHalDevicePlugin *          \
  nnhalGetDevicePlugin() {                                                     \
    static const NNHalDevicePlugin plugin = {                                  \
        NNHAL_DEVICE_PLUGIN_VERSION, sizeof(NNHalDevicePlugin),                \
        NNHAL_PLUGIN_SDK, NAME,                                                \
        [](const NNHalPluginHost *host) { __VA_ARGS__; }};                     \
    return &plugin;                                                            \
  }

/// Defines the entry of a plug-in with devices. CREATE is a function from
/// DeviceServices to Result<Backends>; it may throw.
#define NNHAL_DEVICE_PLUGIN(NAME, CREATE)                                      \
  NNHAL_PLUGIN_ENTRY_(                                                         \
      NAME,                                                                    \
      ::nnhal::rt::createForHost(                                              \
          host,                                                                \
          [&] {                                                                \
            return CREATE(*static_cast<const ::nnhal::rt::DeviceServices *>(   \
                host->services));                                              \
          },                                                                   \
          host->addBackend))

/// Defines the entry of a plug-in with extensions. CREATE is a function without
/// parameters to Result<ExtensionBackends>; it may throw.
#define NNHAL_EXTENSION_PLUGIN(NAME, CREATE)                                   \
  NNHAL_PLUGIN_ENTRY_(                                                         \
      NAME, ::nnhal::rt::createForHost(host, CREATE, host->addExtension))
#endif

#endif // NNHAL_BACKEND_DEVICEPLUGIN_H
