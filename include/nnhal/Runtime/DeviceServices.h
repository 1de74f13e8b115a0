//===- DeviceServices.h - Services that devices share -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_DEVICESERVICES_H
#define NNHAL_RUNTIME_DEVICESERVICES_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Capabilities.h"
#include "nnhal/Runtime/Execution.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

class ExtensionBackend;
class Log;
class MemoryBudget;
class Reactor;
class Scheduler;
class Tracer;
class WorkPool;

/// An extension backend with what is known of the library that it is from.
struct InstalledExtension {
  /// Never null.
  std::shared_ptr<const ExtensionBackend> backend;
  /// Names the build of the library: models that were compiled beside another
  /// build do not load.
  std::string buildIdentity;
};

/// The clock, the threads, the limits and the reports of a device, given by the
/// program (decisions 10). When several devices share them, the limits hold for
/// all of these devices together.
///
/// Ownership: shared with every device and prepared model made with them.
struct DeviceServices {
  /// The steady clock in nanoseconds, for deadlines, loops and timings, which
  /// any thread asks. The system's is used when this is empty.
  std::function<int64_t()> clock;
  /// Bounds and orders executions. Without one the device makes its own, with
  /// one slot per hardware thread.
  std::shared_ptr<Scheduler> executions;
  /// Bounds and orders preparations. Without one the device makes its own, with
  /// one slot per hardware thread.
  std::shared_ptr<Scheduler> preparations;
  /// Waits for fences and deadlines, on the same clock. Without one the device
  /// makes its own.
  std::shared_ptr<Reactor> reactor;
  /// Shares the work of an execution among threads. Without one an execution
  /// stays on the thread on which it runs.
  std::shared_ptr<WorkPool> workers;
  /// Limits arenas, buffers and copies, and gives arenas back that are not used
  /// for a while (D-010). Without one the limit is the machine's memory.
  std::shared_ptr<MemoryBudget> memory;
  /// Nothing is logged when this is null.
  std::shared_ptr<const Log> log;
  /// Nothing is traced when this is null.
  std::shared_ptr<Tracer> tracer;
  /// The directory where a device remembers which cache entries it has written
  /// (E-059). It is created when it is needed. It belongs to the user alone,
  /// and no client can write to it. Nothing is cached when it is empty or
  /// cannot be used.
  std::string stateDirectory;
  /// The measured capabilities of a device, by its name and version. Asked
  /// once, when a device is made, which then states them instead of its
  /// backend's for its whole life (C-024). Empty, or nothing for a device: the
  /// backend's. See keptCapabilities().
  std::function<std::optional<Capabilities>(std::string_view device,
                                            std::string_view deviceVersion)>
      measuredCapabilities;
  /// The extensions that nnhal-cpu and nnhal-reference list and execute; other
  /// devices do not look at them. Where several have one name and equal types,
  /// the first is used; with different types the extension is disabled (H-009,
  /// H-013).
  std::vector<InstalledExtension> extensions;
};

/// Returns \p services with everything that a device needs.
NNHAL_API DeviceServices completeServices(DeviceServices services);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_DEVICESERVICES_H
