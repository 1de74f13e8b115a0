//===- Elementwise.cpp - Element-wise operations --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace nnhal;

namespace {

bool isFloat(Value value) { return isa<FloatType>(value.getType()); }

/// A TENSOR_BOOL8 element as i1: any byte but zero is true (decisions 12).
Value toTruth(ImplicitLocOpBuilder &b, Value byte) {
  Value zero = scalarConstant(b, byte.getType(), 0);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, byte, zero);
}

/// i1 as a TENSOR_BOOL8 element, 0 or 1.
Value fromTruth(ImplicitLocOpBuilder &b, Value truth) {
  return arith::ExtUIOp::create(b, b.getI8Type(), truth);
}

/// Quotient toward negative infinity; 0 for a zero divisor (M-041). Neither
/// that nor the smallest integer over -1 may trap.
Value floorDivide(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  Value zero = scalarConstant(b, rhs.getType(), 0);
  Value one = scalarConstant(b, rhs.getType(), 1);
  Value minusOne = scalarConstant(b, rhs.getType(), -1);
  Value byZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rhs, zero);
  Value byMinusOne =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rhs, minusOne);
  Value isSpecial = arith::OrIOp::create(b, byZero, byMinusOne);
  Value divisor = arith::SelectOp::create(b, isSpecial, one, rhs);
  Value quotient = arith::FloorDivSIOp::create(b, lhs, divisor);
  Value negated = arith::SubIOp::create(b, zero, lhs);
  quotient = arith::SelectOp::create(b, byMinusOne, negated, quotient);
  return arith::SelectOp::create(b, byZero, zero, quotient);
}

Value compare(ImplicitLocOpBuilder &b, ValueRange v,
              arith::CmpFPredicate floats, arith::CmpIPredicate integers) {
  if (isFloat(v[0]))
    return fromTruth(b, arith::CmpFOp::create(b, floats, v[0], v[1]));
  if (!v[0].getType().isInteger(8))
    return fromTruth(b, arith::CmpIOp::create(b, integers, v[0], v[1]));
  Value lhs = fromTruth(b, toTruth(b, v[0]));
  Value rhs = fromTruth(b, toTruth(b, v[1]));
  return fromTruth(b, arith::CmpIOp::create(b, integers, lhs, rhs));
}

//===----------------------------------------------------------------------===//
// compute(): one result element of each operation
//===----------------------------------------------------------------------===//

Value compute(AddOp op, ImplicitLocOpBuilder &b, ValueRange v) {
  Value sum = isFloat(v[0]) ? Value(arith::AddFOp::create(b, v[0], v[1]))
                            : Value(arith::AddIOp::create(b, v[0], v[1]));
  return applyActivation(b, op.getActivation(), sum);
}
Value compute(SubOp op, ImplicitLocOpBuilder &b, ValueRange v) {
  Value difference = isFloat(v[0])
                         ? Value(arith::SubFOp::create(b, v[0], v[1]))
                         : Value(arith::SubIOp::create(b, v[0], v[1]));
  return applyActivation(b, op.getActivation(), difference);
}
Value compute(MulOp op, ImplicitLocOpBuilder &b, ValueRange v) {
  Value product = isFloat(v[0]) ? Value(arith::MulFOp::create(b, v[0], v[1]))
                                : Value(arith::MulIOp::create(b, v[0], v[1]));
  return applyActivation(b, op.getActivation(), product);
}
Value compute(DivOp op, ImplicitLocOpBuilder &b, ValueRange v) {
  Value quotient = isFloat(v[0]) ? Value(arith::DivFOp::create(b, v[0], v[1]))
                                 : floorDivide(b, v[0], v[1]);
  return applyActivation(b, op.getActivation(), quotient);
}
Value compute(MaximumOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return larger(b, v[0], v[1]);
}
Value compute(MinimumOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return smaller(b, v[0], v[1]);
}

Value compute(EqualOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return compare(b, v, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
Value compute(NotEqualOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return compare(b, v, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne);
}
Value compute(GreaterOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return compare(b, v, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt);
}
Value compute(GreaterEqualOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return compare(b, v, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge);
}
Value compute(LessOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return compare(b, v, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
}
Value compute(LessEqualOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return compare(b, v, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle);
}

Value compute(LogicalAndOp, ImplicitLocOpBuilder &b, ValueRange v) {
  Value lhs = toTruth(b, v[0]), rhs = toTruth(b, v[1]);
  return fromTruth(b, arith::AndIOp::create(b, lhs, rhs));
}
Value compute(LogicalOrOp, ImplicitLocOpBuilder &b, ValueRange v) {
  Value lhs = toTruth(b, v[0]), rhs = toTruth(b, v[1]);
  return fromTruth(b, arith::OrIOp::create(b, lhs, rhs));
}
Value compute(LogicalNotOp, ImplicitLocOpBuilder &b, ValueRange v) {
  Value zero = scalarConstant(b, v[0].getType(), 0);
  return fromTruth(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, v[0], zero));
}
Value compute(SelectOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return arith::SelectOp::create(b, toTruth(b, v[0]), v[1], v[2]);
}

Value compute(AbsOp, ImplicitLocOpBuilder &b, ValueRange v) {
  if (isFloat(v[0]))
    return math::AbsFOp::create(b, v[0]);
  // math.absi is poison for the smallest integer.
  Value zero = scalarConstant(b, v[0].getType(), 0);
  return larger(b, v[0], arith::SubIOp::create(b, zero, v[0]));
}
Value compute(NegOp, ImplicitLocOpBuilder &b, ValueRange v) {
  if (isFloat(v[0]))
    return arith::NegFOp::create(b, v[0]);
  Value zero = scalarConstant(b, v[0].getType(), 0);
  return arith::SubIOp::create(b, zero, v[0]);
}
Value compute(ExpOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return math::ExpOp::create(b, v[0]);
}
Value compute(LogOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return math::LogOp::create(b, v[0]);
}
Value compute(SinOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return math::SinOp::create(b, v[0]);
}
Value compute(SqrtOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return math::SqrtOp::create(b, v[0]);
}
Value compute(RsqrtOp, ImplicitLocOpBuilder &b, ValueRange v) {
  // Not math.rsqrt, whose approximation is infinite for subnormals.
  Value one = scalarConstant(b, v[0].getType(), 1);
  return arith::DivFOp::create(b, one, math::SqrtOp::create(b, v[0]));
}
Value compute(FloorOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return math::FloorOp::create(b, v[0]);
}
Value compute(CastOp op, ImplicitLocOpBuilder &b, ValueRange v) {
  Type from = v[0].getType(), to = op.getOutput().getType().getElementType();
  if (from == to)
    return v[0];
  if (isa<FloatType>(to))
    return arith::SIToFPOp::create(b, to, v[0]);
  // Out of range is unspecified but must not trap (M-150): stay in range.
  Value low = scalarConstant(b, from, -2147483648.0);
  Value high = scalarConstant(b, from, 2147483520.0);
  Value limited = smaller(b, larger(b, v[0], low), high);
  return arith::FPToSIOp::create(b, to, limited);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Any operation with a compute() above -> one linalg.generic.
template <typename OpTy> struct ElementwiseLowering : LoweringPattern<OpTy> {
  using LoweringPattern<OpTy>::LoweringPattern;
  LogicalResult lower(OpTy op, typename OpTy::Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange elements) {
      return compute(op, b, elements.drop_back());
    };
    rewriter.replaceOp(op, buildElementwise(builder, op.getOutput().getType(),
                                            adaptor.getOperands(), body));
    return success();
  }
};

} // namespace

void nnhal::populateElementwisePatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns,
                                        LinalgLowering &lowering) {
  auto add = [&]<typename... OpTys>(unsigned types) {
    patterns.add<ElementwiseLowering<OpTys>...>(
        converter, patterns.getContext(), lowering, types);
  };
  add.operator()<AddOp, SubOp, MulOp, DivOp, MaximumOp, MinimumOp, SelectOp,
                 AbsOp, NegOp>(takesFloats | takesIntegers);
  add.operator()<EqualOp, NotEqualOp, GreaterOp, GreaterEqualOp, LessOp,
                 LessEqualOp, CastOp>(takesFloats | takesIntegers |
                                      takesBooleans);
  add.operator()<LogicalAndOp, LogicalOrOp, LogicalNotOp>(takesBooleans);
  add.operator()<ExpOp, LogOp, SinOp, SqrtOp, RsqrtOp, FloorOp>(takesFloats);
}
