//===- RuleAdapter.cpp - From operations to rules -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleAdapter.h"

#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

#include <fmt/format.h>

using namespace nnhal;
using mlir::quant::QuantizedType;

llvm::FailureOr<rt::TensorType> nnhal::toTensorType(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::TensorType>(type);
  if (!tensor)
    return mlir::failure();
  // Without extents: an operand does not tell 0 from unknown.
  rt::Result<rt::Operand> operand =
      operandOfType(mlir::UnrankedTensorType::get(tensor.getElementType()), {});
  if (!operand.isOk())
    return mlir::failure();
  rt::TensorType result = rt::TensorType::of(*operand);
  result.isRanked = tensor.hasRank();
  if (tensor.hasRank())
    for (int64_t extent : tensor.getShape())
      result.dimensions.push_back(
          mlir::ShapedType::isDynamic(extent) ? rt::unknownExtent : extent);
  return result;
}

/// The extents of \p type, which is ranked, as a builtin type has them.
static llvm::SmallVector<int64_t> builtinShape(const rt::TensorType &type) {
  llvm::SmallVector<int64_t> shape;
  for (int64_t extent : type.dimensions)
    shape.push_back(extent == rt::unknownExtent ? mlir::ShapedType::kDynamic
                                                : extent);
  return shape;
}

mlir::Type nnhal::fromTensorType(mlir::MLIRContext *context,
                                 const rt::TensorType &type) {
  if (type.isQuantizationFree)
    return {};
  rt::Operand operand;
  operand.type = type.type;
  operand.scale = type.scale;
  operand.zeroPoint = type.zeroPoint;
  if (!type.channelQuant.scales.empty())
    operand.extraParams = type.channelQuant;
  rt::Result<mlir::Type> unranked = typeOfOperand(context, operand, {});
  if (!unranked.isOk())
    return {};
  if (!type.isRanked)
    return *unranked;
  return mlir::RankedTensorType::get(builtinShape(type),
                                     mlir::getElementTypeOrSelf(*unranked));
}

mlir::Type nnhal::withKnownExtents(mlir::Type stated,
                                   llvm::ArrayRef<int64_t> shape) {
  auto tensor = llvm::dyn_cast<mlir::TensorType>(stated);
  if (!tensor)
    return stated;
  if (!tensor.hasRank())
    return mlir::RankedTensorType::get(shape, tensor.getElementType());
  if (tensor.getRank() != int64_t(shape.size()))
    return stated;
  llvm::SmallVector<int64_t> merged(tensor.getShape());
  for (auto [extent, known] : llvm::zip(merged, shape))
    if (mlir::ShapedType::isDynamic(extent))
      extent = known;
  return tensor.clone(merged);
}

mlir::Type nnhal::withInferredExtents(mlir::Type stated,
                                      const rt::TensorType &inferred) {
  if (!inferred.isRanked)
    return stated;
  return withKnownExtents(stated, builtinShape(inferred));
}

/// Equal, or quantized with the same storage.
static bool areCompatibleElements(mlir::Type lhs, mlir::Type rhs) {
  auto quantizedLhs = llvm::dyn_cast<QuantizedType>(lhs);
  auto quantizedRhs = llvm::dyn_cast<QuantizedType>(rhs);
  if (!quantizedLhs || !quantizedRhs)
    return lhs == rhs;
  return quantizedLhs.getStorageType() == quantizedRhs.getStorageType() &&
         quantizedLhs.isSigned() == quantizedRhs.isSigned();
}

bool nnhal::areCompatibleReturnTypes(mlir::TypeRange inferred,
                                     mlir::TypeRange stated) {
  return llvm::equal(inferred, stated, [](mlir::Type lhs, mlir::Type rhs) {
    return succeeded(mlir::verifyCompatibleShape(lhs, rhs)) &&
           areCompatibleElements(mlir::getElementTypeOrSelf(lhs),
                                 mlir::getElementTypeOrSelf(rhs));
  });
}

bool nnhal::isQuantizedElement(mlir::Type type) {
  return llvm::isa<QuantizedType>(type) &&
         operandOfType(mlir::UnrankedTensorType::get(type), {}).isOk();
}

rt::TensorType nnhal::typeOf(mlir::Value value) {
  llvm::FailureOr<rt::TensorType> type = toTensorType(value.getType());
  assert(succeeded(type) && "operand constraints let HAL tensors pass only");
  return *type;
}

llvm::LogicalResult nnhal::verifyStatus(mlir::Operation *op,
                                        const rt::Status &status) {
  if (status.isOk())
    return mlir::success();
  return op->emitOpError(status.message());
}

llvm::LogicalResult nnhal::inferFromRule(
    mlir::MLIRContext *context, std::optional<mlir::Location> location,
    const RuleResult &inferred, llvm::SmallVectorImpl<mlir::Type> &types) {
  if (!inferred.isOk())
    return mlir::emitOptionalError(location, inferred.status().message());
  for (const rt::TensorType &type : *inferred) {
    mlir::Type result = fromTensorType(context, type);
    if (!result)
      return mlir::emitOptionalError(
          location, "the quantization of the result is free: state its type");
    types.push_back(result);
  }
  return mlir::success();
}
