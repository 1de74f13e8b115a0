//===- ArtifactsTest.cpp - What artifacts of single operations need -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "Recipes.h"

#include "Runtime/Artifact/ModelCache.h"
#include "Runtime/Artifact/RoutineSignature.h"
#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

using namespace nnhal;
using namespace nnhal::randomgraph;

namespace {

/// An operation that a routine of the runtime executes, and why.
struct RoutineRow {
  uint32_t slot;
  rt::OperationType operation;
  std::string_view why;
};

constexpr RoutineRow routineRows[] = {
#define NNHAL_ROUTINE(SLOT, OPERATION, WHY)                                    \
  {SLOT, rt::OperationType::OPERATION, WHY},
#include "Runtime/Artifact/Routines.def"
};

/// The slots of the kernels that the code for \p test calls.
rt::Result<std::vector<uint32_t>> slotsOf(const rt::TestCase &test) {
  static rt::LazyCompiler lazy(NNHAL_COMPILER_LIBRARY);
  NNHAL_ASSIGN_OR_RETURN(auto compiler, lazy.get());
  rt::AnnotatedModel model;
  model.model = test.model;
  NNHAL_ASSIGN_OR_RETURN(rt::CompiledModel compiled,
                         compiler->compileModel(model));
  NNHAL_ASSIGN_OR_RETURN(rt::Artifact artifact,
                         rt::readModelCache(compiled.modelCache));
  return std::move(artifact.routineSlots);
}

TEST(ArtifactsTest, callRoutinesOfTheTableOnly) {
  auto reference = rt::createReferenceDevice({});
  for (const Recipe &recipe : allRecipes()) {
    if (recipe.operation == rt::OperationType::IF ||
        recipe.operation == rt::OperationType::WHILE)
      continue;
    SCOPED_TRACE(rt::nameOf(recipe.operation));
    auto test = generateOperation(*reference, recipe.operation,
                                  recipe.types.front(), /*seed=*/1);
    ASSERT_TRUE(test.isOk()) << test.status().message();
    auto slots = slotsOf(*test);
    ASSERT_TRUE(slots.isOk()) << slots.status().message();
    std::vector<uint32_t> expected;
    if (auto slot = rt::routineSlot(recipe.operation))
      expected.push_back(*slot);
    EXPECT_EQ(*slots, expected);
  }
}

TEST(ArtifactsTest, tableIsDocumented) {
  std::string rows;
  for (const RoutineRow &row : routineRows)
    rows += fmt::format("| {} | {} | {} |\n", row.slot,
                        rt::nameOf(row.operation), row.why);
  std::stringstream found;
  found
      << std::ifstream(NNHAL_TEST_DATA "/../docs/Compiler/Routines.md").rdbuf();
  EXPECT_NE(found.str().find("|---|---|---|\n" + rows + "\n"),
            std::string::npos)
      << "expected the table:\n"
      << rows;
}

} // namespace
