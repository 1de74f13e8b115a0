//===- StatisticsTest.cpp - Means, histograms and intervals ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Benchmark/Statistics.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

using namespace nnhal::tools;

namespace {

TEST(StatisticsTest, MeanDeviationAndMedian) {
  std::vector<double> values = {4.0, 2.0, 6.0, 8.0};
  EXPECT_EQ(meanOf(values), 5.0);
  EXPECT_DOUBLE_EQ(standardDeviationOf(values), std::sqrt(5.0));
  EXPECT_EQ(medianOf(values), 4.0);
  EXPECT_EQ(meanOf({}), 0.0);
  EXPECT_EQ(standardDeviationOf({}), 0.0);
}

// L-089.
TEST(StatisticsTest, HistogramHas32BucketsFromLeastToMost) {
  std::vector<double> values;
  for (int i = 0; i <= 62; ++i)
    values.push_back(10.0 + i);
  Histogram histogram = histogramOf(values);
  EXPECT_EQ(histogram.start, 10.0);
  EXPECT_EQ(histogram.step, 2.0);
  for (size_t i = 0; i < 31; ++i)
    EXPECT_EQ(histogram.buckets[i], 2u) << i;
  EXPECT_EQ(histogram.buckets[31], 1u);
}

TEST(StatisticsTest, LargestValueIsInTheLastBucketHoweverItIsRounded) {
  for (double most : {0.1, 0.3, 1e-7, 123.456}) {
    std::vector<double> values = {most / 3, most};
    Histogram histogram = histogramOf(values);
    EXPECT_EQ(std::accumulate(histogram.buckets.begin(),
                              histogram.buckets.end(), uint64_t(0)),
              2u);
    EXPECT_EQ(histogram.buckets[0], 1u) << most;
    EXPECT_EQ(histogram.buckets[30] + histogram.buckets[31], 1u) << most;
  }
}

// L-089.
TEST(StatisticsTest, EqualValuesAreInTheFirstBucket) {
  std::vector<double> values = {3.0, 3.0, 3.0};
  Histogram histogram = histogramOf(values);
  EXPECT_EQ(histogram.step, 0.0);
  EXPECT_EQ(histogram.buckets[0], 3u);
  EXPECT_EQ(histogramOf({}).buckets[0], 0u);
}

std::vector<double> around(double middle) {
  std::vector<double> values;
  for (int i = 0; i < 101; ++i)
    values.push_back(middle * (1.0 + 0.001 * (i - 50)));
  return values;
}

TEST(StatisticsTest, IntervalHoldsTheMedianAndIsTheSameEachTime) {
  std::vector<double> values = around(10.0);
  Interval interval = bootstrapMedian(values);
  EXPECT_LT(interval.low, 10.0);
  EXPECT_GT(interval.high, 10.0);
  EXPECT_LT(interval.high - interval.low, 0.5);
  EXPECT_EQ(bootstrapMedian(values).low, interval.low);
}

TEST(StatisticsTest, IntervalOfARatioTellsAChangeFromNone) {
  Interval same = bootstrapMedianRatio(around(10.0), around(10.0));
  EXPECT_LE(same.low, 1.0);
  EXPECT_GE(same.high, 1.0);
  Interval slower = bootstrapMedianRatio(around(10.0), around(12.0));
  EXPECT_GT(slower.low, 1.15);
  EXPECT_LT(slower.high, 1.25);
}

TEST(StatisticsTest, ManyValuesAreThinned) {
  std::vector<double> values(100000);
  std::iota(values.begin(), values.end(), 1.0);
  Interval interval = bootstrapMedian(values, 200);
  EXPECT_LT(interval.low, 50000.0);
  EXPECT_GT(interval.high, 50000.0);
}

} // namespace
