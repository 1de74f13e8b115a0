//===- FoldersConversion.cpp - Folders of casts and activations -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Canonicalization.h"
#include "Folding.h"
#include "RuleAdapter.h"

#include "Runtime/Support/Float16.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace nnhal;
using mlir::Attribute;
using mlir::OpFoldResult;
using mlir::quant::UniformQuantizedType;

//===----------------------------------------------------------------------===//
// Cast
//===----------------------------------------------------------------------===//

/// Whether elements are stored as 32-bit integers: a TENSOR_INT32 may have a
/// scale.
static bool isStoredAsInt32(mlir::Type element) {
  if (auto type = llvm::dyn_cast<mlir::quant::QuantizedType>(element))
    element = type.getStorageType();
  return element.isInteger(32);
}

/// The number that element \p index of a constant is as stored; nullopt where
/// devices may differ about it.
static std::optional<double> numberAt(const FoldedTensor &tensor,
                                      mlir::Type element, int64_t index) {
  if (isStoredAsInt32(element))
    return tensor.get<int32_t>(index);
  if (llvm::isa<mlir::quant::QuantizedType>(element))
    return tensor.get<uint8_t>(index);
  float value = element.isF16()
                    ? rt::floatFromFloat16(tensor.get<uint16_t>(index))
                    : tensor.get<float>(index);
  if (std::isnan(value) || std::fpclassify(value) == FP_SUBNORMAL)
    return std::nullopt;
  return value;
}

/// Stores \p value at \p index; false where it does not fit in: what is stored
/// then is up to the device.
static bool store(FoldedTensor &tensor, mlir::Type element, int64_t index,
                  double value) {
  if (element.isF32()) {
    tensor.set(index, float(value));
    return true;
  }
  if (element.isF16()) {
    // By way of f32, as devices do (M-023).
    tensor.set(index, rt::float16FromDouble(float(value)));
    return true;
  }
  value = std::trunc(value);
  if (isStoredAsInt32(element)) {
    using Limits = std::numeric_limits<int32_t>;
    if (value < Limits::min() || value > Limits::max())
      return false;
    tensor.set(index, int32_t(value));
    return true;
  }
  if (value < 0 || value > 255)
    return false;
  tensor.set(index, uint8_t(value));
  return true;
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult same = sameAs(getInput(), getType()))
    return same;
  std::optional<FoldedTensor> from = FoldedTensor::of(adaptor.getInput());
  std::optional<FoldedTensor> to = FoldedTensor::forResult(getType());
  if (!from || !to)
    return {};
  mlir::Type fromElement = mlir::getElementTypeOrSelf(getInput());
  mlir::Type toElement = getType().getElementType();
  // The bytes stay where only quantization parameters change (M-150).
  if (from->storage == to->storage)
    return from->toAttribute();
  for (int64_t i = 0; i < to->size(); ++i) {
    std::optional<double> number = numberAt(*from, fromElement, i);
    if (!number || !store(*to, toElement, i, *number))
      return {};
  }
  return to->toAttribute();
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

/// x / scale + zero point, rounded half away from zero and limited to what is
/// stored (M-148), in double precision as every device has it.
static OpFoldResult foldQuantize(QuantizeOp op, Attribute value) {
  std::optional<FoldedTensor> from = FoldedTensor::of(value);
  std::optional<FoldedTensor> to = FoldedTensor::forResult(op.getType());
  auto type =
      llvm::dyn_cast<UniformQuantizedType>(op.getType().getElementType());
  if (!from || !to || !type || to->elementSize() != 1)
    return {};
  mlir::Type element = mlir::getElementTypeOrSelf(op.getInput());
  for (int64_t i = 0; i < to->size(); ++i) {
    std::optional<double> number = numberAt(*from, element, i);
    if (!number)
      return {};
    double stored = std::round(*number / float(type.getScale())) +
                    double(type.getZeroPoint());
    double limited = std::clamp(stored, double(type.getStorageTypeMin()),
                                double(type.getStorageTypeMax()));
    to->set(i, uint8_t(int32_t(limited)));
  }
  return to->toAttribute();
}

OpFoldResult QuantizeOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult constant = foldQuantize(*this, adaptor.getInput()))
    return constant;
  auto dequantize = getInput().getDefiningOp<DequantizeOp>();
  if (!dequantize || dequantize.getInput().getType() != getType())
    return {};
  // 24 bits of an f32 hold the difference of two 8-bit values times a scale
  // closely enough to round back to it; the 11 bits of an f16 do not at every
  // scale. An infinite product would not come back.
  auto type = llvm::dyn_cast<UniformQuantizedType>(getType().getElementType());
  if (!type || !mlir::getElementTypeOrSelf(getInput()).isF32() ||
      !std::isfinite(float(type.getScale()) * 255.0f))
    return {};
  return dequantize.getInput();
}

/// (q - zero point) * scale, one rounding each (M-030).
OpFoldResult DequantizeOp::fold(FoldAdaptor adaptor) {
  auto type = llvm::dyn_cast<UniformQuantizedType>(
      mlir::getElementTypeOrSelf(getInput()));
  std::optional<FoldedTensor> from = FoldedTensor::of(adaptor.getInput());
  std::optional<FoldedTensor> to = FoldedTensor::forResult(getType());
  if (!type || !from || !to || from->elementSize() != 1)
    return {};
  for (int64_t i = 0; i < to->size(); ++i) {
    int64_t stored =
        type.isSigned() ? int64_t(from->get<int8_t>(i)) : from->get<uint8_t>(i);
    float value = float(stored - type.getZeroPoint()) * float(type.getScale());
    if (std::fpclassify(value) == FP_SUBNORMAL)
      return {};
    if (to->elementSize() == 2)
      to->set(i, rt::float16FromDouble(value));
    else
      to->set(i, value);
  }
  return to->toAttribute();
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// Constants, and an activation of what has been limited to its range before.
static OpFoldResult foldActivation(mlir::Value input, mlir::Value result,
                                   Attribute value,
                                   FusedActivation activation) {
  if (std::optional<FusedActivation> inner = activationOf(input))
    if (compose(*inner, activation) == inner)
      if (OpFoldResult same = sameAs(input, result.getType()))
        return same;
  std::optional<FoldedTensor> from = FoldedTensor::of(value);
  std::optional<FoldedTensor> to = FoldedTensor::forResult(result.getType());
  mlir::Type element = mlir::getElementTypeOrSelf(result);
  if (!from || !to || llvm::isa<mlir::quant::QuantizedType>(element))
    return {};
  for (int64_t i = 0; i < to->size(); ++i) {
    std::optional<double> number = numberAt(*from, element, i);
    // The sign of a zero after a maximum is free.
    if (!number || (*number == 0 && std::signbit(*number)))
      return {};
    store(*to, element, i,
          rt::applyActivation(toRule(activation), float(*number)));
  }
  return to->toAttribute();
}

OpFoldResult ReluOp::fold(FoldAdaptor adaptor) {
  return foldActivation(getInput(), getOutput(), adaptor.getInput(),
                        FusedActivation::relu);
}

OpFoldResult Relu1Op::fold(FoldAdaptor adaptor) {
  return foldActivation(getInput(), getOutput(), adaptor.getInput(),
                        FusedActivation::relu1);
}

OpFoldResult Relu6Op::fold(FoldAdaptor adaptor) {
  return foldActivation(getInput(), getOutput(), adaptor.getInput(),
                        FusedActivation::relu6);
}
