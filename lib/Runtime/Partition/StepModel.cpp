//===- StepModel.cpp - The model of one step ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepModel.h"

#include "CostModel.h"

#include "Runtime/Model/ExtensionUse.h"

#include <algorithm>
#include <map>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

Boundary
nnhal::rt::partition::boundaryOf(const Subgraph &subgraph,
                                 std::span<const uint32_t> operations) {
  std::vector<bool> isInside(subgraph.operations.size());
  for (uint32_t index : operations)
    isInside[index] = true;
  // Temporaries that the others read leave the step.
  std::vector<bool> isReadOutside(subgraph.operands.size());
  for (size_t i = 0; i < subgraph.operations.size(); ++i)
    if (!isInside[i])
      for (uint32_t input : subgraph.operations[i].inputs)
        isReadOutside[input] = true;

  std::vector<bool> isKnown(subgraph.operands.size());
  std::vector<uint32_t> arguments, temporaries, readOutputs;
  Boundary boundary;
  std::vector<uint32_t> leaving;
  for (uint32_t index : operations) {
    for (uint32_t input : subgraph.operations[index].inputs) {
      OperandLifeTime lifetime = subgraph.operands[input].lifetime;
      if (isKnown[input])
        continue;
      isKnown[input] = true;
      if (lifetime == OperandLifeTime::SUBGRAPH_INPUT)
        arguments.push_back(input);
      else if (lifetime == OperandLifeTime::TEMPORARY_VARIABLE)
        temporaries.push_back(input);
      else if (lifetime == OperandLifeTime::SUBGRAPH_OUTPUT)
        readOutputs.push_back(input);
    }
    for (uint32_t output : subgraph.operations[index].outputs) {
      isKnown[output] = true;
      if (subgraph.operands[output].lifetime ==
          OperandLifeTime::SUBGRAPH_OUTPUT)
        boundary.outputs.push_back(output);
      else if (isReadOutside[output])
        leaving.push_back(output);
    }
  }
  auto append = [](std::vector<uint32_t> &to,
                   const std::vector<uint32_t> &from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(boundary.inputs, arguments);
  append(boundary.inputs, temporaries);
  append(boundary.inputs, readOutputs);
  append(boundary.outputs, leaving);
  // Nobody reads what these operations compute, and no device takes a model
  // without outputs.
  if (boundary.outputs.empty())
    append(boundary.outputs, subgraph.operations[operations.back()].outputs);
  return boundary;
}

namespace {
/// Copies operands with what they refer to from one model to another.
class Extraction {
public:
  Extraction(const Model &source, Model &target)
      : source(source), target(target) {}

  /// Copies \p operand with its constant or subgraph.
  Operand take(Operand operand) {
    switch (operand.lifetime) {
    case OperandLifeTime::CONSTANT_COPY:
      takeValue(operand);
      break;
    case OperandLifeTime::CONSTANT_REFERENCE:
      operand.location.poolIndex = takePool(operand.location.poolIndex);
      break;
    case OperandLifeTime::SUBGRAPH:
      operand.location.offset = takeSubgraph(operand.location.offset);
      break;
    default:
      operand.location = {};
      break;
    }
    return operand;
  }

private:
  void takeValue(Operand &operand) {
    // Values are aligned as those of the largest scalars.
    target.operandValues.resize((target.operandValues.size() + 7) / 8 * 8);
    uint32_t place = uint32_t(target.operandValues.size());
    auto begin = source.operandValues.begin() + operand.location.offset;
    target.operandValues.insert(target.operandValues.end(), begin,
                                begin + operand.location.length);
    operand.location.offset = place;
  }

  uint32_t takePool(uint32_t index) {
    auto [place, isNew] =
        pools.try_emplace(index, uint32_t(target.pools.size()));
    if (isNew)
      target.pools.push_back(source.pools[index]);
    return place->second;
  }

  uint32_t takeSubgraph(uint32_t index) {
    auto [place, isNew] =
        subgraphs.try_emplace(index, uint32_t(target.referenced.size()));
    if (!isNew)
      return place->second;
    uint32_t number = place->second;
    target.referenced.emplace_back();
    Subgraph copy = source.referenced[index];
    for (Operand &operand : copy.operands)
      operand = take(std::move(operand));
    target.referenced[number] = std::move(copy);
    return number;
  }

  const Model &source;
  Model &target;
  std::map<uint32_t, uint32_t> pools, subgraphs;
};
} // namespace

/// The names of those arguments of \p boundary that the main subgraph names.
static std::vector<std::string> namesOf(const std::vector<uint32_t> &boundary,
                                        const std::vector<uint32_t> &arguments,
                                        const std::vector<std::string> &names) {
  std::vector<std::string> result(boundary.size());
  for (size_t i = 0; i < boundary.size(); ++i) {
    auto place =
        size_t(std::ranges::find(arguments, boundary[i]) - arguments.begin());
    if (place < names.size())
      result[i] = names[place];
  }
  return result;
}

AnnotatedModel
nnhal::rt::partition::extractStep(const AnnotatedModel &model, uint32_t index,
                                  std::span<const uint32_t> operations,
                                  const Boundary &boundary) {
  const Subgraph &subgraph = subgraphOf(model.model, index);
  AnnotatedModel step;
  Model &target = step.model;
  target.halVersion = model.model.halVersion;
  target.relaxComputationFloat32toFloat16 =
      model.model.relaxComputationFloat32toFloat16;
  Extraction extraction(model.model, target);
  std::map<uint32_t, uint32_t> places;
  auto place = [&](uint32_t operand, OperandLifeTime lifetime) {
    auto [found, isNew] =
        places.try_emplace(operand, uint32_t(target.main.operands.size()));
    if (isNew) {
      Operand copy = subgraph.operands[operand];
      copy.lifetime = lifetime;
      copy = extraction.take(std::move(copy));
      target.main.operands.push_back(std::move(copy));
    }
    return found->second;
  };
  for (uint32_t input : boundary.inputs)
    target.main.inputIndexes.push_back(
        place(input, OperandLifeTime::SUBGRAPH_INPUT));
  for (uint32_t output : boundary.outputs)
    target.main.outputIndexes.push_back(
        place(output, OperandLifeTime::SUBGRAPH_OUTPUT));
  for (uint32_t number : operations) {
    Operation operation = subgraph.operations[number];
    for (std::vector<uint32_t> *list : {&operation.inputs, &operation.outputs})
      for (uint32_t &operand : *list)
        operand = place(operand, subgraph.operands[operand].lifetime);
    target.main.operations.push_back(std::move(operation));
  }
  computeConsumers(target.main);
  target.extensionNameToPrefix = model.model.extensionNameToPrefix;
  target.extensionNameToPrefix = usedExtensions(target);
  if (index == 0) {
    step.inputNames = namesOf(boundary.inputs, model.model.main.inputIndexes,
                              model.inputNames);
    step.outputNames = namesOf(boundary.outputs, model.model.main.outputIndexes,
                               model.outputNames);
  }
  return step;
}
