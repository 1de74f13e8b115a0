//===- GpuSupportTest.cpp - Operations that GPUs take ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/Gpu/Support/GpuSupport.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;

namespace {

/// A model of one operation; each operand is an input or output of it.
struct OneOperation {
  explicit OneOperation(OperationType type) {
    model.main.operations = {{type, {}, {}}};
  }

  Operand &add(OperandType type, std::vector<uint32_t> dimensions,
               OperandLifeTime lifetime) {
    auto index = uint32_t(model.main.operands.size());
    Operand operand;
    operand.type = type;
    operand.dimensions = std::move(dimensions);
    operand.lifetime = lifetime;
    model.main.operands.push_back(operand);
    bool isOutput = lifetime == OperandLifeTime::SUBGRAPH_OUTPUT;
    Operation &operation = model.main.operations[0];
    (isOutput ? operation.outputs : operation.inputs).push_back(index);
    if (isOutput)
      model.main.outputIndexes.push_back(index);
    else if (lifetime == OperandLifeTime::SUBGRAPH_INPUT)
      model.main.inputIndexes.push_back(index);
    return model.main.operands.back();
  }
  Operand &input(std::vector<uint32_t> dimensions) {
    return add(OperandType::TENSOR_FLOAT32, std::move(dimensions),
               OperandLifeTime::SUBGRAPH_INPUT);
  }
  Operand &output(std::vector<uint32_t> dimensions) {
    return add(OperandType::TENSOR_FLOAT32, std::move(dimensions),
               OperandLifeTime::SUBGRAPH_OUTPUT);
  }

  std::string refusal() const {
    return refusalOf(model, model.main, model.main.operations[0]).message();
  }

  Model model;
};

TEST(GpuSupportTest, TakesKnownExtents) {
  OneOperation relu(OperationType::RELU);
  relu.input({2, 3});
  relu.output({2, 3});
  EXPECT_EQ(relu.refusal(), "");
  EXPECT_TRUE(checkGpuInterface(relu.model).isOk());
}

TEST(GpuSupportTest, RefusesRoutines) {
  OneOperation topk(OperationType::TOPK_V2);
  topk.input({2, 3});
  topk.output({2, 1});
  EXPECT_EQ(topk.refusal(), "TOPK_V2: it is a routine of the runtime, which "
                            "GPUs do not call");
  EXPECT_EQ(checkGpuModel(topk.model).message(),
            "operation 0 TOPK_V2: it is a routine of the runtime, which GPUs "
            "do not call");
}

TEST(GpuSupportTest, RefusesUnknownExtents) {
  OneOperation relu(OperationType::RELU);
  relu.input({0, 3});
  relu.output({2, 3});
  EXPECT_EQ(relu.refusal(), "RELU: input 0 of shape [0,3] has extents that "
                            "only an execution knows");
  EXPECT_EQ(checkGpuInterface(relu.model).message(),
            "the model: input 0 of shape [0,3] has extents that only an "
            "execution knows");
  relu.model.main.operands[0].dimensions = {2, 3};
  relu.model.main.operands[1].dimensions = {};
  EXPECT_EQ(relu.refusal(),
            "RELU: output 0 has a rank that only an execution knows");
  EXPECT_EQ(checkGpuInterface(relu.model).message(),
            "the model: output 0 has a rank that only an execution knows");
}

TEST(GpuSupportTest, TakesUnknownExtentsThatAreOmitted) {
  OneOperation transpose(OperationType::TRANSPOSE);
  transpose.input({2, 3});
  transpose.add(OperandType::TENSOR_INT32, {0},
                OperandLifeTime::SUBGRAPH_INPUT);
  transpose.output({3, 2});
  EXPECT_EQ(transpose.refusal(), "");
  EXPECT_TRUE(checkGpuModel(transpose.model).isOk());
  Model &model = transpose.model;
  model.main.operands[1].dimensions = {};
  EXPECT_EQ(transpose.refusal(), "");
  EXPECT_TRUE(checkGpuInterface(model).isOk());
  // Known extents say nothing about what a request gives.
  model.main.operands[1].dimensions = {2};
  EXPECT_EQ(transpose.refusal(),
            "TRANSPOSE: input 1 is not a constant but a SUBGRAPH_INPUT");
  model.main.operands[1].dimensions = {0};
  model.main.operands[1].lifetime = OperandLifeTime::TEMPORARY_VARIABLE;
  EXPECT_EQ(transpose.refusal(),
            "TRANSPOSE: input 1 of shape [0] has extents that only an "
            "execution knows");
}

TEST(GpuSupportTest, RefusesUnknownExtentsThatAreRead) {
  OneOperation transpose(OperationType::TRANSPOSE);
  transpose.input({2, 3});
  transpose.add(OperandType::TENSOR_INT32, {0},
                OperandLifeTime::SUBGRAPH_INPUT);
  transpose.output({3, 2});
  // Another operation needs the same input.
  transpose.model.main.operations.push_back({OperationType::ABS, {1}, {2}});
  const std::string message = "the model: input 1 of shape [0] has extents "
                              "that only an execution knows";
  EXPECT_EQ(checkGpuInterface(transpose.model).message(), message);
  // Nobody reads it: what a request may leave out is not known.
  transpose.model.main.operations = {{OperationType::ABS, {0}, {2}}};
  EXPECT_EQ(checkGpuInterface(transpose.model).message(), message);
}

TEST(GpuSupportTest, RefusesLargeBuffers) {
  OneOperation relu(OperationType::RELU);
  relu.input({32, 1024, 1024});
  relu.output({32, 1024, 1024});
  EXPECT_EQ(relu.refusal(), "");
  relu.model.main.operands[1].dimensions[0] = 33;
  EXPECT_EQ(relu.refusal(), "RELU: output 0 has 138412032 bytes, buffers of "
                            "GPUs up to 134217728");
}

TEST(GpuSupportTest, RefusesComputedParameters) {
  OneOperation reshape(OperationType::RESHAPE);
  reshape.input({6});
  reshape.add(OperandType::TENSOR_INT32, {2}, OperandLifeTime::SUBGRAPH_INPUT);
  reshape.output({2, 3});
  EXPECT_EQ(reshape.refusal(),
            "RESHAPE: input 1 is not a constant but a SUBGRAPH_INPUT");
  OneOperation add(OperationType::ADD);
  add.input({2});
  add.input({2});
  add.add(OperandType::INT32, {}, OperandLifeTime::SUBGRAPH_INPUT);
  add.output({2});
  EXPECT_EQ(add.refusal(),
            "ADD: input 2 is not a constant but a SUBGRAPH_INPUT");
}

TEST(GpuSupportTest, RefusesWhatChoosesGraphs) {
  for (OperationType type : {OperationType::IF, OperationType::WHILE}) {
    OneOperation chooses(type);
    EXPECT_EQ(chooses.refusal(),
              nameOf(type) + ": graphs that are chosen by values are not "
                             "compiled for GPUs");
  }
  OneOperation oem(OperationType::OEM_OPERATION);
  EXPECT_EQ(oem.refusal(), "OEM_OPERATION: it is not compiled for GPUs");
}

TEST(GpuSupportTest, RefusesExtensions) {
  OneOperation vendor(OperationType(0x00010002));
  vendor.model.extensionNameToPrefix = {{"com.example.ext", 1}};
  std::string message = vendor.refusal();
  EXPECT_NE(message.find(" is of an extension, which is not compiled for GPUs"),
            std::string::npos)
      << message;
  OneOperation oem(OperationType::RELU);
  oem.add(OperandType::TENSOR_OEM_BYTE, {4}, OperandLifeTime::SUBGRAPH_INPUT);
  EXPECT_EQ(oem.refusal(), "RELU: input 0 is TENSOR_OEM_BYTE, which is not "
                           "compiled for GPUs");
}

} // namespace
