//===- BlobTesting.h - Keys and values as texts -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_BLOBCACHE_BLOBTESTING_H
#define NNHAL_TEST_UNIT_BLOBCACHE_BLOBTESTING_H

#include "nnhal/Runtime/BlobCache.h"

#include <string>
#include <string_view>

namespace nnhal::rt {

inline std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

inline void set(BlobCache &cache, std::string_view key,
                std::string_view value) {
  cache.set(bytesOf(key), bytesOf(value));
}

/// The value of \p key, empty when there is none. Counts as a use.
inline std::string get(BlobCache &cache, std::string_view key) {
  std::string value(cache.get(bytesOf(key), std::span<std::byte>()), '\0');
  size_t size =
      cache.get(bytesOf(key), std::as_writable_bytes(std::span(value)));
  return size == value.size() ? value : "changed size";
}

/// Whether there is one; does not count as a use.
inline bool has(BlobCache &cache, std::string_view key) {
  return cache.get(bytesOf(key), std::span<std::byte>()) != 0;
}

} // namespace nnhal::rt

#endif // NNHAL_TEST_UNIT_BLOBCACHE_BLOBTESTING_H
