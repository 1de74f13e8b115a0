//===- Float16Test.cpp - IEEE 754 half precision --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Support/Float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace nnhal::rt;

namespace {

TEST(Float16Test, everyValueSurvives) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    float value = floatFromFloat16(static_cast<uint16_t>(bits));
    if (std::isnan(value))
      EXPECT_EQ(float16FromDouble(value) & 0x7FFF, 0x7E00);
    else
      EXPECT_EQ(float16FromDouble(value), bits);
  }
}

TEST(Float16Test, knownValues) {
  EXPECT_EQ(floatFromFloat16(0x3C00), 1.0f);
  EXPECT_EQ(floatFromFloat16(0xC000), -2.0f);
  EXPECT_EQ(floatFromFloat16(0x7BFF), 65504.0f);
  EXPECT_EQ(floatFromFloat16(0x0400), 0x1p-14f);
  EXPECT_EQ(floatFromFloat16(0x0001), 0x1p-24f);
  EXPECT_EQ(floatFromFloat16(0x7C00), std::numeric_limits<float>::infinity());
}

TEST(Float16Test, roundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    double low = floatFromFloat16(static_cast<uint16_t>(bits));
    double high = floatFromFloat16(static_cast<uint16_t>(bits + 1));
    double middle = (low + high) / 2;
    EXPECT_EQ(float16FromDouble(middle), bits + bits % 2);
    EXPECT_EQ(float16FromDouble(std::nextafter(middle, low)), bits);
    EXPECT_EQ(float16FromDouble(std::nextafter(middle, high)), bits + 1);
  }
  EXPECT_EQ(float16FromDouble(65519.999), 0x7BFF);
  EXPECT_EQ(float16FromDouble(65520.0), 0x7C00);
  EXPECT_EQ(float16FromDouble(-1e300), 0xFC00);
  EXPECT_EQ(float16FromDouble(1e-300), 0x0000);
}

} // namespace
