//===- ReciprocalRoot.cpp - Reciprocals of roots --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReciprocalRoot.h"

#include <bit>

using namespace nnhal;
using namespace nnhal::tflite;

Factor tflite::reciprocalRoot(int32_t value) {
  if (value <= 1)
    return {std::numeric_limits<int32_t>::max(), 0};
  // Pairs of bits move the number to one from 1/4 to 1.
  const int32_t pairs = (std::countl_zero(uint32_t(value)) - 1) / 2 - 1;
  int32_t shift = 11 - pairs;
  const int32_t half = roundingShift((value << 2 * pairs) >> 1, 1);
  int32_t x = 1 << 28;
  for (int step = 0; step < 5; ++step) {
    const int32_t cube =
        saturatingLeft(doublingHighMultiply(doublingHighMultiply(x, x), x), 6);
    x = saturatingLeft(
        doublingHighMultiply(3 << 27, x) - doublingHighMultiply(half, cube), 3);
  }
  constexpr int32_t rootOfHalf = 1518500250; // sqrt(1/2) * 2^31
  x = doublingHighMultiply(x, rootOfHalf);
  if (shift < 0) {
    x <<= -shift;
    shift = 0;
  }
  return {x, -shift};
}
