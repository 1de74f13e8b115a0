//===- EntryFiles.h - The descriptors of a cache entry ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CACHING_ENTRYFILES_H
#define NNHAL_LIB_RUNTIME_CACHING_ENTRYFILES_H

#include "CacheEntry.h"
#include "nnhal/Runtime/AlignedBuffer.h"
#include "nnhal/Runtime/Memory.h"

namespace nnhal::rt::cache {

/// The files that a client lent, as duplicates that outlive the loan.
struct EntryFiles {
  std::vector<UniqueFd> modelCache;
  std::vector<UniqueFd> dataCache;
  /// See CacheHandles.
  bool arePrivate = false;

  /// The file with the header of the entry, which is locked.
  int first() const {
    return (modelCache.empty() ? dataCache : modelCache).front().get();
  }
};

/// The contents of the files of an entry; views.
struct EntryContents {
  std::vector<std::span<const std::byte>> modelCache;
  std::vector<std::span<const std::byte>> dataCache;
};

/// Duplicates the descriptors of \p handles, of which there are as many as
/// \p expected says. Fails with invalidArgument, which names the found and the
/// expected value, for other numbers (E-038, E-039, E-051) and for descriptors
/// that are not open, and with generalFailure for a descriptor that is not of a
/// regular file or not open in both directions (C-064, E-040, E-052).
Result<EntryFiles> duplicateFiles(const CacheHandles &handles,
                                  CacheFiles expected);

/// An advisory lock on a file that a client lent, for as long as the object
/// lives (E-067).
class FileLock {
public:
  /// Returns nothing when somebody else holds the lock.
  static std::optional<FileLock> tryLock(int fd, bool isExclusive);
  FileLock(FileLock &&other) noexcept : fd(std::exchange(other.fd, -1)) {}
  FileLock &operator=(FileLock &&) = delete;
  ~FileLock();

private:
  explicit FileLock(int fd) : fd(fd) {}
  int fd;
};

/// Writes an entry of \p contents, of which there are as many as files, such
/// that the files are invalid at every moment before the last write (E-068):
/// the first one is emptied first and gets its header last. \p info says what
/// the entry was made from; sizes, digests and counts are filled in here. \p
/// record is called before the header is written, with the SHA-256 of the first
/// file-to-be, which covers all files of the model cache. generalFailure with
/// the system's reason, or what \p record reports; the first file is then
/// empty.
Status writeEntry(const EntryFiles &files, CacheEntryInfo info,
                  const EntryContents &contents,
                  const std::function<Status(const Sha256Digest &)> &record);

/// All of a model-cache file, read once from its beginning into memory of this
/// process: nobody can change what is checked (E-062).
CacheVerdict readModelFile(int fd, AlignedBuffer &file);

/// The constants of the data-cache file \p fd, whose header fits \p info:
/// mapped where \p isPrivate, otherwise copied. Nobody changes them, and
/// bytes() succeeds.
CacheVerdict readDataFile(int fd, bool isPrivate, const CacheEntryInfo &info,
                          Memory &constants);

} // namespace nnhal::rt::cache

#endif // NNHAL_LIB_RUNTIME_CACHING_ENTRYFILES_H
