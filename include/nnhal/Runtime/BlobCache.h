//===- BlobCache.h - A bounded map of byte strings --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// BlobCache is the engine of a device's own cache (E-012, E.9), for data that
// needs no file handles of a client. NNCache keeps one in a file.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_BLOBCACHE_H
#define NNHAL_RUNTIME_BLOBCACHE_H

#include "nnhal/Runtime/Api.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace nnhal::rt {

/// A cache of byte strings under keys, which are byte strings too, within
/// limits.
///
/// Ownership: the cache owns copies of all keys and values.
/// Threads:   one at a time (E-072).
/// Failures:  a value that does not fit is not kept, and nobody is told
///            (E-074).
class NNHAL_API BlobCache {
public:
  /// The way in which the entry to evict is chosen.
  enum class Select : uint8_t {
    random,
    /// Evicts the entry whose last set or get is the longest ago.
    lru
  };
  /// The rule by which the number of entries to evict is found.
  enum class Capacity : uint8_t {
    /// Evicts until no more than half of the total is in use. When no more than
    /// that is in use already, nothing is evicted and the new entry is not
    /// kept.
    halve,
    /// Evicts until the new entry fits.
    fit,
    /// Evicts until both hold.
    fitHalve
  };
  struct Policy {
    Select select = Select::random;
    Capacity capacity = Capacity::halve;
    bool operator==(const Policy &) const = default;
  };
  struct Options {
    /// The build that serialized caches belong to: those of another build are
    /// dropped. Bytes beyond the first maxBuildId are not looked at.
    std::string buildId;
    /// The seed of Select::random; 0 chooses another one for each cache.
    uint32_t seed = 0;
  };
  static constexpr size_t maxBuildId = 92;

  BlobCache(size_t maxKeySize, size_t maxValueSize, size_t maxTotalSize,
            Policy policy = {Select::random, Capacity::halve});
  BlobCache(size_t maxKeySize, size_t maxValueSize, size_t maxTotalSize,
            Policy policy, const Options &options);

  /// Keeps \p value for \p key, in place of an earlier value. Nothing changes
  /// when one of them is empty or beyond its limit, or both together are beyond
  /// the total. This may evict other entries, but never the entry that it
  /// replaces.
  void set(std::span<const std::byte> key, std::span<const std::byte> value);

  /// Returns the size of the value of \p key, or 0 when there is none. Copies
  /// the value when \p buffer has room for it; otherwise the entry does not
  /// count as used (E-088).
  size_t get(std::span<const std::byte> key, std::span<std::byte> buffer);

  /// Returns memory for a value of this many bytes, or null.
  using Allocate = std::function<void *(size_t size)>;
  /// Copies the value into memory of exactly its size from \p allocate, which
  /// then belongs to the caller, and returns the size like the function above.
  /// \p value is null when nothing was copied.
  size_t get(std::span<const std::byte> key, void *&value,
             const Allocate &allocate);

  size_t entryCount() const { return entries.size(); }
  /// The number of bytes of all keys and values.
  size_t totalSize() const { return total; }

  /// The number of bytes that flatten() needs at most.
  size_t getFlattenedSize() const;

  /// Writes the cache to the beginning of \p buffer, in the byte order and word
  /// size of the machine. Returns 0, or -EINVAL when \p buffer is too small.
  [[nodiscard]] int flatten(std::span<std::byte> buffer) const;

  /// Replaces the entries by those of \p buffer, which need not be aligned.
  /// Returns 0, also for the cache of another version or build, which counts as
  /// empty. Returns -EINVAL, and leaves the cache empty, for bytes that
  /// flatten() does not write.
  [[nodiscard]] int unflatten(std::span<const std::byte> buffer);

private:
  using Bytes = std::vector<std::byte>;
  struct Entry {
    Bytes key;
    Bytes value;
    /// The time of the last use, which grows with each use.
    uint64_t recency = 0;
    size_t size() const { return key.size() + value.size(); }
  };
  static constexpr size_t noEntry = SIZE_MAX;

  /// The position at which \p key is or belongs.
  size_t position(std::span<const std::byte> key) const;
  bool isAt(size_t index, std::span<const std::byte> key) const;
  /// Evicts for \p growth more bytes as the policy says, but not the entry
  /// \p keep, whose new index is returned.
  size_t evict(size_t growth, size_t keep);
  size_t victim(size_t keep);
  bool fits(size_t growth) const { return growth <= maxTotalSize - total; }
  void clear();
  int readEntries(std::span<const std::byte> rest, uint64_t count);

  const size_t maxKeySize;
  const size_t maxValueSize;
  const size_t maxTotalSize;
  const Policy policy;
  const std::string buildId;
  std::minstd_rand random;
  /// The entries are ordered by the size of the key, then by its bytes (E-084).
  std::vector<Entry> entries;
  size_t total = 0;
  uint64_t uses = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_BLOBCACHE_H
