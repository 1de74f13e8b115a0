//===- Percentile.h - Values among others -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_REPORT_PERCENTILE_H
#define NNHAL_LIB_TOOLS_REPORT_PERCENTILE_H

#include <algorithm>
#include <cmath>
#include <span>

namespace nnhal::tools {

/// The value that \p fraction of \p sorted, which is not empty, do not exceed.
inline double percentile(std::span<const double> sorted, double fraction) {
  size_t rank = size_t(std::ceil(fraction * double(sorted.size())));
  return sorted[std::clamp<size_t>(rank, 1, sorted.size()) - 1];
}

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_REPORT_PERCENTILE_H
