//===- SampleDevicesTest.cpp - The plug-in of sample devices --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Model/Slice.h"
#include "nnhal/Runtime/CompilationCache.h"
#include "nnhal/Runtime/DevicePlugins.h"
#include "nnhal/Runtime/DeviceRegistry.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include "../Model/TestModels.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

/// The devices of the plug-in as those of \p version.
DeviceRegistry samples(HalVersion version = HalVersion::V1_3) {
  DeviceRegistry registry;
  setenv("NNHAL_SAMPLE_HAL", std::string(toString(version)).c_str(), 1);
  auto plugin = loadPlugin(NNHAL_SAMPLE_DEVICES, {});
  unsetenv("NNHAL_SAMPLE_HAL");
  EXPECT_EQ(plugin.status().message(), "");
  if (plugin.isOk())
    for (std::unique_ptr<Device> &device : plugin->devices)
      EXPECT_EQ(registry.add(std::move(device)).message(), "");
  return registry;
}

/// ADD, MUL and MAXIMUM of float32, ADD of quantized values and SELECT of
/// those, which only HAL 1.2 has.
AnnotatedModel mixedModel() {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  Subgraph &main = model.main;
  auto quantized = [](Operand operand) {
    operand.scale = 0.5f;
    return operand;
  };
  constexpr OperandType floats = OperandType::TENSOR_FLOAT32;
  constexpr OperandType bytes = OperandType::TENSOR_QUANT8_ASYMM;
  main.operands = {
      input(floats, {2}),           zeros(model, OperandType::INT32, {}, 4),
      quantized(input(bytes, {2})), input(OperandType::TENSOR_BOOL8, {2}),
      output(floats, {2}),          output(floats, {2}),
      output(floats, {2}),          quantized(output(bytes, {2})),
      quantized(output(bytes, {2}))};
  main.operations = {{OperationType::ADD, {0, 0, 1}, {4}},
                     {OperationType::MUL, {0, 0, 1}, {5}},
                     {OperationType::MAXIMUM, {0, 0}, {6}},
                     {OperationType::ADD, {2, 2, 1}, {7}},
                     {OperationType::SELECT, {3, 2, 2}, {8}}};
  main.inputIndexes = {0, 2, 3};
  main.outputIndexes = {4, 5, 6, 7, 8};
  computeConsumers(main);
  return annotated;
}

/// One letter per operation: y where it is supported.
std::string supported(const Device *device, const AnnotatedModel &model) {
  Slices slices(model);
  auto answers = supportedOperations(*device, slices);
  EXPECT_EQ(answers.status().message(), "");
  std::string text;
  if (answers.isOk())
    for (const Status &answer : *answers)
      text += answer.isOk() ? 'y' : '-';
  return text;
}

// C-107, C-085.
TEST(SampleDevicesTest, describeThemselves) {
  for (HalVersion version : {HalVersion::V1_0, HalVersion::V1_1,
                             HalVersion::V1_2, HalVersion::V1_3}) {
    DeviceRegistry registry = samples(version);
    std::string names;
    for (const auto &device : registry.devices()) {
      names += std::string(device->name()) + " ";
      bool is12 = version >= HalVersion::V1_2;
      EXPECT_EQ(device->version(), is12 ? "JUST_AN_EXAMPLE" : "UNKNOWN");
      EXPECT_EQ(device->type(), is12 ? DeviceType::cpu : DeviceType::unknown);
      EXPECT_EQ(device->halVersion(), version);
      EXPECT_TRUE(device->extensions().empty());
      EXPECT_EQ(device->cacheFiles(), CacheFiles());
    }
    EXPECT_EQ(names, "nnapi-sample_all nnapi-sample_minimal "
                     "nnapi-sample_float_fast nnapi-sample_float_slow "
                     "nnapi-sample_quant ");
  }
}

TEST(SampleDevicesTest, areOfVersionsThatExist) {
  setenv("NNHAL_SAMPLE_HAL", "2.0", 1);
  auto plugin = loadPlugin(NNHAL_SAMPLE_DEVICES, {});
  unsetenv("NNHAL_SAMPLE_HAL");
  EXPECT_EQ(plugin.status().message(),
            "plug-in '" NNHAL_SAMPLE_DEVICES "' fails: NNHAL_SAMPLE_HAL is "
            "'2.0', expected 1.0 to 1.3");
}

PerformanceInfo performance(const Device *device, OperandType type) {
  return lookUp(device->capabilities().operandPerformance, type);
}

// C-102 to C-106.
TEST(SampleDevicesTest, statePerformance) {
  DeviceRegistry registry = samples();
  constexpr OperandType floats = OperandType::TENSOR_FLOAT32;
  constexpr OperandType bytes = OperandType::TENSOR_QUANT8_ASYMM;
  const Device *all = registry.find("nnapi-sample_all");
  EXPECT_EQ(all->capabilities(), uniformCapabilities({0.9f, 0.9f}));
  const Device *minimal = registry.find("nnapi-sample_minimal");
  EXPECT_EQ(performance(minimal, floats), PerformanceInfo({0.8f, 0.8f}));
  const Device *fast = registry.find("nnapi-sample_float_fast");
  EXPECT_EQ(performance(fast, floats), PerformanceInfo({0.8f, 1.2f}));
  EXPECT_EQ(fast->capabilities().relaxedFloat32toFloat16PerformanceTensor,
            PerformanceInfo({0.7f, 1.1f}));
  const Device *slow = registry.find("nnapi-sample_float_slow");
  EXPECT_EQ(performance(slow, floats), PerformanceInfo({1.3f, 0.7f}));
  EXPECT_EQ(slow->capabilities().relaxedFloat32toFloat16PerformanceScalar,
            PerformanceInfo({1.2f, 0.6f}));
  const Device *quant = registry.find("nnapi-sample_quant");
  EXPECT_EQ(performance(quant, bytes), PerformanceInfo({50.0f, 1.0f}));
}

// C-102 to C-106, I-064, I-070: the operations that older devices are not asked
// about are not theirs.
TEST(SampleDevicesTest, supportOperations) {
  AnnotatedModel model = mixedModel();
  for (HalVersion version : {HalVersion::V1_0, HalVersion::V1_1,
                             HalVersion::V1_2, HalVersion::V1_3}) {
    DeviceRegistry registry = samples(version);
    bool is12 = version >= HalVersion::V1_2;
    EXPECT_EQ(supported(registry.find("nnapi-sample_all"), model),
              is12 ? "yyyyy" : "yy-y-");
    EXPECT_EQ(supported(registry.find("nnapi-sample_minimal"), model), "y----");
    EXPECT_EQ(supported(registry.find("nnapi-sample_float_fast"), model),
              is12 ? "yyy--" : "yy---");
    EXPECT_EQ(supported(registry.find("nnapi-sample_float_slow"), model),
              is12 ? "yyy--" : "yy---");
    EXPECT_EQ(supported(registry.find("nnapi-sample_quant"), model),
              is12 ? "---yy" : "---y-");
  }
}

// C-035: the environment overrides what they take.
TEST(SampleDevicesTest, supportWhatTheEnvironmentLists) {
  AnnotatedModel model = mixedModel();
  for (auto [list, expected] :
       {std::pair("ADD,SELECT", "y--yy"), std::pair("MUL", "-y---"),
        std::pair("", "-----")}) {
    setenv("NNHAL_SAMPLE_SUPPORTED", list, 1);
    DeviceRegistry registry = samples();
    unsetenv("NNHAL_SAMPLE_SUPPORTED");
    ASSERT_EQ(registry.devices().size(), 5u);
    for (const auto &device : registry.devices())
      EXPECT_EQ(supported(device.get(), model), expected) << device->name();
  }
}

// C-108, C-109, C-110.
TEST(SampleDevicesTest, prepareAndExecute) {
  AnnotatedModel model;
  model.model = addTwice();
  std::array<float, 2> in = {0.1f, 1e30f}, expected = {}, out = {};
  auto request = [&](std::array<float, 2> &result) {
    Request request;
    request.inputs.push_back(
        {Memory::borrow(std::as_bytes(std::span(in))), {}});
    request.outputs.push_back(
        {OutputMemory::borrow(std::as_writable_bytes(std::span(result))), {}});
    return request;
  };
  ExecutionResult result;
  auto prepared = createReferenceDevice()->prepareModel(model);
  ASSERT_TRUE(prepared.isOk());
  ASSERT_TRUE((*prepared)->execute(request(expected), result).isOk());
  for (HalVersion version : {HalVersion::V1_0, HalVersion::V1_3}) {
    DeviceRegistry registry = samples(version);
    for (const auto &device : registry.devices()) {
      EXPECT_EQ(device->prepareModelFromCache({}, {}).status().code(),
                StatusCode::generalFailure);
      prepared = device->prepareModel(model);
      if (device->name() == "nnapi-sample_quant") {
        EXPECT_EQ(prepared.status().code(), StatusCode::invalidArgument);
        EXPECT_EQ(prepared.status().message(),
                  "nnapi-sample_quant does not execute this ADD");
        continue;
      }
      ASSERT_EQ(prepared.status().message(), "") << device->name();
      out = {};
      EXPECT_EQ((*prepared)->execute(request(out), result).message(), "");
      EXPECT_EQ(out, expected);
    }
  }
}

} // namespace
