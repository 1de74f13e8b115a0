//===- EntryFiles.h - The descriptors of a cache entry ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CACHE_ENTRYFILES_H
#define NNHAL_LIB_RUNTIME_CACHE_ENTRYFILES_H

#include "nnhal/Runtime/AlignedBuffer.h"
#include "nnhal/Runtime/CacheEntry.h"
#include "nnhal/Runtime/Memory.h"

namespace nnhal::rt::cache {

/// The two files that a client lent, as duplicates that outlive the loan.
struct EntryFiles {
  UniqueFd modelCache;
  UniqueFd dataCache;
  /// See CacheHandles.
  bool arePrivate = false;
};

/// Duplicates the descriptors of \p handles, of which there is one model cache
/// and one data cache. invalidArgument, with what was found and what is
/// expected, for other numbers (E-038, E-039, E-051) and for descriptors that
/// are not open; generalFailure for what is no regular file or not open in
/// both directions (C-064, E-040, E-052).
Result<EntryFiles> duplicateFiles(const CacheHandles &handles);

/// An advisory lock on a file that a client lent, for as long as the object
/// lives (E-067).
class FileLock {
public:
  /// Null when somebody else holds it.
  static std::optional<FileLock> tryLock(int fd, bool isExclusive);
  FileLock(FileLock &&other) noexcept : fd(std::exchange(other.fd, -1)) {}
  FileLock &operator=(FileLock &&) = delete;
  ~FileLock();

private:
  explicit FileLock(int fd) : fd(fd) {}
  int fd;
};

/// Writes an entry of \p modelCache and \p dataCache, whose description is in
/// \p info, such that the files are invalid at every moment before the last
/// write (E-068): the model-cache file is emptied first and gets its header
/// last. \p record is called before that, with the SHA-256 of the
/// file-to-be. generalFailure with the system's reason, or what \p record
/// reports; the file is then empty.
Status writeEntry(const EntryFiles &files, const CacheEntryInfo &info,
                  std::span<const std::byte> modelCache,
                  std::span<const std::byte> dataCache,
                  const std::function<Status(const Sha256Digest &)> &record);

/// All of a model-cache file, read once from its beginning into memory of this
/// process: nobody can change what is checked (E-062).
CacheVerdict readModelFile(int fd, AlignedBuffer &file);

/// The constants of the data-cache file of \p files, whose header fits \p info:
/// mapped where the files are this user's alone, otherwise copied. Nobody
/// changes them, and bytes() succeeds.
CacheVerdict readDataFile(const EntryFiles &files, const CacheEntryInfo &info,
                          Memory &constants);

} // namespace nnhal::rt::cache

#endif // NNHAL_LIB_RUNTIME_CACHE_ENTRYFILES_H
