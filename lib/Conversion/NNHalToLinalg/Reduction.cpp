//===- Reduction.cpp - Reductions -----------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace nnhal;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How one reduction starts, and how it goes on with (element, accumulator).
struct Reduction {
  double identity;
  Value (*combine)(ImplicitLocOpBuilder &, ValueRange);
};

Value addElements(ImplicitLocOpBuilder &b, ValueRange v) {
  return arith::AddFOp::create(b, v[1], v[0]);
}
Value multiplyElements(ImplicitLocOpBuilder &b, ValueRange v) {
  return arith::MulFOp::create(b, v[1], v[0]);
}
Value keepLarger(ImplicitLocOpBuilder &b, ValueRange v) {
  return larger(b, v[0], v[1]);
}
Value keepSmaller(ImplicitLocOpBuilder &b, ValueRange v) {
  return smaller(b, v[0], v[1]);
}

/// 1 for any byte but zero (decisions 12).
Value normalizeTruth(ImplicitLocOpBuilder &b, Value byte) {
  Value zero = scalarConstant(b, byte.getType(), 0);
  Value truth = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, byte, zero);
  return arith::ExtUIOp::create(b, byte.getType(), truth);
}
Value keepAll(ImplicitLocOpBuilder &b, ValueRange v) {
  return arith::AndIOp::create(b, v[1], normalizeTruth(b, v[0]));
}
Value keepAny(ImplicitLocOpBuilder &b, ValueRange v) {
  return arith::OrIOp::create(b, v[1], normalizeTruth(b, v[0]));
}

Reduction reductionOf(MeanOp) { return {0.0, addElements}; }
Reduction reductionOf(ReduceSumOp) { return {0.0, addElements}; }
Reduction reductionOf(ReduceProdOp) { return {1.0, multiplyElements}; }
Reduction reductionOf(ReduceMaxOp) { return {-infinity, keepLarger}; }
Reduction reductionOf(ReduceMinOp) { return {infinity, keepSmaller}; }
Reduction reductionOf(ReduceAllOp) { return {1.0, keepAll}; }
Reduction reductionOf(ReduceAnyOp) { return {0.0, keepAny}; }

/// \p axes counted from the front, ascending, each once (M-025).
SmallVector<int64_t> normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes)
    result.push_back(frontAxis(axis, rank));
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

/// A reduction -> linalg.generic over the operand's dimensions in their order,
/// so that channels stay innermost; a mean divides afterwards.
template <typename OpTy> struct ReduceLowering : LoweringPattern<OpTy> {
  using LoweringPattern<OpTy>::LoweringPattern;
  LogicalResult lower(OpTy op, typename OpTy::Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    RankedTensorType inputType = op.getInput().getType();
    auto axes = normalizeAxes(op.getAxes(), inputType.getRank());
    Reduction reduction = reductionOf(op);
    Value identity =
        scalarConstant(builder, inputType.getElementType(), reduction.identity);
    Value result = buildReduction(builder, adaptor.getInput(), axes, identity,
                                  reduction.combine);
    if constexpr (std::is_same_v<OpTy, MeanOp>)
      result = divideByCount(builder, result,
                             inputType.getNumElements() /
                                 rankedType(result).getNumElements());
    rewriter.replaceOp(
        op, buildReshape(builder, result, op.getOutput().getType().getShape()));
    return success();
  }

  static Value divideByCount(ImplicitLocOpBuilder &builder, Value sum,
                             int64_t count) {
    auto divide = [&](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
      Value divisor =
          scalarConstant(b, v[0].getType(), static_cast<double>(count));
      return arith::DivFOp::create(b, v[0], divisor);
    };
    return buildElementwise(builder, rankedType(sum), sum, divide);
  }
};

/// nnhal.argmax, nnhal.argmin -> linalg.generic that carries the best element
/// and its index; only a strictly better one replaces it (M-136).
template <typename OpTy, bool isMaximum>
struct ArgReduceLowering : LoweringPattern<OpTy> {
  using LoweringPattern<OpTy>::LoweringPattern;
  LogicalResult lower(OpTy op, typename OpTy::Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    RankedTensorType inputType = op.getInput().getType();
    int64_t rank = inputType.getRank();
    int64_t axis = frontAxis(op.getAxis(), rank);
    SmallVector<int64_t> shape(inputType.getShape());
    shape.erase(shape.begin() + axis);
    Value worst = worstElement(builder, inputType.getElementType());
    Value zero = scalarConstant(builder, builder.getI32Type(), 0);
    Value inits[] = {
        buildFilled(builder,
                    RankedTensorType::get(shape, inputType.getElementType()),
                    worst),
        buildFilled(builder, RankedTensorType::get(shape, builder.getI32Type()),
                    zero)};
    AffineMap kept = builder.getMultiDimIdentityMap(rank).dropResult(axis);
    AffineMap maps[] = {builder.getMultiDimIdentityMap(rank), kept, kept};
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    iterators[axis] = utils::IteratorType::reduction;
    auto generic = linalg::GenericOp::create(
        builder, TypeRange(ValueRange(inits)), adaptor.getInput(), inits, maps,
        iterators, [&](OpBuilder &nested, Location location, ValueRange v) {
          ImplicitLocOpBuilder b(location, nested);
          Value index = arith::IndexCastOp::create(
              b, b.getI32Type(), linalg::IndexOp::create(b, axis));
          Value isBetter = compare(b, v[0], v[1]);
          Value best = arith::SelectOp::create(b, isBetter, v[0], v[1]);
          Value where = arith::SelectOp::create(b, isBetter, index, v[2]);
          linalg::YieldOp::create(b, ValueRange{best, where});
        });
    rewriter.replaceOp(op, buildReshape(builder, generic.getResult(1),
                                        op.getOutput().getType().getShape()));
    return success();
  }

  static Value worstElement(ImplicitLocOpBuilder &builder, Type type) {
    if (isa<FloatType>(type))
      return scalarConstant(builder, type, isMaximum ? -infinity : infinity);
    unsigned bits = type.getIntOrFloatBitWidth();
    APInt value = isMaximum ? APInt::getSignedMinValue(bits)
                            : APInt::getSignedMaxValue(bits);
    return arith::ConstantOp::create(builder,
                                     builder.getIntegerAttr(type, value));
  }

  static Value compare(ImplicitLocOpBuilder &b, Value element, Value best) {
    if (isa<FloatType>(element.getType()))
      return arith::CmpFOp::create(
          b, isMaximum ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT,
          element, best);
    return arith::CmpIOp::create(
        b, isMaximum ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt,
        element, best);
  }
};

} // namespace

void nnhal::populateReductionPatterns(const TypeConverter &converter,
                                      RewritePatternSet &patterns,
                                      LinalgLowering &lowering) {
  patterns.add<ReduceLowering<MeanOp>, ReduceLowering<ReduceSumOp>,
               ReduceLowering<ReduceProdOp>, ReduceLowering<ReduceMaxOp>,
               ReduceLowering<ReduceMinOp>>(converter, patterns.getContext(),
                                            lowering);
  patterns.add<ReduceLowering<ReduceAllOp>, ReduceLowering<ReduceAnyOp>>(
      converter, patterns.getContext(), lowering, takesBooleans);
  patterns.add<ArgReduceLowering<ArgMaxOp, true>,
               ArgReduceLowering<ArgMinOp, false>>(
      converter, patterns.getContext(), lowering, takesFloats | takesIntegers);
}
