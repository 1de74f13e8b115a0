//===- Constant.cpp - Constants of the canonical level --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

using namespace nnhal;

/// What a constant of \p type stores per element.
static mlir::Type storageOf(mlir::Type element) {
  mlir::Type storage = storageTypeOf(element);
  return storage ? storage : element;
}

llvm::LogicalResult ConstantOp::verify() {
  mlir::ShapedType value = getValue().getShapedType();
  mlir::RankedTensorType output = getOutput().getType();
  if (value.getShape() != output.getShape())
    return emitOpError("value of type ")
           << value << " does not have the shape of the result type " << output;
  mlir::Type storage = storageOf(output.getElementType());
  if (value.getElementType() != storage)
    return emitOpError("value has elements of type ")
           << value.getElementType() << ", the result stores " << storage;
  return mlir::success();
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }
