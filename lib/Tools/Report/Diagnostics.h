//===- Diagnostics.h - Log and trace of a run -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_REPORT_DIAGNOSTICS_H
#define NNHAL_LIB_TOOLS_REPORT_DIAGNOSTICS_H

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceServices.h"
#include "nnhal/Runtime/Partition.h"
#include "nnhal/Runtime/Trace.h"

#include <optional>
#include <span>
#include <string>

namespace nnhal::tools {

/// The reports that are asked of devices.
struct DiagnosticsRequest {
  /// The tags of what is logged to standard error; null for nothing.
  const char *logTags = nullptr;
  bool isTraced = false;
};

/// Makes the services to which the devices report: a log on standard error and
/// a tracer, as \p request says.
rt::DeviceServices makeServices(const DiagnosticsRequest &request);

/// Writes the events that \p tracer has collected to a file.
rt::Status writeTraceFile(const rt::Tracer &tracer, const std::string &path);

/// Writes to \p path the graph of \p model, which is called \p name, with what
/// \p device, or \p plan where the model is divided, says of each operation and
/// how many nanoseconds it took, if that is known.
rt::Status drawModel(const std::string &path, std::string_view name,
                     const rt::AnnotatedModel &model, const rt::Device &device,
                     const std::optional<rt::PartitionPlan> &plan,
                     std::span<const uint64_t> operationTimes);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_REPORT_DIAGNOSTICS_H
