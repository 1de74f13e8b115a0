//===- ResultJson.h - Results as JSON ---------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_RESULTJSON_H
#define NNHAL_LIB_TOOLS_BENCHMARK_RESULTJSON_H

#include "Result.h"

#include "nnhal/Runtime/Status.h"

namespace nnhal::tools {

/// The file of \p report, which ends with a newline. Beside what readReport()
/// takes it has the bundle of each run (L-091) and measured capabilities
/// (L-094), for other programs.
std::string jsonOf(const Report &report);

/// Reads what jsonOf() has written to \p path. invalidArgument names the file,
/// the key, what was found and what is allowed.
rt::Result<Report> readReport(const std::string &path);

/// One run as a line of JSON, from a process to another, and back.
std::string jsonOf(const RunResult &run);
rt::Result<RunResult> readRun(std::string_view text);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_RESULTJSON_H
