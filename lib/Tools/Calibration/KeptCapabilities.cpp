//===- KeptCapabilities.cpp - Results of calibrations ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptCapabilities.h"

#include "Calibrate.h"

#include "nnhal/Runtime/CapabilitiesFile.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

/// Returns the path at which the calibration of \p device is kept.
static rt::Result<std::string> statePath(const rt::Device &device) {
  NNHAL_ASSIGN_OR_RETURN(std::string directory, rt::stateDirectory(getenv));
  return rt::capabilitiesPath(directory, device.name());
}

Status tools::calibrateAndKeep(const rt::Device &device,
                               const rt::Device &cpu) {
  NNHAL_ASSIGN_OR_RETURN(std::string path, statePath(device));
  NNHAL_ASSIGN_OR_RETURN(rt::Capabilities capabilities, calibrate(device, cpu));
  fmt::print("{}:\n{}", device.name(), describeCapabilities(capabilities));
  NNHAL_RETURN_IF_ERROR(rt::writeCapabilities(path, device.name(),
                                              device.version(), capabilities));
  fmt::print("kept in '{}'\n", path);
  return Status::ok();
}
