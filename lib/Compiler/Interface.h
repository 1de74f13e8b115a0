//===- Interface.h - What a compiled model takes and gives ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_COMPILER_INTERFACE_H
#define NNHAL_LIB_COMPILER_INTERFACE_H

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Runtime/CompileOptions.h"

namespace nnhal {

/// Fills inputs, outputs and state pairs of \p artifact from the main graph of
/// \p model. \p described say what elements of extension types are.
rt::Status describeInterface(ModelOp model,
                             std::span<const rt::CompiledExtension> described,
                             rt::Artifact &artifact);

/// The inputs of \p model, which has not been raised, that every request must
/// give, as ArtifactEntry::presentInputs: others are read by operations only
/// that may go without.
std::vector<uint64_t> findRequiredInputs(ModelOp model);

} // namespace nnhal

#endif // NNHAL_LIB_COMPILER_INTERFACE_H
