//===- CacheHandles.h - What a compilation cache is asked with --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The HAL's compilation caching as values: a client names a compilation with a
// token and lends files; the device fills them and later loads from them. What
// became of it is a CacheOutcome, because "not from the cache" has many causes
// that call for different reactions.
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

/// What a client calls a compilation (E-001).
using CacheToken = std::array<uint8_t, 32>;

/// A SHA-256 of whatever the result of a compilation depends on.
using ContentKey = std::array<uint8_t, 32>;

/// How many files a compilation cache entry has; 0 and 0: none is kept (C-015).
struct CacheFiles {
  uint32_t modelCache = 0;
  uint32_t dataCache = 0;
  bool operator==(const CacheFiles &) const = default;
};
inline constexpr uint32_t maxCacheFiles = 32;

/// The files of one cache entry: a list of descriptors per native handle, one
/// descriptor each where the client keeps to the HAL (E-027).
///
/// Ownership: borrowed for the length of the call that they are given to; who
///            wants them longer duplicates them (E-030, E-066).
struct CacheHandles {
  std::vector<std::vector<int>> modelCache;
  std::vector<std::vector<int>> dataCache;
  /// The files lie in a directory that only this process's user can write to,
  /// under names at which they are replaced and never changed: constants may be
  /// mapped. A device that got the descriptors from elsewhere, another process
  /// for example, leaves it false and copies them.
  bool arePrivate = false;

  /// No caching is asked for (E-003).
  bool isEmpty() const { return modelCache.empty() && dataCache.empty(); }
  bool operator==(const CacheHandles &) const = default;
};

/// Whether a preparation came from a cache, and if not, why not. The reasons
/// are for people: what decides about a hit is the digest of what was read.
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
  /// Another version or build of the device and its runtime.
  missDriverChanged,
  /// The entry is for a CPU with other features.
  missCpuChanged,
  /// Another version of the file format.
  missFormatChanged,
  /// The bytes are not those that were written.
  missTampered,
  /// Shorter than what was written.
  missTruncated,
  /// An undamaged entry of another token.
  missOtherToken,
  /// Undamaged, but not known to have been written by this device: its state
  /// was lost, or the entry comes from elsewhere.
  missNotRecorded,
  /// Somebody is writing the entry.
  missLocked,
  /// Wrong numbers or kinds of descriptors, or a file that cannot be read.
  missUnreadable,
  /// The device has no state directory that it can use.
  missNoState,
  /// Other users can write to the directory or to a file.
  missWritableByOthers,
};

/// "off", "hit", or the reason of a miss: "model-changed" for example.
NNHAL_API std::string_view toString(CacheOutcome outcome);

constexpr bool isMiss(CacheOutcome outcome) {
  return outcome != CacheOutcome::off && outcome != CacheOutcome::hit;
}

/// Told what became of an attempt to load from a cache, with a sentence for a
/// person, on the thread of the attempt. Not told for CacheOutcome::off.
/// A preparation that was to fill the cache and could not tells why in the same
/// way.
using CacheObserver =
    std::function<void(CacheOutcome outcome, std::string_view detail)>;

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_CACHEHANDLES_H
