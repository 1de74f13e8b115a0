//===- HostileCallsTest.cpp - Calls in no order, from many threads --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls that test/Unit/NeuralNetworks/HostileTest.cpp leaves out: null for
// every pointer, objects that are freed while they work, objects that threads
// share, and questions with numbers that mean nothing.
//
//===----------------------------------------------------------------------===//

#include "HostileTesting.h"

#include <android/NeuralNetworksExtensions.h>

#include <array>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace nnhal;
using namespace nnhal::test;

namespace {

// J-076: null is found before everything else, in every function.
TEST(HostileCallsTest, NullEverywhere) {
  constexpr int null = ANEURALNETWORKS_UNEXPECTED_NULL;
  EXPECT_EQ(ANeuralNetworks_getDeviceCount(nullptr), null);
  EXPECT_EQ(ANeuralNetworks_getDevice(UINT32_MAX, nullptr), null);
  EXPECT_EQ(ANeuralNetworksDevice_getName(nullptr, nullptr), null);
  EXPECT_EQ(ANeuralNetworksDevice_getType(nullptr, nullptr), null);
  EXPECT_EQ(ANeuralNetworksDevice_getVersion(nullptr, nullptr), null);
  EXPECT_EQ(ANeuralNetworksDevice_getFeatureLevel(nullptr, nullptr), null);
  EXPECT_EQ(ANeuralNetworksDevice_wait(nullptr), null);
  EXPECT_EQ(
      ANeuralNetworksDevice_getExtensionSupport(nullptr, nullptr, nullptr),
      null);
  EXPECT_EQ(ANeuralNetworksModel_create(nullptr), null);
  EXPECT_EQ(ANeuralNetworksModel_finish(nullptr), null);
  EXPECT_EQ(ANeuralNetworksModel_addOperand(nullptr, nullptr), null);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(nullptr, -1, nullptr, 9),
            null);
  EXPECT_EQ(
      ANeuralNetworksModel_setOperandValueFromMemory(nullptr, 0, nullptr, 0, 0),
      null);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(nullptr, 0, nullptr),
            null);
  EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(nullptr, 0,
                                                                     nullptr),
            null);
  EXPECT_EQ(ANeuralNetworksModel_addOperation(nullptr, 0, UINT32_MAX, nullptr,
                                              UINT32_MAX, nullptr),
            null);
  EXPECT_EQ(ANeuralNetworksModel_identifyInputsAndOutputs(
                nullptr, UINT32_MAX, nullptr, UINT32_MAX, nullptr),
            null);
  EXPECT_EQ(
      ANeuralNetworksModel_relaxComputationFloat32toFloat16(nullptr, true),
      null);
  EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(
                nullptr, nullptr, UINT32_MAX, nullptr),
            null);
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperandType(nullptr, nullptr, 0,
                                                         nullptr),
            null);
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperationType(nullptr, nullptr, 0,
                                                           nullptr),
            null);
  EXPECT_EQ(ANeuralNetworksModel_setOperandExtensionData(nullptr, 0, nullptr,
                                                         SIZE_MAX),
            null);
  EXPECT_EQ(ANeuralNetworksCompilation_create(nullptr, nullptr), null);
  EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(nullptr, nullptr,
                                                        UINT32_MAX, nullptr),
            null);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(nullptr), null);
  EXPECT_EQ(ANeuralNetworksCompilation_setPreference(nullptr, 99), null);
  EXPECT_EQ(ANeuralNetworksCompilation_setCaching(nullptr, nullptr, nullptr),
            null);
  EXPECT_EQ(ANeuralNetworksCompilation_setPriority(nullptr, 99), null);
  EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(nullptr, 1), null);
  for (auto query :
       {ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput,
        ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput,
        ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput,
        ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput})
    EXPECT_EQ(query(nullptr, 0, nullptr), null);
  EXPECT_EQ(ANeuralNetworksMemory_createFromFd(0, 0, -1, 0, nullptr), null);
  EXPECT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(nullptr, nullptr),
            null);
  EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(nullptr, nullptr), null);
  EXPECT_EQ(ANeuralNetworksMemory_copy(nullptr, nullptr), null);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_create(nullptr), null);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(nullptr, nullptr, 0, -1),
            null);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_addOutputRole(nullptr, nullptr, 0, -1),
            null);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(nullptr, 1, nullptr), null);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(nullptr), null);
}

TEST(HostileCallsTest, NullExecutions) {
  constexpr int null = ANEURALNETWORKS_UNEXPECTED_NULL;
  EXPECT_EQ(ANeuralNetworksExecution_create(nullptr, nullptr), null);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(nullptr, 0, nullptr, nullptr, 0),
            null);
  EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(nullptr, 0, nullptr,
                                                        nullptr, 0, 0),
            null);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(nullptr, 0, nullptr, nullptr, 0),
            null);
  EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(nullptr, 0, nullptr,
                                                         nullptr, 0, 0),
            null);
  EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(nullptr, true), null);
  EXPECT_EQ(ANeuralNetworksExecution_setTimeout(nullptr, 1), null);
  EXPECT_EQ(ANeuralNetworksExecution_setLoopTimeout(nullptr, 1), null);
  EXPECT_EQ(ANeuralNetworksExecution_setReusable(nullptr, true), null);
  EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(nullptr, true),
            null);
  EXPECT_EQ(ANeuralNetworksExecution_compute(nullptr), null);
  EXPECT_EQ(ANeuralNetworksExecution_startCompute(nullptr, nullptr), null);
  EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(
                nullptr, nullptr, UINT32_MAX, 0, nullptr),
            null);
  EXPECT_EQ(ANeuralNetworksExecution_burstCompute(nullptr, nullptr), null);
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(nullptr, 0, nullptr),
            null);
  EXPECT_EQ(
      ANeuralNetworksExecution_getOutputOperandDimensions(nullptr, 0, nullptr),
      null);
  EXPECT_EQ(ANeuralNetworksExecution_getDuration(nullptr, 0, nullptr), null);
  EXPECT_EQ(ANeuralNetworksBurst_create(nullptr, nullptr), null);
  EXPECT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(-1, nullptr), null);
  EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(nullptr, nullptr), null);
  EXPECT_EQ(ANeuralNetworksEvent_wait(nullptr), null);
  // J-078
  ANeuralNetworksModel_free(nullptr);
  ANeuralNetworksCompilation_free(nullptr);
  ANeuralNetworksExecution_free(nullptr);
  ANeuralNetworksMemory_free(nullptr);
  ANeuralNetworksMemoryDesc_free(nullptr);
  ANeuralNetworksBurst_free(nullptr);
  ANeuralNetworksEvent_free(nullptr);
}

/// A device that is none: the address of something else.
const ANeuralNetworksDevice *forgedDevice() {
  static const std::array<char, 64> bytes = {};
  return reinterpret_cast<const ANeuralNetworksDevice *>(bytes.data());
}

// J-113: numbers and names that mean nothing. A device is the one object of
// which the library knows all, so that others can be told.
TEST(HostileCallsTest, QuestionsThatMeanNothing) {
  NdkModel model = unaryModel(ANEURALNETWORKS_RELU);
  NdkCompilation compilation = compile(model.get());
  ASSERT_TRUE(compilation);
  const ANeuralNetworksDevice *device = referenceDevice();
  repeat(500, [&](uint64_t round) {
    std::mt19937 random{uint32_t(round)};
    constexpr std::array<uint32_t, 6> numbers = {
        1, 2, 99, 0x7fffffff, 0x80000000, UINT32_MAX};
    uint32_t index = numbers[random() % numbers.size()];
    uint32_t number = 7;
    for (auto query :
         {ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput,
          ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput,
          ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput,
          ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput})
      EXPECT_EQ(query(compilation.get(), index, &number),
                ANEURALNETWORKS_BAD_DATA);
    ANeuralNetworksDevice *found = nullptr;
    if (index > 64)
      EXPECT_EQ(ANeuralNetworks_getDevice(index, &found),
                ANEURALNETWORKS_BAD_DATA);
    std::string name;
    for (uint32_t length = random() % 40; name.size() < length;)
      name += char(1 + random() % 255);
    bool isSupported = true;
    expectCode(ANeuralNetworksDevice_getExtensionSupport(device, name.c_str(),
                                                         &isSupported));
    EXPECT_FALSE(isSupported);
    ANeuralNetworksModel *made = nullptr;
    expectCode(ANeuralNetworksModel_create(&made));
    NdkModel other(made);
    int32_t type = 0;
    expectCode(ANeuralNetworksModel_getExtensionOperandType(
        made, name.c_str(), uint16_t(random()), &type));
    expectCode(ANeuralNetworksModel_getExtensionOperationType(
        made, name.c_str(), uint16_t(random()), &type));
    ANeuralNetworksOperandType operand = {type, 0, nullptr, 0, 0};
    expectCode(ANeuralNetworksModel_addOperand(made, &operand));
    expectCode(ANeuralNetworksModel_setOperandExtensionData(
        made, int32_t(index), name.data(), name.size()));
  });
}

// J-045: devices that the library did not give, and the same one twice.
TEST(HostileCallsTest, DevicesThatAreNone) {
  NdkModel model = unaryModel(ANEURALNETWORKS_RELU);
  const ANeuralNetworksDevice *forged = forgedDevice();
  const ANeuralNetworksDevice *twice[] = {referenceDevice(), referenceDevice()};
  ANeuralNetworksCompilation *compilation = nullptr;
  EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), &forged, 1,
                                                        &compilation),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), twice, 2,
                                                        &compilation),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), twice, 0,
                                                        &compilation),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(compilation, nullptr);
}

/// Starts \p execution of a RELU and returns its event, which may be null.
NdkEvent start(ANeuralNetworksExecution *execution, const float *in,
               float *out) {
  ANeuralNetworksEvent *event = nullptr;
  expectCode(ANeuralNetworksExecution_setInput(execution, 0, nullptr, in, 16));
  expectCode(
      ANeuralNetworksExecution_setOutput(execution, 0, nullptr, out, 16));
  expectCode(ANeuralNetworksExecution_startCompute(execution, &event));
  return NdkEvent(event);
}

// J-078: objects in any state are freed.
TEST(HostileCallsTest, ObjectsThatAreFreedWhileTheyWork) {
  NdkModel model = unaryModel(ANEURALNETWORKS_RELU);
  repeat(40, [&](uint64_t round) {
    std::mt19937 random{uint32_t(round)};
    std::array<float, 4> in = {-1, 2, -3, 4};
    std::array<std::array<float, 4>, 4> out = {};
    NdkCompilation compilation = compile(model.get());
    ASSERT_TRUE(compilation);
    std::vector<NdkExecution> executions;
    std::vector<NdkEvent> events;
    for (std::array<float, 4> &result : out) {
      ANeuralNetworksExecution *made = nullptr;
      {
        ExpectedLeaks leaks;
        expectCode(ANeuralNetworksExecution_create(compilation.get(), &made));
      }
      executions.emplace_back(made);
      events.push_back(start(made, in.data(), result.data()));
      // A second computation of one that is under way.
      ANeuralNetworksEvent *again = nullptr;
      expectCode(ANeuralNetworksExecution_startCompute(made, &again));
      events.emplace_back(again);
    }
    // Either the executions end first or the events, and nobody waits.
    if (random() % 2)
      events.clear();
    executions.clear();
    for (const NdkEvent &event : events)
      if (event && random() % 2)
        expectCode(ANeuralNetworksEvent_wait(event.get()));
    events.clear();
  });
}

// J-105: finished compilations and memories are used by any number of threads;
// every result is right.
TEST(HostileCallsTest, ThreadsThatShareACompilation) {
  NdkModel model = unaryModel(ANEURALNETWORKS_RELU);
  NdkCompilation compilation = compile(model.get());
  ASSERT_TRUE(compilation);
  std::vector<std::jthread> threads;
  for (uint32_t thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      repeat(50, [&](uint64_t round) {
        std::mt19937 random{uint32_t(round * 8 + thread)};
        std::array<float, 4> in = {float(thread), -1, float(round), -2};
        std::array<float, 4> out = {};
        ANeuralNetworksExecution *made = nullptr;
        expectCode(ANeuralNetworksExecution_create(compilation.get(), &made));
        NdkExecution execution(made);
        expectCode(ANeuralNetworksExecution_setInput(made, 0, nullptr,
                                                     in.data(), sizeof(in)));
        expectCode(ANeuralNetworksExecution_setOutput(made, 0, nullptr,
                                                      out.data(), sizeof(out)));
        int code = ANEURALNETWORKS_OP_FAILED;
        if (random() % 3 == 0) {
          ANeuralNetworksBurst *burst = nullptr;
          expectCode(ANeuralNetworksBurst_create(compilation.get(), &burst));
          NdkBurst owned(burst);
          code = ANeuralNetworksExecution_burstCompute(made, burst);
        } else if (random() % 2) {
          ANeuralNetworksEvent *event = nullptr;
          expectCode(ANeuralNetworksExecution_startCompute(made, &event));
          NdkEvent owned(event);
          code = ANeuralNetworksEvent_wait(event);
        } else {
          code = ANeuralNetworksExecution_compute(made);
        }
        EXPECT_EQ(code, ANEURALNETWORKS_NO_ERROR);
        EXPECT_EQ(out,
                  (std::array<float, 4>{float(thread), 0, float(round), 0}));
      });
    });
}

} // namespace
