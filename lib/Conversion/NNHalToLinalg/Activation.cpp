//===- Activation.cpp - Activations ---------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace nnhal;

namespace {

Value constantLike(ImplicitLocOpBuilder &b, Value like, double value) {
  return scalarConstant(b, like.getType(), value);
}

//===----------------------------------------------------------------------===//
// compute(): one result element of each operation
//===----------------------------------------------------------------------===//

Value compute(ReluOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return applyActivation(b, FusedActivation::relu, v[0]);
}
Value compute(Relu1Op, ImplicitLocOpBuilder &b, ValueRange v) {
  return applyActivation(b, FusedActivation::relu1, v[0]);
}
Value compute(Relu6Op, ImplicitLocOpBuilder &b, ValueRange v) {
  return applyActivation(b, FusedActivation::relu6, v[0]);
}
Value compute(TanhOp, ImplicitLocOpBuilder &b, ValueRange v) {
  return math::TanhOp::create(b, v[0]);
}
Value compute(LogisticOp, ImplicitLocOpBuilder &b, ValueRange v) {
  Value one = constantLike(b, v[0], 1);
  Value power = math::ExpOp::create(b, arith::NegFOp::create(b, v[0]));
  return arith::DivFOp::create(b, one, arith::AddFOp::create(b, one, power));
}
Value compute(EluOp op, ImplicitLocOpBuilder &b, ValueRange v) {
  Value zero = constantLike(b, v[0], 0), one = constantLike(b, v[0], 1);
  Value alpha = constantLike(b, v[0], op.getAlpha().convertToDouble());
  Value power = math::ExpOp::create(b, v[0]);
  Value below =
      arith::MulFOp::create(b, alpha, arith::SubFOp::create(b, power, one));
  Value isAbove =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, v[0], zero);
  return arith::SelectOp::create(b, isAbove, v[0], below);
}
Value compute(HardSwishOp, ImplicitLocOpBuilder &b, ValueRange v) {
  Value three = constantLike(b, v[0], 3);
  Value gate = applyActivation(b, FusedActivation::relu6,
                               arith::AddFOp::create(b, v[0], three));
  Value product = arith::MulFOp::create(b, v[0], gate);
  return arith::MulFOp::create(b, product, constantLike(b, v[0], 1.0 / 6.0));
}
Value compute(PreluOp, ImplicitLocOpBuilder &b, ValueRange v) {
  Value zero = constantLike(b, v[0], 0);
  Value isAbove =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, v[0], zero);
  return arith::SelectOp::create(b, isAbove, v[0],
                                 arith::MulFOp::create(b, v[0], v[1]));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Any operation with a compute() above -> one linalg.generic.
template <typename OpTy> struct ActivationLowering : LoweringPattern<OpTy> {
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

/// The shape of \p type with extent 1 at \p axis.
SmallVector<int64_t> keepAxis(RankedTensorType type, int64_t axis) {
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 1;
  return shape;
}

/// (x - max) * beta along \p axis: no exponential of it can overflow (M-062).
Value buildShifted(ImplicitLocOpBuilder &builder, Value input, int64_t axis,
                   double beta) {
  RankedTensorType type = rankedType(input);
  Value lowest = scalarConstant(builder, type.getElementType(),
                                -std::numeric_limits<double>::infinity());
  auto keepLarger = [](ImplicitLocOpBuilder &b, ValueRange v) {
    return larger(b, v[0], v[1]);
  };
  Value largest = buildReduction(builder, input, axis, lowest, keepLarger);
  largest = buildReshape(builder, largest, keepAxis(type, axis));
  auto shift = [&](ImplicitLocOpBuilder &b, ValueRange v) {
    Value difference = arith::SubFOp::create(b, v[0], v[1]);
    if (beta == 1.0)
      return difference;
    return Value(
        arith::MulFOp::create(b, difference, constantLike(b, v[0], beta)));
  };
  return buildElementwise(builder, type, {input, largest}, shift);
}

/// Sum along \p axis, kept with extent 1.
Value buildSum(ImplicitLocOpBuilder &builder, Value input, int64_t axis) {
  RankedTensorType type = rankedType(input);
  Value zero = scalarConstant(builder, type.getElementType(), 0);
  auto add = [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
    return arith::AddFOp::create(b, v[1], v[0]);
  };
  Value sum = buildReduction(builder, input, axis, zero, add);
  return buildReshape(builder, sum, keepAxis(type, axis));
}

Value buildExp(ImplicitLocOpBuilder &builder, Value input) {
  return buildElementwise(builder, rankedType(input), input,
                          [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
                            return math::ExpOp::create(b, v[0]);
                          });
}

/// nnhal.softmax -> maximum, exponentials, sum, quotients.
struct SoftmaxLowering : LoweringPattern<SoftmaxOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(SoftmaxOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getOutput().getType();
    int64_t axis = frontAxis(op.getAxis(), type.getRank());
    Value powers =
        buildExp(builder, buildShifted(builder, adaptor.getInput(), axis,
                                       op.getBeta().convertToDouble()));
    Value sum = buildSum(builder, powers, axis);
    auto divide = [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
      return arith::DivFOp::create(b, v[0], v[1]);
    };
    rewriter.replaceOp(op,
                       buildElementwise(builder, type, {powers, sum}, divide));
    return success();
  }
};

/// nnhal.log_softmax -> shifted input minus logarithm of the sum.
struct LogSoftmaxLowering : LoweringPattern<LogSoftmaxOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(LogSoftmaxOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getOutput().getType();
    int64_t axis = frontAxis(op.getAxis(), type.getRank());
    Value shifted = buildShifted(builder, adaptor.getInput(), axis,
                                 op.getBeta().convertToDouble());
    Value sum = buildSum(builder, buildExp(builder, shifted), axis);
    // Logarithms of the sums, not of each element.
    Value logarithm =
        buildElementwise(builder, rankedType(sum), sum,
                         [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
                           return math::LogOp::create(b, v[0]);
                         });
    auto subtract = [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
      return arith::SubFOp::create(b, v[0], v[1]);
    };
    rewriter.replaceOp(
        op, buildElementwise(builder, type, {shifted, logarithm}, subtract));
    return success();
  }
};

} // namespace

Value nnhal::applyActivation(ImplicitLocOpBuilder &builder,
                             FusedActivation activation, Value value) {
  switch (activation) {
  case FusedActivation::none:
    return value;
  case FusedActivation::relu:
    return larger(builder, value, constantLike(builder, value, 0));
  case FusedActivation::relu1:
    value = larger(builder, value, constantLike(builder, value, -1));
    return smaller(builder, value, constantLike(builder, value, 1));
  case FusedActivation::relu6:
    value = larger(builder, value, constantLike(builder, value, 0));
    return smaller(builder, value, constantLike(builder, value, 6));
  }
  llvm_unreachable("every activation is handled above");
}

void nnhal::populateActivationPatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns,
                                       LinalgLowering &lowering) {
  patterns.add<ActivationLowering<ReluOp>, ActivationLowering<Relu1Op>,
               ActivationLowering<Relu6Op>, ActivationLowering<TanhOp>,
               ActivationLowering<LogisticOp>, ActivationLowering<EluOp>,
               ActivationLowering<HardSwishOp>, ActivationLowering<PreluOp>,
               SoftmaxLowering, LogSoftmaxLowering>(
      converter, patterns.getContext(), lowering);
}
