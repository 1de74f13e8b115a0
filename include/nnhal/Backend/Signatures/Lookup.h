//===- Lookup.h - Forms of the Lookup operations ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The scalar parameters of lookups and of sampling as a model states them. A
// function checks the number and the types of the operands that it reads;
// scalars whose value is absent read as values that break no rule.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_SIGNATURES_LOOKUP_H
#define NNHAL_BACKEND_SIGNATURES_LOOKUP_H

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Api.h"

namespace nnhal::rt {

struct LshProjectionForm {
  LshKind kind = LshKind::dense;
  bool hasWeights = false;
};
NNHAL_API Result<LshProjectionForm>
decodeLshProjection(const OperationView &operation);

struct RandomMultinomialForm {
  int64_t sampleCount = 1;
};
NNHAL_API Result<RandomMultinomialForm>
decodeRandomMultinomial(const OperationView &operation);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_SIGNATURES_LOOKUP_H
