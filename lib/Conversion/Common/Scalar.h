//===- Scalar.h - Arithmetic on scalars while building IR -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element of a tensor is defined by an expression over elements of others.
// With operators such an expression reads like the rule that it implements.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_COMMON_SCALAR_H
#define NNHAL_LIB_CONVERSION_COMMON_SCALAR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nnhal {

/// A float, a signless integer, an i1 or an index. Operators build arith
/// operations where the builder stands, or fold; both sides have one type, and
/// a number takes the type of the other side. Integers are signed and wrap.
///
/// Ownership: refers to its builder.
class Scalar {
public:
  Scalar() = default;
  Scalar(mlir::ImplicitLocOpBuilder &builder, mlir::Value value)
      : builder(&builder), value(value) {}

  static Scalar constant(mlir::ImplicitLocOpBuilder &builder, mlir::Type type,
                         double number);
  static Scalar integer(mlir::ImplicitLocOpBuilder &builder, mlir::Type type,
                        int64_t number);
  static Scalar index(mlir::ImplicitLocOpBuilder &builder, int64_t number);

  operator mlir::Value() const { return value; }
  mlir::Value get() const { return value; }
  mlir::Type getType() const { return value.getType(); }
  mlir::ImplicitLocOpBuilder &getBuilder() const { return *builder; }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(getType()); }
  bool isIndex() const { return getType().isIndex(); }
  /// The number, where it is a known integer or index.
  std::optional<int64_t> known() const;

  /// \p number in the type of this one.
  Scalar like(double number) const;

  //===--------------------------------------------------------------------===//
  // Conversions
  //===--------------------------------------------------------------------===//

  /// The value in \p type. Integers are sign-extended or cut; floats become
  /// integers toward zero and must be in range (see saturated()).
  Scalar to(mlir::Type type) const;
  Scalar toF32() const;
  Scalar toF64() const;
  Scalar toI32() const;
  Scalar toI64() const;
  Scalar toIndex() const;
  /// An integer read as unsigned, in the wider integer \p type.
  Scalar zeroExtended(mlir::Type type) const;
  /// Reads the bits as \p type, which has the same width.
  Scalar bitcast(mlir::Type type) const;

  //===--------------------------------------------------------------------===//
  // Integers and bits
  //===--------------------------------------------------------------------===//

  /// Toward zero and toward negative infinity; the divisor is not zero, and -1
  /// does not divide the smallest integer.
  Scalar quotient(Scalar divisor) const;
  Scalar floorQuotient(Scalar divisor) const;
  Scalar remainder(Scalar divisor) const;
  Scalar shiftedLeft(Scalar count) const;
  /// Arithmetic.
  Scalar shiftedRight(Scalar count) const;

private:
  mlir::ImplicitLocOpBuilder *builder = nullptr;
  mlir::Value value;
};

Scalar operator+(Scalar lhs, Scalar rhs);
Scalar operator-(Scalar lhs, Scalar rhs);
Scalar operator*(Scalar lhs, Scalar rhs);
/// Divides floats; see quotient() for others.
Scalar operator/(Scalar lhs, Scalar rhs);
Scalar operator-(Scalar operand);
Scalar operator+(Scalar lhs, double rhs);
Scalar operator-(Scalar lhs, double rhs);
Scalar operator*(Scalar lhs, double rhs);
Scalar operator/(Scalar lhs, double rhs);
Scalar operator+(double lhs, Scalar rhs);
Scalar operator-(double lhs, Scalar rhs);
Scalar operator*(double lhs, Scalar rhs);
Scalar operator/(double lhs, Scalar rhs);

// i1; false for NaN, except that != is true.
Scalar operator<(Scalar lhs, Scalar rhs);
Scalar operator<=(Scalar lhs, Scalar rhs);
Scalar operator>(Scalar lhs, Scalar rhs);
Scalar operator>=(Scalar lhs, Scalar rhs);
Scalar operator==(Scalar lhs, Scalar rhs);
Scalar operator!=(Scalar lhs, Scalar rhs);
Scalar operator<(Scalar lhs, double rhs);
Scalar operator<=(Scalar lhs, double rhs);
Scalar operator>(Scalar lhs, double rhs);
Scalar operator>=(Scalar lhs, double rhs);
Scalar operator==(Scalar lhs, double rhs);
Scalar operator!=(Scalar lhs, double rhs);

/// Bitwise; of i1 logical. Both sides are always evaluated.
Scalar operator&(Scalar lhs, Scalar rhs);
Scalar operator|(Scalar lhs, Scalar rhs);
Scalar operator^(Scalar lhs, Scalar rhs);
/// Negates an i1.
Scalar operator!(Scalar operand);

Scalar select(Scalar condition, Scalar yes, Scalar no);
/// `lhs > rhs ? lhs : rhs` and its counterpart: the second one for NaN.
Scalar max(Scalar lhs, Scalar rhs);
Scalar min(Scalar lhs, Scalar rhs);
Scalar max(Scalar lhs, double rhs);
Scalar min(Scalar lhs, double rhs);
Scalar clamp(Scalar operand, Scalar low, Scalar high);
Scalar clamp(Scalar operand, double low, double high);

/// A float as integer \p type of at most 32 bits: cut to its range first, NaN
/// becomes 0.
Scalar saturated(Scalar operand, mlir::Type type);

/// Counts the zeros of an integer from its highest bit.
Scalar leadingZeros(Scalar operand);

// These take floats.
Scalar abs(Scalar operand);
/// |magnitude| with the sign of \p sign.
Scalar copySign(Scalar magnitude, Scalar sign);
Scalar exp(Scalar operand);
Scalar log(Scalar operand);
Scalar sqrt(Scalar operand);
Scalar rsqrt(Scalar operand);
Scalar sin(Scalar operand);
Scalar tanh(Scalar operand);
Scalar pow(Scalar base, Scalar exponent);
Scalar floor(Scalar operand);
Scalar ceil(Scalar operand);
Scalar trunc(Scalar operand);
/// Half away from zero, as std::round.
Scalar round(Scalar operand);
/// Half to even, as std::nearbyint.
Scalar roundEven(Scalar operand);
/// 1 / (1 + exp(-operand)).
Scalar logistic(Scalar operand);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_COMMON_SCALAR_H
