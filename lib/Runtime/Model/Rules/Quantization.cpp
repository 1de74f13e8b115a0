//===- Quantization.cpp - Rules of quantization ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

static constexpr OperandType asymmetric[] = {
    OperandType::TENSOR_QUANT8_ASYMM, OperandType::TENSOR_QUANT8_ASYMM_SIGNED};
static constexpr OperandType quantizedBytes[] = {
    OperandType::TENSOR_QUANT8_ASYMM, OperandType::TENSOR_QUANT8_ASYMM_SIGNED,
    OperandType::TENSOR_QUANT8_SYMM,
    OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL};

Status nnhal::rt::checkQuantize(const TensorType &input,
                                const TensorType &output) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floats)); // quantize C1
  NNHAL_RETURN_IF_ERROR(
      checkOperand("result", output, asymmetric));         // quantize C2
  return checkSameShape("result", output, "input", input); // quantize C3
}

Status nnhal::rt::checkDequantize(const TensorType &input,
                                  const TensorType &output) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("input", input, quantizedBytes, upToRank4)); // dequantize C1
  NNHAL_RETURN_IF_ERROR(
      checkOperand("result", output, floats));             // dequantize C2
  return checkSameShape("result", output, "input", input); // dequantize C3
}
