//===- InvalidModelTest.cpp - Models with one mistake ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include <functional>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

struct Mutation {
  const char *name;
  std::function<AnnotatedModel()> build;
  std::function<void(Model &)> spoil;
};

AnnotatedModel twoAdditions() { return addChainModel({2, 2}, 2); }
AnnotatedModel oneAddition() { return addModel(); }
AnnotatedModel withConstant() { return addConstantModel({4}); }
AnnotatedModel branches() { return ifModel(); }
AnnotatedModel loop() { return countingLoopModel(3); }

Operand &outputOf(Subgraph &subgraph) {
  return subgraph.operands[subgraph.outputIndexes[0]];
}
Operand &inputOf(Subgraph &subgraph) {
  return subgraph.operands[subgraph.inputIndexes[0]];
}
Operand &constantOf(Subgraph &subgraph) {
  for (Operand &operand : subgraph.operands)
    if (isConstant(operand.lifetime))
      return operand;
  ADD_FAILURE() << "the model has no constant";
  return subgraph.operands[0];
}

const std::vector<Mutation> &operandMutations() {
  static const std::vector<Mutation> mutations = {
      {"scale", oneAddition, [](Model &m) { inputOf(m.main).scale = 1.0f; }},
      {"zeroPoint", oneAddition,
       [](Model &m) { inputOf(m.main).zeroPoint = 1; }},
      {"typeOfInput", oneAddition,
       [](Model &m) { inputOf(m.main).type = OperandType::TENSOR_INT32; }},
      {"typeWithoutMeaning", oneAddition,
       [](Model &m) { inputOf(m.main).type = OperandType(4711); }},
      {"rankOfOutput", oneAddition,
       [](Model &m) { outputOf(m.main).dimensions = {2, 2, 2}; }},
      {"extentOfOutput", oneAddition,
       [](Model &m) { outputOf(m.main).dimensions = {2, 3}; }},
      {"consumers", oneAddition,
       [](Model &m) { inputOf(m.main).numberOfConsumers += 1; }},
      {"inputIsTemporary", oneAddition,
       [](Model &m) {
         inputOf(m.main).lifetime = OperandLifeTime::TEMPORARY_VARIABLE;
       }},
      {"outputIsInput", oneAddition,
       [](Model &m) {
         outputOf(m.main).lifetime = OperandLifeTime::SUBGRAPH_INPUT;
       }},
      {"lifetimeWithoutMeaning", oneAddition,
       [](Model &m) { inputOf(m.main).lifetime = OperandLifeTime(9); }},
      {"locationOfInput", oneAddition,
       [](Model &m) { inputOf(m.main).location.offset = 4; }},
      {"constantBehindTheValues", withConstant,
       [](Model &m) { constantOf(m.main).location.offset = 1 << 20; }},
      {"constantTooShort", withConstant,
       [](Model &m) { constantOf(m.main).location.length -= 4; }},
      {"constantInAnUnknownPool", withConstant,
       [](Model &m) {
         Operand &operand = constantOf(m.main);
         operand.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
         operand.location.poolIndex = 3;
       }},
  };
  return mutations;
}

const std::vector<Mutation> &graphMutations() {
  static const std::vector<Mutation> mutations = {
      {"operationWithoutMeaning", oneAddition,
       [](Model &m) { m.main.operations[0].type = OperationType(4711); }},
      {"operationInputOutOfRange", oneAddition,
       [](Model &m) { m.main.operations[0].inputs[0] = 1000; }},
      {"operationOutputOutOfRange", oneAddition,
       [](Model &m) { m.main.operations[0].outputs[0] = 1000; }},
      {"operationWithoutInput", oneAddition,
       [](Model &m) { m.main.operations[0].inputs.pop_back(); }},
      {"operationWithoutOutput", oneAddition,
       [](Model &m) { m.main.operations[0].outputs.clear(); }},
      {"operationWithAnotherInput", oneAddition,
       [](Model &m) { m.main.operations[0].inputs.push_back(0); }},
      {"activationWithoutMeaning", oneAddition,
       [](Model &m) { m.operandValues[0] = 9; }},
      {"operationsInTheWrongOrder", twoAdditions,
       [](Model &m) { std::swap(m.main.operations[0], m.main.operations[1]); }},
      {"operandWrittenTwice", twoAdditions,
       [](Model &m) {
         m.main.operations[0].outputs = m.main.operations[1].outputs;
       }},
      {"outputNeverWritten", twoAdditions,
       [](Model &m) { m.main.operations.pop_back(); }},
      {"writesAnInput", oneAddition,
       [](Model &m) {
         m.main.operations[0].outputs[0] = m.main.inputIndexes[0];
       }},
      {"readsItself", oneAddition,
       [](Model &m) {
         m.main.operations[0].inputs[0] = m.main.operations[0].outputs[0];
       }},
      {"inputOutOfRange", oneAddition,
       [](Model &m) { m.main.inputIndexes[0] = 1000; }},
      {"inputTwice", oneAddition,
       [](Model &m) { m.main.inputIndexes[0] = m.main.inputIndexes[1]; }},
      {"inputMissing", oneAddition,
       [](Model &m) { m.main.inputIndexes.pop_back(); }},
      {"outputOutOfRange", oneAddition,
       [](Model &m) { m.main.outputIndexes[0] = 1000; }},
      {"noOutput", oneAddition, [](Model &m) { m.main.outputIndexes.clear(); }},
      {"noOperation", oneAddition, [](Model &m) { m.main.operations.clear(); }},
      {"branchOutOfRange", branches, [](Model &m) { m.referenced.pop_back(); }},
      {"branchWithoutInput", branches,
       [](Model &m) { m.referenced[0].inputIndexes.pop_back(); }},
      {"branchOfAnotherShape", branches,
       [](Model &m) { outputOf(m.referenced[1]).dimensions = {3, 3}; }},
      {"conditionIsNoBool", branches,
       [](Model &m) { inputOf(m.main).type = OperandType::TENSOR_INT32; }},
      {"loopConditionIsNoBool", loop,
       [](Model &m) {
         outputOf(m.referenced[0]).type = OperandType::TENSOR_INT32;
       }},
  };
  return mutations;
}

class InvalidModelTest : public ConformanceTest {
protected:
  void expectRejected(const Mutation &mutation) {
    SCOPED_TRACE(mutation.name);
    auto model = std::make_shared<AnnotatedModel>(mutation.build());
    mutation.spoil(model->model);
    auto supported = device->supportedOperations(*model);
    EXPECT_EQ(supported.status().code(), StatusCode::invalidArgument);
    EXPECT_NE(supported.status().message(), "");
    EXPECT_EQ(device->prepareModel(*model).status().code(),
              StatusCode::invalidArgument);
    auto notified = std::make_shared<Notified<Result<PreparedModelRef>>>();
    Status launched = device->prepareModelAsync(
        model, {}, [&](auto result) { notified->notify(std::move(result)); });
    EXPECT_EQ(launched.code(), StatusCode::invalidArgument);
    EXPECT_EQ(notified->wait().status().code(), StatusCode::invalidArgument);
    EXPECT_EQ(notified->count(), 1);
  }
};

// C-028, C-037, C-059.
TEST_F(InvalidModelTest, operandsAreChecked) {
  for (const Mutation &mutation : operandMutations())
    expectRejected(mutation);
}

// C-028, C-037, C-059, L-028: cycles, too.
TEST_F(InvalidModelTest, graphsAreChecked) {
  for (const Mutation &mutation : graphMutations())
    expectRejected(mutation);
}

} // namespace
