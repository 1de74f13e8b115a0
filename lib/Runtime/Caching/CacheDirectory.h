//===- CacheDirectory.h - Files and locks of a cache directory --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CACHING_CACHEDIRECTORY_H
#define NNHAL_LIB_RUNTIME_CACHING_CACHEDIRECTORY_H

#include "CacheEntry.h"
#include "nnhal/Runtime/CacheToken.h"
#include "nnhal/Runtime/Device.h"

namespace nnhal::rt {

/// The opened files of one entry.
class OpenEntry {
public:
  /// Borrowed handles for a device.
  CacheHandles handles() const;

  std::vector<UniqueFd> modelCache;
  std::vector<UniqueFd> dataCache;
  /// True when nobody else can write to the files or replace them
  /// (CacheHandles::arePrivate).
  bool isPrivate = false;
  /// The owner of the files, and who else can write to them.
  CacheVerdict trust;
};

/// The names of one entry in a directory.
///
/// Threads: one at a time.
class EntryNames {
public:
  /// \p directory ends with a slash.
  EntryNames(const std::string &directory, const CacheToken &token,
             CacheFiles files);

  /// All files, for reading and writing; nothing unless all are there (E-028).
  std::optional<OpenEntry> open() const;

  /// Names the files that are there: the stamp differs when the entry has been
  /// replaced. It is empty when a file is missing.
  std::string stamp() const;

  /// New empty files under other names, for this user alone (E-026, E-009);
  /// nothing when one cannot be created.
  std::optional<OpenEntry> create() const;
  /// Makes those files the entry. At every moment there is either an entry
  /// whose files belong together or none: the model cache goes first and comes
  /// last.
  Status publish() const;
  /// Removes them.
  void discard() const;

private:
  std::optional<OpenEntry> openAll(const char *suffix, int flags) const;

  std::string directory;
  std::vector<std::string> modelPaths;
  std::vector<std::string> dataPaths;
};

/// One range per token of a directory's lock file: held while a process
/// compiles for it, and given up by the system when the process dies.
///
/// Threads: one at a time; each has its own object.
class EntryLock {
public:
  /// Returns nothing when the file cannot be created, or is not a regular file.
  static std::optional<EntryLock> open(const std::string &directory);

  /// Whether only this user can open the lock file. Anybody else who can may
  /// hold its locks for as long as they like.
  bool isPrivate() const { return isOwn; }

  /// Whether \p token is now held.
  bool tryLock(const CacheToken &token);
  void unlock(const CacheToken &token);

  /// Removes what processes that died have left in \p directory. Asked by the
  /// holder of \p held, which stays held.
  void removeLeftovers(const std::string &directory, const CacheToken &held);

private:
  EntryLock(UniqueFd fd, bool isOwn) : fd(std::move(fd)), isOwn(isOwn) {}
  UniqueFd fd;
  bool isOwn;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CACHING_CACHEDIRECTORY_H
