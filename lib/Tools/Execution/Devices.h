//===- Devices.h - The devices of a program ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_EXECUTION_DEVICES_H
#define NNHAL_LIB_TOOLS_EXECUTION_DEVICES_H

#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/DeviceRegistry.h"
#include "nnhal/Runtime/DeviceServices.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::tools {

/// The devices that a program wants to have.
struct DevicesRequest {
  /// Shared by all devices.
  rt::DeviceServices services;
  /// Opened when something has to be compiled. Never null.
  std::shared_ptr<rt::LazyCompiler> compiler =
      std::make_shared<rt::LazyCompiler>();
  /// The socket of a service, whose devices are in the place of those of the
  /// project; none where it is empty.
  std::string service;
  /// Files of plug-ins, whose devices follow those of the project or service.
  std::vector<std::string> plugins;
};

/// Registers the devices of the project or a service, and of plug-ins. Fails
/// with what connectDevices(), loadDevicePlugin() or DeviceRegistry::add()
/// reports, and then names the service or the file of the plug-in.
rt::Status registerDevices(const DevicesRequest &request,
                           rt::DeviceRegistry &registry);

/// Fails with invalidArgument, which names the devices that there are.
rt::Result<const rt::Device *> findDevice(const rt::DeviceRegistry &registry,
                                          std::string_view name);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_DEVICES_H
