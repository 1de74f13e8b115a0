//===- Activation.cpp - Rules of activations ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

Result<TensorType> nnhal::rt::rectifier(const TensorType &input) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     upToRank4)); // rectifier C1
  return input;
}

Result<TensorType> nnhal::rt::hyperbolicTangent(const TensorType &input) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("input", input, floatsAndQuantized, upToRank4)); // tanh C1
  return withPrescribedQuantization(input, 1.0f / 128, 128, 0);
}

Result<TensorType> nnhal::rt::logistic(const TensorType &input) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     upToRank4)); // logistic C1
  return withPrescribedQuantization(input, 1.0f / 256, 0, -128);
}

Result<TensorType> nnhal::rt::elu(const TensorType &input) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floats)); // elu C1
  return input;
}

Result<TensorType> nnhal::rt::hardSwish(const TensorType &input) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("input", input, floatsAndQuantized)); // hard_swish C1
  return withFreeQuantization(input);
}

Result<TensorType> nnhal::rt::prelu(const TensorType &input,
                                    const TensorType &alpha) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("input", input, floatsAndQuantized)); // prelu C1
  NNHAL_RETURN_IF_ERROR(
      checkSameType("alpha", alpha, "input", input)); // prelu C2
  TensorType result = withFreeQuantization(input);
  if (!input.isRanked || !alpha.isRanked)
    return withoutRank(result);
  NNHAL_ASSIGN_OR_RETURN(result.dimensions,
                         broadcastShapes(input, alpha)); // prelu C3
  return result;
}

Result<TensorType> nnhal::rt::softmax(const TensorType &input, float beta,
                                      int64_t axis) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     upToRank4)); // softmax C1
  if (!(beta > 0.0f))                             // softmax C2
    return badData("beta {} must be positive", beta);
  NNHAL_RETURN_IF_ERROR(checkAxis(input, axis)); // softmax C3
  return withPrescribedQuantization(input, 1.0f / 256, 0, -128);
}

Result<TensorType> nnhal::rt::logSoftmax(const TensorType &input,
                                         int64_t axis) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floats)); // log_softmax C1
  NNHAL_RETURN_IF_ERROR(checkAxis(input, axis));               // log_softmax C2
  return input;
}
