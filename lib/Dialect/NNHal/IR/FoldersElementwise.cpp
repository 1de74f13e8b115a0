//===- FoldersElementwise.cpp - Folders of element-wise operations --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Folding.h"
#include "RuleAdapter.h"

#include "Runtime/Support/Float16.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace nnhal;
using mlir::Attribute;
using mlir::OpFoldResult;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static bool isFloat(mlir::Type element) {
  return element.isF32() || element.isF16();
}

/// Whether every device computes with \p value alike.
static bool isPortable(float value) {
  return !std::isnan(value) && std::fpclassify(value) != FP_SUBNORMAL;
}

/// Element \p index of \p tensor, which holds f32 or f16.
static float realAt(const FoldedTensor &tensor, int64_t index) {
  return tensor.elementSize() == 2
             ? rt::floatFromFloat16(tensor.get<uint16_t>(index))
             : tensor.get<float>(index);
}

/// Stores \p value, rounded once where elements are f16.
static void setReal(FoldedTensor &tensor, int64_t index, float value) {
  if (tensor.elementSize() == 2)
    tensor.set(index, rt::float16FromDouble(value));
  else
    tensor.set(index, value);
}

/// A stored i32 or i8 (a boolean: zero or not).
static int32_t integerAt(const FoldedTensor &tensor, int64_t index) {
  return tensor.elementSize() == 1 ? tensor.get<int8_t>(index)
                                   : tensor.get<int32_t>(index);
}

static void setInteger(FoldedTensor &tensor, int64_t index, int32_t value) {
  if (tensor.elementSize() == 1)
    tensor.set(index, int8_t(value));
  else
    tensor.set(index, value);
}

/// The element of an operand of shape \p shape that element \p index of the
/// result reads: leading dimensions are left out, those of extent 1 repeated.
static int64_t broadcastIndex(llvm::ArrayRef<int64_t> shape,
                              llvm::ArrayRef<int64_t> index) {
  index = index.take_back(shape.size());
  int64_t result = 0;
  for (auto [extent, position] : llvm::zip_equal(shape, index))
    result = result * extent + (extent == 1 ? 0 : position);
  return result;
}

/// Calls \p compute(result, i, lhs, lhs index, rhs, rhs index) for each element
/// of \p result; nothing is folded once it returns false.
template <typename Compute>
static OpFoldResult foldBinary(mlir::Value result, Attribute lhs, Attribute rhs,
                               Compute compute) {
  std::optional<FoldedTensor> left = FoldedTensor::of(lhs);
  std::optional<FoldedTensor> right = FoldedTensor::of(rhs);
  std::optional<FoldedTensor> to = FoldedTensor::forResult(result.getType());
  if (!left || !right || !to)
    return {};
  int64_t next = 0;
  bool isFolded = true;
  forEachIndex(to->shape(), [&](llvm::ArrayRef<int64_t> index) {
    isFolded = isFolded &&
               compute(*to, next++, *left, broadcastIndex(left->shape(), index),
                       *right, broadcastIndex(right->shape(), index));
  });
  return isFolded ? OpFoldResult(to->toAttribute()) : OpFoldResult();
}

/// compute(a, b) -> optional<float> on f32 and f16; devices that disagree about
/// an operand or the result are left to compute it.
template <typename Compute>
static OpFoldResult foldReals(mlir::Value result, Attribute lhs, Attribute rhs,
                              Compute compute) {
  return foldBinary(result, lhs, rhs,
                    [&](FoldedTensor &to, int64_t i, const FoldedTensor &left,
                        int64_t l, const FoldedTensor &right, int64_t r) {
                      float a = realAt(left, l), b = realAt(right, r);
                      if (!isPortable(a) || !isPortable(b))
                        return false;
                      std::optional<float> value = compute(a, b);
                      if (!value || !isPortable(*value))
                        return false;
                      setReal(to, i, *value);
                      return true;
                    });
}

/// compute(a, b) -> optional<int64_t>, of which the low 32 bits are kept.
template <typename Compute>
static OpFoldResult foldIntegers(mlir::Value result, Attribute lhs,
                                 Attribute rhs, Compute compute) {
  return foldBinary(result, lhs, rhs,
                    [&](FoldedTensor &to, int64_t i, const FoldedTensor &left,
                        int64_t l, const FoldedTensor &right, int64_t r) {
                      std::optional<int64_t> value =
                          compute(integerAt(left, l), integerAt(right, r));
                      if (value)
                        setInteger(to, i, int32_t(uint32_t(*value)));
                      return value.has_value();
                    });
}

/// The number that all elements of \p value are; nullopt where they are not one
/// f32, f16 or i32.
static std::optional<double> splatNumber(Attribute value) {
  auto elements = llvm::dyn_cast_if_present<mlir::DenseElementsAttr>(value);
  if (!elements || !elements.isSplat())
    return std::nullopt;
  mlir::Type element = elements.getElementType();
  if (isFloat(element))
    return elements.getSplatValue<llvm::APFloat>().convertToDouble();
  if (element.isSignlessInteger(32))
    return double(elements.getSplatValue<llvm::APInt>().getSExtValue());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// \p map works on floats and, with 64 bits, on integers.
template <typename OpTy, typename Map>
static OpFoldResult foldArithmetic(OpTy op, typename OpTy::FoldAdaptor adaptor,
                                   Map map) {
  mlir::Type element = op.getType().getElementType();
  if (element.isSignlessInteger(32))
    return foldIntegers(op.getOutput(), adaptor.getLhs(), adaptor.getRhs(),
                        [&](int64_t a, int64_t b) -> std::optional<int64_t> {
                          return map(a, b);
                        });
  if (!isFloat(element))
    return {};
  FusedActivation activation = op.getActivation();
  return foldReals(op.getOutput(), adaptor.getLhs(), adaptor.getRhs(),
                   [&](float a, float b) -> std::optional<float> {
                     std::optional<float> value = map(a, b);
                     if (!value || activation == FusedActivation::none)
                       return value;
                     // The sign of a zero after a maximum is free.
                     if (*value == 0 && std::signbit(*value))
                       return std::nullopt;
                     return rt::applyActivation(toRule(activation), *value);
                   });
}

/// The lhs of \p op, when its rhs is the number \p neutral everywhere.
template <typename OpTy>
static OpFoldResult foldNeutral(OpTy op, Attribute rhs, double neutral) {
  if (op.getActivation() != FusedActivation::none)
    return {};
  std::optional<double> number = splatNumber(rhs);
  if (!number || *number != neutral || std::signbit(*number))
    return {};
  return sameAs(op.getLhs(), op.getType());
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // -0 + 0 is 0: only integers have a neutral element here.
  if (getType().getElementType().isSignlessInteger(32))
    if (OpFoldResult same = foldNeutral(*this, adaptor.getRhs(), 0))
      return same;
  return foldArithmetic(*this, adaptor, [](auto a, auto b) { return a + b; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult same = foldNeutral(*this, adaptor.getRhs(), 0))
    return same;
  return foldArithmetic(*this, adaptor, [](auto a, auto b) { return a - b; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult same = foldNeutral(*this, adaptor.getRhs(), 1))
    return same;
  return foldArithmetic(*this, adaptor, [](auto a, auto b) { return a * b; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult same = foldNeutral(*this, adaptor.getRhs(), 1))
    return same;
  return foldArithmetic(*this, adaptor,
                        []<typename T>(T a, T b) -> std::optional<T> {
                          if constexpr (std::is_integral_v<T>) {
                            if (b == 0)
                              return std::nullopt;
                            // Toward negative infinity (M-041).
                            return a / b - (a % b != 0 && (a < 0) != (b < 0));
                          } else {
                            return a / b;
                          }
                        });
}

/// Maximum or minimum; quantized operands may be requantized (M-143).
template <typename OpTy, typename Pick>
static OpFoldResult foldExtremum(OpTy op, typename OpTy::FoldAdaptor adaptor,
                                 Pick pick) {
  mlir::Type element = op.getType().getElementType();
  if (element.isSignlessInteger(32))
    return foldIntegers(op.getOutput(), adaptor.getLhs(), adaptor.getRhs(),
                        [&](int64_t a, int64_t b) -> std::optional<int64_t> {
                          return pick(a, b);
                        });
  if (!isFloat(element))
    return {};
  return foldReals(op.getOutput(), adaptor.getLhs(), adaptor.getRhs(),
                   [&](float a, float b) -> std::optional<float> {
                     // Which of 0 and -0 is larger is free.
                     if (a == b && std::signbit(a) != std::signbit(b))
                       return std::nullopt;
                     return pick(a, b);
                   });
}

OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  return foldExtremum(*this, adaptor,
                      [](auto a, auto b) { return std::max(a, b); });
}

OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) {
  return foldExtremum(*this, adaptor,
                      [](auto a, auto b) { return std::min(a, b); });
}

//===----------------------------------------------------------------------===//
// Comparisons and logic
//===----------------------------------------------------------------------===//

template <typename OpTy, typename Compare>
static OpFoldResult foldComparison(OpTy op, typename OpTy::FoldAdaptor adaptor,
                                   Compare compare) {
  mlir::Type element = mlir::getElementTypeOrSelf(op.getLhs());
  if (element.isSignlessInteger(32))
    return foldIntegers(op.getOutput(), adaptor.getLhs(), adaptor.getRhs(),
                        [&](int64_t a, int64_t b) -> std::optional<int64_t> {
                          return compare(a, b);
                        });
  if (!isFloat(element))
    return {};
  return foldBinary(op.getOutput(), adaptor.getLhs(), adaptor.getRhs(),
                    [&](FoldedTensor &to, int64_t i, const FoldedTensor &left,
                        int64_t l, const FoldedTensor &right, int64_t r) {
                      float a = realAt(left, l), b = realAt(right, r);
                      setInteger(to, i, compare(a, b));
                      return isPortable(a) && isPortable(b);
                    });
}

OpFoldResult EqualOp::fold(FoldAdaptor adaptor) {
  return foldComparison(*this, adaptor, std::equal_to<>());
}
OpFoldResult NotEqualOp::fold(FoldAdaptor adaptor) {
  return foldComparison(*this, adaptor, std::not_equal_to<>());
}
OpFoldResult GreaterOp::fold(FoldAdaptor adaptor) {
  return foldComparison(*this, adaptor, std::greater<>());
}
OpFoldResult GreaterEqualOp::fold(FoldAdaptor adaptor) {
  return foldComparison(*this, adaptor, std::greater_equal<>());
}
OpFoldResult LessOp::fold(FoldAdaptor adaptor) {
  return foldComparison(*this, adaptor, std::less<>());
}
OpFoldResult LessEqualOp::fold(FoldAdaptor adaptor) {
  return foldComparison(*this, adaptor, std::less_equal<>());
}

OpFoldResult LogicalAndOp::fold(FoldAdaptor adaptor) {
  return foldIntegers(getOutput(), adaptor.getLhs(), adaptor.getRhs(),
                      [](int64_t a, int64_t b) -> std::optional<int64_t> {
                        return a != 0 && b != 0;
                      });
}

OpFoldResult LogicalOrOp::fold(FoldAdaptor adaptor) {
  return foldIntegers(getOutput(), adaptor.getLhs(), adaptor.getRhs(),
                      [](int64_t a, int64_t b) -> std::optional<int64_t> {
                        return a != 0 || b != 0;
                      });
}

/// Whether every byte of \p value is 0 or 1; true is any byte but 0 otherwise.
static bool isNormalized(mlir::Value value) {
  return llvm::isa_and_present<EqualOp, NotEqualOp, GreaterOp, GreaterEqualOp,
                               LessOp, LessEqualOp, LogicalAndOp, LogicalOrOp,
                               LogicalNotOp, ReduceAllOp, ReduceAnyOp>(
      value.getDefiningOp());
}

OpFoldResult LogicalNotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getInput().getDefiningOp<LogicalNotOp>())
    if (isNormalized(inner.getInput()))
      if (OpFoldResult same = sameAs(inner.getInput(), getType()))
        return same;
  return foldIntegers(
      getOutput(), adaptor.getInput(), adaptor.getInput(),
      [](int64_t a, int64_t) -> std::optional<int64_t> { return a == 0; });
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  // Other quantization parameters mean requantization (M-142).
  if (getLhs().getType() != getType() || getRhs().getType() != getType())
    return {};
  if (getLhs() == getRhs())
    return getLhs();
  std::optional<FoldedTensor> condition =
      FoldedTensor::of(adaptor.getCondition());
  if (!condition || condition->size() == 0)
    return {};
  bool isFirstTrue = condition->bytes.front() != 0;
  if (llvm::all_of(condition->bytes,
                   [&](char byte) { return (byte != 0) == isFirstTrue; }))
    return isFirstTrue ? getLhs() : getRhs();
  std::optional<FoldedTensor> lhs = FoldedTensor::of(adaptor.getLhs());
  std::optional<FoldedTensor> rhs = FoldedTensor::of(adaptor.getRhs());
  std::optional<FoldedTensor> result = FoldedTensor::forResult(getType());
  if (!lhs || !rhs || !result || condition->size() != result->size())
    return {};
  for (int64_t i = 0; i < result->size(); ++i)
    result->copyElement(i, condition->bytes[size_t(i)] ? *lhs : *rhs, i);
  return result->toAttribute();
}

//===----------------------------------------------------------------------===//
// Functions of one element
//===----------------------------------------------------------------------===//

/// \p map works on floats and, with 64 bits, on integers.
template <typename Map>
static OpFoldResult foldUnary(mlir::Value result, Attribute input, Map map) {
  mlir::Type element = mlir::getElementTypeOrSelf(result);
  if (element.isSignlessInteger(32))
    return foldIntegers(result, input, input,
                        [&](int64_t a, int64_t) -> std::optional<int64_t> {
                          return int64_t(map(a));
                        });
  if (!isFloat(element))
    return {};
  return foldReals(
      result, input, input,
      [&](float a, float) -> std::optional<float> { return map(a); });
}

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  if (getInput().getDefiningOp<AbsOp>())
    if (OpFoldResult same = sameAs(getInput(), getType()))
      return same;
  return foldUnary(getOutput(), adaptor.getInput(),
                   [](auto value) { return std::abs(value); });
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getInput().getDefiningOp<NegOp>())
    if (OpFoldResult same = sameAs(inner.getInput(), getType()))
      return same;
  return foldUnary(getOutput(), adaptor.getInput(),
                   [](auto value) { return -value; });
}

OpFoldResult FloorOp::fold(FoldAdaptor adaptor) {
  if (getInput().getDefiningOp<FloorOp>())
    if (OpFoldResult same = sameAs(getInput(), getType()))
      return same;
  return foldUnary(getOutput(), adaptor.getInput(),
                   [](auto value) { return std::floor(value); });
}
