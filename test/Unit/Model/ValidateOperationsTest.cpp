//===- ValidateOperationsTest.cpp - Rules of operations in a model --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

TEST(ValidateOperationsTest, namesTheOperationAndTheRule) { // B-040
  Model model = addTwice();
  EXPECT_EQ(validateModel(model).message(), "");
  model.main.operations[1].inputs = {3, 1};
  computeConsumers(model.main);
  EXPECT_EQ(validateStructure(model).message(), "");
  EXPECT_EQ(validateModel(model).message(),
            "main: operation 1 (ADD): found 2 inputs, expected 3");
}

// H-029: an operation of the HAL takes no operands of extension types.
TEST(ValidateOperationsTest, extensionTypesAreForExtensions) {
  Model model = addTwice();
  model.extensionNameToPrefix = {{"com.example.ext", 7}};
  model.main.operands[0].type = OperandType(7u << 16 | 3);
  EXPECT_EQ(validateStructure(model).message(), "");
  EXPECT_EQ(validateModel(model).message(),
            "main: operation 0 (ADD): lhs type code 458755 is not among "
            "TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, "
            "TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED");
}

TEST(ValidateOperationsTest, aUseNeedsItsVersion) { // M-053
  Model model = addTwice();
  Operand &input = model.main.operands[0];
  Operand &output = model.main.operands[3];
  input.type = output.type = OperandType::TENSOR_QUANT8_ASYMM;
  input.scale = 0.5f;
  output.scale = 1.0f / 128;
  output.zeroPoint = 128;
  output.lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
  model.main.operands.resize(4);
  model.main.operations = {{OperationType::TANH, {0}, {3}}};
  model.main.outputIndexes = {3};
  computeConsumers(model.main);
  EXPECT_EQ(validateModel(model, HalVersion::V1_2).message(), "");
  EXPECT_EQ(validateModel(model, HalVersion::V1_1).message(),
            "main: operation 0 (TANH): this use needs HAL 1.2, the model is "
            "validated as 1.1");
}

TEST(ValidateOperationsTest, lowestVersionOfAModel) { // K-030
  Model model = addTwice();
  Result<HalVersion> version = lowestVersion(model);
  ASSERT_TRUE(version.isOk());
  EXPECT_EQ(*version, HalVersion::V1_0);
  for (uint32_t operand : {0, 1, 3, 4})
    model.main.operands[operand].type = OperandType::TENSOR_INT32;
  version = lowestVersion(model);
  ASSERT_TRUE(version.isOk());
  EXPECT_EQ(*version, HalVersion::V1_3);
  model.main.operations[0].inputs.pop_back();
  computeConsumers(model.main);
  EXPECT_EQ(lowestVersion(model).status().message(),
            "main: operation 0 (ADD): found 2 inputs, expected 3");
}

// M-259: a use of signed bytes makes a model of 1.3, whatever the table of the
// operation says.
TEST(ValidateOperationsTest, signedBytesAreOf13) {
  auto model = [](OperationType type, OperandType of) {
    Model made;
    auto add = [&](Operand operand) {
      if (isQuantized(operand.type))
        operand.scale = 1.0f;
      made.main.operands.push_back(std::move(operand));
      return uint32_t(made.main.operands.size() - 1);
    };
    std::vector<uint32_t> inputs;
    if (type == OperationType::SELECT)
      inputs.push_back(add(input(OperandType::TENSOR_BOOL8, {2})));
    inputs.push_back(add(input(of, {2})));
    OperandType result = of;
    if (type == OperationType::SELECT)
      inputs.push_back(add(input(of, {2})));
    else if (type == OperationType::DEQUANTIZE)
      result = OperandType::TENSOR_FLOAT32;
    else
      result = OperandType::TENSOR_INT32;
    if (type == OperationType::ARGMAX || type == OperationType::ARGMIN)
      inputs.push_back(add(input(OperandType::INT32, {})));
    for (uint32_t each : inputs)
      made.main.inputIndexes.push_back(each);
    // The axis is not known, nor is the number of results.
    bool isOpen =
        type == OperationType::ARGMAX || type == OperationType::ARGMIN;
    uint32_t last = add(output(result, {isOpen ? 1u : 2u}));
    made.main.outputIndexes = {last};
    made.main.operations = {{type, inputs, {last}}};
    computeConsumers(made.main);
    return made;
  };
  using enum OperationType;
  for (OperationType type : {ARGMAX, ARGMIN, SELECT, DEQUANTIZE}) {
    SCOPED_TRACE(nameOf(type));
    Model made = model(type, OperandType::TENSOR_QUANT8_ASYMM_SIGNED);
    Result<HalVersion> version = lowestVersion(made);
    ASSERT_TRUE(version.isOk()) << version.status().message();
    EXPECT_EQ(*version, HalVersion::V1_3);
    EXPECT_FALSE(validateModel(made, HalVersion::V1_2).isOk());
    version = lowestVersion(model(type, OperandType::TENSOR_QUANT8_ASYMM));
    ASSERT_TRUE(version.isOk()) << version.status().message();
    EXPECT_LT(*version, HalVersion::V1_3);
  }
}

} // namespace
