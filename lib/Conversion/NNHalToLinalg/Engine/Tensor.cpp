//===- Tensor.cpp - Tensors and what their elements mean ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationLowering.h"

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

Scalar Tensor::stored(Indices indices) const {
  SmallVector<Value> values(indices.begin(), indices.end());
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
  Value table = arith::ConstantOp::create(*builder, scales);
  Scalar scale(*builder, tensor::ExtractOp::create(
                             *builder, table,
                             ValueRange{indices[channels.channelDim].get()}));
  return element * scale;
}
