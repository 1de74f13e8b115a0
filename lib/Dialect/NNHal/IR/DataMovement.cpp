//===- DataMovement.cpp - Data movement -----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleAdapter.h"

#include <fmt/format.h>

using namespace nnhal;

rt::Status ReshapeOp::checkOutputs(Adaptor op,
                                   llvm::ArrayRef<rt::TensorType> outputs) {
  return rt::checkReshape(typeOf(op.getInput()), outputs.front());
}

RuleResult SqueezeOp::inferTypes(Adaptor op) {
  return single(rt::squeeze(typeOf(op.getInput()), toRule(op.getAxes())));
}

RuleResult ExpandDimsOp::inferTypes(Adaptor op) {
  return single(rt::expandDims(typeOf(op.getInput()), int64_t(op.getAxis())));
}

RuleResult TransposeOp::inferTypes(Adaptor op) {
  return single(
      rt::transpose(typeOf(op.getInput()), toRule(op.getPermutation())));
}

RuleResult ConcatenationOp::inferTypes(Adaptor op) {
  llvm::SmallVector<rt::TensorType> inputs = llvm::map_to_vector(
      op.getInputs(), [](mlir::Value value) { return typeOf(value); });
  return single(rt::concatenation(inputs, int64_t(op.getAxis())));
}

rt::Status SplitOp::checkOutputs(Adaptor op,
                                 llvm::ArrayRef<rt::TensorType> outputs) {
  NNHAL_ASSIGN_OR_RETURN(rt::TensorType part,
                         rt::split(typeOf(op.getInput()), int64_t(op.getAxis()),
                                   int64_t(outputs.size())));
  for (auto [index, output] : llvm::enumerate(outputs))
    NNHAL_RETURN_IF_ERROR(
        rt::checkStated(part, output, fmt::format("result {}", index)));
  return rt::Status::ok();
}

RuleResult SliceOp::inferTypes(Adaptor op) {
  return single(rt::slice(typeOf(op.getInput()), toRule(op.getBegin()),
                          toRule(op.getSize())));
}

RuleResult StridedSliceOp::inferTypes(Adaptor op) {
  return single(rt::stridedSlice(typeOf(op.getInput()), toRule(op.getBegin()),
                                 toRule(op.getEnd()), toRule(op.getStrides()),
                                 toRule(op.getShrinkAxes())));
}

RuleResult PadOp::inferTypes(Adaptor op) {
  return single(rt::pad(typeOf(op.getInput()), toRule(op.getPaddings())));
}

RuleResult PadV2Op::inferTypes(Adaptor op) {
  rt::TensorType input = typeOf(op.getInput());
  NNHAL_RETURN_IF_ERROR(
      rt::checkFillValue(input, llvm::isa<mlir::FloatAttr>(op.getValue())));
  return single(rt::pad(input, toRule(op.getPaddings())));
}

RuleResult TileOp::inferTypes(Adaptor op) {
  return single(rt::tile(typeOf(op.getInput()), toRule(op.getMultiples())));
}

RuleResult GatherOp::inferTypes(Adaptor op) {
  return single(rt::gather(typeOf(op.getInput()), typeOf(op.getIndices()),
                           int64_t(op.getAxis())));
}

rt::Status FillOp::checkOutputs(Adaptor op,
                                llvm::ArrayRef<rt::TensorType> outputs) {
  return rt::checkFill(outputs.front(),
                       llvm::isa<mlir::FloatAttr>(op.getValue()));
}

RuleResult ChannelShuffleOp::inferTypes(Adaptor op) {
  return single(rt::channelShuffle(
      typeOf(op.getInput()), int64_t(op.getGroups()), int64_t(op.getAxis())));
}

RuleResult DepthToSpaceOp::inferTypes(Adaptor op) {
  return single(
      rt::depthToSpace(typeOf(op.getInput()), int64_t(op.getBlockSize())));
}

RuleResult SpaceToDepthOp::inferTypes(Adaptor op) {
  return single(
      rt::spaceToDepth(typeOf(op.getInput()), int64_t(op.getBlockSize())));
}

RuleResult BatchToSpaceNDOp::inferTypes(Adaptor op) {
  return single(
      rt::batchToSpace(typeOf(op.getInput()), toRule(op.getBlockShape())));
}

RuleResult SpaceToBatchNDOp::inferTypes(Adaptor op) {
  NNHAL_ASSIGN_OR_RETURN(rt::Pads2D pads, rt::pads2D(toRule(op.getPads())));
  return single(rt::spaceToBatch(typeOf(op.getInput()),
                                 toRule(op.getBlockShape()), pads));
}
