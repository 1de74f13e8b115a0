//===- ModelBuilder.cpp - Models of the conformance suite -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include "Conformance.h"

#include <algorithm>
#include <numeric>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

uint32_t SubgraphBuilder::add(OperandType type, Dimensions dimensions,
                              OperandLifeTime lifetime) {
  Operand operand;
  operand.type = type;
  operand.dimensions = std::move(dimensions);
  operand.lifetime = lifetime;
  subgraph.operands.push_back(std::move(operand));
  return uint32_t(subgraph.operands.size() - 1);
}

uint32_t SubgraphBuilder::input(OperandType type, Dimensions dimensions) {
  uint32_t index =
      add(type, std::move(dimensions), OperandLifeTime::SUBGRAPH_INPUT);
  subgraph.inputIndexes.push_back(index);
  return index;
}

uint32_t SubgraphBuilder::temporary(OperandType type, Dimensions dimensions) {
  return add(type, std::move(dimensions), OperandLifeTime::TEMPORARY_VARIABLE);
}

uint32_t SubgraphBuilder::output(OperandType type, Dimensions dimensions) {
  uint32_t index =
      add(type, std::move(dimensions), OperandLifeTime::SUBGRAPH_OUTPUT);
  subgraph.outputIndexes.push_back(index);
  return index;
}

uint32_t SubgraphBuilder::constantBytes(OperandType type, Dimensions dimensions,
                                        std::span<const std::byte> bytes) {
  uint32_t index =
      add(type, std::move(dimensions), OperandLifeTime::CONSTANT_COPY);
  // Constants begin at multiples of 4 (B-032).
  model.operandValues.resize((model.operandValues.size() + 3) / 4 * 4);
  subgraph.operands[index].location = {0, uint32_t(model.operandValues.size()),
                                       uint32_t(bytes.size())};
  for (std::byte value : bytes)
    model.operandValues.push_back(uint8_t(value));
  return index;
}

uint32_t SubgraphBuilder::subgraphReference(uint32_t index) {
  uint32_t operand = add(OperandType::SUBGRAPH, {}, OperandLifeTime::SUBGRAPH);
  subgraph.operands[operand].location.offset = index;
  return operand;
}

void SubgraphBuilder::operation(OperationType type,
                                std::vector<uint32_t> inputs,
                                std::vector<uint32_t> outputs) {
  subgraph.operations.push_back({type, std::move(inputs), std::move(outputs)});
}

Subgraph SubgraphBuilder::finish() {
  computeConsumers(subgraph);
  return std::move(subgraph);
}

static constexpr OperandType floatTensor = OperandType::TENSOR_FLOAT32;

/// out = a OP b.
static AnnotatedModel binaryModel(OperationType type) {
  AnnotatedModel annotated;
  SubgraphBuilder main(annotated.model);
  uint32_t lhs = main.input(floatTensor, {2, 2});
  uint32_t rhs = main.input(floatTensor, {2, 2});
  uint32_t none = main.scalar(0);
  uint32_t output = main.output(floatTensor, {2, 2});
  main.operation(type, {lhs, rhs, none}, {output});
  annotated.model.main = main.finish();
  return annotated;
}

static OperationType findFlowOperation() {
  std::unique_ptr<Device> device = createDeviceUnderTest();
  for (OperationType type :
       {OperationType::ADD, OperationType::MUL, OperationType::SUB})
    if (!unsupportedReason(*device, binaryModel(type)))
      return type;
  return OperationType::ADD;
}

OperationType conformance::flowOperation() {
  static const OperationType found = findFlowOperation();
  return found;
}

float conformance::flow(float lhs, float rhs) {
  switch (flowOperation()) {
  case OperationType::MUL:
    return lhs * rhs;
  case OperationType::SUB:
    return lhs - rhs;
  default:
    return lhs + rhs;
  }
}

std::vector<float> conformance::flow(const std::vector<float> &lhs,
                                     const std::vector<float> &rhs) {
  std::vector<float> results(lhs.size());
  std::ranges::transform(lhs, rhs, results.begin(),
                         [](float x, float y) { return flow(x, y); });
  return results;
}

std::vector<float> conformance::flowOfCounts(size_t count, unsigned length) {
  std::vector<float> counts(count);
  std::iota(counts.begin(), counts.end(), 1.0f);
  std::vector<float> results = counts;
  for (unsigned i = 0; i < length; ++i)
    results = flow(results, counts);
  return results;
}

AnnotatedModel conformance::addModel(const Dimensions &dimensions) {
  return addChainModel(dimensions, 1);
}

AnnotatedModel conformance::addChainModel(const Dimensions &dimensions,
                                          unsigned length) {
  AnnotatedModel annotated;
  SubgraphBuilder main(annotated.model);
  uint32_t sum = main.input(floatTensor, dimensions);
  uint32_t addend = main.input(floatTensor, dimensions);
  uint32_t none = main.scalar(0);
  for (unsigned i = 0; i < length; ++i) {
    uint32_t next = i + 1 == length ? main.output(floatTensor, dimensions)
                                    : main.temporary(floatTensor, dimensions);
    main.operation(flowOperation(), {sum, addend, none}, {next});
    sum = next;
  }
  annotated.model.main = main.finish();
  return annotated;
}

AnnotatedModel
conformance::addModelWithUnknownOutput(const Dimensions &dimensions) {
  AnnotatedModel annotated = addModel(dimensions);
  Subgraph &main = annotated.model.main;
  main.operands[main.outputIndexes[0]].dimensions.assign(dimensions.size(), 0);
  return annotated;
}

AnnotatedModel conformance::addConstantModel(const Dimensions &dimensions,
                                             const Memory &pool) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  SubgraphBuilder main(model);
  uint32_t input = main.input(floatTensor, dimensions);
  size_t count = 1;
  for (uint32_t extent : dimensions)
    count *= extent;
  uint32_t ones = main.constant<float>(floatTensor, dimensions,
                                       std::vector<float>(count, 1.0f));
  uint32_t none = main.scalar(0);
  uint32_t output = main.output(floatTensor, dimensions);
  main.operation(flowOperation(), {input, ones, none}, {output});
  if (!pool.isNone()) {
    Operand &operand = main.operand(ones);
    operand.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    operand.location = {0, 0, uint32_t(count * sizeof(float))};
    model.pools.push_back({"ashmem", pool, {}, 0, false});
  }
  model.main = main.finish();
  return annotated;
}

AnnotatedModel conformance::addQuantizedModel(OperandType type,
                                              const Dimensions &dimensions,
                                              float scale, int32_t zeroPoint) {
  AnnotatedModel annotated = addModel(dimensions);
  for (Operand &operand : annotated.model.main.operands)
    if (operand.type == floatTensor) {
      operand.type = type;
      operand.scale = scale;
      operand.zeroPoint = zeroPoint;
    }
  return annotated;
}

/// A WHILE whose condition is \p condition, a model with one input and one
/// output, and whose body adds 1.
static AnnotatedModel loopModel(Model model, Subgraph condition) {
  AnnotatedModel annotated;
  annotated.model = std::move(model);
  SubgraphBuilder body(annotated.model);
  uint32_t value = body.input(OperandType::TENSOR_INT32, {1});
  uint32_t one = body.constant<int32_t>(OperandType::TENSOR_INT32, {1}, {1});
  uint32_t none = body.scalar(0);
  uint32_t next = body.output(OperandType::TENSOR_INT32, {1});
  body.operation(OperationType::ADD, {value, one, none}, {next});
  annotated.model.referenced = {std::move(condition), body.finish()};
  SubgraphBuilder main(annotated.model);
  uint32_t first = main.input(OperandType::TENSOR_INT32, {1});
  uint32_t conditionIndex = main.subgraphReference(0);
  uint32_t bodyIndex = main.subgraphReference(1);
  uint32_t last = main.output(OperandType::TENSOR_INT32, {1});
  main.operation(OperationType::WHILE, {conditionIndex, bodyIndex, first},
                 {last});
  annotated.model.main = main.finish();
  return annotated;
}

static AnnotatedModel compareLoopModel(OperationType comparison,
                                       int32_t limit) {
  Model model;
  SubgraphBuilder condition(model);
  uint32_t value = condition.input(OperandType::TENSOR_INT32, {1});
  uint32_t bound =
      condition.constant<int32_t>(OperandType::TENSOR_INT32, {1}, {limit});
  uint32_t decision = condition.output(OperandType::TENSOR_BOOL8, {1});
  condition.operation(comparison, {value, bound}, {decision});
  Subgraph finished = condition.finish();
  return loopModel(std::move(model), std::move(finished));
}

AnnotatedModel conformance::endlessLoopModel() {
  return compareLoopModel(OperationType::NOT_EQUAL, -1);
}

AnnotatedModel conformance::countingLoopModel(int32_t limit) {
  return compareLoopModel(OperationType::LESS, limit);
}

AnnotatedModel conformance::ifModel(const Dimensions &dimensions) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  for (OperationType type : {OperationType::ADD, OperationType::MUL}) {
    SubgraphBuilder branch(model);
    uint32_t lhs = branch.input(floatTensor, dimensions);
    uint32_t rhs = branch.input(floatTensor, dimensions);
    uint32_t none = branch.scalar(0);
    uint32_t result = branch.output(floatTensor, dimensions);
    branch.operation(type, {lhs, rhs, none}, {result});
    model.referenced.push_back(branch.finish());
  }
  SubgraphBuilder main(model);
  uint32_t condition = main.input(OperandType::TENSOR_BOOL8, {1});
  uint32_t thenIndex = main.subgraphReference(0);
  uint32_t elseIndex = main.subgraphReference(1);
  uint32_t lhs = main.input(floatTensor, dimensions);
  uint32_t rhs = main.input(floatTensor, dimensions);
  uint32_t result = main.output(floatTensor, dimensions);
  main.operation(OperationType::IF, {condition, thenIndex, elseIndex, lhs, rhs},
                 {result});
  model.main = main.finish();
  return annotated;
}
