//===- Quantization.cpp - Quantization ------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleAdapter.h"

using namespace nnhal;

rt::Status QuantizeOp::checkOutputs(Adaptor op,
                                    llvm::ArrayRef<rt::TensorType> outputs) {
  return rt::checkQuantize(typeOf(op.getInput()), outputs.front());
}

rt::Status DequantizeOp::checkOutputs(Adaptor op,
                                      llvm::ArrayRef<rt::TensorType> outputs) {
  return rt::checkDequantize(typeOf(op.getInput()), outputs.front());
}
