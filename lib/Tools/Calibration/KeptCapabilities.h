//===- KeptCapabilities.h - Results of calibrations -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_CALIBRATION_KEPTCAPABILITIES_H
#define NNHAL_LIB_TOOLS_CALIBRATION_KEPTCAPABILITIES_H

#include "nnhal/Runtime/Device.h"

namespace nnhal::tools {

/// Measures \p device beside \p cpu, prints what was found and keeps it in the
/// folder that the environment names. Fails with what calibrate() reports, and
/// when the file cannot be written.
rt::Status calibrateAndKeep(const rt::Device &device, const rt::Device &cpu);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_CALIBRATION_KEPTCAPABILITIES_H
