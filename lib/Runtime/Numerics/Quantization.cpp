//===- Quantization.cpp - Numbers behind quantized arithmetic -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quantization.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace nnhal::rt;

template <typename T> static StorageRange rangeOf() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

StorageRange nnhal::rt::storageRange(OperandType type) {
  switch (type) {
  case OperandType::BOOL:
  case OperandType::TENSOR_BOOL8:
  case OperandType::TENSOR_QUANT8_ASYMM:
    return rangeOf<uint8_t>();
  case OperandType::TENSOR_QUANT8_SYMM:
  case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
    return rangeOf<int8_t>();
  case OperandType::TENSOR_QUANT16_ASYMM:
    return rangeOf<uint16_t>();
  case OperandType::TENSOR_QUANT16_SYMM:
    return rangeOf<int16_t>();
  default:
    return rangeOf<int32_t>();
  }
}

FixedPointFactor nnhal::rt::fixedPointFactor(double value) {
  if (!(value > 0.0))
    return {};
  if (std::isinf(value)) // A quotient of scales.
    return {std::numeric_limits<int32_t>::max(), 30};
  FixedPointFactor factor;
  double mantissa = std::frexp(value, &factor.exponent);
  auto rounded = int64_t(std::round(mantissa * double(int64_t(1) << 31)));
  if (rounded == int64_t(1) << 31) {
    rounded /= 2;
    ++factor.exponent;
  }
  if (factor.exponent < -31)
    return {};
  // A factor beyond 2^30 saturates every product anyway.
  if (factor.exponent > 30)
    return {std::numeric_limits<int32_t>::max(), 30};
  factor.multiplier = int32_t(rounded);
  return factor;
}

double nnhal::rt::fullyConnectedScale(float input, float filter, float output) {
  return std::min(double(input) * double(filter) / double(output), 0x1p30);
}

double nnhal::rt::convolutionScale(const TensorType &input, float filter,
                                   float output) {
  if (input.type == OperandType::TENSOR_QUANT8_ASYMM)
    return std::min(double(input.scale * filter) / double(output), 0x1p30);
  return fullyConnectedScale(input.scale, filter, output);
}

double nnhal::rt::stepsOfBound(float bound, float scale) {
  return double(std::round(bound / scale));
}

StorageRange nnhal::rt::activationRange(FusedActivation activation,
                                        const TensorType &output) {
  StorageRange range = storageRange(output.type);
  auto quantize = [&](float value) {
    double quantized = output.zeroPoint + stepsOfBound(value, output.scale);
    return int32_t(
        std::clamp(quantized, double(range.low), double(range.high)));
  };
  switch (activation) {
  case FusedActivation::none:
    return range;
  case FusedActivation::relu:
    return {std::max(range.low, quantize(0.0f)), range.high};
  case FusedActivation::relu1:
    return {quantize(-1.0f), quantize(1.0f)};
  case FusedActivation::relu6:
    return {quantize(0.0f), quantize(6.0f)};
  }
  return range;
}
