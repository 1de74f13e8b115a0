//===- Activation.cpp - Activations of any type and shape -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationLowering.h"

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

static constexpr GeneralLoweringRow rows[] = {
    {OperationType::RELU, lowerReluOf<rt::FusedActivation::relu>},
    {OperationType::RELU1, lowerReluOf<rt::FusedActivation::relu1>},
    {OperationType::RELU6, lowerReluOf<rt::FusedActivation::relu6>},
};

std::span<const GeneralLoweringRow> nnhal::generalActivationRows() {
  return rows;
}
