//===- Elementwise.cpp - Element-wise operations --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleAdapter.h"

using namespace nnhal;

RuleResult AddOp::inferTypes(Adaptor op) {
  return single(rt::arithmetic(typeOf(op.getLhs()), typeOf(op.getRhs()),
                               toRule(op.getActivation()),
                               /*allowsQuantized=*/true));
}

rt::Status AddOp::checkOutputs(Adaptor op,
                               llvm::ArrayRef<rt::TensorType> outputs) {
  return rt::checkAddScale(typeOf(op.getLhs()), typeOf(op.getRhs()),
                           outputs.front());
}

RuleResult SubOp::inferTypes(Adaptor op) {
  return single(rt::arithmetic(typeOf(op.getLhs()), typeOf(op.getRhs()),
                               toRule(op.getActivation()),
                               /*allowsQuantized=*/true));
}

rt::Status SubOp::checkOutputs(Adaptor op,
                               llvm::ArrayRef<rt::TensorType> outputs) {
  return rt::checkAddScale(typeOf(op.getLhs()), typeOf(op.getRhs()),
                           outputs.front());
}

RuleResult MulOp::inferTypes(Adaptor op) {
  return single(rt::arithmetic(typeOf(op.getLhs()), typeOf(op.getRhs()),
                               toRule(op.getActivation()),
                               /*allowsQuantized=*/true));
}

rt::Status MulOp::checkOutputs(Adaptor op,
                               llvm::ArrayRef<rt::TensorType> outputs) {
  return rt::checkMulScale(typeOf(op.getLhs()), typeOf(op.getRhs()),
                           outputs.front());
}

RuleResult DivOp::inferTypes(Adaptor op) {
  return single(rt::arithmetic(typeOf(op.getLhs()), typeOf(op.getRhs()),
                               toRule(op.getActivation()),
                               /*allowsQuantized=*/false));
}

RuleResult PowOp::inferTypes(Adaptor op) {
  return single(rt::power(typeOf(op.getLhs()), typeOf(op.getRhs())));
}

RuleResult MaximumOp::inferTypes(Adaptor op) {
  return single(rt::extremum(typeOf(op.getLhs()), typeOf(op.getRhs())));
}

RuleResult MinimumOp::inferTypes(Adaptor op) {
  return single(rt::extremum(typeOf(op.getLhs()), typeOf(op.getRhs())));
}

RuleResult EqualOp::inferTypes(Adaptor op) {
  return single(rt::comparison(typeOf(op.getLhs()), typeOf(op.getRhs())));
}

RuleResult NotEqualOp::inferTypes(Adaptor op) {
  return single(rt::comparison(typeOf(op.getLhs()), typeOf(op.getRhs())));
}

RuleResult GreaterOp::inferTypes(Adaptor op) {
  return single(rt::comparison(typeOf(op.getLhs()), typeOf(op.getRhs())));
}

RuleResult GreaterEqualOp::inferTypes(Adaptor op) {
  return single(rt::comparison(typeOf(op.getLhs()), typeOf(op.getRhs())));
}

RuleResult LessOp::inferTypes(Adaptor op) {
  return single(rt::comparison(typeOf(op.getLhs()), typeOf(op.getRhs())));
}

RuleResult LessEqualOp::inferTypes(Adaptor op) {
  return single(rt::comparison(typeOf(op.getLhs()), typeOf(op.getRhs())));
}

RuleResult LogicalAndOp::inferTypes(Adaptor op) {
  return single(rt::logicalBinary(typeOf(op.getLhs()), typeOf(op.getRhs())));
}

RuleResult LogicalOrOp::inferTypes(Adaptor op) {
  return single(rt::logicalBinary(typeOf(op.getLhs()), typeOf(op.getRhs())));
}

RuleResult SelectOp::inferTypes(Adaptor op) {
  return single(rt::select(typeOf(op.getCondition()), typeOf(op.getLhs()),
                           typeOf(op.getRhs())));
}

RuleResult LogicalNotOp::inferTypes(Adaptor op) {
  return single(rt::logicalNot(typeOf(op.getInput())));
}

RuleResult AbsOp::inferTypes(Adaptor op) {
  return single(rt::signedUnary(typeOf(op.getInput())));
}

RuleResult NegOp::inferTypes(Adaptor op) {
  return single(rt::signedUnary(typeOf(op.getInput())));
}

RuleResult ExpOp::inferTypes(Adaptor op) {
  return single(rt::floatUnary(typeOf(op.getInput())));
}

RuleResult LogOp::inferTypes(Adaptor op) {
  return single(rt::floatUnary(typeOf(op.getInput())));
}

RuleResult SinOp::inferTypes(Adaptor op) {
  return single(rt::floatUnary(typeOf(op.getInput())));
}

RuleResult SqrtOp::inferTypes(Adaptor op) {
  return single(rt::floatUnary(typeOf(op.getInput())));
}

RuleResult RsqrtOp::inferTypes(Adaptor op) {
  return single(rt::floatUnary(typeOf(op.getInput())));
}

RuleResult FloorOp::inferTypes(Adaptor op) {
  return single(rt::floorOf(typeOf(op.getInput())));
}

rt::Status CastOp::checkOutputs(Adaptor op,
                                llvm::ArrayRef<rt::TensorType> outputs) {
  return rt::checkCast(typeOf(op.getInput()), outputs.front());
}
