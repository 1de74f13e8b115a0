//===- OpenShapes.h - Shapes that only an execution knows -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_OPENSHAPES_OPENSHAPES_H
#define NNHAL_LIB_RUNTIME_OPENSHAPES_OPENSHAPES_H

#include "nnhal/Runtime/Model.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace nnhal::rt {

/// Whether generated code depends on the ranks of all values alone or also on
/// their extents.
enum class ShapeNeed { ranks, extents };

/// The shapes that code for a model of open shapes is made for, one per input:
/// nothing where the model's own type is enough, no extents where the input is
/// omitted, otherwise its shape, in which 0 stands for any extent.
using KnownShapes = std::vector<std::optional<std::vector<uint32_t>>>;

/// The values that code is made for, beside shapes: the bytes of an input that
/// becomes a constant, nothing where code does not depend on the value. Empty
/// where it depends on none.
using KnownValues = std::vector<std::optional<std::vector<std::byte>>>;

/// Whether an input or output of the main subgraph of \p model has unknown rank
/// . Threads: pure function.
bool hasOpenRanks(const Model &model);

/// Whether \p operand is a tensor with an extent or a rank that the model
/// leaves open. Threads: pure function.
inline bool hasOpenExtents(const Operand &operand) {
  return isTensor(operand.type) &&
         operand.lifetime != OperandLifeTime::NO_VALUE &&
         (operand.dimensions.empty() ||
          std::ranges::count(operand.dimensions, 0u) > 0);
}

/// \p annotated, which is valid, for executions with inputs of \p shapes: every
/// value has a known rank, or known extents, as \p need says. Those of inner
/// values and outputs follow from the rules of the operations; the result of IF
/// has the rank of its branches, and where extents are needed states of WHILE
/// keep theirs. Each call of a graph gets a graph of its own, with the shapes
/// of the call. Inputs that are omitted become operands without a value, those
/// of \p values constants; inputs of unknown extents stay as they are.
/// generalFailure names what no rule gives a rank or extents, or the operation
/// that does not take these shapes or values. Threads: pure function.
Result<AnnotatedModel> withKnownShapes(const AnnotatedModel &annotated,
                                       const KnownShapes &shapes,
                                       ShapeNeed need,
                                       const KnownValues &values = {});

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_OPENSHAPES_OPENSHAPES_H
