//===- OpenServiceClient.h - Opens the client of services -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SERVICECLIENT_OPENSERVICECLIENT_H
#define NNHAL_LIB_RUNTIME_SERVICECLIENT_OPENSERVICECLIENT_H

#include "ServiceClientApi.h"

#include "nnhal/Runtime/Device.h"

#include <memory>
#include <string>
#include <vector>

namespace nnhal::rt {

/// Whether this runtime can use the table that the library \p path returns.
/// generalFailure says why not.
Status checkServiceClient(const std::string &path,
                          const NNHalServiceClientApi *api);

/// Opens the library \p path, which stays open. deviceUnavailable when it
/// cannot be opened, generalFailure when it is not a client of services or is
/// of another build.
Result<const NNHalServiceClientApi *>
openServiceClient(const std::string &path);

/// The devices of the service at \p path, as the client behind \p api answers.
/// generalFailure when it does not answer.
Result<std::vector<std::unique_ptr<Device>>>
connectDevices(const NNHalServiceClientApi &api, const std::string &path,
               const DeviceServices &services);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SERVICECLIENT_OPENSERVICECLIENT_H
