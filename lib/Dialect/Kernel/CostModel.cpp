//===- CostModel.cpp - The numbers by which kernels are tuned -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/Kernel/CostModel.h"

#include "llvm/ADT/StringExtras.h"

using namespace nnhal::kernel;
using llvm::StringRef;

// Measured with AVX2 on cores with 512 KiB and 2 MiB of second-level cache.
// Accumulators plus one panel of weights plus a broadcast input must fit the
// registers: 7x16 or 8x8 with 16 registers spill (5 times slower than 6x16).
static constexpr CostModel sixteenRegisters = {
    .panelRegisters = {2, 3, 0},
    .tileRows = {12, 6, 4, 3},
    .leastAccumulators = 8,
    .mostAccumulators = 12,
    .windowAccumulators = 8,
    .windowRows = 2,
    .unrolledTaps = 8,
    .unrolledSteps = 4,
    .inputCache = 512 << 10,
    .filterCache = 400 << 10,
    .outputCache = 1536 << 10,
    .innerCache = 32 << 10,
    .shortDepth = 64,
    .shortRun = 32,
    .prefetchedPixels = 4096,
    .bandCache = 1 << 20,
};

// The same with room for twice as many accumulators.
static constexpr CostModel thirtyTwoRegisters = [] {
  CostModel model = sixteenRegisters;
  model.panelRegisters = {4, 3, 2};
  model.tileRows = {14, 12, 8, 6};
  model.mostAccumulators = 24;
  model.windowRows = 1;
  model.prefetchedPixels = 1024;
  return model;
}();

const CostModel &CostModel::forRegisters(int64_t registers) {
  return registers >= 32 ? thirtyTwoRegisters : sixteenRegisters;
}

void CostModel::visit(llvm::function_ref<void(StringRef, int64_t &)> visit) {
  // Another width of panels leaves no choice.
  int64_t registers = panelRegisters[0];
  visit("panel-registers", registers);
  if (registers != panelRegisters[0])
    panelRegisters = {registers, 0, 0};
  static constexpr StringRef rowNames[] = {"tile-rows-1", "tile-rows-2",
                                           "tile-rows-3", "tile-rows-4"};
  for (size_t index = 0; index < tileRows.size(); ++index)
    visit(rowNames[index], tileRows[index]);
  visit("least-accumulators", leastAccumulators);
  visit("most-accumulators", mostAccumulators);
  visit("window-accumulators", windowAccumulators);
  visit("window-rows", windowRows);
  visit("unrolled-taps", unrolledTaps);
  visit("unrolled-steps", unrolledSteps);
  visit("input-cache", inputCache);
  visit("filter-cache", filterCache);
  visit("output-cache", outputCache);
  visit("inner-cache", innerCache);
  visit("short-depth", shortDepth);
  visit("short-run", shortRun);
  visit("prefetched-pixels", prefetchedPixels);
  visit("band-cache", bandCache);
}

llvm::LogicalResult
CostModel::set(llvm::ArrayRef<std::string> assignments,
               llvm::function_ref<void(const llvm::Twine &)> report) {
  constexpr int64_t largest = int64_t(1) << 30;
  for (StringRef assignment : assignments) {
    auto [name, text] = assignment.split('=');
    int64_t value = 0;
    if (text.getAsInteger(10, value) || value < 1 || value > largest) {
      report("cost-model: '" + assignment +
             "' does not give a number from 1 to 2^30");
      return llvm::failure();
    }
    bool isKnown = false;
    visit([&, name = name](StringRef known, int64_t &number) {
      if (known != name)
        return;
      number = value;
      isKnown = true;
    });
    if (!isKnown) {
      report("cost-model: there is no number '" + name + "'");
      return llvm::failure();
    }
  }
  return llvm::success();
}

llvm::LogicalResult
KernelTarget::tune(llvm::ArrayRef<std::string> assignments,
                   llvm::function_ref<void(const llvm::Twine &)> report) {
  CostModel model = costs();
  if (failed(model.set(assignments, report)))
    return llvm::failure();
  tuned = model;
  return llvm::success();
}
