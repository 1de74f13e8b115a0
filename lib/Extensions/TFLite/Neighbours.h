//===- Neighbours.h - Where pixels come from --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which lines, or columns, of an image those of a resized one are made of. Both
// halves of the extension compute with these.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_NEIGHBOURS_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_NEIGHBOURS_H

#include <cstdint>

namespace nnhal::tflite {

/// One of the two dimensions of an image that change.
struct ResizedAxis {
  int64_t input, output;
  bool alignCorners, halfPixelCenters;
};

/// The most lines or columns, for which steps of 2^-10 fit 32 bits.
inline constexpr int64_t mostResized = 1 << 20;

/// The neighbours of one place of the result, and the distance from the first
/// one: in 1024ths, or a real number.
template <typename Distance> struct Neighbours {
  int64_t lower, upper;
  Distance distance;
};

Neighbours<int64_t> neighboursOf(const ResizedAxis &axis, int64_t place);
Neighbours<float> floatNeighboursOf(const ResizedAxis &axis, int64_t place);
/// Returns the nearest place.
int64_t nearestOf(const ResizedAxis &axis, int64_t place);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_NEIGHBOURS_H
