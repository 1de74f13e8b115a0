//===- TestArtifact.h - Artifacts around the test kernels -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_CORE_TESTARTIFACT_H
#define NNHAL_TEST_UNIT_CORE_TESTARTIFACT_H

#include "Runtime/Artifact/ModelCache.h"

#include <string>
#include <vector>

namespace nnhal::rt {

/// The bytes of a library that the build made for the tests, without ".so".
std::vector<std::byte> readTestLibrary(const std::string &name);

/// Two inputs ("x" of 16 floats, an optional "offset" of one) and one output;
/// Inputs/Kernels.c has the function.
Artifact scaleAndAddArtifact();
/// The constants that belong to it: a factor of 3.
std::vector<std::byte> scaleAndAddConstants();

/// One int32 input of shape [\p inputExtent] and one int32 output of shape
/// [\p outputExtent] for \p symbol of Inputs/Kernels.c.
Artifact intArtifact(const std::string &symbol, uint32_t inputExtent,
                     uint32_t outputExtent);

} // namespace nnhal::rt

#endif // NNHAL_TEST_UNIT_CORE_TESTARTIFACT_H
