//===- Calibrate.h - The answer to --calibrate ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_CALIBRATION_CALIBRATE_H
#define NNHAL_LIB_TOOLS_CALIBRATION_CALIBRATE_H

#include "nnhal/Runtime/Capabilities.h"
#include "nnhal/Runtime/Device.h"

#include <cstdint>
#include <functional>
#include <string>

namespace nnhal::tools {

struct CalibrationOptions {
  /// Each model runs this often and this many nanoseconds at least, but never
  /// longer than maxDuration once it has run.
  uint64_t minRuns = 5;
  int64_t minDuration = 20'000'000;
  int64_t maxDuration = 1'000'000'000;
  /// Two clocks in nanoseconds. Where they are empty, the steady clock and the
  /// time that all threads of the process have spent on CPUs are used.
  std::function<int64_t()> wallClock;
  std::function<int64_t()> cpuClock;
};

/// Measures how fast \p device is beside \p cpu, which is 1 by definition
/// (C-020). execTime is the ratio of the median times of an execution;
/// powerUsage that of the CPU times, which only approximates energy, and says
/// nothing where work is done elsewhere. With several models for a type it is
/// the geometric mean of those that \p device supports; a type without one is
/// missing (C-022).
///
/// Fails like the preparation or execution of a supported model.
///
/// Blocking: for seconds.
rt::Result<rt::Capabilities> calibrate(const rt::Device &device,
                                       const rt::Device &cpu,
                                       const CalibrationOptions &options = {});

/// Returns a table of \p capabilities, which ends with a newline. Entries that
/// are missing are left out.
std::string describeCapabilities(const rt::Capabilities &capabilities);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_CALIBRATION_CALIBRATE_H
