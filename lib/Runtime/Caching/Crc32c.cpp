//===- Crc32c.cpp - The checksum of a blob cache's file -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Crc32c.h"

#include <array>

using namespace nnhal::rt;

// A table of our own: zlib has another polynomial, OpenSSL no CRC at all, and
// a library for these lines alone would cost every user a dependency.
static constexpr std::array<uint32_t, 256> table = [] {
  std::array<uint32_t, 256> remainders = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit)
      value = value >> 1 ^ (value & 1 ? 0x82F63B78u : 0u);
    remainders[byte] = value;
  }
  return remainders;
}();

uint32_t nnhal::rt::crc32c(std::span<const std::byte> bytes) {
  uint32_t value = 0;
  for (std::byte byte : bytes)
    value = value >> 8 ^ table[(value ^ uint32_t(byte)) & 0xFF];
  return value;
}
