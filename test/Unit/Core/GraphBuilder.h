//===- GraphBuilder.h - Graphs of models for tests --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_CORE_GRAPHBUILDER_H
#define NNHAL_TEST_UNIT_CORE_GRAPHBUILDER_H

#include "nnhal/Runtime/Model.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace nnhal::rt {

/// Builds a graph of a model, operand by operand.
struct GraphBuilder {
  /// Adds an operand, in the order of inputs and outputs, and returns its
  /// index.
  uint32_t add(OperandLifeTime lifetime, OperandType type,
               std::vector<uint32_t> dimensions = {}) {
    Operand &operand = graph.operands.emplace_back();
    operand.type = type;
    operand.lifetime = lifetime;
    operand.dimensions = std::move(dimensions);
    auto index = uint32_t(graph.operands.size() - 1);
    if (lifetime == OperandLifeTime::SUBGRAPH_INPUT)
      graph.inputIndexes.push_back(index);
    if (lifetime == OperandLifeTime::SUBGRAPH_OUTPUT)
      graph.outputIndexes.push_back(index);
    return index;
  }
  /// An operand that names the graph \p index of the model.
  uint32_t callee(uint32_t index) {
    uint32_t operand = add(OperandLifeTime::SUBGRAPH, OperandType::SUBGRAPH);
    graph.operands[operand].location.offset = index;
    return operand;
  }
  GraphBuilder &operation(OperationType type, std::vector<uint32_t> inputs,
                          std::vector<uint32_t> outputs) {
    graph.operations.push_back({type, std::move(inputs), std::move(outputs)});
    return *this;
  }

  Subgraph graph = {};
};

} // namespace nnhal::rt

#endif // NNHAL_TEST_UNIT_CORE_GRAPHBUILDER_H
