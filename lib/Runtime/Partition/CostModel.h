//===- CostModel.h - The cost of operations on devices ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_PARTITION_COSTMODEL_H
#define NNHAL_LIB_RUNTIME_PARTITION_COSTMODEL_H

#include "nnhal/Runtime/Partition.h"

#include <span>
#include <vector>

namespace nnhal::rt::partition {

/// The subgraph number \p index of a plan: 0 is the main one.
const Subgraph &subgraphOf(const Model &model, uint32_t index);

/// Whether \p operation is an IF or a WHILE.
bool isControlFlow(const Operation &operation);

/// The subgraphs, as a plan numbers them, that an IF or WHILE names: then and
/// else, or condition and body.
struct Callees {
  uint32_t first = 0;
  uint32_t second = 0;
};
Callees calleesOf(const Subgraph &subgraph, const Operation &operation);

/// Numbers about a valid model on candidates. Both live longer.
///
/// Threads: one at a time.
class CostModel {
public:
  CostModel(const Model &model, std::span<const PartitionCandidate> candidates,
            ExecutionPreference preference);

  /// The performance that I-009 compares: of the type of the first input, with
  /// those of the subgraphs of IF and WHILE (I-013). No size is a factor
  /// (I-012).
  double performance(uint32_t candidate, uint32_t subgraph, uint32_t operation);

  /// The estimated nanoseconds that the candidate takes: its performance times
  /// the work of the operation on the fallback device.
  double cost(uint32_t candidate, uint32_t subgraph, uint32_t operation);

private:
  double rating(uint32_t candidate, const Subgraph &subgraph,
                const Operation &operation) const;
  double sumOf(uint32_t candidate, uint32_t subgraph, bool isScaled);
  double combined(uint32_t candidate, uint32_t subgraph, uint32_t operation,
                  bool isScaled);

  const Model &model;
  std::span<const PartitionCandidate> candidates;
  bool savesPower;
  /// The sums of subgraphs, per candidate, scaled or not; negative where not
  /// known yet.
  std::vector<double> sums;
};

/// The nanoseconds that the fallback device needs for \p operation, from the
/// sizes that the model states; unknown extents count as 1.
double workOf(const Subgraph &subgraph, const Operation &operation);

} // namespace nnhal::rt::partition

#endif // NNHAL_LIB_RUNTIME_PARTITION_COSTMODEL_H
