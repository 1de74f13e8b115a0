//===- FuzzTarget.h - What fuzz targets share -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// libFuzzer calls LLVMFuzzerTestOneInput() of a target with one input after
// another (docs/Internals/Fuzzing.md). An input passes when no sanitizer
// reports and every require() holds, whatever the outcome of the calls (L-082).
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_FUZZ_FUZZTARGET_H
#define NNHAL_TEST_FUZZ_FUZZTARGET_H

#include "nnhal/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>

// What libFuzzer calls and offers; a target defines the first, and the next two
// where it knows the structure of its inputs.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed);
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first,
                                            size_t firstSize,
                                            const uint8_t *second,
                                            size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed);
/// Changes \p data as a sequence of bytes; returns the new size.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace nnhal::rt::fuzz {

inline std::span<const std::byte> bytesOf(const uint8_t *data, size_t size) {
  return std::as_bytes(std::span(data, size));
}

inline std::string_view textOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Reports a finding and ends the process unless \p holds: what has to be so
/// for every input, beyond what the sanitizers see.
void require(bool holds, std::string_view what);

/// Reports a finding unless \p status is a success, or a failure that says why.
void requireReason(const Status &status);

/// The numbers from which a mutation is chosen.
class Random {
public:
  explicit Random(uint32_t seed) : engine(seed) {}
  /// From 0 to \p bound - 1; 0 when \p bound is 0.
  size_t below(size_t bound) { return bound == 0 ? 0 : engine() % bound; }
  /// Whether one of \p count has come up.
  bool oneOf(size_t count) { return below(count) == 0; }
  uint64_t number() { return engine(); }

private:
  std::mt19937_64 engine;
};

/// A number that is likely to be a bound somewhere, or one close to it.
int64_t unusualNumber(Random &random);

} // namespace nnhal::rt::fuzz

#endif // NNHAL_TEST_FUZZ_FUZZTARGET_H
