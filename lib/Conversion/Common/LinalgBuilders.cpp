//===- LinalgBuilders.cpp - Short forms for building linalg ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgBuilders.h"

#include "Scalar.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace nnhal;

Value nnhal::scalarConstant(ImplicitLocOpBuilder &builder, Type type,
                            double value) {
  return Scalar::constant(builder, type, value);
}

Value nnhal::larger(ImplicitLocOpBuilder &builder, Value lhs, Value rhs) {
  return max(Scalar(builder, lhs), Scalar(builder, rhs));
}

Value nnhal::smaller(ImplicitLocOpBuilder &builder, Value lhs, Value rhs) {
  return min(Scalar(builder, lhs), Scalar(builder, rhs));
}

AffineMap nnhal::broadcastMap(RankedTensorType operand,
                              RankedTensorType result) {
  MLIRContext *context = operand.getContext();
  int64_t missing = result.getRank() - operand.getRank();
  SmallVector<AffineExpr> expressions;
  for (int64_t i = 0; i < operand.getRank(); ++i) {
    bool isBroadcast =
        operand.getDimSize(i) == 1 && result.getDimSize(i + missing) != 1;
    expressions.push_back(isBroadcast ? getAffineConstantExpr(0, context)
                                      : getAffineDimExpr(i + missing, context));
  }
  return AffineMap::get(result.getRank(), 0, expressions, context);
}

static Value buildGeneric(ImplicitLocOpBuilder &builder, ValueRange inputs,
                          Value init, ArrayRef<AffineMap> maps,
                          ArrayRef<utils::IteratorType> iterators,
                          BodyBuilder body) {
  auto generic = linalg::GenericOp::create(
      builder, TypeRange(init.getType()), inputs, ValueRange(init), maps,
      iterators,
      [&](OpBuilder &nested, Location location, ValueRange elements) {
        ImplicitLocOpBuilder bodyBuilder(location, nested);
        Value result = body(bodyBuilder, elements);
        linalg::YieldOp::create(bodyBuilder, result);
      });
  return generic.getResult(0);
}

Value nnhal::buildElementwiseInto(ImplicitLocOpBuilder &builder, Value init,
                                  ValueRange inputs, BodyBuilder body) {
  RankedTensorType type = rankedType(init);
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(broadcastMap(rankedType(input), type));
  maps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return buildGeneric(builder, inputs, init, maps, iterators, body);
}

Value nnhal::buildElementwise(ImplicitLocOpBuilder &builder,
                              RankedTensorType type, ValueRange inputs,
                              BodyBuilder body) {
  Value init =
      tensor::EmptyOp::create(builder, type.getShape(), type.getElementType());
  return buildElementwiseInto(builder, init, inputs, body);
}

Value nnhal::buildFilled(ImplicitLocOpBuilder &builder, RankedTensorType type,
                         Value value) {
  Value init =
      tensor::EmptyOp::create(builder, type.getShape(), type.getElementType());
  return linalg::FillOp::create(builder, value, init).getResult(0);
}

Value nnhal::buildReduction(ImplicitLocOpBuilder &builder, Value input,
                            ArrayRef<int64_t> axes, Value identity,
                            BodyBuilder body) {
  RankedTensorType type = rankedType(input);
  SmallVector<AffineExpr> kept;
  SmallVector<int64_t> shape;
  SmallVector<utils::IteratorType> iterators;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    bool isReduced = llvm::is_contained(axes, i);
    iterators.push_back(isReduced ? utils::IteratorType::reduction
                                  : utils::IteratorType::parallel);
    if (isReduced)
      continue;
    kept.push_back(builder.getAffineDimExpr(i));
    shape.push_back(type.getDimSize(i));
  }
  AffineMap maps[] = {
      builder.getMultiDimIdentityMap(type.getRank()),
      AffineMap::get(type.getRank(), 0, kept, builder.getContext())};
  Value init = buildFilled(
      builder, RankedTensorType::get(shape, type.getElementType()), identity);
  return buildGeneric(builder, input, init, maps, iterators, body);
}

Value nnhal::buildReshape(ImplicitLocOpBuilder &builder, Value value,
                          ArrayRef<int64_t> shape) {
  RankedTensorType source = rankedType(value);
  auto target = RankedTensorType::get(shape, source.getElementType());
  if (source == target)
    return value;
  // Nothing to carry over, and extents of 0 leave no unique grouping.
  if (target.hasStaticShape() && target.getNumElements() == 0)
    return tensor::EmptyOp::create(builder, shape, source.getElementType());
  // Rank 0 belongs to no group of dimensions.
  ArrayRef<ReassociationIndices> noGroups;
  if (source.getRank() == 0)
    return tensor::ExpandShapeOp::create(builder, target, value, noGroups);
  if (target.getRank() == 0)
    return tensor::CollapseShapeOp::create(builder, target, value, noGroups);
  if (source.getRank() != target.getRank())
    if (auto groups = getReassociationIndicesForReshape(source, target)) {
      if (source.getRank() > target.getRank())
        return tensor::CollapseShapeOp::create(builder, target, value, *groups);
      return tensor::ExpandShapeOp::create(builder, target, value, *groups);
    }
  // Through one dimension, which every shape collapses to and expands from.
  int64_t count = source.getNumElements();
  return buildReshape(builder, buildReshape(builder, value, count), shape);
}

Value nnhal::buildTranspose(ImplicitLocOpBuilder &builder, Value value,
                            ArrayRef<int64_t> permutation) {
  RankedTensorType type = rankedType(value);
  SmallVector<int64_t> shape;
  for (int64_t source : permutation)
    shape.push_back(type.getDimSize(source));
  Value init = tensor::EmptyOp::create(builder, shape, type.getElementType());
  return linalg::TransposeOp::create(builder, value, init, permutation)
      ->getResult(0);
}

Value nnhal::buildInsert(ImplicitLocOpBuilder &builder, Value source,
                         Value target, ArrayRef<int64_t> offsets) {
  RankedTensorType type = rankedType(source);
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  return tensor::InsertSliceOp::create(
      builder, source, target,
      getAsIndexOpFoldResult(builder.getContext(), offsets),
      getAsIndexOpFoldResult(builder.getContext(), type.getShape()), strides);
}

Value nnhal::buildExtract(ImplicitLocOpBuilder &builder, Value source,
                          ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                          ArrayRef<int64_t> strides) {
  MLIRContext *context = builder.getContext();
  return tensor::ExtractSliceOp::create(
      builder, source, getAsIndexOpFoldResult(context, offsets),
      getAsIndexOpFoldResult(context, sizes),
      getAsIndexOpFoldResult(context, strides));
}

Value nnhal::buildPadded(ImplicitLocOpBuilder &builder, Value value,
                         ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                         Value fill) {
  RankedTensorType type = rankedType(value);
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < type.getRank(); ++i)
    shape.push_back(low[i] + type.getDimSize(i) + high[i]);
  // Not tensor.pad: its bufferization copies, while a producer can write
  // straight into the slice of a filled tensor.
  Value filled = buildFilled(
      builder, RankedTensorType::get(shape, type.getElementType()), fill);
  return buildInsert(builder, value, filled, low);
}
