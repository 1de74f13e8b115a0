//===- DeviceTest.cpp - What a device says about itself -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "nnhal/Runtime/DeviceRegistry.h"
#include "nnhal/Runtime/Scheduler.h"
#include "nnhal/Runtime/Validate.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

using DeviceTest = ConformanceTest;

// L-028: the registry checks what a device says about itself; that it refuses
// what is wrong is in DeviceRegistryTest.
TEST_F(DeviceTest, canBeRegistered) {
  EXPECT_EQ(device->status(), DeviceStatus::available);
  DeviceRegistry registry;
  std::string name(device->name());
  Status added = registry.add(std::move(device));
  EXPECT_EQ(added.message(), "");
  EXPECT_NE(registry.find(name), nullptr);
  added = registry.add(createDeviceUnderTest());
  EXPECT_EQ(added.code(), StatusCode::invalidArgument);
  EXPECT_EQ(registry.devices().size(), 1u);
}

// C-010, C-024.
TEST_F(DeviceTest, saysTheSameAlways) {
  std::unique_ptr<Device> other = createDeviceUnderTest();
  EXPECT_FALSE(device->version().empty());
  EXPECT_EQ(device->name(), other->name());
  EXPECT_EQ(device->version(), other->version());
  EXPECT_EQ(device->type(), other->type());
  EXPECT_EQ(device->halVersion(), other->halVersion());
  EXPECT_EQ(device->cacheFiles().modelCache, other->cacheFiles().modelCache);
  EXPECT_EQ(device->cacheFiles().dataCache, other->cacheFiles().dataCache);
  EXPECT_TRUE(device->capabilities() == other->capabilities());
  EXPECT_TRUE(device->capabilities() == device->capabilities());
}

// C-019, C-020, C-022, C-023.
TEST_F(DeviceTest, hasPerformanceOfControlFlow) {
  const Capabilities &capabilities = device->capabilities();
  for (const PerformanceInfo &info :
       {capabilities.ifPerformance, capabilities.whilePerformance}) {
    EXPECT_GT(info.execTime, 0.0f);
    EXPECT_GT(info.powerUsage, 0.0f);
  }
  Status valid = validateCapabilities(capabilities);
  EXPECT_EQ(valid.message(), "");
}

// C-008, C-009: a busy device still accepts what fits its queue.
TEST_F(DeviceTest, isBusyWhileExecutionsWait) {
  NNHAL_SKIP_REMOTE(*device);
  DeviceServices services;
  services.executions = Scheduler::create({.slots = 1});
  device = createDeviceUnderTest(services);
  EXPECT_EQ(device->status(), DeviceStatus::available);
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  auto slot = services.executions->enter({});
  ASSERT_TRUE(slot.isOk());
  auto notified = std::make_shared<Notified<Executed>>();
  Status launched =
      prepared->executeAsync(arguments.request, notifying(notified));
  EXPECT_EQ(launched.message(), "");
  EXPECT_EQ(device->status(), DeviceStatus::busy);
  slot->release();
  EXPECT_EQ(notified->wait().status.message(), "");
  EXPECT_EQ(device->status(), DeviceStatus::available);
}

// C-027, C-032.
TEST_F(DeviceTest, answersForEachOperationTheSameAlways) {
  AnnotatedModel model = addChainModel({2, 3}, 5);
  auto first = device->supportedOperations(model);
  auto second = device->supportedOperations(model);
  ASSERT_TRUE(first.isOk()) << first.status().message();
  ASSERT_TRUE(second.isOk()) << second.status().message();
  ASSERT_EQ(first->size(), 5u);
  ASSERT_EQ(second->size(), 5u);
  for (size_t i = 0; i < first->size(); ++i)
    EXPECT_EQ((*first)[i].message(), (*second)[i].message());
}

/// Makes an operation one of an extension that no device has.
void makeForeign(Model &model, Operation &operation) {
  model.extensionNameToPrefix.push_back({"com.example.unknown", 1});
  operation.type = OperationType((1u << 16) | 7);
}

/// A valid model of one operation that a device must not claim.
void expectUnclaimed(const Device &device, const AnnotatedModel &model) {
  Status valid = validateModel(model.model, HalVersion::V1_3);
  ASSERT_EQ(valid.message(), "");
  auto supported = device.supportedOperations(model);
  ASSERT_TRUE(supported.isOk()) << supported.status().message();
  ASSERT_EQ(supported->size(), 1u);
  EXPECT_FALSE((*supported)[0].isOk());
}

// C-031, C-060: what a device does not know it does not claim.
TEST_F(DeviceTest, doesNotClaimUnknownExtensions) {
  AnnotatedModel model = addModel();
  makeForeign(model.model, model.model.main.operations[0]);
  expectUnclaimed(*device, model);
}

// H-033: each operation has an answer of its own.
TEST_F(DeviceTest, claimsWhatStandsBesideAnUnknownExtension) {
  AnnotatedModel model = addChainModel({2, 3}, 3);
  if (auto reason = unsupportedReason(*device, model))
    GTEST_SKIP() << *reason;
  makeForeign(model.model, model.model.main.operations[1]);
  auto supported = device->supportedOperations(model);
  ASSERT_TRUE(supported.isOk()) << supported.status().message();
  ASSERT_EQ(supported->size(), 3u);
  EXPECT_TRUE((*supported)[0].isOk()) << (*supported)[0].message();
  EXPECT_FALSE((*supported)[1].isOk());
  EXPECT_TRUE((*supported)[2].isOk()) << (*supported)[2].message();
}

// C-030.
TEST_F(DeviceTest, claimsControlFlowOnlyWithAllThatItReaches) {
  AnnotatedModel model = ifModel();
  makeForeign(model.model, model.model.referenced[1].operations[0]);
  expectUnclaimed(*device, model);
}

// C-061.
TEST_F(DeviceTest, supportsSignedWhereItSupportsUnsigned) {
  const Dimensions shape = {2, 2};
  for (OperationType type :
       {OperationType::ADD, OperationType::MUL, OperationType::SUB}) {
    float scale = 0.5f;
    AnnotatedModel asymmetric =
        addQuantizedModel(OperandType::TENSOR_QUANT8_ASYMM, shape, scale, 128);
    AnnotatedModel isSigned = addQuantizedModel(
        OperandType::TENSOR_QUANT8_ASYMM_SIGNED, shape, scale, 0);
    for (AnnotatedModel *model : {&asymmetric, &isSigned}) {
      model->model.main.operations[0].type = type;
      // MUL wants an output scale above the product of the others.
      uint32_t output = model->model.main.outputIndexes[0];
      model->model.main.operands[output].scale = 1.0f;
    }
    if (unsupportedReason(*device, asymmetric))
      continue;
    auto reason = unsupportedReason(*device, isSigned);
    EXPECT_FALSE(reason) << *reason;
  }
}

// C-005, D-004: models of every version, on the newest interface.
TEST_F(DeviceTest, acceptsOlderModels) {
  for (HalVersion version : {HalVersion::V1_0, HalVersion::V1_1,
                             HalVersion::V1_2, HalVersion::V1_3}) {
    AnnotatedModel model = addModel();
    model.model.halVersion = version;
    NNHAL_PREPARE_OR_SKIP(prepared, *device, model);
    FloatArguments arguments(*prepared);
    Executed executed = executeIn(Mode::async, *prepared, arguments.request);
    EXPECT_EQ(executed.status.message(), "");
    EXPECT_EQ(arguments.outputs[0], flowOfCounts(4));
  }
}

// C-006.
TEST_F(DeviceTest, answersManyThreads) {
  AnnotatedModel model = addModel();
  if (auto reason = unsupportedReason(*device, model))
    GTEST_SKIP() << *reason;
  std::atomic<int> prepared = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(unsupportedReason(*device, model), std::nullopt);
        EXPECT_FALSE(device->version().empty());
        (void)device->status();
        auto result = device->prepareModel(model);
        EXPECT_TRUE(result.isOk()) << result.status().message();
        prepared += result.isOk();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(prepared, 40);
}

} // namespace
