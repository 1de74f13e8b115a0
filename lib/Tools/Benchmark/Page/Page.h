//===- Page.h - Results as a page to look at --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_PAGE_PAGE_H
#define NNHAL_LIB_TOOLS_BENCHMARK_PAGE_PAGE_H

#include "Tools/Benchmark/Result.h"

#include <span>
#include <string>

namespace nnhal::tools {

/// An earlier report, and the name that the page gives it.
struct NamedReport {
  std::string name;
  Report report;
};

/// One HTML file of \p report, beside \p earlier ones: it needs no other file,
/// no network and no script, follows the light or dark setting of the reader,
/// and fits a phone. Every plot is inline SVG with a title and has a table
/// (L-093).
std::string pageOf(const Report &report,
                   std::span<const NamedReport> earlier = {});

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_PAGE_PAGE_H
