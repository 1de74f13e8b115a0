//===- StressRun.h - All tests on all devices -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_STRESS_STRESSRUN_H
#define NNHAL_TOOLS_NNHAL_STRESS_STRESSRUN_H

#include "Options.h"
#include "Results.h"

namespace nnhal::stress {

/// The names of the tests, in the order in which they run.
std::span<const std::string_view> testNames();

/// Runs the tests of \p options that have no result yet, prints a line for each
/// and keeps it. Fails where results cannot be kept, where a client cannot be
/// started, and where no test matches the filter.
rt::Result<StressState> runTests(const Options &options);

} // namespace nnhal::stress

#endif // NNHAL_TOOLS_NNHAL_STRESS_STRESSRUN_H
