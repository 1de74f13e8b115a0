//===- Weights.cpp - Constants that rewrites rearrange --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;
using namespace nnhal;

bool nnhal::hasElements(RankedTensorType type) {
  return type.hasStaticShape() && type.getNumElements() > 0;
}

ByteForm nnhal::byteFormOf(const rt::TensorType &type) {
  return {type.type == rt::OperandType::TENSOR_QUANT8_ASYMM, type.zeroPoint};
}

ArrayRef<char> nnhal::storedBytes(const rt::OperandView &operand) {
  std::span<const std::byte> value = *operand.value;
  return {reinterpret_cast<const char *>(value.data()), value.size()};
}

std::optional<ConstantWeights> ConstantWeights::of(Value value) {
  ElementsAttr attribute = foldedConstantOf(value);
  if (!attribute)
    return std::nullopt;
  std::optional<ConstantBytes> bytes = ConstantBytes::of(attribute);
  if (!bytes)
    return std::nullopt;
  return ConstantWeights{attribute, std::move(*bytes)};
}

Value ConstantWeights::replace(PatternRewriter &rewriter, Location location,
                               RankedTensorType type, ArrayRef<char> rearranged,
                               StringRef suffix) const {
  auto storageType = cast<RankedTensorType>(storageTypeOf(type));
  return ConstantOp::create(
      rewriter, location, type,
      makeResource(storageType, rearranged, attribute, "weights", suffix));
}

Type nnhal::selectChannels(Type element, ArrayRef<int64_t> channels,
                           int32_t dimension) {
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element);
  if (!perAxis)
    return element;
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  for (int64_t channel : channels) {
    scales.push_back(perAxis.getScales()[size_t(channel)]);
    zeroPoints.push_back(perAxis.getZeroPoints()[size_t(channel)]);
  }
  return quant::UniformQuantizedPerAxisType::get(
      perAxis.getFlags(), perAxis.getStorageType(), perAxis.getExpressedType(),
      scales, zeroPoints, dimension, perAxis.getStorageTypeMin(),
      perAxis.getStorageTypeMax());
}
