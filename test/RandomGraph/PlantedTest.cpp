//===- PlantedTest.cpp - What is wrong on purpose is found ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseFile.h"
#include "Cut.h"
#include "Generator.h"
#include "PlantedDevice.h"
#include "Seed.h"
#include "Shrink.h"

#include "Tools/Check/Check.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::OperationType;

static const rt::Device &reference() {
  static const std::unique_ptr<rt::Device> device = rt::createReferenceDevice();
  return *device;
}

static bool contains(const rt::TestCase &test, OperationType type) {
  return std::ranges::count(test.model.main.operations, type,
                            &rt::Operation::type) != 0;
}

/// The first graphs that \p fits, from seed 0 on.
static std::vector<rt::TestCase>
findGraphs(size_t count,
           const std::function<bool(const rt::TestCase &)> &fits) {
  std::vector<rt::TestCase> found;
  for (uint64_t seed = 0; found.size() < count && seed < 4000; ++seed) {
    auto test = generateGraph(reference(), seed);
    if (test.isOk() && !test->expectFailure && fits(*test))
      found.push_back(*std::move(test));
  }
  return found;
}

/// Every \p from of the main graph becomes \p to.
static Plant replacing(OperationType from, OperationType to) {
  Plant plant;
  plant.changeModel = [from, to](rt::Model &model) {
    for (rt::Operation &operation : model.main.operations)
      if (operation.type == from)
        operation.type = to;
    return rt::Status::ok();
  };
  return plant;
}

TEST(PlantedTest, WrongOperationIsFoundAttributedAndShrunk) {
  auto device = createPlantedDevice(
      reference(), replacing(OperationType::MAXIMUM, OperationType::MINIMUM));
  size_t failures = 0;
  for (const rt::TestCase &test : findGraphs(12, [](const rt::TestCase &graph) {
         return contains(graph, OperationType::MAXIMUM) &&
                graph.model.main.operations.size() > 4;
       })) {
    Verdict verdict = judge(*device, reference(), test);
    if (verdict.outcome != Verdict::Outcome::mismatch)
      continue; // Both may be the same for the values of a graph.
    ++failures;
    EXPECT_EQ(verdict.stage, "comparison");
    ASSERT_TRUE(verdict.operation) << verdict.message;
    EXPECT_EQ(test.model.main.operations[*verdict.operation].type,
              OperationType::MAXIMUM);
    rt::TestCase small =
        shrink(reference(), test, [&](const rt::TestCase &candidate) {
          return isMismatch(*device, reference(), candidate);
        });
    ASSERT_EQ(small.model.main.operations.size(), 1u);
    EXPECT_EQ(small.model.main.operations[0].type, OperationType::MAXIMUM);
    for (const rt::Operand &operand : small.model.main.operands)
      EXPECT_LE(elementCount(operand.dimensions), 1u);
  }
  EXPECT_GE(failures, 6u);
}

TEST(PlantedTest, CaseFileShowsTheSame) {
  auto device = createPlantedDevice(
      reference(), replacing(OperationType::SIN, OperationType::ABS));
  for (const rt::TestCase &test : findGraphs(3, [](const rt::TestCase &graph) {
         return contains(graph, OperationType::SIN);
       })) {
    rt::TestCase small =
        shrink(reference(), test, [&](const rt::TestCase &candidate) {
          return isMismatch(*device, reference(), candidate);
        });
    auto text = writeTestCase(small);
    ASSERT_TRUE(text.isOk()) << text.status().message();
    size_t count = 0;
    rt::Status status = rt::readTestCases(*text, [&](rt::TestCase read) {
      ++count;
      using enum tools::CaseResult::Outcome;
      EXPECT_EQ(tools::checkCase(read, reference(), {}).outcome, passed);
      EXPECT_EQ(tools::checkCase(read, *device, {}).outcome, failed);
      return rt::Status::ok();
    });
    EXPECT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(count, 1u);
  }
}

TEST(PlantedTest, FailingPreparationAndExecutionAreFound) {
  Plant plant;
  plant.changeModel = [](rt::Model &model) {
    return std::ranges::count(model.main.operations, OperationType::TANH,
                              &rt::Operation::type) == 0
               ? rt::Status::ok()
               : rt::failure("no code for it");
  };
  auto device = createPlantedDevice(reference(), plant);
  auto graphs = findGraphs(1, [](const rt::TestCase &graph) {
    return contains(graph, OperationType::TANH);
  });
  Verdict verdict = judge(*device, reference(), graphs[0]);
  EXPECT_EQ(verdict.stage, "preparation");
  EXPECT_EQ(verdict.message,
            "all operations are supported, but: no code for it");

  Plant other;
  other.changeOutputs = [](const rt::Model &, Tensors &) {
    return rt::failure("nothing came of it");
  };
  auto second = createPlantedDevice(reference(), other);
  verdict = judge(*second, reference(), graphs[0]);
  EXPECT_EQ(verdict.stage, "execution");
  EXPECT_EQ(verdict.message,
            "nothing came of it, but the reference device reports no error");
}

/// A device that answers where it has to report an error.
TEST(PlantedTest, MissingExecutionErrorIsFound) {
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    auto test = generateGraph(reference(), seed);
    ASSERT_TRUE(test.isOk());
    if (!test->expectFailure)
      continue;
    EXPECT_EQ(judge(reference(), reference(), *test).outcome,
              Verdict::Outcome::agrees);
    Plant plant;
    plant.invent = true;
    auto device = createPlantedDevice(reference(), plant);
    Verdict verdict = judge(*device, reference(), *test);
    EXPECT_EQ(verdict.stage, "execution");
    EXPECT_TRUE(verdict.message.starts_with(
        "no error, but the reference device reports: "))
        << verdict.message;
    return;
  }
  FAIL() << "no graph has to fail";
}

/// A fault of operations that are compiled together: it is gone as soon as the
/// value between them is an output.
TEST(PlantedTest, FaultOfFusionIsFound) {
  Plant plant;
  plant.changeModel = [](rt::Model &model) {
    rt::Subgraph &main = model.main;
    for (rt::Operation &operation : main.operations) {
      if (operation.type != OperationType::NEG)
        continue;
      const rt::Operand &input = main.operands[operation.inputs[0]];
      if (input.lifetime == rt::OperandLifeTime::TEMPORARY_VARIABLE)
        operation.type = OperationType::ABS;
    }
    return rt::Status::ok();
  };
  auto device = createPlantedDevice(reference(), plant);
  size_t failures = 0;
  for (const rt::TestCase &test : findGraphs(10, [](const rt::TestCase &graph) {
         const rt::Subgraph &main = graph.model.main;
         return std::ranges::any_of(
             main.operations, [&](const rt::Operation &operation) {
               return operation.type == OperationType::NEG &&
                      main.operands[operation.inputs[0]].lifetime ==
                          rt::OperandLifeTime::TEMPORARY_VARIABLE;
             });
       })) {
    Verdict verdict = judge(*device, reference(), test);
    if (verdict.outcome != Verdict::Outcome::mismatch)
      continue;
    ++failures;
    EXPECT_FALSE(verdict.operation);
    EXPECT_NE(verdict.message.find("every operation is right by itself"),
              std::string::npos)
        << verdict.message;
    rt::TestCase small =
        shrink(reference(), test, [&](const rt::TestCase &candidate) {
          return isMismatch(*device, reference(), candidate);
        });
    EXPECT_EQ(small.model.main.operations.size(), 2u);
  }
  EXPECT_GE(failures, 3u);
}

TEST(PlantedTest, NoiseWithinTheTableIsNoMismatch) {
  for (NoiseLevel level : {NoiseLevel::lastPlaces, NoiseLevel::table}) {
    Plant plant;
    plant.noise = level;
    auto device = createPlantedDevice(reference(), plant);
    for (uint64_t seed = 0; seed < 60; ++seed) {
      auto test = generateGraph(reference(), seed);
      ASSERT_TRUE(test.isOk());
      Verdict verdict = judge(*device, reference(), *test);
      EXPECT_NE(verdict.outcome, Verdict::Outcome::mismatch)
          << seed << ": " << verdict.message;
    }
  }
}

TEST(CutTest, UnsupportedOperationsAreDroppedAndCounted) {
  Plant plant;
  plant.supports = [](const rt::Operation &operation) {
    return operation.type != OperationType::MUL;
  };
  auto device = createPlantedDevice(reference(), plant);
  for (const rt::TestCase &test : findGraphs(5, [](const rt::TestCase &graph) {
         return contains(graph, OperationType::MUL) &&
                graph.model.main.operations.size() > 3;
       })) {
    auto muls = std::ranges::count(test.model.main.operations,
                                   OperationType::MUL, &rt::Operation::type);
    auto cut = cutToSupported(*device, reference(), test);
    ASSERT_TRUE(cut.isOk()) << cut.status().message();
    ASSERT_TRUE(cut->test);
    EXPECT_FALSE(contains(*cut->test, OperationType::MUL));
    EXPECT_EQ(cut->dropped.size(), 1u);
    EXPECT_EQ(cut->dropped[OperationType::MUL], uint64_t(muls));
    EXPECT_EQ(cut->test->model.main.operations.size() + size_t(muls),
              test.model.main.operations.size());
    EXPECT_EQ(judge(*device, reference(), *cut->test).outcome,
              Verdict::Outcome::agrees);
  }
}

// L-046.
TEST(SeedTest, FailureIsWrittenAsACase) {
  auto device = createPlantedDevice(
      reference(), replacing(OperationType::EXP, OperationType::ABS));
  std::string folder = testing::TempDir() + "random_graph_seed_test";
  std::filesystem::create_directories(folder);
  uint64_t failures = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SeedReport report = runSeed(*device, reference(), seed, {folder});
    EXPECT_EQ(report.totals.graphs, 1u);
    if (!report.failure)
      continue;
    ++failures;
    EXPECT_EQ(report.failure->seed, seed);
    EXPECT_EQ(report.failure->operations, "EXP");
    EXPECT_TRUE(std::filesystem::exists(report.failure->file));
  }
  EXPECT_GE(failures, 1u);
  std::filesystem::remove_all(folder);
}
