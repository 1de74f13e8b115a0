//===- Client.cpp - Devices of a service ----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

#include "RemoteDevice.h"

#include "Runtime/Support/LogFormat.h"
#include "nnhal/Runtime/Log.h"

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using rt::Result;
using rt::Status;

Result<std::vector<std::unique_ptr<rt::Device>>>
client::connectDevices(const std::string &path,
                       const rt::DeviceServices &services) {
  rt::DeviceServices complete = rt::completeServices(services);
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<EventLoop> loop, EventLoop::create());
  auto supervision = std::make_shared<Supervision>(loop, path);
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::string> names,
                         supervision->listDevices());
  std::vector<std::unique_ptr<rt::Device>> devices;
  Status firstFailure;
  for (const std::string &name : names) {
    auto device = RemoteDevice::create(loop, supervision, name, complete);
    if (device.isOk()) {
      devices.push_back(*std::move(device));
      continue;
    }
    // One that does not work takes no other along (C-084).
    rt::writeLog(*complete.log, rt::LogTag::manager,
                 "device '{}' of the service '{}' is skipped: {}", name, path,
                 device.status().message());
    if (firstFailure.isOk())
      firstFailure = device.status();
  }
  if (devices.empty() && !firstFailure.isOk())
    return firstFailure;
  return devices;
}
