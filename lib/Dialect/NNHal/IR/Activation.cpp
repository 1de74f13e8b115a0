//===- Activation.cpp - Activation operations -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleAdapter.h"

using namespace nnhal;

RuleResult ReluOp::inferTypes(Adaptor op) {
  return single(rt::rectifier(typeOf(op.getInput())));
}

RuleResult Relu1Op::inferTypes(Adaptor op) {
  return single(rt::rectifier(typeOf(op.getInput())));
}

RuleResult Relu6Op::inferTypes(Adaptor op) {
  return single(rt::rectifier(typeOf(op.getInput())));
}

RuleResult TanhOp::inferTypes(Adaptor op) {
  return single(rt::hyperbolicTangent(typeOf(op.getInput())));
}

RuleResult LogisticOp::inferTypes(Adaptor op) {
  return single(rt::logistic(typeOf(op.getInput())));
}

RuleResult EluOp::inferTypes(Adaptor op) {
  return single(rt::elu(typeOf(op.getInput())));
}

RuleResult HardSwishOp::inferTypes(Adaptor op) {
  return single(rt::hardSwish(typeOf(op.getInput())));
}

RuleResult PreluOp::inferTypes(Adaptor op) {
  return single(rt::prelu(typeOf(op.getInput()), typeOf(op.getAlpha())));
}

RuleResult SoftmaxOp::inferTypes(Adaptor op) {
  return single(rt::softmax(typeOf(op.getInput()),
                            op.getBeta().convertToFloat(),
                            int64_t(op.getAxis())));
}

RuleResult LogSoftmaxOp::inferTypes(Adaptor op) {
  return single(rt::logSoftmax(typeOf(op.getInput()), int64_t(op.getAxis())));
}
