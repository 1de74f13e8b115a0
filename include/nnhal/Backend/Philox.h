//===- Philox.h - A counter-based random number generator -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_PHILOX_H
#define NNHAL_BACKEND_PHILOX_H

#include <array>
#include <cstdint>

namespace nnhal::rt {

/// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2,
/// 3", 2011): a bijection of counters that depends on the key. A number's place
/// in a sequence is its counter, so that no state is carried. Words are in
/// ascending order of significance. Threads: pure function.
inline std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                          std::array<uint32_t, 2> key) {
  constexpr uint64_t multipliers[] = {0xD2511F53, 0xCD9E8D57};
  constexpr uint32_t keySteps[] = {0x9E3779B9, 0xBB67AE85};
  for (int round = 0; round < 10; ++round) {
    uint64_t first = multipliers[0] * counter[0];
    uint64_t second = multipliers[1] * counter[2];
    counter = {uint32_t(second >> 32) ^ counter[1] ^ key[0], uint32_t(second),
               uint32_t(first >> 32) ^ counter[3] ^ key[1], uint32_t(first)};
    key[0] += keySteps[0];
    key[1] += keySteps[1];
  }
  return counter;
}

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_PHILOX_H
