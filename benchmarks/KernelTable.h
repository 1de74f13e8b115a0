//===- KernelTable.h - Kernels side by side ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BENCHMARKS_KERNELTABLE_H
#define NNHAL_BENCHMARKS_KERNELTABLE_H

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace nnhal {

/// What the kernel benchmarks count: the best iteration in us, its rate in
/// GFLOP/s or GOP/s, and that rate's share of the FMA peak.
constexpr const char *bestCounter = "best_us";
constexpr const char *rateCounter = "GFLOP/s";
constexpr const char *shareCounter = "share";

/// Prints a markdown table at the end, a row for each kernel: this project's
/// implementation, the other library's, and their ratio. Names of benchmarks
/// are KERNEL/TYPE/IMPLEMENTATION; this project's is called nnhal.
class KernelTable : public benchmark::BenchmarkReporter {
public:
  bool ReportContext(const Context &) override { return true; }
  void ReportRuns(const std::vector<Run> &runs) override;
  void Finalize() override;

private:
  struct Cell {
    double best;
    double rate;
    double share;
  };
  struct Row {
    std::string kernel;
    /// The best of all repetitions, by implementation.
    std::map<std::string, Cell> cells;
  };
  /// In order of their first run.
  std::vector<Row> rows;
};

} // namespace nnhal

#endif // NNHAL_BENCHMARKS_KERNELTABLE_H
