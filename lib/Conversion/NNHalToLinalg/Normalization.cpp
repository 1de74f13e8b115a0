//===- Normalization.cpp - Normalizations of any type and shape -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/FixedPoint.h"
#include "Engine/FixedPointMath.h"
#include "Engine/Slices.h"

#include "nnhal/Backend/Signatures/Normalization.h"

using namespace mlir;
using namespace nnhal;
using rt::OperandType;
using rt::OperationType;

/// A scalar parameter of the input's type, known or computed.
static Scalar parameter(OperationLowering &op, size_t index) {
  return op.scalar(index).toF32();
}

//===----------------------------------------------------------------------===//
// L2_NORMALIZATION
//===----------------------------------------------------------------------===//

static LogicalResult normalizeFloats(OperationLowering &op,
                                     const Slices &slices) {
  Tensor input = slices.getTensor();
  Tensor norms = slices.reduce(OperandType::TENSOR_FLOAT32, [&](Indices at) {
    Scalar sum = slices.fold(at, op.f32(0), [&](Scalar sum, Indices element) {
      Scalar value = input.real(element);
      return sum + value * value;
    });
    // The bound makes a slice of zeros stay one (M-066).
    Scalar norm = sqrt(sum);
    return max(norm.like(1e-6f), norm);
  });
  op.setOutput(op.define(op.outputType(), input.extents(), [&](Indices at) {
    return op.encode(input.real(at) / norms.stored(slices.sliceOf(at)),
                     op.outputType());
  }));
  return success();
}

/// The result has scale 1/128.
static LogicalResult normalizeQuantized(OperationLowering &op,
                                        const Slices &slices) {
  Tensor input = slices.getTensor();
  const rt::TensorType &type = op.outputType();
  // The sum of squares has more than 32 bits, so that it is no element.
  auto factorOf = [&](Indices at) {
    return fixedPointInverseSqrt(
        slices.fold(at, op.i32(0).toI64(), [&](Scalar sum, Indices element) {
          Scalar value = input.centered(element);
          return sum + (value * value).toI64();
        }));
  };
  Tensor multipliers =
      slices.reduce(OperandType::TENSOR_INT32,
                    [&](Indices at) { return factorOf(at).multiplier; });
  Tensor exponents = slices.reduce(OperandType::TENSOR_INT32, [&](Indices at) {
    return factorOf(at).exponent;
  });
  op.setOutput(op.define(type, input.extents(), [&](Indices at) {
    SmallVector<Scalar> slice = slices.sliceOf(at);
    Scalar value =
        multiplyByFactor(input.centered(at) * 128, multipliers.stored(slice),
                         exponents.stored(slice));
    return op.encodeInteger(value + double(type.zeroPoint), type);
  }));
  return success();
}

static LogicalResult lowerL2Normalization(OperationLowering &op) {
  if (op.inputCount() > 1 && !op.isConstant(1))
    return op.fail("the axis is no constant");
  FailureOr<int64_t> axis = op.decoded(rt::decodeL2Normalization(op.view()));
  if (failed(axis))
    return failure();
  op.checkNotEmpty(op.input(0));
  Slices slices(op, op.input(0), *axis);
  if (op.input(0).isQuantized())
    return normalizeQuantized(op, slices);
  return normalizeFloats(op, slices);
}

//===----------------------------------------------------------------------===//
// LOCAL_RESPONSE_NORMALIZATION
//===----------------------------------------------------------------------===//

/// Divides by (bias + alpha * the sum of the squares in the window) to the
/// power of beta (M-068).
static LogicalResult lowerLocalResponse(OperationLowering &op) {
  if (op.inputCount() > 5 && !op.isConstant(5))
    return op.fail("the axis is no constant");
  auto form = op.decoded(rt::decodeLocalResponseNormalization(op.view()));
  if (failed(form))
    return failure();
  op.checkNotEmpty(op.input(0));
  Slices slices(op, op.input(0), form->axis);
  Tensor input = slices.getTensor();
  Scalar radius = op.scalar(1);
  op.check(radius >= 0, FailureReason::valueTooSmall, radius, op.i32(0));
  Scalar reach = min(radius.toIndex(), slices.size());
  Scalar bias = parameter(op, 2), alpha = parameter(op, 3);
  Scalar beta = parameter(op, 4);
  op.setOutput(op.define(op.outputType(), input.extents(), [&](Indices at) {
    Scalar position = at[slices.getAxis()];
    Scalar begin = max(position - reach, 0);
    Scalar end = min(position + reach + 1, slices.size());
    Scalar sum =
        op.loop(begin, end, {op.f32(0)},
                [&](Scalar index, ArrayRef<Scalar> values) {
                  Scalar value = input.real(slices.elementOf(at, index));
                  return SmallVector<Scalar>{values[0] + value * value};
                })
            .front();
    return op.encode(input.real(at) * pow(bias + alpha * sum, -beta),
                     op.outputType());
  }));
  return success();
}

//===----------------------------------------------------------------------===//
// INSTANCE_NORMALIZATION
//===----------------------------------------------------------------------===//

/// Brings each channel to mean 0 and variance 1, multiplies it by gamma and
/// adds beta (M-069).
static LogicalResult lowerInstance(OperationLowering &op) {
  if (!op.isConstant(4))
    return op.fail("the layout is no constant");
  auto form = op.decoded(rt::decodeInstanceNormalization(op.view()));
  if (failed(form))
    return failure();
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  int64_t height = form->isNchw ? 2 : 1;
  Scalar gamma = parameter(op, 1), beta = parameter(op, 2);
  Scalar epsilon = parameter(op, 3);
  auto instanceOf = [&](Indices at) {
    SmallVector<Scalar> result(at);
    result[height] = result[height + 1] = op.index(0);
    return result;
  };
  Scalar rows = input.extent(height), columns = input.extent(height + 1);
  Scalar pixels = (rows * columns).toF32();
  SmallVector<Scalar> extents = input.extents();
  extents[height] = extents[height + 1] = op.index(1);
  /// The mean of \p term over the pixels of one channel of one batch.
  auto meanOf = [&](function_ref<Scalar(Scalar value, Indices at)> term) {
    rt::TensorType real;
    real.type = OperandType::TENSOR_FLOAT32;
    return op.define(real, extents, [&](Indices at) {
      SmallVector<Scalar> element(at);
      Scalar sum = op.fold(rows, op.f32(0), [&](Scalar row, Scalar outer) {
        return op.fold(columns, outer, [&](Scalar column, Scalar sum) {
          element[height] = row;
          element[height + 1] = column;
          return sum + term(input.real(element), at);
        });
      });
      return sum / pixels;
    });
  };
  Tensor means = meanOf([](Scalar value, Indices) { return value; });
  Tensor variances = meanOf([&](Scalar value, Indices at) {
    Scalar distance = value - means.stored(at);
    return distance * distance;
  });
  op.setOutput(op.define(op.outputType(), input.extents(), [&](Indices at) {
    SmallVector<Scalar> instance = instanceOf(at);
    Scalar deviation = sqrt(variances.stored(instance) + epsilon);
    Scalar distance = input.real(at) - means.stored(instance);
    return op.encode(distance * gamma / deviation + beta, op.outputType());
  }));
  return success();
}

std::span<const GeneralLoweringRow> nnhal::generalNormalizationRows() {
  using enum OperationType;
  static constexpr GeneralLoweringRow rows[] = {
      {L2_NORMALIZATION, lowerL2Normalization},
      {LOCAL_RESPONSE_NORMALIZATION, lowerLocalResponse},
      {INSTANCE_NORMALIZATION, lowerInstance},
  };
  return rows;
}
