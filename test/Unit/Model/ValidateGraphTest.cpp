//===- ValidateGraphTest.cpp - Rules of operations and graphs -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <fmt/format.h>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

/// For mutations that change what operations read.
template <typename Mutate> auto counted(Mutate mutate) {
  return [=](Model &model) {
    mutate(model);
    computeConsumers(model.main);
  };
}

TEST(ValidateGraphTest, operationMustExist) { // B-030, B-046, A-182, A-183
  for (uint32_t code : {102u, 103u, 9999u, 10001u, 65535u})
    expectInvalid(
        addTwice(),
        fmt::format("main: operation 0 (code {0}): code {0} is not "
                    "an operation",
                    code),
        [&](Model &m) { m.main.operations[0].type = OperationType(code); });
}

TEST(ValidateGraphTest, operationNeedsVersion) { // B-039, A-182
  for (const OperationInfo &info : allOperations()) {
    if (info.family == OperationFamily::ControlFlow)
      continue;
    Model model = addTwice();
    model.main.operations[0].type = info.type;
    for (HalVersion version : {HalVersion::V1_0, HalVersion::V1_1,
                               HalVersion::V1_2, HalVersion::V1_3})
      EXPECT_EQ(validateStructure(model, version).isOk(), version >= info.since)
          << info.name << " in " << toString(version);
  }
  expectInvalid(
      addTwice(),
      "main: operation 0 (PAD): the operation needs HAL 1.1, the model is "
      "validated as 1.0",
      [](Model &m) { m.main.operations[0].type = OperationType::PAD; },
      HalVersion::V1_0);
}

TEST(ValidateGraphTest, extensionOperation) { // B-033
  auto toExtension = [](Model &m) {
    m.main.operations[0] = {OperationType(7u << 16 | 1), {}, {3}};
    computeConsumers(m.main);
  };
  auto declared = [=](Model &m) {
    m.extensionNameToPrefix = {{"com.example.ext", 7}};
    toExtension(m);
  };
  expectValid(addTwice(), declared);
  expectInvalid(addTwice(),
                "main: operation 0 (code 458753): extension prefix 7 is not "
                "among the 0 of the model",
                toExtension);
  expectInvalid(addTwice(),
                "main: operation 0 (code 458753): extension operations need "
                "HAL 1.2, the model is validated as 1.1",
                declared, HalVersion::V1_1);
}

// H-028: operands of an extension's operation have types of the HAL, of the
// extension or of another one.
TEST(ValidateGraphTest, extensionsTakeAnyOperands) {
  expectValid(addTwice(), [](Model &m) {
    m.extensionNameToPrefix = {{"com.example.ext", 7},
                               {"com.example.other", 8}};
    for (uint32_t prefix : {7u, 8u})
      m.main.operands.push_back(operand(OperandType(prefix << 16 | 2), {},
                                        OperandLifeTime::SUBGRAPH_INPUT));
    m.main.inputIndexes = {0, 5, 6};
    m.main.operations[0] = {OperationType(7u << 16 | 1), {0, 5, 6}, {3}};
    computeConsumers(m.main);
  });
}

TEST(ValidateGraphTest, oemOperation) { // B-032
  expectValid(
      addTwice(),
      [](Model &m) {
        m.main.operations[0].type = OperationType::OEM_OPERATION;
      },
      HalVersion::V1_0);
}

TEST(ValidateGraphTest, indicesInRange) { // B-031, B-046
  expectInvalid(addTwice(),
                "main: operation 0 (ADD): input 1 names operand 5, which must "
                "be below the number of operands, 5",
                counted([](Model &m) { m.main.operations[0].inputs[1] = 5; }));
  expectInvalid(addTwice(),
                "main: operation 1 (ADD): output 0 names operand 4294967295, "
                "which must be below the number of operands, 5",
                [](Model &m) { m.main.operations[1].outputs[0] = UINT32_MAX; });
}

TEST(ValidateGraphTest, listsAreNotEmpty) { // B-031
  expectInvalid(addTwice(),
                "main: operation 0 (ADD): the operation must have inputs",
                counted([](Model &m) { m.main.operations[0].inputs.clear(); }));
  expectInvalid(addTwice(),
                "main: operation 1 (ADD): the operation must have outputs",
                [](Model &m) { m.main.operations[1].outputs.clear(); });
}

TEST(ValidateGraphTest, subgraphOnlyToControlFlow) { // B-072
  auto passSubgraph = [](OperationType type) {
    return counted([=](Model &m) {
      m.referenced.push_back(addTwice().main);
      m.main.operands.push_back(
          operand(OperandType::SUBGRAPH, {}, OperandLifeTime::SUBGRAPH));
      m.main.operations[0] = {type, {0, 5, 2}, {3}};
    });
  };
  expectInvalid(addTwice(),
                "main: operation 0 (ADD): input 1 must not be a SUBGRAPH",
                passSubgraph(OperationType::ADD));
  expectValid(addTwice(), passSubgraph(OperationType::OEM_OPERATION));
}

TEST(ValidateGraphTest, outputsAreWritable) { // B-034, B-045
  for (uint32_t target : {0u, 1u})
    expectInvalid(addTwice(),
                  fmt::format("main: operation 1 (ADD): output 0 names operand "
                              "{}, a {} that must not be written",
                              target,
                              target ? "CONSTANT_COPY" : "SUBGRAPH_INPUT"),
                  [&](Model &m) { m.main.operations[1].outputs[0] = target; });
}

TEST(ValidateGraphTest, executionOrder) { // B-035, B-036
  expectInvalid(
      addTwice(),
      "main: operation 0 (ADD): input 0 reads operand 3 before it is "
      "written",
      [](Model &m) { std::swap(m.main.operations[0], m.main.operations[1]); });
  expectInvalid(addTwice(), // A cycle: 3 needs 4, 4 needs 3.
                "main: operation 0 (ADD): input 0 reads operand 4 before it is "
                "written",
                counted([](Model &m) { m.main.operations[0].inputs[0] = 4; }));
}

TEST(ValidateGraphTest, singleAssignment) { // B-037
  expectInvalid(addTwice(),
                "main: operation 1 (ADD): output 0 writes operand 3 a second "
                "time",
                [](Model &m) { m.main.operations[1].outputs[0] = 3; });
}

TEST(ValidateGraphTest, temporariesAndOutputsAreWritten) { // B-029
  expectInvalid(addTwice(),
                "main: operand 4: a SUBGRAPH_OUTPUT must be written by an "
                "operation",
                counted([](Model &m) { m.main.operations.pop_back(); }));
  expectInvalid(addTwice(),
                "main: operand 5: a TEMPORARY_VARIABLE must be written by an "
                "operation",
                [](Model &m) {
                  m.main.operands.push_back(
                      temporary(OperandType::TENSOR_FLOAT32, {2}));
                });
}

// B-009: whether a graph can be executed is not asked, as in the reference.
TEST(ValidateGraphTest, inputsAndOutputsMayBeMissing) {
  Model model = addTwice();
  model.main.operands[0] = zeros(model, OperandType::TENSOR_FLOAT32, {2}, 8);
  model.main.inputIndexes.clear();
  computeConsumers(model.main);
  EXPECT_EQ(validateModel(model).message(), "");
  model.main.operands[4].lifetime = OperandLifeTime::TEMPORARY_VARIABLE;
  model.main.outputIndexes.clear();
  EXPECT_EQ(validateModel(model).message(), "");
}

TEST(ValidateGraphTest, inputList) { // B-052, B-053
  expectInvalid(addTwice(),
                "main: inputIndexes 1 is operand 5, which must be below the "
                "number of operands, 5",
                [](Model &m) { m.main.inputIndexes.push_back(5); });
  expectInvalid(addTwice(),
                "main: inputIndexes 1 is operand 3, a TEMPORARY_VARIABLE that "
                "must be a SUBGRAPH_INPUT",
                [](Model &m) { m.main.inputIndexes.push_back(3); });
  expectInvalid(addTwice(),
                "main: inputIndexes 1 is operand 0, which is listed twice",
                [](Model &m) { m.main.inputIndexes.push_back(0); });
  expectInvalid(addTwice(),
                "main: operand 0: a SUBGRAPH_INPUT must be listed in "
                "inputIndexes",
                [](Model &m) { m.main.inputIndexes.clear(); });
}

TEST(ValidateGraphTest, outputList) { // B-054 to B-056
  expectInvalid(addTwice(),
                "main: outputIndexes 1 is operand 9, which must be below the "
                "number of operands, 5",
                [](Model &m) { m.main.outputIndexes.push_back(9); });
  expectInvalid(addTwice(),
                "main: outputIndexes 1 is operand 0, a SUBGRAPH_INPUT that "
                "must be a SUBGRAPH_OUTPUT",
                [](Model &m) { m.main.outputIndexes.push_back(0); });
  expectInvalid(addTwice(),
                "main: outputIndexes 1 is operand 4, which is listed twice",
                [](Model &m) { m.main.outputIndexes.push_back(4); });
  expectInvalid(addTwice(),
                "main: operand 4: a SUBGRAPH_OUTPUT must be listed in "
                "outputIndexes",
                [](Model &m) { m.main.outputIndexes.clear(); });
  expectValid(addTwice(), [](Model &m) { // Read by another operation as well.
    m.main.operands[3].lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
    m.main.outputIndexes = {4, 3};
  });
}

} // namespace
