//===- Reduction.cpp - Reductions of any type and shape -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Axes may be constants or computed. Where they are known, a reduction is one
// linalg.generic that goes over the operand in its order and accumulates, so
// that channels stay innermost; a second operation makes results of what was
// accumulated, if that takes more, as of a mean. Over computed axes, each
// result element has loops of its own over all dimensions of the operand, which
// take one round along dimensions that stay: where an element of the result is
// read in these follows from how many dimensions before it stay.
//
// A mean of quantized values adds them up as they are stored, and divides once;
// signed values are rounded as the unsigned ones 128 above them. Maxima pass
// over NaN, and begin with what no element is beyond. ARGMAX and ARGMIN reduce
// a pair, the best value and its index, of which the first of equals stays;
// their axis must be constant.
//
//===----------------------------------------------------------------------===//

#include "Engine/OperationLowering.h"

#include "nnhal/Backend/Signatures/Reduction.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using rt::OperandType;
using rt::OperationType;

//===----------------------------------------------------------------------===//
// Which dimensions are reduced
//===----------------------------------------------------------------------===//

namespace {
/// Joins an element of the input to a value.
using StepBuilder = function_ref<Scalar(Scalar value, Indices element)>;
/// Makes a result element of what \p count elements were joined to; null where
/// that is one already.
using LastBuilder = function_ref<Scalar(Scalar value, Scalar count)>;

/// The dimensions that MEAN or REDUCE_* folds, known or computed, and how
/// elements of the result are found.
class ReducedDimensions {
public:
  explicit ReducedDimensions(OperationLowering &op)
      : op(op), input(op.input(0)) {}

  /// Fails where the rank of the result is not known.
  LogicalResult analyze();

  /// The result: elements joined in row-major order, from \p initial on.
  Tensor reduce(Scalar initial, StepBuilder step, LastBuilder last) const;

private:
  LogicalResult readKnownAxes();
  void readComputedAxes();
  LogicalResult analyzeDroppedDimensions();
  SmallVector<Scalar> resultExtents() const;
  /// The number of elements that fold into one.
  Scalar count() const;
  /// The dimensions that isReduced marks, if all of them are known.
  std::optional<SmallVector<bool>> knownDimensions() const;
  /// The coordinate in \p at of dimension \p dim, which stays.
  Scalar coordinate(Indices at, int64_t dim) const;
  Scalar foldFrom(int64_t dim, Indices at, SmallVector<Scalar> &element,
                  Scalar value, StepBuilder step) const;

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

Scalar ReducedDimensions::foldFrom(int64_t dim, Indices at,
                                   SmallVector<Scalar> &element, Scalar value,
                                   StepBuilder step) const {
  if (dim == input.rank())
    return step(value, element);
  Scalar stays = coordinate(at, dim);
  Scalar begin = select(isReduced[dim], op.index(0), stays);
  Scalar end = select(isReduced[dim], input.extent(dim), stays + 1);
  return op
      .loop(begin, end, {value},
            [&](Scalar index, ArrayRef<Scalar> values) {
              element.push_back(index);
              Scalar next = foldFrom(dim + 1, at, element, values[0], step);
              element.pop_back();
              return SmallVector<Scalar>{next};
            })
      .front();
}

std::optional<SmallVector<bool>> ReducedDimensions::knownDimensions() const {
  SmallVector<bool> result;
  for (Scalar reduced : isReduced) {
    std::optional<int64_t> known = reduced.known();
    if (!known)
      return std::nullopt;
    result.push_back(*known != 0);
  }
  return result;
}

Tensor ReducedDimensions::reduce(Scalar initial, StepBuilder step,
                                 LastBuilder last) const {
  const rt::TensorType &type = op.outputType();
  // Never zero, even where the check of the extents has failed.
  Scalar count = max(this->count(), 1);
  // A step for each element is no reduction, and fuses with its neighbours.
  if (count.known() == 1)
    return op.reshape(op.define(type, input.extents(),
                                [&](Indices at) {
                                  Scalar value = step(initial, at);
                                  return last ? last(value, count) : value;
                                }),
                      resultExtents());
  if (std::optional<SmallVector<bool>> known = knownDimensions()) {
    Tensor result = op.reduce(input, *known, {initial},
                              [&](Indices at, ArrayRef<Scalar> values) {
                                return SmallVector<Scalar>{step(values[0], at)};
                              })
                        .front();
    if (last)
      result = op.define(type, result.extents(), [&](Indices at) {
        return last(result.stored(at), count);
      });
    return op.reshape(result, resultExtents());
  }
  return op.define(type, resultExtents(), [&](Indices at) {
    SmallVector<Scalar> element;
    Scalar value = foldFrom(0, at, element, initial, step);
    return last ? last(value, count) : value;
  });
}

//===----------------------------------------------------------------------===//
// MEAN and REDUCE_*
//===----------------------------------------------------------------------===//

static LogicalResult lowerReduction(OperationLowering &op, Scalar initial,
                                    StepBuilder step,
                                    LastBuilder last = nullptr) {
  ReducedDimensions dimensions(op);
  if (failed(dimensions.analyze()))
    return failure();
  op.setOutput(dimensions.reduce(initial, step, last));
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
  if (input.isFloat())
    return lowerReduction(
        op, op.f32(0),
        [&](Scalar sum, Indices at) { return sum + input.real(at); },
        [&](Scalar sum, Scalar count) {
          return op.encode(sum / count.toF32(), type);
        });
  return lowerReduction(
      op, op.i32(0).toI64(),
      [&](Scalar sum, Indices at) { return sum + input.integer(at).toI64(); },
      [&](Scalar sum, Scalar count) {
        return op.encodeInteger(roundedMean(sum, count.toI64()).toI32(), type);
      });
}

/// Of floats.
static LogicalResult
lowerFloatFold(OperationLowering &op, double initial,
               function_ref<Scalar(Scalar value, Scalar element)> combine) {
  Tensor input = op.input(0);
  auto step = [&](Scalar value, Indices at) {
    return combine(value, input.real(at));
  };
  if (op.outputType().type == OperandType::TENSOR_FLOAT32)
    return lowerReduction(op, op.f32(initial), step);
  return lowerReduction(op, op.f32(initial), step, [&](Scalar value, Scalar) {
    return op.encode(value, op.outputType());
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
  return lowerReduction(
      op, op.i32(initial),
      [&](Scalar value, Indices at) { return map(input.integer(at), value); },
      [&](Scalar value, Scalar) {
        return op.encodeInteger(value, op.outputType());
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
  return lowerReduction(op, op.encodeTruth(op.truth(true)),
                        [&](Scalar value, Indices at) {
                          return value & op.encodeTruth(input.truth(at));
                        });
}
static LogicalResult lowerAny(OperationLowering &op) {
  Tensor input = op.input(0);
  return lowerReduction(op, op.encodeTruth(op.truth(false)),
                        [&](Scalar value, Indices at) {
                          return value | op.encodeTruth(input.truth(at));
                        });
}

//===----------------------------------------------------------------------===//
// ARGMAX and ARGMIN
//===----------------------------------------------------------------------===//

/// The index along the axis of the first element that no other is better than:
/// ties keep the lowest (M-136). \p isMaximum tells which is better; nothing is
/// better than a NaN, and a NaN than nothing, so that a first element which is
/// one stays.
static LogicalResult lowerBestIndex(OperationLowering &op, bool isMaximum) {
  if (!op.isConstant(1))
    return op.fail("the axis is no constant");
  FailureOr<int64_t> decoded = op.decoded(rt::decodeArgAxis(op.view()));
  if (failed(decoded))
    return failure();
  Tensor input = op.input(0);
  int64_t axis = *decoded < 0 ? *decoded + input.rank() : *decoded;
  op.checkNotEmpty(input);
  SmallVector<bool> isReduced(input.rank(), false);
  isReduced[axis] = true;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  using Integers = std::numeric_limits<int32_t>;
  Scalar worst = input.isFloat()
                     ? op.f32(isMaximum ? -infinity : infinity)
                     : op.i32(isMaximum ? Integers::min() : Integers::max());
  Tensor best = op.reduce(input, isReduced, {worst, op.i32(0)},
                          [&](Indices at, ArrayRef<Scalar> values) {
                            Scalar candidate = input.isFloat()
                                                   ? input.real(at)
                                                   : input.integer(at);
                            Scalar isBetter = isMaximum ? candidate > values[0]
                                                        : candidate < values[0];
                            return SmallVector<Scalar>{
                                select(isBetter, candidate, values[0]),
                                select(isBetter, at[axis].toI32(), values[1])};
                          })
                    .back();
  SmallVector<Scalar> extents = input.extents();
  extents.erase(extents.begin() + axis);
  if (input.isFloat())
    best = op.define(op.outputType(), extents, [&](Indices at) {
      SmallVector<Scalar> first(at);
      first.insert(first.begin() + axis, op.index(0));
      Scalar value = input.real(first);
      return select(value == value, best.integer(at), op.i32(0));
    });
  // A result without dimensions is one element.
  if (extents.empty())
    extents.push_back(op.index(1));
  op.setOutput(op.reshape(best, extents));
  return success();
}

static LogicalResult lowerArgMax(OperationLowering &op) {
  return lowerBestIndex(op, /*isMaximum=*/true);
}
static LogicalResult lowerArgMin(OperationLowering &op) {
  return lowerBestIndex(op, /*isMaximum=*/false);
}

std::span<const LoweringRow> nnhal::reductionRows() {
  using enum OperationType;
  static constexpr LoweringRow rows[] = {
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
