//===- TFLiteExtensionTest.cpp - nnhal.tflite by calls of the NDK API -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A client finds the extension that is installed beside the library on
// nnhal-cpu, and computes with types and operations of it.
//
//===----------------------------------------------------------------------===//

#include "NeuralNetworks/TestModels.h"

#include <android/NeuralNetworksExtensions.h>

using namespace client;

namespace {

constexpr const char *extensionName = "nnhal.tflite";
/// docs/Spec/TFLiteExtension.md
constexpr uint16_t tensorInt64 = 0;
constexpr uint16_t operationAdd = 0;

bool supports(const ANeuralNetworksDevice *device) {
  bool isSupported = false;
  EXPECT_EQ(ANeuralNetworksDevice_getExtensionSupport(device, extensionName,
                                                      &isSupported),
            ANEURALNETWORKS_NO_ERROR);
  return isSupported;
}

/// ADD of three integers of 64 bits.
struct SumModel {
  SumModel() {
    int32_t type = 0;
    EXPECT_EQ(ANeuralNetworksModel_getExtensionOperandType(
                  model.get(), extensionName, tensorInt64, &type),
              ANEURALNETWORKS_NO_ERROR);
    const OperandType tensor(Type(type), {3});
    uint32_t a = model.addOperand(tensor), b = model.addOperand(tensor);
    uint32_t activation =
        model.addScalar(Type::INT32, int32_t(ANEURALNETWORKS_FUSED_NONE));
    uint32_t sum = model.addOperand(tensor);
    ANeuralNetworksOperationType add = 0;
    EXPECT_EQ(ANeuralNetworksModel_getExtensionOperationType(
                  model.get(), extensionName, operationAdd, &add),
              ANEURALNETWORKS_NO_ERROR);
    model.addOperation(add, {a, b, activation}, {sum});
    model.identifyInputsAndOutputs({a, b}, {sum});
    EXPECT_TRUE(model.isValid());
    EXPECT_EQ(model.finish(), Result::NO_ERROR);
  }
  Model model;
};

void expectSums(const Compilation &compilation) {
  Execution execution(compilation);
  const int64_t a[] = {1, INT64_MAX, -5};
  const int64_t b[] = {int64_t(1) << 40, 1, 7};
  int64_t sum[3] = {};
  ASSERT_EQ(execution.setInput(0, a, sizeof(a)), Result::NO_ERROR);
  ASSERT_EQ(execution.setInput(1, b, sizeof(b)), Result::NO_ERROR);
  ASSERT_EQ(execution.setOutput(0, sum, sizeof(sum)), Result::NO_ERROR);
  ASSERT_EQ(execution.compute(), Result::NO_ERROR);
  EXPECT_EQ(sum[0], (int64_t(1) << 40) + 1);
  EXPECT_EQ(sum[1], INT64_MIN);
  EXPECT_EQ(sum[2], 2);
}

// H-011, H-044, J-060: the device lists it; the fallback does not (H-027).
TEST(TFLiteExtensionNdkTest, IsListed) {
  const ANeuralNetworksDevice *cpu = findDevice("nnhal-cpu");
  ASSERT_NE(cpu, nullptr);
  EXPECT_TRUE(supports(cpu));
  EXPECT_FALSE(supports(reference()));
}

// H-030, H-033, J-061, J-062.
TEST(TFLiteExtensionNdkTest, IsExecuted) {
  SumModel sums;
  const ANeuralNetworksDevice *cpu = findDevice("nnhal-cpu");
  bool isSupported = false;
  EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(
                sums.model.get(), &cpu, 1, &isSupported),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_TRUE(isSupported);
  Compilation onCpu(sums.model, {cpu});
  ASSERT_EQ(onCpu.finish(), Result::NO_ERROR);
  expectSums(onCpu);
  // A client that names no device gets the one that has the extension.
  Compilation anywhere(sums.model);
  ASSERT_EQ(anywhere.finish(), Result::NO_ERROR);
  expectSums(anywhere);
}

// H-027: nnapi-reference executes no extension.
TEST(TFLiteExtensionNdkTest, IsNotTheFallbacks) {
  SumModel sums;
  Compilation onReference(sums.model, {reference()});
  EXPECT_NE(onReference.finish(), Result::NO_ERROR);
}

} // namespace
