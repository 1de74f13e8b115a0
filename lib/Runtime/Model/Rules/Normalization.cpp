//===- Normalization.cpp - Rules of normalizations ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

Result<TensorType> nnhal::rt::l2Normalization(const TensorType &input,
                                              int64_t axis) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     upToRank4)); // l2_normalization C1
  NNHAL_RETURN_IF_ERROR(checkAxis(input, axis));  // l2_normalization C2
  return withPrescribedQuantization(input, 1.0f / 128, 128, 0);
}

Result<TensorType>
nnhal::rt::localResponseNormalization(const TensorType &input, int64_t radius,
                                      float bias, int64_t axis) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("input", input, floats,
                   upToRank4)); // local_response_normalization C1
  NNHAL_RETURN_IF_ERROR(
      checkAxis(input, axis)); // local_response_normalization C2
  if (radius < 0)              // local_response_normalization C3
    return badData("radius {} is below 0", radius);
  if (bias == 0.0f) // local_response_normalization C4
    return badData("bias {} must not be 0", bias);
  return input;
}

Result<TensorType> nnhal::rt::instanceNormalization(const TensorType &input) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floats,
                                     rank4)); // instance_normalization C1
  return input;
}
