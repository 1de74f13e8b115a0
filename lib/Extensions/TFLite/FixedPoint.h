//===- FixedPoint.h - Integer arithmetic ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of TensorFlow Lite's integer kernels: a real factor is a
// multiplier of 31 bits and a power of two. Sums of 32 bits are rounded twice,
// by the doubling high multiplication and by the shift; sums of 64 bits are
// multiplied by the upper 15 bits of the multiplier and rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_FIXEDPOINT_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_FIXEDPOINT_H

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

/// Compiles a function for several instruction sets, of which the loader takes
/// the best that the machine has. Sanitizers need their own start-up code to
/// run before any function, the choosing ones included.
#if defined(__x86_64__) && !defined(NNHAL_NO_TARGET_CLONES)
#define NNHAL_TARGET_CLONES                                                    \
  [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define NNHAL_TARGET_CLONES
#endif
/// A part of such a function, which is compiled with it.
#define NNHAL_KERNEL_PART [[gnu::always_inline]] inline

namespace nnhal::tflite {

/// The factor multiplier * 2^(shift - 31).
struct Factor {
  int32_t multiplier = 0;
  int32_t shift = 0;
};

/// Returns the factor next to \p value; 0 where that is below 2^-32.
Factor factorOf(double value);

/// Whether \p value is a power of two but for a thousandth of its logarithm,
/// which goes to \p exponent.
bool isPowerOfTwo(float value, int32_t &exponent);

/// Returns the sum, wrapped.
NNHAL_KERNEL_PART int32_t wrappingAdd(int32_t a, int32_t b) {
  return int32_t(uint32_t(a) + uint32_t(b));
}

/// a * b * 2^-31, rounded to nearest, halves up; nothing is saturated, because
/// no multiplier is -2^31.
NNHAL_KERNEL_PART int32_t doublingHighMultiply(int32_t a, int32_t b) {
  return int32_t((int64_t(a) * b + (int64_t(1) << 30)) >> 31);
}

/// value * 2^-exponent, rounded to nearest, halves away from zero. The exponent
/// is 0 to 31.
NNHAL_KERNEL_PART int32_t roundingShift(int32_t value, int32_t exponent) {
  int32_t mask = int32_t((uint32_t(1) << exponent) - 1);
  int32_t threshold = int32_t(uint32_t(mask) >> 1) + (value < 0 ? 1 : 0);
  return (value >> exponent) + ((value & mask) > threshold ? 1 : 0);
}

/// value * 2^bits, saturated.
inline int32_t saturatingLeft(int32_t value, int32_t bits) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  return int32_t(std::clamp(int64_t(value) << bits, -most - 1, most));
}

/// Returns 1 / (1 + x) for x from 0 to 1, both without integer bits, by three
/// steps of Newton's method.
int32_t reciprocalOfOnePlus(int32_t x);

/// value * factor, rounded twice. The left shift wraps.
NNHAL_KERNEL_PART int32_t scale(int32_t value, Factor factor) {
  int32_t left = factor.shift > 0 ? factor.shift : 0;
  int32_t right = factor.shift > 0 ? 0 : -factor.shift;
  int32_t shifted = int32_t(uint32_t(value) << left);
  return roundingShift(doublingHighMultiply(shifted, factor.multiplier), right);
}

/// A factor for sums of 64 bits.
struct WideFactor {
  explicit WideFactor(Factor factor)
      : multiplier(factor.multiplier < 0x7FFF0000
                       ? (factor.multiplier + (1 << 15)) >> 16
                       : 0x7FFF),
        shift(std::clamp(15 - factor.shift, 1, 62)) {}
  int64_t multiplier;
  int64_t shift;
};

/// value * factor, rounded once, halves up. Wraps.
NNHAL_KERNEL_PART int32_t scale(int64_t value, WideFactor factor) {
  uint64_t product = uint64_t(value) * uint64_t(factor.multiplier) +
                     (uint64_t(1) << (factor.shift - 1));
  return int32_t(int64_t(product) >> factor.shift);
}

/// Whether a factor with \p shift multiplies and rounds sums of 32 bits without
/// more bits.
constexpr bool isRoundedIn32(int64_t shift) {
  return shift >= 17 && shift <= 46;
}

/// The factors of a sum or a difference of 16-bit numbers: of the operands,
/// which are brought to twice the larger scale, and of what is made of them.
struct SumFactors {
  Factor a, b, result;
};
/// Returns those of ADD and SUB, whose operands get 15 more bits.
SumFactors factorsOfSum(float a, float b, float result);
/// Returns those of SQUARED_DIFFERENCE.
SumFactors factorsOfSquare(float a, float b, float result);

/// Returns the factor of a mean: of a sum of \p count numbers with scale
/// \p input, which is divided by their count.
Factor factorOfReduction(float input, float result, int64_t count);

/// How many bits operands are shifted right by.
struct SumShifts {
  int32_t a, b;
};
/// Returns the shifts where scales are powers of two by which one operand,
/// which is not finer than the result, is shifted right and the other one not
/// at all. TensorFlow Lite adds those without widening them.
std::optional<SumShifts> shiftsOfSum(float a, float b, float result);

/// The bounds of a quantized result.
struct Bounds {
  int32_t least = std::numeric_limits<int16_t>::min();
  int32_t most = std::numeric_limits<int16_t>::max();
  NNHAL_KERNEL_PART int32_t operator()(int32_t value) const {
    return std::min(std::max(value, least), most);
  }
};
template <typename T> constexpr Bounds boundsOf() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}
/// The codes of TensorFlow Lite's fused activations, and after them
/// RELU_0_TO_1, which is an operator alone.
enum class Activation : int32_t { none, relu, reluN1To1, relu6, relu0To1 };
/// Bounds what \p activation leaves of elements with \p scale and \p zeroPoint.
Bounds activationBounds(Activation activation, Bounds elements, float scale,
                        int32_t zeroPoint);

/// Applies an activation to a number without quantization.
template <typename T> T activated(T value, Activation activation) {
  switch (activation) {
  case Activation::none:
    return value;
  case Activation::relu:
    return std::max(value, T(0));
  case Activation::reluN1To1:
    return std::min(std::max(value, T(-1)), T(1));
  case Activation::relu6:
    return std::min(std::max(value, T(0)), T(6));
  case Activation::relu0To1:
    return std::min(std::max(value, T(0)), T(1));
  }
  return value;
}

/// A function of 16-bit numbers as 512 straight lines.
using Table16 = std::array<int16_t, 513>;
/// Returns the table of \p function from [\p inputLeast, \p inputMost] to
/// elements of scale \p outputScale.
template <typename Real, typename Function>
Table16 makeTable16(Real inputLeast, Real inputMost, Real outputScale,
                    Function function);
int16_t lookUp(const Table16 &table, int16_t value);
/// Returns the table of EXP.
Table16 exponentialTable(float inputScale, float outputScale);

/// The tables of SOFTMAX of 16-bit numbers.
struct SoftmaxTables {
  /// exp(x) from -10 to 0.
  Table16 exponential;
  /// 1 / (1 + x) from 0 to 1.
  Table16 reciprocal;
};
const SoftmaxTables &softmaxTables();
/// Returns the factor that brings what is below the largest element of a row,
/// in steps of \p scale, to steps of the table of exponentials.
Factor softmaxFactor(float scale, float beta);
/// Returns the place in the table of an element that is \p distance, which is
/// not above 0, from the largest one.
NNHAL_KERNEL_PART int16_t softmaxPlace(int32_t distance, Factor factor) {
  return int16_t(
      boundsOf<int16_t>()(wrappingAdd(scale(distance, factor), 32767)));
}

/// The logistic function at i / 24 with 16 fractional bits, raised by half of
/// what straight lines between the points lose in the middle.
const std::array<uint16_t, 256> &logisticTable();

//===----------------------------------------------------------------------===//
// Implementation
//===----------------------------------------------------------------------===//

template <typename Real, typename Function>
Table16 makeTable16(Real inputLeast, Real inputMost, Real outputScale,
                    Function function) {
  constexpr int steps = 512;
  Real step = (inputMost - inputLeast) / steps;
  Real perUnit = Real(65536) / (outputScale * 32767 - outputScale * -32768);
  // Infinite values have no error that is a number, and are the most.
  auto bounded = [](Real value) {
    Real number = std::isnan(value) ? Real(32767) : value;
    return int16_t(std::min<Real>(std::max<Real>(number, -32768), 32767));
  };
  Table16 table;
  for (int index = 0; index < steps; ++index) {
    Real value = function(inputLeast + index * step);
    Real middle = function(inputLeast + index * step + step / 2);
    Real next = function(inputLeast + (index + 1) * step);
    Real sample = std::round(value * perUnit);
    Real line = std::round((next * perUnit + std::round(value * perUnit)) / 2);
    Real error = line - std::round(middle * perUnit);
    table[index] = bounded(sample - std::round(error / 2));
  }
  table[steps] = bounded(std::round(function(inputMost) * perUnit));
  return table;
}

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_FIXEDPOINT_H
