//===- CalibrateTest.cpp - The answer to --calibrate ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Calibration/Calibrate.h"
#include "Tools/Calibration/CalibrationModels.h"
#include "Tools/Report/Report.h"

#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/Validate.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <functional>

using namespace nnhal;
using namespace nnhal::tools;
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
  CalibrationOptions options;
  options.minRuns = 1;
  options.minDuration = 0;
  auto capabilities = calibrate(*device, *device, options);
  ASSERT_EQ(capabilities.status().message(), "");
  EXPECT_TRUE(rt::validateCapabilities(*capabilities).isOk()); // C-021
  for (const rt::OperandTypeInfo &row : rt::allOperandTypes()) {
    if (row.type == OperandType::SUBGRAPH)
      continue;
    bool isVendors = row.type == OperandType::OEM ||
                     row.type == OperandType::TENSOR_OEM_BYTE;
    EXPECT_EQ(rt::lookUp(capabilities->operandPerformance, row.type) ==
                  rt::PerformanceInfo(),
              isVendors)
        << row.name;
  }
  EXPECT_NE(capabilities->ifPerformance, rt::PerformanceInfo());
  EXPECT_NE(capabilities->whilePerformance, rt::PerformanceInfo());
  EXPECT_NE(capabilities->relaxedFloat32toFloat16PerformanceScalar,
            rt::PerformanceInfo());
}

/// A clock that is read before and after each measurement, of which every
/// second one takes \p slow instead of \p fast.
std::function<int64_t()> alternating(int64_t fast, int64_t slow) {
  return [=, reads = 0, now = int64_t(0)]() mutable {
    bool isEnd = reads % 2 == 1;
    bool isSlow = reads / 2 % 2 == 1;
    ++reads;
    return now += isEnd ? (isSlow ? slow : fast) : 0;
  };
}

TEST(CalibrateTest, C020_MeasuresRatios) {
  auto device = rt::createReferenceDevice();
  auto cpu = rt::createReferenceDevice();
  CalibrationOptions options;
  options.minRuns = 1;
  options.minDuration = 0;
  options.wallClock = alternating(1000, 4000);
  options.cpuClock = alternating(3000, 2000);
  auto capabilities = calibrate(*device, *cpu, options);
  ASSERT_EQ(capabilities.status().message(), "");
  auto isMeasured = [](const rt::PerformanceInfo &info) {
    return info == rt::PerformanceInfo{0.25f, 1.5f};
  };
  for (const rt::OperandPerformance &entry : capabilities->operandPerformance)
    EXPECT_TRUE(isMeasured(entry.info)) << rt::nameOf(entry.type);
  EXPECT_TRUE(isMeasured(capabilities->ifPerformance));
  EXPECT_TRUE(isMeasured(capabilities->whilePerformance));
  EXPECT_TRUE(
      isMeasured(capabilities->relaxedFloat32toFloat16PerformanceTensor));
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

TEST(CalibrateTest, RunsOftenAndLongEnough) {
  auto device = rt::createReferenceDevice();
  size_t reads = 0;
  auto readsWith = [&](uint64_t minRuns, int64_t minDuration,
                       int64_t maxDuration) {
    CalibrationOptions options = {minRuns, minDuration, maxDuration, {}, {}};
    options.cpuClock = [] { return int64_t(0); };
    options.wallClock = [&] { return int64_t(++reads) * 10; };
    reads = 0;
    EXPECT_TRUE(calibrate(*device, *device, options).isOk());
    return reads;
  };
  // Per measurement one read before, and one after each execution.
  size_t measurements = readsWith(1, 0, 1000) / 2;
  EXPECT_EQ(readsWith(4, 0, 1000), measurements * 5);
  EXPECT_EQ(readsWith(1, 60, 1000), measurements * 7);
  EXPECT_EQ(readsWith(100, 0, 30), measurements * 4);
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

TEST(CalibrateTest, DevicesAreListedWithTheirCapabilities) { // C-086
  auto device = rt::createReferenceDevice();
  std::string text = describeDevice(*device);
  EXPECT_EQ(text, fmt::format("nnhal-reference: type CPU, version {}, feature "
                              "level 30, extensions none\n{}",
                              device->version(),
                              describeCapabilities(device->capabilities())));
}

} // namespace
