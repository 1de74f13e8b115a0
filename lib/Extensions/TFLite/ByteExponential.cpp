//===- ByteExponential.cpp - The exponentials of bytes --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteExponential.h"

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// The integer bits of exponents.
constexpr int32_t exponentBits = 5;

/// The product of numbers of which one has no integer bits.
int32_t product(int32_t a, int32_t b) { return doublingHighMultiply(a, b); }

/// exp(x) for x from -1/4 to 0, both without integer bits, by the first terms
/// of the series around -1/8.
int32_t exponentialNearZero(int32_t x) {
  constexpr int32_t atEighth = 1895147668, third = 715827883;
  int32_t offset = x + (1 << 28);
  int32_t square = product(offset, offset);
  int32_t cube = product(square, offset);
  int32_t fourth = roundingShift(product(square, square), 2);
  int32_t rest = roundingShift(product(fourth + cube, third) + square, 1);
  return atEighth + product(atEighth, offset + rest);
}

/// exp(x) without integer bits for x <= 0 with 5 integer bits: the rest of a
/// quarter, times a constant for each bit of the quarters.
int32_t powerOf(int32_t x) {
  constexpr int32_t quarter = 1 << 24;
  constexpr int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308,
                                39332535,   720401,     242};
  if (x == 0)
    return std::numeric_limits<int32_t>::max();
  int32_t rest = (x & (quarter - 1)) - quarter;
  int32_t result = exponentialNearZero(saturatingLeft(rest, exponentBits));
  int32_t quarters = wrappingAdd(rest, -x);
  for (int32_t bit = 0; bit < int32_t(std::size(powers)); ++bit)
    if (quarters & (quarter << bit))
      result = product(result, powers[bit]);
  return result;
}

} // namespace

std::optional<ByteExponential> ByteExponential::of(float scale, float beta) {
  constexpr int32_t one = 1 << (31 - exponentBits);
  ByteExponential result;
  result.factor = factorOf(std::min(
      double(beta) * scale * one, double(std::numeric_limits<int32_t>::max())));
  if (result.factor.shift < 0)
    return std::nullopt;
  double reach = 31.0 * one / double(int64_t(1) << result.factor.shift);
  result.most = int32_t(std::min(std::floor(reach), 256.0));
  return result;
}

int32_t ByteExponential::operator()(int32_t distance) const {
  if (distance > most)
    return 0;
  auto shifted = int32_t(uint32_t(-distance) << factor.shift);
  return powerOf(doublingHighMultiply(shifted, factor.multiplier));
}
