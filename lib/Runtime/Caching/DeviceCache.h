//===- DeviceCache.h - A device's side of compilation caching ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CACHING_DEVICECACHE_H
#define NNHAL_LIB_RUNTIME_CACHING_DEVICECACHE_H

#include "EntryFiles.h"
#include "IntegrityStore.h"

#include "nnhal/Backend/Backend.h"

namespace nnhal::rt {

/// The place for the outcome of a compilation, now or later: it owns duplicates
/// of the client's descriptors (E-066).
struct CacheSlot {
  cache::EntryFiles files;
  /// The lock is held from the loan to the last byte, so that an entry whose
  /// compilation goes on in the background is seen to be incomplete rather than
  /// damaged. It is absent where somebody else holds it.
  std::optional<cache::FileLock> lock = {};
  CacheToken token = {};
  std::optional<ContentKey> contentKey;
  CompileOptions compile;
  CacheObserver observer;
};

/// Saves what a backend compiles into files of clients, and loads it from
/// there. Nothing that goes wrong here is more than a miss (E-033).
///
/// Threads: any.
class DeviceCache {
public:
  /// The cache keeps no threads of \p services: those may be destroyed before
  /// it.
  DeviceCache(std::shared_ptr<const Backend> backend, DeviceServices services);

  /// Returns null when no caching is asked for, or when the handles do not
  /// serve: then \p observer has been told.
  std::unique_ptr<CacheSlot> openSlot(const PrepareOptions &options,
                                      const CacheObserver &observer) const;

  /// Writes \p contents into \p slot, and remembers that it did. Until the last
  /// byte is written the files are not a valid entry, and they do not become
  /// one when something fails; slot.observer is then told. This may be called
  /// again: the last call counts.
  void save(const CacheSlot &slot, const CacheContents &contents);

  /// See Device::prepareModelFromCache().
  Result<std::unique_ptr<LoadedModel>> load(const CacheHandles &handles,
                                            const CacheToken &token,
                                            const PrepareOptions &options,
                                            const CacheObserver &observer);

private:
  /// The parts that loading and saving need. They are opened once, when first
  /// needed.
  struct State {
    Status status;
    CacheIdentity identity;
    std::unique_ptr<cache::IntegrityStore> store;
  };
  const State &state();
  Status openState(State &state) const;
  CacheIdentity identityWith(const CompileOptions &options);
  bool keepsEntries() const;

  CacheVerdict trySave(const CacheSlot &slot, const CacheContents &contents);

  struct Entry {
    /// The first file, and the others of the model cache.
    AlignedBuffer first;
    std::vector<AlignedBuffer> others;
    CacheEntryInfo info;
    /// Some of it views of the files.
    CacheContents contents;
  };
  CacheVerdict readFirst(const cache::EntryFiles &files,
                         const CacheToken &token, const PrepareOptions &options,
                         Entry &entry);
  CacheVerdict readEntry(const cache::EntryFiles &files,
                         const CacheToken &token, const PrepareOptions &options,
                         Entry &entry);
  Result<std::unique_ptr<LoadedModel>> tryLoad(const CacheHandles &handles,
                                               const CacheToken &token,
                                               const PrepareOptions &options,
                                               CacheVerdict &verdict);

  /// Writes to the log and the trace what became of the work since \p begin.
  void report(const char *work, const CacheVerdict &verdict,
              int64_t begin) const;

  const std::shared_ptr<const Backend> owner;
  const Backend &backend;
  const DeviceServices services;
  std::mutex mutex;
  std::unique_ptr<State> opened;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CACHING_DEVICECACHE_H
