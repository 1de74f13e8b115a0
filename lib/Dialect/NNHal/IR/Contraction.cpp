//===- Contraction.cpp - Convolutions and products ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleAdapter.h"

using namespace nnhal;

/// The attributes that convolutions have in common; \p dilations may be empty.
template <typename Adaptor>
static rt::Result<rt::ConvolutionParams>
paramsOf(Adaptor op, llvm::ArrayRef<int64_t> dilations) {
  rt::ConvolutionParams params;
  NNHAL_ASSIGN_OR_RETURN(params.strides,
                         rt::extent2D("strides", toRule(op.getStrides())));
  if (!dilations.empty()) {
    NNHAL_ASSIGN_OR_RETURN(params.dilations,
                           rt::extent2D("dilations", toRule(dilations)));
  }
  NNHAL_ASSIGN_OR_RETURN(params.pads, rt::pads2D(toRule(op.getPads())));
  params.activation = toRule(op.getActivation());
  return params;
}

RuleResult Conv2DOp::inferTypes(Adaptor op) {
  NNHAL_ASSIGN_OR_RETURN(rt::ConvolutionParams params,
                         paramsOf(op, op.getDilations()));
  return single(rt::conv2D(typeOf(op.getInput()), typeOf(op.getFilter()),
                           typeOf(op.getBias()), params));
}

RuleResult DepthwiseConv2DOp::inferTypes(Adaptor op) {
  NNHAL_ASSIGN_OR_RETURN(rt::ConvolutionParams params,
                         paramsOf(op, op.getDilations()));
  return single(rt::depthwiseConv2D(
      typeOf(op.getInput()), typeOf(op.getFilter()), typeOf(op.getBias()),
      params, int64_t(op.getDepthMultiplier())));
}

RuleResult GroupedConv2DOp::inferTypes(Adaptor op) {
  NNHAL_ASSIGN_OR_RETURN(rt::ConvolutionParams params, paramsOf(op, {}));
  return single(rt::groupedConv2D(typeOf(op.getInput()), typeOf(op.getFilter()),
                                  typeOf(op.getBias()), params,
                                  int64_t(op.getGroups())));
}

RuleResult TransposeConv2DOp::inferTypes(Adaptor op) {
  NNHAL_ASSIGN_OR_RETURN(rt::ConvolutionParams params, paramsOf(op, {}));
  return single(rt::transposeConv2D(typeOf(op.getInput()),
                                    typeOf(op.getFilter()),
                                    typeOf(op.getBias()), params));
}

RuleResult FullyConnectedOp::inferTypes(Adaptor op) {
  return single(
      rt::fullyConnected(typeOf(op.getInput()), typeOf(op.getWeights()),
                         typeOf(op.getBias()), toRule(op.getActivation())));
}
