//===- ContractionOutput.cpp - From sums of products to results -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionOutput.h"

#include "FixedPoint.h"
#include "WindowAxes.h"

using namespace mlir;
using namespace nnhal;

ContractionOutput::ContractionOutput(OperationLowering &op,
                                     rt::FusedActivation activation)
    : op(op), activation(activation), bias(op.input(2)) {
  const rt::TensorType &input = op.view().inputs[0].type;
  const rt::TensorType &filter = op.view().inputs[1].type;
  if (bias.isFloat())
    return;
  auto scaleOf = [&](float filterScale) {
    // The product of two scales is rounded to a float before it is divided;
    // beyond 2^30 any product saturates.
    double product = double(input.scale * filterScale);
    return std::min(product / double(op.outputType().scale), 0x1p30);
  };
  if (filter.channelQuant.scales.empty()) {
    scales.push_back(scaleOf(filter.scale));
    return;
  }
  for (float scale : filter.channelQuant.scales)
    scales.push_back(scaleOf(scale));
  makeTables();
}

void ContractionOutput::makeTables() {
  SmallVector<int32_t> multiplierValues, exponentValues;
  SmallVector<float> floatValues;
  for (double scale : scales) {
    rt::FixedPointFactor factor = rt::fixedPointFactor(scale);
    multiplierValues.push_back(factor.multiplier);
    exponentValues.push_back(factor.exponent);
    floatValues.push_back(float(scale));
  }
  if (op.rounding() == rt::Rounding::floatRounding) {
    floatScales = op.constantTable(floatValues);
    return;
  }
  multipliers = op.constantTable(multiplierValues);
  exponents = op.constantTable(exponentValues);
}

void ContractionOutput::checkChannels(Scalar channels) const {
  op.checkEqual(bias.extent(0), channels);
  if (scales.size() > 1) // A single one may still be that of one channel.
    op.checkEqual(channels, op.index(int64_t(scales.size())));
  else if (!op.view().inputs[1].type.channelQuant.scales.empty())
    op.checkEqual(channels, op.index(1));
}

Scalar ContractionOutput::zero() const {
  return bias.isFloat() ? op.f32(0) : op.i32(0);
}

Scalar ContractionOutput::floatScale(Scalar channel) const {
  return scales.size() == 1 ? op.f32(scales.front())
                            : floatScales.real({channel});
}

Scalar ContractionOutput::rescaled(Scalar sum, Scalar channel) const {
  if (scales.size() == 1)
    return rescale(sum, scales.front(), op.rounding());
  Scalar multiplier = multipliers.integer({channel});
  Scalar exponent = exponents.integer({channel});
  if (op.rounding() == rt::Rounding::singleRounding)
    return multiplyOnce(sum, multiplier, exponent);
  return multiplyByFactor(sum, multiplier, exponent);
}

Scalar ContractionOutput::finish(Scalar sum, Scalar channel) const {
  if (bias.isFloat())
    return op.encode(activated(sum + bias.real({channel}), activation),
                     op.outputType());
  return finishBiased(sum + bias.integer({channel}), channel);
}

Scalar ContractionOutput::finishBiased(Scalar sum, Scalar channel) const {
  const rt::TensorType &type = op.outputType();
  // The bounds before the zero point, so that the sum cannot wrap (M-017).
  rt::StorageRange range = rt::activationRange(activation, type);
  double zeroPoint = type.zeroPoint;
  double low = range.low - zeroPoint, high = range.high - zeroPoint;
  Scalar limited;
  if (op.rounding() == rt::Rounding::floatRounding) {
    // Bounds that are integers may come before rounding, where they also keep
    // the conversion in range.
    Scalar real = clamp(sum.toF32() * floatScale(channel), low, high);
    limited = roundEven(real).toI32();
  } else {
    limited = clamp(rescaled(sum, channel), low, high);
  }
  // In the storage's range already.
  return (limited + zeroPoint).to(op.valueType(type).getElementType());
}
