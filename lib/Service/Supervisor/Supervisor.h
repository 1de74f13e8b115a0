//===- Supervisor.h - The service's main process ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_SUPERVISOR_SUPERVISOR_H
#define NNHAL_LIB_SERVICE_SUPERVISOR_SUPERVISOR_H

#include "Child.h"
#include "Listener.h"
#include "Settings.h"

#include "nnhal/Runtime/Log.h"

#include <memory>
#include <string>
#include <vector>

namespace nnhal::service {

/// A device, and the arguments of the process that hosts it.
struct OfferedDevice {
  std::string name;
  ChildProgram host;
};

struct SupervisorOptions {
  Settings settings;
  std::vector<OfferedDevice> devices;
  /// Runs a compile worker.
  ChildProgram compileWorker;
  /// Never null.
  std::shared_ptr<const rt::Log> log;
};

/// Serves clients of \p listener until SIGTERM or SIGINT arrives: tells them
/// which devices there are, and connects them to the devices' processes, which
/// it keeps running. It runs nothing of a device itself and reads nothing of a
/// client but names.
///
/// A signal to end is obeyed when the devices have finished what is under way,
/// or after Settings::drainSeconds, or at a second signal. Returns when all
/// processes that it has started are gone. Fails with generalFailure when the
/// socket cannot be waited for.
///
/// Threads: to be called on the main thread, while it is the only one.
rt::Status runSupervisor(const Listener &listener, SupervisorOptions options);

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_SUPERVISOR_SUPERVISOR_H
