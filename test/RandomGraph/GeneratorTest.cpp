//===- GeneratorTest.cpp - Random graphs are legal and the same -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "Recipes.h"

#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/Validate.h"

#include <gtest/gtest.h>

#include <set>

using namespace nnhal;
using namespace nnhal::randomgraph;

static const rt::Device &reference() {
  static const std::unique_ptr<rt::Device> device = rt::createReferenceDevice();
  return *device;
}

TEST(RandomTest, IsTheSameEverywhere) {
  Random random(42);
  // The C++ standard fixes the engine: these numbers are its own.
  EXPECT_EQ(random.next(), 13930160852258120406u);
  EXPECT_EQ(random.below(100), 63u);
  EXPECT_EQ(random.between(-5, 5), 3);
  EXPECT_EQ(random.real(-1.0, 1.0), -762792 * 0x1p-20);
}

// L-062.
TEST(RecipesTest, EveryOperationHasOne) {
  std::set<rt::OperationType> drawn;
  for (const Recipe &recipe : allRecipes())
    EXPECT_TRUE(drawn.insert(recipe.operation).second)
        << nameOf(recipe.operation) << " has two recipes";
  for (const rt::OperationInfo &info : rt::allOperations())
    EXPECT_TRUE(drawn.count(info.type)) << info.name << " has no recipe";
  EXPECT_EQ(drawn.size(), rt::allOperations().size());
}

// L-053: the rules hold what prescribes the quantization of a result.
TEST(RecipesTest, MakesLegalUsesOfEveryType) {
  for (const Recipe &recipe : allRecipes())
    for (rt::OperandType type : recipe.types)
      for (uint64_t seed = 0; seed < 4; ++seed) {
        auto test =
            generateOperation(reference(), recipe.operation, type, seed);
        ASSERT_TRUE(test.isOk())
            << nameOf(recipe.operation) << ": " << test.status().message();
        rt::Status valid = rt::validateModel(test->model);
        EXPECT_TRUE(valid.isOk()) << valid.message();
        bool isThere = false;
        for (const rt::Operation &operation : test->model.main.operations)
          isThere |= operation.type == recipe.operation;
        EXPECT_TRUE(isThere);
      }
}

namespace {

/// What the graphs of some seeds have.
struct Features {
  std::set<rt::OperationType> operations;
  std::set<rt::OperandType> types;
  std::set<std::string> others;
  size_t largest = 0;

  void add(const rt::TestCase &test);
  void addGraph(const rt::Subgraph &graph);
};

} // namespace

void Features::addGraph(const rt::Subgraph &graph) {
  for (const rt::Operation &operation : graph.operations)
    operations.insert(operation.type);
  for (const rt::Operand &operand : graph.operands) {
    types.insert(operand.type);
    if (rt::isConstant(operand.lifetime) && operand.numberOfConsumers > 1)
      others.insert("shared constant");
    if (operand.lifetime == rt::OperandLifeTime::NO_VALUE)
      others.insert("omitted in the model");
    if (operand.lifetime == rt::OperandLifeTime::CONSTANT_REFERENCE)
      others.insert("pool");
  }
}

void Features::add(const rt::TestCase &test) {
  const rt::Subgraph &main = test.model.main;
  addGraph(main);
  for (const rt::Subgraph &graph : test.model.referenced)
    addGraph(graph);
  largest = std::max(largest, main.operations.size());
  if (main.operations.size() == 1)
    others.insert("single operation");
  if (main.outputIndexes.size() > 1)
    others.insert("several outputs");
  if (test.model.relaxComputationFloat32toFloat16)
    others.insert("relaxed");
  if (test.expectFailure)
    others.insert("has to fail");
  if (test.examples.size() > 1) {
    others.insert("two executions");
    for (size_t i = 0; i < main.inputIndexes.size(); ++i)
      if (test.examples[0].inputs[i].dimensions !=
          test.examples[1].inputs[i].dimensions)
        others.insert("other extents in the second execution");
  }
  for (size_t i = 0; i < main.inputIndexes.size(); ++i) {
    const rt::Operand &input = main.operands[main.inputIndexes[i]];
    if (test.examples[0].inputs[i].isAbsent)
      others.insert("omitted in the request");
    if (!rt::isTensor(input.type))
      others.insert("scalar parameter as input");
    if (rt::isTensor(input.type) && !rt::byteSizeOf(input))
      others.insert("unknown extents");
  }
  for (const TestTensor &output : test.examples[0].outputs)
    if (!output.isAbsent && elementCount(output.dimensions) == 0)
      others.insert("tensor without elements");
}

TEST(GeneratorTest, GraphsHaveEverything) {
  Features found;
  for (uint64_t seed = 0; seed < 700; ++seed) {
    auto test = generateGraph(reference(), seed);
    ASSERT_TRUE(test.isOk()) << seed << ": " << test.status().message();
    found.add(*test);
  }
  EXPECT_EQ(found.operations.size(), rt::allOperations().size());
  using enum rt::OperandType;
  for (rt::OperandType type :
       {TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_BOOL8,
        TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_SYMM,
        TENSOR_QUANT8_SYMM_PER_CHANNEL, TENSOR_QUANT16_SYMM,
        TENSOR_QUANT16_ASYMM, INT32, FLOAT32, FLOAT16, BOOL, SUBGRAPH})
    EXPECT_TRUE(found.types.count(type)) << nameOf(type);
  EXPECT_EQ(
      found.others,
      (std::set<std::string>{
          "has to fail", "omitted in the model", "omitted in the request",
          "other extents in the second execution", "pool", "relaxed",
          "scalar parameter as input", "several outputs", "shared constant",
          "single operation", "tensor without elements", "two executions",
          "unknown extents"}));
  EXPECT_EQ(found.largest, 40u);
}

// L-046.
TEST(GeneratorTest, GraphsAreReproducible) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    auto once = generateGraph(reference(), seed);
    auto again = generateGraph(reference(), seed);
    ASSERT_TRUE(once.isOk()) << seed << ": " << once.status().message();
    ASSERT_TRUE(again.isOk());
    EXPECT_EQ(*rt::writeJsonModel(once->model),
              *rt::writeJsonModel(again->model));
  }
}
