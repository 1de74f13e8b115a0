//===- CpuDevice.h - The device nnhal-cpu -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_CPUDEVICE_H
#define NNHAL_RUNTIME_CPUDEVICE_H

#include "nnhal/Runtime/Device.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace nnhal::rt {

struct CpuDeviceOptions {
  /// Asked by prepareModel() only. Never null.
  std::shared_ptr<LazyCompiler> compiler = std::make_shared<LazyCompiler>();
  /// Steady-clock nanoseconds, for deadlines and timings. Empty: the system's.
  std::function<int64_t()> clock;
};

/// The device "nnhal-cpu": code for this machine's CPU, executed on the
/// caller's thread.
std::unique_ptr<Device> createCpuDevice(CpuDeviceOptions options = {});

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_CPUDEVICE_H
