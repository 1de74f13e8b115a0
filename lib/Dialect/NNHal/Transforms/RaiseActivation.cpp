//===- RaiseActivation.cpp - Activation operations ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

using namespace nnhal;
using rt::OperationType;

static void raiseElu(Raising &raising) {
  mlir::Value input = raising.tensor(0);
  float alpha = raising.real(1);
  raising.replace<EluOp>(input, llvm::APFloat(alpha));
}

/// SOFTMAX and LOG_SOFTMAX: the axis is -1 where it is left out (M-058).
template <typename OpTy> static void raiseSoftmax(Raising &raising) {
  mlir::Value input = raising.tensor(0);
  float beta = raising.real(1);
  int64_t axis = raising.isGiven(2) ? raising.integer(2) : -1;
  raising.replace<OpTy>(input, llvm::APFloat(beta), axis);
}

void nnhal::addActivationRows(RaiseTable &table) {
  table.insert({
      {OperationType::RELU, raiseUnary<ReluOp>},
      {OperationType::RELU1, raiseUnary<Relu1Op>},
      {OperationType::RELU6, raiseUnary<Relu6Op>},
      {OperationType::TANH, raiseUnary<TanhOp>},
      {OperationType::LOGISTIC, raiseUnary<LogisticOp>},
      {OperationType::HARD_SWISH, raiseUnary<HardSwishOp>},
      {OperationType::ELU, raiseElu},
      {OperationType::PRELU, raiseBinary<PreluOp>},
      {OperationType::SOFTMAX, raiseSoftmax<SoftmaxOp>},
      {OperationType::LOG_SOFTMAX, raiseSoftmax<LogSoftmaxOp>},
  });
}
