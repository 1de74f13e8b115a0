//===- Generator.h - Makes random graphs ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_RANDOMGRAPH_GENERATOR_H
#define NNHAL_TEST_RANDOMGRAPH_GENERATOR_H

#include "Draft.h"

namespace nnhal::randomgraph {

/// The graph of \p seed with one or two executions, and what the reference
/// device answers: always the same graph, up to what the reference's arithmetic
/// decides (a candidate whose results are too large is not taken).
///
/// The model is valid; a case that expects a failure does so in its execution.
/// Fails when the reference device rejects its own results, which is a defect
/// of this library or of that device.
rt::Result<rt::TestCase> generateGraph(const rt::Device &reference,
                                       uint64_t seed);

/// A graph of one operation on \p type, without unknown extents.
rt::Result<rt::TestCase> generateOperation(const rt::Device &reference,
                                           rt::OperationType operation,
                                           rt::OperandType type, uint64_t seed);

/// The profile of the graph of \p seed.
Profile drawProfile(Random &random);

/// Runs the reference device on every example of \p test and states the
/// outputs that it gives as the expected ones. Fails as that device does.
rt::Status expectReference(const rt::Device &reference, rt::TestCase &test);

} // namespace nnhal::randomgraph

#endif // NNHAL_TEST_RANDOMGRAPH_GENERATOR_H
