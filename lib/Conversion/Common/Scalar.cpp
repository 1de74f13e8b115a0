//===- Scalar.cpp - Arithmetic on scalars while building IR ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scalar.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nnhal;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Scalar Scalar::constant(ImplicitLocOpBuilder &builder, Type type,
                        double number) {
  if (!isa<FloatType>(type))
    return integer(builder, type, static_cast<int64_t>(number));
  return {builder, arith::ConstantOp::create(
                       builder, builder.getFloatAttr(type, number))};
}

Scalar Scalar::integer(ImplicitLocOpBuilder &builder, Type type,
                       int64_t number) {
  return {builder, arith::ConstantOp::create(
                       builder, builder.getIntegerAttr(type, number))};
}

Scalar Scalar::index(ImplicitLocOpBuilder &builder, int64_t number) {
  return {builder, arith::ConstantIndexOp::create(builder, number)};
}

std::optional<int64_t> Scalar::known() const {
  return getConstantIntValue(OpFoldResult(value));
}

Scalar Scalar::like(double number) const {
  return constant(*builder, getType(), number);
}

/// An OpTy of \p operands, or what it folds to.
template <typename OpTy, typename... Arguments>
static Scalar make(const Scalar &like, Arguments &&...arguments) {
  return {like.getBuilder(), like.getBuilder().createOrFold<OpTy>(
                                 std::forward<Arguments>(arguments)...)};
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static Scalar toFloat(const Scalar &from, FloatType type) {
  if (!from.isFloat()) {
    Scalar integer =
        from.isIndex() ? from.to(from.getBuilder().getI64Type()) : from;
    if (integer.getType().isInteger(1))
      return make<arith::UIToFPOp>(integer, type, integer);
    return make<arith::SIToFPOp>(integer, type, integer);
  }
  unsigned width = from.getType().getIntOrFloatBitWidth();
  if (width < type.getWidth())
    return make<arith::ExtFOp>(from, type, from.get(),
                               arith::FastMathFlagsAttr());
  return make<arith::TruncFOp>(from, type, from);
}

static Scalar toInteger(const Scalar &from, IntegerType type) {
  if (from.isFloat())
    return make<arith::FPToSIOp>(from, type, from);
  if (from.isIndex())
    return make<arith::IndexCastOp>(from, type, from);
  unsigned width = from.getType().getIntOrFloatBitWidth();
  if (width > type.getWidth())
    return make<arith::TruncIOp>(from, type, from);
  if (width == 1) // True is 1, not -1.
    return make<arith::ExtUIOp>(from, type, from);
  return make<arith::ExtSIOp>(from, type, from);
}

Scalar Scalar::to(Type type) const {
  if (type == getType())
    return *this;
  if (auto real = dyn_cast<FloatType>(type))
    return toFloat(*this, real);
  if (auto integer = dyn_cast<IntegerType>(type))
    return toInteger(*this, integer);
  if (isFloat())
    return to(builder->getI64Type()).to(type);
  return make<arith::IndexCastOp>(*this, type, value);
}

Scalar Scalar::toF32() const { return to(builder->getF32Type()); }
Scalar Scalar::toF64() const { return to(builder->getF64Type()); }
Scalar Scalar::toI32() const { return to(builder->getI32Type()); }
Scalar Scalar::toI64() const { return to(builder->getI64Type()); }
Scalar Scalar::toIndex() const { return to(builder->getIndexType()); }

Scalar Scalar::zeroExtended(Type type) const {
  if (type == getType())
    return *this;
  return make<arith::ExtUIOp>(*this, type, value);
}

Scalar Scalar::bitcast(Type type) const {
  return make<arith::BitcastOp>(*this, type, value);
}

//===----------------------------------------------------------------------===//
// Integers and bits
//===----------------------------------------------------------------------===//

Scalar Scalar::quotient(Scalar divisor) const {
  return make<arith::DivSIOp>(*this, value, divisor.value);
}
Scalar Scalar::floorQuotient(Scalar divisor) const {
  // LLVM 22 miscompiles sdiv (2 * x + 1), 2 where x is sign-extended from eight
  // bits: its code generator leaves the division out. A shift is right.
  if (std::optional<int64_t> known = divisor.known();
      known && *known > 0 && llvm::isPowerOf2_64(*known))
    return make<arith::ShRSIOp>(
        *this, value,
        constant(*builder, getType(), llvm::Log2_64(*known)).value);
  return make<arith::FloorDivSIOp>(*this, value, divisor.value);
}
Scalar Scalar::remainder(Scalar divisor) const {
  return make<arith::RemSIOp>(*this, value, divisor.value);
}
Scalar Scalar::shiftedLeft(Scalar count) const {
  return make<arith::ShLIOp>(*this, value, count.value);
}
Scalar Scalar::shiftedRight(Scalar count) const {
  return make<arith::ShRSIOp>(*this, value, count.value);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

template <typename FloatOp, typename IntegerOp>
static Scalar combine(const Scalar &lhs, const Scalar &rhs) {
  if (lhs.isFloat())
    return make<FloatOp>(lhs, lhs.get(), rhs.get());
  return make<IntegerOp>(lhs, lhs.get(), rhs.get());
}

Scalar nnhal::operator+(Scalar lhs, Scalar rhs) {
  return combine<arith::AddFOp, arith::AddIOp>(lhs, rhs);
}
Scalar nnhal::operator-(Scalar lhs, Scalar rhs) {
  return combine<arith::SubFOp, arith::SubIOp>(lhs, rhs);
}
Scalar nnhal::operator*(Scalar lhs, Scalar rhs) {
  return combine<arith::MulFOp, arith::MulIOp>(lhs, rhs);
}
Scalar nnhal::operator/(Scalar lhs, Scalar rhs) {
  return make<arith::DivFOp>(lhs, lhs.get(), rhs.get());
}
Scalar nnhal::operator-(Scalar operand) {
  if (operand.isFloat())
    return make<arith::NegFOp>(operand, operand.get());
  return operand.like(0) - operand;
}

Scalar nnhal::operator+(Scalar lhs, double rhs) { return lhs + lhs.like(rhs); }
Scalar nnhal::operator-(Scalar lhs, double rhs) { return lhs - lhs.like(rhs); }
Scalar nnhal::operator*(Scalar lhs, double rhs) { return lhs * lhs.like(rhs); }
Scalar nnhal::operator/(Scalar lhs, double rhs) { return lhs / lhs.like(rhs); }
Scalar nnhal::operator+(double lhs, Scalar rhs) { return rhs.like(lhs) + rhs; }
Scalar nnhal::operator-(double lhs, Scalar rhs) { return rhs.like(lhs) - rhs; }
Scalar nnhal::operator*(double lhs, Scalar rhs) { return rhs.like(lhs) * rhs; }
Scalar nnhal::operator/(double lhs, Scalar rhs) { return rhs.like(lhs) / rhs; }

static Scalar compare(Scalar lhs, Scalar rhs, arith::CmpFPredicate floats,
                      arith::CmpIPredicate integers) {
  if (lhs.isFloat())
    return make<arith::CmpFOp>(lhs, floats, lhs.get(), rhs.get());
  return make<arith::CmpIOp>(lhs, integers, lhs.get(), rhs.get());
}

Scalar nnhal::operator<(Scalar lhs, Scalar rhs) {
  return compare(lhs, rhs, arith::CmpFPredicate::OLT,
                 arith::CmpIPredicate::slt);
}
Scalar nnhal::operator<=(Scalar lhs, Scalar rhs) {
  return compare(lhs, rhs, arith::CmpFPredicate::OLE,
                 arith::CmpIPredicate::sle);
}
Scalar nnhal::operator>(Scalar lhs, Scalar rhs) {
  return compare(lhs, rhs, arith::CmpFPredicate::OGT,
                 arith::CmpIPredicate::sgt);
}
Scalar nnhal::operator>=(Scalar lhs, Scalar rhs) {
  return compare(lhs, rhs, arith::CmpFPredicate::OGE,
                 arith::CmpIPredicate::sge);
}
Scalar nnhal::operator==(Scalar lhs, Scalar rhs) {
  return compare(lhs, rhs, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
Scalar nnhal::operator!=(Scalar lhs, Scalar rhs) {
  return compare(lhs, rhs, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne);
}
Scalar nnhal::operator<(Scalar lhs, double rhs) { return lhs < lhs.like(rhs); }
Scalar nnhal::operator<=(Scalar lhs, double rhs) {
  return lhs <= lhs.like(rhs);
}
Scalar nnhal::operator>(Scalar lhs, double rhs) { return lhs > lhs.like(rhs); }
Scalar nnhal::operator>=(Scalar lhs, double rhs) {
  return lhs >= lhs.like(rhs);
}
Scalar nnhal::operator==(Scalar lhs, double rhs) {
  return lhs == lhs.like(rhs);
}
Scalar nnhal::operator!=(Scalar lhs, double rhs) {
  return lhs != lhs.like(rhs);
}

Scalar nnhal::operator&(Scalar lhs, Scalar rhs) {
  return make<arith::AndIOp>(lhs, lhs.get(), rhs.get());
}
Scalar nnhal::operator|(Scalar lhs, Scalar rhs) {
  return make<arith::OrIOp>(lhs, lhs.get(), rhs.get());
}
Scalar nnhal::operator^(Scalar lhs, Scalar rhs) {
  return make<arith::XOrIOp>(lhs, lhs.get(), rhs.get());
}
Scalar nnhal::operator!(Scalar operand) { return operand ^ operand.like(1); }

Scalar nnhal::select(Scalar condition, Scalar yes, Scalar no) {
  return make<arith::SelectOp>(yes, condition.get(), yes.get(), no.get());
}

Scalar nnhal::max(Scalar lhs, Scalar rhs) {
  // In this form a processor needs one instruction for floats: arith.maximumf
  // costs three for its NaN rule.
  if (lhs.isFloat())
    return select(lhs > rhs, lhs, rhs);
  return make<arith::MaxSIOp>(lhs, lhs.get(), rhs.get());
}
Scalar nnhal::min(Scalar lhs, Scalar rhs) {
  if (lhs.isFloat())
    return select(lhs < rhs, lhs, rhs);
  return make<arith::MinSIOp>(lhs, lhs.get(), rhs.get());
}
Scalar nnhal::max(Scalar lhs, double rhs) { return max(lhs, lhs.like(rhs)); }
Scalar nnhal::min(Scalar lhs, double rhs) { return min(lhs, lhs.like(rhs)); }
Scalar nnhal::clamp(Scalar operand, Scalar low, Scalar high) {
  return min(max(operand, low), high);
}
Scalar nnhal::clamp(Scalar operand, double low, double high) {
  return clamp(operand, operand.like(low), operand.like(high));
}

Scalar nnhal::saturated(Scalar operand, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  double high = double((int64_t(1) << (width - 1)) - 1);
  // The largest float below 2^31.
  if (width == 32 && operand.getType().getIntOrFloatBitWidth() <= 32)
    high = 2147483520.0;
  double low = -double(int64_t(1) << (width - 1));
  if (operand.getType().isF16())
    operand = operand.toF32();
  Scalar limited = clamp(operand, low, high);
  return select(operand == operand, limited, limited.like(0)).to(type);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Scalar nnhal::leadingZeros(Scalar operand) {
  return make<math::CountLeadingZerosOp>(operand, operand.get());
}
Scalar nnhal::abs(Scalar operand) {
  return make<math::AbsFOp>(operand, operand.get());
}
Scalar nnhal::copySign(Scalar magnitude, Scalar sign) {
  return make<math::CopySignOp>(magnitude, magnitude.get(), sign.get());
}
Scalar nnhal::exp(Scalar operand) {
  return make<math::ExpOp>(operand, operand.get());
}
Scalar nnhal::log(Scalar operand) {
  return make<math::LogOp>(operand, operand.get());
}
Scalar nnhal::sqrt(Scalar operand) {
  return make<math::SqrtOp>(operand, operand.get());
}
Scalar nnhal::rsqrt(Scalar operand) {
  // Not math.rsqrt, whose approximation is infinite for subnormals.
  return 1.0 / sqrt(operand);
}
Scalar nnhal::sin(Scalar operand) {
  return make<math::SinOp>(operand, operand.get());
}
Scalar nnhal::tanh(Scalar operand) {
  return make<math::TanhOp>(operand, operand.get());
}
Scalar nnhal::pow(Scalar base, Scalar exponent) {
  return make<math::PowFOp>(base, base.get(), exponent.get());
}
Scalar nnhal::floor(Scalar operand) {
  return make<math::FloorOp>(operand, operand.get());
}
Scalar nnhal::ceil(Scalar operand) {
  return make<math::CeilOp>(operand, operand.get());
}
Scalar nnhal::trunc(Scalar operand) {
  return make<math::TruncOp>(operand, operand.get());
}
Scalar nnhal::round(Scalar operand) {
  // math.round becomes a call of libm: away from zero by the exact distance.
  Scalar whole = trunc(operand);
  Scalar one = copySign(operand.like(1), operand);
  return select(abs(operand - whole) >= 0.5, whole + one, whole);
}
Scalar nnhal::roundEven(Scalar operand) {
  return make<math::RoundEvenOp>(operand, operand.get());
}
Scalar nnhal::logistic(Scalar operand) { return 1.0 / (1.0 + exp(-operand)); }
