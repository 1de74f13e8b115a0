//===- Sha256.h - SHA-256 over a stream of values ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CACHE_SHA256_H
#define NNHAL_LIB_RUNTIME_CACHE_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace nnhal::rt::cache {

/// A running SHA-256. One thread at a time. Running out of memory in the
/// library raises std::bad_alloc: there is no other way for it to fail.
class Sha256 {
public:
  Sha256();
  ~Sha256();
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
  struct Deleter {
    void operator()(void *context) const;
  };
  std::unique_ptr<void, Deleter> context;
};

} // namespace nnhal::rt::cache

#endif // NNHAL_LIB_RUNTIME_CACHE_SHA256_H
