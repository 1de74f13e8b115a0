//===- Shrink.h - Makes failing graphs small --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_RANDOMGRAPH_SHRINK_H
#define NNHAL_TEST_RANDOMGRAPH_SHRINK_H

#include "Tools/Verify/Rewrite.h"

#include <functional>

namespace nnhal::randomgraph {

using namespace verify;

/// Whether a case still shows what it is kept for.
using Symptom = std::function<bool(const rt::TestCase &)>;

/// The smallest case that was found to show \p symptom, as \p test does: fewer
/// operations, outputs and examples, smaller extents, simpler values. Where
/// operations are left out, the values of the reference device take their
/// place. Expected outputs are those of \p reference. Asks \p symptom at most
/// \p limit times; it is only asked about valid models.
rt::TestCase shrink(const rt::Device &reference, rt::TestCase test,
                    const Symptom &symptom, unsigned limit = 500);

} // namespace nnhal::randomgraph

#endif // NNHAL_TEST_RANDOMGRAPH_SHRINK_H
