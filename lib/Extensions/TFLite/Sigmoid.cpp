//===- Sigmoid.cpp - LOGISTIC and TANH of 16 bits -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sigmoid.h"

using namespace nnhal;
using namespace nnhal::tflite;

TableInput tflite::tableInput(float scale, int32_t mostShift) {
  int32_t exponent = 0;
  if (isPowerOfTwo(scale, exponent) && exponent + 12 >= 0 &&
      exponent + 12 <= mostShift)
    return {3 << (exponent + 12), 0};
  double multiplier = double(scale) * 4096.0 * 3.0;
  TableInput input;
  while (multiplier <= 32767.0 / 2.0 && input.shift <= 30) {
    ++input.shift;
    multiplier *= 2.0;
  }
  // A larger factor saturates all numbers but 0, as this one does.
  input.multiplier = int32_t(std::min(multiplier, 65535.0));
  return input;
}
