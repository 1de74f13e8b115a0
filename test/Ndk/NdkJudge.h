//===- NdkJudge.h - Whether the NDK answers as it must ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_NDK_NDKJUDGE_H
#define NNHAL_TEST_NDK_NDKJUDGE_H

#include "Judge.h"

namespace nnhal::test {

/// States every mutation of \p test that calls of the NDK API can state, and
/// counts in \p tally, as status codes of the HAL, what the library answers.
/// A mutation of a model has to be BAD_DATA from a call that it is about, and
/// one of a request from the call that sets the argument or computes, on
/// nnapi-reference.
void judgeCaseByCalls(const rt::TestCase &test, mutations::Tally &tally,
                      const mutations::Progress &progress);

} // namespace nnhal::test

#endif // NNHAL_TEST_NDK_NDKJUDGE_H
