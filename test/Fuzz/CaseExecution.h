//===- CaseExecution.h - Executes hostile test cases ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_FUZZ_CASEEXECUTION_H
#define NNHAL_TEST_FUZZ_CASEEXECUTION_H

#include "FuzzTarget.h"

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/TestCase.h"

#include <vector>

namespace nnhal::rt::fuzz {

/// The largest tensor of an execution, in bytes: products of two are what an
/// input may cost.
inline constexpr uint64_t caseTensorLimit = 1 << 14;

/// An execution and the memory of its outputs.
struct CaseOutcome {
  Status status;
  ExecutionResult result;
  std::vector<std::vector<std::byte>> outputs;
};

/// Executes \p test with the inputs of \p example, as a caller would who trusts
/// what the model states about outputs. Their bytes are \p filler before.
CaseOutcome executeCase(const TestCase &test, const TestExample &example,
                        const PreparedModel &prepared, std::byte filler);

/// Reports a finding unless shapes are as the model states them, and
/// \p first and \p second, two executions of the same, have the same outputs.
void requireSameOutcome(const TestCase &test, const PreparedModel &prepared,
                        const CaseOutcome &first, const CaseOutcome &second);

} // namespace nnhal::rt::fuzz

#endif // NNHAL_TEST_FUZZ_CASEEXECUTION_H
