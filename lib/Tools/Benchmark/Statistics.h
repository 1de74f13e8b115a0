//===- Statistics.h - What many measured times say --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_STATISTICS_H
#define NNHAL_LIB_TOOLS_BENCHMARK_STATISTICS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace nnhal::tools {

/// The value that half of \p values, which are not empty, do not exceed.
double medianOf(std::span<const double> values);

/// Returns 0 for no values.
double meanOf(std::span<const double> values);

/// The root of the mean square distance from the mean; 0 for no values.
double standardDeviationOf(std::span<const double> values);

/// How often times fell into each of 32 buckets (L-088, L-089).
struct Histogram {
  static constexpr size_t bucketCount = 32;
  /// The least value, and the width of a bucket; 0 where all values are equal,
  /// which the first bucket has then.
  double start = 0.0;
  double step = 0.0;
  std::array<uint64_t, bucketCount> buckets = {};
};
Histogram histogramOf(std::span<const double> values);

/// An interval that a quantity is in with a confidence of 95 %.
struct Interval {
  double low = 0.0;
  double high = 0.0;
};

/// The interval of the median of \p after, divided by that of \p before, by the
/// percentile bootstrap: both are drawn anew from their values \p draws times.
/// The generator is seeded, so that the same values give the same interval.
/// Neither may be empty.
Interval bootstrapMedianRatio(std::span<const double> before,
                              std::span<const double> after,
                              size_t draws = 1000);

/// The interval of the median of \p values alone, in the same way.
Interval bootstrapMedian(std::span<const double> values, size_t draws = 1000);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_STATISTICS_H
