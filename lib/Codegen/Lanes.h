//===- Lanes.h - Expressions of arith operations ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers whose operators build operations, for the expansions of functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_LANES_H
#define NNHAL_LIB_CODEGEN_LANES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace nnhal::lanes {

using namespace mlir;

/// A number or a vector of numbers; operators build arith operations.
struct Lanes {
  ImplicitLocOpBuilder *builder = nullptr;
  Value value;

  Type getType() const { return value.getType(); }
  bool isFloat() const { return isa<FloatType>(getElementTypeOrSelf(value)); }
  /// \p element, or a vector of it.
  Type typeOf(Type element) const {
    if (auto vector = dyn_cast<VectorType>(getType()))
      return vector.clone(element);
    return element;
  }
  Lanes with(Value other) const { return {builder, other}; }
  Lanes constant(TypedAttr element) const {
    if (auto vector = dyn_cast<VectorType>(typeOf(element.getType())))
      return with(arith::ConstantOp::create(
          *builder, DenseElementsAttr::get(vector, element)));
    return with(arith::ConstantOp::create(*builder, element));
  }
  Lanes like(double number) const {
    return constant(builder->getFloatAttr(getElementTypeOrSelf(value), number));
  }
  Lanes bits(uint64_t number) const {
    auto type = cast<IntegerType>(getElementTypeOrSelf(value));
    return constant(builder->getIntegerAttr(
        type, APInt(64, number).trunc(type.getWidth())));
  }

  Lanes bitcast(Type element) const {
    return with(arith::BitcastOp::create(*builder, typeOf(element), value));
  }
  Lanes toF64() const {
    return with(
        arith::ExtFOp::create(*builder, typeOf(builder->getF64Type()), value));
  }
  Lanes toF32() const {
    return with(arith::TruncFOp::create(*builder, typeOf(builder->getF32Type()),
                                        value));
  }
};

template <typename FloatOp, typename IntegerOp>
Lanes combine(Lanes a, Lanes b) {
  if (a.isFloat())
    return a.with(FloatOp::create(*a.builder, a.value, b.value));
  return a.with(IntegerOp::create(*a.builder, a.value, b.value));
}
inline Lanes operator+(Lanes a, Lanes b) {
  return combine<arith::AddFOp, arith::AddIOp>(a, b);
}
inline Lanes operator-(Lanes a, Lanes b) {
  return combine<arith::SubFOp, arith::SubIOp>(a, b);
}
inline Lanes operator*(Lanes a, Lanes b) {
  return combine<arith::MulFOp, arith::MulIOp>(a, b);
}
inline Lanes operator/(Lanes a, Lanes b) {
  return a.with(arith::DivFOp::create(*a.builder, a.value, b.value));
}
inline Lanes operator&(Lanes a, Lanes b) {
  return a.with(arith::AndIOp::create(*a.builder, a.value, b.value));
}
inline Lanes operator|(Lanes a, Lanes b) {
  return a.with(arith::OrIOp::create(*a.builder, a.value, b.value));
}
inline Lanes operator^(Lanes a, Lanes b) {
  return a.with(arith::XOrIOp::create(*a.builder, a.value, b.value));
}
inline Lanes operator<<(Lanes a, Lanes b) {
  return a.with(arith::ShLIOp::create(*a.builder, a.value, b.value));
}
/// Shifts unsigned numbers.
inline Lanes operator>>(Lanes a, Lanes b) {
  return a.with(arith::ShRUIOp::create(*a.builder, a.value, b.value));
}
inline Lanes operator+(Lanes a, double b) { return a + a.like(b); }
inline Lanes operator-(Lanes a, double b) { return a - a.like(b); }
inline Lanes operator*(Lanes a, double b) { return a * a.like(b); }

inline Lanes compare(arith::CmpFPredicate predicate, Lanes a, Lanes b) {
  return a.with(arith::CmpFOp::create(*a.builder, predicate, a.value, b.value));
}
inline Lanes operator<(Lanes a, double b) {
  return compare(arith::CmpFPredicate::OLT, a, a.like(b));
}
inline Lanes operator>(Lanes a, double b) {
  return compare(arith::CmpFPredicate::OGT, a, a.like(b));
}
inline Lanes operator==(Lanes a, Lanes b) {
  return compare(arith::CmpFPredicate::OEQ, a, b);
}
inline Lanes operator==(Lanes a, double b) { return a == a.like(b); }
inline Lanes isNan(Lanes a) { return compare(arith::CmpFPredicate::UNO, a, a); }
inline Lanes isNonZero(Lanes a) {
  return a.with(arith::CmpIOp::create(*a.builder, arith::CmpIPredicate::ne,
                                      a.value, a.bits(0).value));
}
inline Lanes isBelow(Lanes a, Lanes b) {
  return a.with(arith::CmpIOp::create(*a.builder, arith::CmpIPredicate::ult,
                                      a.value, b.value));
}
inline Lanes select(Lanes condition, Lanes yes, Lanes no) {
  return yes.with(arith::SelectOp::create(*yes.builder, condition.value,
                                          yes.value, no.value));
}
inline Lanes abs(Lanes a) {
  return a.with(math::AbsFOp::create(*a.builder, a.value));
}

/// a * b + c, fused where the target has that: a math.fma would be a call of
/// libm elsewhere.
inline Lanes multiplyAdd(Lanes a, Lanes b, Lanes c) {
  constexpr auto contract = arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(*a.builder, a.value, b.value, contract);
  return a.with(arith::AddFOp::create(*a.builder, product, c.value, contract));
}

/// Horner's scheme, the highest coefficient first.
inline Lanes polynomial(Lanes x, ArrayRef<double> coefficients) {
  Lanes result = x.like(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    result = multiplyAdd(result, x, x.like(coefficient));
  return result;
}

} // namespace nnhal::lanes

#endif // NNHAL_LIB_CODEGEN_LANES_H
