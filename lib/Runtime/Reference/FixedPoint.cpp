//===- FixedPoint.cpp - Requantization in fixed point -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedPoint.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

FixedPointFactor reference::fixedPointFactor(double value) {
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

int32_t reference::saturatingRoundingDoublingHighMul(int32_t a, int32_t b) {
  if (a == b && a == std::numeric_limits<int32_t>::min())
    return std::numeric_limits<int32_t>::max();
  int64_t product = int64_t(a) * b;
  int64_t nudge = product >= 0 ? int64_t(1) << 30 : 1 - (int64_t(1) << 30);
  return int32_t((product + nudge) / (int64_t(1) << 31));
}

int32_t reference::roundingDivideByPowerOfTwo(int32_t value, int32_t exponent) {
  int64_t mask = (int64_t(1) << exponent) - 1;
  int64_t remainder = value & mask;
  int64_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return int32_t((int64_t(value) >> exponent) +
                 (remainder > threshold ? 1 : 0));
}

int32_t reference::saturatingShift(int32_t value, int32_t exponent) {
  if (exponent < 0)
    return roundingDivideByPowerOfTwo(value, std::min(-exponent, 31));
  int64_t shifted = int64_t(value) * (int64_t(1) << std::min(exponent, 31));
  return int32_t(std::clamp<int64_t>(shifted,
                                     std::numeric_limits<int32_t>::min(),
                                     std::numeric_limits<int32_t>::max()));
}

int32_t reference::multiplyByFactor(int32_t value, FixedPointFactor factor) {
  int32_t left = std::max(factor.exponent, 0);
  int32_t right = std::max(-factor.exponent, 0);
  auto shifted = int32_t(uint32_t(value) << left);
  return roundingDivideByPowerOfTwo(
      saturatingRoundingDoublingHighMul(shifted, factor.multiplier), right);
}

StorageRange reference::activationRange(FusedActivation activation,
                                        const TensorType &output) {
  StorageRange range = storageRange(output.type);
  auto quantize = [&](double value) {
    double quantized = output.zeroPoint + std::round(value / output.scale);
    return int32_t(
        std::clamp(quantized, double(range.low), double(range.high)));
  };
  switch (activation) {
  case FusedActivation::none:
    return range;
  case FusedActivation::relu:
    return {std::max(range.low, quantize(0.0)), range.high};
  case FusedActivation::relu1:
    return {quantize(-1.0), quantize(1.0)};
  case FusedActivation::relu6:
    return {quantize(0.0), quantize(6.0)};
  }
  return range;
}
