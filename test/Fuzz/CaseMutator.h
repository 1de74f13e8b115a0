//===- CaseMutator.h - Changes test cases by what they mean -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_FUZZ_CASEMUTATOR_H
#define NNHAL_TEST_FUZZ_CASEMUTATOR_H

#include "FuzzTarget.h"

#include "nnhal/Runtime/TestCase.h"

#include <functional>

namespace nnhal::rt::fuzz {

/// Calls \p visit with the first cases of \p text, a document of test cases. As
/// readTestCases() fails.
Status visitCases(std::string_view text,
                  const std::function<void(const TestCase &)> &visit);

/// LLVMFuzzerCustomMutator() for documents of test cases: by what models mean,
/// by values of JSON or by bytes.
size_t mutateCaseText(uint8_t *data, size_t size, size_t maxSize,
                      unsigned seed);

} // namespace nnhal::rt::fuzz

#endif // NNHAL_TEST_FUZZ_CASEMUTATOR_H
