//===- Explain.h - Says why a plan is as it is ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_PARTITION_EXPLAIN_H
#define NNHAL_LIB_RUNTIME_PARTITION_EXPLAIN_H

#include "Assignment.h"
#include "Support.h"

namespace nnhal::rt::partition {

/// States the reason and the detail of \p assignment, whose device is known,
/// for an operation of the main subgraph. \p answers has one list per
/// candidate.
void explainAssignment(const Model &model, uint32_t operation,
                       const CostGraph::Operation &costs,
                       const std::vector<Answers> &answers,
                       std::span<const PartitionCandidate> candidates,
                       const PartitionOptions &options, Assignment &assignment);

/// The steps as lines, each Step, If, While or Goto (I-032).
std::string describeSteps(const AnnotatedModel &model,
                          const PartitionPlan &plan);

} // namespace nnhal::rt::partition

#endif // NNHAL_LIB_RUNTIME_PARTITION_EXPLAIN_H
