//===- Activation.h - Forms of activations ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// The parameters of operations in the HAL's form, decoded once for checks and
// for devices. Functions demand a number of inputs that the operation has;
// absent values read as ones that break no rule.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_SIGNATURES_ACTIVATION_H
#define NNHAL_BACKEND_SIGNATURES_ACTIVATION_H

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Api.h"

namespace nnhal::rt {

/// The parameters of SOFTMAX and LOG_SOFTMAX.
struct SoftmaxForm {
  float beta = 1.0f;
  /// The axis as stated: negative ones count from the end (M-024).
  int64_t axis = -1;
};
NNHAL_API Result<SoftmaxForm> decodeSoftmax(const OperationView &operation);

/// Returns the factor of ELU's negative side.
NNHAL_API Result<float> decodeElu(const OperationView &operation);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_SIGNATURES_ACTIVATION_H
