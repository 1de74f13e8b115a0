//===- Options.h - The command line of nnhal-service ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_SERVICE_OPTIONS_H
#define NNHAL_TOOLS_NNHAL_SERVICE_OPTIONS_H

#include "Service/Supervisor/Report.h"
#include "Service/Supervisor/Settings.h"
#include "Tools/Options/OptionRows.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::servicetool {

/// The job of one process of the program. The last three are those that the
/// service itself starts.
enum class Mode { serve, status, help, version, host, compileWorker, list };

struct Options {
  Mode mode = Mode::serve;
  service::Settings settings;
  service::ReportFormat format = service::ReportFormat::text;
  /// The device of a host.
  std::string hostedDevice;
  /// The file whose settings those of the command line replace.
  std::string config;
};

using Option = tools::OptionRow<Options>;

/// In the order of the help.
std::span<const Option> allOptions();

/// Reads the file of --config, too. Fails with invalidArgument, which names the
/// option or the place in the file.
rt::Result<Options> parseOptions(std::span<const std::string_view> arguments);

std::string helpText();

/// The options that give a process of the service \p settings.
std::vector<std::string> argumentsOf(service::Settings settings);

} // namespace nnhal::servicetool

#endif // NNHAL_TOOLS_NNHAL_SERVICE_OPTIONS_H
