//===- TensorBuilder.cpp - Tensors made of tensors ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorBuilder.h"

#include "ConstantData.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace nnhal;

/// The type and the open extents of a tensor of \p extents.
static RankedTensorType typeOfExtents(Indices extents, Type element,
                                      SmallVectorImpl<Value> &open) {
  SmallVector<int64_t> shape;
  for (Scalar extent : extents) {
    shape.push_back(extent.known().value_or(ShapedType::kDynamic));
    if (shape.back() < 0) {
      shape.back() = ShapedType::kDynamic;
      open.push_back(extent);
    }
  }
  return RankedTensorType::get(shape, element);
}

static Type storageElementOf(ImplicitLocOpBuilder &builder,
                             const rt::TensorType &type) {
  switch (type.type) {
  case rt::OperandType::TENSOR_FLOAT32:
    return builder.getF32Type();
  case rt::OperandType::TENSOR_FLOAT16:
    return builder.getF16Type();
  case rt::OperandType::TENSOR_INT32:
    return builder.getI32Type();
  case rt::OperandType::TENSOR_QUANT16_ASYMM:
  case rt::OperandType::TENSOR_QUANT16_SYMM:
    return builder.getIntegerType(16);
  default:
    return builder.getI8Type();
  }
}

RankedTensorType TensorBuilder::valueType(const rt::TensorType &type) {
  SmallVector<int64_t> shape;
  for (int64_t extent : type.dimensions)
    shape.push_back(extent == rt::unknownExtent ? ShapedType::kDynamic
                                                : extent);
  return RankedTensorType::get(shape, storageElementOf(builder, type));
}

Tensor TensorBuilder::define(const rt::TensorType &type, Indices extents,
                             ElementBuilder element) {
  return {builder,
          define(storageElementOf(builder, type), extents, element).get(),
          type};
}

namespace {
/// The indices of a body that is being built. Those that are not needed in the
/// end, since operands are read by them, leave nothing behind.
class BodyIndices {
public:
  BodyIndices(ImplicitLocOpBuilder &builder, RankedTensorType loops) {
    // The rewriter, which must know what is erased, need not know these.
    OpBuilder body(builder.getContext());
    body.setInsertionPointToStart(builder.getInsertionBlock());
    for (int64_t i = 0; i < loops.getRank(); ++i)
      indices.emplace_back(
          builder,
          loops.getDimSize(i) == 1
              ? Value(arith::ConstantIndexOp::create(body, builder.getLoc(), 0))
              : Value(linalg::IndexOp::create(body, builder.getLoc(), i)));
  }
  BodyIndices(const BodyIndices &) = delete;
  BodyIndices &operator=(const BodyIndices &) = delete;
  ~BodyIndices() {
    for (Scalar index : indices)
      if (index.get().use_empty())
        index.get().getDefiningOp()->erase();
  }

  Indices get() const { return indices; }

private:
  SmallVector<Scalar> indices;
};
} // namespace

Tensor TensorBuilder::define(Type elementType, Indices extents,
                             ElementBuilder element) {
  SmallVector<Value> open;
  RankedTensorType valueType = typeOfExtents(extents, elementType, open);
  Value init = tensor::EmptyOp::create(builder, valueType, open);
  int64_t rank = valueType.getRank();
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  AffineMap map = builder.getMultiDimIdentityMap(rank);
  auto generic =
      linalg::GenericOp::create(builder, TypeRange(valueType), ValueRange(),
                                ValueRange(init), ArrayRef(map), iterators);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&generic.getRegion(), /*insertPt=*/{}, elementType,
                      builder.getLoc());
  BodyIndices indices(builder, valueType);
  linalg::YieldOp::create(builder, ValueRange(element(indices.get()).get()));
  return {builder, generic.getResult(0), {}};
}

Tensor TensorBuilder::undefined(const rt::TensorType &type, Indices extents) {
  SmallVector<Value> open;
  RankedTensorType valueType =
      typeOfExtents(extents, storageElementOf(builder, type), open);
  return {builder, tensor::EmptyOp::create(builder, valueType, open), type};
}

Tensor TensorBuilder::reserve(const rt::TensorType &type, Indices extents) {
  SmallVector<Value> open;
  RankedTensorType valueType =
      typeOfExtents(extents, storageElementOf(builder, type), open);
  // Not tensor.empty: equal ones are merged, and bufferization then gives one
  // buffer to two tensors that a loop carries.
  return {builder,
          bufferization::AllocTensorOp::create(builder, valueType, open), type};
}

/// Constants where they are known.
static SmallVector<OpFoldResult> foldable(Indices values) {
  SmallVector<OpFoldResult> result;
  for (Scalar value : values)
    result.push_back(getAsOpFoldResult(value.get()));
  return result;
}

Tensor TensorBuilder::insert(const Tensor &part, const Tensor &target,
                             Indices offsets, Indices strides) {
  SmallVector<Scalar> sizes = part.extents();
  // The verifier takes the end of a dimension for out of bounds.
  if (llvm::any_of(sizes, [](Scalar size) { return size.known() == 0; }))
    return target;
  SmallVector<OpFoldResult> steps = foldable(strides);
  steps.resize(sizes.size(), builder.getIndexAttr(1));
  return {builder,
          tensor::InsertSliceOp::create(builder, part.get(), target.get(),
                                        foldable(offsets), foldable(sizes),
                                        steps),
          target.getType()};
}

Tensor TensorBuilder::insert(Scalar element, const Tensor &tensor,
                             Indices indices) {
  SmallVector<Value> values(indices.begin(), indices.end());
  return {builder,
          tensor::InsertOp::create(builder, element, tensor.get(), values),
          tensor.getType()};
}

Tensor TensorBuilder::copy(const Tensor &source, const Tensor &target) {
  auto copy = linalg::CopyOp::create(builder, source.get(), target.get());
  return {builder, copy->getResult(0), target.getType()};
}

Tensor TensorBuilder::slice(const Tensor &source, Indices offsets,
                            Indices extents, Indices strides) {
  SmallVector<OpFoldResult> steps = foldable(strides);
  steps.resize(extents.size(), builder.getIndexAttr(1));
  return {builder,
          tensor::ExtractSliceOp::create(builder, source.get(),
                                         foldable(offsets), foldable(extents),
                                         steps),
          source.getType()};
}

Tensor TensorBuilder::filled(const rt::TensorType &type, Indices extents,
                             Scalar element) {
  Tensor init = undefined(type, extents);
  return {
      builder,
      linalg::FillOp::create(builder, element.get(), init.get()).getResult(0),
      type};
}

Tensor TensorBuilder::transpose(const Tensor &source,
                                ArrayRef<int64_t> permutation) {
  SmallVector<Scalar> extents;
  for (int64_t dim : permutation)
    extents.push_back(source.extent(dim));
  SmallVector<Value> open;
  RankedTensorType type =
      typeOfExtents(extents, source.getValueType().getElementType(), open);
  Value init = tensor::EmptyOp::create(builder, type, open);
  return {builder,
          linalg::TransposeOp::create(builder, source.get(), init, permutation)
              ->getResult(0),
          source.getType()};
}

SmallVector<Tensor> TensorBuilder::reduce(const Tensor &source,
                                          ArrayRef<bool> isReduced,
                                          ArrayRef<Scalar> initial,
                                          Accumulator body) {
  RankedTensorType sourceType = source.getValueType();
  SmallVector<Scalar> extents;
  SmallVector<AffineExpr> kept;
  SmallVector<utils::IteratorType> iterators;
  for (auto [dim, reduced] : llvm::enumerate(isReduced)) {
    iterators.push_back(reduced ? utils::IteratorType::reduction
                                : utils::IteratorType::parallel);
    if (reduced)
      continue;
    kept.push_back(builder.getAffineDimExpr(dim));
    extents.push_back(source.extent(dim));
  }
  SmallVector<Value> inits;
  SmallVector<Type> elements;
  for (Scalar first : initial) {
    SmallVector<Value> open;
    elements.push_back(first.getType());
    RankedTensorType type = typeOfExtents(extents, first.getType(), open);
    Value empty = tensor::EmptyOp::create(builder, type, open);
    inits.push_back(
        linalg::FillOp::create(builder, first.get(), empty).getResult(0));
  }
  int64_t rank = sourceType.getRank();
  SmallVector<AffineMap> maps(
      inits.size() + 1, AffineMap::get(rank, 0, kept, builder.getContext()));
  maps.front() = builder.getMultiDimIdentityMap(rank);
  auto generic =
      linalg::GenericOp::create(builder, TypeRange(ValueRange(inits)),
                                source.get(), inits, maps, iterators);
  SmallVector<Type> arguments = {sourceType.getElementType()};
  llvm::append_range(arguments, elements);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(
      &generic.getRegion(), /*insertPt=*/{}, arguments,
      SmallVector<Location>(arguments.size(), builder.getLoc()));
  BodyIndices indices(builder, sourceType);
  SmallVector<Scalar> values;
  for (Value value : block->getArguments().take_back(inits.size()))
    values.emplace_back(builder, value);
  SmallVector<Value> yielded;
  for (Scalar next : body(indices.get(), values))
    yielded.push_back(next);
  linalg::YieldOp::create(builder, yielded);
  SmallVector<Tensor> results;
  for (Value result : generic.getResults())
    results.emplace_back(builder, result, rt::TensorType());
  return results;
}

/// The elements of \p value in \p shape, of as many.
static Value buildReshape(ImplicitLocOpBuilder &builder, Value value,
                          ArrayRef<int64_t> shape) {
  auto source = cast<RankedTensorType>(value.getType());
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

Tensor TensorBuilder::reshape(Tensor source, Indices extents) {
  SmallVector<Value> open;
  RankedTensorType type =
      typeOfExtents(extents, source.getValueType().getElementType(), open);
  if (type == source.getValueType() && type.hasStaticShape())
    return source;
  RankedTensorType from = source.getValueType();
  if (type.hasStaticShape() && from.hasStaticShape()) {
    // A check has stopped the execution where the numbers differ.
    Value same = type.getNumElements() == from.getNumElements()
                     ? buildReshape(builder, source.get(), type.getShape())
                     : tensor::EmptyOp::create(builder, type, ValueRange());
    return {builder, same, source.getType()};
  }
  // Not of index, which has no size before LLVM.
  SmallVector<Value> shape;
  for (Scalar extent : extents)
    shape.push_back(extent.toI64());
  auto shapeType =
      RankedTensorType::get({type.getRank()}, builder.getI64Type());
  Value shapeValue = tensor::FromElementsOp::create(builder, shapeType, shape);
  return {builder,
          tensor::ReshapeOp::create(builder, type, source.get(), shapeValue),
          source.getType()};
}

Value TensorBuilder::constantResource(RankedTensorType type,
                                      ArrayRef<char> bytes, StringRef name) {
  ElementsAttr value =
      makeResource(type, bytes, /*source=*/{}, name, /*suffix=*/"");
  return arith::ConstantOp::create(builder, cast<TypedAttr>(value));
}
