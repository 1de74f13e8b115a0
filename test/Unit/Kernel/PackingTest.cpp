//===- PackingTest.cpp - Tests of packed constants ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/Kernel/Packing.h"
#include "Target/CPU/CostModel.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace nnhal::kernel;

namespace {

template <typename T> llvm::ArrayRef<char> bytes(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

template <typename T> std::vector<T> elements(const std::vector<char> &packed) {
  std::vector<T> values(packed.size() / sizeof(T));
  std::memcpy(values.data(), packed.data(), packed.size());
  return values;
}

TEST(Packing, FilterGoesToPanelsWithZerosAfterTheLastChannel) {
  // Three output channels of a 1x2 filter on two input channels: value = 100 *
  // channel + 10 * column + input channel.
  std::vector<float> filter;
  for (int o = 0; o < 3; ++o)
    for (int w = 0; w < 2; ++w)
      for (int i = 0; i < 2; ++i)
        filter.push_back(100.0F * o + 10.0F * w + i + 1);
  std::vector<float> packed =
      elements<float>(packConvFilter(bytes(filter), {3, 1, 2, 2}, 2));
  EXPECT_EQ(packed, (std::vector<float>{1, 101, 2, 102, 11, 111, 12, 112, //
                                        201, 0, 202, 0, 211, 0, 212, 0}));
}

TEST(Packing, ElementsMayBeBytes) {
  std::vector<int8_t> filter = {1, 2, 3, 4, 5, 6};
  std::vector<int8_t> packed = elements<int8_t>(
      packConvFilter(bytes(filter), {2, 1, 1, 3}, 4, /*elementSize=*/1));
  EXPECT_EQ(packed, (std::vector<int8_t>{1, 4, 0, 0, 2, 5, 0, 0, 3, 6, 0, 0}));
}

template <typename T> static void packTwoChannels() {
  std::vector<T> filter = {1, 2, 3, 4, 5, 6};
  std::vector<T> packed =
      elements<T>(packConvFilter(bytes(filter), {2, 1, 1, 3}, 4, sizeof(T)));
  EXPECT_EQ(packed, (std::vector<T>{1, 4, 0, 0, 2, 5, 0, 0, 3, 6, 0, 0}));
}

TEST(Packing, ElementsMayHaveAnySize) {
  packTwoChannels<int16_t>();
  packTwoChannels<int32_t>();
  packTwoChannels<int64_t>();
}

TEST(Packing, BiasIsPaddedToWholePanels) {
  std::vector<float> bias = {1, 2, 3, 4, 5};
  EXPECT_EQ(elements<float>(packConvBias(bytes(bias), 4)),
            (std::vector<float>{1, 2, 3, 4, 5, 0, 0, 0}));
}

TEST(Packing, PanelsDivideTheChannelsWherePossible) {
  KernelTarget narrow{256, 16}, wide{512, 32};
  EXPECT_EQ(narrow.panelWidth(5), 8);
  EXPECT_EQ(narrow.panelWidth(24), 24);
  EXPECT_EQ(narrow.panelWidth(64), 16);
  EXPECT_EQ(narrow.panelWidth(72), 24);
  EXPECT_EQ(narrow.panelWidth(1001), 16);
  EXPECT_EQ(wide.panelWidth(5), 16);
  EXPECT_EQ(wide.panelWidth(32), 32);
  EXPECT_EQ(wide.panelWidth(96), 48);
  EXPECT_EQ(wide.panelWidth(1024), 64);
}

TEST(Packing, PanelWidthFitsTheVerifierForEveryChannelCount) {
  for (int64_t bits : {128, 256, 512})
    for (int64_t registers : {16, 32})
      for (int64_t channels = 1; channels < 200; ++channels) {
        int64_t width = KernelTarget{bits, registers}.panelWidth(channels);
        EXPECT_EQ(width % 4, 0) << channels;
        EXPECT_GT(width, 0) << channels;
        EXPECT_LE(width, 4 * bits / 32) << channels;
      }
}

} // namespace
