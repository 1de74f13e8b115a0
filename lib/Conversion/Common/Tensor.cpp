//===- Tensor.cpp - Tensors and what their elements mean ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include "ReadMap.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;
using rt::OperandType;

Tensor::Tensor(ImplicitLocOpBuilder &builder, Value value, rt::TensorType type)
    : builder(&builder), value(value), type(std::move(type)) {}

bool Tensor::isFloat() const {
  return isa<FloatType>(getValueType().getElementType());
}

bool Tensor::isQuantized() const { return rt::isQuantized(type.type); }

Scalar Tensor::extent(int64_t dimension) const {
  if (!value)
    return Scalar::index(*builder, 0);
  int64_t extent = getValueType().getDimSize(dimension);
  if (!ShapedType::isDynamic(extent))
    return Scalar::index(*builder, extent);
  return {*builder,
          builder->createOrFold<tensor::DimOp>(
              value, arith::ConstantIndexOp::create(*builder, dimension))};
}

SmallVector<Scalar> Tensor::extents() const {
  SmallVector<Scalar> result;
  for (int64_t i = 0; i < rank(); ++i)
    result.push_back(extent(i));
  return result;
}

Scalar Tensor::count() const {
  Scalar product = Scalar::index(*builder, 1);
  for (Scalar extent : extents())
    product = product * extent;
  return product;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The element of \p input that \p generic, whose body is being built, reads by
/// \p map: an operand is added for it. Null where there is none and extents are
/// unknown, since nothing says then that they are those of the loops.
static Value elementOf(linalg::GenericOp generic, Value input, AffineMap map) {
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  unsigned count = generic.getNumDpsInputs();
  for (unsigned i = 0; i < count; ++i)
    if (generic.getDpsInputOperand(i)->get() == input && maps[i] == map)
      return generic.getBody()->getArgument(i);
  if (!cast<RankedTensorType>(input.getType()).hasStaticShape())
    return {};
  maps.insert(maps.begin() + count, map);
  generic.getInputsMutable().append(input);
  generic.setIndexingMapsAttr(
      Builder(generic.getContext()).getAffineMapArrayAttr(maps));
  return generic.getBody()->insertArgument(count, getElementTypeOrSelf(input),
                                           generic.getLoc());
}

/// The operation of loops whose body \p builder builds, outside of loops and
/// branches in it; null elsewhere.
static linalg::GenericOp bodyBeingBuilt(const OpBuilder &builder) {
  return dyn_cast_if_present<linalg::GenericOp>(
      builder.getInsertionBlock()->getParentOp());
}

/// Whether \p value is defined in \p body or deeper. A loop around both may
/// still be in the making, so that its region has no parent.
static bool isDefinedIn(Region &body, Value value) {
  Region *region = value.getParentRegion();
  while (region && region != &body) {
    Operation *parent = region->getParentOp();
    region = parent ? parent->getParentRegion() : nullptr;
  }
  return region != nullptr;
}

Scalar Tensor::stored(Indices indices) const {
  SmallVector<Value> values(indices.begin(), indices.end());
  linalg::GenericOp body = bodyBeingBuilt(*builder);
  bool isOutside = body && !isDefinedIn(body.getRegion(), value);
  if (isOutside)
    if (AffineMap map = mapOfRead(body, getValueType(), values))
      if (Value element = elementOf(body, value, map))
        return {*builder, element};
  return {*builder, tensor::ExtractOp::create(*builder, value, values)};
}

Scalar Tensor::integer(Indices indices) const {
  if (!value)
    return Scalar::integer(*builder, builder->getI32Type(), 0);
  Scalar element = stored(indices);
  switch (type.type) {
  case OperandType::TENSOR_BOOL8:
  case OperandType::TENSOR_QUANT8_ASYMM:
  case OperandType::TENSOR_QUANT16_ASYMM:
    return element.zeroExtended(builder->getI32Type());
  default:
    return element.toI32();
  }
}

Scalar Tensor::centered(Indices indices) const {
  Scalar element = integer(indices);
  return type.zeroPoint == 0 ? element : element - type.zeroPoint;
}

Scalar Tensor::truth(Indices indices) const { return stored(indices) != 0.0; }

Scalar Tensor::real(Indices indices) const {
  if (!value)
    return Scalar::constant(*builder, builder->getF32Type(), 0);
  if (isFloat())
    return stored(indices).toF32();
  Scalar element = centered(indices).toF32();
  const rt::SymmPerChannelQuantParams &channels = type.channelQuant;
  if (channels.scales.empty())
    return isQuantized() ? element * type.scale : element;
  auto tableType = RankedTensorType::get({int64_t(channels.scales.size())},
                                         builder->getF32Type());
  auto scales = DenseElementsAttr::get(
      tableType,
      ArrayRef<float>(channels.scales.data(), channels.scales.size()));
  rt::TensorType real;
  real.type = OperandType::TENSOR_FLOAT32;
  Value table;
  {
    // In front of the loops, which then walk over it.
    OpBuilder::InsertionGuard guard(*builder);
    if (linalg::GenericOp body = bodyBeingBuilt(*builder))
      builder->setInsertionPoint(body);
    table = arith::ConstantOp::create(*builder, scales);
  }
  return element *
         Tensor(*builder, table, real).stored({indices[channels.channelDim]});
}
