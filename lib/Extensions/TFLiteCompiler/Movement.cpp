//===- Movement.cpp - Operators that move elements ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tflite.reshape, slice, transpose, concatenate and pad -> operations of tensor
// and linalg, which bufferization turns to views where it can.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Lowering.h"
#include "TFLiteDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// All dimensions as one group.
SmallVector<ReassociationIndices> oneGroup(int64_t rank) {
  ReassociationIndices all;
  for (int64_t axis = 0; axis < rank; ++axis)
    all.push_back(axis);
  return {all};
}

} // namespace

Value tflite::reshaped(ImplicitLocOpBuilder &b, Value value,
                       ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  auto result = RankedTensorType::get(shape, type.getElementType());
  // A tensor without dimensions has no group of them.
  if (type.getRank() == 0 && !shape.empty())
    return tensor::ExpandShapeOp::create(b, result, value,
                                         ArrayRef<ReassociationIndices>());
  if (type.getRank() > 0 && shape.empty())
    return tensor::CollapseShapeOp::create(b, result, value,
                                           ArrayRef<ReassociationIndices>());
  if (type.getRank() > 1)
    value = tensor::CollapseShapeOp::create(b, value, oneGroup(type.getRank()));
  if (result.getRank() > 1)
    value = tensor::ExpandShapeOp::create(b, result, value,
                                          oneGroup(result.getRank()));
  return value;
}

template <>
Value tflite::TensorLowering<tflite::ReshapeOp>::lower(
    ImplicitLocOpBuilder &b, tflite::ReshapeOp, tflite::ReshapeOpAdaptor from,
    RankedTensorType result) {
  return reshaped(b, from.getInput(), result.getShape());
}

/// \p value with the order of elements reversed along dimensions that
/// \p isReversed marks.
static Value reversed(ImplicitLocOpBuilder &b, Value value,
                      ArrayRef<bool> isReversed) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<AffineExpr> places;
  for (auto [axis, extent] : llvm::enumerate(type.getShape())) {
    AffineExpr place = b.getAffineDimExpr(unsigned(axis));
    places.push_back(isReversed[axis] && extent > 1 ? extent - 1 - place
                                                    : place);
  }
  auto rank = unsigned(type.getRank());
  return mapElements(b, type, value,
                     {AffineMap::get(rank, 0, places, b.getContext())},
                     [](Elements &, ValueRange x) { return x.front(); });
}

template <>
Value tflite::TensorLowering<tflite::SliceOp>::lower(
    ImplicitLocOpBuilder &b, tflite::SliceOp op, tflite::SliceOpAdaptor from,
    RankedTensorType result) {
  // Upstream's slices begin at an element, even where they have none.
  if (result.getNumElements() == 0)
    return tensor::EmptyOp::create(b, result.getShape(),
                                   result.getElementType());
  SmallVector<OpFoldResult> offsets, sizes, strides;
  SmallVector<bool> isReversed;
  for (auto [offset, stride, size] :
       llvm::zip(op.getOffsets(), op.getStrides(), result.getShape())) {
    isReversed.push_back(stride < 0);
    offsets.push_back(
        b.getIndexAttr(stride < 0 ? offset + stride * (size - 1) : offset));
    sizes.push_back(b.getIndexAttr(size));
    strides.push_back(b.getIndexAttr(std::abs(stride)));
  }
  Value value = from.getInput();
  if (shapeOf(value) != result.getShape())
    value = tensor::ExtractSliceOp::create(b, value, offsets, sizes, strides);
  return llvm::is_contained(isReversed, true) ? reversed(b, value, isReversed)
                                              : value;
}

template <>
Value tflite::TensorLowering<tflite::TransposeOp>::lower(
    ImplicitLocOpBuilder &b, tflite::TransposeOp op,
    tflite::TransposeOpAdaptor from, RankedTensorType result) {
  Value init =
      tensor::EmptyOp::create(b, result.getShape(), result.getElementType());
  return linalg::TransposeOp::create(b, from.getInput(), init,
                                     op.getPermutation())
      ->getResult(0);
}

/// \p target with the elements of \p part from \p offsets on.
static Value inserted(ImplicitLocOpBuilder &b, Value part, Value target,
                      ArrayRef<int64_t> offsets) {
  if (llvm::is_contained(shapeOf(part), 0))
    return target;
  SmallVector<OpFoldResult> places, sizes,
      strides(offsets.size(), b.getIndexAttr(1));
  for (auto [offset, size] : llvm::zip(offsets, shapeOf(part))) {
    places.push_back(b.getIndexAttr(offset));
    sizes.push_back(b.getIndexAttr(size));
  }
  return tensor::InsertSliceOp::create(b, part, target, places, sizes, strides);
}

template <>
Value tflite::TensorLowering<tflite::ConcatenateOp>::lower(
    ImplicitLocOpBuilder &b, tflite::ConcatenateOp op,
    tflite::ConcatenateOpAdaptor from, RankedTensorType result) {
  Value value =
      tensor::EmptyOp::create(b, result.getShape(), result.getElementType());
  SmallVector<int64_t> offsets(size_t(result.getRank()), 0);
  for (Value part : from.getInputs()) {
    value = inserted(b, part, value, offsets);
    offsets[op.getAxis()] += shapeOf(part)[op.getAxis()];
  }
  return value;
}

template <>
Value tflite::TensorLowering<tflite::PadOp>::lower(ImplicitLocOpBuilder &b,
                                                   tflite::PadOp op,
                                                   tflite::PadOpAdaptor from,
                                                   RankedTensorType result) {
  Type element = result.getElementType();
  Value padding;
  if (from.getValue()) {
    Value first = arith::ConstantIndexOp::create(b, 0);
    padding = tensor::ExtractOp::create(
        b, from.getValue(),
        SmallVector<Value>(shapeOf(from.getValue()).size(), first));
  } else {
    TypedAttr zero = cast<TypedAttr>(b.getZeroAttr(element));
    auto quantized = dyn_cast<quant::UniformQuantizedType>(
        op.getResult().getType().getElementType());
    // Quantized bytes are padded with what stands for 0.
    if (quantized && element.isInteger(8))
      zero =
          b.getIntegerAttr(element, APInt(8, uint64_t(quantized.getZeroPoint()),
                                          /*isSigned=*/false,
                                          /*implicitTrunc=*/true));
    padding = arith::ConstantOp::create(b, zero);
  }
  return inserted(b, from.getInput(), filled(b, result.getShape(), padding),
                  op.getLow());
}

void tflite::populateMovementLowering(const TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns
      .add<TensorLowering<tflite::ReshapeOp>, TensorLowering<tflite::SliceOp>,
           TensorLowering<tflite::TransposeOp>, TensorLowering<ConcatenateOp>,
           TensorLowering<tflite::PadOp>>(converter, patterns.getContext());
}
