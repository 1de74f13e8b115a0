//===- StepModel.h - The model of one step ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_PARTITION_STEPMODEL_H
#define NNHAL_LIB_RUNTIME_PARTITION_STEPMODEL_H

#include "nnhal/Runtime/Model.h"

#include <span>
#include <vector>

namespace nnhal::rt::partition {

/// The operands of a subgraph through which some of its operations are
/// connected with the rest.
struct Boundary {
  /// Inputs of the subgraph, then temporaries, then outputs that are read
  /// (I-025), each in the order of the first use.
  std::vector<uint32_t> inputs;
  /// Outputs of the subgraph, then temporaries (I-024, I-026).
  std::vector<uint32_t> outputs;
};

/// Returns the boundary of \p operations, which are in an order of execution.
Boundary boundaryOf(const Subgraph &subgraph,
                    std::span<const uint32_t> operations);

/// Returns the model of \p operations with the inputs and outputs of
/// \p boundary: with the constants and pools that they read and the subgraphs
/// that they name, relaxed if \p model is (I-027, I-087). Arguments of the main
/// subgraph keep their names.
AnnotatedModel extractStep(const AnnotatedModel &model, uint32_t subgraph,
                           std::span<const uint32_t> operations,
                           const Boundary &boundary);

} // namespace nnhal::rt::partition

#endif // NNHAL_LIB_RUNTIME_PARTITION_STEPMODEL_H
