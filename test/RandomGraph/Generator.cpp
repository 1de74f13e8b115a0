//===- Generator.cpp - Makes random graphs --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "GraphWriter.h"
#include "Tools/Verify/Rewrite.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Validate.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::OperandLifeTime;
using rt::OperandType;
using rt::OperationType;
using rt::Result;
using rt::Status;

Status randomgraph::expectReference(const rt::Device &reference,
                                    rt::TestCase &test) {
  rt::AnnotatedModel annotated;
  annotated.model = test.model;
  NNHAL_ASSIGN_OR_RETURN(rt::PreparedModelRef prepared,
                         reference.prepareModel(annotated));
  for (rt::TestExample &example : test.examples) {
    NNHAL_ASSIGN_OR_RETURN(example.outputs, execute(*prepared, example.inputs));
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

static std::vector<OperandType> drawTypes(Random &random) {
  using enum OperandType;
  uint32_t share = random.below(100);
  if (share < 30)
    return {TENSOR_FLOAT32};
  if (share < 38)
    return {TENSOR_FLOAT32, TENSOR_INT32, TENSOR_BOOL8};
  if (share < 46)
    return {TENSOR_FLOAT16};
  if (share < 56)
    return {TENSOR_QUANT8_ASYMM};
  if (share < 66)
    return {TENSOR_QUANT8_ASYMM_SIGNED};
  return {};
}

Profile randomgraph::drawProfile(Random &random) {
  Profile profile;
  uint32_t share = random.below(100);
  profile.operationCount = unsigned(share < 25   ? random.between(1, 2)
                                    : share < 70 ? random.between(3, 10)
                                    : share < 90 ? random.between(11, 20)
                                                 : random.between(21, 40));
  profile.types = drawTypes(random);
  profile.parameterInputs = random.pick({0u, 0u, 0u, 0u, 10u, 40u});
  profile.omissions = random.pick({20u, 50u, 80u});
  profile.emptyTensors = random.chance(8) ? 30 : 0;
  profile.controlFlow = random.chance(20) ? 20 : 0;
  profile.exposesAll = random.chance(25);
  profile.isDynamic = random.chance(20);
  return profile;
}

//===----------------------------------------------------------------------===//
// From a scope to a case
//===----------------------------------------------------------------------===//

namespace {

/// Turns what the writer has made into a case.
class Finisher {
public:
  Finisher(const rt::Device &reference, Random &random, const Profile &profile,
           Scope scope, rt::Model model)
      : reference(reference), random(random), profile(profile),
        refills(std::move(scope.refills)), values(std::move(scope.values)) {
    test.model = std::move(model);
    test.model.main = std::move(scope.subgraph);
  }

  Result<rt::TestCase> run();

private:
  void chooseOutputs();
  void addExample();
  void forgetExtents();
  void addSecondExample();
  bool growBatch(rt::TestExample &example);
  void poison();

  const rt::Device &reference;
  Random &random;
  const Profile &profile;
  std::vector<std::optional<Values>> refills;
  Tensors values;
  rt::TestCase test;
};

} // namespace

void Finisher::chooseOutputs() {
  rt::Subgraph &main = test.model.main;
  rt::computeConsumers(main);
  for (const rt::Operation &operation : main.operations)
    for (size_t i = 0; i < operation.outputs.size(); ++i) {
      rt::Operand &operand = main.operands[operation.outputs[i]];
      bool isChosen = operand.numberOfConsumers == 0 || profile.exposesAll ||
                      random.chance(10);
      if (!isChosen || isUnspecified(operation.type, i))
        continue;
      operand.lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
      main.outputIndexes.push_back(operation.outputs[i]);
    }
}

void Finisher::addExample() {
  rt::TestExample &example = test.examples.emplace_back();
  for (uint32_t index : test.model.main.inputIndexes)
    example.inputs.push_back(values[index]);
}

/// Extents that the request states, and those that follow from them.
void Finisher::forgetExtents() {
  for (rt::Operand &operand : test.model.main.operands) {
    bool isInput = operand.lifetime == OperandLifeTime::SUBGRAPH_INPUT;
    if (!rt::isTensor(operand.type) || rt::isConstant(operand.lifetime) ||
        operand.lifetime == OperandLifeTime::NO_VALUE ||
        operand.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
      continue;
    for (uint32_t &extent : operand.dimensions)
      if (!isInput || random.chance(60))
        extent = 0;
  }
}

/// Makes a graph with one more of some extent wherever the model leaves it
/// open. Whether that makes sense is for the reference device to say.
bool Finisher::growBatch(rt::TestExample &example) {
  const rt::Subgraph &main = test.model.main;
  std::vector<uint32_t> open;
  for (size_t i = 0; i < example.inputs.size(); ++i)
    for (size_t d = 0; d < example.inputs[i].dimensions.size(); ++d)
      if (main.operands[main.inputIndexes[i]].dimensions[d] == 0)
        open.push_back(example.inputs[i].dimensions[d]);
  if (open.empty())
    return false;
  uint32_t old = random.pick<uint32_t>(open);
  for (size_t i = 0; i < example.inputs.size(); ++i) {
    uint32_t index = main.inputIndexes[i];
    Shape shape = example.inputs[i].dimensions;
    for (size_t d = 0; d < shape.size(); ++d)
      if (main.operands[index].dimensions[d] == 0 && shape[d] == old)
        ++shape[d];
    if (refills[index] && shape != example.inputs[i].dimensions)
      example.inputs[i] =
          fillTensor(random, main.operands[index].type, shape, *refills[index]);
  }
  return true;
}

void Finisher::addSecondExample() {
  const rt::Subgraph &main = test.model.main;
  for (int attempt = 0; attempt < 4; ++attempt) {
    rt::TestCase second = test;
    second.examples.resize(1);
    rt::TestExample &example = second.examples[0];
    for (size_t i = 0; i < example.inputs.size(); ++i) {
      uint32_t index = main.inputIndexes[i];
      if (refills[index] && random.chance(70))
        example.inputs[i] =
            fillTensor(random, main.operands[index].type,
                       example.inputs[i].dimensions, *refills[index]);
    }
    if (profile.isDynamic && attempt < 3 && !growBatch(example))
      continue;
    // Every value has to be sound, not only the outputs.
    auto traces = traceReference(reference, second);
    if (!traces.isOk() || !expectReference(reference, second).isOk())
      continue;
    bool areSound = true;
    for (uint32_t i = 0; i < main.operands.size() && areSound; ++i)
      if (const TestTensor &value = (*traces)[0][i];
          !value.isAbsent && writerOf(main, i))
        areSound = isSound(main.operands[i].type, value);
    if (!areSound)
      continue;
    test.examples.push_back(std::move(second.examples[0]));
    return;
  }
}

/// Another value of a parameter that the request gives. What comes of it, a
/// failure in most cases, is right.
void Finisher::poison() {
  const rt::Subgraph &main = test.model.main;
  std::vector<size_t> parameters;
  for (size_t i = 0; i < main.inputIndexes.size(); ++i) {
    const rt::Operand &operand = main.operands[main.inputIndexes[i]];
    if (!refills[main.inputIndexes[i]] &&
        !test.examples[0].inputs[i].isAbsent &&
        (operand.type == OperandType::TENSOR_INT32 ||
         operand.type == OperandType::INT32))
      parameters.push_back(i);
  }
  if (parameters.empty())
    return;
  rt::TestCase poisoned = test;
  poisoned.examples.resize(1);
  size_t chosen = random.pick<size_t>(parameters);
  TestTensor &value = poisoned.examples[0].inputs[chosen];
  value = fillTensor(random, main.operands[main.inputIndexes[chosen]].type,
                     value.dimensions, {.lowInteger = -3, .highInteger = 5});
  poisoned.expectFailure = !expectReference(reference, poisoned).isOk();
  if (poisoned.expectFailure)
    test = std::move(poisoned);
}

Result<rt::TestCase> Finisher::run() {
  chooseOutputs();
  addExample();
  if (profile.isDynamic)
    forgetExtents();
  // Extents that are not known may be too little for the rules, of a FILL for
  // example: then they stay.
  if (!rt::validateModel(test.model).isOk())
    for (uint32_t i = 0; i < values.size(); ++i)
      if (!values[i].isAbsent)
        test.model.main.operands[i].dimensions = values[i].dimensions;
  NNHAL_RETURN_IF_ERROR(rt::validateModel(test.model));
  NNHAL_RETURN_IF_ERROR(expectReference(reference, test));
  if (random.chance(30))
    addSecondExample();
  if (random.chance(5))
    poison();
  bool hasPool = random.chance(20);
  compact(test, /*removesInputs=*/false, hasPool ? &random : nullptr);
  return std::move(test);
}

Result<rt::TestCase> randomgraph::generateGraph(const rt::Device &reference,
                                                uint64_t seed) {
  Random random(seed);
  Profile profile = drawProfile(random);
  rt::Model model;
  model.relaxComputationFloat32toFloat16 = random.chance(10);
  Scope scope;
  GraphWriter writer(reference, model, random, profile);
  while (scope.subgraph.operations.size() < profile.operationCount)
    if (!writer.addOperation(scope) && !scope.subgraph.operations.empty())
      break;
  Finisher finisher(reference, random, profile, std::move(scope),
                    std::move(model));
  NNHAL_ASSIGN_OR_RETURN(rt::TestCase test, finisher.run());
  test.name = fmt::format("random_graph_{}", seed);
  test.spec = "random_graph";
  return test;
}

Result<rt::TestCase> randomgraph::generateOperation(const rt::Device &reference,
                                                    OperationType operation,
                                                    OperandType type,
                                                    uint64_t seed) {
  const Recipe *recipe = lookUpRecipe(operation);
  if (!recipe)
    return rt::failure("{} has no recipe", nameOf(operation));
  Random random(seed);
  Profile profile;
  profile.exposesAll = true;
  rt::Model model;
  Scope scope;
  GraphWriter writer(reference, model, random, profile);
  constexpr int attempts = 100;
  for (int i = 0; i < attempts; ++i) {
    if (!writer.addOperation(scope, *recipe, type))
      continue;
    Finisher finisher(reference, random, profile, std::move(scope),
                      std::move(model));
    NNHAL_ASSIGN_OR_RETURN(rt::TestCase test, finisher.run());
    test.name = fmt::format("{}_{}", nameOf(operation), nameOf(type));
    test.spec = "random_graph";
    return test;
  }
  return rt::failure("no legal {} on {} in {} attempts", nameOf(operation),
                     nameOf(type), attempts);
}
