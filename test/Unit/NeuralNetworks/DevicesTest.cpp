//===- DevicesTest.cpp - Devices as C clients see them --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <android/NeuralNetworksExtensions.h>

#include <gtest/gtest.h>

#include <cstring>
#include <set>

using namespace client;

namespace {

// J-001: a null result is refused, and the CPU device is always there.
TEST(NeuralNetworksDevices, AreCounted) {
  EXPECT_EQ(ANeuralNetworks_getDeviceCount(nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  uint32_t count = 0;
  ASSERT_EQ(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
  EXPECT_GE(count, 1u);
}

// J-002, C-091: an index that is not below the count is refused, and handles
// stay.
TEST(NeuralNetworksDevices, HaveHandlesThatStay) {
  uint32_t count = 0;
  ASSERT_EQ(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworks_getDevice(0, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  auto *device = reinterpret_cast<ANeuralNetworksDevice *>(1);
  EXPECT_EQ(ANeuralNetworks_getDevice(count, &device),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(device, nullptr);
  ANeuralNetworksDevice *first = nullptr, *again = nullptr;
  EXPECT_EQ(ANeuralNetworks_getDevice(0, &first), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworks_getDevice(0, &again), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(first, again);
}

// J-003, C-013, C-090: names differ, and the last device is nnapi-reference.
TEST(NeuralNetworksDevices, HaveNames) {
  uint32_t count = 0;
  ASSERT_EQ(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
  std::set<std::string> names;
  const char *name = nullptr;
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice *device = nullptr;
    ASSERT_EQ(ANeuralNetworks_getDevice(i, &device), ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(ANeuralNetworksDevice_getName(device, nullptr),
              ANEURALNETWORKS_UNEXPECTED_NULL);
    ASSERT_EQ(ANeuralNetworksDevice_getName(device, &name),
              ANEURALNETWORKS_NO_ERROR);
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_STREQ(name, "nnapi-reference");
  EXPECT_TRUE(names.contains("nnhal-cpu"));
  EXPECT_EQ(ANeuralNetworksDevice_getName(nullptr, &name),
            ANEURALNETWORKS_UNEXPECTED_NULL);
}

// J-004, A-066: the type is one of the codes.
TEST(NeuralNetworksDevices, HaveTypes) {
  int32_t type = -1;
  EXPECT_EQ(ANeuralNetworksDevice_getType(nullptr, &type),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksDevice_getType(reference(), nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  ASSERT_EQ(ANeuralNetworksDevice_getType(reference(), &type),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(type, ANEURALNETWORKS_DEVICE_CPU);
}

// J-005: the version is not empty and stays.
TEST(NeuralNetworksDevices, HaveVersions) {
  const char *version = nullptr, *again = nullptr;
  EXPECT_EQ(ANeuralNetworksDevice_getVersion(nullptr, &version),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksDevice_getVersion(reference(), nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  ASSERT_EQ(ANeuralNetworksDevice_getVersion(reference(), &version),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_GT(std::strlen(version), 0u);
  EXPECT_EQ(ANeuralNetworksDevice_getVersion(reference(), &again),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(version, again);
}

// J-006, C-086: the level is that of HAL 1.3.
TEST(NeuralNetworksDevices, HaveFeatureLevels) {
  int64_t level = 0;
  EXPECT_EQ(ANeuralNetworksDevice_getFeatureLevel(nullptr, &level),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksDevice_getFeatureLevel(reference(), nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  ASSERT_EQ(ANeuralNetworksDevice_getFeatureLevel(reference(), &level),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(level, ANEURALNETWORKS_FEATURE_LEVEL_4);
}

// J-009: what is no handle is not read. Whatever else the pointer is good for,
// nothing lies where it points to.
TEST(NeuralNetworksDevices, AreKnownByTheirHandles) {
  auto *stray = reinterpret_cast<ANeuralNetworksDevice *>(1);
  const char *text = nullptr;
  int32_t type = 0;
  int64_t level = 0;
  bool isSupported = false;
  EXPECT_EQ(ANeuralNetworksDevice_getName(stray, &text),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ANeuralNetworksDevice_getVersion(stray, &text),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ANeuralNetworksDevice_getType(stray, &type),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ANeuralNetworksDevice_getFeatureLevel(stray, &level),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ANeuralNetworksDevice_wait(stray), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(
      ANeuralNetworksDevice_getExtensionSupport(stray, "x.y", &isSupported),
      ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(text, nullptr);
}

// J-007: a device of this process is alive.
TEST(NeuralNetworksDevices, AreWaitedFor) {
  EXPECT_EQ(ANeuralNetworksDevice_wait(nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksDevice_wait(reference()), ANEURALNETWORKS_NO_ERROR);
}

// J-058, J-059, J-067, A-075, D-086: the numbers of the library.
TEST(NeuralNetworksDevices, TellTheNumbersOfTheLibrary) {
  EXPECT_EQ(ANeuralNetworks_getDefaultLoopTimeout(), 2'000'000'000u);
  EXPECT_EQ(ANeuralNetworks_getMaximumLoopTimeout(), 15'000'000'000u);
  EXPECT_EQ(ANeuralNetworks_getRuntimeFeatureLevel(),
            ANEURALNETWORKS_FEATURE_LEVEL_5);
}

// the numbers of the ABI.
TEST(NeuralNetworksDevices, HaveTheCodesOfTheAbi) {
  const int results[] = {ANEURALNETWORKS_NO_ERROR,
                         ANEURALNETWORKS_OUT_OF_MEMORY,
                         ANEURALNETWORKS_INCOMPLETE,
                         ANEURALNETWORKS_UNEXPECTED_NULL,
                         ANEURALNETWORKS_BAD_DATA,
                         ANEURALNETWORKS_OP_FAILED,
                         ANEURALNETWORKS_BAD_STATE,
                         ANEURALNETWORKS_UNMAPPABLE,
                         ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE,
                         ANEURALNETWORKS_UNAVAILABLE_DEVICE,
                         ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT,
                         ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT,
                         ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT,
                         ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT,
                         ANEURALNETWORKS_DEAD_OBJECT};
  for (int i = 0; i < 15; ++i)
    EXPECT_EQ(results[i], i);
  EXPECT_EQ(ANEURALNETWORKS_DURATION_ON_HARDWARE, 0);
  EXPECT_EQ(ANEURALNETWORKS_DURATION_IN_DRIVER, 1);
  EXPECT_EQ(ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE, 2);
  EXPECT_EQ(ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER, 3);
  EXPECT_EQ(ANEURALNETWORKS_PRIORITY_DEFAULT, ANEURALNETWORKS_PRIORITY_MEDIUM);
  EXPECT_EQ(ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES, 128);
}

// J-008: which operations any of the listed devices supports.
TEST(NeuralNetworksDevices, TellWhatTheySupport) {
  Model model;
  buildAdd(model);
  const ANeuralNetworksDevice *devices[] = {reference(), reference()};
  const ANeuralNetworksDevice *nobody[] = {nullptr};
  bool supported = false;
  auto ask = [&](const ANeuralNetworksDevice *const *list, uint32_t count) {
    return ANeuralNetworksModel_getSupportedOperationsForDevices(
        model.get(), list, count, &supported);
  };
  EXPECT_EQ(ask(devices, 1), ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(ask(nobody, 1), ANEURALNETWORKS_UNEXPECTED_NULL);
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  EXPECT_EQ(ask(nullptr, 1), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ask(nobody, 1), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ask(devices, 0), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ask(devices, 2), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(
                nullptr, devices, 1, &supported),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(
                model.get(), devices, 1, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  ASSERT_EQ(ask(devices, 1), ANEURALNETWORKS_NO_ERROR);
  EXPECT_TRUE(supported);
}

// J-008, B-109: answers stand in the order in which operations were added, also
// where finish has sorted them.
TEST(NeuralNetworksDevices, AnswerInTheOrderOfTheClient) {
  Model model;
  OperandType tensor(Type::TENSOR_FLOAT32, {4});
  uint32_t input = model.addOperand(tensor);
  uint32_t middle = model.addOperand(tensor);
  uint32_t output = model.addOperand(tensor);
  // The second operation writes what the first one reads.
  model.addOperation(ANEURALNETWORKS_FLOOR, {middle}, {output});
  model.addOperation(10000, {input}, {middle}); // OEM_OPERATION
  model.identifyInputsAndOutputs({input}, {output});
  ASSERT_TRUE(model.isValid());
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  const ANeuralNetworksDevice *device = reference();
  bool supported[2] = {};
  ASSERT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(
                model.get(), &device, 1, supported),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_TRUE(supported[0]);
  EXPECT_FALSE(supported[1]);
}

} // namespace
