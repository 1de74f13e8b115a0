//===- BuiltInDevices.h - The devices of the library ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All devices that the library was built with, for programs that let their user
// choose one by name. The list is `devices` in lib/Runtime/CMakeLists.txt; each
// name is a folder of lib/Runtime/Devices that defines createBuiltInNAME().
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_BUILTINDEVICES_H
#define NNHAL_RUNTIME_BUILTINDEVICES_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceServices.h"

#include <memory>
#include <vector>

namespace nnhal::rt {

/// The parts that all devices share.
struct BuiltInDevicesOptions {
  DeviceServices services;
  /// Opened when a device has to compile something. Never null.
  std::shared_ptr<LazyCompiler> compiler = std::make_shared<LazyCompiler>();
};

/// One of each device, in the order of the list.
NNHAL_API std::vector<std::unique_ptr<Device>>
createBuiltInDevices(const BuiltInDevicesOptions &options = {});

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_BUILTINDEVICES_H
