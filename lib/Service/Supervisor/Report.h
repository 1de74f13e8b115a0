//===- Report.h - The state of a service ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_SUPERVISOR_REPORT_H
#define NNHAL_LIB_SERVICE_SUPERVISOR_REPORT_H

#include "nnhal/Runtime/Status.h"

#include <string>
#include <string_view>

namespace nnhal::service {

/// The formats of a report: lines for people, the JSON object of
/// Drivers.report, and the text format of Prometheus, version 0.0.4.
enum class ReportFormat { text, json, prometheus };

/// Asks the service at the socket \p path for its report. Fails with
/// deviceUnavailable when there is none, otherwise with what it answers.
rt::Result<std::string> fetchReport(const std::string &path);

/// \p json, which fetchReport() has given, in another format. Fails with
/// generalFailure when it is not such a report.
rt::Result<std::string> renderReport(std::string_view json,
                                     ReportFormat format);

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_SUPERVISOR_REPORT_H
