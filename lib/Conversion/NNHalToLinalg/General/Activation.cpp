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

/// RELU, RELU1, RELU6: quantized values keep their scale (M-051).
static LogicalResult lowerRelu(OperationLowering &op,
                               rt::FusedActivation activation) {
  Tensor input = op.input(0);
  const rt::TensorType &type = op.outputType();
  auto limit = [&](Scalar value, double low, double high) {
    return clamp(value, low, high);
  };
  double high = activation == rt::FusedActivation::relu6 ? 6.0 : 1.0;
  double low = activation == rt::FusedActivation::relu1 ? -1.0 : 0.0;
  op.setOutput(op.define(type, input.extents(), [&](Indices at) {
    if (input.isQuantized()) {
      rt::StorageRange range = rt::activationRange(activation, type);
      return op.encodeInteger(limit(input.integer(at), range.low, range.high),
                              type);
    }
    Scalar value = input.real(at);
    if (activation == rt::FusedActivation::relu)
      return op.encode(max(value, 0.0), type);
    return op.encode(limit(value, low, high), type);
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
