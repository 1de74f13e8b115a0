//===- SampleArtifact.h - An artifact with every field ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_CACHE_SAMPLEARTIFACT_H
#define NNHAL_TEST_UNIT_CACHE_SAMPLEARTIFACT_H

#include "Runtime/Artifact/ModelCache.h"

namespace nnhal::rt {

/// Passes every check of the reader.
Artifact sampleArtifact();

/// True when everything in both is equal.
bool isSame(const Artifact &left, const Artifact &right);

} // namespace nnhal::rt

#endif // NNHAL_TEST_UNIT_CACHE_SAMPLEARTIFACT_H
