//===- DeviceServices.h - What devices share --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_DEVICESERVICES_H
#define NNHAL_RUNTIME_DEVICESERVICES_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Execution.h"

#include <functional>
#include <memory>
#include <string>

namespace nnhal::rt {

class Log;
class MemoryBudget;
class Reactor;
class Scheduler;
class Tracer;
class WorkPool;

/// The clock, the threads, the limits and the reports of a device, given by
/// the program (decisions 10). Several devices may share them: then the limits
/// hold for all of these devices together.
///
/// Ownership: shared with every device and prepared model made with them.
struct DeviceServices {
  /// Steady-clock nanoseconds, for deadlines, loops and timings. Empty: the
  /// system's.
  std::function<int64_t()> clock;
  /// Bounds and orders executions. Null: one slot per hardware thread.
  std::shared_ptr<Scheduler> executions;
  /// Bounds and orders preparations. Null: one slot per hardware thread.
  std::shared_ptr<Scheduler> preparations;
  /// Waits for fences and deadlines. Null: one of the device's own.
  std::shared_ptr<Reactor> reactor;
  /// Shares the work of an execution among threads. Null: an execution has one
  /// thread, that on which it runs.
  std::shared_ptr<WorkPool> workers;
  /// Limits arenas, buffers and copies. Null: to the machine's memory.
  std::shared_ptr<MemoryBudget> memory;
  /// Null: silent.
  std::shared_ptr<const Log> log;
  /// Null: not traced.
  std::shared_ptr<Tracer> tracer;
  /// Where a device remembers what it has written to caches (E-059); created
  /// when it is needed. It belongs to the user alone, and no client can write
  /// to it. Empty, or not usable: nothing is cached.
  std::string stateDirectory;
};

/// \p services with everything that a device cannot do without.
NNHAL_API DeviceServices completeServices(DeviceServices services);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_DEVICESERVICES_H
