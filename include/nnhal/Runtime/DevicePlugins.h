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

/// Opens the plug-in \p path (nnhal/Backend/DevicePlugin.h) and makes devices
/// of its backends, which share \p services. The library stays open until the
/// process ends, because code of it may be on any thread's stack. Its code runs
/// with the rights of the process: \p path comes from the user, never from a
/// model.
///
/// Fails with deviceUnavailable when the library cannot be opened; with
/// invalidArgument when it is not a plug-in or was built for another version or
/// C++ library; with generalFailure when its code reports a failure or throws.
NNHAL_API Result<std::vector<std::unique_ptr<Device>>>
loadDevicePlugin(const std::string &path, const DeviceServices &services);

/// Splits \p text at colons into paths and drops empty ones. The environment
/// variable NNHAL_PLUGINS holds such a text.
NNHAL_API std::vector<std::string> pluginPaths(std::string_view text);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_DEVICEPLUGINS_H
