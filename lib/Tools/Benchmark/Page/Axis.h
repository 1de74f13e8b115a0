//===- Axis.h - Where numbers lie in a plot ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_PAGE_AXIS_H
#define NNHAL_LIB_TOOLS_BENCHMARK_PAGE_AXIS_H

#include <cstddef>
#include <vector>

namespace nnhal::tools {

/// A logarithmic axis from 0 to 100 %. Values that it was not made for are at
/// its ends.
class LogAxis {
public:
  /// Makes room for \p value; only those above 0 count.
  void include(double value);
  /// The position in percent; 0 for an axis without values.
  double place(double value) const;
  /// Round numbers within the axis, not more than \p most.
  std::vector<double> ticks(size_t most = 5) const;
  bool isEmpty() const { return high == 0.0; }

private:
  double low = 0.0;
  double high = 0.0;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_PAGE_AXIS_H
