//===- CaseFile.h - Writes graphs as test cases -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_RANDOMGRAPH_CASEFILE_H
#define NNHAL_TEST_RANDOMGRAPH_CASEFILE_H

#include "Tools/Verify/Elements.h"

namespace nnhal::randomgraph {

using namespace verify;

/// \p test as the JSON of docs/Devices/TestCases.md, which readTestCases()
/// gives back.
rt::Result<std::string> writeTestCase(const rt::TestCase &test);

} // namespace nnhal::randomgraph

#endif // NNHAL_TEST_RANDOMGRAPH_CASEFILE_H
