//===- ExtensionsTest.cpp - Extensions as C clients see them --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientProgram.h"
#include "TestModels.h"

#include <android/NeuralNetworksExtensions.h>
#include <gtest/gtest.h>

using namespace client;

namespace {

constexpr const char *name = "com.example.nobody";

// J-060, H-011: whether a device has an extension.
TEST(NeuralNetworksExtensions, AreThereOrNot) {
  bool isSupported = true;
  EXPECT_EQ(
      ANeuralNetworksDevice_getExtensionSupport(nullptr, name, &isSupported),
      ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksDevice_getExtensionSupport(reference(), nullptr,
                                                      &isSupported),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(
      ANeuralNetworksDevice_getExtensionSupport(reference(), name, nullptr),
      ANEURALNETWORKS_UNEXPECTED_NULL);
  ASSERT_EQ(ANeuralNetworksDevice_getExtensionSupport(reference(), name,
                                                      &isSupported),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_FALSE(isSupported);
}

// J-061, J-062, H-001 to H-003, H-006, H-012, H-015, H-020: an extension that
// no device has gets a prefix, and its types are refused.
TEST(NeuralNetworksExtensions, HaveCodes) {
  Model model;
  int32_t operand = 0;
  ANeuralNetworksOperationType operation = 0;
  EXPECT_EQ(
      ANeuralNetworksModel_getExtensionOperandType(nullptr, name, 1, &operand),
      ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperandType(model.get(), nullptr,
                                                         1, &operand),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperandType(model.get(), name, 1,
                                                         nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperationType(nullptr, name, 2,
                                                           &operation),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperationType(model.get(), nullptr,
                                                           2, &operation),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperationType(model.get(), name, 2,
                                                           nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  ASSERT_EQ(ANeuralNetworksModel_getExtensionOperandType(model.get(), name, 1,
                                                         &operand),
            ANEURALNETWORKS_NO_ERROR);
  ASSERT_EQ(ANeuralNetworksModel_getExtensionOperationType(model.get(), name,
                                                           65535, &operation),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_GT(operand, 0xFFFF);
  EXPECT_EQ(operand & 0xFFFF, 1);
  EXPECT_EQ(operand >> 16, operation >> 16);
  ANeuralNetworksOperandType type = {operand, 0, nullptr, 0, 0};
  EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), &type),
            ANEURALNETWORKS_BAD_DATA);
  type.type = 0x7FFE0000; // A prefix that nobody asked for.
  EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), &type),
            ANEURALNETWORKS_BAD_DATA);
}

// H-027, I-018: an operation of an extension that no device has is no operation
// for the CPU.
TEST(NeuralNetworksExtensions, AreNotExecutedByTheCpu) {
  Model model;
  ANeuralNetworksOperationType operation = 0;
  ASSERT_EQ(ANeuralNetworksModel_getExtensionOperationType(model.get(), name, 2,
                                                           &operation),
            ANEURALNETWORKS_NO_ERROR);
  OperandType tensor(Type::TENSOR_FLOAT32, {2});
  uint32_t input = model.addOperand(tensor);
  uint32_t output = model.addOperand(tensor);
  model.addOperation(operation, {input}, {output});
  model.identifyInputsAndOutputs({input}, {output});
  ASSERT_TRUE(model.isValid());
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  Compilation compilation(model);
  EXPECT_EQ(compilation.finish(), Result::BAD_DATA);
}

// H-036, H-042: a list that cannot be trusted lets nobody use extensions, and
// one that says nothing of a program does not let that in; both are told.
TEST(NeuralNetworksExtensions, AreForListedPrograms) {
  EXPECT_NE(runClient("devices", "NNHAL_EXTENSIONS_ALLOWLIST=/etc")
                .find("extensions are not supported: the list '/etc' is not a "
                      "regular file\n"),
            std::string::npos);
  EXPECT_NE(runClient("devices", "NNHAL_VLOG=manager "
                                 "NNHAL_EXTENSIONS_ALLOWLIST=/etc/passwd")
                .find("extensions are not supported: '/etc/passwd' does not "
                      "list '/"),
            std::string::npos);
}

// J-063, B-127: data of operands that have no type of an extension.
TEST(NeuralNetworksExtensions, HaveDataOfTheirOperandsAlone) {
  Model model;
  model.addOperand({Type::TENSOR_FLOAT32, {2}});
  auto set = [&](ANeuralNetworksModel *target, int32_t index, const void *data,
                 size_t length) {
    return ANeuralNetworksModel_setOperandExtensionData(target, index, data,
                                                        length);
  };
  EXPECT_EQ(set(nullptr, 0, "x", 1), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(set(model.get(), 0, nullptr, 1), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(set(model.get(), 0, "x", 1), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(model.get(), 1, "x", 1), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(model.get(), 0, nullptr, 0), ANEURALNETWORKS_BAD_DATA);
}

} // namespace
