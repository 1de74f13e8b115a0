//===- Csv.h - Results as comma-separated values ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_CSV_H
#define NNHAL_LIB_TOOLS_BENCHMARK_CSV_H

#include "Result.h"

namespace nnhal::tools {

/// The file of \p report: a line with time and build, one that names the
/// columns, and one per run (L-090). A run that failed has an empty line, which
/// does not fail the others (L-092).
std::string csvOf(const Report &report);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_CSV_H
