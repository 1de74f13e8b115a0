//===- Elementwise.h - Forms of element-wise operations ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// The parameters of operations in the HAL's form, decoded once for checks and
// for devices. Functions demand a number of inputs that the operation has.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_SIGNATURES_ELEMENTWISE_H
#define NNHAL_BACKEND_SIGNATURES_ELEMENTWISE_H

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Api.h"

namespace nnhal::rt {

/// Returns the fused activation of ADD, SUB, MUL and DIV.
NNHAL_API Result<FusedActivation>
decodeArithmetic(const OperationView &operation);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_SIGNATURES_ELEMENTWISE_H
