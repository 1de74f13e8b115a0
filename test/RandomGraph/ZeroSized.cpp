//===- ZeroSized.cpp - Uses of operations without elements ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZeroSized.h"

#include "Generator.h"
#include "Recipes.h"

#include "Runtime/Support/Errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::OperandLifeTime;
using rt::Result;

Result<ConstantOperation> ConstantOperation::of(const rt::TestCase &test,
                                                rt::OperationType type) {
  const rt::Subgraph &graph = test.model.main;
  auto found = std::ranges::find(graph.operations, type, &rt::Operation::type);
  if (found == graph.operations.end())
    return rt::failure("there is no {}", nameOf(type));
  ConstantOperation result;
  result.type = type;
  result.isRelaxed = test.model.relaxComputationFloat32toFloat16;
  for (uint32_t index : found->inputs) {
    rt::Operand operand = graph.operands[index];
    TestTensor value = constantValue(test.model, operand);
    if (operand.lifetime == OperandLifeTime::SUBGRAPH_INPUT) {
      auto at = std::ranges::find(graph.inputIndexes, index);
      value = test.examples[0].inputs[size_t(at - graph.inputIndexes.begin())];
    } else if (operand.lifetime == OperandLifeTime::TEMPORARY_VARIABLE ||
               operand.lifetime == OperandLifeTime::SUBGRAPH_OUTPUT) {
      return rt::failure("operand {} is computed", index);
    }
    operand.lifetime = value.isAbsent ? OperandLifeTime::NO_VALUE
                                      : OperandLifeTime::CONSTANT_COPY;
    operand.location = {};
    operand.numberOfConsumers = 1;
    result.operands.push_back(std::move(operand));
    result.values.push_back(std::move(value));
  }
  for (uint32_t index : found->outputs) {
    rt::Operand operand = graph.operands[index];
    operand.lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
    operand.numberOfConsumers = 0;
    std::ranges::fill(operand.dimensions, 0);
    result.outputs.push_back(std::move(operand));
  }
  return result;
}

std::vector<std::vector<Extent>> ConstantOperation::zeroings() const {
  std::vector<Extent> all;
  std::map<uint32_t, std::vector<Extent>> byExtent;
  for (size_t i = 0; i < operands.size(); ++i)
    if (rt::isTensor(operands[i].type) && !values[i].isAbsent)
      for (size_t d = 0; d < values[i].dimensions.size(); ++d) {
        all.push_back({i, d});
        byExtent[values[i].dimensions[d]].push_back({i, d});
      }
  std::vector<std::vector<Extent>> sets;
  for (const Extent &one : all)
    sets.push_back({one});
  for (const auto &[extent, dimensions] : byExtent)
    if (dimensions.size() > 1)
      sets.push_back(dimensions);
  for (const Extent &one : all)
    for (const Extent &other : all)
      if (one.input < other.input)
        sets.push_back({one, other});
  return sets;
}

rt::Model ConstantOperation::withZeros(std::span<const Extent> zeros) const {
  rt::Model model;
  model.relaxComputationFloat32toFloat16 = isRelaxed;
  rt::Subgraph &graph = model.main;
  rt::Operation &operation = graph.operations.emplace_back();
  operation.type = type;
  for (size_t i = 0; i < operands.size(); ++i) {
    rt::Operand &operand = graph.operands.emplace_back(operands[i]);
    operation.inputs.push_back(uint32_t(i));
    if (values[i].isAbsent)
      continue;
    if (rt::isTensor(operand.type))
      operand.dimensions = values[i].dimensions;
    std::span<const uint8_t> bytes = values[i].bytes;
    for (const Extent &zero : zeros)
      if (zero.input == i) {
        operand.dimensions[zero.dimension] = 0;
        bytes = {};
      }
    model.operandValues.resize((model.operandValues.size() + 3) / 4 * 4);
    operand.location.offset = uint32_t(model.operandValues.size());
    operand.location.length = uint32_t(bytes.size());
    model.operandValues.insert(model.operandValues.end(), bytes.begin(),
                               bytes.end());
  }
  for (const rt::Operand &output : outputs) {
    operation.outputs.push_back(uint32_t(graph.operands.size()));
    graph.outputIndexes.push_back(uint32_t(graph.operands.size()));
    graph.operands.push_back(output);
  }
  return model;
}

std::string randomgraph::describe(const ConstantOperation &operation,
                                  std::span<const Extent> zeros) {
  std::string text = fmt::format("{}", nameOf(operation.type));
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    if (!rt::isTensor(operation.operands[i].type))
      continue;
    Shape shape = operation.values[i].dimensions;
    for (const Extent &zero : zeros)
      if (zero.input == i)
        shape[zero.dimension] = 0;
    text += fmt::format(", {} [{}]", nameOf(operation.operands[i].type),
                        fmt::join(shape, ","));
  }
  return text;
}

rt::Result<Tensors>
randomgraph::executeWithZeros(const rt::Device &device,
                              const ConstantOperation &operation,
                              std::span<const Extent> zeros) {
  return prepareAndExecute(device, operation.withZeros(zeros), {});
}

rt::Status randomgraph::forEachZeroing(
    const rt::Device &reference, uint64_t seeds,
    const std::function<void(const ConstantOperation &,
                             std::span<const Extent>)> &visit) {
  for (const Recipe &recipe : allRecipes()) {
    if (!recipe.draw)
      continue;
    for (rt::OperandType type : recipe.types)
      for (uint64_t seed = 0; seed < seeds; ++seed) {
        NNHAL_ASSIGN_OR_RETURN(
            rt::TestCase test,
            generateOperation(reference, recipe.operation, type, seed));
        NNHAL_ASSIGN_OR_RETURN(ConstantOperation operation,
                               ConstantOperation::of(test, recipe.operation));
        for (const std::vector<Extent> &zeros : operation.zeroings())
          visit(operation, zeros);
      }
  }
  return rt::Status::ok();
}
