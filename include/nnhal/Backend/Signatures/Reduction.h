//===- Reduction.h - Decoded forms of reductions ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Parameters of the Reduction operations, resolved. Each function takes a use
// that checkOperation() has accepted with all values and extents known, and
// fails with invalidArgument otherwise. Threads: pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_SIGNATURES_REDUCTION_H
#define NNHAL_BACKEND_SIGNATURES_REDUCTION_H

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Api.h"

#include <cstdint>
#include <vector>

namespace nnhal::rt {

/// Returns, for each dimension of the input of MEAN or REDUCE_*, whether it is
/// reduced (M-025).
NNHAL_API Result<std::vector<bool>>
decodeReducedDimensions(const OperationView &operation);

/// Returns the axis of an ARGMAX or ARGMIN, counted from the front.
NNHAL_API Result<int64_t> decodeArgAxis(const OperationView &operation);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_SIGNATURES_REDUCTION_H
