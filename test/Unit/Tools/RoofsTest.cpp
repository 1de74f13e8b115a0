//===- RoofsTest.cpp - What bounds kernels, as it is measured -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Roofs/Roofs.h"

#include <gtest/gtest.h>

using namespace nnhal;

namespace {

TEST(RoofsTest, RatesOfAbsentInstructionsAreZero) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    EXPECT_GT(measureReadBandwidth(4096, 0), 0.0);
    EXPECT_GT(measureFmaPeak(0), 0.0);
    EXPECT_GT(measurePairPeak(0), 0.0);
  }
  bool isWide = __builtin_cpu_supports("avx512f");
  EXPECT_EQ(measureWideFmaPeak(0) > 0.0, isWide);
  bool hasQuads = __builtin_cpu_supports("avx512vnni");
  EXPECT_EQ(measureQuadPeak(0) > 0.0, hasQuads);
#else
  EXPECT_EQ(measureReadBandwidth(4096, 0), 0.0);
  EXPECT_EQ(measureFmaPeak(0), 0.0);
#endif
}

#if defined(__x86_64__)
TEST(RoofsTest, LevelsOfMemoryGrow) {
  MemoryLevels levels = memoryLevels();
  EXPECT_GT(levels.l1, 0u);
  EXPECT_GT(levels.l2, levels.l1);
  EXPECT_GT(levels.l3, levels.l2);
  EXPECT_GT(levels.dram, levels.l3);
}
#endif

} // namespace
