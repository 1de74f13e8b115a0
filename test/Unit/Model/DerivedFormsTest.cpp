//===- DerivedFormsTest.cpp - Forms of cases with the same results --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include "nnhal/Runtime/TestCase.h"

#include <nlohmann/json.hpp>

using namespace nnhal::rt;

namespace {

using enum OperandType;

using Bytes = std::vector<uint8_t>;
using Shape = std::vector<uint32_t>;

/// A case of one operation on \p type of shape 2x3, with one constant beside
/// the input.
TestCase caseOf(OperationType operation, OperandType type) {
  TestCase test;
  test.minHalVersion = HalVersion::V1_0;
  Model &model = test.model;
  model.main.operands = {
      test::input(type, {2, 3}), test::zeros(model, type, {3}, 3),
      test::zeros(model, INT32, {}, 4), test::output(type, {2, 3})};
  model.main.operations = {{operation, {0, 1, 2}, {3}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {3};
  test.examples.resize(1);
  test.examples[0].inputs = {{false, {2, 3}, {0, 1, 127, 128, 129, 255}}};
  test.examples[0].outputs = {{false, {2, 3}, {5, 6, 7, 8, 9, 200}}};
  return test;
}

bool derives(TestCase &test, const DerivedForm &form) {
  Result<bool> applies = deriveForm(test, form);
  EXPECT_EQ(applies.status().message(), "");
  return applies.isOk() && *applies;
}

bool appliesTo(TestCase test, const DerivedForm &form) {
  return derives(test, form);
}

const Operand &inputOf(const TestCase &test) {
  return test.model.main.operands[test.model.main.inputIndexes[0]];
}
const Operand &outputOf(const TestCase &test) {
  return test.model.main.operands[test.model.main.outputIndexes[0]];
}

TEST(DerivedFormsTest, extentsAreForgotten) {
  TestCase test = caseOf(OperationType::ADD, TENSOR_FLOAT32);
  EXPECT_TRUE(derives(test, {.dynamicInputShape = true}));
  EXPECT_EQ(inputOf(test).dimensions, (Shape{0, 0}));
  EXPECT_EQ(outputOf(test).dimensions, (Shape{2, 3}));
  EXPECT_EQ(test.minHalVersion, HalVersion::V1_0);
  EXPECT_TRUE(derives(test, {.dynamicOutputShape = true}));
  EXPECT_EQ(outputOf(test).dimensions, (Shape{0, 0}));
  // The constant keeps its extents.
  EXPECT_EQ(test.model.main.operands[1].dimensions, (Shape{3}));
}

// scales of channels need the extent of theirs.
TEST(DerivedFormsTest, theChannelDimensionIsKept) {
  TestCase test = caseOf(OperationType::ADD, TENSOR_QUANT8_SYMM_PER_CHANNEL);
  test.model.main.operands[0].extraParams =
      SymmPerChannelQuantParams{{0.5f, 0.25f}, 0};
  EXPECT_TRUE(derives(test, {.dynamicInputShape = true}));
  EXPECT_EQ(inputOf(test).dimensions, (Shape{2, 0}));
  EXPECT_TRUE(derives(test, {.unknownRank = true}));
  EXPECT_EQ(inputOf(test).dimensions, (Shape{2, 0}));
  EXPECT_EQ(outputOf(test).dimensions, Shape{});
}

// unknown ranks are those of HAL 1.2.
TEST(DerivedFormsTest, ranksAreForgotten) {
  for (HalVersion version : {HalVersion::V1_0, HalVersion::V1_3}) {
    TestCase test = caseOf(OperationType::ADD, TENSOR_FLOAT32);
    test.minHalVersion = version;
    EXPECT_TRUE(derives(test, {.unknownRank = true}));
    EXPECT_EQ(inputOf(test).dimensions, Shape{});
    EXPECT_EQ(outputOf(test).dimensions, Shape{});
    EXPECT_EQ(test.minHalVersion, std::max(version, HalVersion::V1_2));
  }
}

TEST(DerivedFormsTest, quantizationIsCentred) {
  TestCase test = caseOf(OperationType::ADD, TENSOR_QUANT8_ASYMM);
  test.model.main.operands[0].zeroPoint = 100;
  test.model.operandValues = {1, 2, 200, 0, 0, 0, 0};
  EXPECT_TRUE(derives(test, {.quantizationCoupling = true}));
  EXPECT_EQ(inputOf(test).type, TENSOR_QUANT8_ASYMM_SIGNED);
  EXPECT_EQ(inputOf(test).zeroPoint, -28);
  EXPECT_EQ(outputOf(test).zeroPoint, -128);
  EXPECT_EQ(test.minHalVersion, HalVersion::V1_3);
  EXPECT_EQ(test.examples[0].inputs[0].bytes,
            (Bytes{128, 129, 255, 0, 1, 127}));
  EXPECT_EQ(test.examples[0].outputs[0].bytes,
            (Bytes{133, 134, 135, 136, 137, 72}));
  // The constant is a changed copy; nobody else's bytes are touched.
  const Operand &constant = test.model.main.operands[1];
  EXPECT_EQ(constant.lifetime, OperandLifeTime::CONSTANT_COPY);
  auto bytes = constantBytes(test.model, constant);
  ASSERT_TRUE(bytes.isOk());
  EXPECT_EQ(
      Bytes(reinterpret_cast<const uint8_t *>(bytes->data()),
            reinterpret_cast<const uint8_t *>(bytes->data()) + bytes->size()),
      (Bytes{129, 130, 72}));
  EXPECT_EQ(test.model.operandValues[2], 200);
  EXPECT_EQ(test.model.main.operands[2].type, INT32);
}

TEST(DerivedFormsTest, constantsOfPoolsAreCopied) {
  TestCase test = caseOf(OperationType::ADD, TENSOR_QUANT8_ASYMM);
  const std::vector<std::byte> pool(8, std::byte(3));
  test.model.pools = {{"pool", Memory::copy(pool), {}, 0, false}};
  Operand &constant = test.model.main.operands[1];
  constant.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
  constant.location = {0, 4, 3};
  EXPECT_TRUE(derives(test, {.quantizationCoupling = true}));
  EXPECT_EQ(constant.lifetime, OperandLifeTime::CONSTANT_COPY);
  auto bytes = constantBytes(test.model, constant);
  ASSERT_TRUE(bytes.isOk());
  EXPECT_EQ((*bytes)[2], std::byte(131));
  // Memory that cannot be read is reported.
  test = caseOf(OperationType::ADD, TENSOR_QUANT8_ASYMM);
  test.model.pools = {{"pool", Memory::device(7), {}, 0, false}};
  test.model.main.operands[1].lifetime = OperandLifeTime::CONSTANT_REFERENCE;
  EXPECT_FALSE(deriveForm(test, {.quantizationCoupling = true}).isOk());
}

TEST(DerivedFormsTest, formsThatAreNotDefined) {
  const DerivedForm inputs{.dynamicInputShape = true},
      outputs{.dynamicOutputShape = true}, ranks{.unknownRank = true},
      coupled{.quantizationCoupling = true};
  for (OperationType type :
       {OperationType::RANK, OperationType::IF, OperationType::WHILE}) {
    TestCase test = caseOf(type, TENSOR_FLOAT32);
    EXPECT_FALSE(appliesTo(test, inputs));
    EXPECT_FALSE(appliesTo(test, outputs));
    EXPECT_EQ(appliesTo(test, ranks), type != OperationType::IF);
  }
  // How many dimensions SQUEEZE leaves follows from its axes.
  TestCase squeeze = caseOf(OperationType::SQUEEZE, TENSOR_FLOAT32);
  EXPECT_TRUE(appliesTo(squeeze, ranks));
  squeeze.model.main.operands[1].lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  EXPECT_FALSE(appliesTo(squeeze, ranks));
  squeeze.model.main.operations[0].inputs.resize(1);
  EXPECT_TRUE(appliesTo(squeeze, ranks));
  // The signed type is for one operation that does not fix the unsigned one.
  EXPECT_FALSE(appliesTo(caseOf(OperationType::ADD, TENSOR_FLOAT32), coupled));
  EXPECT_FALSE(
      appliesTo(caseOf(OperationType::CAST, TENSOR_QUANT8_ASYMM), coupled));
  TestCase two = caseOf(OperationType::ADD, TENSOR_QUANT8_ASYMM);
  two.model.main.operations.push_back(two.model.main.operations[0]);
  EXPECT_FALSE(appliesTo(two, coupled));
  two.model.main.operations.pop_back();
  two.model.referenced.resize(1);
  EXPECT_FALSE(appliesTo(two, coupled));
  // A case that fails does so in its own form alone.
  TestCase failing = caseOf(OperationType::ADD, TENSOR_QUANT8_ASYMM);
  failing.expectFailure = true;
  EXPECT_TRUE(appliesTo(failing, {}));
  for (const DerivedForm &form : {inputs, outputs, ranks, coupled})
    EXPECT_FALSE(appliesTo(failing, form));
  EXPECT_FALSE(derives(failing, coupled));
  EXPECT_EQ(inputOf(failing).type, TENSOR_QUANT8_ASYMM);
}

/// Reads a case of one input of two bytes, which is \p tensor in the file.
Status readWith(const nlohmann::json &tensor, Bytes &bytes) {
  TestCase test = caseOf(OperationType::ADD, TENSOR_QUANT8_ASYMM);
  auto text = writeTestCases(std::span(&test, 1));
  EXPECT_EQ(text.status().message(), "");
  nlohmann::json file = nlohmann::json::parse(*text);
  file["cases"][0]["examples"][0]["inputs"][0] = tensor;
  return readTestCases(file.dump(), [&](TestCase read) {
    bytes = read.examples.at(0).inputs.at(0).bytes;
    return Status::ok();
  });
}

TEST(DerivedFormsTest, elementsInBase64) {
  Bytes bytes;
  EXPECT_EQ(readWith({{"dimensions", {1, 3}}, {"base64", "AACAPw=="}}, bytes)
                .message(),
            "");
  EXPECT_EQ(bytes, (Bytes{0, 0, 128, 63}));
  EXPECT_EQ(
      readWith({{"dimensions", {1}}, {"base64", "AA=="}, {"value", {1}}}, bytes)
          .message(),
      "cases[0].examples[0].inputs[0]: \"value\" and \"base64\" are "
      "given");
}

} // namespace
