//===- FourierTransform.h - The transforms of real signals ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_FOURIERTRANSFORM_H
#define NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_FOURIERTRANSFORM_H

#include <cstddef>
#include <memory>
#include <span>

namespace nnhal::tflite_custom {

/// A discrete Fourier transform of as many reals as its length says, with the
/// arithmetic of KISS FFT, which TensorFlow Lite Micro uses: T is float, or
/// int16_t or int32_t, which stand for fractions, and of which every stage
/// divides the values by its radix. Complex numbers are pairs of a real and an
/// imaginary part.
template <typename T> class FourierTransform {
public:
  /// \p length is even.
  FourierTransform(size_t length, bool isInverse);
  ~FourierTransform();

  /// Computes the length / 2 + 1 complex numbers \p spectrum of \p signal. A
  /// spectrum of integers is 1 / length times as large as the exact one.
  void transform(std::span<const T> signal, std::span<T> spectrum);
  /// Computes the signal whose exact transform is \p spectrum. A signal of
  /// floats is length times as large as that.
  void invert(std::span<const T> spectrum, std::span<T> signal);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace nnhal::tflite_custom

#endif // NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_FOURIERTRANSFORM_H
