//===- CacheHandles.h - Compilation caching as values -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The HAL's compilation caching as values: a client names a compilation with a
// token and lends files; the device fills them and later loads from them. The
// outcome is a CacheOutcome, because "not from the cache" has many causes that
// call for different reactions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_CACHEHANDLES_H
#define NNHAL_RUNTIME_CACHEHANDLES_H

#include "nnhal/Runtime/Api.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// The name that a client gives to a compilation (E-001).
using CacheToken = std::array<uint8_t, 32>;

/// The SHA-256 of everything that the result of a compilation depends on.
using ContentKey = std::array<uint8_t, 32>;

/// The numbers of files of a compilation cache entry. When both are 0 the
/// device keeps no cache (C-015).
struct CacheFiles {
  uint32_t modelCache = 0;
  uint32_t dataCache = 0;
  bool operator==(const CacheFiles &) const = default;
};
inline constexpr uint32_t maxCacheFiles = 32;

/// The files of one cache entry: a list of descriptors per native handle, one
/// descriptor each where the client keeps to the HAL (E-027).
///
/// Ownership: borrowed for the length of the call that they are given to; a
/// callee that wants them longer duplicates them (E-030, E-066).
struct CacheHandles {
  std::vector<std::vector<int>> modelCache;
  std::vector<std::vector<int>> dataCache;
  /// The files lie in a directory that only this process's user can write to,
  /// under names at which they are replaced and never changed, so constants may
  /// be mapped. A device that got the descriptors from elsewhere, from another
  /// process for example, leaves it false and copies them.
  bool arePrivate = false;

  /// True when no caching is asked for (E-003).
  bool isEmpty() const { return modelCache.empty() && dataCache.empty(); }
  bool operator==(const CacheHandles &) const = default;
};

/// Whether a preparation came from a cache, and if not, why not. The reasons
/// are for people: the digest of the bytes that were read decides about a hit.
enum class CacheOutcome : uint32_t {
  /// No cache was asked for, or the device keeps none.
  off,
  hit,
  /// There are no files, or they are empty.
  missAbsent,
  /// The entry was made from another model.
  missModelChanged,
  /// The entry was made with other compile options.
  missOptionsChanged,
  missCompilerChanged,
  /// The entry was made by another version or build of the device and its
  /// runtime.
  missDriverChanged,
  /// The entry is for a CPU with other features.
  missCpuChanged,
  /// The entry has another version of the file format.
  missFormatChanged,
  /// The bytes are not those that were written.
  missTampered,
  /// The entry is shorter than the entry that was written.
  missTruncated,
  /// The entry is undamaged and belongs to another token.
  missOtherToken,
  /// The entry is undamaged, but not known to have been written by this device:
  /// its state was lost, or the entry comes from elsewhere.
  missNotRecorded,
  /// Somebody else is writing the entry.
  missLocked,
  /// The numbers or kinds of the descriptors are wrong, or a file cannot be
  /// read.
  missUnreadable,
  /// The device has no state directory that it can use.
  missNoState,
  /// Other users can write to the directory or to a file.
  missWritableByOthers,
};

/// Returns "off", "hit", or the reason of a miss: "model-changed" for example.
NNHAL_API std::string_view toString(CacheOutcome outcome);

constexpr bool isMiss(CacheOutcome outcome) {
  return outcome != CacheOutcome::off && outcome != CacheOutcome::hit;
}

/// Receives the outcome of an attempt to load from a cache, with a sentence for
/// a person, on the thread of the attempt. CacheOutcome::off is not reported. A
/// preparation that was to fill the cache and could not reports the reason in
/// the same way.
using CacheObserver =
    std::function<void(CacheOutcome outcome, std::string_view detail)>;

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_CACHEHANDLES_H
