//===- OpenedDevice.h - The device of a run ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_OPENEDDEVICE_H
#define NNHAL_LIB_TOOLS_BENCHMARK_OPENEDDEVICE_H

#include "ModelRun.h"
#include "ServiceProcess.h"

#include "Tools/Execution/Devices.h"
#include "nnhal/Runtime/DeviceRegistry.h"

#include <memory>

namespace nnhal::tools {

/// The device or devices of a plan with everything that they need. What is
/// destroyed first stands last.
struct OpenedDevice {
  ServiceProcess service;
  DevicesRequest request;
  RegisteredExtensions extensions;
  std::unique_ptr<rt::DeviceRegistry> registry;
  SelectedDevice selected;

  const rt::Device &device() const { return *selected.device; }
};

/// Starts the service that \p plan wants, loads its plug-ins and finds its
/// device. Fails with what they report, and with invalidArgument for threads
/// that the device does not use.
rt::Result<OpenedDevice> openDevice(const RunPlan &plan);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_OPENEDDEVICE_H
