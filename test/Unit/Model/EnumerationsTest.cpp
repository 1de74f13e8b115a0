//===- EnumerationsTest.cpp - Codes that the HAL fixes --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Rules.h"
#include "nnhal/Runtime/CacheHandles.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/PrepareOptions.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;

namespace {

// LOW_POWER is 0, FAST_SINGLE_ANSWER 1 and SUSTAINED_SPEED 2.
TEST(EnumerationsTest, preferences) {
  EXPECT_EQ(uint32_t(ExecutionPreference::lowPower), 0u);
  EXPECT_EQ(uint32_t(ExecutionPreference::fastSingleAnswer), 1u);
  EXPECT_EQ(uint32_t(ExecutionPreference::sustainedSpeed), 2u);
  EXPECT_EQ(PrepareOptions().preference, ExecutionPreference::fastSingleAnswer);
}

// LOW is 0, MEDIUM 1 and HIGH 2.
TEST(EnumerationsTest, priorities) {
  EXPECT_EQ(uint32_t(Priority::low), 0u);
  EXPECT_EQ(uint32_t(Priority::medium), 1u);
  EXPECT_EQ(uint32_t(Priority::high), 2u);
  EXPECT_EQ(PrepareOptions().priority, Priority::medium);
}

// AVAILABLE is 0, BUSY 1, OFFLINE 2 and UNKNOWN 3.
TEST(EnumerationsTest, deviceStatuses) {
  constexpr std::string_view names[] = {"AVAILABLE", "BUSY", "OFFLINE",
                                        "UNKNOWN"};
  for (uint32_t code = 0; code < std::size(names); ++code)
    EXPECT_EQ(toString(DeviceStatus(code)), names[code]);
  EXPECT_EQ(uint32_t(DeviceStatus::unknown), 3u);
}

// OTHER is 1, CPU 2, GPU 3 and ACCELERATOR 4.
TEST(EnumerationsTest, deviceTypes) {
  constexpr std::string_view names[] = {"OTHER", "CPU", "GPU", "ACCELERATOR"};
  for (uint32_t code = 1; code <= std::size(names); ++code)
    EXPECT_EQ(toString(DeviceType(code)), names[code - 1]);
  EXPECT_EQ(uint32_t(DeviceType::accelerator), 4u);
  EXPECT_EQ(toString(DeviceType::unknown), "UNKNOWN"); // Before HAL 1.2.
}

// none, those of channels or those of an extension.
TEST(EnumerationsTest, extraParameters) {
  using ExtraParams = decltype(Operand::extraParams);
  static_assert(std::variant_size_v<ExtraParams> == 3);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(Operand().extraParams));
  SymmPerChannelQuantParams channels = {{0.5f, 0.25f}, 1};
  ExtraParams params = channels;
  EXPECT_EQ(std::get<1>(params), channels);
  params = ExtensionParams{{1, 2, 3}};
  EXPECT_EQ(std::get<2>(params).bytes.size(), 3u);
}

// a token has 32 bytes, and there are at most 32 files of each kind.
TEST(EnumerationsTest, cacheSizes) {
  EXPECT_EQ(sizeof(CacheToken), 32u);
  EXPECT_EQ(maxCacheFiles, 32u);
}

// 0 is none, 1 RELU, 3 RELU6, 4 TANH and 6 SIGMOID.
TEST(EnumerationsTest, recurrentActivations) {
  EXPECT_EQ(int32_t(RecurrentActivation::none), 0);
  EXPECT_EQ(int32_t(RecurrentActivation::relu), 1);
  EXPECT_EQ(int32_t(RecurrentActivation::relu6), 3);
  EXPECT_EQ(int32_t(RecurrentActivation::tanh), 4);
  EXPECT_EQ(int32_t(RecurrentActivation::sigmoid), 6);
}

} // namespace
