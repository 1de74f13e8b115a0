//===- Activation.cpp - Activations of any type and shape -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/FixedPoint.h"
#include "Engine/OperationLowering.h"

#include "Runtime/Numerics/QuantizedActivation.h"

using namespace mlir;
using namespace nnhal;
using rt::OperationType;

/// Bounds come first: a comparison with NaN is false.
Scalar nnhal::activated(Scalar value, rt::FusedActivation activation) {
  auto limited = [&](double low, double high) {
    return min(value.like(high), max(value.like(low), value));
  };
  switch (activation) {
  case rt::FusedActivation::none:
    return value;
  case rt::FusedActivation::relu:
    return max(value.like(0), value);
  case rt::FusedActivation::relu1:
    return limited(-1, 1);
  case rt::FusedActivation::relu6:
    return limited(0, 6);
  }
  return value;
}

/// RELU, RELU1, RELU6: quantized values keep their scale (M-051).
static LogicalResult lowerRelu(OperationLowering &op,
                               rt::FusedActivation activation) {
  Tensor input = op.input(0);
  const rt::TensorType &type = op.outputType();
  op.setOutput(op.define(type, input.extents(), [&](Indices at) {
    if (!input.isQuantized())
      return op.encode(activated(input.real(at), activation), type);
    rt::StorageRange range = rt::activationRange(activation, type);
    return op.encodeInteger(clamp(input.integer(at), range.low, range.high),
                            type);
  }));
  return success();
}

template <rt::FusedActivation activation>
static LogicalResult lowerReluOf(OperationLowering &op) {
  return lowerRelu(op, activation);
}

//===----------------------------------------------------------------------===//
// LOGISTIC, TANH, ELU, HARD_SWISH
//===----------------------------------------------------------------------===//

/// A function of one element: of quantized ones what \p table holds.
static LogicalResult
lowerFunction(OperationLowering &op, function_ref<Scalar(Scalar)> function,
              function_ref<rt::ByteTable()> table = nullptr) {
  Tensor input = op.input(0);
  const rt::TensorType &type = op.outputType();
  Tensor results;
  if (input.isQuantized()) {
    SmallVector<int8_t> bytes;
    for (int32_t result : table())
      bytes.push_back(int8_t(result));
    results = op.constantTable(bytes);
  }
  op.setOutput(op.define(type, input.extents(), [&](Indices at) {
    if (!input.isQuantized())
      return op.encode(function(input.real(at)), type);
    Type i32 = op.getBuilder().getI32Type();
    return results.stored({input.stored(at).zeroExtended(i32).toIndex()});
  }));
  return success();
}

static LogicalResult lowerLogistic(OperationLowering &op) {
  return lowerFunction(op, logistic, [&] {
    return rt::logisticTable(op.input(0).getType(), op.outputType());
  });
}

static LogicalResult lowerTanh(OperationLowering &op) {
  auto function = [](Scalar value) { return tanh(value); };
  return lowerFunction(op, function, [&] {
    return rt::hyperbolicTangentTable(op.input(0).getType(), op.outputType());
  });
}

/// A negative x becomes alpha * (exp(x) - 1), others stay (M-055).
static LogicalResult lowerElu(OperationLowering &op) {
  Scalar alpha = op.scalar(1).toF32();
  return lowerFunction(op, [&](Scalar value) {
    return select(value < 0, alpha * (exp(value) - 1), value);
  });
}

static LogicalResult lowerHardSwish(OperationLowering &op) {
  auto function = [](Scalar value) {
    return value * activated(value + 3, rt::FusedActivation::relu6) * (1.0 / 6);
  };
  return lowerFunction(op, function, [&] {
    return rt::hardSwishTable(op.input(0).getType(), op.outputType());
  });
}

//===----------------------------------------------------------------------===//
// PRELU
//===----------------------------------------------------------------------===//

/// Positive and negative values have factors of their own (M-145).
static Scalar quantizedPrelu(OperationLowering &op, Scalar value,
                             Scalar alpha) {
  const rt::TensorType &type = op.outputType();
  float inputScale = op.input(0).getType().scale;
  float product = inputScale * op.input(1).getType().scale;
  Scalar result = select(
      value >= 0, rescale(value, inputScale / type.scale, op.rounding()),
      rescale(value * alpha, double(product) / type.scale, op.rounding()));
  // Limits first: the zero point cannot make the sum wrap then.
  rt::StorageRange range = rt::storageRange(type.type);
  result = clamp(result, double(range.low) - type.zeroPoint,
                 double(range.high) - type.zeroPoint);
  return op.encodeInteger(result + double(type.zeroPoint), type);
}

static LogicalResult lowerPrelu(OperationLowering &op) {
  Tensor input = op.input(0), alpha = op.input(1);
  op.checkNotEmpty(input);
  op.checkNotEmpty(alpha);
  SmallVector<Scalar> inputExtents = input.extents();
  SmallVector<Scalar> alphaExtents = alpha.extents();
  SmallVector<Scalar> extents = op.broadcast(inputExtents, alphaExtents);
  const rt::TensorType &type = op.outputType();
  op.setOutput(op.define(type, extents, [&](Indices at) {
    SmallVector<Scalar> x = op.broadcastIndices(inputExtents, at);
    SmallVector<Scalar> a = op.broadcastIndices(alphaExtents, at);
    if (input.isQuantized())
      return quantizedPrelu(op, input.centered(x), alpha.centered(a));
    Scalar value = input.real(x);
    return op.encode(select(value >= 0, value, value * alpha.real(a)), type);
  }));
  return success();
}

static constexpr LoweringRow rows[] = {
    {OperationType::RELU, lowerReluOf<rt::FusedActivation::relu>},
    {OperationType::RELU1, lowerReluOf<rt::FusedActivation::relu1>},
    {OperationType::RELU6, lowerReluOf<rt::FusedActivation::relu6>},
    {OperationType::LOGISTIC, lowerLogistic},
    {OperationType::TANH, lowerTanh},
    {OperationType::ELU, lowerElu},
    {OperationType::HARD_SWISH, lowerHardSwish},
    {OperationType::PRELU, lowerPrelu},
    {OperationType::SOFTMAX, lowerSoftmax},
    {OperationType::LOG_SOFTMAX, lowerLogSoftmax},
};

std::span<const LoweringRow> nnhal::activationRows() { return rows; }
