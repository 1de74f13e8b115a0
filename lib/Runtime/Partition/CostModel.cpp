//===- CostModel.cpp - The cost of operations on devices ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

const Subgraph &nnhal::rt::partition::subgraphOf(const Model &model,
                                                 uint32_t index) {
  return index == 0 ? model.main : model.referenced[index - 1];
}

bool nnhal::rt::partition::isControlFlow(const Operation &operation) {
  return operation.type == OperationType::IF ||
         operation.type == OperationType::WHILE;
}

Callees nnhal::rt::partition::calleesOf(const Subgraph &subgraph,
                                        const Operation &operation) {
  size_t position = operation.type == OperationType::IF ? 1 : 0;
  auto at = [&](size_t input) {
    return subgraph.operands[operation.inputs[input]].location.offset + 1;
  };
  return {at(position), at(position + 1)};
}

CostModel::CostModel(const Model &model,
                     std::span<const PartitionCandidate> candidates,
                     ExecutionPreference preference)
    : model(model), candidates(candidates),
      savesPower(preference == ExecutionPreference::lowPower),
      sums(2 * candidates.size() * (model.referenced.size() + 1), -1) {}

double CostModel::rating(uint32_t candidate, const Subgraph &subgraph,
                         const Operation &operation) const {
  PerformanceInfo info = performanceOf(candidates[candidate].capabilities,
                                       model, subgraph, operation);
  return double(savesPower ? info.powerUsage : info.execTime);
}

double CostModel::sumOf(uint32_t candidate, uint32_t subgraph, bool isScaled) {
  size_t graphs = model.referenced.size() + 1;
  size_t place =
      (size_t(isScaled) * candidates.size() + candidate) * graphs + subgraph;
  if (sums[place] >= 0)
    return sums[place];
  double sum = 0;
  for (uint32_t i = 0; i < subgraphOf(model, subgraph).operations.size(); ++i)
    sum += combined(candidate, subgraph, i, isScaled);
  return sums[place] = sum;
}

double CostModel::combined(uint32_t candidate, uint32_t index,
                           uint32_t operationIndex, bool isScaled) {
  const Subgraph &subgraph = subgraphOf(model, index);
  const Operation &operation = subgraph.operations[operationIndex];
  double own = rating(candidate, subgraph, operation);
  if (isScaled)
    own *= workOf(subgraph, operation);
  if (!isControlFlow(operation))
    return own;
  Callees callees = calleesOf(subgraph, operation);
  double both = sumOf(candidate, callees.first, isScaled) +
                sumOf(candidate, callees.second, isScaled);
  return own + (operation.type == OperationType::IF ? 0.5 * both : both);
}

double CostModel::performance(uint32_t candidate, uint32_t subgraph,
                              uint32_t operation) {
  return combined(candidate, subgraph, operation, /*isScaled=*/false);
}

double CostModel::cost(uint32_t candidate, uint32_t subgraph,
                       uint32_t operation) {
  return combined(candidate, subgraph, operation, /*isScaled=*/true);
}

static double elementsOf(const Operand &operand) {
  double elements = 1;
  for (uint32_t extent : operand.dimensions)
    elements *= std::max(extent, 1u);
  return elements;
}

static double extent(const Operand &operand, size_t fromEnd) {
  size_t rank = operand.dimensions.size();
  return rank < fromEnd
             ? 1.0
             : std::max(1.0, double(operand.dimensions[rank - fromEnd]));
}

/// The multiplications for one element of the output; 0 for operations that
/// have none.
static double productsPerElement(const Subgraph &subgraph,
                                 const Operation &operation) {
  auto input = [&](size_t i) -> const Operand & {
    return subgraph.operands[operation.inputs[i]];
  };
  if (operation.inputs.size() < 2)
    return 0;
  switch (operation.type) {
  case OperationType::CONV_2D:
  case OperationType::GROUPED_CONV_2D:
    // The filter is [depth out, height, width, depth in].
    return extent(input(1), 3) * extent(input(1), 2) * extent(input(1), 1);
  case OperationType::TRANSPOSE_CONV_2D:
    return extent(input(1), 3) * extent(input(1), 2) * extent(input(1), 1) / 4;
  case OperationType::DEPTHWISE_CONV_2D:
    return extent(input(1), 3) * extent(input(1), 2);
  case OperationType::FULLY_CONNECTED:
    return extent(input(1), 1);
  default:
    return 0;
  }
}

double nnhal::rt::partition::workOf(const Subgraph &subgraph,
                                    const Operation &operation) {
  const OperationInfo *info = lookUp(operation.type);
  double outputs = 0, inputs = 0;
  for (uint32_t index : operation.outputs)
    outputs += elementsOf(subgraph.operands[index]);
  for (uint32_t index : operation.inputs)
    if (isTensor(subgraph.operands[index].type))
      inputs += elementsOf(subgraph.operands[index]);
  // The call itself, and one access to each element.
  double work = 100 + inputs + 2 * outputs;
  if (double products = productsPerElement(subgraph, operation); products > 0)
    return work + products * outputs;
  // The weights of a recurrent operation are read once per step of the
  // sequence.
  if (info && info->family == OperationFamily::Recurrent)
    return work + inputs * extent(subgraph.operands[operation.inputs[0]], 2);
  if (info && (info->family == OperationFamily::Window ||
               info->family == OperationFamily::Normalization ||
               info->family == OperationFamily::Activation))
    return work + 8 * outputs;
  return work;
}
