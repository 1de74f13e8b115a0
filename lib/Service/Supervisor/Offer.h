//===- Offer.h - The devices that a service offers --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The supervisor runs no code of a vendor: a process that lives shortly loads
// the plug-ins and tells the names of all devices.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_SUPERVISOR_OFFER_H
#define NNHAL_LIB_SERVICE_SUPERVISOR_OFFER_H

#include "Child.h"

#include <string>
#include <vector>

namespace nnhal::service {

struct FoundDevice {
  std::string name;
  /// The plug-in that it comes from; for a device of the library the plug-ins
  /// whose extensions it executes.
  std::vector<std::string> plugins;
};

/// Asks \p lister, a program that calls tellDevices(), for all devices. Fails
/// with what it tells, or with generalFailure, which says how it ended.
rt::Result<std::vector<FoundDevice>> findDevices(const ChildProgram &lister);

/// Those of \p found that \p names lists, all without names. Fails with
/// invalidArgument, which names the known ones, for an unknown name.
rt::Result<std::vector<FoundDevice>>
selectDevices(std::vector<FoundDevice> found,
              const std::vector<std::string> &names);

/// Tells findDevices() the built-in devices, those of \p plugins, and those of
/// GPUs that \p names lists, or why one of them cannot be used, through
/// \p channel. The drivers of GPUs are loaded where a name asks for one.
rt::Status tellDevices(const std::vector<std::string> &plugins,
                       const std::vector<std::string> &names,
                       rt::UniqueFd channel);

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_SUPERVISOR_OFFER_H
