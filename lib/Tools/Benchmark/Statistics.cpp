//===- Statistics.cpp - What many measured times say ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"

#include "Tools/Report/Percentile.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

using namespace nnhal;
using namespace nnhal::tools;

double tools::medianOf(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return percentile(sorted, 0.5);
}

double tools::meanOf(std::span<const double> values) {
  if (values.empty())
    return 0.0;
  return std::accumulate(values.begin(), values.end(), 0.0) /
         double(values.size());
}

double tools::standardDeviationOf(std::span<const double> values) {
  if (values.empty())
    return 0.0;
  double mean = meanOf(values);
  double sum = 0.0;
  for (double value : values)
    sum += (value - mean) * (value - mean);
  return std::sqrt(sum / double(values.size()));
}

Histogram tools::histogramOf(std::span<const double> values) {
  Histogram histogram;
  if (values.empty())
    return histogram;
  auto [least, most] = std::ranges::minmax(values);
  histogram.start = least;
  histogram.step = (most - least) / (Histogram::bucketCount - 1);
  for (double value : values) {
    // The largest value may come out as bucket 31.0000001, or as 30.9999999.
    size_t index =
        histogram.step > 0.0 ? size_t((value - least) / histogram.step) : 0;
    ++histogram.buckets[std::min(index, Histogram::bucketCount - 1)];
  }
  return histogram;
}

namespace {
/// Draws values anew, with replacement, and takes their median.
class MedianDraws {
public:
  explicit MedianDraws(std::span<const double> values)
      : values(values), drawn(values.size()) {}

  double draw(std::mt19937_64 &generator) {
    std::uniform_int_distribution<size_t> choose(0, values.size() - 1);
    for (double &value : drawn)
      value = values[choose(generator)];
    size_t rank = (drawn.size() + 1) / 2 - 1;
    std::ranges::nth_element(drawn, drawn.begin() + ptrdiff_t(rank));
    return drawn[rank];
  }

private:
  std::span<const double> values;
  std::vector<double> drawn;
};
} // namespace

static constexpr uint64_t seed = 20;

static Interval middle(std::vector<double> drawn) {
  std::ranges::sort(drawn);
  return {percentile(drawn, 0.025), percentile(drawn, 0.975)};
}

/// Values beyond this change nothing but the time that drawing takes.
static constexpr size_t maxValues = 2000;

/// Evenly spaced ones of \p values, maxValues at most.
static std::vector<double> thinned(std::span<const double> values) {
  size_t count = std::min(values.size(), maxValues);
  std::vector<double> kept;
  kept.reserve(count);
  for (size_t i = 0; i < count; ++i)
    kept.push_back(values[i * values.size() / count]);
  return kept;
}

Interval tools::bootstrapMedianRatio(std::span<const double> before,
                                     std::span<const double> after,
                                     size_t draws) {
  std::mt19937_64 generator(seed);
  std::vector<double> olds = thinned(before), news = thinned(after);
  MedianDraws old(olds), other(news);
  std::vector<double> ratios(draws);
  for (double &ratio : ratios)
    ratio = other.draw(generator) / old.draw(generator);
  return middle(std::move(ratios));
}

Interval tools::bootstrapMedian(std::span<const double> values, size_t draws) {
  std::mt19937_64 generator(seed);
  std::vector<double> kept = thinned(values);
  MedianDraws medians(kept);
  std::vector<double> drawn(draws);
  for (double &median : drawn)
    median = medians.draw(generator);
  return middle(std::move(drawn));
}
