//===- ReferenceDeviceTest.cpp - The device nnhal-reference -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/ReferenceDevice.h"

#include "nnhal/Runtime/TestCase.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace nnhal::rt;

namespace {

/// A case of test/Cases and one execution of it.
class ReferenceDeviceTest : public ::testing::Test {
protected:
  void prepare(std::string_view name,
               const ReferenceDeviceOptions &options = {}) {
    Result<Memory> file = Memory::readFile(NNHAL_TEST_DATA "/Cases/basic.json");
    ASSERT_TRUE(file.isOk());
    std::span<const std::byte> text = *file->bytes();
    Status status = readTestCases(
        {reinterpret_cast<const char *>(text.data()), text.size()},
        [&](TestCase each) {
          if (each.name == name)
            test = std::move(each);
          return Status();
        });
    ASSERT_EQ(status.message(), "");
    ASSERT_EQ(test.name, name);
    AnnotatedModel annotated;
    annotated.model = test.model;
    auto made = createReferenceDevice(options)->prepareModel(annotated);
    ASSERT_TRUE(made.isOk()) << made.status().message();
    prepared = *made;
    for (const TestTensor &input : test.examples[0].inputs) {
      InputArgument &argument = request.inputs.emplace_back();
      if (!input.isAbsent)
        argument.memory = Memory::copy(std::as_bytes(std::span(input.bytes)));
    }
    for (const TestTensor &output : test.examples[0].outputs) {
      outputs.emplace_back(output.bytes.size());
      request.outputs.emplace_back().memory =
          OutputMemory::borrow(outputs.back());
    }
  }

  Status execute() { return prepared->execute(request, result); }

  TestCase test;
  std::shared_ptr<PreparedModel> prepared;
  Request request;
  std::vector<std::vector<std::byte>> outputs;
  ExecutionResult result;
};

TEST_F(ReferenceDeviceTest, describesItself) {
  auto device = createReferenceDevice();
  EXPECT_EQ(device->name(), "nnhal-reference");
  EXPECT_EQ(device->halVersion(), HalVersion::V1_3);
  prepare("while_counts");
  AnnotatedModel annotated;
  annotated.model = test.model;
  auto answers = device->supportedOperations(annotated);
  ASSERT_TRUE(answers.isOk());
  ASSERT_EQ(answers->size(), 1u);
  EXPECT_TRUE((*answers)[0].isOk());
  EXPECT_EQ(device->prepareModelFromArtifact({}, Memory()).status().message(),
            "nnhal-reference keeps no compiled models");
}

TEST_F(ReferenceDeviceTest, extensionsHaveNoKernel) { // D-102
  prepare("add_broadcast");
  AnnotatedModel annotated;
  annotated.model = test.model;
  annotated.model.extensionNameToPrefix = {{"com.example", 1}};
  annotated.model.main.operations[0].type = OperationType(0x10002);
  auto device = createReferenceDevice();
  EXPECT_EQ(device->prepareModel(annotated).status().message(),
            "nnhal-reference has no kernel for code 65538");
}

TEST_F(ReferenceDeviceTest, omittedConditionFails) { // control_flow C5, D-100
  prepare("if_1");
  request.inputs[0].memory = Memory();
  Status status = execute();
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(),
            "operation 0 (IF): the condition has 0 elements, expected 1");
  EXPECT_TRUE(result.outputShapes.empty());
}

TEST_F(ReferenceDeviceTest, missesDeadlines) { // D-016
  ReferenceDeviceOptions options;
  int64_t now = 0;
  options.services.clock = [&] { return now += 10; };
  prepare("add_broadcast", options);
  request.deadline = 5;
  Status status = execute();
  EXPECT_EQ(status.code(), StatusCode::missedDeadlinePersistent);
  EXPECT_EQ(status.message(),
            "the deadline had passed before the execution began");
  request.deadline = now + 25;
  status = execute();
  EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
  EXPECT_EQ(status.message(),
            "the deadline passed while the model was executed");
}

TEST_F(ReferenceDeviceTest, limitsTensors) {
  ReferenceDeviceOptions options;
  options.tensorLimit = 15;
  prepare("add_broadcast", options);
  Status status = execute();
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedPersistent);
  EXPECT_EQ(status.message(),
            "operation 0 (ADD): output of shape 2x2 has 16 bytes, above 15");
}

TEST_F(ReferenceDeviceTest, saysWhatOutputsNeed) {
  prepare("add_broadcast");
  outputs[0].resize(12);
  request.outputs[0].memory = OutputMemory::borrow(outputs[0]);
  EXPECT_EQ(execute().code(), StatusCode::outputInsufficientSize);
  ASSERT_EQ(result.outputShapes.size(), 1u);
  EXPECT_FALSE(result.outputShapes[0].isSufficient);
  EXPECT_EQ(result.outputShapes[0].dimensions, (std::vector<uint32_t>{2, 2}));
}

TEST_F(ReferenceDeviceTest, contradictedRequestFails) {
  prepare("transpose_default_permutation");
  request.outputs[0].dimensions = {3, 3};
  EXPECT_EQ(execute().message(),
            "output 0 has extent 3 in dimension 1 of the request and 2 in the "
            "model");
}

TEST_F(ReferenceDeviceTest, measuresWhenAsked) {
  prepare("add_broadcast");
  EXPECT_EQ(execute().message(), "");
  EXPECT_EQ(result.timing, Timing());
  request.measureTiming = true;
  EXPECT_EQ(execute().message(), "");
  EXPECT_NE(result.timing.timeOnDevice, noTiming);
  EXPECT_GE(result.timing.timeInDriver, result.timing.timeOnDevice);
}

TEST_F(ReferenceDeviceTest, modelMayGoAway) {
  prepare("while_counts");
  test.model = Model();
  EXPECT_EQ(execute().message(), "");
  int32_t value = 0;
  std::memcpy(&value, outputs[0].data(), sizeof value);
  EXPECT_EQ(value, 12);
}

} // namespace
