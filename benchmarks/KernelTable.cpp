//===- KernelTable.cpp - Kernels side by side -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"

#include <fmt/format.h>

#include <algorithm>

using namespace nnhal;

void KernelTable::ReportRuns(const std::vector<Run> &runs) {
  for (const Run &run : runs) {
    std::string name = run.run_name.function_name;
    auto best = run.counters.find(bestCounter);
    if (best == run.counters.end()) {
      fmt::print(stderr, "error: {}: {}\n", name, run.error_message);
      continue;
    }
    size_t slash = name.rfind('/');
    std::string kernel = name.substr(0, slash);
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Row &known) {
      return known.kernel == kernel;
    });
    if (row == rows.end())
      row = rows.insert(rows.end(), {kernel, {}});
    Cell cell = {best->second, run.counters.at(rateCounter),
                 run.counters.at(shareCounter)};
    auto [place, isFirst] =
        row->cells.try_emplace(name.substr(slash + 1), cell);
    if (!isFirst && cell.best < place->second.best)
      place->second = cell;
  }
}

void KernelTable::Finalize() {
  fmt::print(
      "| kernel | us | GFLOP/s | share of peak | beside | us | GFLOP/s "
      "| share of peak | ratio |\n|---|---|---|---|---|---|---|---|---|\n");
  auto printCell = [](const Cell &cell) {
    fmt::print(" {:.1f} | {:.1f} | {:.0f} % |", cell.best, cell.rate,
               100 * cell.share);
  };
  for (const Row &row : rows) {
    fmt::print("| {} |", row.kernel);
    auto own = row.cells.find("nnhal");
    if (own != row.cells.end())
      printCell(own->second);
    else
      fmt::print(" - | - | - |");
    auto other =
        std::find_if(row.cells.begin(), row.cells.end(),
                     [&](auto &cell) { return cell.first != "nnhal"; });
    if (other == row.cells.end()) {
      fmt::print(" - | - | - | - | - |\n");
      continue;
    }
    fmt::print(" {} |", other->first);
    printCell(other->second);
    if (own == row.cells.end())
      fmt::print(" - |\n");
    else
      fmt::print(" {:.2f} |\n", own->second.best / other->second.best);
  }
}
