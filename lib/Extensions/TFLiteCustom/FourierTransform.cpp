//===- FourierTransform.cpp - The transforms of real signals --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signal of 2 n reals is transformed as one of n complex numbers. These are
// split by the factors of n, 4 first, then 2, 3 and so on; what a stage
// computes for a radix decides how sums are rounded, so that each radix for
// which KISS FFT has sums of its own has them here.
//
//===----------------------------------------------------------------------===//

#include "FourierTransform.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

using namespace nnhal;
using namespace nnhal::tflite_custom;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

namespace {

/// Arithmetic of one type of numbers. Sums of integers wrap around.
template <typename T> struct Arithmetic {
  static constexpr int fractionBits = std::numeric_limits<T>::digits;

  static T add(T a, T b) { return T(uint32_t(a) + uint32_t(b)); }
  static T subtract(T a, T b) { return T(uint32_t(a) - uint32_t(b)); }
  static T negate(T a) { return subtract(0, a); }
  static T half(T a) { return T(a >> 1); }
  /// Half of a sum, which may exceed 16 bits.
  static T halfOfSum(T a, T b) {
    return T(int32_t(uint32_t(a) + uint32_t(b)) >> 1);
  }
  static T halfOfDifference(T a, T b) {
    return T(int32_t(uint32_t(a) - uint32_t(b)) >> 1);
  }
  static T round(int64_t product) {
    return T((product + (int64_t(1) << (fractionBits - 1))) >> fractionBits);
  }
  static T multiply(T a, T b) { return round(int64_t(a) * b); }
  static T sumOfProducts(T a, T b, T c, T d) {
    return round(int64_t(a) * b + int64_t(c) * d);
  }
  static T differenceOfProducts(T a, T b, T c, T d) {
    return round(int64_t(a) * b - int64_t(c) * d);
  }
  static T divide(T a, size_t radix) {
    return round(int64_t(a) * (std::numeric_limits<T>::max() / int64_t(radix)));
  }
  static T ofReal(double value) {
    return T(std::floor(0.5 + std::numeric_limits<T>::max() * value));
  }
};

template <> struct Arithmetic<float> {
  static float add(float a, float b) { return a + b; }
  static float subtract(float a, float b) { return a - b; }
  static float negate(float a) { return -a; }
  static float half(float a) { return a * 0.5f; }
  static float halfOfSum(float a, float b) { return (a + b) * 0.5f; }
  static float halfOfDifference(float a, float b) { return (a - b) * 0.5f; }
  static float multiply(float a, float b) { return a * b; }
  static float sumOfProducts(float a, float b, float c, float d) {
    return a * b + c * d;
  }
  static float differenceOfProducts(float a, float b, float c, float d) {
    return a * b - c * d;
  }
  static float divide(float a, size_t /*radix*/) { return a; }
  static float ofReal(double value) { return float(value); }
};

template <typename T> struct Complex {
  using Numbers = Arithmetic<T>;
  T real = 0, imaginary = 0;

  static Complex ofPhase(double phase) {
    return {Numbers::ofReal(std::cos(phase)), Numbers::ofReal(std::sin(phase))};
  }
  Complex operator+(Complex other) const {
    return {Numbers::add(real, other.real),
            Numbers::add(imaginary, other.imaginary)};
  }
  Complex operator-(Complex other) const {
    return {Numbers::subtract(real, other.real),
            Numbers::subtract(imaginary, other.imaginary)};
  }
  Complex operator*(Complex other) const {
    return {
        Numbers::differenceOfProducts(real, other.real, imaginary,
                                      other.imaginary),
        Numbers::sumOfProducts(real, other.imaginary, imaginary, other.real)};
  }
  Complex times(T factor) const {
    return {Numbers::multiply(real, factor),
            Numbers::multiply(imaginary, factor)};
  }
  Complex dividedBy(size_t radix) const {
    return {Numbers::divide(real, radix), Numbers::divide(imaginary, radix)};
  }
  Complex half() const {
    return {Numbers::half(real), Numbers::half(imaginary)};
  }
  /// i times this: a quarter of a turn.
  Complex turned() const { return {Numbers::negate(imaginary), real}; }
  Complex conjugate() const { return {real, Numbers::negate(imaginary)}; }
};

} // namespace

//===----------------------------------------------------------------------===//
// Complex transforms
//===----------------------------------------------------------------------===//

template <typename T> struct FourierTransform<T>::State {
  using Number = Complex<T>;
  using Numbers = Arithmetic<T>;

  State(size_t length, bool isInverse);
  void run() { work(output.data(), input.data(), 1, 0); }

  bool isInverse;
  /// Before and after the transform; the roots of unity; those by which the
  /// halves of a real signal's spectrum are told apart.
  std::vector<Number> input, output, roots, halfRoots;

private:
  struct Stage {
    size_t radix, length;
  };
  void work(Number *to, const Number *from, size_t stride, size_t stage);
  template <size_t radix>
  std::array<Number, radix> terms(const Number *values, size_t stride,
                                  size_t count, size_t k) const;
  void combine2(Number *values, size_t stride, size_t count) const;
  void combine3(Number *values, size_t stride, size_t count) const;
  void combine4(Number *values, size_t stride, size_t count) const;
  void combine5(Number *values, size_t stride, size_t count) const;
  void combine(Number *values, size_t stride, size_t count, size_t radix);

  std::vector<Stage> stages;
  std::vector<Number> scratch;
};

template <typename T>
FourierTransform<T>::State::State(size_t length, bool isInverse)
    : isInverse(isInverse), input(length), output(length) {
  double direction = isInverse ? -1.0 : 1.0;
  for (size_t i = 0; i < length; ++i)
    roots.push_back(Number::ofPhase(
        direction * (-2.0 * std::numbers::pi * double(i) / double(length))));
  for (size_t i = 0; i < length / 2; ++i)
    halfRoots.push_back(
        Number::ofPhase(direction * (-std::numbers::pi *
                                     (double(i + 1) / double(length) + 0.5))));
  auto bound = size_t(std::floor(std::sqrt(double(length))));
  size_t radix = 4;
  do {
    while (length % radix != 0) {
      radix = radix == 4 ? 2 : radix == 2 ? 3 : radix + 2;
      if (radix > bound)
        radix = length;
    }
    length /= radix;
    stages.push_back({radix, length});
  } while (length > 1);
}

/// Returns what butterfly \p k of a stage combines: a value of each of the
/// \p radix shorter transforms, all but the first one times its twiddle factor.
template <typename T>
template <size_t radix>
std::array<Complex<T>, radix>
FourierTransform<T>::State::terms(const Number *values, size_t stride,
                                  size_t count, size_t k) const {
  std::array<Number, radix> terms;
  terms[0] = values[k].dividedBy(radix);
  for (size_t i = 1; i < radix; ++i)
    terms[i] = values[k + i * count].dividedBy(radix) * roots[i * k * stride];
  return terms;
}

template <typename T>
void FourierTransform<T>::State::combine2(Number *values, size_t stride,
                                          size_t count) const {
  for (size_t k = 0; k < count; ++k) {
    auto [low, high] = terms<2>(values, stride, count, k);
    values[k + count] = low - high;
    values[k] = low + high;
  }
}

template <typename T>
void FourierTransform<T>::State::combine3(Number *values, size_t stride,
                                          size_t count) const {
  T height = roots[stride * count].imaginary;
  for (size_t k = 0; k < count; ++k) {
    auto [first, second, third] = terms<3>(values, stride, count, k);
    Number sum = second + third;
    Number difference = (second - third).times(height);
    Number middle = first - sum.half();
    values[k] = first + sum;
    values[k + 2 * count] = middle - difference.turned();
    values[k + count] = middle + difference.turned();
  }
}

template <typename T>
void FourierTransform<T>::State::combine4(Number *values, size_t stride,
                                          size_t count) const {
  for (size_t k = 0; k < count; ++k) {
    auto [first, second, third, fourth] = terms<4>(values, stride, count, k);
    Number even = first - third, evenSum = first + third;
    Number oddSum = second + fourth, odd = (second - fourth).turned();
    values[k + 2 * count] = evenSum - oddSum;
    values[k] = evenSum + oddSum;
    values[k + count] = isInverse ? even + odd : even - odd;
    values[k + 3 * count] = isInverse ? even - odd : even + odd;
  }
}

template <typename T>
void FourierTransform<T>::State::combine5(Number *values, size_t stride,
                                          size_t count) const {
  Number a = roots[stride * count], b = roots[2 * stride * count];
  for (size_t k = 0; k < count; ++k) {
    auto [first, second, third, fourth, fifth] =
        terms<5>(values, stride, count, k);
    Number outer = second + fifth, outerDifference = second - fifth;
    Number inner = third + fourth, innerDifference = third - fourth;
    values[k] = first + (outer + inner);
    Number even = first + outer.times(a.real) + inner.times(b.real);
    Number left = outerDifference.times(a.imaginary);
    Number right = innerDifference.times(b.imaginary);
    Number odd = {(left + right).imaginary,
                  Numbers::subtract(Numbers::negate(left.real), right.real)};
    values[k + count] = even - odd;
    values[k + 4 * count] = even + odd;
    even = first + outer.times(b.real) + inner.times(a.real);
    left = outerDifference.times(b.imaginary);
    right = innerDifference.times(a.imaginary);
    odd = {(right - left).imaginary, (left - right).real};
    values[k + 2 * count] = even + odd;
    values[k + 3 * count] = even - odd;
  }
}

template <typename T>
void FourierTransform<T>::State::combine(Number *values, size_t stride,
                                         size_t count, size_t radix) {
  scratch.resize(radix);
  for (size_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < radix; ++i)
      scratch[i] = values[k + i * count].dividedBy(radix);
    for (size_t i = 0; i < radix; ++i) {
      size_t root = 0;
      Number sum = scratch[0];
      for (size_t j = 1; j < radix; ++j) {
        root = (root + stride * (k + i * count)) % roots.size();
        sum = sum + scratch[j] * roots[root];
      }
      values[k + i * count] = sum;
    }
  }
}

template <typename T>
void FourierTransform<T>::State::work(Number *to, const Number *from,
                                      size_t stride, size_t stage) {
  auto [radix, count] = stages[stage];
  for (size_t i = 0; i < radix; ++i)
    if (count == 1)
      to[i] = from[i * stride];
    else
      work(to + i * count, from + i * stride, stride * radix, stage + 1);
  switch (radix) {
  case 2:
    return combine2(to, stride, count);
  case 3:
    return combine3(to, stride, count);
  case 4:
    return combine4(to, stride, count);
  case 5:
    return combine5(to, stride, count);
  default:
    return combine(to, stride, count, radix);
  }
}

//===----------------------------------------------------------------------===//
// Real transforms
//===----------------------------------------------------------------------===//

template <typename T>
FourierTransform<T>::FourierTransform(size_t length, bool isInverse)
    : state(std::make_unique<State>(length / 2, isInverse)) {}

template <typename T> FourierTransform<T>::~FourierTransform() = default;

template <typename T>
void FourierTransform<T>::transform(std::span<const T> signal,
                                    std::span<T> spectrum) {
  using Numbers = Arithmetic<T>;
  size_t count = state->input.size();
  for (size_t i = 0; i < count; ++i)
    state->input[i] = {signal[2 * i], signal[2 * i + 1]};
  state->run();
  auto set = [&](size_t index, T real, T imaginary) {
    spectrum[2 * index] = real;
    spectrum[2 * index + 1] = imaginary;
  };
  Complex<T> first = state->output[0].dividedBy(2);
  set(0, Numbers::add(first.real, first.imaginary), 0);
  set(count, Numbers::subtract(first.real, first.imaginary), 0);
  for (size_t k = 1; k <= count / 2; ++k) {
    Complex<T> low = state->output[k].dividedBy(2);
    Complex<T> high = state->output[count - k].conjugate().dividedBy(2);
    Complex<T> sum = low + high;
    Complex<T> turned = (low - high) * state->halfRoots[k - 1];
    set(k, Numbers::halfOfSum(sum.real, turned.real),
        Numbers::halfOfSum(sum.imaginary, turned.imaginary));
    set(count - k, Numbers::halfOfDifference(sum.real, turned.real),
        Numbers::halfOfDifference(turned.imaginary, sum.imaginary));
  }
}

template <typename T>
void FourierTransform<T>::invert(std::span<const T> spectrum,
                                 std::span<T> signal) {
  using Numbers = Arithmetic<T>;
  size_t count = state->input.size();
  auto at = [&](size_t index) {
    return Complex<T>{spectrum[2 * index], spectrum[2 * index + 1]};
  };
  T first = at(0).real, last = at(count).real;
  state->input[0] =
      Complex<T>{Numbers::add(first, last), Numbers::subtract(first, last)}
          .dividedBy(2);
  for (size_t k = 1; k <= count / 2; ++k) {
    Complex<T> low = at(k).dividedBy(2);
    Complex<T> high = at(count - k).conjugate().dividedBy(2);
    Complex<T> even = low + high;
    Complex<T> odd = (low - high) * state->halfRoots[k - 1];
    state->input[k] = even + odd;
    state->input[count - k] = (even - odd).conjugate();
  }
  state->run();
  for (size_t i = 0; i < count; ++i) {
    signal[2 * i] = state->output[i].real;
    signal[2 * i + 1] = state->output[i].imaginary;
  }
}

template class nnhal::tflite_custom::FourierTransform<float>;
template class nnhal::tflite_custom::FourierTransform<int16_t>;
template class nnhal::tflite_custom::FourierTransform<int32_t>;
