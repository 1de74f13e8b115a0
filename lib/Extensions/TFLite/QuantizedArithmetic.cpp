//===- QuantizedArithmetic.cpp - Products and quotients -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MUL, DIV and PRELU of quantized numbers less their zero points, by the
// fixed-point arithmetic of TensorFlow Lite's reference kernels.
//
//===----------------------------------------------------------------------===//

#include "QuantizedArithmetic.h"

#include "ByteProduct.h"
#include "Elementwise.h"

#include <bit>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// Computes the steps of one result from those of two operands, and bounds it.
template <typename T, typename Second = T, typename Function>
Status computeSteps(Run &run, Bounds bounds, Function function) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
  const int32_t a = use.input(0).zeroPoint, b = use.input(1).zeroPoint;
  const int32_t result = use.output(0).zeroPoint;
  mapBinary(to, run.types[0].dimensions, use.data<T>(0),
            use.input(0).dimensions, use.data<Second>(1),
            use.input(1).dimensions, [=](T x, Second y) {
              return T(bounds(wrappingAdd(
                  function(int32_t(x) - a, int32_t(y) - b), result)));
            });
  return Status::ok();
}

template <typename T> Bounds activatedBounds(const Use &use) {
  return activationBounds(Activation(use.integer("activation")), boundsOf<T>(),
                          use.output(0).scale, use.output(0).zeroPoint);
}

/// 1 / divisor as the fraction multiplier * 2^-31 of at least 1/2, which has to
/// be shifted right by \p shift. The divisor is above 0.
struct Reciprocal {
  int32_t multiplier;
  int32_t shift;
};
Reciprocal reciprocalOf(int32_t divisor) {
  const int32_t zeros = std::countl_zero(uint32_t(divisor));
  const uint32_t shifted = uint32_t(divisor) << zeros;
  return {reciprocalOfOnePlus(int32_t(shifted - (uint32_t(1) << 31))),
          31 - zeros};
}

/// How often \p value can be doubled.
int32_t headroomOf(int32_t value) {
  return std::countl_zero(uint32_t(value < 0 ? ~value : value)) - 1;
}

int32_t quotientOfSteps(int32_t a, int32_t b, Factor factor) {
  if (b < 0) {
    a = -a;
    b = -b;
  }
  const Reciprocal reciprocal = reciprocalOf(b);
  const int32_t headroom = headroomOf(a);
  const int32_t quotient = doublingHighMultiply(
      int32_t(uint32_t(a) << headroom), reciprocal.multiplier);
  const int32_t shift = factor.shift - reciprocal.shift - headroom;
  return roundingShift(doublingHighMultiply(quotient, factor.multiplier),
                       std::clamp(-shift, 0, 31));
}

template <typename T> Status divideNumbers(Run &run) {
  const Use &use = run.use;
  const T *divisors = use.data<T>(1);
  for (int64_t index = 0; index < elementCount(use.input(1)); ++index)
    if (divisors[index] == use.input(1).zeroPoint)
      return fail("division by 0 at element ", index);
  // TensorFlow Lite computes the factor in single precision.
  const Factor factor =
      factorOf(use.input(0).scale / (use.input(1).scale * use.output(0).scale));
  return computeSteps<T>(
      run, activatedBounds<T>(use),
      [=](int32_t a, int32_t b) { return quotientOfSteps(a, b, factor); });
}

template <typename T> Status multiplyNumbers(Run &run) {
  const Use &use = run.use;
  const Factor factor =
      factorOf(use.input(0).scale * use.input(1).scale / use.output(0).scale);
  const Bounds inside = boundsBeforeShift(factor);
  return computeSteps<T>(
      run, activatedBounds<T>(use),
      [=](int32_t a, int32_t b) { return scale(inside(a * b), factor); });
}

} // namespace

Status tflite::multiplyBytes(Run &run) {
  return run.use.element(0) == Element::int8 ? multiplyNumbers<int8_t>(run)
                                             : multiplyNumbers<uint8_t>(run);
}

Status tflite::divideQuantized(Run &run) {
  switch (run.use.element(0)) {
  case Element::int8:
    return divideNumbers<int8_t>(run);
  case Element::uint8:
    return divideNumbers<uint8_t>(run);
  default:
    return divideNumbers<int16_t>(run);
  }
}

Status tflite::applySlopes(Run &run) {
  const Use &use = run.use;
  const float result = use.output(0).scale;
  const Factor positive = factorOf(use.input(0).scale / result);
  const Factor negative =
      factorOf(use.input(0).scale * use.input(1).scale / result);
  return computeSteps<int16_t, int8_t>(
      run, boundsOf<int16_t>(), [=](int32_t value, int32_t slope) {
        return value >= 0 ? scale(value, positive)
                          : scale(value * slope, negative);
      });
}
