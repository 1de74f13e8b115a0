//===- Normalization.h - Forms of normalizations ----------------*- C++ -*-===//
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

#ifndef NNHAL_BACKEND_SIGNATURES_NORMALIZATION_H
#define NNHAL_BACKEND_SIGNATURES_NORMALIZATION_H

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Api.h"

namespace nnhal::rt {

/// Returns the axis of L2_NORMALIZATION as stated, or the last one where it is
/// not stated.
NNHAL_API Result<int64_t> decodeL2Normalization(const OperationView &operation);

/// The parameters of y = x / (bias + alpha * sum of squares in the window)^beta
/// (M-068).
struct LocalResponseForm {
  int64_t radius = 1;
  float bias = 1.0f;
  float alpha = 1.0f;
  float beta = 1.0f;
  /// The axis as stated: negative ones count from the end (M-024).
  int64_t axis = -1;
};
NNHAL_API Result<LocalResponseForm>
decodeLocalResponseNormalization(const OperationView &operation);

/// The parameters of y = (x - mean) * gamma / sqrt(variance + epsilon) + beta
/// (M-069).
struct InstanceNormalizationForm {
  float gamma = 1.0f;
  float beta = 1.0f;
  float epsilon = 1.0f;
  bool isNchw = false;
};
NNHAL_API Result<InstanceNormalizationForm>
decodeInstanceNormalization(const OperationView &operation);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_SIGNATURES_NORMALIZATION_H
