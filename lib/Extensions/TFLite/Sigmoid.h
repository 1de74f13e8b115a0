//===- Sigmoid.h - LOGISTIC and TANH of 16 bits -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both functions by the straight lines of one table, as operators of their own
// and as parts of recurrent ones.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_SIGMOID_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_SIGMOID_H

#include "FixedPoint.h"

namespace nnhal::tflite {

/// The factor that brings numbers to steps of 1 / (3 * 4096).
struct TableInput {
  int32_t multiplier = 0;
  int32_t shift = 0;
  int32_t operator()(int16_t value) const {
    int32_t half = shift > 0 ? int32_t(1) << (shift - 1) : 0;
    return wrappingAdd(value * multiplier, half) >> shift;
  }
};

/// Returns the factor of numbers with \p scale. It is a shift for a scale that
/// is a power of two from 2^-12 to 2^(mostShift - 12).
TableInput tableInput(float scale, int32_t mostShift);

/// The function for positive numbers, by the straight lines of a table, of
/// which the last one goes on for ever. It is written without branches: the
/// signs of neighbours are not to be predicted.
///
/// A place has \p fractionBits within a line.
template <int fractionBits> struct Lines {
  TableInput input;
  std::array<int32_t, 256> begin, slope;

  Lines(TableInput input, int32_t last) : input(input) {
    const std::array<uint16_t, 256> &table = logisticTable();
    for (size_t index = 0; index < 255; ++index) {
      begin[index] = table[index] << fractionBits;
      slope[index] = table[index + 1] - table[index];
    }
    begin[255] = last;
    slope[255] = 0;
  }

  /// Returns the function of the distance of \p place from 0.
  int32_t at(int32_t place) const {
    uint32_t distance = place < 0 ? 0 - uint32_t(place) : uint32_t(place);
    uint32_t index = std::min(distance >> fractionBits, uint32_t(255));
    auto rest = int32_t(distance & ((uint32_t(1) << fractionBits) - 1));
    return begin[index] + rest * slope[index];
  }
};

/// LOGISTIC, whose results are fractions of 15 bits.
class Logistic16 {
public:
  explicit Logistic16(TableInput input) : lines(input, 0x7FFF << 10) {}
  int16_t operator()(int16_t value) const {
    int32_t place = lines.input(value);
    int32_t result = lines.at(place);
    // The half is rounded up on both sides.
    int32_t other = (1 << 25) - result - 1;
    return int16_t(((place >= 0 ? result : other) + (1 << 9)) >> 10);
  }

private:
  Lines<9> lines;
};

/// TANH, whose results are fractions of 15 bits: tanh(x) is 2 logistic(2x) - 1.
class Tanh16 {
public:
  explicit Tanh16(TableInput input) : lines(input, 0xFFFF << 8) {}
  int16_t operator()(int16_t value) const {
    int32_t place = lines.input(value);
    int32_t result = lines.at(place) - (1 << 23);
    return int16_t(((place >= 0 ? result : -result - 1) + (1 << 7)) >> 8);
  }

private:
  Lines<8> lines;
};

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_SIGMOID_H
