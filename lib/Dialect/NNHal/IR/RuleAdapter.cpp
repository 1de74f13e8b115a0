//===- RuleAdapter.cpp - From operations to rules ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleAdapter.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace nnhal;
using mlir::quant::QuantizedType;
using mlir::quant::UniformQuantizedPerAxisType;
using mlir::quant::UniformQuantizedType;
using rt::OperandType;

/// The operand type whose stored elements are those of \p type; the range of a
/// signed byte tells the symmetric type from the asymmetric (decisions 14).
static llvm::FailureOr<OperandType> operandTypeOf(QuantizedType type) {
  unsigned width = type.getStorageTypeIntegralWidth();
  if (llvm::isa<UniformQuantizedPerAxisType>(type)) {
    if (width == 8 && type.isSigned())
      return OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
    return mlir::failure();
  }
  switch (width) {
  case 8:
    if (!type.isSigned())
      return OperandType::TENSOR_QUANT8_ASYMM;
    return type.hasStorageTypeBounds()
               ? OperandType::TENSOR_QUANT8_SYMM
               : OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
  case 16:
    return type.isSigned() ? OperandType::TENSOR_QUANT16_SYMM
                           : OperandType::TENSOR_QUANT16_ASYMM;
  case 32:
    if (type.isSigned())
      return OperandType::TENSOR_INT32;
    break;
  }
  return mlir::failure();
}

static llvm::FailureOr<OperandType> operandTypeOf(mlir::Type element) {
  if (auto quantized = llvm::dyn_cast<QuantizedType>(element))
    return operandTypeOf(quantized);
  if (element.isF32())
    return OperandType::TENSOR_FLOAT32;
  if (element.isF16())
    return OperandType::TENSOR_FLOAT16;
  if (element.isSignlessInteger(32))
    return OperandType::TENSOR_INT32;
  if (element.isSignlessInteger(8))
    return OperandType::TENSOR_BOOL8;
  return mlir::failure();
}

llvm::FailureOr<rt::TensorType> nnhal::toTensorType(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::TensorType>(type);
  if (!tensor)
    return mlir::failure();
  llvm::FailureOr<OperandType> operandType =
      operandTypeOf(tensor.getElementType());
  if (failed(operandType))
    return mlir::failure();

  rt::TensorType result;
  result.type = *operandType;
  result.isRanked = tensor.hasRank();
  if (tensor.hasRank())
    for (int64_t extent : tensor.getShape())
      result.dimensions.push_back(
          mlir::ShapedType::isDynamic(extent) ? rt::unknownExtent : extent);
  if (auto uniform =
          llvm::dyn_cast<UniformQuantizedType>(tensor.getElementType())) {
    result.scale = float(uniform.getScale());
    result.zeroPoint = int32_t(uniform.getZeroPoint());
  } else if (auto perAxis = llvm::dyn_cast<UniformQuantizedPerAxisType>(
                 tensor.getElementType())) {
    result.channelQuant.channelDim = uint32_t(perAxis.getQuantizedDimension());
    for (double scale : perAxis.getScales())
      result.channelQuant.scales.push_back(float(scale));
  }
  return result;
}

/// The quantized element type of \p type. Null for an operand type that is
/// never quantized.
static mlir::Type quantizedElement(mlir::MLIRContext *context,
                                   const rt::TensorType &type) {
  auto storage = [&](unsigned width) {
    return mlir::IntegerType::get(context, width);
  };
  mlir::Type real = mlir::Float32Type::get(context);
  auto uniform = [&](unsigned flags, unsigned width, int64_t low,
                     int64_t high) -> mlir::Type {
    return UniformQuantizedType::get(flags, storage(width), real, type.scale,
                                     type.zeroPoint, low, high);
  };
  constexpr unsigned isSigned = mlir::quant::QuantizationFlags::Signed;
  switch (type.type) {
  case OperandType::TENSOR_QUANT8_ASYMM:
    return uniform(0, 8, 0, 255);
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
    return uniform(isSigned, 8, -128, 127);
  case OperandType::TENSOR_QUANT8_SYMM:
    return uniform(isSigned, 8, -127, 127);
  case OperandType::TENSOR_QUANT16_SYMM:
    return uniform(isSigned, 16, -32768, 32767);
  case OperandType::TENSOR_QUANT16_ASYMM:
    return uniform(0, 16, 0, 65535);
  case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL: {
    llvm::SmallVector<double> scales(type.channelQuant.scales.begin(),
                                     type.channelQuant.scales.end());
    llvm::SmallVector<int64_t> zeroPoints(scales.size(), 0);
    return UniformQuantizedPerAxisType::get(
        isSigned, storage(8), real, scales, zeroPoints,
        int32_t(type.channelQuant.channelDim), -128, 127);
  }
  default:
    return {};
  }
}

static mlir::Type elementOf(mlir::MLIRContext *context,
                            const rt::TensorType &type) {
  switch (type.type) {
  case OperandType::TENSOR_FLOAT32:
    return mlir::Float32Type::get(context);
  case OperandType::TENSOR_FLOAT16:
    return mlir::Float16Type::get(context);
  case OperandType::TENSOR_BOOL8:
    return mlir::IntegerType::get(context, 8);
  case OperandType::TENSOR_INT32: {
    mlir::Type storage = mlir::IntegerType::get(context, 32);
    if (type.scale == 0.0f)
      return storage;
    return UniformQuantizedType::get(mlir::quant::QuantizationFlags::Signed,
                                     storage, mlir::Float32Type::get(context),
                                     type.scale, type.zeroPoint,
                                     std::numeric_limits<int32_t>::min(),
                                     std::numeric_limits<int32_t>::max());
  }
  default:
    return type.isQuantizationFree ? mlir::Type()
                                   : quantizedElement(context, type);
  }
}

mlir::Type nnhal::fromTensorType(mlir::MLIRContext *context,
                                 const rt::TensorType &type) {
  mlir::Type element = elementOf(context, type);
  if (!element)
    return {};
  if (!type.isRanked)
    return mlir::UnrankedTensorType::get(element);
  llvm::SmallVector<int64_t> shape;
  for (int64_t extent : type.dimensions)
    shape.push_back(extent == rt::unknownExtent ? mlir::ShapedType::kDynamic
                                                : extent);
  return mlir::RankedTensorType::get(shape, element);
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

rt::TensorType nnhal::typeOf(mlir::Value value) {
  llvm::FailureOr<rt::TensorType> type = toTensorType(value.getType());
  if (succeeded(type))
    return *type;
  // A quantized type of a width that the HAL has not: no rule accepts OEM
  // bytes either, and the message still has a shape to name.
  rt::TensorType unsupported;
  unsupported.type = OperandType::TENSOR_OEM_BYTE;
  if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(value.getType()))
    unsupported.dimensions.assign(tensor.getShape().begin(),
                                  tensor.getShape().end());
  return unsupported;
}

llvm::SmallVector<rt::TensorType>
nnhal::resultTensorTypes(mlir::Operation *op) {
  return llvm::map_to_vector(op->getResults(),
                             [](mlir::Value value) { return typeOf(value); });
}

llvm::LogicalResult nnhal::verifyStatus(mlir::Operation *op,
                                        const rt::Status &status) {
  if (status.isOk())
    return mlir::success();
  return op->emitOpError(status.message());
}

llvm::LogicalResult nnhal::verifyInferred(mlir::Operation *op,
                                          const RuleResult &inferred) {
  if (!inferred.isOk())
    return verifyStatus(op, inferred.status());
  for (auto [index, type] : llvm::enumerate(*inferred)) {
    std::string name =
        inferred->size() == 1 ? "result" : fmt::format("result {}", index);
    if (failed(verifyStatus(
            op, rt::checkStated(type, typeOf(op->getResult(unsigned(index))),
                                name))))
      return mlir::failure();
  }
  return mlir::success();
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

RuleResult nnhal::single(rt::Result<rt::TensorType> result) {
  if (!result.isOk())
    return std::move(result).takeStatus();
  std::vector<rt::TensorType> results;
  results.push_back(*std::move(result));
  return results;
}
