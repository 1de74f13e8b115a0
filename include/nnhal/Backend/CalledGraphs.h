//===- CalledGraphs.h - Graphs that others execute --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_CALLEDGRAPHS_H
#define NNHAL_BACKEND_CALLEDGRAPHS_H

#include "nnhal/Runtime/Model.h"
#include "nnhal/Runtime/Status.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nnhal::rt {

/// Returns how many graphs the longest chain has that begins with each of the
/// referenced graphs of \p model, \p most where there are more. Chains may be
/// as long as the list: nothing here calls itself, and a round over all
/// operands that name graphs looks one graph further.
inline std::vector<uint32_t> heightsOf(const Model &model, uint32_t most) {
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (auto caller = uint32_t(model.referenced.size()); caller-- > 0;)
    for (const Operand &operand : model.referenced[caller].operands)
      if (operand.lifetime == OperandLifeTime::SUBGRAPH)
        edges.emplace_back(caller, operand.location.offset);
  std::vector<uint32_t> heights(model.referenced.size(), 1);
  bool hasGrown = true;
  for (uint32_t round = 1; round < most && hasGrown; ++round) {
    hasGrown = false;
    for (auto [caller, callee] : edges) {
      uint32_t height = std::min(heights[callee] + 1, most);
      hasGrown = hasGrown || height > heights[caller];
      heights[caller] = std::max(heights[caller], height);
    }
  }
  return heights;
}

/// Checks the graphs that IF and WHILE execute, each of them once: where 30
/// graphs name the next one twice, the last is reached in 2^30 ways. A device
/// answers supportedOperations() with it (C-030).
///
/// Graphs that are nested deeper than maxDepth fail: valid models may be nested
/// as deep as they have graphs, and whatever looks at them, compiles or
/// executes them calls itself, and must not overflow the stack (D-093).
///
/// The model outlives this and is valid: no graph executes itself.
/// Threads: one at a time.
class CalledGraphs {
public:
  static constexpr uint32_t maxDepth = 256;

  explicit CalledGraphs(const Model &model)
      : model(model), answers(model.referenced.size()) {}

  /// The first failure of \p checkOperation(graph, operation) in the graphs
  /// that \p operation of \p subgraph names. That function asks this one about
  /// graphs further down.
  template <typename Check>
  Status check(const Subgraph &subgraph, const Operation &operation,
               Check checkOperation) {
    for (uint32_t input : operation.inputs) {
      const Operand &operand = subgraph.operands[input];
      if (operand.lifetime != OperandLifeTime::SUBGRAPH)
        continue;
      uint32_t index = operand.location.offset;
      if (heights.empty())
        heights = heightsOf(model, maxDepth + 1);
      if (heights[index] > maxDepth)
        return Status(StatusCode::invalidArgument,
                      "referenced[" + std::to_string(index) +
                          "] is nested more than " + std::to_string(maxDepth) +
                          " deep");
      if (!answers[index])
        answers[index] =
            checkGraph(model.referenced[index], checkOperation)
                .withContext("referenced[" + std::to_string(index) + "]");
      if (!answers[index]->isOk())
        return *answers[index];
    }
    return Status::ok();
  }

private:
  template <typename Check>
  static Status checkGraph(const Subgraph &graph, Check checkOperation) {
    for (const Operation &operation : graph.operations)
      if (Status status = checkOperation(graph, operation); !status.isOk())
        return status;
    return Status::ok();
  }

  const Model &model;
  /// From the first operation on that names a graph.
  std::vector<uint32_t> heights;
  std::vector<std::optional<Status>> answers;
};

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_CALLEDGRAPHS_H
