//===- Reduction.cpp - Reductions -----------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleAdapter.h"

using namespace nnhal;

RuleResult MeanOp::inferTypes(Adaptor op) {
  return single(
      rt::mean(typeOf(op.getInput()), toRule(op.getAxes()), op.getKeepDims()));
}

RuleResult ReduceSumOp::inferTypes(Adaptor op) {
  return single(rt::reduceArithmetic(typeOf(op.getInput()),
                                     toRule(op.getAxes()), op.getKeepDims()));
}

RuleResult ReduceProdOp::inferTypes(Adaptor op) {
  return single(rt::reduceArithmetic(typeOf(op.getInput()),
                                     toRule(op.getAxes()), op.getKeepDims()));
}

RuleResult ReduceMaxOp::inferTypes(Adaptor op) {
  return single(rt::reduceExtremum(typeOf(op.getInput()), toRule(op.getAxes()),
                                   op.getKeepDims()));
}

RuleResult ReduceMinOp::inferTypes(Adaptor op) {
  return single(rt::reduceExtremum(typeOf(op.getInput()), toRule(op.getAxes()),
                                   op.getKeepDims()));
}

RuleResult ReduceAllOp::inferTypes(Adaptor op) {
  return single(rt::reduceLogical(typeOf(op.getInput()), toRule(op.getAxes()),
                                  op.getKeepDims()));
}

RuleResult ReduceAnyOp::inferTypes(Adaptor op) {
  return single(rt::reduceLogical(typeOf(op.getInput()), toRule(op.getAxes()),
                                  op.getKeepDims()));
}

RuleResult ArgMaxOp::inferTypes(Adaptor op) {
  return single(rt::argReduce(typeOf(op.getInput()), int64_t(op.getAxis())));
}

RuleResult ArgMinOp::inferTypes(Adaptor op) {
  return single(rt::argReduce(typeOf(op.getInput()), int64_t(op.getAxis())));
}

RuleResult TopKV2Op::inferTypes(Adaptor op) {
  return rt::topK(typeOf(op.getInput()), int64_t(op.getK()));
}
