//===- Plan.h - Makes plans -------------------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_PARTITION_PLAN_H
#define NNHAL_LIB_RUNTIME_PARTITION_PLAN_H

#include "Assignment.h"
#include "CostModel.h"
#include "Support.h"

#include <map>
#include <optional>

namespace nnhal::rt::partition {

/// Divides one model. Subgraphs of interpreted control flow are divided in
/// turn, each once, however often they are entered (I-020).
///
/// Threads: one at a time. The arguments of the constructor live longer.
class PlanMaker {
public:
  PlanMaker(const AnnotatedModel &model, std::span<const Device *const> devices,
            const Device *fallback, const PartitionOptions &options);

  Result<PartitionPlan> run();

private:
  /// The decisions about one subgraph.
  struct Division {
    CostGraph graph;
    std::vector<uint32_t> devices;
    double estimate = 0;
    /// The steps that one use of the subgraph is laid out as, those of the
    /// subgraphs that it enters included.
    uint64_t steps = 0;
  };

  Result<const Division *> divide(uint32_t subgraph);
  Result<Division> newDivision(uint32_t subgraph);
  Status addOperation(uint32_t subgraph, uint32_t operation, Division &made);
  /// The cost of interpreting an IF or WHILE; `impossible` where the runtime
  /// cannot.
  double interpretedCost(const Subgraph &subgraph, const Operation &operation);
  uint32_t greedyChoice(uint32_t subgraph, uint32_t operation,
                        const CostGraph::Operation &costs);
  Status unsupported(uint32_t subgraph, uint32_t operation);
  void lay(uint32_t subgraph, uint32_t frame);
  void layControlFlow(uint32_t subgraph, uint32_t frame, uint32_t operation);
  uint32_t addJump(uint32_t subgraph, uint32_t frame, uint32_t target);
  void assign(const Division &main);
  double singleDeviceEstimate(const Division &main) const;
  bool isWholeOnOne(const Division &main) const;

  const Model &model;
  std::span<const Device *const> devices;
  const PartitionOptions &options;
  PartitionPlan plan;
  /// The place of the fallback device among the candidates, if it is there.
  std::optional<uint32_t> fallbackIndex;
  Support support;
  CostModel costs;
  /// The longest chain of subgraphs that each names, capped.
  std::vector<uint32_t> heights;
  std::map<uint32_t, Result<Division>> divisions;
  uint32_t lastFrame = 0;
};

/// The graph of \p subgraph without costs: its values and who reads them.
CostGraph dataFlowOf(const Subgraph &subgraph);

/// The candidate that stands for \p device.
PartitionCandidate candidateOf(const Device &device, bool isFallback);

/// The bytes of \p operand, which may be of a type of \p extensions of \p
/// model; nothing while they are unknown.
std::optional<uint64_t> sizeOf(const Model &model, const Operand &operand,
                               std::span<const Device *const> devices);

} // namespace nnhal::rt::partition

#endif // NNHAL_LIB_RUNTIME_PARTITION_PLAN_H
