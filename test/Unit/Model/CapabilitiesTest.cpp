//===- CapabilitiesTest.cpp - How fast a device is ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Capabilities.h"

#include "TestModels.h"

#include <algorithm>
#include <limits>
#include <random>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

constexpr PerformanceInfo absent = {FLT_MAX, FLT_MAX};
constexpr PerformanceInfo floats = {0.8f, 1.2f};
constexpr PerformanceInfo relaxed = {0.7f, 1.1f};
constexpr PerformanceInfo quantized = {0.5f, 0.6f};
constexpr HalVersion versions[] = {HalVersion::V1_0, HalVersion::V1_1,
                                   HalVersion::V1_2, HalVersion::V1_3};

std::string problemOf(const Capabilities &capabilities) {
  return validateCapabilities(capabilities).message();
}

TEST(CapabilitiesTest, K040_EveryTypeOfAVersion) {
  // 6 types of 1.0, 8 of 1.2, 1 of 1.3 and SUBGRAPH, and 2 OEM types.
  size_t counts[] = {8, 8, 16, 17};
  for (HalVersion version : versions) {
    auto performance = nonExtensionOperandPerformance(floats, version);
    EXPECT_EQ(performance.size(), counts[size_t(version)]);
    EXPECT_TRUE(std::ranges::is_sorted(performance, std::less<>(),
                                       &OperandPerformance::type));
    for (const OperandPerformance &entry : performance) {
      EXPECT_EQ(entry.info, floats);
      EXPECT_NE(entry.type, OperandType::SUBGRAPH);
      ASSERT_TRUE(lookUp(entry.type));
      EXPECT_LE(lookUp(entry.type)->since, version);
    }
  }
}

TEST(CapabilitiesTest, K041_UpdateReplaces) {
  auto performance = nonExtensionOperandPerformance(floats);
  update(performance, OperandType::TENSOR_BOOL8, quantized);
  for (const OperandPerformance &entry : performance)
    EXPECT_EQ(entry.info,
              entry.type == OperandType::TENSOR_BOOL8 ? quantized : floats);
}

TEST(CapabilitiesDeathTest, K041_UpdateNeedsAnEntry) {
  auto performance = nonExtensionOperandPerformance(floats, HalVersion::V1_0);
  EXPECT_DEATH(update(performance, OperandType::TENSOR_BOOL8, quantized),
               "fatal: no performance to update of TENSOR_BOOL8");
}

TEST(CapabilitiesTest, K042_AbsentTypesAreNeverChosen) { // C-022, K-043
  std::vector<OperandPerformance> performance = {
      {OperandType::INT32, quantized}, {OperandType::TENSOR_FLOAT32, floats}};
  EXPECT_EQ(lookUp(performance, OperandType::INT32), quantized);
  EXPECT_EQ(lookUp(performance, OperandType::TENSOR_FLOAT32), floats);
  for (OperandType type : {OperandType::FLOAT32, OperandType::UINT32,
                           OperandType::TENSOR_OEM_BYTE, OperandType(0x10003)})
    EXPECT_EQ(lookUp(performance, type), absent);
  EXPECT_EQ(lookUp(std::span<const OperandPerformance>(), OperandType::INT32),
            absent);
  EXPECT_EQ(lookUp(nonExtensionOperandPerformance(floats),
                   OperandType(0x10003)), // K-043
            absent);
}

TEST(CapabilitiesDeathTest, K042_SubgraphHasNoPerformance) {
  EXPECT_DEATH(static_cast<void>(lookUp(nonExtensionOperandPerformance(floats),
                                        OperandType::SUBGRAPH)),
               "fatal: there is no performance of SUBGRAPH");
}

TEST(CapabilitiesTest, C020_NumbersArePositiveAndFinite) {
  EXPECT_EQ(problemOf(Capabilities()), ""); // FLT_MAX is finite.
  EXPECT_EQ(problemOf(uniformCapabilities(floats)), "");
  Capabilities bad = uniformCapabilities(floats);
  bad.relaxedFloat32toFloat16PerformanceScalar.execTime = 0.0f;
  EXPECT_EQ(problemOf(bad),
            "execTime of relaxedFloat32toFloat16PerformanceScalar: 0 must be "
            "positive and finite");
  bad = uniformCapabilities(floats);
  bad.relaxedFloat32toFloat16PerformanceTensor.powerUsage = -1.0f; // C-026
  EXPECT_EQ(problemOf(bad),
            "powerUsage of relaxedFloat32toFloat16PerformanceTensor: -1 must "
            "be positive and finite");
  bad = uniformCapabilities(floats);
  bad.ifPerformance.execTime = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(problemOf(bad),
            "execTime of ifPerformance: nan must be positive and finite");
  bad = uniformCapabilities(floats);
  bad.whilePerformance.powerUsage = std::numeric_limits<float>::infinity();
  EXPECT_EQ(problemOf(bad),
            "powerUsage of whilePerformance: inf must be positive and finite");
  bad = uniformCapabilities(floats);
  bad.operandPerformance[3].info.execTime = 0.0f;
  EXPECT_EQ(problemOf(bad), "operandPerformance: execTime of TENSOR_FLOAT32: 0 "
                            "must be positive and finite");
}

TEST(CapabilitiesTest, C021_EntriesAreSortedAndUnique) {
  auto problem = [](std::vector<OperandType> types) {
    Capabilities capabilities;
    for (OperandType type : types)
      capabilities.operandPerformance.push_back({type, floats});
    return problemOf(capabilities);
  };
  EXPECT_EQ(problem({OperandType::FLOAT32, OperandType::INT32}), "");
  EXPECT_EQ(problem({OperandType::INT32, OperandType::FLOAT32}),
            "operandPerformance: entry 1: FLOAT32 must not follow INT32");
  EXPECT_EQ(problem({OperandType::INT32, OperandType::INT32}),
            "operandPerformance: entry 1: INT32 must not follow INT32");
  EXPECT_EQ(problem({OperandType::INT32, OperandType::SUBGRAPH}),
            "operandPerformance: entry 1: SUBGRAPH has no performance");
  EXPECT_EQ(problem({OperandType(0x10003)}),
            "operandPerformance: entry 0: code 65539 is not an operand type of "
            "the HAL");
}

TEST(CapabilitiesTest, C023_PerformanceOfAnOperation) { // I-010, I-011
  Capabilities capabilities = uniformCapabilities(quantized);
  update(capabilities.operandPerformance, OperandType::TENSOR_FLOAT32, floats);
  capabilities.relaxedFloat32toFloat16PerformanceTensor = relaxed;
  capabilities.relaxedFloat32toFloat16PerformanceScalar = {3.0f, 3.0f};
  capabilities.ifPerformance = {1.0f, 1.0f};
  capabilities.whilePerformance = {2.0f, 2.0f};
  Model model = addTwice();
  auto performance = [&](Operation operation) {
    return performanceOf(capabilities, model, model.main, operation);
  };
  EXPECT_EQ(performance({OperationType::ADD, {0, 2}, {4}}), floats);
  EXPECT_EQ(performance({OperationType::ADD, {2, 0}, {4}}), quantized);
  EXPECT_EQ(performance({OperationType::IF, {0}, {4}}).execTime, 1.0f);
  EXPECT_EQ(performance({OperationType::WHILE, {0}, {4}}).execTime, 2.0f);
  EXPECT_EQ(performance({OperationType(0x10000), {}, {4}}), absent);
  model.relaxComputationFloat32toFloat16 = true;
  EXPECT_EQ(performance({OperationType::ADD, {0, 2}, {4}}), relaxed);
  EXPECT_EQ(performance({OperationType::ADD, {2, 0}, {4}}), quantized);
  model.main.operands[0].type = OperandType::FLOAT32;
  EXPECT_EQ(performance({OperationType::ADD, {0}, {4}}).execTime, 3.0f);
  model.main.operands[0].type = OperandType::SUBGRAPH;
  EXPECT_EQ(performance({OperationType(0x10000), {0}, {4}}), absent);
}

/// A device of HAL 1.1 in the form of 1.3.
Capabilities compliant11() {
  return toCapabilities(Capabilities11{floats, quantized, relaxed});
}

TEST(CapabilitiesTest, K025_CompliantWith10) {
  EXPECT_TRUE(isCompliantWith(uniformCapabilities(floats), HalVersion::V1_0));
  EXPECT_TRUE(isCompliantWith(toCapabilities(Capabilities10{floats, quantized}),
                              HalVersion::V1_0));
  EXPECT_FALSE(isCompliantWith(compliant11(), HalVersion::V1_0));
  Capabilities capabilities = compliant11();
  capabilities.relaxedFloat32toFloat16PerformanceScalar = floats;
  EXPECT_FALSE(isCompliantWith(capabilities, HalVersion::V1_0));
  capabilities.relaxedFloat32toFloat16PerformanceTensor = floats;
  EXPECT_TRUE(isCompliantWith(capabilities, HalVersion::V1_0));
  update(capabilities.operandPerformance, OperandType::FLOAT32, relaxed);
  EXPECT_FALSE(isCompliantWith(capabilities, HalVersion::V1_0));
}

TEST(CapabilitiesTest, K026_CompliantWith11) {
  EXPECT_TRUE(isCompliantWith(compliant11(), HalVersion::V1_1));
  Capabilities capabilities = compliant11();
  capabilities.relaxedFloat32toFloat16PerformanceScalar = floats;
  EXPECT_FALSE(isCompliantWith(capabilities, HalVersion::V1_1));
  capabilities = compliant11();
  update(capabilities.operandPerformance, OperandType::TENSOR_FLOAT32, relaxed);
  EXPECT_FALSE(isCompliantWith(capabilities, HalVersion::V1_1));
  EXPECT_TRUE(isCompliantWith(capabilities, HalVersion::V1_2));
  EXPECT_TRUE(isCompliantWith(capabilities, HalVersion::V1_3));
}

TEST(CapabilitiesTest, K027_QuantizedGroup) {
  for (OperandType type :
       {OperandType::INT32, OperandType::UINT32, OperandType::TENSOR_INT32,
        OperandType::TENSOR_QUANT8_ASYMM, OperandType::OEM,
        OperandType::TENSOR_OEM_BYTE}) {
    Capabilities capabilities = compliant11();
    update(capabilities.operandPerformance, type, floats);
    EXPECT_FALSE(isCompliantWith(capabilities, HalVersion::V1_1))
        << nameOf(type);
  }
  // Types that 1.1 does not have do not count.
  Capabilities capabilities = uniformCapabilities(floats);
  update(capabilities.operandPerformance, OperandType::TENSOR_BOOL8, quantized);
  EXPECT_TRUE(isCompliantWith(capabilities, HalVersion::V1_0));
}

TEST(CapabilitiesTest, K028_OldDriversKeepTheirQuantizedPerformance) {
  Capabilities capabilities = compliant11();
  EXPECT_EQ(problemOf(capabilities), "");
  EXPECT_EQ(capabilities.relaxedFloat32toFloat16PerformanceScalar, relaxed);
  EXPECT_EQ(capabilities.relaxedFloat32toFloat16PerformanceTensor, relaxed);
  for (const OperandTypeInfo &row : allOperandTypes()) {
    if (row.type == OperandType::SUBGRAPH)
      continue;
    PerformanceInfo expected = quantized;
    if (row.since > HalVersion::V1_1)
      expected = absent;
    else if (row.type == OperandType::FLOAT32 ||
             row.type == OperandType::TENSOR_FLOAT32)
      expected = floats;
    EXPECT_EQ(lookUp(capabilities.operandPerformance, row.type), expected)
        << row.name;
  }
  capabilities = toCapabilities(Capabilities10{floats, quantized});
  EXPECT_EQ(capabilities.relaxedFloat32toFloat16PerformanceScalar, floats);
  EXPECT_EQ(capabilities.relaxedFloat32toFloat16PerformanceTensor, floats);
}

TEST(CapabilitiesTest, K029_OldDriversHaveNoControlFlow) {
  Capabilities newer = toCapabilities(
      Capabilities12{relaxed, floats, nonExtensionOperandPerformance(floats)});
  EXPECT_EQ(newer.ifPerformance, absent);
  EXPECT_EQ(newer.whilePerformance, absent);
  EXPECT_EQ(newer.relaxedFloat32toFloat16PerformanceScalar, relaxed);
  EXPECT_EQ(newer.relaxedFloat32toFloat16PerformanceTensor, floats);
}

TEST(CapabilitiesTest, C025_FormsAgree) { // C-016 to C-019
  Capabilities10 oldest = {floats, quantized};
  EXPECT_EQ(toCapabilities10(toCapabilities(oldest)), oldest);
  Capabilities11 older = {floats, quantized, relaxed};
  EXPECT_EQ(toCapabilities11(toCapabilities(older)), older);
  EXPECT_EQ(toCapabilities10(toCapabilities(older)), oldest);
  Capabilities capabilities = uniformCapabilities(floats);
  Capabilities12 middle = toCapabilities12(capabilities);
  EXPECT_EQ(middle.operandPerformance,
            nonExtensionOperandPerformance(floats, HalVersion::V1_2));
  EXPECT_EQ(toCapabilities12(toCapabilities(middle)), middle);
  EXPECT_EQ(toCapabilities11(toCapabilities(middle)),
            toCapabilities11(capabilities));
}

/// Whatever a device says, its older forms and the way back agree (C-025).
TEST(CapabilitiesTest, C025_CompliantFormsLoseNothing) {
  std::mt19937 random(7);
  auto info = [&] { return random() % 2 ? floats : quantized; };
  size_t compliant = 0;
  for (int round = 0; round < 2000; ++round) {
    Capabilities capabilities = {
        info(), info(),
        nonExtensionOperandPerformance(info(), versions[random() % 4]), info(),
        info()};
    for (OperandPerformance &entry : capabilities.operandPerformance)
      if (random() % 8 == 0)
        entry.info = info();
    Capabilities back = toCapabilities(toCapabilities11(capabilities));
    auto lost = [&](OperandType type) {
      return lookUp(back.operandPerformance, type) !=
             lookUp(capabilities.operandPerformance, type);
    };
    bool isSame = back.relaxedFloat32toFloat16PerformanceScalar ==
                      capabilities.relaxedFloat32toFloat16PerformanceScalar &&
                  std::ranges::none_of(back.operandPerformance, lost,
                                       &OperandPerformance::type);
    EXPECT_EQ(isCompliantWith(capabilities, HalVersion::V1_1), isSame);
    compliant += isSame;
  }
  EXPECT_GT(compliant, 20u);
}

} // namespace
