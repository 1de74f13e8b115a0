//===- Random.h - Numbers that are the same everywhere ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_VERIFY_RANDOM_H
#define NNHAL_LIB_TOOLS_VERIFY_RANDOM_H

#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>

namespace nnhal::verify {

/// A stream of numbers that depends on its seed alone: the engine is fixed by
/// the C++ standard, and the distributions here are, too, since they compute in
/// integers and in doubles that are exact. (Those of the standard library
/// differ between implementations.)
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}

  uint64_t next() { return engine(); }

  /// 0 to \p bound - 1; \p bound is not 0 and below 2^32.
  uint32_t below(uint64_t bound) {
    assert(bound != 0 && bound < uint64_t(1) << 32);
    return uint32_t(((engine() >> 32) * bound) >> 32);
  }

  /// \p low to \p high, both included.
  int64_t between(int64_t low, int64_t high) {
    return low + int64_t(below(uint64_t(high - low) + 1));
  }

  /// True in \p percent of 100 cases.
  bool chance(unsigned percent) { return below(100) < percent; }

  /// A multiple of 2^-20 from \p low up to \p high, which are such multiples
  /// less than 2^11 apart: exact, so that no rounding mode can change it.
  double real(double low, double high) {
    auto steps = uint64_t((high - low) * 0x1p20);
    return low + double(below(steps + 1)) * 0x1p-20;
  }

  template <typename T> const T &pick(std::span<const T> values) {
    return values[below(values.size())];
  }
  template <typename T> T pick(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

private:
  std::mt19937_64 engine;
};

} // namespace nnhal::verify

#endif // NNHAL_LIB_TOOLS_VERIFY_RANDOM_H
