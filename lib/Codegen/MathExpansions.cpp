//===- MathExpansions.cpp - Functions over the whole range ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All functions work on numbers and on vectors alike, without branches that
// differ by lane: special cases are selected at the end.
//
// log: the number is split into an exponent and a mantissa about 1, whose
// logarithm is a polynomial (that of Cephes); subnormals are scaled before.
// ln(2) is added in two parts, so that the product with the exponent is exact.
//
// sin: multiples of a quarter turn are taken off, in f64, and a polynomial for
// the sine or the cosine of the rest is selected by the last two bits of their
// number. Up to 2^20, pi/2 in two parts is accurate enough for that. Above, the
// argument is multiplied with those bits of 2/pi that matter for its exponent,
// in integers (Payne and Hanek), in a branch that is taken if any lane needs
// it.
//
// pow: 2^(y * log2|x|), all in f64, whose error is then below that of the
// rounding to f32; the sign of odd powers and the special cases of C follow.
//
// atan2: the angle to the nearer axis is a polynomial of the smaller magnitude
// over the larger one, whatever is 0 or infinite; signs say which axis it is.
//
//===----------------------------------------------------------------------===//

#include "MathExpansions.h"

#include "Lanes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace nnhal::lanes;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
/// Added to a double of up to 2^51 it leaves the nearest integer in the lowest
/// bits of the sum.
constexpr double magic = 0x1.8p52;

//===----------------------------------------------------------------------===//
// log
//===----------------------------------------------------------------------===//

/// x as m * 2^exponent with m from sqrt(1/2) to sqrt(2), for a positive normal
/// x of f32 or f64.
struct Split {
  Lanes mantissa;
  Lanes exponent;
};
Split split(Lanes x) {
  bool isSingle = getElementTypeOrSelf(x.value).isF32();
  Type integer = isSingle ? x.builder->getI32Type() : x.builder->getI64Type();
  uint64_t fractionBits = isSingle ? 23 : 52;
  // The bits of sqrt(1/2): what is above them belongs to the exponent.
  uint64_t root = isSingle ? 0x3f3504f3 : 0x3fe6a09e667f3bcd;
  Lanes distance = x.bitcast(integer);
  distance = distance - distance.bits(root);
  Lanes exponent = x.with(arith::ShRSIOp::create(
      *x.builder, distance.value, distance.bits(fractionBits).value));
  Lanes fraction =
      (distance & distance.bits((uint64_t(1) << fractionBits) - 1)) +
      distance.bits(root);
  Type type = getElementTypeOrSelf(x.value);
  Lanes number = x.with(
      arith::SIToFPOp::create(*x.builder, x.typeOf(type), exponent.value));
  return {fraction.bitcast(type), number};
}

/// The polynomial is that of Cephes' logf. Subnormals are scaled first.
Lanes expandLog(Lanes x) {
  Lanes isSmall = x < 0x1p-126;
  Split parts = split(select(isSmall, x * 0x1p23, x));
  Lanes exponent = parts.exponent + select(isSmall, x.like(-23), x.like(0));
  Lanes f = parts.mantissa - 1.0;
  Lanes square = f * f;
  Lanes tail =
      polynomial(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                     -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                     2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  // ln(2) in two parts, the first of which has few bits.
  Lanes low = tail * f * square + exponent * -2.12194440e-4 - square * 0.5;
  Lanes result = (f + low) + exponent * 0.693359375;
  result = select(x == infinity, x, result);
  result = select(x == 0.0, x.like(-infinity), result);
  return select((x < 0.0) | isNan(x), x.like(nan), result);
}

//===----------------------------------------------------------------------===//
// sin
//===----------------------------------------------------------------------===//

/// A multiple of a quarter turn, of which the last two bits count, and the
/// rest in f64 from -pi/4 to pi/4.
struct QuarterTurns {
  Lanes quarters;
  Lanes rest;
};

/// For x from 0 to 2^20: pi/2 in two parts, the first of which has 33 bits, so
/// that its product is exact.
QuarterTurns reduceModerate(Lanes x) {
  Lanes shifted = x * 6.36619772367581382433e-01 + magic;
  Lanes quarters = shifted - magic;
  Lanes rest = (x - quarters * 1.57079632673412561417e+00) -
               quarters * 6.07710050650619224932e-11;
  return {shifted.bitcast(x.builder->getI64Type()), rest};
}

/// For x of f32 from 2^20, whose \p bits are given as i64: the product with the
/// bits of 2/pi that matter for its exponent (Payne and Hanek). Those of a
/// weight of 4 and more are multiples of a turn.
QuarterTurns reduceLarge(Lanes bits) {
  auto number = [&](uint64_t value) { return bits.bits(value); };
  // 64 zeros precede 2/pi, so that no exponent begins before it.
  constexpr uint64_t words[] = {0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
                                0xdb6295993c439041, 0xfe5163abdebbc561};
  Lanes first = (bits >> number(23)) - number(88);
  Lanes shift = first & number(63);
  Lanes isFirst = isBelow(first, number(64));
  Lanes isSecond = isBelow(first, number(128));
  auto word = [&](size_t i) {
    return select(isFirst, number(words[i]),
                  select(isSecond, number(words[i + 1]), number(words[i + 2])));
  };
  auto shifted = [&](Lanes high, Lanes low) {
    // A shift by 64 is none.
    return (high << shift) | ((low >> number(1)) >> (number(63) - shift));
  };
  Lanes middle = word(1);
  Lanes high = shifted(word(0), middle);
  Lanes low = shifted(middle, word(2)) >> number(32);
  Lanes mantissa = (bits & number(0x7fffff)) | number(0x800000);
  // Units of 2^-62 quarters; whole turns overflow.
  Lanes product = mantissa * high + ((mantissa * low) >> number(32));
  Lanes quarters = (product + number(uint64_t(1) << 61)) >> number(62);
  Lanes rest = product - (quarters << number(62));
  Lanes real = bits.with(arith::SIToFPOp::create(
      *bits.builder, bits.typeOf(bits.builder->getF64Type()), rest.value));
  return {quarters, real * (1.57079632679489661923 * 0x1p-62)};
}

/// Whether \p condition holds in any lane. SPIR-V has no reduction, and
/// vectors of up to four lanes.
Value anyOf(Lanes condition, bool forShaders) {
  auto vector = dyn_cast<VectorType>(condition.getType());
  if (!vector)
    return condition.value;
  if (forShaders) {
    Value any;
    for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
      Value one =
          vector::ExtractOp::create(*condition.builder, condition.value, lane);
      any = any ? arith::OrIOp::create(*condition.builder, any, one) : one;
    }
    return any;
  }
  return vector::ReductionOp::create(
      *condition.builder, vector::CombiningKind::OR, condition.value);
}

/// The sine of \p x plus \p shift quarter turns.
Lanes expandSin(Lanes x, uint64_t shift, bool forShaders) {
  ImplicitLocOpBuilder &builder = *x.builder;
  Lanes magnitude = abs(x);
  Lanes isLarge = magnitude > 0x1p20;
  QuarterTurns turns = reduceModerate(magnitude.toF64());
  // Hardly anybody has such arguments: the others do not pay for them.
  auto branch = scf::IfOp::create(
      builder, anyOf(isLarge, forShaders),
      [&](OpBuilder &nested, Location location) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(nested.getInsertionBlock(),
                                  nested.getInsertionPoint());
        Lanes bits = magnitude.bitcast(builder.getI32Type());
        QuarterTurns large = reduceLarge(x.with(arith::ExtUIOp::create(
            builder, x.typeOf(builder.getI64Type()), bits.value)));
        scf::YieldOp::create(
            builder,
            ValueRange{select(isLarge, large.quarters, turns.quarters).value,
                       select(isLarge, large.rest, turns.rest).value});
      },
      [&](OpBuilder &nested, Location location) {
        scf::YieldOp::create(
            nested, location,
            ValueRange{turns.quarters.value, turns.rest.value});
      });
  Lanes quarters = x.with(branch.getResult(0));
  Lanes rest = x.with(branch.getResult(1));
  // The cosine is even: the sign of x does not count.
  if (shift != 0)
    quarters = quarters + quarters.bits(shift);
  Lanes square = rest * rest;
  Lanes sine = rest + rest * square *
                          polynomial(square, {1.0 / 362880, -1.0 / 5040,
                                              1.0 / 120, -1.0 / 6});
  Lanes cosine = polynomial(
      square, {-1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5, 1.0});
  Lanes isOdd = isNonZero(quarters & quarters.bits(1));
  Lanes isNegative = isNonZero(quarters & quarters.bits(2));
  if (shift == 0)
    isNegative = isNegative ^ (x < 0.0);
  Lanes result = select(isOdd, cosine, sine);
  result = select(isNegative, result * -1.0, result);
  Lanes isFinite = magnitude < infinity;
  return select(isFinite, result.toF32(), x.like(nan));
}

//===----------------------------------------------------------------------===//
// pow
//===----------------------------------------------------------------------===//

/// log2 of a positive normal x of f64, within 10^-12 of it.
Lanes logarithm2(Lanes x) {
  Split parts = split(x);
  Lanes f = parts.mantissa - 1.0;
  Lanes s = f / (f + 2.0);
  Lanes square = s * s;
  Lanes tail = polynomial(
      square, {1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0});
  constexpr double twoOverLn2 = 2.88539008177792681472;
  return s * tail * twoOverLn2 + parts.exponent;
}

/// 2^x in f64, for x of magnitudes below 1000, within 10^-11 of it.
Lanes exponential2(Lanes x) {
  Lanes shifted = x + magic;
  Lanes t = (x - (shifted - magic)) * 6.93147180559945309417e-01;
  Lanes power = polynomial(t, {1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                               1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0});
  Lanes integer = shifted.bitcast(x.builder->getI64Type());
  Lanes bits =
      power.bitcast(x.builder->getI64Type()) + (integer << integer.bits(52));
  return bits.bitcast(x.builder->getF64Type());
}

/// Whether the sign bit of \p x of f32 is set, which a zero may have.
Lanes isSigned(Lanes x) {
  Lanes bits = x.bitcast(x.builder->getI32Type());
  return isNonZero(bits & bits.bits(0x80000000));
}

/// 2^(y * log2|x|) in f64, with the special cases of C.
Lanes expandPow(Lanes x, Lanes y) {
  Lanes magnitude = abs(x);
  Lanes wide = magnitude.toF64(), exponent = y.toF64();
  Lanes isZero = x == 0.0;
  Lanes isInfinite = magnitude == infinity;
  Lanes logarithm = logarithm2(wide);
  logarithm = select(isZero, wide.like(-infinity), logarithm);
  logarithm = select(isInfinite, wide, logarithm);
  // |x| = 1 with an infinite exponent is 1.
  Lanes product = select(magnitude == 1.0, wide.like(0), exponent * logarithm);
  // Beyond the range of f32 either way; a NaN becomes a bound.
  product = select(product < 200.0, product, wide.like(200));
  product = select(product > -200.0, product, wide.like(-200));
  Lanes result = exponential2(product).toF32();

  // From 2^24 on every exponent is even; below the sum is exact in f64.
  Lanes size = abs(exponent);
  Lanes isBig = size > 0x1p24;
  Lanes shifted = size + magic;
  Lanes isWhole = ((shifted - magic) == size) | isBig;
  Lanes parity = shifted.bitcast(x.builder->getI64Type());
  Lanes isEven = select(isNonZero(parity & parity.bits(1)), isBig, isWhole);
  Lanes isOdd = isWhole ^ isEven;
  result = select(isOdd & isSigned(x), result * -1.0, result);
  Lanes isUndefined =
      (x < 0.0) & (magnitude < infinity) & (isWhole ^ isWhole.bits(1));
  result = select(isUndefined | isNan(x) | isNan(y), x.like(nan), result);
  return select((y == 0.0) | (x == 1.0), x.like(1), result);
}

//===----------------------------------------------------------------------===//
// atan2
//===----------------------------------------------------------------------===//

/// The polynomial is within 1.7 * 10^-8 of the angle, relatively.
Lanes expandAtan2(Lanes y, Lanes x) {
  Lanes across = abs(x), up = abs(y);
  Lanes isSteep = compare(arith::CmpFPredicate::OGT, up, across);
  Lanes most = select(isSteep, up, across), least = select(isSteep, across, up);
  Lanes ratio = least / most;
  // Infinities have one magnitude, and so have zeros, which have no angle.
  ratio =
      select(least == most, select(most == 0.0, x.like(0), x.like(1)), ratio);
  Lanes square = ratio * ratio;
  Lanes tail = polynomial(square, {2.9206910929e-03, -1.6367923048e-02,
                                   4.3211851927e-02, -7.5522134424e-02,
                                   1.0666004188e-01, -1.4211055171e-01,
                                   1.9993772814e-01, -3.3333152735e-01});
  Lanes angle = ratio + ratio * square * tail;
  constexpr double pi = 3.14159265358979323846;
  angle = select(isSteep, x.like(pi / 2) - angle, angle);
  angle = select(isSigned(x), x.like(pi) - angle, angle);
  angle = select(isSigned(y), angle * -1.0, angle);
  return select(isNan(x) | isNan(y), x.like(nan), angle);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

bool isSingle(Type type) { return getElementTypeOrSelf(type).isF32(); }

struct LogPattern : OpRewritePattern<math::LogOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::LogOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSingle(op.getType()))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expandLog({&builder, op.getOperand()}).value);
    return success();
  }
};

/// A sine, or a cosine, which is \p shift quarter turns ahead of it.
template <typename Op, uint64_t shift>
struct SinePattern : OpRewritePattern<Op> {
  SinePattern(MLIRContext *context, PatternBenefit benefit, bool forShaders)
      : OpRewritePattern<Op>(context, benefit), forShaders(forShaders) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isSingle(op.getType()))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op, expandSin({&builder, op.getOperand()}, shift, forShaders).value);
    return success();
  }

private:
  bool forShaders;
};

struct PowPattern : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSingle(op.getType()))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op, expandPow({&builder, op.getLhs()}, {&builder, op.getRhs()}).value);
    return success();
  }
};

struct Atan2Pattern : OpRewritePattern<math::Atan2Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Atan2Op op,
                                PatternRewriter &rewriter) const override {
    if (!isSingle(op.getType()))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op,
        expandAtan2({&builder, op.getLhs()}, {&builder, op.getRhs()}).value);
    return success();
  }
};

/// Rounding and conversion, each of which is an instruction or more, in one of
/// x86 (cvtps2dq).
struct RoundToIntPattern : OpRewritePattern<arith::FPToSIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::FPToSIOp op,
                                PatternRewriter &rewriter) const override {
    auto rounded = op.getIn().getDefiningOp<math::RoundEvenOp>();
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!rounded || !isSingle(op.getIn().getType()) ||
        !getElementTypeOrSelf(op.getType()).isInteger(32) ||
        (vector && vector.getRank() != 1))
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::LrintOp>(op, op.getType(),
                                               rounded.getOperand());
    return success();
  }
};

} // namespace

void nnhal::populateMathExpansions(RewritePatternSet &patterns,
                                   bool forShaders) {
  constexpr unsigned benefit = 10;
  MLIRContext *context = patterns.getContext();
  patterns.add<LogPattern, PowPattern, Atan2Pattern>(context, benefit);
  patterns.add<SinePattern<math::SinOp, 0>, SinePattern<math::CosOp, 1>>(
      context, benefit, forShaders);
  if (!forShaders)
    patterns.add<RoundToIntPattern>(context, benefit);
}
