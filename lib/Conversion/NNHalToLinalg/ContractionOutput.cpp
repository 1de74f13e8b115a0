//===- ContractionOutput.cpp - From sums of products to results -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionOutput.h"

#include "Engine/FixedPoint.h"
#include "Engine/WindowAxes.h"

using namespace mlir;
using namespace nnhal;

ContractionOutput::ContractionOutput(OperationLowering &op,
                                     rt::FusedActivation activation,
                                     double largestSum)
    : op(op), activation(activation), bias(op.input(2)),
      largestSum(largestSum) {
  const rt::TensorType &input = op.view().inputs[0].type;
  const rt::TensorType &filter = op.view().inputs[1].type;
  if (bias.isFloat())
    return;
  isReal = op.type() == rt::OperationType::FULLY_CONNECTED &&
           op.rounding() == rt::Rounding::doubleRounding;
  auto scaleOf = [&](float filterScale) {
    float output = op.outputType().scale;
    return isReal ? rt::fullyConnectedScale(input.scale, filterScale, output)
                  : rt::convolutionScale(input, filterScale, output);
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
  if (op.rounding() == rt::Rounding::floatRounding) {
    floatScales = op.constantTable(llvm::to_vector_of<float>(scales));
    return;
  }
  SmallVector<int32_t> multiplierValues, exponentValues;
  for (double scale : scales) {
    rt::FixedPointFactor factor = rt::fixedPointFactor(scale);
    multiplierValues.push_back(factor.multiplier);
    exponentValues.push_back(factor.exponent);
  }
  multipliers = op.constantTable(multiplierValues);
  if (op.rounding() == rt::Rounding::doubleRounding &&
      largestSum < smallLimit && *llvm::max_element(exponentValues) < 0) {
    SmallVector<int32_t> shiftValues, halfValues;
    for (int32_t exponent : exponentValues) {
      shiftValues.push_back(std::min(-exponent, 31));
      halfValues.push_back(int32_t(1) << (shiftValues.back() - 1));
    }
    rightShifts = op.constantTable(shiftValues);
    halves = op.constantTable(halfValues);
  } else {
    exponents = op.constantTable(exponentValues);
  }
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
  if (isReal)
    return multiplyByReal(sum, scales.front(), largestSum);
  if (scales.size() == 1)
    return rescale(sum, scales.front(), op.rounding(), largestSum);
  Scalar multiplier = multipliers.integer({channel});
  if (rightShifts.get())
    return multiplySmallByFactor(sum, multiplier,
                                 rightShifts.integer({channel}),
                                 halves.integer({channel}));
  Scalar exponent = exponents.integer({channel});
  if (op.rounding() == rt::Rounding::singleRounding)
    return multiplyOnce(sum, multiplier, exponent);
  return multiplyByFactor(sum, multiplier, exponent);
}

Scalar ContractionOutput::rounded(Scalar sum, Scalar channel, double low,
                                  double high) const {
  if (op.rounding() != rt::Rounding::floatRounding)
    return rescaled(sum.toI32(), channel);
  Scalar real = sum.toF32() * floatScale(channel);
  // Bounds that are integers may come before rounding, where they keep the
  // conversion in range.
  if (largestSum * *llvm::max_element(scales) >= smallLimit)
    real = clamp(real, low, high);
  return roundEven(real).toI32();
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
  // Everything from here on fits 16 bits, of which a register holds twice as
  // many; saturating to them is part of packing them.
  using Short = std::numeric_limits<int16_t>;
  Scalar value =
      clamp(rounded(sum, channel, low, high), Short::min(), Short::max())
          .to(op.getBuilder().getI16Type());
  return (clamp(value, low, high) + zeroPoint)
      .to(op.valueType(type).getElementType());
}
