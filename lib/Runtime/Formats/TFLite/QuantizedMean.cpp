//===- QuantizedMean.cpp - MEAN as TensorFlow Lite computes it ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The HAL's MEAN of quantized values divides the sum by the count and keeps the
// quantization. TensorFlow Lite brings the sum of signed bytes to the result's
// quantization by one 31-bit multiplier, which has the count in it and is not
// normalized, so that it rounds twice: to a multiple of 2^-k, halves up, and
// then to an integer, halves away from zero.
//
//===----------------------------------------------------------------------===//

#include "Composition.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nnhal::rt::tflite {

namespace {
/// A sum times \p factor, rounded, is 2^bits times the mean.
struct MeanFactor {
  float factor;
  int bits;
};
} // namespace

static MeanFactor factorOf(double scale, uint32_t count) {
  int exponent = 0;
  auto multiplier =
      int64_t(std::llround(std::frexp(scale, &exponent) * double(1u << 31)));
  int shift = std::min({int(std::bit_width(count)) - 1, 32, 31 + exponent});
  multiplier = (multiplier << std::max(shift, 0)) / count;
  int bits = std::max(0, shift - exponent);
  int left = std::max(0, exponent - shift);
  return {float(std::ldexp(double(multiplier), left - 31)), bits};
}

bool hasExactMean(Operator &op, std::span<const uint32_t> axes) {
  const Tensor &from = op.input(0), &to = op.output(0);
  // The sum is exact as long as float32 holds it.
  uint64_t count = 1;
  for (uint32_t axis : axes)
    count *= op.shape(0)[axis];
  return from.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED &&
         to.type == from.type && count <= (1u << 16);
}

Status importExactMean(Operator &op, std::span<const uint32_t> axes,
                       bool keepsDimensions) {
  const Tensor &from = op.input(0), &to = op.output(0);
  uint32_t count = 1;
  Shape result;
  for (uint32_t i = 0; i < op.shape(0).size(); ++i) {
    bool isReduced = std::ranges::count(axes, i) > 0;
    count *= isReduced ? op.shape(0)[i] : 1;
    if (!isReduced || keepsDimensions)
      result.push_back(isReduced ? 1 : op.shape(0)[i]);
  }
  Composition c(op);
  auto real = [&](OperationType type, std::vector<uint32_t> inputs,
                  const Shape &shape) {
    uint32_t temporary = c.realTemporary(shape);
    c.addTo(type, std::move(inputs), {temporary});
    return temporary;
  };
  uint32_t numbers = c.stored(from.zeroPoint);
  std::vector<int32_t> reduced(axes.begin(), axes.end());
  uint32_t sum =
      real(OperationType::REDUCE_SUM,
           {numbers, c.integers(reduced), c.boolean(keepsDimensions)}, result);
  MeanFactor factor = factorOf(double(from.scale) / to.scale, count);
  auto arithmetic = [&](OperationType type, uint32_t lhs, float rhs) {
    return real(type, {lhs, c.reals({1}, {rhs}), c.int32(0)}, result);
  };
  uint32_t raised =
      arithmetic(OperationType::ADD,
                 arithmetic(OperationType::MUL, sum, factor.factor), 0.5f);
  uint32_t rounded = real(OperationType::FLOOR, {raised}, result);
  uint32_t mean =
      arithmetic(OperationType::MUL, rounded, std::ldexp(1.0f, -factor.bits));
  return c.finishStored(mean, result, to.zeroPoint);
}

} // namespace nnhal::rt::tflite
