//===- NdkSequence.h - Test cases as sequences of calls ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_FUZZ_NDKSEQUENCE_H
#define NNHAL_TEST_FUZZ_NDKSEQUENCE_H

#include "nnhal/Runtime/TestCase.h"

#include <optional>
#include <vector>

namespace nnhal::rt::fuzz {

/// The bytes by which NdkClient builds and computes \p test; nothing where they
/// cannot say it: a model of extensions, or one that is too large.
std::optional<std::vector<std::byte>> sequenceOf(const TestCase &test);

} // namespace nnhal::rt::fuzz

#endif // NNHAL_TEST_FUZZ_NDKSEQUENCE_H
