//===- Window.cpp - Pooling and resizing ----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleAdapter.h"

using namespace nnhal;

template <typename Adaptor>
static rt::Result<rt::WindowParams> paramsOf(Adaptor op) {
  rt::WindowParams params;
  NNHAL_ASSIGN_OR_RETURN(params.window,
                         rt::extent2D("window", toRule(op.getWindow())));
  NNHAL_ASSIGN_OR_RETURN(params.strides,
                         rt::extent2D("strides", toRule(op.getStrides())));
  NNHAL_ASSIGN_OR_RETURN(params.pads, rt::pads2D(toRule(op.getPads())));
  params.activation = toRule(op.getActivation());
  return params;
}

RuleResult AveragePool2DOp::inferTypes(Adaptor op) {
  NNHAL_ASSIGN_OR_RETURN(rt::WindowParams params, paramsOf(op));
  return single(rt::pool2D(typeOf(op.getInput()), params));
}

RuleResult L2Pool2DOp::inferTypes(Adaptor op) {
  NNHAL_ASSIGN_OR_RETURN(rt::WindowParams params, paramsOf(op));
  return single(rt::l2Pool2D(typeOf(op.getInput()), params));
}

RuleResult MaxPool2DOp::inferTypes(Adaptor op) {
  NNHAL_ASSIGN_OR_RETURN(rt::WindowParams params, paramsOf(op));
  return single(rt::pool2D(typeOf(op.getInput()), params));
}

rt::Status
ResizeBilinearOp::checkOutputs(Adaptor op,
                               llvm::ArrayRef<rt::TensorType> outputs) {
  return rt::checkResize(typeOf(op.getInput()), outputs.front(),
                         op.getAlignCorners(), op.getHalfPixelCenters());
}

rt::Status
ResizeNearestNeighborOp::checkOutputs(Adaptor op,
                                      llvm::ArrayRef<rt::TensorType> outputs) {
  return rt::checkResize(typeOf(op.getInput()), outputs.front(),
                         op.getAlignCorners(), op.getHalfPixelCenters());
}
