//===- Validate.h - Validation of a model -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_VALIDATE_H
#define NNHAL_RUNTIME_VALIDATE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Model.h"

namespace nnhal::rt {

/// Checks everything about \p model that does not depend on what an operation
/// means: operand types, dimensions, quantization parameters, lifetimes and
/// locations, operation indices, execution order, single assignment, inputs and
/// outputs, pools, extension prefixes, subgraph references (B-001 to B-078).
///
/// Total: any content of \p model is answered with a Status, never a crash. The
/// message names the subgraph, the operand or operation, the found value and
/// the bound. \p version selects the legal types and operations (B-001).
NNHAL_API Status validateStructure(const Model &model,
                                   HalVersion version = HalVersion::V1_3);

/// validateStructure(), then checkOperation() for every operation: whether
/// \p version holds this use of it, as far as values are known (M-001 to
/// M-366). Total.
NNHAL_API Status validateModel(const Model &model,
                               HalVersion version = HalVersion::V1_3);

/// Returns the lowest version as which \p model is valid (K-030). Fails like
/// validateModel() for a model that no version accepts. Trailing arguments that
/// state a default count: see removeTrailingDefaults().
NNHAL_API Result<HalVersion> lowestVersion(const Model &model);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_VALIDATE_H
