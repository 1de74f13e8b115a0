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
#include "nnhal/Runtime/DeviceSet.h"

#include <functional>
#include <memory>
#include <optional>
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

/// The extensions beside the devices of a program.
struct RegisteredExtensions {
  /// The facts that a compiler has to know of those of the project's devices.
  std::vector<rt::CompiledExtension> compiled;
  /// The extensions of this process, for TFLiteImportOptions::extensions. Those
  /// of a service are those of its own process; a file is imported here.
  std::vector<rt::InstalledExtension> installed;
};

/// Registers the devices of the project or a service, and of plug-ins. Fails
/// with what connectDevices(), loadPlugin() or DeviceRegistry::add()
/// reports, and then names the service or the file of the plug-in.
rt::Result<RegisteredExtensions> registerDevices(const DevicesRequest &request,
                                                 rt::DeviceRegistry &registry);

/// Registers the devices of GPUs, whose drivers this loads. Fails with what
/// createGpuDevices() or DeviceRegistry::add() reports. \p absent is
/// GpuDevicesOptions::absent.
rt::Status
registerGpus(const DevicesRequest &request, rt::DeviceRegistry &registry,
             std::function<void(std::string_view, const rt::Status &)> absent);

/// Finds a device by its name; rt::anyGpuDevice is the first of a GPU. Fails
/// with invalidArgument, which names the devices that there are.
rt::Result<const rt::Device *> findDevice(const rt::DeviceRegistry &registry,
                                          std::string_view name);

/// The name that stands for all registered devices as one.
inline constexpr std::string_view allDevices = "auto";

/// The statements of a command line about the devices that execute.
struct DeviceSelection {
  /// A device, or `allDevices`.
  std::string device = "nnhal-cpu";
  /// Devices among which models are divided, in place of `device`.
  std::vector<std::string> several;
  /// Fail in place of falling back to nnhal-reference.
  bool isRequired = false;
  rt::Planner planner = rt::Planner::leastCost;
};

/// The device that executes: a registered one, or several as one.
struct SelectedDevice {
  const rt::Device *device = nullptr;
  /// The options of a set and the set itself; nothing for a registered device.
  std::optional<rt::DeviceSetOptions> members;
  std::unique_ptr<rt::Device> set;
};

/// Finds the device or devices of \p selection. nnhal-reference steps in for
/// the others of a set that has it, and is the last one of `allDevices`. Sets
/// report to \p services and prepare through \p cache, which may be null. Fails
/// with invalidArgument for a device that is unknown or listed twice.
rt::Result<SelectedDevice>
selectDevice(const rt::DeviceRegistry &registry,
             const DeviceSelection &selection,
             const rt::DeviceServices &services,
             std::shared_ptr<const rt::CompilationCache> cache);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_DEVICES_H
