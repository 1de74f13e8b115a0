//===- OlderDeviceTest.cpp - Devices of HAL 1.0, 1.1 and 1.2 --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpyDevice.h"

#include "nnhal/Runtime/CompilationCache.h"
#include "nnhal/Runtime/DeviceRegistry.h"

#include <future>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

constexpr HalVersion olderVersions[] = {HalVersion::V1_0, HalVersion::V1_1,
                                        HalVersion::V1_2};

AnnotatedModel annotated(Model model) {
  AnnotatedModel result;
  result.model = std::move(model);
  result.inputNames = {"in"};
  return result;
}

/// A model of HAL 1.2 alone.
AnnotatedModel expModel() {
  Model model;
  model.main.operands = {input(OperandType::TENSOR_FLOAT32, {2}),
                         output(OperandType::TENSOR_FLOAT32, {2})};
  model.main.operations = {{OperationType::EXP, {0}, {1}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {1};
  computeConsumers(model.main);
  return annotated(model);
}

// C-087: what is called are methods of the device itself, or those of one older
// version.
TEST(OlderDeviceTest, newestVersionIsTheDeviceItself) {
  auto device = std::make_unique<SpyDevice>(std::make_shared<Seen>());
  Device *same = device.get();
  EXPECT_EQ(asHalVersion(std::move(device), HalVersion::V1_3).get(), same);
  EXPECT_FALSE(asHalVersion(nullptr, HalVersion::V1_0));
  auto oldest = older(std::make_shared<Seen>(), HalVersion::V1_0);
  same = oldest.get();
  EXPECT_EQ(asHalVersion(std::move(oldest), HalVersion::V1_1).get(), same);
}

// C-085, C-086, E-034.
TEST(OlderDeviceTest, describesItself) {
  auto seen = std::make_shared<Seen>();
  for (HalVersion version : olderVersions) {
    bool is12 = version == HalVersion::V1_2;
    auto device = older(seen, version);
    EXPECT_EQ(device->name(), "test-spy");
    EXPECT_EQ(device->halVersion(), version);
    EXPECT_EQ(featureLevel(device->halVersion()), 27 + int(version));
    EXPECT_EQ(device->version(), is12 ? "7" : "UNKNOWN");
    EXPECT_EQ(device->type(), is12 ? DeviceType::gpu : DeviceType::unknown);
    EXPECT_EQ(toString(device->type()), is12 ? "GPU" : "UNKNOWN");
    EXPECT_EQ(device->extensions().size(), is12 ? 1u : 0u);
    EXPECT_EQ(device->cacheFiles(), is12 ? CacheFiles({1, 2}) : CacheFiles());
    EXPECT_EQ(device->status(), DeviceStatus::busy);
    EXPECT_EQ(device->traits(), DeviceTraits({true, true, false, {}}));
    // Registration takes it as it is.
    DeviceRegistry registry;
    EXPECT_EQ(registry.add(std::move(device)).message(), "");
  }
}

// C-016 to C-018: what a version cannot say is lost.
TEST(OlderDeviceTest, statesTheCapabilitiesOfTheVersion) {
  auto seen = std::make_shared<Seen>();
  for (HalVersion version : olderVersions) {
    auto device = older(seen, version);
    const Capabilities &capabilities = device->capabilities();
    EXPECT_EQ(capabilities.whilePerformance, PerformanceInfo());
    EXPECT_EQ(
        lookUp(capabilities.operandPerformance, OperandType::TENSOR_FLOAT32),
        PerformanceInfo({0.5f, 0.5f}));
    EXPECT_EQ(
        lookUp(capabilities.operandPerformance, OperandType::TENSOR_FLOAT16),
        version == HalVersion::V1_2 ? PerformanceInfo({0.25f, 0.25f})
                                    : PerformanceInfo());
  }
}

// C-001 to C-003: a model is asked about in the form of the version.
TEST(OlderDeviceTest, asksAboutModelsOfTheVersion) {
  for (HalVersion version : olderVersions) {
    auto seen = std::make_shared<Seen>();
    auto device = older(seen, version);
    AnnotatedModel model = annotated(addTwice());
    model.model.relaxComputationFloat32toFloat16 = true;
    auto answers = device->supportedOperations(model);
    ASSERT_EQ(answers.status().message(), "");
    EXPECT_EQ(answers->size(), 2u);
    EXPECT_EQ(seen->model->halVersion, version);
    EXPECT_EQ(seen->model->relaxComputationFloat32toFloat16,
              version >= HalVersion::V1_1);
    seen->failure = {StatusCode::resourceExhaustedTransient, "no memory left"};
    auto failed = device->supportedOperations(model);
    EXPECT_EQ(failed.status().code(), StatusCode::generalFailure); // C-101
    EXPECT_EQ(failed.status().message(), "no memory left");
  }
  auto seen = std::make_shared<Seen>();
  auto refused = older(seen, HalVersion::V1_1)->supportedOperations(expModel());
  EXPECT_EQ(refused.status().code(), StatusCode::invalidArgument);
  EXPECT_TRUE(seen->calls.empty());
}

// C-088: what does not comply is a general failure; what is valid in no version
// an invalid argument.
TEST(OlderDeviceTest, preparesModelsThatComply) {
  auto seen = std::make_shared<Seen>();
  auto device = older(seen, HalVersion::V1_1);
  auto prepared = device->prepareModel(expModel());
  EXPECT_EQ(prepared.status().code(), StatusCode::generalFailure);
  EXPECT_EQ(prepared.status().message(),
            "main: operation 0 (EXP): the operation needs HAL 1.2, the model "
            "is validated as 1.1");
  Status heard;
  Status launched = device->prepareModelAsync(
      std::make_shared<AnnotatedModel>(expModel()), {},
      [&](Result<PreparedModelRef> result) { heard = result.status(); });
  EXPECT_EQ(launched.code(), StatusCode::generalFailure);
  EXPECT_EQ(heard.message(), prepared.status().message());
  AnnotatedModel wrong = annotated(addTwice());
  wrong.model.main.operations[0].inputs[0] = 99;
  EXPECT_EQ(device->prepareModel(wrong).status().code(),
            StatusCode::invalidArgument);
  EXPECT_TRUE(seen->calls.empty());
  EXPECT_TRUE(older(seen, HalVersion::V1_2)->prepareModel(expModel()).isOk());
}

PrepareOptions everyOption() {
  PrepareOptions options;
  options.preference = ExecutionPreference::lowPower;
  options.priority = Priority::high;
  options.deadline = steadyNow() + 3'600'000'000'000;
  options.client = 5;
  options.token[0] = 3;
  options.contentKey.emplace();
  return options;
}

// C-002, C-003, C-053: each version has some of the options.
TEST(OlderDeviceTest, keepsTheOptionsOfTheVersion) {
  for (HalVersion version : olderVersions) {
    auto seen = std::make_shared<Seen>();
    auto device = older(seen, version);
    auto prepared = device->prepareModel(annotated(addTwice()), everyOption());
    ASSERT_EQ(prepared.status().message(), "");
    EXPECT_EQ(seen->calls, (std::vector<std::string>{"prepareModelAsync"}));
    EXPECT_EQ(seen->options.preference,
              version >= HalVersion::V1_1
                  ? ExecutionPreference::lowPower
                  : ExecutionPreference::fastSingleAnswer);
    EXPECT_EQ(seen->options.priority, Priority::medium);
    EXPECT_EQ(seen->options.deadline, noDeadline);
    EXPECT_EQ(seen->options.client, 5u);
    EXPECT_EQ(seen->options.token[0], version >= HalVersion::V1_2 ? 3 : 0);
    EXPECT_EQ(seen->options.contentKey.has_value(),
              version >= HalVersion::V1_2);
    EXPECT_EQ(seen->model->halVersion, version);
    EXPECT_EQ((*prepared)->memoryUse(), (MemoryUse{11, 12, 13}));
    EXPECT_EQ((*prepared)->interface().inputs[0].name, "in");
  }
}

// C-101, and the connection tells that a device has died.
TEST(OlderDeviceTest, statesFailuresOfTheVersion) {
  for (HalVersion version : olderVersions) {
    auto seen = std::make_shared<Seen>();
    auto device = older(seen, version);
    for (auto [code, stated] :
         {std::pair(StatusCode::deviceUnavailable,
                    StatusCode::deviceUnavailable),
          std::pair(StatusCode::missedDeadlineTransient,
                    StatusCode::generalFailure),
          std::pair(StatusCode::resourceExhaustedPersistent,
                    StatusCode::generalFailure),
          std::pair(StatusCode::deadObject, StatusCode::deadObject)}) {
      seen->failure = {code, "the spy fails"};
      auto prepared = device->prepareModel(annotated(addTwice()));
      EXPECT_EQ(prepared.status().code(), stated);
      EXPECT_EQ(prepared.status().message(), "the spy fails");
    }
  }
}

// C-039: the callback is called once, and the device may be gone by then.
TEST(OlderDeviceTest, preparesOnOtherThreads) {
  auto seen = std::make_shared<Seen>();
  auto device = older(seen, HalVersion::V1_0);
  std::promise<Result<PreparedModelRef>> promise;
  ASSERT_TRUE(device
                  ->prepareModelAsync(
                      std::make_shared<AnnotatedModel>(annotated(addTwice())),
                      {},
                      [&](Result<PreparedModelRef> prepared) {
                        promise.set_value(std::move(prepared));
                      })
                  .isOk());
  EXPECT_TRUE(promise.get_future().get().isOk());
  EXPECT_EQ(device->prepareModelAsync(nullptr, {}, [](auto) {}).code(),
            StatusCode::invalidArgument);
  EXPECT_EQ(device
                ->prepareModelAsync(
                    std::make_shared<AnnotatedModel>(annotated(addTwice())), {},
                    nullptr)
                .code(),
            StatusCode::invalidArgument);
}

// E-034: caching begins with 1.2, memory of devices with 1.3.
TEST(OlderDeviceTest, hasWhatTheVersionHas) {
  for (HalVersion version : olderVersions) {
    auto seen = std::make_shared<Seen>();
    auto device = older(seen, version);
    auto cached = device->prepareModelFromCache({}, {});
    EXPECT_EQ(cached.status().code(), StatusCode::generalFailure);
    if (version < HalVersion::V1_2)
      EXPECT_EQ(cached.status().message(), std::string("HAL ") +
                                               std::string(toString(version)) +
                                               " has no compilation caching");
    EXPECT_EQ(seen->calls.size(), version == HalVersion::V1_2 ? 1u : 0u);
    auto buffer = device->allocate({}, {}, {}, {});
    EXPECT_EQ(buffer.status().code(), StatusCode::generalFailure);
    EXPECT_EQ(buffer.status().message(), std::string("HAL ") +
                                             std::string(toString(version)) +
                                             " has no memory of devices");
    seen->calls.clear();
    EXPECT_FALSE(device->prepareModelFromArtifact({}, {}).isOk());
    EXPECT_EQ(seen->calls,
              (std::vector<std::string>{"prepareModelFromArtifact"}));
  }
}

} // namespace
