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

/// What a plug-in brings.
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

/// Returns the directory of the plug-ins that are installed with this library:
/// nnhal/extensions beside it or its program, or in the lib folder of their
/// installation.
NNHAL_API std::string extensionDirectory();

/// Loads the plug-ins *.so of \p directory in the order of their names and
/// returns their extensions, for DeviceServices::extensions; devices among them
/// are left out. A directory or file that somebody other than root and the user
/// can write to is left out, and so is a plug-in that cannot be loaded;
/// services.log is told why. No directory is no error.
NNHAL_API std::vector<InstalledExtension>
loadInstalledExtensions(const DeviceServices &services,
                        const std::string &directory = extensionDirectory());

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_DEVICEPLUGINS_H
