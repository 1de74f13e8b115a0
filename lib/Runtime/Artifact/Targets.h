//===- Targets.h - Artifacts for several targets ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model is compiled once for each target, and the artifacts become one: each
// target's code sections, entries and constants stand beside those of the
// others. A device selects what it executes.
//
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_ARTIFACT_TARGETS_H
#define NNHAL_LIB_RUNTIME_ARTIFACT_TARGETS_H

#include "ModelCache.h"
#include "nnhal/Runtime/Compiler.h"

#include <functional>

namespace nnhal::rt {

/// Fails with invalidArgument when \p first and \p second, of which messages
/// speak as \p what, are not the same model compiled by the same compiler for
/// the same rounding. Shapes may differ.
Status checkSameModel(const Artifact &first, const Artifact &second,
                      std::string_view what);

/// The routine slots of two artifacts, in ascending order as theirs are.
std::vector<uint32_t> unionOfSlots(const std::vector<uint32_t> &first,
                                   const std::vector<uint32_t> &second);

/// Adds the code and the constants of \p added, which is the same model for
/// another target. Fails with invalidArgument when it is another model or of
/// another compiler, and when both have code of one target.
Result<CompiledModel> addTarget(const CompiledModel &compiled,
                                const CompiledModel &added);

/// Leaves in \p artifact the code that \p executes accepts, with its entries,
/// and returns where the constants of that code lie in the data cache, whose
/// size becomes that of the part. Where \p executes accepts none everything
/// stays, so that the caller can say what there is. Fails with invalidArgument
/// when \p dataCacheSize is not what \p artifact needs.
Result<DataRange>
selectTarget(Artifact &artifact, uint64_t dataCacheSize,
             const std::function<bool(const CodeSection &)> &executes);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_ARTIFACT_TARGETS_H
