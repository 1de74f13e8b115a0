//===- Reduction.cpp - Reductions of any type and shape -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Slices.h"
#include "Patterns.h"

#include "nnhal/Backend/Signatures/Reduction.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using rt::OperandType;
using rt::OperationType;

//===----------------------------------------------------------------------===//
// Which dimensions are reduced
//===----------------------------------------------------------------------===//

namespace {
/// The dimensions that MEAN or REDUCE_* folds, known or computed, and how
/// elements of the result are found.
class ReducedDimensions {
public:
  explicit ReducedDimensions(OperationLowering &op)
      : op(op), input(op.input(0)) {}

  /// Fails where the rank of the result is not known.
  LogicalResult analyze();

  SmallVector<Scalar> resultExtents() const;
  /// The number of elements that fold into one.
  Scalar count() const;
  /// Folds the elements for \p at in row-major order.
  Scalar fold(Indices at, Scalar initial,
              function_ref<Scalar(Scalar value, Indices element)> body) const;

private:
  LogicalResult readKnownAxes();
  void readComputedAxes();
  LogicalResult analyzeDroppedDimensions();
  /// The coordinate in \p at of dimension \p dim, which stays.
  Scalar coordinate(Indices at, int64_t dim) const;
  Scalar foldFrom(int64_t dim, Indices at, SmallVector<Scalar> &element,
                  Scalar value,
                  function_ref<Scalar(Scalar, Indices)> body) const;

  OperationLowering &op;
  Tensor input;
  bool keepsDims = false;
  int64_t resultRank = 0;
  SmallVector<Scalar> isReduced;
  /// How many dimensions before each one stay.
  SmallVector<Scalar> positions;
};
} // namespace

LogicalResult ReducedDimensions::readKnownAxes() {
  auto known = op.decoded(rt::decodeReducedDimensions(op.view()));
  if (failed(known))
    return failure();
  for (bool flag : *known)
    isReduced.push_back(op.truth(flag));
  return success();
}

/// Marks what the axes name, which count from either end and may repeat
/// (M-025). The lowest and the highest are checked.
void ReducedDimensions::readComputedAxes() {
  Tensor axes = op.input(1);
  auto rank = double(input.rank());
  op.check(axes.extent(0) > 0, FailureReason::valueTooSmall, axes.extent(0),
           op.index(1)); // reduce C2
  SmallVector<Scalar> initial(input.rank(), op.truth(false));
  initial.push_back(op.i32(0));
  initial.push_back(op.i32(0));
  SmallVector<Scalar> marks =
      op.loop(op.index(0), axes.extent(0), initial,
              [&](Scalar index, ArrayRef<Scalar> values) {
                Scalar axis = axes.integer({index});
                Scalar front = select(axis < 0, axis + rank, axis);
                SmallVector<Scalar> next;
                for (int64_t dim = 0; dim < input.rank(); ++dim)
                  next.push_back(values[dim] | (front == double(dim)));
                next.push_back(min(values[input.rank()], axis));
                next.push_back(max(values[input.rank() + 1], axis));
                return next;
              });
  op.checkedAxis(marks.pop_back_val(), input.rank()); // reduce C3
  op.checkedAxis(marks.pop_back_val(), input.rank());
  isReduced = std::move(marks);
}

LogicalResult ReducedDimensions::analyzeDroppedDimensions() {
  Scalar kept = op.index(0);
  for (Scalar reduced : isReduced) {
    positions.push_back(kept);
    kept = kept + select(reduced, op.index(0), op.index(1));
  }
  std::optional<int64_t> known = kept.known();
  const rt::TensorType &stated = op.view().outputs[0].type;
  if (!known && !stated.isRanked)
    return op.fail("the rank of the result depends on the axes");
  // A result without dimensions is one element.
  if (known) {
    resultRank = std::max<int64_t>(*known, 1);
    return success();
  }
  resultRank = stated.rank();
  Scalar rank = op.index(resultRank);
  op.check(max(kept, 1) == rank, FailureReason::rankDiffers, kept, rank);
  return success();
}

LogicalResult ReducedDimensions::analyze() {
  if (!op.isConstant(2))
    return op.fail("keep_dims is no constant");
  std::span<const std::byte> flag = *op.view().inputs[2].value;
  // The keep_dims of MEAN is an INT32, that of other reductions a BOOL (M-127).
  if (op.type() == OperationType::MEAN) {
    int32_t number = 0;
    std::memcpy(&number, flag.data(), sizeof number);
    keepsDims = number > 0;
  } else {
    keepsDims = flag[0] != std::byte(0);
  }
  op.checkNotEmpty(input);
  if (!op.isConstant(1))
    readComputedAxes();
  else if (failed(readKnownAxes()))
    return failure();
  if (!keepsDims)
    return analyzeDroppedDimensions();
  resultRank = input.rank();
  return success();
}

SmallVector<Scalar> ReducedDimensions::resultExtents() const {
  SmallVector<Scalar> extents;
  for (int64_t i = 0; i < resultRank; ++i) {
    if (keepsDims) {
      extents.push_back(select(isReduced[i], op.index(1), input.extent(i)));
      continue;
    }
    Scalar extent = op.index(1);
    for (int64_t dim = 0; dim < input.rank(); ++dim)
      extent = select(!isReduced[dim] & (positions[dim] == double(i)),
                      input.extent(dim), extent);
    extents.push_back(extent);
  }
  return extents;
}

Scalar ReducedDimensions::count() const {
  Scalar product = op.index(1);
  for (int64_t dim = 0; dim < input.rank(); ++dim)
    product = product * select(isReduced[dim], input.extent(dim), op.index(1));
  return product;
}

Scalar ReducedDimensions::coordinate(Indices at, int64_t dim) const {
  if (keepsDims)
    return at[dim];
  Scalar result = op.index(0);
  for (int64_t i = 0; i < resultRank; ++i)
    result = select(positions[dim] == double(i), at[i], result);
  return result;
}

Scalar
ReducedDimensions::foldFrom(int64_t dim, Indices at,
                            SmallVector<Scalar> &element, Scalar value,
                            function_ref<Scalar(Scalar, Indices)> body) const {
  if (dim == input.rank())
    return body(value, element);
  Scalar reduced = isReduced[dim];
  Scalar stays = coordinate(at, dim);
  Scalar begin = select(reduced, op.index(0), stays);
  if (reduced.known() == 0) {
    element.push_back(begin);
    value = foldFrom(dim + 1, at, element, value, body);
    element.pop_back();
    return value;
  }
  Scalar end = select(reduced, input.extent(dim), stays + 1);
  return op
      .loop(begin, end, {value},
            [&](Scalar index, ArrayRef<Scalar> values) {
              element.push_back(index);
              Scalar next = foldFrom(dim + 1, at, element, values[0], body);
              element.pop_back();
              return SmallVector<Scalar>{next};
            })
      .front();
}

Scalar ReducedDimensions::fold(
    Indices at, Scalar initial,
    function_ref<Scalar(Scalar value, Indices element)> body) const {
  SmallVector<Scalar> element;
  return foldFrom(0, at, element, initial, body);
}

//===----------------------------------------------------------------------===//
// MEAN and REDUCE_*
//===----------------------------------------------------------------------===//

static LogicalResult lowerReduction(
    OperationLowering &op,
    function_ref<Scalar(const ReducedDimensions &, Indices at)> element) {
  ReducedDimensions dimensions(op);
  if (failed(dimensions.analyze()))
    return failure();
  op.setOutput(op.define(op.outputType(), dimensions.resultExtents(),
                         [&](Indices at) { return element(dimensions, at); }));
  return success();
}

/// The mean of stored values that add up to \p sum; halves are rounded up, so
/// that signed values behave as unsigned ones 128 above them (M-022, M-130).
static Scalar roundedMean(Scalar sum, Scalar count) {
  return (sum * 2 + count).floorQuotient(count * 2);
}

static LogicalResult lowerMean(OperationLowering &op) {
  Tensor input = op.input(0);
  const rt::TensorType &type = op.outputType();
  return lowerReduction(op, [&](const ReducedDimensions &dimensions,
                                Indices at) {
    // Never zero, even where the check of the extents has failed.
    Scalar count = max(dimensions.count(), 1);
    if (input.isFloat()) {
      Scalar sum =
          dimensions.fold(at, op.f32(0), [&](Scalar sum, Indices element) {
            return sum + input.real(element);
          });
      return op.encode(sum / count.toF32(), type);
    }
    Scalar sum = dimensions.fold(at, op.i32(0).toI64(),
                                 [&](Scalar sum, Indices element) {
                                   return sum + input.integer(element).toI64();
                                 });
    return op.encodeInteger(roundedMean(sum, count.toI64()).toI32(), type);
  });
}

/// Of floats.
static LogicalResult
lowerFloatFold(OperationLowering &op, double initial,
               function_ref<Scalar(Scalar value, Scalar element)> combine) {
  Tensor input = op.input(0);
  return lowerReduction(
      op, [&](const ReducedDimensions &dimensions, Indices at) {
        Scalar result = dimensions.fold(
            at, op.f32(initial), [&](Scalar value, Indices element) {
              return combine(value, input.real(element));
            });
        return op.encode(result, op.outputType());
      });
}

static LogicalResult lowerSum(OperationLowering &op) {
  return lowerFloatFold(
      op, 0, [](Scalar value, Scalar element) { return value + element; });
}
static LogicalResult lowerProduct(OperationLowering &op) {
  return lowerFloatFold(
      op, 1, [](Scalar value, Scalar element) { return value * element; });
}

/// \p map takes the element first: it is passed over if it is a NaN.
static LogicalResult lowerExtremum(OperationLowering &op, double floatInitial,
                                   int32_t initial,
                                   Scalar (*map)(Scalar, Scalar)) {
  Tensor input = op.input(0);
  if (input.isFloat())
    return lowerFloatFold(op, floatInitial, [&](Scalar value, Scalar element) {
      return map(element, value);
    });
  return lowerReduction(op, [&](const ReducedDimensions &dimensions,
                                Indices at) {
    Scalar result = dimensions.fold(at, op.i32(initial),
                                    [&](Scalar value, Indices element) {
                                      return map(input.integer(element), value);
                                    });
    return op.encodeInteger(result, op.outputType());
  });
}

static LogicalResult lowerReduceMax(OperationLowering &op) {
  return lowerExtremum(op, -std::numeric_limits<double>::infinity(),
                       std::numeric_limits<int32_t>::min(), max);
}
static LogicalResult lowerReduceMin(OperationLowering &op) {
  return lowerExtremum(op, std::numeric_limits<double>::infinity(),
                       std::numeric_limits<int32_t>::max(), min);
}

static LogicalResult lowerAll(OperationLowering &op) {
  Tensor input = op.input(0);
  return lowerReduction(op, [&](const ReducedDimensions &dimensions,
                                Indices at) {
    return op.encodeTruth(
        dimensions.fold(at, op.truth(true), [&](Scalar value, Indices element) {
          return value & input.truth(element);
        }));
  });
}
static LogicalResult lowerAny(OperationLowering &op) {
  Tensor input = op.input(0);
  return lowerReduction(op, [&](const ReducedDimensions &dimensions,
                                Indices at) {
    return op.encodeTruth(dimensions.fold(at, op.truth(false),
                                          [&](Scalar value, Indices element) {
                                            return value | input.truth(element);
                                          }));
  });
}

//===----------------------------------------------------------------------===//
// ARGMAX and ARGMIN
//===----------------------------------------------------------------------===//

/// The index along the axis of the first element that no other is better than:
/// ties keep the lowest (M-136).
static LogicalResult
lowerBestIndex(OperationLowering &op,
               function_ref<Scalar(Scalar, Scalar)> isBetter) {
  if (!op.isConstant(1))
    return op.fail("the axis is no constant");
  FailureOr<int64_t> axis = op.decoded(rt::decodeArgAxis(op.view()));
  if (failed(axis))
    return failure();
  Slices slices(op, op.input(0), *axis);
  Tensor input = slices.getTensor();
  op.checkNotEmpty(input);
  SmallVector<Scalar> extents = input.extents();
  extents.erase(extents.begin() + *axis);
  bool isSingle = extents.empty();
  if (isSingle)
    extents.push_back(op.index(1));
  op.setOutput(op.define(op.outputType(), extents, [&](Indices at) {
    SmallVector<Scalar> element;
    if (!isSingle)
      element.assign(at.begin(), at.end());
    element.insert(element.begin() + *axis, op.index(0));
    auto read = [&](Scalar position) {
      SmallVector<Scalar> indices = slices.elementOf(element, position);
      return input.isFloat() ? input.real(indices) : input.integer(indices);
    };
    SmallVector<Scalar> best = op.loop(
        op.index(1), slices.size(), {op.index(0), read(op.index(0))},
        [&](Scalar position, ArrayRef<Scalar> values) {
          Scalar candidate = read(position);
          Scalar better = isBetter(candidate, values[1]);
          return SmallVector<Scalar>{select(better, position, values[0]),
                                     select(better, candidate, values[1])};
        });
    return best[0].toI32();
  }));
  return success();
}

static LogicalResult lowerArgMax(OperationLowering &op) {
  return lowerBestIndex(op, [](Scalar a, Scalar b) { return a > b; });
}
static LogicalResult lowerArgMin(OperationLowering &op) {
  return lowerBestIndex(op, [](Scalar a, Scalar b) { return a < b; });
}

std::span<const GeneralLoweringRow> nnhal::generalReductionRows() {
  using enum OperationType;
  static constexpr GeneralLoweringRow rows[] = {
      {MEAN, lowerMean},
      {REDUCE_SUM, lowerSum},
      {REDUCE_PROD, lowerProduct},
      {REDUCE_MAX, lowerReduceMax},
      {REDUCE_MIN, lowerReduceMin},
      {REDUCE_ALL, lowerAll},
      {REDUCE_ANY, lowerAny},
      {ARGMAX, lowerArgMax},
      {ARGMIN, lowerArgMin},
  };
  return rows;
}

//===----------------------------------------------------------------------===//
// Static tensors
//===----------------------------------------------------------------------===//

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
