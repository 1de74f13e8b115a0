//===- Client.h - Devices of a service --------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_CLIENT_CLIENT_H
#define NNHAL_LIB_SERVICE_CLIENT_CLIENT_H

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceServices.h"

#include <memory>
#include <string>
#include <vector>

namespace nnhal::service::client {

/// Does the work of rt::connectDevices() (nnhal/Runtime/Service.h).
rt::Result<std::vector<std::unique_ptr<rt::Device>>>
connectDevices(const std::string &path, const rt::DeviceServices &services);

} // namespace nnhal::service::client

#endif // NNHAL_LIB_SERVICE_CLIENT_CLIENT_H
