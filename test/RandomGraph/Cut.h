//===- Cut.h - Cuts graphs down to what a device takes ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_RANDOMGRAPH_CUT_H
#define NNHAL_TEST_RANDOMGRAPH_CUT_H

#include "Tools/Verify/Rewrite.h"

#include <map>

namespace nnhal::randomgraph {

using namespace verify;

/// What is left of a graph for a device, and what was taken away.
struct Cut {
  /// Absent when nothing is left.
  std::optional<rt::TestCase> test;
  /// Operations that were left out, by type.
  std::map<rt::OperationType, uint64_t> dropped;
  /// Unknown extents of the graph were stated.
  bool wasMadeStatic = false;
  /// Parameters that were model inputs and are constants now.
  uint64_t fixedParameters = 0;
};

/// Changes \p test until \p tested claims to support every operation of it. As
/// little as possible: extents first, then parameters of operations that are
/// not supported, then those operations. A graph whose execution has to fail is
/// kept whole or not at all.
///
/// Fails when \p tested calls a valid model invalid, or when the reference
/// device fails.
rt::Result<Cut> cutToSupported(const rt::Device &tested,
                               const rt::Device &reference, rt::TestCase test);

} // namespace nnhal::randomgraph

#endif // NNHAL_TEST_RANDOMGRAPH_CUT_H
