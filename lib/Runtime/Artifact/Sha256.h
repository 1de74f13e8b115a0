//===- Sha256.h - SHA-256 over a stream of values ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_ARTIFACT_SHA256_H
#define NNHAL_LIB_RUNTIME_ARTIFACT_SHA256_H

#include <openssl/sha.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace nnhal::rt::cache {

/// A running SHA-256. One thread at a time. Cannot fail.
class Sha256 {
public:
  Sha256();
  Sha256(const Sha256 &) = delete;
  Sha256 &operator=(const Sha256 &) = delete;

  void update(std::span<const std::byte> bytes);

  /// Little-endian, eight bytes whatever the width of the source.
  void number(uint64_t value);
  /// Length first, so that neighbours cannot trade bytes.
  void blob(std::span<const std::byte> bytes);
  void text(std::string_view value);

  /// Call once, last.
  std::array<uint8_t, 32> finish();

private:
  SHA256_CTX context;
};

} // namespace nnhal::rt::cache

#endif // NNHAL_LIB_RUNTIME_ARTIFACT_SHA256_H
