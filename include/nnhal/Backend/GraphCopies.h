//===- GraphCopies.h - How often compiled code has a graph ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_GRAPHCOPIES_H
#define NNHAL_BACKEND_GRAPHCOPIES_H

#include "nnhal/Backend/CalledGraphs.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace nnhal::rt {

/// Code of the project's compiler has a copy of each graph, the main graph
/// included, for each place that executes it. Where each graph executes others
/// at several places, copies double with each level.
inline constexpr uint32_t maxGraphCopies = 8192;
/// Graphs in one another, the main graph included, become regions in one
/// another, which everything that works on IR walks by recursion.
inline constexpr uint32_t maxGraphDepth = 128;

/// Counts the copies of graphs that compiled code has, so that a device can
/// refuse operations whose graphs are more than the compiler takes.
///
/// The model outlives this and is valid: no graph executes itself.
/// Threads: one at a time.
class GraphCopies {
public:
  explicit GraphCopies(const Model &model) : model(model) {}

  /// Adds the graphs that \p operation of the main subgraph executes. Fails
  /// with invalidArgument, and adds nothing, where they nest too deeply, or
  /// together with those that were added before are too many.
  Status add(const Operation &operation) {
    std::vector<uint32_t> called = calledBy(model.main, operation);
    if (called.empty())
      return Status::ok();
    if (counts.empty()) {
      counts.resize(model.referenced.size());
      heights = heightsOf(model, maxGraphDepth);
    }
    uint64_t sum = total;
    for (uint32_t graph : called) {
      if (heights[graph] >= maxGraphDepth)
        return refuse(operation, "graphs nest more than " +
                                     std::to_string(maxGraphDepth - 1) +
                                     " deep, which is not compiled");
      sum += copiesOf(graph);
    }
    if (sum > maxGraphCopies)
      return refuse(operation, "graphs are executed at more than " +
                                   std::to_string(maxGraphCopies) +
                                   " places, each of which is compiled");
    total = sum;
    return Status::ok();
  }

private:
  /// The numbers of the graphs that \p operation of \p graph executes.
  static std::vector<uint32_t> calledBy(const Subgraph &graph,
                                        const Operation &operation) {
    std::vector<uint32_t> called;
    for (uint32_t input : operation.inputs)
      if (const Operand &operand = graph.operands[input];
          operand.lifetime == OperandLifeTime::SUBGRAPH)
        called.push_back(operand.location.offset);
    return called;
  }

  static Status refuse(const Operation &operation, const std::string &reason) {
    return {StatusCode::invalidArgument,
            std::string(nameOf(operation.type)) + ": " + reason};
  }

  /// The recursion is bounded: graphs that nest too deeply are not counted.
  uint64_t copiesOf(uint32_t graph) {
    if (counts[graph] != 0)
      return counts[graph];
    uint64_t count = 1;
    const Subgraph &subgraph = model.referenced[graph];
    for (const Operation &operation : subgraph.operations)
      for (uint32_t called : calledBy(subgraph, operation))
        count =
            std::min<uint64_t>(count + copiesOf(called), maxGraphCopies + 1);
    return counts[graph] = count;
  }

  const Model &model;
  /// From the first operation on that executes graphs.
  std::vector<uint32_t> heights;
  /// By referenced graph; 0 for one that has not been counted. One more than
  /// the bound stands for every larger number.
  std::vector<uint64_t> counts;
  /// The main graph is there once.
  uint64_t total = 1;
};

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_GRAPHCOPIES_H
