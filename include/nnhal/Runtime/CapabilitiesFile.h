//===- CapabilitiesFile.h - Capabilities as measured ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A capabilities file keeps the results of a calibration between runs of a
// program, so that a device always states the same ones (C-024). There is one
// file per device, in JSON:
//
//   {"format": "nnhal-capabilities", "formatVersion": 1,
//    "device": "nnhal-cpu", "deviceVersion": "0.1.0",
//    "relaxedFloat32toFloat16PerformanceScalar":
//        {"execTime": 0.1, "powerUsage": 0.2},
//    "relaxedFloat32toFloat16PerformanceTensor": ...,
//    "operandPerformance":
//        [{"type": "TENSOR_FLOAT32", "execTime": 0.1, "powerUsage": 0.2}, ...],
//    "ifPerformance": ..., "whilePerformance": ...}
//
// A missing performance counts as FLT_MAX (C-022).
//
// A program gives its devices what calibrations have kept with one line:
//
//   services.measuredCapabilities = keptCapabilities(getenv);
//
// Threads: any function may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_CAPABILITIESFILE_H
#define NNHAL_RUNTIME_CAPABILITIESFILE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Capabilities.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace nnhal::rt {

/// Returns the folder for everything that programs of this project remember:
/// NNHAL_STATE_DIR, else nnhal in XDG_STATE_HOME, else .local/state/nnhal in
/// HOME, of which the last two count only where they are absolute.
/// \p environment answers as getenv(). Fails with generalFailure when none of
/// them is set. Nothing is created.
NNHAL_API Result<std::string>
stateDirectory(const std::function<const char *(const char *)> &environment);

/// Returns the path at which the capabilities of \p device are kept in
/// \p directory.
NNHAL_API std::string capabilitiesPath(const std::string &directory,
                                       std::string_view device);

/// Reads the capabilities of \p device, version \p deviceVersion; nullopt when
/// there is no file \p path. Fails with invalidArgument when the file is
/// damaged, of a newer format, or about another device or version of it; the
/// message names the found and the expected value.
NNHAL_API Result<std::optional<Capabilities>>
readCapabilities(const std::string &path, std::string_view device,
                 std::string_view deviceVersion);

/// Returns a value for DeviceServices::measuredCapabilities: it reads the files
/// in stateDirectory(\p environment), which is asked here and now; where that
/// is none, nothing is kept. A file that cannot be used counts as a missing
/// one, and \p warn is told: what readCapabilities() says, and that the device
/// keeps the capabilities that are built in. Without \p warn that is a line on
/// the standard error stream.
NNHAL_API std::function<std::optional<Capabilities>(
    std::string_view device, std::string_view deviceVersion)>
keptCapabilities(const std::function<const char *(const char *)> &environment,
                 std::function<void(const std::string &warning)> warn = {});

/// Replaces the file \p path, whose folder is created where it is missing.
/// Fails with invalidArgument when validateCapabilities() does, and with
/// generalFailure and the system's reason when the file cannot be written.
NNHAL_API Status writeCapabilities(const std::string &path,
                                   std::string_view device,
                                   std::string_view deviceVersion,
                                   const Capabilities &capabilities);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_CAPABILITIESFILE_H
