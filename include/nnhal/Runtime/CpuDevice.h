//===- CpuDevice.h - The device nnhal-cpu -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_CPUDEVICE_H
#define NNHAL_RUNTIME_CPUDEVICE_H

#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceServices.h"

#include <memory>

namespace nnhal::rt {

class Backend;

struct CpuDeviceOptions {
  /// The compiler, which only prepareModel() asks. The pointer is never null.
  std::shared_ptr<LazyCompiler> compiler = std::make_shared<LazyCompiler>();
  DeviceServices services;
  /// The backend that executes models while they are compiled
  /// (PrepareOptions::compileAfter). When it is null they are compiled first.
  std::shared_ptr<const Backend> baseline;
};

/// Makes the device "nnhal-cpu": code for this machine's CPU.
NNHAL_API std::unique_ptr<Device>
createCpuDevice(CpuDeviceOptions options = {});

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_CPUDEVICE_H
