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

#ifndef NNHAL_RUNTIME_SIGNATURES_ELEMENTWISE_H
#define NNHAL_RUNTIME_SIGNATURES_ELEMENTWISE_H

#include "nnhal/Runtime/Signatures.h"

namespace nnhal::rt {

/// The fused activation of ADD, SUB, MUL and DIV.
Result<FusedActivation> decodeArithmetic(const OperationView &operation);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_SIGNATURES_ELEMENTWISE_H
