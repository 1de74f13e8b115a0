//===- DescribedDeviceTest.cpp - Devices that a file describes ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelIR/DescribedDevice.h"

#include <gtest/gtest.h>

using namespace nnhal;

namespace {

TEST(DescribedDeviceTest, IsAskedAndDoesNothing) {
  auto described = readDevices(
      R"({"devices": [{"name": "dsp", "execTime": 0.5, "halVersion": "1.2",
                       "operations": ["RELU"]}], "fallback": "dsp"})");
  ASSERT_TRUE(described.isOk()) << described.status().message();
  const rt::Device &device = *described->devices.front();
  EXPECT_EQ(described->fallback, &device);
  EXPECT_EQ(device.halVersion(), rt::HalVersion::V1_2);
  EXPECT_EQ(device.prepareModel({}).status().message(),
            "dsp is only described");
  EXPECT_EQ(device.allocate({}, {}, {}, {}).status().message(),
            "dsp is only described");
}

} // namespace
