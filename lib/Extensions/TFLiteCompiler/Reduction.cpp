//===- Reduction.cpp - Elements along dimensions joined to one ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tflite.reduce -> linalg.generic, and a second one that makes results of sums.
// The operation that joins elements has the form by which reductions along
// lanes are found.
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"
#include "Lowering.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// A reduction with the class of its elements.
struct Reduction {
  ReduceOp op;
  ElementClass element;
  /// How many elements each result is made of.
  int64_t count;

  bool isSum() {
    return op.getReducer() == Reducer::sum || op.getReducer() == Reducer::mean;
  }
  /// The type of bytes whose sums are rescaled; null for other elements.
  quant::UniformQuantizedType bytes() {
    return isSum() ? bytesOf(op.getInput().getType())
                   : quant::UniformQuantizedType();
  }
};

/// The type in which elements of type \p stored are joined.
Type joinedType(Reduction &reduction, Type stored) {
  auto *context = stored.getContext();
  if ((reduction.isSum() && reduction.element == ElementClass::fixed16) ||
      reduction.bytes())
    return IntegerType::get(context, 32);
  if (reduction.op.getReducer() == Reducer::mean && isa<IntegerType>(stored))
    return IntegerType::get(context, 64);
  return stored;
}

TypedAttr initial(Reduction &reduction, OpBuilder &b, Type type) {
  Reducer reducer = reduction.op.getReducer();
  bool isMaximum = reducer == Reducer::maximum;
  if (isMaximum || reducer == Reducer::minimum) {
    constexpr float most = std::numeric_limits<float>::max();
    if (isa<FloatType>(type))
      return b.getFloatAttr(type, isMaximum ? -most : most);
    unsigned bits = type.getIntOrFloatBitWidth();
    return b.getIntegerAttr(type, isMaximum ? APInt::getSignedMinValue(bits)
                                            : APInt::getSignedMaxValue(bits));
  }
  bool isOne = reducer == Reducer::product || reducer == Reducer::all;
  if (isa<FloatType>(type))
    return b.getFloatAttr(type, isOne ? 1.0 : 0.0);
  return b.getIntegerAttr(type, isOne ? 1 : 0);
}

/// \p carried joined with \p x.
Value joined(Elements &e, Reducer reducer, Value x, Value carried) {
  bool isFloat = isa<FloatType>(carried.getType());
  auto choose = [&](arith::CmpFPredicate predicate) {
    return e.make<arith::SelectOp>(e.compare(predicate, x, carried), x,
                                   carried);
  };
  switch (reducer) {
  case Reducer::mean:
  case Reducer::sum:
    return isFloat ? e.make<arith::AddFOp>(carried, x)
                   : e.make<arith::AddIOp>(carried, x);
  case Reducer::product:
    return isFloat ? e.make<arith::MulFOp>(carried, x)
                   : e.make<arith::MulIOp>(carried, x);
  case Reducer::maximum:
    return isFloat ? choose(arith::CmpFPredicate::OGT)
                   : e.make<arith::MaxSIOp>(carried, x);
  case Reducer::minimum:
    return isFloat ? choose(arith::CmpFPredicate::OLT)
                   : e.make<arith::MinSIOp>(carried, x);
  case Reducer::any:
    return e.make<arith::OrIOp>(carried, x);
  case Reducer::all:
    return e.make<arith::AndIOp>(carried, x);
  }
  llvm_unreachable("all reducers are listed");
}

/// An element as it is joined: wider, or 0 or 1 for a truth.
Value widened(Elements &e, Reduction &reduction, Type type, Value x) {
  if (reduction.element == ElementClass::boolean)
    return e.make<arith::ExtUIOp>(type, e.compare(arith::CmpIPredicate::ne, x,
                                                  e.constant(x.getType(), 0)));
  if (quant::UniformQuantizedType bytes = reduction.bytes())
    return stepsOf(e, bytes, x);
  return type == x.getType() ? x : e.make<arith::ExtSIOp>(type, x);
}

/// The result that \p sum is of sums and means.
Value finished(Elements &e, Reduction &reduction, Type stored, Value sum) {
  bool isMean = reduction.op.getReducer() == Reducer::mean;
  Type type = sum.getType();
  if (reduction.element == ElementClass::fixed16 || reduction.bytes()) {
    Type result = reduction.op.getResult().getType();
    Factor factor =
        factorOfReduction(scaleOf(reduction.op.getInput().getType()),
                          scaleOf(result), isMean ? reduction.count : 1);
    Value steps = e.scale(sum, factor);
    if (quant::UniformQuantizedType to = bytesOf(result))
      return storedOf(e, to, steps, boundsOfStored(to));
    return e.make<arith::TruncIOp>(stored,
                                   e.bounded(steps, boundsOf<int16_t>()));
  }
  if (!isMean)
    return sum;
  if (isa<FloatType>(type))
    return e.make<arith::DivFOp>(sum, e.constant(float(reduction.count)));
  Value mean = e.make<arith::DivSIOp>(
      sum, e.constant(type, std::max<int64_t>(reduction.count, 1)));
  return type == stored ? mean : e.make<arith::TruncIOp>(stored, mean);
}

Value join(ImplicitLocOpBuilder &b, Reduction &reduction, Value input,
           Value init) {
  auto rank = unsigned(cast<RankedTensorType>(input.getType()).getRank());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  for (int64_t axis : reduction.op.getAxes())
    iterators[size_t(axis)] = utils::IteratorType::reduction;
  SmallVector<AffineExpr> kept;
  for (unsigned axis = 0; axis < rank; ++axis)
    if (iterators[axis] == utils::IteratorType::parallel)
      kept.push_back(b.getAffineDimExpr(axis));
  SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(rank),
                                 AffineMap::get(rank, 0, kept, b.getContext())};
  return linalg::GenericOp::create(
             b, TypeRange(init.getType()), input, init, maps, iterators,
             [&](OpBuilder &builder, Location loc, ValueRange x) {
               ImplicitLocOpBuilder inner(loc, builder);
               Elements e(inner);
               Value element = widened(e, reduction, x[1].getType(), x[0]);
               Value next = joined(e, reduction.op.getReducer(), element, x[1]);
               linalg::YieldOp::create(inner, next);
             })
      .getResult(0);
}

Value finish(ImplicitLocOpBuilder &b, Reduction &reduction, Value sums,
             RankedTensorType result) {
  Type stored = result.getElementType();
  return mapElements(b, result, sums,
                     {b.getMultiDimIdentityMap(unsigned(result.getRank()))},
                     [&](Elements &e, ValueRange x) {
                       return finished(e, reduction, stored, x[0]);
                     });
}

} // namespace

template <>
Value tflite::TensorLowering<ReduceOp>::lower(ImplicitLocOpBuilder &b,
                                              ReduceOp op, ReduceOpAdaptor from,
                                              RankedTensorType result) {
  auto input = cast<RankedTensorType>(from.getInput().getType());
  Reduction reduction{op, classOf(op.getInput().getType()), 1};
  for (int64_t axis : op.getAxes())
    reduction.count *= input.getDimSize(unsigned(axis));
  Type type = joinedType(reduction, result.getElementType());
  Value sums = join(b, reduction, from.getInput(),
                    filled(b, result.getShape(), initial(reduction, b, type)));
  bool isDone = !reduction.isSum() ||
                (reduction.element != ElementClass::fixed16 &&
                 !reduction.bytes() && op.getReducer() == Reducer::sum);
  return isDone ? sums : finish(b, reduction, sums, result);
}

StringRef tflite::whyReduceIsCalled(Reducer reducer, Type input, Type result) {
  using enum ElementClass;
  quant::UniformQuantizedType from = bytesOf(input), to = bytesOf(result);
  if (reducer == Reducer::sum && from && to && from.isSigned() == to.isSigned())
    return "";
  ElementClass element = classOf(input);
  bool isTaken = false;
  switch (reducer) {
  case Reducer::mean:
  case Reducer::sum:
  case Reducer::maximum:
  case Reducer::minimum:
    isTaken = element != boolean && element != other;
    break;
  case Reducer::product:
    isTaken = element == float32 || element == int32 || element == int64;
    break;
  case Reducer::any:
  case Reducer::all:
    isTaken = element == boolean;
    break;
  }
  return isTaken && classOf(result) == element ? "" : StringRef(otherTypes);
}

void tflite::populateReduceLowering(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<TensorLowering<ReduceOp>>(converter, patterns.getContext());
}
