//===- Padding.cpp - Zeros behind elements --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Padding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;

Value tflite::paddedTo(ImplicitLocOpBuilder &b, Value value,
                       ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  SmallVector<OpFoldResult> low(shape.size(), b.getIndexAttr(0)), high;
  for (auto [extent, given] : llvm::zip_equal(shape, type.getShape()))
    high.push_back(b.getIndexAttr(extent - given));
  Type element = type.getElementType();
  Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(element, 0));
  return tensor::PadOp::create(b, RankedTensorType::get(shape, element), value,
                               low, high, zero)
      .getResult();
}
