//===- ShaderMath.cpp - Functions without fused operations ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What shading languages lack, or compute with errors that the tolerance of
// f32 results does not cover: Vulkan allows the exponential function 3 + 2|x|
// units of the last place, and makes no promise about large arguments of sines.
//
// exp: 2^k * e^r, where k is the nearest integer to x / ln(2). ln(2) is
// subtracted in two parts, the first of which has so few bits that its product
// with k is exact: upstream's expansion relies on a fused product and sum
// there, which GPUs need not have. The polynomial is that of Cephes. 2^k is
// multiplied in two halves, so that results overflow and underflow only where
// they should.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "MathExpansions.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::lanes;

namespace {

Lanes roundEven(Lanes x) {
  return x.with(math::RoundEvenOp::create(*x.builder, x.value));
}

/// 2^x of an i32 from -126 to 127.
Lanes powerOfTwo(Lanes x) {
  return ((x + x.bits(127)) << x.bits(23)).bitcast(x.builder->getF32Type());
}

/// \p x, where it is no NaN, within the bounds.
Lanes clamp(Lanes x, double low, double high) {
  Lanes above = select(x > low, x, x.like(low));
  return select(above < high, above, x.like(high));
}

/// e^r * 2^k for |r| up to ln(2) / 2 and a whole k from -151 to 129.
Lanes scaledExponential(Lanes r, Lanes k) {
  Lanes tail =
      polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                     4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
  Lanes power = tail * (r * r) + r + 1.0;
  Lanes whole = k.with(arith::FPToSIOp::create(
      *k.builder, k.typeOf(k.builder->getI32Type()), k.value));
  Lanes half = whole.with(
      arith::ShRSIOp::create(*k.builder, whole.value, whole.bits(1).value));
  return power * powerOfTwo(half) * powerOfTwo(whole - half);
}

Lanes expandExp(Lanes x) {
  Lanes bounded = clamp(x, -104.0, 89.0);
  Lanes k = roundEven(bounded * 1.44269504088896341);
  Lanes r = (bounded - k * 0.693359375) - k * -2.12194440e-4;
  return select(isNan(x), x, scaledExponential(r, k));
}

Lanes expandExp2(Lanes x) {
  Lanes bounded = clamp(x, -151.0, 129.0);
  Lanes k = roundEven(bounded);
  Lanes r = (bounded - k) * 0.693147180559945309;
  return select(isNan(x), x, scaledExponential(r, k));
}

Lanes expandLog10(Lanes x) {
  Lanes natural = x.with(math::LogOp::create(*x.builder, x.value));
  return natural * 0.434294481903251828;
}

Lanes expandLog2(Lanes x) {
  Lanes natural = x.with(math::LogOp::create(*x.builder, x.value));
  return natural * 1.44269504088896341;
}

/// Towards zero, which no shading language has for f16 and f64 alike.
Lanes expandTrunc(Lanes x) {
  Lanes floor = x.with(math::FloorOp::create(*x.builder, abs(x).value));
  return x.with(math::CopySignOp::create(*x.builder, floor.value, x.value));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// A function of f32 that \p expand makes operations of.
template <typename Op, Lanes (*expand)(Lanes)>
struct ExpandSingle : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expand({&builder, op.getOperand()}).value);
    return success();
  }
};

struct ExpandTrunc : OpRewritePattern<math::TruncOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TruncOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expandTrunc({&builder, op.getOperand()}).value);
    return success();
  }
};

/// The high half of a doubled product, rounded, of numbers of 32 bits: few
/// GPUs have wider ones.
struct ExpandDoublingHighMul : OpRewritePattern<kernel::DoublingHighMulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(kernel::DoublingHighMulOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto product =
        arith::MulSIExtendedOp::create(builder, op.getLhs(), op.getRhs());
    Lanes low{&builder, product.getLow()}, high{&builder, product.getHigh()};
    Lanes half = low.bits(uint64_t(1) << 30);
    Lanes nudged = low + half;
    // The sum has a carry where it is below what was added.
    Lanes carry = low.with(arith::ExtUIOp::create(builder, op.getType(),
                                                  isBelow(nudged, half).value));
    Lanes result = ((high + carry) << low.bits(1)) | (nudged >> low.bits(31));
    rewriter.replaceOp(op, result.value);
    return success();
  }
};

/// GLSL counts in words of 32 bits.
struct ExpandLeadingZeros : OpRewritePattern<math::CountLeadingZerosOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::CountLeadingZerosOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<IntegerType>(op.getType());
    if (!type || (type.getWidth() > 32 && type.getWidth() != 64) ||
        type.getWidth() == 32)
      return rewriter.notifyMatchFailure(op, "counted in one word");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type word = builder.getI32Type();
    auto number = [&](Type of, int64_t value) -> Value {
      return arith::ConstantIntOp::create(builder, of, value);
    };
    auto count = [&](Value value) -> Value {
      return math::CountLeadingZerosOp::create(builder, value);
    };
    if (type.getWidth() < 32) {
      Value wide = arith::ExtUIOp::create(builder, word, op.getOperand());
      Value zeros = arith::SubIOp::create(builder, count(wide),
                                          number(word, 32 - type.getWidth()));
      rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, zeros);
      return success();
    }
    Value upper = arith::ShRUIOp::create(builder, op.getOperand(),
                                         number(type, type.getWidth() - 32));
    Value high = arith::TruncIOp::create(builder, word, upper);
    Value low = arith::TruncIOp::create(builder, word, op.getOperand());
    Value isLow = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, high,
                                        number(word, 0));
    Value below = arith::AddIOp::create(builder, count(low),
                                        number(word, type.getWidth() - 32));
    Value zeros = arith::SelectOp::create(builder, isLow, below, count(high));
    rewriter.replaceOpWithNewOp<arith::ExtUIOp>(op, type, zeros);
    return success();
  }
};

/// Functions of f16 are computed in f32: errors are those of one rounding then.
struct WidenHalf : RewritePattern {
  explicit WidenHalf(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/20, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    bool isFunction = isa_and_present<math::MathDialect>(op->getDialect()) &&
                      !isa<math::AbsFOp, math::CopySignOp, math::FmaOp>(op);
    if (!isFunction || op->getNumResults() != 1 ||
        !getElementTypeOrSelf(op->getResult(0).getType()).isF16())
      return rewriter.notifyMatchFailure(op, "no function of f16");
    ImplicitLocOpBuilder builder(op->getLoc(), rewriter);
    auto wide = [&](Type type) -> Type {
      if (auto vector = dyn_cast<VectorType>(type))
        return vector.clone(builder.getF32Type());
      return builder.getF32Type();
    };
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      bool isHalf = getElementTypeOrSelf(operand.getType()).isF16();
      operands.push_back(isHalf ? arith::ExtFOp::create(
                                      builder, wide(operand.getType()), operand)
                                : operand);
    }
    Type type = op->getResult(0).getType();
    Operation *single =
        rewriter.create(op->getLoc(), op->getName().getIdentifier(), operands,
                        wide(type), op->getAttrs());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type,
                                                 single->getResult(0));
    return success();
  }
};

} // namespace

void nnhal::populateShaderMathExpansions(RewritePatternSet &patterns) {
  constexpr unsigned benefit = 10;
  patterns.add<ExpandSingle<math::ExpOp, expandExp>,
               ExpandSingle<math::Exp2Op, expandExp2>,
               ExpandSingle<math::Log10Op, expandLog10>,
               ExpandSingle<math::Log2Op, expandLog2>, ExpandTrunc,
               ExpandDoublingHighMul, ExpandLeadingZeros>(patterns.getContext(),
                                                          benefit);
  patterns.add<WidenHalf>(patterns.getContext());
}
