//===- CalibrateTest.cpp - The answer to --calibrate ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"
#include "CalibrationModels.h"

#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/Validate.h"

#include <gtest/gtest.h>

#include <atomic>

using namespace nnhal;
using namespace nnhal::run;
using rt::OperandType;

namespace {

TEST(CalibrateTest, ModelsAreValidAndSupported) {
  auto device = rt::createReferenceDevice();
  for (const CalibrationGroup &group : calibrationGroups())
    for (const rt::AnnotatedModel &model : group.models) {
      EXPECT_EQ(rt::validateModel(model.model).message(), "");
      auto answers = device->supportedOperations(model);
      ASSERT_TRUE(answers.isOk());
      for (const rt::Status &answer : *answers)
        EXPECT_EQ(answer.message(), "");
    }
}

TEST(CalibrateTest, EveryTypeButThoseOfVendorsIsMeasured) { // C-022
  auto device = rt::createReferenceDevice();
  auto capabilities = calibrate(*device, *device);
  ASSERT_EQ(capabilities.status().message(), "");
  EXPECT_TRUE(rt::validateCapabilities(*capabilities).isOk()); // C-021
  for (const rt::OperandTypeInfo &row : rt::allOperandTypes()) {
    if (row.type == OperandType::SUBGRAPH)
      continue;
    bool isVendors = row.type == OperandType::OEM ||
                     row.type == OperandType::TENSOR_OEM_BYTE;
    EXPECT_EQ(rt::lookUp(capabilities->operandPerformance, row.type),
              (isVendors ? rt::PerformanceInfo() : rt::PerformanceInfo{1, 1}))
        << row.name;
  }
}

TEST(CalibrateTest, C020_TheCpuIsOne) {
  auto device = rt::createReferenceDevice();
  CalibrationOptions options;
  options.wallClock = options.cpuClock = [] {
    ADD_FAILURE() << "nothing is to be measured";
    return int64_t(0);
  };
  auto capabilities = calibrate(*device, *device, options);
  ASSERT_TRUE(capabilities.isOk());
  EXPECT_EQ(capabilities->ifPerformance, (rt::PerformanceInfo{1, 1}));
  EXPECT_EQ(capabilities->whilePerformance, (rt::PerformanceInfo{1, 1}));
  EXPECT_EQ(capabilities->relaxedFloat32toFloat16PerformanceScalar,
            (rt::PerformanceInfo{1, 1}));
}

/// Two devices whose clocks drive the one that measures.
TEST(CalibrateTest, C020_MeasuresRatios) {
  int64_t now = 0;
  auto deviceOfStep = [&](int64_t step) {
    rt::ReferenceDeviceOptions options;
    options.clock = [&now, step] { return now += step; };
    return rt::createReferenceDevice(options);
  };
  auto device = deviceOfStep(1000);
  auto cpu = deviceOfStep(4000);
  CalibrationOptions options;
  options.minRuns = 3;
  options.minDuration = 0;
  options.wallClock = [&] { return now; };
  options.cpuClock = [&] { return now * 3; };
  auto capabilities = calibrate(*device, *cpu, options);
  ASSERT_EQ(capabilities.status().message(), "");
  auto isQuarter = [](const rt::PerformanceInfo &info) {
    return info == rt::PerformanceInfo{0.25f, 0.25f};
  };
  for (const rt::OperandPerformance &entry : capabilities->operandPerformance)
    EXPECT_TRUE(isQuarter(entry.info)) << rt::nameOf(entry.type);
  EXPECT_TRUE(isQuarter(capabilities->ifPerformance));
  EXPECT_TRUE(isQuarter(capabilities->whilePerformance));
  EXPECT_TRUE(
      isQuarter(capabilities->relaxedFloat32toFloat16PerformanceTensor));
}

TEST(CalibrateTest, FailuresAreReported) {
  rt::ReferenceDeviceOptions options;
  options.tensorLimit = 16;
  auto device = rt::createReferenceDevice(options);
  auto cpu = rt::createReferenceDevice();
  auto capabilities = calibrate(*device, *cpu);
  EXPECT_EQ(capabilities.status().code(),
            rt::StatusCode::resourceExhaustedPersistent);
}

TEST(CalibrateTest, Table) {
  rt::Capabilities capabilities;
  capabilities.operandPerformance = {
      {OperandType::TENSOR_FLOAT32, {0.0125f, 0.5f}}};
  capabilities.relaxedFloat32toFloat16PerformanceTensor = {0.25f, 2.0f};
  capabilities.ifPerformance = {1.0f, 1.0f};
  EXPECT_EQ(describeCapabilities(capabilities),
            "  relative to the CPU                execTime powerUsage\n"
            "  TENSOR_FLOAT32                       0.0125        0.5\n"
            "  relaxed TENSOR_FLOAT32                 0.25          2\n"
            "  IF                                        1          1\n");
}

} // namespace
