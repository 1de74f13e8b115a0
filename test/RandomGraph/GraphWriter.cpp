//===- GraphWriter.cpp - Adds operations to a graph -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphWriter.h"

#include "Generator.h"
#include "Tools/Verify/Rewrite.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::OperandLifeTime;
using rt::OperandType;
using rt::OperationType;

bool randomgraph::isSound(OperandType type, const TestTensor &tensor) {
  constexpr uint64_t elementLimit = 4096;
  uint64_t count = elementCount(tensor.dimensions);
  if (count > elementLimit)
    return false;
  if (isQuantized(type))
    return true;
  double limit = type == OperandType::TENSOR_FLOAT16 ? 500.0
                 : isFloat(type)                     ? 5000.0
                                                     : 1e6;
  for (uint64_t i = 0; i < count; ++i)
    if (double value = loadElement(type, tensor.bytes, i);
        !(std::abs(value) <= limit))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

namespace {

/// Takes back what a candidate has added unless it is kept.
class Attempt {
public:
  Attempt(rt::Model &model, Scope &scope)
      : model(model), scope(scope), operands(scope.subgraph.operands.size()),
        inputs(scope.subgraph.inputIndexes.size()),
        bytes(model.operandValues.size()), graphs(model.referenced.size()) {}
  Attempt(const Attempt &) = delete;
  Attempt &operator=(const Attempt &) = delete;
  ~Attempt() {
    if (isKept)
      return;
    scope.subgraph.operands.resize(operands);
    scope.values.resize(operands);
    scope.refills.resize(operands);
    scope.subgraph.inputIndexes.resize(inputs);
    model.operandValues.resize(bytes);
    model.referenced.resize(graphs);
  }

  bool keep() {
    isKept = true;
    return true;
  }

private:
  rt::Model &model;
  Scope &scope;
  size_t operands, inputs, bytes, graphs;
  bool isKept = false;
};

} // namespace

/// States what the rules prescribe about the outputs of \p operation.
static rt::Status stateOutputs(Scope &scope, const rt::Operation &operation) {
  Tensors arguments;
  for (uint32_t index : operation.inputs)
    arguments.push_back(scope.values[index]);
  NNHAL_ASSIGN_OR_RETURN(rt::OperationFacts facts,
                         factsFor(scope.subgraph, operation, arguments));
  for (size_t i = 0; i < facts.results.size(); ++i) {
    rt::Operand &stated = scope.subgraph.operands[operation.outputs[i]];
    const rt::TensorType &result = facts.results[i];
    stated.type = result.type;
    if (result.isQuantizationFree)
      continue;
    stated.scale = result.scale;
    stated.zeroPoint = result.zeroPoint;
  }
  return rt::Status::ok();
}

bool GraphWriter::takeResults(Scope &scope, rt::Operation operation) {
  Tensors arguments;
  for (uint32_t index : operation.inputs)
    arguments.push_back(scope.values[index]);
  Interpreter interpreter(reference, model);
  auto results =
      interpreter.runOperation(scope.subgraph, operation, std::move(arguments));
  if (!results.isOk())
    return false;
  for (size_t i = 0; i < results->size(); ++i) {
    uint32_t index = operation.outputs[i];
    rt::Operand &operand = scope.subgraph.operands[index];
    TestTensor &value = (*results)[i];
    operand.dimensions = value.dimensions;
    if (isUnspecified(operation.type, i))
      continue; // Stays absent: nobody may read it.
    if (!isSound(operand.type, value))
      return false;
    scope.values[index] = std::move(value);
  }
  scope.subgraph.operations.push_back(std::move(operation));
  return true;
}

bool GraphWriter::commit(Scope &scope, OperationType type, const Draft &draft) {
  rt::Operation operation{type, draft.drawnInputs(), draft.drawnOutputs()};
  bool isControlFlow =
      type == OperationType::IF || type == OperationType::WHILE;
  if (draft.isFailed() ||
      (!isControlFlow && !stateOutputs(scope, operation).isOk()))
    return false;
  return takeResults(scope, std::move(operation));
}

bool GraphWriter::addKernel(Scope &scope, const Recipe &recipe,
                            OperandType type) {
  Attempt attempt(model, scope);
  Draft draft(model, scope, random, profile, type);
  recipe.draw(draft);
  return commit(scope, recipe.operation, draft) && attempt.keep();
}

bool GraphWriter::addOperation(Scope &scope, const Recipe &recipe,
                               OperandType type, unsigned depth) {
  switch (recipe.operation) {
  case OperationType::IF:
    return addIf(scope, type, depth);
  case OperationType::WHILE:
    return addWhile(scope, type, depth);
  default:
    return addKernel(scope, recipe, type);
  }
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static bool takes(const Recipe &recipe, OperandType type) {
  return std::ranges::find(recipe.types, type) != recipe.types.end();
}

/// Whether \p recipe fits the types that the graph is to have.
bool GraphWriter::isWelcome(const Recipe &recipe) {
  if (!recipe.draw)
    return false;
  return profile.types.empty() || random.chance(5) ||
         std::ranges::any_of(profile.types, [&](OperandType type) {
           return takes(recipe, type);
         });
}

OperandType GraphWriter::drawType(const Scope &scope, const Recipe &recipe) {
  std::vector<OperandType> candidates;
  for (OperandType type : profile.types)
    if (takes(recipe, type))
      candidates.push_back(type);
  // What is there already makes a graph of what would be single operations.
  if (profile.types.empty() && random.chance(70))
    for (size_t i = 0; i < scope.values.size(); ++i)
      if (OperandType type = scope.subgraph.operands[i].type;
          !scope.values[i].isAbsent && takes(recipe, type) &&
          scope.subgraph.operands[i].lifetime ==
              OperandLifeTime::TEMPORARY_VARIABLE)
        candidates.push_back(type);
  return candidates.empty() ? random.pick(recipe.types)
                            : random.pick<OperandType>(candidates);
}

bool GraphWriter::addOperation(Scope &scope, unsigned depth) {
  constexpr int attempts = 40;
  constexpr unsigned deepest = 2;
  std::span<const Recipe> recipes = allRecipes();
  for (int i = 0; i < attempts; ++i) {
    if (depth < deepest && random.chance(profile.controlFlow)) {
      const Recipe &recipe =
          *lookUpRecipe(random.pick({OperationType::IF, OperationType::WHILE}));
      if (addOperation(scope, recipe, drawType(scope, recipe), depth))
        return true;
      continue;
    }
    const Recipe &recipe = random.pick(recipes);
    if (isWelcome(recipe) &&
        addOperation(scope, recipe, drawType(scope, recipe), depth))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

std::vector<uint32_t> GraphWriter::drawPassed(Draft &draft) {
  std::vector<uint32_t> passed = {draft.data(1, 4)};
  for (int64_t i = random.between(0, 2); i > 0; --i) {
    OperandType type = random.chance(60)
                           ? draft.type
                           : random.pick<OperandType>(types::numbersAndBools);
    passed.push_back(draft.data(type, 1, 4));
  }
  return passed;
}

Scope GraphWriter::innerScope(const Scope &outer,
                              const std::vector<uint32_t> &passed) {
  Scope inner;
  inner.isMain = false;
  for (uint32_t index : passed) {
    rt::Operand operand = outer.subgraph.operands[index];
    operand.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
    operand.location = {};
    inner.subgraph.inputIndexes.push_back(
        uint32_t(inner.subgraph.operands.size()));
    inner.subgraph.operands.push_back(std::move(operand));
    inner.values.push_back(outer.values[index]);
    inner.refills.emplace_back();
  }
  return inner;
}

std::optional<uint32_t>
GraphWriter::addPlain(Scope &scope, OperationType operation,
                      const std::vector<uint32_t> &inputs,
                      const rt::Operand &result) {
  Attempt attempt(model, scope);
  Draft draft(model, scope, random, profile, result.type);
  for (uint32_t index : inputs)
    draft.input(index);
  draft.output(result.type, {result.scale, result.zeroPoint});
  if (!commit(scope, operation, draft))
    return std::nullopt;
  attempt.keep();
  return draft.drawnOutputs()[0];
}

std::optional<uint32_t> GraphWriter::fillInner(Scope &inner, uint32_t like,
                                               unsigned depth) {
  for (int64_t i = random.between(0, 3); i > 0; --i)
    if (!addOperation(inner, depth + 1))
      break;
  const rt::Operand wanted = inner.subgraph.operands[like];
  const Shape shape = inner.values[like].dimensions;
  auto isAlike = [&](uint32_t index) {
    const rt::Operand &operand = inner.subgraph.operands[index];
    return !inner.values[index].isAbsent && operand.type == wanted.type &&
           operand.scale == wanted.scale &&
           operand.zeroPoint == wanted.zeroPoint &&
           inner.values[index].dimensions == shape;
  };
  // The last value that is alike, so that as much as possible is read.
  auto first = uint32_t(inner.values.size() - 1);
  while (!isAlike(first))
    --first;
  if (wanted.type == OperandType::TENSOR_BOOL8)
    return addPlain(inner, OperationType::LOGICAL_NOT, {first}, wanted);
  Draft draft(model, inner, random, profile, wanted.type);
  uint32_t second = draft.tensor(wanted.type, shape);
  return addPlain(inner,
                  random.pick({OperationType::MAXIMUM, OperationType::MINIMUM}),
                  {first, second}, wanted);
}

uint32_t GraphWriter::addGraph(Scope inner,
                               const std::vector<uint32_t> &outputs) {
  for (uint32_t index : outputs)
    inner.subgraph.operands[index].lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
  inner.subgraph.outputIndexes = outputs;
  rt::computeConsumers(inner.subgraph);
  model.referenced.push_back(std::move(inner.subgraph));
  return uint32_t(model.referenced.size() - 1);
}

bool GraphWriter::addIf(Scope &scope, OperandType type, unsigned depth) {
  Attempt attempt(model, scope);
  Draft draft(model, scope, random, profile, type);
  uint32_t condition = draft.tensor(OperandType::TENSOR_BOOL8, {1});
  std::vector<uint32_t> passed = drawPassed(draft);
  if (draft.isFailed())
    return false;
  std::vector<uint32_t> branches;
  for (int i = 0; i < 2; ++i) {
    Scope inner = innerScope(scope, passed);
    auto result = fillInner(inner, 0, depth);
    if (!result)
      return false;
    branches.push_back(addGraph(std::move(inner), {*result}));
  }
  draft.inputs(
      {condition, draft.subgraph(branches[0]), draft.subgraph(branches[1])});
  for (uint32_t index : passed)
    draft.input(index);
  draft.outputLike(passed[0]);
  return commit(scope, OperationType::IF, draft) && attempt.keep();
}

bool GraphWriter::addWhile(Scope &scope, OperandType type, unsigned depth) {
  Attempt attempt(model, scope);
  Draft draft(model, scope, random, profile, type);
  // A counter, a state of the wanted type, and what stays as it is.
  uint32_t counter = draft.list(OperandType::TENSOR_INT32, {1},
                                {double(random.between(0, 2))});
  std::vector<uint32_t> passed = drawPassed(draft);
  passed.insert(passed.begin(), counter);
  if (draft.isFailed())
    return false;

  Scope condition = innerScope(scope, passed);
  Draft ofCondition(model, condition, random, profile,
                    OperandType::TENSOR_INT32);
  uint32_t limit = ofCondition.ints({random.between(1, 4)});
  rt::Operand decision;
  decision.type = OperandType::TENSOR_BOOL8;
  auto goesOn = addPlain(condition, OperationType::LESS, {0, limit}, decision);
  if (!goesOn)
    return false;

  Scope body = innerScope(scope, passed);
  Draft ofBody(model, body, random, profile, OperandType::TENSOR_INT32);
  uint32_t one = ofBody.ints({1}), none = ofBody.scalar(0);
  rt::Operand count = body.subgraph.operands[0];
  auto next = addPlain(body, OperationType::ADD, {0, one, none}, count);
  auto state = next ? fillInner(body, 1, depth) : std::nullopt;
  if (!state)
    return false;

  uint32_t conditionGraph = addGraph(std::move(condition), {*goesOn});
  uint32_t bodyGraph = addGraph(std::move(body), {*next, *state});
  draft.inputs({draft.subgraph(conditionGraph), draft.subgraph(bodyGraph)});
  for (uint32_t index : passed)
    draft.input(index);
  draft.outputLike(counter);
  draft.outputLike(passed[1]);
  return commit(scope, OperationType::WHILE, draft) && attempt.keep();
}
