//===- Seed.cpp - One seed from graph to report ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Seed.h"

#include "CaseFile.h"
#include "Cut.h"
#include "Generator.h"
#include "Recipes.h"
#include "Shrink.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"

#include <fmt/format.h>

#include <algorithm>

using namespace nnhal;
using namespace nnhal::randomgraph;

static void addCounts(Counts &sum, const Counts &other) {
  for (const auto &[name, count] : other)
    sum[name] += count;
}

void Totals::add(const Totals &other) {
  graphs += other.graphs;
  emptied += other.emptied;
  accumulated += other.accumulated;
  failing += other.failing;
  madeStatic += other.madeStatic;
  fixedParameters += other.fixedParameters;
  addCounts(executed, other.executed);
  addCounts(dropped, other.dropped);
  addCounts(conditioned, other.conditioned);
}

bool randomgraph::isMismatch(const rt::Device &tested,
                             const rt::Device &reference,
                             const rt::TestCase &test,
                             const JudgeOptions &options) {
  rt::AnnotatedModel annotated;
  annotated.model = test.model;
  auto answers = tested.supportedOperations(annotated);
  bool isSupported =
      answers.isOk() && std::ranges::all_of(*answers, [](const auto &answer) {
        return answer.isOk();
      });
  return isSupported && judge(tested, reference, test, options).outcome ==
                            Verdict::Outcome::mismatch;
}

static std::string namesOf(const rt::Subgraph &subgraph) {
  std::string names;
  for (const rt::Operation &operation : subgraph.operations)
    names += (names.empty() ? "" : ", ") + nameOf(operation.type);
  return names;
}

Failure randomgraph::keepFailure(
    const rt::Device &reference, rt::TestCase test,
    const std::function<bool(const rt::TestCase &)> &symptom,
    const std::string &failures) {
  Failure failure;
  rt::TestCase small = shrink(reference, std::move(test), symptom);
  failure.operations = namesOf(small.model.main);
  std::string path = fmt::format("{}/{}.json", failures, small.name);
  auto text = writeTestCase(small);
  if (text.isOk() &&
      rt::writeFileAtomically(path, std::as_bytes(std::span(*text))).isOk())
    failure.file = path;
  return failure;
}

static SeedReport failed(SeedReport report, uint64_t seed, std::string stage,
                         const rt::Status &status) {
  report.failure = Failure{seed, std::move(stage), status.message(), "", ""};
  return report;
}

rt::Result<rt::TestCase> randomgraph::generateFor(const rt::Device &reference,
                                                  uint64_t seed,
                                                  const SeedOptions &options) {
  if (options.operation.empty())
    return generateGraph(reference, seed);
  std::span<const Recipe> recipes = allRecipes();
  uint64_t number = seed;
  if (options.operation == "all") {
    recipes = recipes.subspan(seed % recipes.size(), 1);
    number = seed / allRecipes().size();
  } else {
    const rt::OperationInfo *info = rt::lookUpOperation(options.operation);
    const Recipe *recipe = info ? lookUpRecipe(info->type) : nullptr;
    if (!recipe)
      return rt::badData("'{}' is no operation of the HAL", options.operation);
    recipes = std::span(recipe, 1);
  }
  const Recipe &recipe = recipes[0];
  NNHAL_ASSIGN_OR_RETURN(
      rt::TestCase test,
      generateOperation(reference, recipe.operation,
                        recipe.types[number % recipe.types.size()], seed));
  test.name = fmt::format("random_{}_{}", nameOf(recipe.operation), seed);
  return test;
}

JudgeOptions randomgraph::judgeOptionsFor(const SeedOptions &options,
                                          const rt::TestCase &test) {
  JudgeOptions judged;
  if (options.criteria == Criteria::hal)
    judged.accuracy = classOf(test.model);
  return judged;
}

SeedReport randomgraph::runSeed(const rt::Device &tested,
                                const rt::Device &reference, uint64_t seed,
                                const SeedOptions &options) {
  SeedReport report;
  Totals &totals = report.totals;
  totals.graphs = 1;
  auto test = generateFor(reference, seed, options);
  if (!test.isOk())
    return failed(std::move(report), seed, "generation", test.status());
  auto cut = cutToSupported(tested, reference, *std::move(test));
  if (!cut.isOk())
    return failed(std::move(report), seed, "support", cut.status());
  for (const auto &[type, count] : cut->dropped)
    totals.dropped[nameOf(type)] += count;
  totals.madeStatic = cut->wasMadeStatic;
  totals.fixedParameters = cut->fixedParameters;
  totals.emptied = !cut->test;
  if (!cut->test)
    return report;
  totals.failing = cut->test->expectFailure;
  for (const rt::Operation &operation : cut->test->model.main.operations)
    ++totals.executed[nameOf(operation.type)];
  const JudgeOptions judged = judgeOptionsFor(options, *cut->test);
  Verdict verdict = judge(tested, reference, *cut->test, judged);
  for (rt::OperationType type : verdict.conditioned)
    ++totals.conditioned[nameOf(type)];
  totals.accumulated = verdict.outcome == Verdict::Outcome::accumulated;
  if (verdict.outcome != Verdict::Outcome::mismatch)
    return report;
  Failure failure = keepFailure(
      reference, *std::move(cut->test),
      [&](const rt::TestCase &candidate) {
        return isMismatch(tested, reference, candidate, judged);
      },
      options.failures);
  failure.seed = seed;
  failure.stage = verdict.stage;
  failure.message = verdict.message;
  report.failure = std::move(failure);
  return report;
}
