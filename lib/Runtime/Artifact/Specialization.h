//===- Specialization.h - Code for the shapes that are used -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model with unknown extents is compiled to code for any shapes. Code for
// given shapes is faster: the same model is compiled again with these shapes,
// and the artifact gets another entry, which stands before the general one.
//
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_ARTIFACT_SPECIALIZATION_H
#define NNHAL_LIB_RUNTIME_ARTIFACT_SPECIALIZATION_H

#include "ModelCache.h"
#include "nnhal/Runtime/Compiler.h"

namespace nnhal::rt {

/// \p model with the extents \p shapes of its inputs. invalidArgument, naming
/// the input, when they contradict the model or leave an extent open, or when
/// the model knows all of them already.
Result<AnnotatedModel> withInputShapes(const AnnotatedModel &model,
                                       const InputShapes &shapes);

/// Adds the entries of \p special to \p general, for executions with \p shapes.
/// \p special was compiled from withInputShapes(), and its constants are to
/// follow those of \p general. Fails with invalidArgument when the two are not
/// of one model, machine and compiler.
Status addSpecialization(Artifact &general, Artifact special,
                         const InputShapes &shapes);

/// Adds a specialization to an artifact, both in serialized parts.
Result<CompiledModel> addSpecialization(const CompiledModel &general,
                                        const CompiledModel &special,
                                        const InputShapes &shapes);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_ARTIFACT_SPECIALIZATION_H
