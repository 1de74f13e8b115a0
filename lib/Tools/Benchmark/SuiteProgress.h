//===- SuiteProgress.h - What a terminal shows of a suite -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_SUITEPROGRESS_H
#define NNHAL_LIB_TOOLS_BENCHMARK_SUITEPROGRESS_H

#include "Suite.h"

#include <chrono>

namespace nnhal::tools {

/// One line on standard error, if that is a terminal, with the run that is
/// measured and the time that is left, as far as the runs so far tell it. Runs
/// that fail have a line of their own anywhere.
class SuiteProgress {
public:
  SuiteProgress();

  /// Valid as long as this object.
  SuiteObserver observer();

  /// Removes the line.
  void finish();

private:
  void show(size_t done, size_t total, const RunName &current);

  bool isTerminal;
  bool hasLine = false;
  std::chrono::steady_clock::time_point begin;
};

/// "MODEL DATA DEVICE WAY THREADS (2/8, 1 min 5 s left)"; without the time
/// before the first run has ended.
std::string progressText(size_t done, size_t total, const RunName &current,
                         double seconds);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_SUITEPROGRESS_H
