//===- Products.cpp - Sums of products of integers ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include "SumRounding.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;

static ArrayRef<int64_t> extentsOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

Value tflite::padded(ImplicitLocOpBuilder &b, Value image,
                     const std::array<int64_t, 4> &pads) {
  auto [top, bottom, left, right] = pads;
  if (top == 0 && bottom == 0 && left == 0 && right == 0)
    return image;
  auto type = cast<RankedTensorType>(image.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[1] += top + bottom;
  shape[2] += left + right;
  auto around = [&](ArrayRef<int64_t> numbers) {
    return getAsIndexOpFoldResult(b.getContext(), numbers);
  };
  Value zero =
      arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(b, type.clone(shape), image,
                               around({0, top, left, 0}),
                               around({0, bottom, right, 0}), zero)
      .getResult();
}

Value tflite::sumProducts(ImplicitLocOpBuilder &b, Value image, Value filter,
                          ArrayRef<int32_t> first, ArrayRef<int64_t> shape,
                          const ProductWindow &window) {
  Value empty = tensor::EmptyOp::create(b, shape, b.getI32Type());
  Value init = linalg::BroadcastOp::create(b, channelTable(b, first), empty,
                                           ArrayRef<int64_t>{0, 1, 2})
                   ->getResult(0);
  return linalg::Conv2DNhwcFhwcOp::create(
             b, TypeRange(init.getType()),
             ValueRange{padded(b, image, window.pads), filter},
             ValueRange(init), b.getI64TensorAttr(window.strides),
             b.getI64TensorAttr(window.dilations))
      .getResult(0);
}

Value tflite::sumProductsOfRows(ImplicitLocOpBuilder &b, Value matrix,
                                Value filter, ArrayRef<int32_t> first) {
  const int64_t ones[] = {1, 1};
  return sumProducts(b, matrix, filter, first,
                     {1, 1, extentsOf(matrix)[2], extentsOf(filter)[0]},
                     {ones, ones, /*pads=*/{}});
}
