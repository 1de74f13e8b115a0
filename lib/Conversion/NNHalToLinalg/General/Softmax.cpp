//===- Softmax.cpp - SOFTMAX and LOG_SOFTMAX of any type and shape --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedPointMath.h"
#include "Slices.h"

#include "FixedPoint.h"

#include "nnhal/Runtime/FixedPoint.h"
#include "nnhal/Runtime/QuantizedActivation.h"
#include "nnhal/Runtime/Signatures/Activation.h"

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
    return slices.reduce(OperandType::TENSOR_INT32, [&](Indices at) {
      return slices.fold(at, op.i32(std::numeric_limits<int32_t>::min()),
                         [&](Scalar top, Indices element) {
                           return max(top, input.integer(element));
                         });
    });
  return slices.reduce(OperandType::TENSOR_FLOAT32, [&](Indices at) {
    return slices.fold(at, op.f32(-std::numeric_limits<float>::infinity()),
                       [&](Scalar top, Indices element) {
                         return max(input.real(element), top);
                       });
  });
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static LogicalResult lowerFloatSoftmax(OperationLowering &op,
                                       const Slices &slices, Scalar beta) {
  Tensor input = slices.getTensor();
  Tensor top = largest(op, slices);
  rt::TensorType real;
  real.type = OperandType::TENSOR_FLOAT32;
  Tensor powers = op.define(real, input.extents(), [&](Indices at) {
    return exp((input.real(at) - top.stored(slices.sliceOf(at))) * beta);
  });
  Tensor sums = slices.reduce(OperandType::TENSOR_FLOAT32, [&](Indices at) {
    return slices.fold(at, op.f32(0), [&](Scalar sum, Indices element) {
      return sum + powers.stored(element);
    });
  });
  op.setOutput(op.define(op.outputType(), input.extents(), [&](Indices at) {
    return op.encode(powers.stored(at) / sums.stored(slices.sliceOf(at)),
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
  Tensor input = slices.getTensor();
  Scalar beta = op.scalar(1).toF32();
  Tensor top = largest(op, slices);
  auto distance = [&](Indices at) {
    return (input.real(at) - top.stored(slices.sliceOf(at))) * beta;
  };
  Tensor logs = slices.reduce(OperandType::TENSOR_FLOAT32, [&](Indices at) {
    return log(slices.fold(at, op.f32(0), [&](Scalar sum, Indices element) {
      return sum + exp(distance(element));
    }));
  });
  op.setOutput(op.define(op.outputType(), input.extents(), [&](Indices at) {
    return op.encode(distance(at) - logs.stored(slices.sliceOf(at)),
                     op.outputType());
  }));
  return success();
}

//===----------------------------------------------------------------------===//
// Quantized values
//===----------------------------------------------------------------------===//

// The sum of powers has 12 integer bits.
static constexpr int32_t sumBits = 12;

/// What the powers of a slice are multiplied with and divided by.
namespace {
struct Shares {
  Tensor scales;
  Tensor shifts;
};
} // namespace

static Shares quantizedShares(OperationLowering &op, const Slices &slices,
                              const Tensor &top, const rt::ByteTable &powers) {
  Tensor input = slices.getTensor();
  SmallVector<int32_t> rounded;
  for (int32_t power : powers)
    rounded.push_back(rt::roundingDivideByPowerOfTwo(power, sumBits));
  Tensor terms = op.constantTable(rounded);
  // At least 2^19: the largest element has the power 1. From 2^28 on every
  // share rounds to zero, so that 2^30 stands for all beyond.
  Tensor sums = slices.reduce(OperandType::TENSOR_INT32, [&](Indices at) {
    Scalar largestInput = top.stored(at);
    Scalar zero = op.i32(0).toI64();
    Scalar sum = slices.fold(at, zero, [&](Scalar sum, Indices element) {
      Scalar distance = largestInput - input.integer(element);
      return sum + terms.stored({distance.toIndex()}).toI64();
    });
    return clamp(sum, 1 << 19, 1 << 30).toI32();
  });
  Shares shares;
  auto bitsOverOne = [](Scalar sum) { return 31 - 19 - leadingZeros(sum); };
  shares.shifts = slices.reduce(OperandType::TENSOR_INT32, [&](Indices at) {
    return bitsOverOne(sums.stored(at)) + (31 - 8);
  });
  shares.scales = slices.reduce(OperandType::TENSOR_INT32, [&](Indices at) {
    Scalar sum = sums.stored(at);
    Scalar bits = max(12 - bitsOverOne(sum), 0);
    Scalar fraction =
        sum.shiftedLeft(bits) ^ sum.like(std::numeric_limits<int32_t>::min());
    return fixedPointOneOverOnePlus(fraction);
  });
  return shares;
}

static LogicalResult lowerQuantizedSoftmax(OperationLowering &op,
                                           const Slices &slices, float beta) {
  Tensor input = slices.getTensor();
  const rt::TensorType &type = op.outputType();
  rt::ByteTable powers = rt::softmaxPowers(beta, input.getType().scale);
  Tensor top = largest(op, slices);
  Shares shares = quantizedShares(op, slices, top, powers);
  Tensor table = op.constantTable(ArrayRef<int32_t>(powers));
  op.setOutput(op.define(type, input.extents(), [&](Indices at) {
    SmallVector<Scalar> slice = slices.sliceOf(at);
    Scalar distance = top.stored(slice) - input.integer(at);
    Scalar shift = shares.shifts.stored(slice);
    Scalar product = saturatingRoundingDoublingHighMul(
        shares.scales.stored(slice), table.stored({distance.toIndex()}));
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
  if (!op.isConstant(1))
    return op.fail("beta of quantized elements is no constant");
  return lowerQuantizedSoftmax(op, slices, form->beta);
}
