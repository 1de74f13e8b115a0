//===- DevicePlugins.h - Devices from shared libraries ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_DEVICEPLUGINS_H
#define NNHAL_RUNTIME_DEVICEPLUGINS_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceServices.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// The devices and extensions that a plug-in brings.
struct LoadedPlugin {
  std::vector<std::unique_ptr<Device>> devices;
  /// For DeviceServices::extensions.
  std::vector<InstalledExtension> extensions;
};

/// Opens the plug-in \p path (nnhal/Backend/DevicePlugin.h) and makes devices
/// of its backends, which share \p services. The library stays open until the
/// process ends, because code of it may be on any thread's stack. Its code runs
/// with the rights of the process: \p path comes from the user, never from a
/// model.
///
/// Fails with deviceUnavailable when the library cannot be opened; with
/// invalidArgument when it is not a plug-in or was built for another version or
/// C++ library; with generalFailure when its code reports a failure or throws.
NNHAL_API Result<LoadedPlugin> loadPlugin(const std::string &path,
                                          const DeviceServices &services);

/// Splits \p text at colons into paths and drops empty ones. The environment
/// variable NNHAL_PLUGINS holds such a text.
NNHAL_API std::vector<std::string> pluginPaths(std::string_view text);

/// Returns the directory of the extensions that are installed with this
/// library: nnhal/extensions beside it or its program, or in the lib folder of
/// their installation.
NNHAL_API std::string extensionDirectory();

/// Returns the extensions of \p directory in the order of their files, for
/// DeviceServices::extensions. Each is a plug-in NAME.so and a file NAME.json,
/// which describes one extension of it, with the kinds of elements and the
/// custom operators that it claims (nnhal/Runtime/Interface.h), if any:
///
///   {"name": "com.example.ext",
///    "operandTypes": [{"type": 0, "isTensor": true, "byteSize": 8,
///                      "element": "int64"}],
///    "customOperators": [{"name": "Sparkle", "operation": 3}]}
///
/// The plug-in is opened when a model uses the extension, or by
/// ExtensionBackend::open(). An extension that cannot be used is left out, and
/// services.log is told why; so is one that somebody other than root and the
/// user can write to. No directory is no error.
NNHAL_API std::vector<InstalledExtension>
installedExtensions(const DeviceServices &services,
                    const std::string &directory = extensionDirectory());

/// Opens the plug-ins of \p extensions, and removes those that cannot be
/// opened; services.log is told why. A program that forbids itself files calls
/// it before.
NNHAL_API void openExtensions(std::vector<InstalledExtension> &extensions,
                              const DeviceServices &services);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_DEVICEPLUGINS_H
