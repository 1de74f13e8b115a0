//===- Work.cpp - How much an execution has to do -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Work.h"

#include <algorithm>
#include <set>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Operand;
using rt::OperationType;

static double elementsOf(const Operand &operand) {
  double count = 1.0;
  for (uint32_t extent : operand.dimensions)
    count *= std::max(1.0, double(extent));
  return count;
}

/// The multiplications for one element of the output; 0 for operations that
/// are no contractions. The signatures have been validated.
static double productsPerElement(const rt::Subgraph &graph,
                                 const rt::Operation &operation) {
  auto extent = [&](size_t input, size_t dimension) {
    const Operand &operand = graph.operands[operation.inputs[input]];
    return dimension < operand.dimensions.size()
               ? std::max(1.0, double(operand.dimensions[dimension]))
               : 1.0;
  };
  switch (operation.type) {
  case OperationType::CONV_2D:
  case OperationType::GROUPED_CONV_2D:
    // The filter is [depth out, height, width, depth in].
    return extent(1, 1) * extent(1, 2) * extent(1, 3);
  case OperationType::DEPTHWISE_CONV_2D:
    return extent(1, 1) * extent(1, 2);
  case OperationType::FULLY_CONNECTED:
    return extent(1, 1);
  default:
    return 0.0;
  }
}

/// The multiplications by weights of a recurrent operation: each weight is used
/// once for every row of the first input.
static double recurrentProducts(const rt::Subgraph &graph,
                                const rt::Operation &operation) {
  if (operation.type != OperationType::LSTM &&
      operation.type != OperationType::RNN)
    return 0.0;
  double weights = 0.0;
  for (uint32_t input : operation.inputs)
    if (const Operand &operand = graph.operands[input];
        rt::isConstant(operand.lifetime) && operand.dimensions.size() == 2)
      weights += elementsOf(operand);
  const Operand &first = graph.operands[operation.inputs[0]];
  double rows = first.dimensions.empty()
                    ? 1.0
                    : std::max(1.0, double(first.dimensions[0]));
  return weights * rows;
}

static bool isByte(rt::OperandType type) {
  return type == rt::OperandType::TENSOR_QUANT8_ASYMM ||
         type == rt::OperandType::TENSOR_QUANT8_ASYMM_SIGNED ||
         type == rt::OperandType::TENSOR_QUANT8_SYMM;
}

Work tools::workOf(const rt::Model &model) {
  const rt::Subgraph &graph = model.main;
  Work work;
  double quantized = 0.0;
  std::set<uint32_t> moved(graph.inputIndexes.begin(),
                           graph.inputIndexes.end());
  moved.insert(graph.outputIndexes.begin(), graph.outputIndexes.end());
  for (const rt::Operation &operation : graph.operations) {
    for (uint32_t input : operation.inputs)
      if (rt::isConstant(graph.operands[input].lifetime))
        moved.insert(input);
    if (operation.outputs.empty())
      continue;
    double products = recurrentProducts(graph, operation) +
                      elementsOf(graph.operands[operation.outputs[0]]) *
                          productsPerElement(graph, operation);
    double arithmetic = 2.0 * products;
    work.arithmetic += arithmetic;
    if (isByte(graph.operands[operation.outputs[0]].type))
      quantized += arithmetic;
  }
  for (uint32_t operand : moved)
    work.traffic += rt::byteSizeOf(graph.operands[operand]).value_or(0);
  work.isQuantized = quantized > work.arithmetic / 2;
  return work;
}
