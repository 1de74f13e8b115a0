//===- Softmax.cpp - SOFTMAX and LOG_SOFTMAX of any type and shape --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/FixedPoint.h"
#include "Engine/FixedPointMath.h"
#include "Engine/Slices.h"

#include "Runtime/Numerics/FixedPoint.h"
#include "Runtime/Numerics/QuantizedActivation.h"
#include "nnhal/Backend/Signatures/Activation.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using rt::OperandType;

static FailureOr<rt::SoftmaxForm> formOf(OperationLowering &op) {
  if (op.inputCount() > 2 && !op.isConstant(2))
    return op.fail("the axis is no constant");
  return op.decoded(rt::decodeSoftmax(op.view()));
}

/// beta, which is positive (softmax C2).
static Scalar betaOf(OperationLowering &op) {
  Scalar beta = op.scalar(1).toF32();
  if (op.isConstant(1))
    return beta;
  // Bits of positive floats are positive integers.
  Scalar bits = beta.bitcast(op.getBuilder().getI32Type());
  op.check(beta > 0, FailureReason::valueTooSmall, bits, bits.like(1));
  return beta;
}

/// The largest element of each slice, so that exp() overflows nowhere (M-062).
static Tensor largest(OperationLowering &op, const Slices &slices) {
  Tensor input = slices.getTensor();
  if (input.isQuantized())
    return slices.fold(
        input, op.i32(std::numeric_limits<int32_t>::min()),
        [&](Scalar top, Indices at) { return max(top, input.integer(at)); });
  return slices.fold(
      input, op.f32(-std::numeric_limits<float>::infinity()),
      [&](Scalar top, Indices at) { return max(input.real(at), top); });
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// (x - the largest of its slice) * beta: no exponential of it can overflow
/// (M-062).
static Tensor shifted(OperationLowering &op, const Slices &slices,
                      Scalar beta) {
  Tensor input = slices.getTensor(), top = largest(op, slices);
  return op.define(
      op.getBuilder().getF32Type(), input.extents(), [&](Indices at) {
        return (input.real(at) - top.stored(slices.sliceOf(at))) * beta;
      });
}

/// The exponentials of \p exponents, and their sums. In steps of their own, so
/// that exponentials are computed on vectors whatever the axis.
static std::pair<Tensor, Tensor> powersAndSums(OperationLowering &op,
                                               const Slices &slices,
                                               const Tensor &exponents) {
  Tensor powers =
      op.define(op.getBuilder().getF32Type(), exponents.extents(),
                [&](Indices at) { return exp(exponents.stored(at)); });
  Tensor sums =
      slices.fold(powers, op.f32(0), [&](Scalar sum, Indices element) {
        return sum + powers.stored(element);
      });
  return {powers, sums};
}

static LogicalResult lowerFloatSoftmax(OperationLowering &op,
                                       const Slices &slices, Scalar beta) {
  auto [powers, sums] = powersAndSums(op, slices, shifted(op, slices, beta));
  op.setOutput(op.define(op.outputType(), powers.extents(),
                         [&, &powers = powers, &sums = sums](Indices at) {
                           return op.encode(powers.stored(at) /
                                                sums.stored(slices.sliceOf(at)),
                                            op.outputType());
                         }));
  return success();
}

LogicalResult nnhal::lowerLogSoftmax(OperationLowering &op) {
  FailureOr<rt::SoftmaxForm> form = formOf(op);
  if (failed(form))
    return failure();
  op.checkNotEmpty(op.input(0));
  Slices slices(op, op.input(0), form->axis);
  Tensor exponents = shifted(op, slices, op.scalar(1).toF32());
  Tensor sums = powersAndSums(op, slices, exponents).second;
  // Logarithms of the sums, not of each element.
  Tensor logs = slices.define(OperandType::TENSOR_FLOAT32,
                              [&](Indices at) { return log(sums.stored(at)); });
  op.setOutput(op.define(op.outputType(), exponents.extents(), [&](Indices at) {
    return op.encode(exponents.stored(at) - logs.stored(slices.sliceOf(at)),
                     op.outputType());
  }));
  return success();
}

//===----------------------------------------------------------------------===//
// Quantized values
//===----------------------------------------------------------------------===//

// The sum of powers has 12 integer bits.
static constexpr int32_t sumBits = 12;

/// The entry of \p table for \p distance, which is within [0, 255]: masked, for
/// what OperationLowering::indexFrom() is about.
static Scalar powerAt(const Tensor &table, Scalar distance) {
  return table.stored({(distance & distance.like(255)).toIndex()});
}

/// rt::softmaxPowers() of a beta that is computed.
static Tensor computedPowers(OperationLowering &op, Scalar beta, float scale) {
  constexpr int32_t argumentBits = 5;
  constexpr int32_t highest = std::numeric_limits<int32_t>::max();
  ComputedFactor factor = fixedPointFactor(
      min(beta.toF64() * double(scale) * double(1 << 26), double(highest)));
  Scalar radius = fixedPointInputRadius(argumentBits, factor.exponent);
  rt::TensorType integer;
  integer.type = OperandType::TENSOR_INT32;
  return op.define(integer, {op.index(256)}, [&](Indices at) {
    Scalar distance = at[0].toI32();
    Scalar argument =
        multiplyByFactor(-distance, factor.multiplier, factor.exponent);
    Scalar power = fixedPointExpOfNonPositive(argument, argumentBits);
    return select(distance > radius, power.like(0), power);
  });
}

/// What the powers of a slice are multiplied with and divided by.
namespace {
struct Shares {
  Tensor scales;
  Tensor shifts;
};
} // namespace

/// \p powers are those of the elements.
static Shares quantizedShares(OperationLowering &op, const Slices &slices,
                              const Tensor &powers) {
  // No term is above 2^19, so that the sum of fewer than 2^12 is one of i32.
  bool isShort = slices.size().known().value_or(INT64_MAX) < 1 << 12;
  auto widened = [&](Scalar term) { return isShort ? term : term.toI64(); };
  Tensor sums =
      slices.fold(powers, widened(op.i32(0)), [&](Scalar sum, Indices at) {
        return sum +
               widened(roundingDivideByPowerOfTwo(powers.stored(at), sumBits));
      });
  // At least 2^19: the largest element has the power 1. From 2^28 on every
  // share rounds to zero, so that 2^30 stands for all beyond.
  auto sumAt = [&](Indices at) {
    return clamp(sums.stored(at), 1 << 19, 1 << 30).toI32();
  };
  Shares shares;
  auto bitsOverOne = [](Scalar sum) { return 31 - 19 - leadingZeros(sum); };
  shares.shifts = slices.define(OperandType::TENSOR_INT32, [&](Indices at) {
    return bitsOverOne(sumAt(at)) + (31 - 8);
  });
  shares.scales = slices.define(OperandType::TENSOR_INT32, [&](Indices at) {
    Scalar sum = sumAt(at);
    Scalar bits = max(12 - bitsOverOne(sum), 0);
    Scalar fraction =
        sum.shiftedLeft(bits) ^ sum.like(std::numeric_limits<int32_t>::min());
    return fixedPointOneOverOnePlus(fraction);
  });
  return shares;
}

/// \p table has exp() of 0, -1, ... -255 steps of the input. It is looked up in
/// a step of its own: what follows is computed on vectors.
static LogicalResult lowerQuantizedSoftmax(OperationLowering &op,
                                           const Slices &slices,
                                           const Tensor &table) {
  Tensor input = slices.getTensor(), top = largest(op, slices);
  const rt::TensorType &type = op.outputType();
  Tensor powers = op.define(table.getType(), input.extents(), [&](Indices at) {
    return powerAt(table, top.stored(slices.sliceOf(at)) - input.integer(at));
  });
  Shares shares = quantizedShares(op, slices, powers);
  op.setOutput(op.define(type, input.extents(), [&](Indices at) {
    SmallVector<Scalar> slice = slices.sliceOf(at);
    Scalar shift = shares.shifts.stored(slice);
    Scalar product = saturatingRoundingDoublingHighMul(
        shares.scales.stored(slice), powers.stored(at));
    Scalar result = roundingDivideByPowerOfTwo(product, min(shift, 31));
    // A share of 1/512 or less is below half of the result's last bit.
    result = select(shift > 31, result.like(0), clamp(result, 0, 255));
    return op.encodeInteger(result + double(type.zeroPoint), type);
  }));
  return success();
}

LogicalResult nnhal::lowerSoftmax(OperationLowering &op) {
  FailureOr<rt::SoftmaxForm> form = formOf(op);
  if (failed(form))
    return failure();
  Slices slices(op, op.input(0), form->axis);
  if (!op.input(0).isQuantized())
    return lowerFloatSoftmax(op, slices, betaOf(op));
  float scale = op.input(0).getType().scale;
  if (!op.isConstant(1))
    return lowerQuantizedSoftmax(op, slices,
                                 computedPowers(op, betaOf(op), scale));
  rt::ByteTable powers = rt::softmaxPowers(form->beta, scale);
  return lowerQuantizedSoftmax(op, slices,
                               op.constantTable(ArrayRef<int32_t>(powers)));
}
