//===- ResultTable.h - Results as a table of text ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_RESULTTABLE_H
#define NNHAL_LIB_TOOLS_BENCHMARK_RESULTTABLE_H

#include "Result.h"

namespace nnhal::tools {

/// One line per run below a line of titles: the median with its interval, how
/// much faster that is than the baseline, starts, memory, accuracy. A run that
/// failed has its reason there.
std::string tableOf(const Report &report);

/// "412 us", "1.25 ms" or "2.1 s".
std::string timeText(double microseconds);

/// "1.5 MB".
std::string sizeText(uint64_t bytes);

/// "top_1 38.7 %", the first that the evaluators found, or the largest error
/// where outputs were compared; empty without either.
std::string accuracyText(const RunResult &run);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_RESULTTABLE_H
