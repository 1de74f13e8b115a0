//===- GeneratorTest.cpp - Random graphs are legal and the same -*- C++ -*-===//
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

TEST(RecipesTest, EveryOperationHasOne) {
  std::set<rt::OperationType> drawn;
  for (const Recipe &recipe : allRecipes())
    EXPECT_TRUE(drawn.insert(recipe.operation).second)
        << nameOf(recipe.operation) << " has two recipes";
  for (const rt::OperationInfo &info : rt::allOperations())
    EXPECT_TRUE(drawn.count(info.type)) << info.name << " has no recipe";
  EXPECT_EQ(drawn.size(), rt::allOperations().size());
}

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
