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
  Tensor sums = slices.fold(input, op.f32(0), [&](Scalar sum, Indices at) {
    Scalar value = input.real(at);
    return sum + value * value;
  });
  Tensor norms = slices.define(OperandType::TENSOR_FLOAT32, [&](Indices at) {
    // The bound makes a slice of zeros stay one (M-066).
    Scalar norm = sqrt(sums.stored(at));
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
  Tensor sums =
      slices.fold(input, op.i32(0).toI64(), [&](Scalar sum, Indices at) {
        Scalar value = input.centered(at);
        return sum + (value * value).toI64();
      });
  auto factorOf = [&](Indices at) {
    return fixedPointInverseSqrt(sums.stored(at));
  };
  Tensor multipliers =
      slices.define(OperandType::TENSOR_INT32,
                    [&](Indices at) { return factorOf(at).multiplier; });
  Tensor exponents = slices.define(OperandType::TENSOR_INT32, [&](Indices at) {
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

/// Windows of more elements are loops: their body would be too long.
static constexpr int64_t mostTerms = 33;

/// The sums of the squares of the elements around each one, up to \p radius
/// before and behind it. Where the radius is known a sum is a chain of slices
/// of a padded tensor, which vectors of sums read at once. With the loop over
/// the elements that are there, the operation takes 28 in place of 6 ns an
/// element for a radius of 5 (an EPYC with AVX2).
static Tensor sumsOfSquares(OperationLowering &op, const Slices &slices,
                            std::optional<int64_t> knownRadius, Scalar radius) {
  Tensor input = slices.getTensor();
  auto square = [&](Indices at) { return input.real(at) * input.real(at); };
  Type real = op.getBuilder().getF32Type();
  if (!knownRadius || 2 * *knownRadius + 1 > mostTerms) {
    Scalar reach = min(radius.toIndex(), slices.size());
    return op.define(real, input.extents(), [&](Indices at) {
      Scalar position = at[slices.getAxis()];
      Scalar begin = max(position - reach, 0);
      Scalar end = min(position + reach + 1, slices.size());
      return op
          .loop(begin, end, {op.f32(0)},
                [&](Scalar index, ArrayRef<Scalar> values) {
                  return SmallVector<Scalar>{
                      values[0] + square(slices.elementOf(at, index))};
                })
          .front();
    });
  }
  rt::TensorType type;
  type.type = OperandType::TENSOR_FLOAT32;
  Scalar padding = op.index(*knownRadius);
  SmallVector<Scalar> origin(input.rank(), op.index(0));
  Tensor padded =
      op.insert(op.define(real, input.extents(), square),
                op.filled(type,
                          slices.elementOf(input.extents(),
                                           slices.size() + padding + padding),
                          op.f32(0)),
                slices.elementOf(origin, padding));
  SmallVector<Tensor> terms;
  for (int64_t term = 0; term <= 2 * *knownRadius; ++term)
    terms.push_back(op.slice(padded, slices.elementOf(origin, op.index(term)),
                             input.extents()));
  return op.define(real, input.extents(), [&](Indices at) {
    Scalar sum = op.f32(0);
    for (const Tensor &term : terms)
      sum = sum + term.stored(at);
    return sum;
  });
}

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
  Scalar bias = parameter(op, 2), alpha = parameter(op, 3);
  Scalar beta = parameter(op, 4);
  // A step of its own, so that powers are computed on vectors.
  Tensor sums = sumsOfSquares(
      op, slices, op.isConstant(1) ? std::optional(form->radius) : std::nullopt,
      radius);
  op.setOutput(op.define(op.outputType(), input.extents(), [&](Indices at) {
    return op.encode(input.real(at) *
                         pow(bias + alpha * sums.stored(at), -beta),
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
  if (failed(op.decoded(rt::decodeInstanceNormalization(op.view()))))
    return failure();
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  Scalar gamma = parameter(op, 1), beta = parameter(op, 2);
  Scalar epsilon = parameter(op, 3);
  auto instanceOf = [&](Indices at) {
    return SmallVector<Scalar>{at[0], at[3]};
  };
  Scalar pixels = (input.extent(1) * input.extent(2)).toF32();
  /// The mean of \p term over the pixels of one channel of one batch.
  auto meanOf = [&](function_ref<Scalar(Indices at)> term) {
    Tensor sums = op.reduce(input, {false, true, true, false}, {op.f32(0)},
                            [&](Indices at, ArrayRef<Scalar> values) {
                              return SmallVector<Scalar>{values[0] + term(at)};
                            })
                      .front();
    return op.define(op.getBuilder().getF32Type(), sums.extents(),
                     [&](Indices at) { return sums.stored(at) / pixels; });
  };
  Tensor means = meanOf([&](Indices at) { return input.real(at); });
  Tensor variances = meanOf([&](Indices at) {
    Scalar distance = input.real(at) - means.stored(instanceOf(at));
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

std::span<const LoweringRow> nnhal::normalizationRows() {
  using enum OperationType;
  static constexpr LoweringRow rows[] = {
      {L2_NORMALIZATION, lowerL2Normalization},
      {LOCAL_RESPONSE_NORMALIZATION, lowerLocalResponse},
      {INSTANCE_NORMALIZATION, lowerInstance},
  };
  return rows;
}
