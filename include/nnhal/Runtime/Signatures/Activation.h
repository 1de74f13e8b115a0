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

#ifndef NNHAL_RUNTIME_SIGNATURES_ACTIVATION_H
#define NNHAL_RUNTIME_SIGNATURES_ACTIVATION_H

#include "nnhal/Runtime/Signatures.h"

namespace nnhal::rt {

/// SOFTMAX and LOG_SOFTMAX.
struct SoftmaxForm {
  float beta = 1.0f;
  /// As stated: negative ones count from the end (M-024).
  int64_t axis = -1;
};
Result<SoftmaxForm> decodeSoftmax(const OperationView &operation);

/// The factor of ELU's negative side.
Result<float> decodeElu(const OperationView &operation);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_SIGNATURES_ACTIVATION_H
